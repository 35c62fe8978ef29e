"""R12: a rule set as a page for people. Sections of plain lines; whoever prints it chooses the dress."""

from collections.abc import Iterator
from dataclasses import dataclass

from big2.actions import PassReason
from big2.book import Kind
from big2.cards import RANKS, card_glyph
from big2.rulesets import MOST_CARDS, RuleSet
from big2.settlement import points_of
from big2.switch_forms import suit_glyphs
from big2.switch_table import BY_NAME, SWITCHES
from big2.switches import DutyRule, FlushOrder, LastCard, OpeningPlay, OpeningScope, TwosRule


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its lines."""

    title: str
    lines: tuple[str, ...]


def rule_page(rules: RuleSet) -> tuple[Section, ...]:
    """The whole rule set in words, in the order in which a hand meets its rules."""
    sections = (
        ("Cards", _cards(rules)),
        ("Card sets", _card_sets(rules)),
        ("Five cards, the weakest first", _five_cards(rules)),
        ("Straights, the weakest first", _straights(rules)),
        ("The lead", _lead(rules)),
        ("Turns and passes", _turns(rules)),
        ("The last card", _last_card(rules)),
        ("Settlement", _settlement(rules)),
        ("Special", _special(rules)),
        ("Remarks", (f"{remark}." for remark in remarks(rules))),
        ("Without effect here", _idle(rules)),
    )
    told = ((title, tuple(lines)) for title, lines in sections)
    return tuple(Section(title, lines) for title, lines in told if lines)


def idle_switches(rules: RuleSet) -> dict[str, str]:
    """The switches that decide nothing in this rule set, each with the reason."""
    tie = dict.fromkeys(("straight_tie", "straight_flush"), "there are no straights")
    idle = {} if rules.straights else tie
    if rules.last_card is LastCard.OFF:
        idle |= dict.fromkeys(("duty", "liability"), "there is no duty")
    if rules.last_card is LastCard.FORCED:
        idle["liability"] = "a breach is refused, so nobody is ever liable"
    return idle


def remarks(rules: RuleSet) -> Iterator[str]:
    """What is allowed, but may be a slip: the order of the suits was changed, and the base's opening card was not."""
    lowest = f"{RANKS[0]}{suit_glyphs(rules.suits)[0]}"
    if rules.opening_card is not None and card_glyph(rules.opening_card) != lowest:
        yield f"opening_card is {card_glyph(rules.opening_card)}, and the lowest card is {lowest} (R5.1)"


def _words(rules: RuleSet, name: str) -> str:
    return BY_NAME[name].form.words(getattr(rules, name))


def _cards(rules: RuleSet) -> Iterator[str]:
    yield f"Ranks, low to high: {' '.join(RANKS)}; T is the ten. Rank counts before suit (R1.1)."
    yield f"Suits, low to high: {suit_glyphs(rules.suits)}."
    lowest, highest = suit_glyphs(rules.suits)[0], suit_glyphs(rules.suits)[-1]
    yield f"So 3{lowest} is the lowest card and 2{highest} the highest."


def _card_sets(rules: RuleSet) -> Iterator[str]:
    names = ["One card", "a pair"]
    names += ["three of a kind"] if rules.triples else []
    names += [] if rules.quads_kicker else ["four of a kind"]
    yield f"{', '.join(names)}, and the five cards below (R3.1)."
    yield "A card set beats only card sets of as many cards (R3.2)."
    if rules.quads_beat_any:
        yield "But four of a kind also beats every card set of another number of cards."


def five_card_kinds(rules: RuleSet) -> tuple[Kind, ...]:
    """The kinds of five cards that a rule set has, the weakest first (R3.1)."""
    has = {
        Kind.STRAIGHT: bool(rules.straights),
        Kind.FLUSH: rules.flush is not FlushOrder.NOT_ALLOWED,
        Kind.FULL_HOUSE: True,
        Kind.FOUR_OF_A_KIND: rules.quads_kicker,
        Kind.STRAIGHT_FLUSH: bool(rules.straights),
    }
    return tuple(kind for kind, there in has.items() if there)


def _five_cards(rules: RuleSet) -> Iterator[str]:
    ties = {
        Kind.STRAIGHT: f"by the list below; between equal ones {_words(rules, 'straight_tie')} (R3.5, R3.6)",
        Kind.FLUSH: f"{_words(rules, 'flush')} (R3.4)",
        Kind.FULL_HOUSE: "the rank of its three (R3.3)",
        Kind.FOUR_OF_A_KIND: "four of a rank and any fifth card; the rank of the four (R3.3)",
        Kind.STRAIGHT_FLUSH: f"{_words(rules, 'straight_flush')} (R3.6)",
    }
    for place, kind in enumerate(five_card_kinds(rules), 1):
        yield f"{place}. {kind.value.replace('_', ' ').capitalize()}: {ties[kind]}."


def _straights(rules: RuleSet) -> Iterator[str]:
    yield f"{_words(rules, 'straights')}."


def _lead(rules: RuleSet) -> Iterator[str]:
    yield f"Who was dealt the opening card leads: {_words(rules, 'opening_card')} (R5.1)."
    yield f"His first play is {_words(rules, 'opening_play')} (R5.2)."
    if rules.opening_play is not OpeningPlay.ANY_SET and rules.opening_scope is OpeningScope.FIRST_HAND:
        yield "That binds no hand that the winner of the last one leads."
    yield f"At a tournament's table the opening card leads {_words(rules, 'opening_scope')} (R5.3)."


def _turns(rules: RuleSet) -> Iterator[str]:
    yield f"Direction: {_words(rules, 'direction')} (R9.2)."
    bombs = ", or is four of a kind over another number" if rules.quads_beat_any else ""
    yield f"A play has as many cards as the set to beat, and is higher{bombs}; a leader may not pass (R4.1)."
    yield f"A pass: {_words(rules, 'pass_locks_trick')} (R4.3)."
    yield f"A player passes without being asked: {_words(rules, 'auto_pass')}."
    if PassReason.TWO_OF_SPADES in rules.auto_pass:
        yield "The highest card ends a trick so alone, in a pair or in three of a kind, not among five cards."
    if rules.auto_pass and rules.quads_beat_any:
        yield f"But whoever has {4 + rules.quads_kicker} cards or more is asked: he may hold four of a kind."


def _last_card(rules: RuleSet) -> Iterator[str]:
    if rules.last_card is LastCard.OFF:
        yield "A player owes nothing when the next one has one card left (R7)."
        return
    yield f"While the next player has one card left: {_words(rules, 'duty')} (R7.2); not with two players."
    if rules.duty is DutyRule.MULTI_CARD_FIRST:
        yield "If he can play neither he may pass."
    yield f"A breach: {_words(rules, 'last_card')} (R7.3)."
    if rules.last_card is LastCard.LIABLE:
        yield f"Who is liable: {_words(rules, 'liability')} (R8.4)."


def _settlement(rules: RuleSet) -> Iterator[str]:
    yield "A card left is a point (R8.1)."
    if rules.point_tiers:
        yield f"Points are multiplied {_words(rules, 'point_tiers')}."
    yield f"Points by cards left: {points_line(rules)}."
    if rules.twos is not TwosRule.NONE:
        yield f"A two that is left: {_words(rules, 'twos')}. 5 cards with a two: {points_of(rules, 5, 1)} points."
    yield f"Who pays whom: {_words(rules, 'comparison')} (R8.1)."
    yield f"In order: {_words(rules, 'settlement_order')} (R8.2)."
    yield f"Cut to the stacks: {_words(rules, 'stake_cap')} (R8.3)."


def points_line(rules: RuleSet) -> str:
    """What each number of cards left is worth, without any two among them."""
    return ", ".join(f"{left}→{points_of(rules, left, 0)}" for left in range(1, MOST_CARDS + 1))


def _special(rules: RuleSet) -> Iterator[str]:
    if rules.dragon:
        yield f"Thirteen different ranks in one deal: {_words(rules, 'dragon')} (R12)."


def _idle(rules: RuleSet) -> Iterator[str]:
    idle = idle_switches(rules)
    for switch in SWITCHES:
        if switch.name in idle:
            yield f"{switch.name}: {idle[switch.name]}."
