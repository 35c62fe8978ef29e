"""A bundle told to people: a player's way through the tournament, a hand, and each decision with its time."""

from __future__ import annotations

from uuid import uuid4

import pytest
from click.testing import CliRunner

from domain.hand_events import CardsPlayed, Passed, Settled
from domain.tournament_events import PlayerMoved, TableBroken, TablesDrawn
from services.audit import bundling, story
from services.audit.opened import recorded, streams
from tests.services.audit.bundles import opened
from tests.services.projections.house import staff
from workers.cli import main


@pytest.fixture(scope="module")
def members(house):
    return opened(bundling.of_tournament(house, house.over, staff()))


@pytest.fixture(scope="module")
def file(house, tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "t.zip"
    path.write_bytes(bundling.of_tournament(house, house.over, staff()))
    return str(path)


def told(lines):
    return [line.told for line in lines]


def test_everybody_has_a_seat_hands_and_an_end(members):
    players = story.players(members)
    assert len(players) == 12
    for player, hands in players.items():
        lines = told(story.of_player(members, player))
        assert lines[0].startswith("seat ")
        assert sum(" is number " in line for line in lines) == hands
        assert lines[-1].startswith("ends at place ")


def test_a_move_is_told_with_its_reason(members):
    own = list(recorded(members, "tournament"))
    moves = [r for r in own if isinstance(r.event, PlayerMoved)]
    assert moves
    for move in moves:
        broken = {
            r.event.number for r in own if isinstance(r.event, TableBroken) and r.command == move.command
        }
        [line] = [
            line for line in story.of_player(members, move.event.player_id) if line.position == move.position
        ]
        event = move.event
        assert (
            f"from table {event.from_table}, seat {event.from_seat}, to table {event.to_table}" in line.told
        )
        why = "is broken" if event.from_table in broken else "had two players more"
        assert why in line.told
        assert line.told.endswith(f"by the draw {event.draw}")


def test_the_final_table_is_told_to_whoever_sits_there(members):
    [final] = [
        r for r in recorded(members, "tournament") if isinstance(r.event, TablesDrawn) and r.event.final
    ]
    [table] = final.event.tables
    for place in table.places:
        lines = story.of_player(members, place.player_id)
        [line] = [line.told for line in lines if line.position == final.position]
        assert (
            line
            == f"the final table, drawn anew: seat {place.seat} of table {table.number}, by the draw {final.event.draw}"
        )


def test_a_hand_is_told_action_by_action_and_who_pays_whom(members):
    hand, events = next(iter(streams(members, "hand").items()))
    lines = told(story.of_hand(members, hand))
    actions = [r.event for r in events if isinstance(r.event, CardsPlayed | Passed)]
    assert sum("legal plays: " in line or "passes by itself" in line for line in lines) == len(actions)
    in_time = [line for line in lines if " before the deadline " in line]
    assert len(in_time) == sum(event.turn is not None for event in actions)
    [settled] = [r.event for r in events if isinstance(r.event, Settled)]
    paid = [line for line in lines if " pays seat " in line]
    assert len(paid) == len(settled.transfers)
    for line, transfer in zip(paid, settled.transfers, strict=True):
        assert f"seat {transfer.payer} pays seat {transfer.receiver} {transfer.paid} chips" in line


def test_a_hand_that_is_not_there_has_no_lines(members):
    assert story.of_hand(members, uuid4()) == []


def test_the_command_tells_what_it_is_asked(members, file, tmp_path):
    def run(*arguments):
        done = CliRunner().invoke(main, ["audit", "story", *map(str, arguments)])
        return done.exit_code, done.output.splitlines()

    player = next(iter(story.players(members)))
    hand = next(iter(streams(members, "hand")))
    assert len(run(file)[1]) == 12
    assert len(run(file, "--player", player)[1]) == len(story.of_player(members, player))
    assert len(run(file, "--hand", hand)[1]) == len(story.of_hand(members, hand))
    assert run(file, "--hand", uuid4())[0] == 1
    assert run(file, "--hand", hand, "--player", player)[0] == 2
    assert run(tmp_path / "none.zip") == (2, [f"Error: {tmp_path / 'none.zip'}: No such file or directory"])
    (tmp_path / "no.zip").write_bytes(b"no zip")
    code, [line] = run(tmp_path / "no.zip")
    assert (code, "is no zip file" in line) == (2, True)
