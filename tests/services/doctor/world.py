"""A tournament for money, an evening at a ring table, a league of real cards, and a hand that still runs, as ruled."""

from __future__ import annotations

from typing import NamedTuple

from domain.ids import HandId, PlayerId, TableId, TournamentId
from domain.rulings import Ruling
from tests.services.projections.evening import BUY_IN
from tests.services.projections.ring_house import RingHouse


class Played(NamedTuple):
    """The database, and what was played in it; `absent` never acts himself."""

    database: str
    url: str
    tournament: TournamentId
    absent: PlayerId
    league: TournamentId
    ring: TableId
    running: HandId


def play(database: str, url: str) -> Played:
    house = RingHouse(url, seed=3)
    tournament, absent = _for_money(house)
    _with_entropy(house)
    found = Played(database, url, tournament, absent, _a_league(house), a_ring(house), _a_running_hand(house))
    house.project()
    house.close()
    return found


def _for_money(house: RingHouse) -> tuple[TournamentId, PlayerId]:
    """Five at two tables, one of whom the clock plays for; a pause within a hand, a final table, prizes."""
    levels = {"stack_points": 12, "unit_levels": [1, 4, 12, 30], "hands_per_level": 1, "no_show_hands": 0}
    t = house.publish(buy_in=BUY_IN, guarantee=6000, seats_per_table=3, **levels)
    who = house.rich(5, 2000)
    house.deposit(who[4], 500)
    house.enter(t, *who)
    house.withdraw(t, who[4])
    house.enter(t, who[4])
    house.start(t)
    house.absent = {who[0]}
    house.play_on(t, until=lambda: len(house.running(t)) == 2)
    house.pause(t)
    house.work()
    house.resume(t)
    house.play_on(t)
    while house.work():
        pass
    house.absent = set()
    return t, who[0]


def _with_entropy(house: RingHouse) -> None:
    """Two who send entropy before each hand."""
    house.play_on(house.started(2, seats_per_table=3, stack_points=3, entropy_seconds=5))


def _a_league(house: RingHouse) -> TournamentId:
    t = house.publish(format="league", recorded=True, stack_points=0)
    who = house.enrol(3)
    house.enter(t, *who)
    house.start(t)
    table = house.open_table(t, *who)
    house.record(table, 0, 5, 2)
    house.record(table, 3, 0, 1)
    house.finish(t)
    return t


def a_ring(house: RingHouse) -> TableId:
    """Two sit down, one tops up; three hands, and both stand up, one of them as he asked to twice in the third."""
    table = house.open_ring(house.publish_stakes("cheap"))
    for seat, player in enumerate(house.rich(2, 400), 1):
        house.sit(table, seat, player, 60)
    house.play_ring(table, lambda: house.hands_ended(table) == 1 and house.ring(table).hand_id)
    house.wish(table, 1, buy_in=90)
    house.play_ring(table, lambda: house.hands_ended(table) == 2 and house.ring(table).hand_id)
    for _ in range(2):
        house.stand_up(table, 2)
    house.play_ring(table, lambda: house.hands_ended(table) == 3)
    house.close_ring(table)
    return table


def _a_running_hand(house: RingHouse) -> HandId:
    t = house.started(3, seats_per_table=3)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    for _ in range(4):
        house.act(hand)
    house.take_back(hand, 2)
    house.act(hand)
    house.rule(hand, Ruling("time", "the line was down", seconds=45))
    return hand
