"""`rings`: ring tables in every list, book and feed as their streams say, at every moment of an evening."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import msgspec
import pytest

from big2.history import verify
from domain.hand_events import Settled
from domain.ring_events import RingHandBegun, SatOut
from services.application.histories import history
from services.audit import deal_problem, verify_log
from services.bootstrap import presets
from services.doctor.examination import Examination, Questions
from services.envelope import Command
from services.projections import rebuild
from tests.services.projections.evening import Evening
from tests.services.projections.house import staff
from tests.services.projections.ring_house import RingHouse


class RingEvening(Evening):
    """Three ring tables: one with whatever can happen, one that its operator closes during a hand, one that stays."""

    def __init__(self, house: RingHouse) -> None:
        self.house = house
        schedule = house.publish_stakes("cheap")
        self.rings = [_a_long_evening(house, schedule), _one_that_closes_in_a_hand(house, schedule)]
        house.publish_stakes("cheap")
        self.rings.append(_one_that_is_left_alone(house, schedule))
        house.project()
        self.log = house.log()


def _a_long_evening(house: RingHouse, schedule: str):
    """Newcomers, top-ups, a pause in a hand, an absent player, short stacks, a protest window, players who leave."""
    table = house.open_ring(schedule, protest_seconds=60, between_hands_seconds=2)
    a, b, c, d, e = house.rich(5, 4000)
    house.sit(table, 1, a)
    house.sit(table, 2, b)
    house.play_ring(table, lambda: house.hands_ended(table) == 1 and house.ring(table).hand_id)
    house.sit(table, 4, c, 20)
    house.wish(table, 1, buy_in=90)
    house.pause_ring(table)
    house.project()
    house.act(house.ring(table).hand_id)
    house.project()
    house.resume_ring(table)
    house.play_ring(table, lambda: house.hands_ended(table) == 3 and house.ring(table).hand_id)
    house.wish(table, 2, sitting_out=True)
    house.stand_up(table, 4) if 4 in house.ring(table).seats else None
    house.play_ring(table, lambda: 4 not in house.ring(table).seats)
    house.sit(table, 3, d, 1000)
    house.sit(table, 4, e)
    house.wish(table, 2, sitting_out=False, buy_in=200)
    house.absent = {d}
    house.play_ring(table, lambda: house.ring(table).seats[3].sitting_out)
    house.absent = set()
    house.wish(table, 3, sitting_out=False, buy_in=1100)
    before = house.hands_ended(table)
    house.play_ring(table, lambda: house.hands_ended(table) == before + 3)
    for seat in list(house.ring(table).seats):
        house.stand_up(table, seat)
    house.work()
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    house.close_ring(table)
    return table


def _one_that_closes_in_a_hand(house: RingHouse, schedule: str):
    table = house.open_ring(schedule, 10, "english-harbour")
    for seat, player in enumerate(house.rich(4, 500), 1):
        house.sit(table, seat, player, 200 + 13 * seat)
    house.play_ring(table, lambda: house.hands_ended(table) == 2 and house.ring(table).hand_id)
    house.close_ring(table)
    house.play_ring(table, lambda: house.ring(table).closed)
    return table


def _one_that_is_left_alone(house: RingHouse, schedule: str):
    """Players who lose until nobody can play, and sit there."""
    table = house.open_ring(schedule, rules="high-low")
    for seat, player in enumerate(house.rich(3, 20), 1):
        house.sit(table, seat, player, 20)
    house.play_ring(table, lambda: len(house.ring(table).playing) < 2 and not house.ring(table).hand_id)
    return table


@pytest.fixture(scope="module")
def evening(database_url) -> Iterator[RingEvening]:
    house = RingHouse(database_url)
    yield RingEvening(house)
    house.close()


def test_tables_and_seats_stand_as_their_streams_do(evening):
    def look(tables, world):
        shown = {row["table_id"]: row for row in tables["tables"]}
        terms = {row["table_id"]: row for row in tables["rings"]}
        assert shown.keys() == terms.keys() == world.rings.keys()
        seats: dict = {table: {} for table in shown}
        for row in tables["table_seats"]:
            seats[row.pop("table_id")][row.pop("seat")] = row
        for table_id, ring in world.rings.items():
            assert shown[table_id] == expected_table(world, table_id, ring)
            assert terms[table_id] == expected_terms(world, table_id, ring)
            assert seats[table_id] == {
                number: {
                    "player_id": seat.player_id,
                    "stack": seat.stack,
                    "buy_in": seat.buy_in,
                    "sitting_out": seat.sitting_out,
                    "leaving": seat.leaving,
                    "sit_out": None,
                }
                for number, seat in ring.seats.items()
            }

    evening.walk(look)


def expected_table(world, table_id, ring):
    return {
        "table_id": table_id,
        "tournament_id": None,
        "number": None,
        "state": "closed" if ring.closed else "open",
        "hand_id": ring.hand_id,
        "last_hand_id": ring.last_hand_id,
        "hands_played": ring.hands_ended,
        "dealer": ring.dealer,
        "direction": ring.direction,
        "level": 1,
        "unit": ring.terms.unit,
        "held": False,
        "freezes": 0,
        "position": world.stream(table_id)[-1].position,
    }


def expected_terms(world, table_id, ring):
    opened = world.stream(table_id)[0]
    return {
        "table_id": table_id,
        "created": opened.position,
        "terms": msgspec.to_builtins(ring.terms),
        "deal_at": ring.deal_at or opened.at,
        "paused": ring.paused,
        "closing": ring.closing,
    }


def test_at_every_moment_the_agenda_holds_what_is_due_and_nothing_else(evening):
    jobs = set()

    def look(tables, world):
        shown = {row["subject"]: (row["job"], row["args"], row["due_at"]) for row in tables["agenda"]}
        assert shown == world.due()
        jobs.update(job for job, _, _ in shown.values())

    evening.walk(look)
    assert {"ring", "turn", "finalise"} <= jobs


def test_a_table_at_which_nobody_can_play_is_not_looked_at_again_and_again(evening):
    left_alone = evening.rings[2]
    assert not evening.rows()("SELECT * FROM agenda WHERE subject = %s", f"ring/{left_alone}")
    reasons = Counter(e.reason for e in evening.house.events(SatOut))
    assert reasons["short"]
    assert reasons["absent"]
    assert reasons["asked"]


def test_at_every_moment_the_money_book_is_the_stacks_the_wallets_and_the_antes(evening):
    def look(tables, world):
        book: Counter = Counter()
        for row in tables["ledger_lines"]:
            assert (row["book"], row["currency"]) == ("money", "EUR")
            book[row["account"]] += row["amount"]
        assert sum(book.values()) == 0
        for wallet in world.wallets:
            assert book.pop(f"wallet/{wallet.player_id}") == wallet.balance >= 0
        for table_id, ring in world.rings.items():
            net = running_net(world, ring)
            for number, seat in ring.seats.items():
                assert book.pop(f"stack/{table_id}/{seat.player_id}", 0) == seat.stack + net.get(number, 0)
        begun = [r.event for r in world.of(RingHandBegun)]
        assert book.pop("rake", 0) == sum(e.ante * len(e.players) for e in begun)
        book.pop("outside", None)
        assert not +book

    evening.walk(look)


def running_net(world, ring):
    """A hand and its end at the table are one append: between the two events the book is ahead of the table."""
    hand = world.hands.get(ring.hand_id)
    return hand.settlement.net if hand and hand.settlement else {}


def test_every_hand_is_valid_and_its_deal_follows_from_its_seed(evening):
    hands = [hand for hand in evening.world.hands.values() if hand.settlement]
    assert len(hands) >= 8
    for hand in hands:
        told = history(evening.house, hand.hand_id, staff())
        assert verify(told, presets())["verdict"] == "valid"
        assert told["table_id"] in {str(ring) for ring in evening.rings}
        assert deal_problem(told) is None


def test_the_feed_has_each_event_of_a_ring_table_once_and_whom_it_concerns(evening):
    rows = evening.rows()("SELECT * FROM feed ORDER BY position")
    ours = [r for r in evening.log if r.topic.startswith(("ring.", "hand."))]
    assert [(row["position"], row["type"]) for row in rows] == [
        (r.position, r.topic.rpartition(".")[0]) for r in ours
    ]
    for row, r in zip(rows, ours, strict=True):
        data = msgspec.json.decode(row["data"])
        assert (data["tournament_id"], row["tournament_id"]) == (None, None)
        assert data["table_id"] == str(row["table_id"])
        assert "master" not in data
        player = getattr(r.event, "player_id", None)
        if isinstance(r.event, RingHandBegun):
            assert row["players"] == list(r.event.players.values())
        elif r.topic.startswith("ring."):
            assert row["players"] == ([player] if player else [])
        elif isinstance(r.event, Settled):
            assert len(row["players"]) >= 2


def test_published_stakes_are_listed(evening):
    rows = evening.rows()("SELECT name, version, currency, steps FROM stakes ORDER BY version")
    assert [(row["name"], row["version"], row["currency"]) for row in rows] == [
        ("cheap", 1, "EUR"),
        ("cheap", 2, "EUR"),
    ]
    assert rows[0]["steps"][0] == {"unit": 1, "buy_in": 20, "ante": 1}


def test_the_log_is_whole_and_the_projections_are_made_again_the_same(evening):
    verify_log(evening.house.store)
    assert list(Examination(evening.house.store, Questions()).violations()) == []
    assert rebuild.compare(evening.house.store) == []


def test_a_job_that_runs_again_and_again_changes_nothing(evening):
    head = evening.house.store.head()
    for ring in evening.rings:
        for _ in range(2):
            evening.house.do("ring", str(ring))
    evening.house.do("ring", "00000000-0000-5000-8000-000000000000")
    assert evening.house.store.head() == head
    assert isinstance(evening.house.command(), Command)
