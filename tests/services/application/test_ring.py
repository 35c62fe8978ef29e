"""Ring tables on the real store, from several machines at once: no money is lost, none is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import timedelta
from itertools import cycle, groupby
from threading import Barrier, Event
from time import monotonic, sleep
from uuid import uuid4

import pytest

from big2.cards import Card, cards_in
from big2.hand import options
from big2.rulesets import ruleset_from_mapping
from domain import dealing
from domain import hand as hands
from domain.errors import Rejected
from domain.hand_events import ConnectedDealt, Finalised, ProvenRingCommitted, RingCommitted, Settled
from domain.player import PLAYER, bar
from domain.ring import RING
from domain.ring_events import RingClosed, RingHandBegun, RingHandEnded, SatDown, StoodUp
from services.application import hands as hands_of
from services.application import ring_jobs, ring_tables
from services.application.ring_tables import money
from services.audit import verify_log
from services.commands import ATTEMPTS
from services.envelope import Change
from services.errors import Conflict, Unavailable
from services.projections.rebuild import compare
from tests.services.projections.house import staff
from tests.services.projections.ring_house import RingHouse

MACHINES = 3


@pytest.fixture(scope="module")
def machines(database_url) -> Iterator[list[RingHouse]]:
    """The same service on several machines: each has a store of its own."""
    houses = [RingHouse(database_url, seed) for seed in range(MACHINES)]
    yield houses
    for house in houses:
        house.close()


@pytest.fixture
def house(machines) -> RingHouse:
    return machines[0]


@pytest.fixture(scope="module")
def schedule(machines) -> str:
    return machines[0].publish_stakes("races")


@pytest.fixture(params=["with locks", "without locks"])
def locks(request, machines, monkeypatch):
    """A lock only saves work: without any the same is right."""
    if request.param == "without locks":
        for house in machines:
            monkeypatch.setattr(house.store, "lock", lambda *_, **__: nullcontext())


def together(machines, *what):
    """What each does, on a machine of its own, all at once: its answer or its refusal."""
    everybody = Barrier(len(what))

    def work(n):
        everybody.wait(10)
        try:
            return what[n](machines[n % MACHINES])
        except Rejected as rejected:
            return rejected.code
        except Unavailable:  # the table was not free in time: on a busy machine whoever is last is told so
            return "unavailable"

    with ThreadPoolExecutor(len(what)) as pool:
        return list(pool.map(work, range(len(what))))


def playing(house, schedule, players: int = 2, **terms):
    """A table with so many players, and a hand that has just been dealt; and who they are."""
    table, who = house.open_ring(schedule, **terms), house.rich(players, 500)
    for seat, player in enumerate(who, 1):
        house.sit(table, seat, player, 100)
    ring_jobs.advance(house, table)
    assert house.ring(table).hand_id
    return table, who


def nearly_over(house, table):
    """The running hand, one action before its end."""
    hand_id = house.ring(table).hand_id
    while True:
        hand = house.hand(hand_id)
        last = [o.mask for o, _ in options(hand.game) if o.mask == hand.game.holdings[hand.game.turn]]
        if last:
            return hand, last[0]
        house.act(hand_id)


def the_clock_s_to_end(house, table):
    """A running hand that the clock's next action ends: it leads a last card."""
    while True:
        if house.ring(table).hand_id is None:
            ring_jobs.advance(house, table)
        hand = house.hand(house.ring(table).hand_id)
        acted = hands.act_for_absent(hand, hand.game.turn_number, hand.deadline)
        if any(isinstance(event, Settled) for event in acted):
            return hand
        house.act(hand.hand_id)


def all_money(house, table, who) -> int:
    """What the players have, in their wallets and at the table, and what the house got of them."""
    stacks = sum(seat.stack for seat in house.ring(table).seats.values())
    begun = house.events(RingHandBegun, table)
    antes = sum(event.ante * len(event.players) for event in begun)
    purses = house.purses()
    return sum(purses[player] for player in who) + stacks + antes


@pytest.mark.usefixtures("locks")
def test_of_many_who_want_one_seat_one_gets_it(machines, house, schedule):
    table, who = house.open_ring(schedule), house.rich(6, 500)
    wanted = [lambda h, p=player: h.sit(table, 1, p, 100) for player in who]
    answers = together(machines, *wanted)
    assert answers.count(None) == 1
    assert set(answers) <= {None, "seat-taken", "conflict"}
    assert len(house.events(SatDown, table)) == 1
    assert sorted(house.purses()[player] for player in who) == [400, *[500] * 5]


@pytest.mark.usefixtures("locks")
def test_a_job_that_runs_on_every_machine_at_once_deals_one_hand(machines, house, schedule):
    table, who = house.open_ring(schedule), house.rich(2, 500)
    for seat, player in enumerate(who, 1):
        house.sit(table, seat, player, 100)
    together(machines, *[lambda h: ring_jobs.advance(h, table)] * 6)
    assert [e.number for e in house.events(RingHandBegun, table)] == [1]
    assert [seat.stack for seat in house.ring(table).seats.values()] == [99, 99]
    assert all_money(house, table, who) == 1000


@pytest.mark.usefixtures("locks")
def test_whoever_stands_up_while_the_deal_runs_is_dealt_in_or_gone_and_never_both(machines, house, schedule):
    for _ in range(4):
        table, who = house.open_ring(schedule), house.rich(3, 500)
        for seat, player in enumerate(who, 1):
            house.sit(table, seat, player, 100)
        together(machines, lambda h, t=table: ring_jobs.advance(h, t), lambda h, t=table: h.stand_up(t, 2))
        ring = house.ring(table)
        assert ring.dealt_in in ({1, 3}, {1, 2, 3})
        assert (2 in ring.dealt_in) == (2 in ring.seats and ring.seats[2].leaving)
        assert all_money(house, table, who) == 1500


@pytest.mark.usefixtures("locks")
def test_a_top_up_while_the_hand_ends_is_there_beside_what_the_hand_came_to(machines, house, schedule):
    for _ in range(4):
        table, who = playing(house, schedule)
        hand, last = nearly_over(house, table)
        _, topped = together(
            machines,
            lambda h, hand=hand, last=last: h.play(hand, cards_in(last)),
            lambda h, t=table: h.wish(t, 1, buy_in=150),
        )
        ring = house.ring(table)
        net = house.hand(hand.hand_id).settlement.net
        assert ring.hand_id is None
        assert topped is None
        assert ring.seats[1].stack == 99 + 50 + net[1]
        assert all_money(house, table, who) == 1000


@pytest.mark.usefixtures("locks")
def test_a_close_while_the_hand_ends_closes_the_table_once_and_pays_everybody(machines, house, schedule):
    for _ in range(4):
        table, who = playing(house, schedule, 3)
        hand, last = nearly_over(house, table)
        together(
            machines,
            lambda h, hand=hand, last=last: h.play(hand, cards_in(last)),
            lambda h, t=table: h.close_ring(t),
        )
        together(machines, *[lambda h, t=table: ring_jobs.advance(h, t)] * 3)
        assert house.ring(table).closed
        assert len(house.events(RingClosed, table)) == 1
        assert len(house.events(StoodUp, table)) == 3
        assert all_money(house, table, who) == 1500


@pytest.mark.usefixtures("locks")
def test_one_who_plays_at_two_tables_gets_both_stacks_though_both_close_at_once(machines, house, schedule):
    [player, *others] = house.rich(3, 500)
    tables = [house.open_ring(schedule) for _ in range(2)]
    for table, other in zip(tables, others, strict=True):
        house.sit(table, 1, player, 100)
        house.sit(table, 2, other, 100)
    together(machines, *[lambda h, t=table: h.close_ring(t) for table in tables])
    assert house.purses()[player] == 500


@pytest.mark.parametrize("by", ["a player", "the clock"])
def test_a_hand_ends_though_somebody_changes_his_seat_before_each_of_its_tries(
    machines, house, schedule, monkeypatch, by
):
    """Whoever loses may do so as often as he likes: what ends the hand is decided while the table is held."""
    table, who = playing(house, schedule)
    for seat in (1, 2):
        house.wish(table, seat, buy_in=500)
    hand, last = (the_clock_s_to_end(house, table), 0) if by == "the clock" else nearly_over(house, table)
    hands_before = house.ring(table).hands_ended
    over, tries, ended = Event(), [], hands_of.ended_at_its_table

    def overtaken(store, *more):
        change = ended(store, *more)
        tries.append(change)
        soon = monotonic() + 2
        while monotonic() < soon and store.load(RING, table).version == change.expected_version:
            sleep(0.01)
        return change

    def change_a_seat():
        for resting in cycle((True, False)):
            if over.is_set():
                return
            machines[1].wish(table, 1, sitting_out=resting)

    monkeypatch.setattr(hands_of, "ended_at_its_table", overtaken)
    with ThreadPoolExecutor(1) as pool:
        restless = pool.submit(change_a_seat)
        try:
            if by == "the clock":
                house.pass_time(timedelta(seconds=30))
                hands_of.act_for_absent(house, hand.hand_id, hand.game.turn_number)
            else:
                house.play(hand, cards_in(last))
        finally:
            over.set()
            restless.result(30)
            house.store.ahead = timedelta()
    assert len(tries) == ATTEMPTS + 1
    assert house.ring(table).hands_ended == hands_before + 1
    assert all_money(house, table, who) == 1000


@pytest.mark.parametrize("wish", [{"buy_in": 100}, {"buy_in": 200}, {"sitting_out": False}], ids=str)
def test_whoever_is_barred_while_he_brings_money_or_sits_in_does_not(house, schedule, monkeypatch, wish):
    table, [player] = house.open_ring(schedule), house.rich(1, 500)
    if wish != {"buy_in": 100}:
        house.sit(table, 1, player, 100)
        house.wish(table, 1, sitting_out=True)
    before, money_had = ring_tables.money, house.purses()[player]

    def barred_meanwhile(*args):
        monkeypatch.setattr(ring_tables, "money", before)
        stream = house.store.load(PLAYER, player)
        house.store.append(house.command(), [Change(player, 1, bar(stream.state, "rude"))], stream.read_at)
        return money(*args)

    monkeypatch.setattr(ring_tables, "money", barred_meanwhile)
    with pytest.raises(Rejected) as refused:
        house.wish(table, 1, player_id=player, **wish)
    assert refused.value.code == "player-barred"
    assert house.purses()[player] == money_had


def test_a_job_that_others_beat_each_time_leaves_the_rest_to_the_agenda(house, schedule, monkeypatch):
    table, _ = house.open_ring(schedule), None
    for seat, player in enumerate(house.rich(2, 500), 1):
        house.sit(table, seat, player, 100)
    tries = []

    def beaten(*_args, **_more):
        tries.append(1)
        raise Conflict("others were faster")

    with monkeypatch.context() as patch:
        patch.setattr(house.store, "append", beaten)
        ring_jobs.advance(house, table)
    assert len(tries) == ATTEMPTS
    assert house.due()
    ring_jobs.advance(house, table)
    assert house.ring(table).hand_id


def test_the_hand_s_first_transaction_takes_the_ante_and_then_deals(house, schedule):
    table, _ = playing(house, schedule)
    [dealt] = [r for r in house.log() if isinstance(r.event, RingHandBegun) and r.stream == table]
    first = next(r for r in house.log() if r.stream == dealt.event.hand_id)
    assert isinstance(first.event, RingCommitted)
    assert first.command == dealt.command
    assert dealt.position < first.position
    last = None
    while not last:
        house.act(dealt.event.hand_id)
        last = next(
            (r for r in house.log() if r.stream == table and isinstance(r.event, RingHandEnded)), None
        )
    settled = next(r for r in house.log() if r.stream == dealt.event.hand_id and isinstance(r.event, Settled))
    assert settled.command == last.command


def test_a_deal_that_wins_by_itself_ends_its_hand_in_the_same_transaction(house, schedule, monkeypatch):
    """R12's dragon, made by a pack that is not shuffled: seat 1 gets thirteen ranks."""
    rules = ruleset_from_mapping({"base": "actionpoker", "dragon": True}, house.rulesets.presets)
    monkeypatch.setitem(house.rulesets.presets, "dragons", rules)
    table = house.open_ring(schedule, rules="dragons")
    who = house.rich(4, 500)
    for seat, player in enumerate(who, 1):
        house.sit(table, seat, player, 100)
    monkeypatch.setattr(dealing, "shuffled_deck", lambda *_: [Card(n) for n in range(52)])
    ring_jobs.advance(house, table)
    ring = house.ring(table)
    assert (ring.hand_id, ring.hands_ended) == (None, 1)
    assert all_money(house, table, who) == 2000
    begun = next(r for r in house.log() if isinstance(r.event, RingHandBegun) and r.stream == table)
    together = [type(r.event) for r in house.log() if r.command == begun.command]
    assert together == [
        RingHandBegun,
        ProvenRingCommitted,
        ConnectedDealt,
        Settled,
        Finalised,
        RingHandEnded,
    ]
    house.project()
    booked = (
        "SELECT kind FROM projections.ledger_lines WHERE table_id = %s AND position >= %s ORDER BY position"
    )
    kinds = [row["kind"] for row in house.rows(booked, table, begun.position)]
    assert [kind for kind, _ in groupby(kinds)] == ["ante", "transfer"]


def test_a_job_of_a_table_that_is_not_there_or_a_command_of_another_kind_does_nothing(house):
    head = house.store.head()
    ring_jobs.advance(house, uuid4())
    with suppress(Rejected):
        ring_tables.stand_up(house, house.command(), staff(), (uuid4(), 1), uuid4())
    assert house.store.head() == head


def test_at_last_the_log_is_whole_and_every_projection_follows_from_it(machines, house):
    house.project()
    assert verify_log(house.store).events > 0
    assert compare(house.store) == []
