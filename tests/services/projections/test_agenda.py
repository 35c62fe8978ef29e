"""`agenda` is exactly what is due, and when: no more, no less, at every moment."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta

import pytest

from domain.wallet import Credited
from services.application import tournaments

PAIR = {"format": "sit_and_go", "capacity": 2, "seats_per_table": 2}


def test_at_every_moment_it_is_what_the_streams_make_due(evening):
    jobs = set()

    def look(tables, world):
        shown = {
            row["subject"]: (row["job"], row["args"], row["due_at"], row["waits_from"])
            for row in tables["agenda"]
        }
        assert shown == world.agenda()
        jobs.update(job for job, *_ in shown.values())

    evening.walk(look)
    assert jobs == {"start", "draw", "deal", "turn", "level", "pause", "finalise", "close", "pay"}


def test_at_the_end_of_the_evening_only_the_open_tournament_is_waited_for(evening):
    [left] = evening.rows()("SELECT * FROM agenda")
    assert left["subject"] == f"start/{evening.ids['open']}"
    assert evening.rows()("SELECT * FROM agenda_tables") == []


def test_a_job_s_name_is_good_for_a_queue_and_tells_one_piece_of_work_from_the_next(evening):
    names: dict[str, set] = {}

    def look(tables, world):
        for row in tables["agenda"]:
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,100}", row["name"])
            names.setdefault(row["name"], set()).add((row["job"], str(row["args"])))

    evening.walk(look)
    assert all(len(work) == 1 for work in names.values())


def test_what_a_tournament_owes_is_paid_slice_by_slice_and_each_payment_is_made_once(house, monkeypatch):
    for where in ("services.application.payments", "services.projections.payments"):
        monkeypatch.setattr(f"{where}.SLICE", 3)
    monkeypatch.setattr("services.application.payments.BATCH", 2)
    t = house.publish(buy_in={"amount": 1000, "fee": 100, "currency": "EUR"})
    who = house.enrol(7)
    for player in who:
        house.deposit(player, 1100)
        house.enter(t, player)
    house.cancel(t)
    for number, paid in ((0, 3), (1, 6), (2, 7)):
        assert house.agenda(t) == {f"pay/{t}": f"pay-{t}-{number}"}
        for _ in range(2):
            house.do("pay", str(t), number)
        assert len(refunds(house, t)) == paid
    assert house.agenda(t) == {}
    assert {(e.player_id, e.amount) for e in refunds(house, t)} == {(p, 1100) for p in who}
    made = [r.command for r in house.log() if isinstance(r.event, Credited) and r.event in refunds(house, t)]
    assert list(Counter(made).values()) == [2, 1, 2, 1, 1], "batches of two in slices of three"


def refunds(house, t):
    journals = (event for event in house.events(Credited) if event.journal.kind == "refund")
    return [event for event in journals if event.journal.tournament_id == t]


def test_a_scheduled_start_moves_with_its_terms(house):
    first = house.store.now() + timedelta(days=1)
    t = house.publish(starts_at=first)
    assert house.agenda(t) == {f"start/{t}": f"start-{t}"}
    assert house.due_at(f"start/{t}") == first
    later = first + timedelta(hours=1)
    tournaments.change(house, house.command(), t, lambda: {"starts_at": later})
    assert house.agenda(t) == {f"start/{t}": f"start-{t}"}
    assert house.due_at(f"start/{t}") == later
    tournaments.change(house, house.command(), t, lambda: {"starts_at": None})
    assert house.agenda(t) == {}


def test_a_sit_and_go_with_a_time_starts_at_that_time_though_it_is_full(house):
    t = house.publish(
        format="sit_and_go", capacity=2, seats_per_table=2, starts_at=house.store.now() + timedelta(hours=1)
    )
    who = house.enrol(2)
    house.enter(t, *who)
    house.project()
    starts = house.due_at(f"start/{t}")
    assert starts == house.tournament(t).structure.starts_at
    house.withdraw(t, who[0])
    house.project()
    assert house.due_at(f"start/{t}") == starts
    house.work()
    assert house.tournament(t).state == "open"


def test_each_new_filling_of_a_sit_and_go_is_a_job_of_its_own(house):
    t = house.publish(**PAIR)
    a, b = house.enrol(2)
    house.enter(t, a, b)
    first = house.agenda(t)[f"start/{t}"]
    house.withdraw(t, b)
    assert house.agenda(t) == {}
    house.enter(t, b)
    assert house.agenda(t)[f"start/{t}"] not in ("", first)


def test_states_of_a_table_in_turn(house):
    t = house.started(3, seats_per_table=3, protest_seconds=30, between_hands_seconds=5)
    assert house.agenda(t) == {f"draw/{t}": f"draw-{t}"}
    house.work()
    table = house.tournament(t).table_id(1)
    assert house.agenda(t) == {f"deal/{table}": f"deal-{table}-1"}
    house.work()
    [hand] = house.running(t)
    assert house.agenda(t) == {f"turn/{hand}": f"turn-{hand}-1"}
    deadline = house.hand(hand).deadline
    assert house.due_at(f"turn/{hand}") == deadline
    house.pause(t)
    house.project()
    assert set(house.agenda(t)) == {f"turn/{hand}", f"pause/{table}"}
    house.work()
    assert house.agenda(t) == {}
    house.act(hand)  # a paused hand stays playable, without a clock
    assert house.agenda(t) == {}
    house.resume(t)
    house.project()
    assert set(house.agenda(t)) == {f"pause/{table}"}
    house.work()
    turn = house.hand(hand).game.turn_number
    assert house.agenda(t) == {f"turn/{hand}": f"turn-{hand}-{turn}"}
    house.play_out(hand)
    ended = house.agenda(t)
    assert set(ended) == {f"final/{hand}", f"deal/{table}"}
    assert ended[f"final/{hand}"] == f"final-{hand}"
    house.pass_time(timedelta(seconds=31))
    house.work()
    assert f"final/{hand}" not in house.agenda(t)
    house.cancel(t)
    assert house.agenda(t)[f"close/{table}"] == f"close-{table}"
    house.work()
    assert house.agenda(t) == {}


def test_with_no_wait_a_hand_becomes_final_at_once(house):
    t = house.started(2, **PAIR)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    house.play_out(hand)
    assert not any(subject.startswith(("turn", "final")) for subject in house.agenda(t))


@pytest.mark.parametrize("over", ["finished", "cancelled"])
def test_nothing_is_left_of_a_tournament_that_is_over(house, over):
    t = house.started(5, minutes_per_level=1, stack_points=3)
    if over == "cancelled":
        house.play_on(t, until=lambda: len(house.running(t)) == 2)
        house.cancel(t)
        assert {s.partition("/")[0] for s in house.agenda(t)} == {"turn", "close"}
        house.work()
    else:
        house.play_on(t)
    assert house.agenda(t) == {}


def test_a_table_that_closes_with_a_pause_still_to_follow_leaves_nothing(house):
    t = house.started(4, seats_per_table=3, stack_points=1)
    while len(house.running(t)) < 2:
        house.work()
    for hand in house.running(t):
        house.play_out(hand)
    tables = [table.table_id for table in house.tables(house.tournament(t))]
    house.pause(t)
    house.resume(t)
    assert house.agenda(t).keys() >= {f"pause/{table}" for table in tables}
    house.do("deal", str(t))
    assert all(house.table(table).closed for table in tables)
    assert not any(str(table) in subject for subject in house.agenda(t) for table in tables)
