"""What a tournament drew follows from its seed and its log; whatever is tampered with is found and named.

Moves and lots are tampered with in `tests/workers/test_generate.py`, where tournaments have them for certain.
"""

from __future__ import annotations

import pytest

from domain.events import Event
from domain.table_events import Opened
from domain.tournament_events import (
    Cancelled,
    Finished,
    Placed,
    PrizesAwarded,
    SeedsCommitted,
    Started,
    TablesDrawn,
)
from services.doctor import drawn
from services.doctor.drawn import NotOverError, Verified
from services.doctor.reading import Log
from services.envelope import Recorded


def verified(world) -> Verified:
    return drawn.verify(Log(world.store), world.played.tournament)


def first(world, kind: type[Event], of=None) -> Recorded:
    return world.of(kind, lambda r: r.stream == (of or world.played.tournament))[0]


def swap_players(places: list[dict]) -> None:
    places[0]["player_id"], places[1]["player_id"] = places[1]["player_id"], places[0]["player_id"]


def test_all_that_a_tournament_drew_agrees(world):
    found = verified(world)
    assert found.wrong is None
    assert {drawing.verdict for drawing in found.drawings} == {"agrees"}
    occasions = {drawing.occasion for drawing in found.drawings}
    assert {"tables", "prizes"} < occasions
    assert any((occasion or "").startswith("final/") for occasion in occasions)
    assert sum(drawing.what.startswith("place ") for drawing in found.drawings) == 4
    assert found.seed == first(world, Finished).event.draw_seed.hex()


def test_every_tournament_that_is_over_is_found_and_none_that_runs(world):
    log = Log(world.store)
    over = set(drawn.finished_tournaments(log))
    assert over == {r.stream for r in world.of((Finished, Cancelled))} > {world.played.league}
    for t in over:
        assert drawn.verify(log, t).wrong is None
    running = {r.stream for r in world.of(Started)} - over
    for t in running:
        with pytest.raises(NotOverError, match="not revealed"):
            drawn.verify(log, t)
    with pytest.raises(NotOverError, match="there is no tournament"):
        drawn.verify(log, world.played.ring)


def test_a_swapped_seat_is_named_though_the_table_was_swapped_with_it(world):
    tables = first(world, TablesDrawn)
    table_id = tables.event.tables[0].table_id
    right = tables.event.tables[0].places[0].player_id
    world.edit(tables, lambda event: swap_players(event["tables"][0]["places"]))
    world.edit(first(world, Opened, table_id), lambda event: swap_players(event["places"]))
    found = verified(world)
    assert found.wrong is not None
    assert found.wrong.position == tables.position
    assert found.wrong.difference is not None
    assert found.wrong.difference.pointer == "/tables/0/places/0/player_id"
    assert found.wrong.difference.should == str(right)
    assert found.wrong.difference.stands == str(tables.event.tables[0].places[1].player_id)
    verdicts = [drawing.verdict for drawing in found.drawings]
    assert verdicts[:3] == ["agrees", "differs", "differs"]
    assert set(verdicts[3:]) == {"not reached"}


def test_another_button_is_named(world):
    tables = first(world, TablesDrawn)
    dealer = tables.event.tables[1].dealer
    world.edit(tables, lambda event: event["tables"][1].update(dealer=dealer % 2 + 1))
    found = verified(world)
    assert found.wrong
    assert found.wrong.difference
    assert (found.wrong.position, found.wrong.difference.pointer) == (tables.position, "/tables/1/dealer")
    assert found.wrong.difference.should == dealer


def test_another_place_is_named(world):
    placed = first(world, Placed)
    world.edit(placed, lambda event: event.update(place=placed.event.place - 1))
    found = verified(world)
    assert found.wrong
    assert found.wrong.difference
    assert found.wrong.position == placed.position
    assert found.wrong.difference.pointer == "/place"
    assert found.wrong.difference.should == placed.event.place


def test_another_prize_is_named(world):
    awarded = first(world, PrizesAwarded)
    right = awarded.event.prizes[0].amount

    def change(event: dict) -> None:
        event["prizes"][0]["amount"] -= 1
        event["prizes"][1]["amount"] += 1

    world.edit(awarded, change)
    found = verified(world)
    assert found.wrong
    assert found.wrong.difference
    assert (found.wrong.position, found.wrong.difference.pointer) == (awarded.position, "/prizes/0/amount")
    assert (found.wrong.difference.stands, found.wrong.difference.should) == (right - 1, right)


def test_another_seed_than_the_committed_one_is_named(world):
    committed = first(world, SeedsCommitted)
    world.edit(committed, lambda event: event.update(draw_seed="A" * 43 + "="))
    found = verified(world)
    assert found.wrong
    assert found.wrong.position == committed.position
    assert found.wrong.difference
    assert found.wrong.difference.pointer == "/draw_commitment"
    assert found.drawings[0].verdict == "differs"


def test_other_standings_are_named(world):
    finished = first(world, Finished)
    world.edit(finished, lambda event: event["standings"].reverse())
    found = verified(world)
    assert found.wrong
    assert found.wrong.position == finished.position


def test_a_tournament_that_cannot_be_read_is_wrong_as_a_whole(world):
    table = first(world, TablesDrawn).event.tables[0].table_id
    world.sql(
        "UPDATE big2_events SET state = '{}' WHERE originator_id = %s AND originator_version = 2", table
    )
    found = verified(world)
    assert found.wrong
    assert "cannot be read" in found.wrong.what
