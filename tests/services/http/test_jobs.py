"""What the clock does with the same services: starts, acts, finalises; and what it leaves alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from domain.ids import CommandId
from domain.player import PLAYER, bar
from services.application import hands, tournaments
from services.commands import Decision, execute, on
from services.envelope import Command
from tests.services.http.driving import CLOCK
from tests.services.http.playing import Game, until


def in_an_hour() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).isoformat()


def test_a_tournament_starts_at_its_time(app, operator):
    game = Game(app, operator, format="freezeout", entrants=0, starts_at=in_an_hour())
    for _ in range(3):
        game.enter(app)
    assert game.state() == "open"
    with CLOCK.put_forward(minutes=61):
        until(lambda: game.state() == "running")
    assert game.anybody.read(game.path)["entrants"] == 3


def test_with_too_few_entrants_it_is_cancelled_and_the_feed_says_why(app, operator):
    game = Game(app, operator, format="freezeout", entrants=1, starts_at=in_an_hour())
    with CLOCK.put_forward(minutes=61):
        until(lambda: game.state() == "cancelled")
    read = game.anybody.read(game.path)
    assert (read["entrants"], bool(read["draw_seed"])) == (1, True)
    refused = operator.post(f"{game.path}/start")
    assert refused.json["type"] == "/problems/tournament-over"


def test_a_start_before_its_time_or_twice_does_nothing(app, operator, services):
    game = Game(app, operator, format="freezeout", entrants=2, starts_at=in_an_hour())
    head = services.store.head()
    tournaments.start_when_due(services, UUID(game.id))
    tournaments.start_when_due(services, uuid4())
    assert services.store.head() == head
    operator.made(f"{game.path}/start")
    tournaments.start_when_due(services, UUID(game.id))
    assert game.state() == "running"


def test_a_hand_is_final_once_nobody_may_protest_any_more(app, operator, services):
    game = Game(app, operator, protest_seconds=3600, between_hands_seconds=7200)
    hand_id = game.hand_id()
    assert game.play_hand(hand_id)["state"] == "settled"
    hands.finalise(services, UUID(hand_id))
    assert game.hand(hand_id)["state"] == "settled"
    with CLOCK.put_forward(minutes=61):
        until(lambda: game.hand(hand_id)["state"] == "final")
    assert "seed" in operator.read(f"/v1/hands/{hand_id}/history")["shuffle"]
    assert game.anybody.read(f"{game.path}/hands")["items"][0]["state"] == "final"


@pytest.mark.parametrize("turn", [1, 2, 99])
def test_the_clock_leaves_a_turn_alone_that_is_not_late(turn, app, operator, services):
    game = Game(app, operator)
    hand_id = game.hand_id()
    hands.act_for_absent(services, UUID(hand_id), turn)
    hands.act_for_absent(services, uuid4(), turn)
    assert game.hand(hand_id)["actions"] == []


def test_a_barred_player_does_not_enter(app, operator, services):
    game = Game(app, operator, format="freezeout", entrants=1, capacity=9)
    player = operator.made("/v1/players", {"name": "Barred"})["player_id"]
    command = Command(CommandId(uuid4()), "tests", "")
    decide = lambda stream, _: Decision([on(stream, *bar(stream.state, "cheats"))])  # noqa: E731
    execute(services.store, command, (PLAYER, UUID(player)), decide)
    refused = operator.post(f"{game.path}/entries", {"player_id": player})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/player-barred")
    unknown = operator.post(f"{game.path}/entries", {"player_id": str(uuid4())})
    assert unknown.json["errors"] == [{"pointer": "/player_id", "detail": "is no player"}]


def test_an_erased_name_is_shown_as_such(app, operator, services, anybody):
    from services import people  # noqa: PLC0415

    player = operator.made("/v1/players", {"name": "Forget Me"})["player_id"]
    people.erase(services.store.database, UUID(player))
    assert anybody.read(f"/v1/players/{player}")["name"] == "(erased)"
    assert operator.post("/v1/players", {"name": "Forget Me"}).status_code == 201


def test_prizes_are_promised_while_it_runs(app, operator):
    game = Game(app, operator)
    game.hand_id()
    assert [p["amount"] for p in game.anybody.read(f"{game.path}/prizes")["items"]] == [6500, 3500]
    own = Game(app, operator, prizes_bp=[9000, 1000])
    own.hand_id()
    assert [p["amount"] for p in own.anybody.read(f"{own.path}/prizes")["items"]] == [9000, 1000]


def test_a_table_before_its_first_hand_has_the_tournaments_level(app, operator, services):
    game = Game(app, operator, unit=3)
    hand = game.hand(game.hand_id())
    table = game.anybody.read(f"/v1/tables/{hand['table_id']}")
    assert (table["level"], table["unit"], table["hand_id"]) == (1, 3, hand["hand_id"])
    assert {s["stack"] for s in table["seats"]} == {150}
