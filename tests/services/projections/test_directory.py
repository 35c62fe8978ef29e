"""`directory` says at every moment what the streams say: players, rule sets, tournaments, entries, tables, seats."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from domain.player import Enrolled
from domain.roster import ReEntered, Registered, RosterClosed
from domain.ruleset import RuleSetPublished
from domain.tournament import Started


def test_players_are_all_who_enrolled(evening):
    def look(tables, world):
        shown = sorted(tables["players"], key=lambda row: row["created"])
        assert [tuple(row.values()) for row in shown] == [
            (r.stream, world.players[r.stream].barred, r.at, r.position) for r in world.of(Enrolled)
        ]

    evening.walk(look)
    assert sum(row["barred"] for row in evening.rows()("SELECT barred FROM players")) == 1


def test_rule_sets_are_all_versions_published(evening):
    def look(tables, world):
        assert [tuple(row.values()) for row in tables["rulesets"]] == [
            (r.event.name, 1, r.event.ruleset, r.event.digest, r.at, r.position)
            for r in world.of(RuleSetPublished)
        ]

    evening.walk(look)


def test_tournaments_stand_as_their_streams_do(evening):
    def look(tables, world):
        shown = {row["tournament_id"]: row for row in tables["tournaments"]}
        assert shown.keys() == world.tournaments.keys()
        for t, row in shown.items():
            assert row == expected_tournament(world, t)

    evening.walk(look)


def expected_tournament(world, t):
    state, stream = world.tournaments[t], world.stream(t)
    entered = [r for r in world.of(Registered) if r.event.tournament_id == t]
    mine = [r for r in world.log if world.tournament_of(r) == t and r.topic.startswith(("tour", "roster"))]
    newest = max(r.position for r in mine if not isinstance(r.event, RosterClosed))
    entrants, again = len(world.roster(t).entries), len(world.roster(t).re_entries)
    assert state.structure.for_points or state.entrant_count in (0, entrants)
    assert state.re_entries == again
    assert len(entered) >= entrants
    return {
        "tournament_id": t,
        "created": stream[0].position,
        "position": newest,
        "state": state.state.value,
        "structure": as_json(state.structure),
        "structure_hash": state.structure_hash,
        "draw_commitment": state.draw_commitment,
        "draw_seed": state.draw_seed.hex() if state.over else None,
        "entrants": entrants,
        "entries": entrants + again,
        "players_left": entrants - len(state.outs),
        "level": state.level,
        "unit": state.unit,
        "pauses": len(state.pauses),
        "prizes": as_json(state.prizes),
        "created_at": stream[0].at,
        "started_at": next((r.at for r in stream if isinstance(r.event, Started)), None),
        "ended_at": stream[-1].at if state.over else None,
    }


def test_entries_are_the_roster_in_the_order_of_registration(evening):
    def look(tables, world):
        for t in world.tournaments:
            mine = [row for row in tables["entries"] if row["tournament_id"] == t]
            shown = sorted(mine, key=lambda row: row["position"])
            roster = world.roster(t)
            assert sorted(row["player_id"] for row in shown) == sorted(roster.paid)
            mine = [r for r in world.of(Registered, ReEntered) if r.event.tournament_id == t]
            entered = {r.event.entry_id: r for r in mine}
            assert len({row["entry_id"] for row in shown}) == len(shown)
            for row in shown:
                r = entered[row["entry_id"]]
                assert (row["state"], row["entered_at"], row["position"]) == ("registered", r.at, r.position)

    evening.walk(look)


def test_tables_and_their_seats_stand_as_their_streams_do(evening):
    def look(tables, world):
        shown = {row["table_id"]: row for row in tables["tables"]}
        assert shown.keys() == world.tables.keys()
        for table_id, row in shown.items():
            assert row == expected_table(world, table_id)
        seats: dict[UUID, dict[int, tuple[UUID, int]]] = {table_id: {} for table_id in shown}
        for row in tables["table_seats"]:
            seats[row["table_id"]][row["seat"]] = (row["player_id"], row["stack"])
        for table_id, table in world.tables.items():
            assert seats[table_id] == {
                s: (taken.player_id, None if table.points else taken.stack)
                for s, taken in table.seats.items()
            }

    evening.walk(look)


def expected_table(world, table_id):
    table, stream = world.tables[table_id], world.stream(table_id)
    before = [r for r in world.stream(table.tournament_id) if r.position < stream[0].position]
    raised = [r.event for r in before if r.topic == "tournament.level_raised.1"]
    first = (1, world.tournaments[table.tournament_id].structure.unit)
    when_opened = (raised[-1].level, raised[-1].unit) if raised else first
    level, unit = (table.level, table.unit) if table.hands_begun else when_opened
    return {
        "table_id": table_id,
        "tournament_id": table.tournament_id,
        "number": table.number,
        "state": "closed" if table.closed else "open",
        "hand_id": table.hand_id,
        "last_hand_id": table.last_hand_id,
        "hands_played": table.hands_ended,
        "dealer": table.dealer,
        "direction": table.direction,
        "level": level,
        "unit": unit,
        "held": table.number in world.tournaments[table.tournament_id].held and not table.closed,
        "freezes": len(table.frozen),
        "position": stream[-1].position,
    }


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
