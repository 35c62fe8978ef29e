"""Seats of a ring table over HTTP: whose they are, what is stored of a wish, and how many there may be."""

from __future__ import annotations

from uuid import uuid4

import pytest

from services.http.calls import EXTENSION
from services.http.limits import Limit
from tests.services.http.playing import until
from tests.services.http.recording import code, errors
from tests.services.http.ringing import RingGame, barred


@pytest.fixture
def ring(app, operator) -> RingGame:
    return RingGame(app, operator)


def test_what_was_meant_for_one_player_never_costs_or_stands_up_the_next(ring):
    before, after = ring.sit(1), ring.player()
    top_up, leave = {"player_id": before, "buy_in": 9000}, f"{ring.path}/seats/1?player_id={before}"
    assert ring.operator.delete(leave).status_code == 204
    assert code(ring.operator.delete(leave)) == (404, "not-found")
    ring.sit(1, after)
    assert code(ring.put(1, top_up)) == (409, "seat-taken")
    assert code(ring.operator.delete(leave)) == (409, "seat-taken")
    assert (ring.stacks(), ring.purse(after), ring.purse(before)) == ({1: 5000}, 95_000, 100_000)


def test_the_staff_name_whose_seat_it_is(ring):
    player = ring.sit(1)
    assert errors(ring.put(1, {"buy_in": 9000})) == {
        "/player_id": "is missing: name who sits there, for his money is meant"
    }
    assert errors(ring.operator.delete(f"{ring.path}/seats/1")) == {
        "/query/player_id": "is missing: name who stands up"
    }
    assert errors(ring.operator.delete(f"{ring.path}/seats/1?player_id=me")) == {
        "/query/player_id": "must be a UUID"
    }
    assert (ring.stacks(), ring.purse(player)) == ({1: 5000}, 95_000)
    assert code(ring.players[player].delete(f"{ring.path}/seats/1?player_id={uuid4()}")) == (403, "forbidden")
    assert ring.players[player].delete(f"{ring.path}/seats/1?player_id={player}").status_code == 204


def test_one_key_stands_up_one_player(ring):
    first, second = ring.sit(1), ring.player()
    assert ring.leave(1, key="bye").status_code == 204
    ring.sit(1, second)
    assert code(ring.leave(1, player=second, key="bye")) == (422, "idempotency-key-reuse")
    assert ring.leave(1, player=first, key="bye").headers["Idempotency-Hit"] == "true"
    assert ring.at(1) == second


def test_who_is_barred_at_the_table_brings_no_more_money_and_is_dealt_in_no_more_but_may_rest_and_leave(
    ring, services
):
    player = ring.sit(1)
    barred(services, player)
    for wish in ({"buy_in": 9000}, {"buy_in": 9000, "sitting_out": True}, {"sitting_out": False}):
        assert code(ring.put(1, wish, by=player)) == (409, "player-barred")
        assert code(ring.wish(1, wish)) == (409, "player-barred")
    assert ring.put(1, {"sitting_out": True}, by=player).status_code == 200
    assert (ring.stacks(), ring.purse(player)) == ({1: 5000}, 95_000)
    assert ring.leave(1, by=player).status_code == 204
    assert ring.purse(player) == 100_000


def test_what_changes_nothing_is_stored_only_with_a_key(ring, services):
    player, _ = ring.sit(1), ring.sit(2)
    ring.hand_id()
    wish = lambda **more: ring.put(1, {"buy_in": 5000, "sitting_out": False}, by=player, **more)  # noqa: E731
    head = services.store.head()
    told = {wish().data for _ in range(5)}
    assert (len(told), services.store.head()) == (1, head)
    assert wish(key="so").status_code == 200
    assert services.store.head() == head + 1


def test_who_stands_up_after_the_hand_does_so_once_however_often_he_asks(ring, services):
    player, _ = ring.sit(1), ring.sit(2)
    hand_id = ring.hand_id()
    head = services.store.head()
    assert {ring.leave(1, by=player).status_code for _ in range(5)} == {204}
    assert services.store.head() == head + 1
    assert ring.leave(1, by=player, key="bye").status_code == 204
    assert services.store.head() == head + 2
    ring.play_hand(hand_id)
    until(lambda: list(ring.stacks()) == [2])
    ring.sit(1, player)
    again = ring.leave(1, by=player, key="bye")
    assert (again.status_code, again.headers["Idempotency-Hit"]) == (204, "true")
    assert ring.at(1) == player, "what he asked for before is done"


def test_a_player_changes_seats_so_often_a_minute_and_the_staff_as_often_as_they_must(app, ring, monkeypatch):
    player = ring.sit(1)
    monkeypatch.setattr(app.extensions[EXTENSION].gate, "_seat_changes", Limit(3, 60, lambda: 45.0))
    first = ring.put(1, {"sitting_out": True}, by=player, key="rest")
    for _ in range(5):
        assert code(ring.put(2, {"buy_in": 5000}, by=player)) == (409, "already-seated")
        assert ring.put(1, {"sitting_out": True}, by=player).status_code == 200
        assert ring.put(1, {"sitting_out": True}, by=player, key="rest").data == first.data
    for out in (False, True):
        assert ring.put(1, {"sitting_out": out}, by=player).status_code == 200
    answer = ring.put(1, {"sitting_out": False}, by=player)
    assert (code(answer), answer.headers["Retry-After"]) == ((429, "too-many-requests"), "16")
    assert code(ring.leave(1, by=player)) == (429, "too-many-requests")
    assert ring.sit(2, buy_in=6000)
    assert ring.leave(1).status_code == 204
