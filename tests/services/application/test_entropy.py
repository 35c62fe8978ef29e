"""The time for entropy on the real store: whatever comes between, each hand is dealt once, or voided."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier

import pytest

from domain.errors import Conflicting
from domain.hand import State
from domain.hand_events import EntropyDealt, EntropyGiven, Finalised, Voided
from domain.table_events import Closed
from services.projections.rebuild import compare
from tests.services.projections.house import House

SECONDS = 5
PAIR = {
    "format": "sit_and_go",
    "capacity": 2,
    "seats_per_table": 2,
    "stack_points": 8,
    "unit_levels": [1, 16],
}


@pytest.fixture(scope="module")
def machines(database_url) -> Iterator[list[House]]:
    houses = [House(database_url, seed) for seed in range(2)]
    yield houses
    for house in houses:
        house.close()


@pytest.fixture
def house(machines) -> House:
    return machines[0]


def announced(house, **terms):
    """A tournament whose first hand takes entropy, the hand, and its players by seat."""
    t = house.publish(**PAIR | {"entropy_seconds": SECONDS} | terms)
    house.enter(t, *house.enrol(2))
    house.start(t)
    while not house.running(t):
        house.work()
    [hand] = house.running(t)
    return t, hand, [s.player_id for s in house.hand(hand).terms.seats]


def due_names(house, t):
    return {job for job, _ in house.due(t)}


def test_a_hand_is_committed_to_and_dealt_when_its_time_is_over(house):
    t, hand, [one, _] = announced(house)
    house.send_entropy(hand, one, "one")
    house.work(t)
    assert house.hand(hand).opened
    house.pass_time(timedelta(seconds=SECONDS))
    house.work(t)
    assert house.hand(hand).turn_number == 1
    [dealt] = house.events(EntropyDealt, hand)
    assert list(dealt.nonces.values()) == ["one"]


def test_with_the_last_seats_nonce_it_is_due_at_once(house):
    t, hand, players = announced(house)
    for player in players:
        house.send_entropy(hand, player, "x")
    house.work(t)
    assert house.hand(hand).turn_number == 1


def test_no_hand_is_dealt_after_its_tournament_is_cancelled(house):
    t, hand, players = announced(house)
    for player in players:
        house.send_entropy(hand, player, "x")
    house.cancel(t)
    before = house.store.head()
    house.do("turn", str(hand), 0)
    assert house.store.head() == before
    house.work(t)
    assert house.hand(hand).state == "voided"
    assert house.hand(hand).opened
    assert house.agenda(t) == {}


def test_a_whole_tournament_is_played_and_the_projections_follow(house):
    t, _, _ = announced(house)
    house.play_on(t)
    assert house.tournament(t).state == "finished"
    assert house.events(EntropyGiven)
    assert compare(house.store) == []


def test_nobody_there_at_all_ends_it_too(house):
    t, _, players = announced(house)
    house.absent = set(players)
    house.play_on(t)
    assert house.tournament(t).over
    house.absent = set()


def test_a_deal_that_is_run_twice_on_each_machine_at_once_deals_once(machines, house):
    _, hand, _ = announced(house)
    house.pass_time(timedelta(seconds=SECONDS))
    everybody = Barrier(4)

    def deal(machine):
        machine.store.ahead = house.store.ahead
        everybody.wait(10)
        machine.do("turn", str(hand), 0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(deal, [*machines, *machines]))
    assert len(house.events(EntropyDealt, hand)) == 1


def test_a_nonce_and_the_deal_at_the_same_moment_are_one_before_the_other(machines, house):
    for _ in range(4):
        _, hand, [one, two] = announced(house)
        house.send_entropy(hand, one, "one")
        other = machines[1]
        house.pass_time(timedelta(seconds=SECONDS))
        everybody = Barrier(2)

        def send(house=house, hand=hand, two=two, everybody=everybody):
            everybody.wait(10)
            with suppress(Conflicting):
                house.send_entropy(hand, two, "two")

        def deal(other=other, house=house, hand=hand, everybody=everybody):
            other.store.ahead = house.store.ahead
            everybody.wait(10)
            other.do("turn", str(hand), 0)

        other.store.ahead = house.store.ahead
        with ThreadPoolExecutor(2) as pool:
            for result in (pool.submit(send), pool.submit(deal)):
                result.result(30)
        [dealt] = house.events(EntropyDealt, hand)
        assert sorted(dealt.nonces.values()) == sorted(e.nonce for e in house.events(EntropyGiven, hand))


def test_a_pause_stops_the_time_and_gives_it_back(house):
    t, hand, [one, two] = announced(house)
    house.pause(t)
    house.work(t)
    house.pass_time(timedelta(seconds=60))
    house.do("turn", str(hand), 0)
    assert house.hand(hand).opened
    house.send_entropy(hand, one, "in the pause")
    house.send_entropy(hand, two, "and the other")
    house.work(t)
    assert house.hand(hand).opened
    house.resume(t)
    house.project()
    house.work(t)
    house.project()
    house.work(t)
    assert house.hand(hand).turn_number == 1


def test_a_pause_that_the_table_has_yet_to_follow_keeps_the_deal_back_too(house):
    t, hand, _ = announced(house)
    house.pass_time(timedelta(seconds=SECONDS))
    house.pause(t)
    house.do("turn", str(hand), 0)
    assert house.hand(hand).opened


def test_a_cancellation_voids_it_and_reveals_its_seed_and_it_is_never_dealt(house):
    t, hand, _ = announced(house)
    table = house.hand(hand).table_id
    seed = house.hand(hand).seed
    house.cancel(t)
    house.project()
    house.work(t)
    assert house.hand(hand).state is State.VOIDED
    assert [e.seed for e in house.events(Finalised, hand)] == [seed]
    assert len(house.events(Voided, hand)) == len(house.events(Closed, table)) == 1
    house.pass_time(timedelta(seconds=SECONDS))
    house.do("turn", str(hand), 0)
    assert house.events(EntropyDealt, hand) == []
    assert due_names(house, t) == set()
