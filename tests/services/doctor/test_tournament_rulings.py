"""I6 of rulings that do something to their tournament: who is reinstated, who takes over, what came too late."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from domain.dispute_events import PlayerRuled
from domain.hand import State
from domain.ids import HandId, TournamentId
from domain.roster import Substituted
from domain.rulings import Ruling
from domain.table_events import SeatTakenOver
from domain.tournament_events import (
    Cancelled,
    MoneyPrizesAwarded,
    PlayerReinstated,
    PlayerReplaced,
    ReinstatedSeated,
    ReplacementOrdered,
    RulingLapsed,
)
from tests.databases import copy_of
from tests.services.doctor.world import Played
from tests.services.projections.evening import BUY_IN
from tests.services.projections.house import House

SOMEBODY = "00000000-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def played(postgres_url: str, _migrated: str) -> Iterator[Played]:
    with copy_of(postgres_url, _migrated) as made:
        yield play(*made)


def play(database: str, url: str) -> Played:
    """Of five one is out and back, and for one another plays on; others are cancelled."""
    house = House(url, seed=5)
    t = house.started(5, seats_per_table=3, stack_points=12, protest_seconds=60)
    house.play_on(t, until=lambda: house.tournament(t).outs and len(settled(house, t)) > 1)
    gone = house.tournament(t).outs[0]
    assert gone.hand_id is not None
    seat = house.hand(gone.hand_id).seat_of(gone.player_id)
    house.rule(gone.hand_id, Ruling("reinstate", "so", seat=seat, chips=12))
    other = next(h for h in settled(house, t) if h != gone.hand_id)
    out = [each.player_id for each in house.tournament(t).outs]
    there = next(s.seat for s in house.hand(other).terms.seats if s.player_id not in out)
    house.rule(other, Ruling("replace", "so", seat=there, player_id=house.enrol(1)[0]))
    house.pass_time(timedelta(seconds=61))
    house.play_on(t)
    cancelled = house.started(3, seats_per_table=3, protest_seconds=60)
    house.play_on(cancelled, until=lambda: len(settled(house, cancelled)) > 1)
    for hand in (*settled(house, cancelled)[:2], _in_a_league(house)):
        house.rule(hand, Ruling("cancel", "so"))
    _in_the_money(house)
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    house.project()
    house.close()
    nobody = gone.player_id
    return Played(database, url, t, nobody, cancelled, other, gone.hand_id)  # type: ignore[arg-type]


def _in_the_money(house: House) -> None:
    """Cancelled at two tables of two, while hands run, with a prize for each."""
    t = house.publish(
        buy_in=BUY_IN,
        stack_points=12,
        seats_per_table=3,
        prizes_bp=[4000, 3000, 2000, 1000],
        protest_seconds=60,
    )
    house.enter(t, *house.rich(5, 2000))
    house.start(t)
    house.play_on(t, until=lambda: house.tournament(t).players_left <= 4 and house.running(t))
    house.cancel(t)


def _in_a_league(house: House) -> HandId:
    t = house.publish(format="league", recorded=True, stack_points=0, protest_seconds=60)
    who = house.enrol(2)
    house.enter(t, *who)
    house.start(t)
    return house.record(house.open_table(t, *who), 0, 5)


def settled(house: House, t: TournamentId) -> list[HandId]:
    """Its hands that are not final yet."""
    rows = house.rows("SELECT hand_id FROM projections.hands WHERE tournament_id = %s", t)
    found = [HandId(UUID(str(row["hand_id"]))) for row in rows]
    return [hand for hand in found if house.hand(hand).state is State.SETTLED]


def test_as_it_was_ruled_nothing_is_wrong(world):
    assert world.examined() == []
    for kind in (PlayerReinstated, ReinstatedSeated, ReplacementOrdered, PlayerReplaced, RulingLapsed):
        assert len(world.of(kind)) == 1
    assert len(world.of(Cancelled)) == 3
    [*_, awarded] = world.of(MoneyPrizesAwarded)
    assert world.of(Cancelled, lambda r: r.command == awarded.command)
    assert sum(prize.amount for prize in awarded.event.prizes) == awarded.event.pool


def test_i6_shares_of_a_cancelled_tournament_that_are_not_by_chips(world):
    [*_, r] = world.of(MoneyPrizesAwarded)

    def swap(e):
        one, other = e["prizes"][:2]
        one["amount"], other["amount"] = one["amount"] + 1, other["amount"] - 1

    world.edit(r, swap)
    assert world.examined(("I6",))[0].position == r.position


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (PlayerReinstated, {"chips": 13}),
        (PlayerReinstated, {"number": 2}),
        (PlayerReinstated, {"player_id": SOMEBODY}),
        (ReplacementOrdered, {"substitute_id": SOMEBODY}),
        (ReplacementOrdered, {"hand_id": SOMEBODY}),
        (RulingLapsed, {"ruling": "reinstate"}),
        (Cancelled, {"reason": "another"}),
    ],
    ids=str,
)
def test_i6_what_does_not_follow_from_the_ruling(world, kind, change):
    [*_, r] = world.of(kind)
    world.edit(r, lambda e: e.update(change))
    assert world.examined(("I6",))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (ReinstatedSeated, {"from_void": 1}),
        (PlayerReplaced, {"chips": 1}),
        (PlayerReplaced, {"substitute_id": SOMEBODY}),
        (SeatTakenOver, {"player_id": SOMEBODY}),
    ],
    ids=str,
)
def test_i6_what_the_director_does_not_make_of_it(world, kind, change):
    [r] = world.of(kind)
    world.edit(r, lambda e: e.update(change))
    assert world.examined(("I6",))[0].position == r.position


def test_i6_another_ruling_than_the_one_that_was_followed(world):
    [r] = world.of(PlayerRuled)
    world.edit(r, lambda e: e.update(chips=11))
    [back] = world.of(PlayerReinstated)
    [found] = world.examined(("I6",))
    assert (found.position, found.what) == (
        back.position,
        f"does not follow from the rulings on hand {r.stream}",
    )


def test_i6_a_roster_that_knows_nothing_of_who_took_over(world):
    [r] = world.of(Substituted)
    world.edit(r, lambda e: e.update(substitute_id=SOMEBODY))
    assert world.examined(("I6",))
