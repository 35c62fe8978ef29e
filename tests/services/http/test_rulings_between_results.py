"""Rulings on tournaments with real cards: what becomes final takes effect where no hand can be running, at once."""

from __future__ import annotations

import json

import pytest

from domain.credential import Role
from services.projections.rebuild import compare
from tests.services.http.banking import Casino
from tests.services.http.driving import CLOCK, Api, make_token
from tests.services.http.playing import until
from tests.services.http.test_disputes import REASON, WINDOW, newcomer, nothing_is_wrong, refused
from tests.services.http.test_penalties import penalty, replayed


@pytest.fixture(scope="module")
def another(app, services) -> Api:
    """Another director."""
    return Api(app, make_token(services, Role.DIRECTOR))


class Evening(Casino):
    """A freezeout for money with one table, where each plays for 13 chips; a second ruling makes a hand final."""

    def __init__(self, operator: Api, entrants: int, **terms) -> None:
        terms = {
            "stack_points": 13,
            "unit_levels": [1],
            "protest_seconds": WINDOW,
            "prizes_bp": [10_000],
        } | terms
        super().__init__(operator, entrants, **terms)
        [self.at] = [table["table_id"] for table in self.tables()]

    def result(self, *left: int) -> str:
        """A hand of those who sit there, by seat; its path."""
        return f"/v1/hands/{self.record(self.at, *left)['hand_id']}"

    def sitting(self) -> dict[int, str]:
        return {
            seat["seat"]: seat["player_id"] for seat in self.operator.read(f"/v1/tables/{self.at}")["seats"]
        }

    def rule(self, hand: str, first: Api, second: Api, **ruling) -> None:
        first.made(f"{hand}/rulings", {**ruling, **REASON})
        first.made(f"{hand}/appeals", REASON)
        second.made(f"{hand}/rulings", {**ruling, **REASON})

    def placed(self) -> list[tuple[int, str]]:
        return [(row["place"], row["player_id"]) for row in self.standings()]

    def ends_right(self, services, beside) -> None:
        with CLOCK.put_forward(seconds=WINDOW + 1):
            self.paid()
            until(beside.rests)
        assert {row["table_id"] for row in self.standings()} == {None}
        nothing_is_wrong(services)
        replayed(services, self.id)


def all_of(kind: str, *seats: int, amount: int | None = None) -> dict:
    return {"ruling": "penalty", "penalties": [penalty(seat, kind, amount) for seat in seats]}


def test_heads_up_a_disqualification_ends_it_when_it_is_final_without_another_result(
    operator, director_, another, services, beside
):
    game = Evening(operator, 2)
    hand, (first, second) = game.result(0, 4), game.sitting().values()
    ruling = all_of("disqualification", 1)
    director_.made(f"{hand}/rulings", {**ruling, **REASON})
    assert game.state()["state"] == "running"
    director_.made(f"{hand}/appeals", REASON)
    would = another.post(f"{hand}/rulings?dry_run=true", {**ruling, **REASON})
    assert "draw_seed" not in json.dumps(would.json)
    assert "tournament.finished" not in {event["type"] for event in would.json["events"]}
    another.made(f"{hand}/rulings", {**ruling, **REASON})
    assert game.state()["state"] == "finished"
    assert game.placed() == [(1, second), (2, first)]
    game.ends_right(services, beside)
    assert [game.purse(player)[0] for player in (first, second)] == [0, 2000]


def test_what_becomes_final_in_a_pause_takes_effect_when_it_is_over(
    operator, director_, another, services, beside
):
    game = Evening(operator, 2)
    hand = game.result(0, 4)
    operator.made(f"{game.path}/pause")
    game.rule(hand, director_, another, **all_of("chips", 2, amount=100))
    assert game.state()["state"] == "paused"
    operator.made(f"{game.path}/resume")
    assert game.state()["state"] == "finished"
    game.ends_right(services, beside)


def test_where_more_can_play_on_the_next_result_brings_it(operator, director_, another, services, beside):
    game = Evening(operator, 3)
    hand, gone = game.result(0, 1, 1), game.sitting()[1]
    game.rule(hand, director_, another, **all_of("disqualification", 1))
    assert gone in game.sitting().values()
    game.result(0, 1, 1)
    assert gone not in game.sitting().values()
    nothing_is_wrong(services)


@pytest.mark.parametrize("taken", [all_of("disqualification", 1, 2, 3), all_of("chips", 1, 2, 3, amount=100)])
def test_who_is_reinstated_wins_where_a_ruling_leaves_nobody_else(
    operator, director_, another, services, beside, taken
):
    game = Evening(operator, 4)
    before, player = game.result(0, 1, 1, 1), game.sitting()[4]
    hand = game.result(0, 1, 1, 12)
    assert player not in game.sitting().values()
    game.rule(before, director_, another, ruling="reinstate", seat=4, chips=13)
    game.rule(hand, director_, another, **taken)
    assert game.state()["state"] == "finished"
    assert game.placed()[0] == (1, player)
    game.ends_right(services, beside)
    assert game.purse(player)[0] == 4000


def test_where_nobody_is_left_who_had_more_at_the_last_hands_start_is_first(
    operator, director_, another, services, beside
):
    game = Evening(operator, 2)
    hand, both = game.result(0, 4), [*game.sitting().values()]
    body = {"cards_left": {"1": 3, "2": 0}, "winner": 2}
    operator.made(f"/v1/tables/{game.at}/results", body)
    game.rule(hand, director_, another, **all_of("chips", 1, 2, amount=100))
    assert game.state()["state"] == "finished"
    assert sorted(place for place, _ in game.placed()) == [1, 2]
    game.ends_right(services, beside)
    assert sorted(game.purse(player)[0] for player in both) == [0, 2000]


def test_equals_share_the_first_place_where_nobody_is_left(operator, director_, another, services, beside):
    game = Evening(operator, 2)
    game.result(0, 4)
    operator.made(f"/v1/tables/{game.at}/results", {"cards_left": {"1": 4, "2": 0}, "winner": 2})
    hand, both = game.result(0, 4), [*game.sitting().values()]
    game.rule(hand, director_, another, **all_of("chips", 1, 2, amount=100))
    assert [place for place, _ in game.placed()] == [1, 1]
    game.ends_right(services, beside)
    assert [game.purse(player)[0] for player in both] == [1000, 1000]


def test_a_penalty_another_player_and_one_who_is_back_end_right_together(
    operator, director_, another, services, beside
):
    game = Evening(operator, 4, prizes_bp=[6000, 4000])
    first = game.result(0, 1, 1, 1)
    seats = game.sitting()
    second = game.result(0, 1, 1, 12)
    third = game.result(0, 1, 1)
    new, _ = newcomer(operator)
    game.rule(first, director_, another, ruling="reinstate", seat=4, chips=9)
    game.rule(second, director_, another, ruling="replace", seat=2, player_id=new)
    game.rule(third, director_, another, **all_of("disqualification", 1))
    game.result(0, 1, 1)
    now = game.sitting()
    assert (set(now.values()) & {seats[1], seats[2]}, set(now.values())) == (set(), {new, seats[3], seats[4]})
    while game.state()["state"] == "running":
        sitting = sorted(game.sitting())
        body = {str(seat): 0 if seat == sitting[0] else 13 for seat in sitting}
        operator.made(f"/v1/tables/{game.at}/results", {"cards_left": body, "winner": sitting[0]})
    assert len(game.placed()) == 4
    assert game.placed()[-1] == (4, seats[1])
    game.ends_right(services, beside)
    assert compare(services.store) == []


def test_what_became_final_for_a_table_that_ended_meanwhile_is_no_error(
    operator, director_, another, services
):
    game = Evening(operator, 2)
    hand = game.result(0, 4)
    director_.made(f"{hand}/rulings", {**all_of("disqualification", 1), **REASON})
    game.result(0, 13)
    director_.made(f"{hand}/appeals", REASON)
    another.made(f"{hand}/rulings", {**all_of("disqualification", 1), **REASON})
    assert game.state()["state"] == "finished"
    refused(
        operator.post(f"/v1/tables/{game.at}/results", {"cards_left": {"1": 0, "2": 1}, "winner": 1}),
        409,
        "table-closed",
    )
    nothing_is_wrong(services)
