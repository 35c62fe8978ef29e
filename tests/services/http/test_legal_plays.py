"""Legal plays, and why cards may be played or not: for one's own seat, on its turn and off it."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from big2.cards import GLYPHS, SUITS
from services.bootstrap import presets
from tests.services.http.playing import Game


class Turn:
    """A hand that has just been dealt, its leader and another player."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.hand = game.hand(game.hand_id())
        self.path = f"/v1/hands/{self.hand['hand_id']}/legal-plays"
        self.leader = game.on_turn(self.hand)
        self.other = next(player for player in game.players.values() if player is not self.leader)
        self.held = game.hand(self.hand["hand_id"], self.leader)["you"]["cards"]

    def explained(self, query: str, reader=None) -> dict:
        return (reader or self.leader).read(f"{self.path}?{query}")["explanation"]


@pytest.fixture(scope="module")
def turn(app, operator) -> Turn:
    return Turn(Game(app, operator))


def test_nothing_is_explained_where_nothing_is_asked(turn):
    legal = turn.leader.read(turn.path)
    assert "explanation" not in legal
    assert (legal["duty"], legal["duty_reason"]) == (None, None)


def test_a_play_that_may_be_made_is_told_with_its_kind(turn):
    lowest = turn.leader.read(turn.path)["items"][0]
    told = turn.explained("cards=" + ",".join(lowest["cards"]))
    assert (told["cards"], told["kind"]) == (lowest["cards"], lowest["kind"])
    assert (told["playable"], told["breach"], told["clause"], told["code"]) == (True, False, None, None)
    assert told["reason"].endswith("may be led.")


def test_a_play_that_may_not_be_made_is_told_with_its_clause_and_the_problem_that_it_would_be(turn):
    highest = turn.held[-1]
    told = turn.explained(f"cards={highest}")
    assert (told["playable"], told["clause"], told["code"]) == (False, "R5.2", "must-include-lowest")
    refused = turn.leader.post(
        turn.path.replace("legal-plays", "plays"), {"turn": turn.hand["turn"]["number"], "cards": [highest]}
    )
    assert refused.json["type"] == f"/problems/{told['code']}"
    assert refused.json["clause"] == told["clause"]


@pytest.mark.parametrize("separator", [",", "&cards=", "%20", "+"])
def test_cards_are_named_in_one_list_or_one_by_one(turn, separator):
    assert turn.explained("cards=" + separator.join(turn.held[:2]))["cards"] == turn.held[:2]


def test_cards_are_taken_as_people_type_them(turn):
    rank, suit = turn.held[0]
    glyph = GLYPHS[SUITS.index(suit)]
    for typed in (rank.lower() + suit.lower(), rank.replace("T", "10") + suit, rank + glyph):
        assert turn.explained(f"cards={typed}")["cards"] == [turn.held[0]]


def test_a_card_twice_or_not_held_is_explained(turn):
    assert turn.explained(f"cards={turn.held[0]},{turn.held[0]}")["code"] == "duplicate-card"
    foreign = next(card for card in ("2S", "2H", "AS", "AH") if card not in turn.held)
    assert turn.explained(f"cards={foreign}")["code"] == "card-not-held"


def test_r4_1_a_pass_that_may_not_be_made_is_told_as_it_would_be_refused(turn):
    told = turn.explained("pass=true")
    assert (told["cards"], told["kind"], told["playable"], told["breach"]) == ([], None, False, False)
    refused = turn.leader.post(
        turn.path.replace("legal-plays", "passes"), {"turn": turn.hand["turn"]["number"]}
    )
    assert (told["clause"], told["code"]) == ("R4.1", "leader-cannot-pass")
    assert (refused.json["clause"], refused.json["type"]) == ("R4.1", "/problems/leader-cannot-pass")
    assert turn.explained("pass=true", turn.other)["code"] == "not-your-turn"


def test_a_pass_that_may_be_made_is_told(app, operator):
    game = Game(app, operator)
    hand_id = game.hand_id()
    game.act(hand_id)
    reader = game.on_turn(game.hand(hand_id))
    legal = reader.read(f"/v1/hands/{hand_id}/legal-plays?pass=true")
    told = legal["explanation"]
    assert legal["may_pass"]
    assert (told["cards"], told["playable"], told["code"]) == ([], True, None)
    assert told["reason"] == "It may pass."


def test_nothing_is_explained_of_a_pass_that_is_not_asked_about(turn):
    assert "explanation" not in turn.leader.read(f"{turn.path}?pass=false")
    assert turn.explained(f"pass=false&cards={turn.held[0]}")["cards"] == [turn.held[0]]


def test_off_turn_it_says_whose_turn_it_is_and_no_more(turn):
    seat = turn.hand["turn"]["seat"]
    held = turn.game.hand(turn.hand["hand_id"], turn.other)["you"]["cards"]
    for cards in (held[0], turn.held[0]):
        told = turn.explained(f"cards={cards}", turn.other)
        assert (told["clause"], told["code"]) == ("R4.1", "not-your-turn")
        assert told["reason"] == f"It is the turn of seat {seat} (R4.1)."


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("cards=", {"/query/cards"}),
        ("cards=,", {"/query/cards"}),
        ("cards=" + ",".join(["3D"] * 14), {"/query/cards"}),
        ("cards=3D,XX,4C&cards=0", {"/query/cards/1", "/query/cards/3"}),
        ("cards=3D%00", {"/query/cards"}),
        ("card=3D", {"/query/card"}),
        ("pass=1", {"/query/pass"}),
        ("cards=3D&pass=true", {"/query/pass"}),
    ],
)
def test_what_are_no_cards_is_a_problem_with_a_pointer_to_each(turn, query, pointers):
    answer = turn.leader.get(f"{turn.path}?{query}")
    assert answer.status_code == 422
    assert {error["pointer"] for error in answer.json["errors"]} == pointers


def test_it_is_told_to_no_other_seat_and_no_other_role(turn, anybody, admin, director_, auditor):
    path = f"{turn.path}?cards={turn.held[0]}"
    assert anybody.get(path).status_code == 401
    assert [reader.get(path).status_code for reader in (admin, director_, auditor)] == [403, 403, 403]


def test_after_the_end_it_says_that_the_hand_is_over(app, operator):
    game = Game(app, operator)
    hand_id = game.hand_id()
    game.play_hand(hand_id)
    player = next(iter(game.players.values()))
    legal = player.read(f"/v1/hands/{hand_id}/legal-plays?cards=3D")
    assert (legal["turn"], legal["items"], legal["may_pass"], legal["duty_reason"]) == (None, [], False, None)
    assert (legal["explanation"]["clause"], legal["explanation"]["code"]) == ("R4.4", "hand-over")


def test_the_answer_is_as_described(turn, anybody):
    spec = anybody.read("/openapi.json")
    schema = {**spec["components"]["schemas"]["LegalPlays"], "components": spec["components"]}
    Draft202012Validator(schema).validate(turn.leader.read(f"{turn.path}?cards={turn.held[0]}"))
    parameters = spec["paths"]["/v1/hands/{hand_id}/legal-plays"]["get"]["parameters"]
    asked = next(parameter for parameter in parameters if parameter.get("name") == "cards")
    assert asked["schema"] == {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 13}


def test_every_duty_is_told_as_a_sentence_where_there_is_one(app, operator):
    seen = set()
    while not seen:
        game = Game(app, operator)
        hand_id = game.hand_id()
        while (hand := game.hand(hand_id))["turn"]:
            legal = game.legal(hand)
            assert (legal["duty"] is None) == (legal["duty_reason"] is None)
            if legal["duty"]:
                seen.add(legal["duty"])
                assert legal["duty_reason"].startswith("The next player has one card left (R7.1): play ")
            game.act(hand_id)


# the schema of rule sets


def test_the_schema_of_rule_sets_is_served_and_what_is_published_refers_to_it(anybody):
    answer = anybody.get("/schemas/ruleset.json")
    assert answer.content_type == "application/schema+json"
    schema = Draft202012Validator(answer.json)
    Draft202012Validator.check_schema(answer.json)
    assert all(schema.is_valid({"base": name}) for name in presets())
    spec = anybody.read("/openapi.json")["components"]["schemas"]
    assert spec["NewRuleSet"]["properties"]["rules"]["allOf"] == [
        {"$ref": "#/components/schemas/RuleSetSwitches"}
    ]
    named = {name: value for name, value in answer.json.items() if name not in ("$schema", "$id", "title")}
    assert spec["RuleSetSwitches"] == named
