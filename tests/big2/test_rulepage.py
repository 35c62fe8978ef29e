"""The page of a rule set, its TOML, and how two differ: everything that a switch says is there, in words."""

import tomllib

import pytest

from big2.rulepage import five_card_kinds, idle_switches, points_line, remarks, rule_page
from big2.rulesets import ruleset_from_mapping, ruleset_to_mapping
from big2.ruletext import differences, ruleset_toml, toml_value
from big2.switch_table import BY_NAME, SWITCHES
from tests.big2.play import PRESETS, rules
from tests.big2.rule_sets import CHANGED


def page(rule_set):
    return {section.title: "\n".join(section.lines) for section in rule_page(rule_set)}


def text(rule_set):
    return "\n".join(f"{title}\n{lines}" for title, lines in page(rule_set).items())


def test_r5_1_an_opening_card_that_is_not_the_lowest_is_remarked_on():
    changed = {"base": "hong-kong", "suits": "CDHS"}
    for card, told in (("3D", "opening_card is 3♦, and the lowest card is 3♣ (R5.1)"), ("3C", None)):
        found = ruleset_from_mapping(changed | {"opening_card": card}, PRESETS)
        assert list(remarks(found)) == ([told] if told else [])
        assert page(found).get("Remarks") == (f"{told}." if told else None)
    assert not any(list(remarks(preset)) for preset in PRESETS.values())


def test_the_page_says_how_a_ten_is_written():
    assert "8 9 T J Q K A 2; T is the ten." in page(PRESETS["actionpoker"])["Cards"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_page_with_every_choice_that_has_an_effect(name):
    rule_set = PRESETS[name]
    shown = text(rule_set)
    unsaid = {"suits", "opening_card", *idle_switches(rule_set)}
    unsaid |= {
        "triples",
        "quads_kicker",
        "quads_beat_any",
        "dragon",
        "twos",
        "point_tiers",
        "flush",
        "last_card",
    }
    for switch in SWITCHES:
        if switch.name not in unsaid:
            assert switch.form.words(getattr(rule_set, switch.name)) in shown


def test_a_page_tells_the_order_of_cards_with_the_suits_signs():
    cards = page(PRESETS["taiwan"])["Cards"]
    assert "3 4 5 6 7 8 9 T J Q K A 2" in cards
    assert "♣ ♦ ♥ ♠" in cards
    assert "3♣ is the lowest card and 2♠ the highest" in cards


def test_a_page_tells_what_beats_what():
    assert "1. Straight" in page(rules())["Five cards, the weakest first"]
    assert [kind.value for kind in five_card_kinds(rules(flush="not_allowed", quads_kicker=False))] == [
        "straight", "full_house", "straight_flush",
    ]  # fmt: skip
    assert "four of a kind, and the five cards" in page(rules(quads_kicker=False))["Card sets"]
    assert "also beats every card set" in page(rules(quads_beat_any=True))["Card sets"]
    assert "three of a kind" not in page(rules(triples=False))["Card sets"]


@pytest.mark.parametrize(("kicker", "cards"), [(True, 5), (False, 4)])
def test_r6_where_four_of_a_kind_beats_any_set_whoever_may_hold_it_is_asked(kicker, cards):
    bombs = rules(quads_beat_any=True, quads_kicker=kicker)
    turns = page(bombs)["Turns and passes"]
    assert f"But whoever has {cards} cards or more is asked: he may hold four of a kind." in turns
    assert "and is higher, or is four of a kind over another number; a leader" in turns
    assert "is asked before he passes" in BY_NAME["quads_beat_any"].form.words(True)
    assert "four of a kind" not in page(rules())["Turns and passes"]
    never = page(rules(quads_beat_any=True, auto_pass=[]))["Turns and passes"]
    assert "is asked" not in never


def test_r6_1_a_page_tells_where_the_highest_card_ends_a_trick():
    alone = "The highest card ends a trick so alone, in a pair or in three of a kind, not among five cards."
    assert alone in page(rules())["Turns and passes"]
    assert alone not in page(rules(auto_pass=["too_few_cards"]))["Turns and passes"]


def test_a_page_has_a_worked_line_of_points():
    tiers = rules(point_tiers=[[8, 2], [13, 4]], twos="double_each")
    assert points_line(tiers) == "1→1, 2→2, 3→3, 4→4, 5→5, 6→6, 7→7, 8→16, 9→18, 10→20, 11→22, 12→24, 13→52"
    scoring = page(tiers)["Settlement"]
    assert points_line(tiers) in scoring
    assert "×2 from 8 cards on, ×4 from 13 cards on" in scoring
    assert "5 cards with a two: 10 points" in scoring


def test_a_page_tells_a_special_rule_where_there_is_one():
    assert "they win at once" in page(rules(dragon=True))["Special"]
    assert "Special" not in page(rules())


def test_the_opening_play_binds_no_later_hand_where_the_winner_leads():
    assert "binds no hand" in page(rules())["The lead"]
    assert "binds no hand" not in page(rules(opening_play="any_set"))["The lead"]
    assert "binds no hand" not in page(rules(opening_scope="every_hand"))["The lead"]


@pytest.mark.parametrize(
    ("switches", "idle"),
    [
        ({}, set()),
        ({"last_card": "off"}, {"duty", "liability"}),
        ({"last_card": "forced"}, {"liability"}),
        ({"straights": []}, {"straight_tie", "straight_flush"}),
        ({"straights": [], "last_card": "off"}, {"straight_tie", "straight_flush", "duty", "liability"}),
    ],
)
def test_switches_without_effect_are_named_with_the_reason(switches, idle):
    assert set(idle_switches(rules(**switches))) == idle
    told = page(rules(**switches)).get("Without effect here", "")
    assert {line.partition(":")[0] for line in told.splitlines()} == idle


@pytest.mark.parametrize("name", PRESETS)
def test_a_rule_set_written_as_toml_reads_the_same(name):
    written = ruleset_toml(PRESETS[name])
    assert ruleset_from_mapping(tomllib.loads(written), {}) == PRESETS[name]
    assert all(f"# {switch.clause}: {switch.meaning}\n" in written for switch in SWITCHES)


@pytest.mark.parametrize(
    ("switch", "value", "words"),
    [
        ("suits", "CDHS", "low to high ♣ ♦ ♥ ♠"),
        ("straights", [], "none"),
        ("opening_card", "TC", "T♣, or the lowest dealt where nobody has it"),
        ("opening_card", "2S", "2♠, or the lowest dealt where nobody has it"),
        ("auto_pass", [], "never"),
        ("auto_pass", ["too_few_cards"], "where the holding has fewer cards than the set to beat (R6.2)"),
        ("point_tiers", [], "never"),
        ("point_tiers", [[10, 2], [13, 3]], "×2 from 10 cards on, ×3 from 13 cards on"),
    ],
)
def test_a_value_in_words(switch, value, words):
    assert BY_NAME[switch].form.words(getattr(rules(**{switch: value}), switch)) == words


def test_what_a_switch_takes_is_written_as_code():
    assert BY_NAME["twos"].form.values == "`none` · `double_each` · `add_factor`"
    assert BY_NAME["triples"].form.values == "`true` · `false`"


def test_equal_rule_sets_do_not_differ():
    assert list(differences(PRESETS["english-harbour"], PRESETS["dealer-puck"])) == []


def test_a_difference_has_both_values_and_both_meanings():
    (found,) = differences(rules(), rules(last_card="forced"))
    assert found.switch is BY_NAME["last_card"]
    assert (found.first, found.second) == ("liable", "forced")
    assert found.first_words.startswith("it is allowed")
    assert found.second_words == "it is refused"
    assert found.first_told == f'"liable", {found.first_words}'
    assert found.second_told == '"forced", it is refused'


def test_a_list_is_told_by_its_words_alone():
    (found,) = differences(rules(), rules(point_tiers=[[10, 2]]))
    assert (found.first_told, found.second_told) == ("never", "×2 from 10 cards on")


@pytest.mark.parametrize(("name", "value"), CHANGED)
def test_every_switch_that_differs_is_told_in_other_words(name, value):
    (found,) = differences(rules(), rules(**{name: value}))
    assert found.switch.name == name
    assert found.second == value == tomllib.loads(f"value = {toml_value(found.second)}")["value"]
    assert found.first_words != found.second_words


def test_every_switch_of_the_table_is_a_member_of_a_rule_set_and_the_other_way_round():
    assert (
        {switch.name for switch in SWITCHES}
        == set(ruleset_to_mapping(rules()))
        == {name for name, _ in CHANGED}
    )
