"""The proof of the log: whatever is changed, dropped, moved or slipped in breaks a chain, and is named."""

from __future__ import annotations

from uuid import uuid4

import msgspec
import psycopg
import pytest

from big2.cards import cards_text
from big2.rulesets import ruleset_to_mapping
from big2.table import Direction
from domain.deal import commitment, dealt, shuffled_deck
from domain.hand_events import Confirmed, HandRecorded, SeatRecorded, Timing
from domain.ids import CommandId, hand_id, table_id, tournament_id
from domain.player import Player, bar, enrol, reinstate
from domain.results import settlement_of
from services.audit import deal_problem, verify_log
from services.envelope import Change, Command, link
from services.errors import BrokenChain, WrongSettlement
from tests.domain.given import ACTIONPOKER, ALICE, BOB, NOW, TABLE, TOURNAMENT


def history(store):
    """A player with four events."""
    player = uuid4()
    free, barred = Player(player), Player(player, barred=True)
    steps = [enrol(player), bar(free, "rude"), reinstate(barred, "sorry"), bar(free, "again")]
    for version, events in enumerate(steps):
        store.append(Command(uuid4(), "test", ""), [Change(player, version, events)], store.now())
    return player


@pytest.fixture
def tampered(store, database_url):
    """Runs a statement as whoever owns the database could."""

    def run(statement, *values):
        with psycopg.connect(database_url, autocommit=True) as conn:
            assert conn.execute(statement, values).rowcount == 1

    yield run
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("DELETE FROM big2_events")


def test_an_empty_log_is_proved(store):
    proof = verify_log(store)
    assert (proof.events, proof.streams, proof.by_topic) == (0, 0, {})


def test_a_log_is_counted_and_told(store, tampered, monkeypatch):
    monkeypatch.setattr("services.audit.proving.BATCH", 3)
    history(store)
    history(store)
    told = []
    proof = verify_log(store, lambda done, everything: told.append((done, everything)))
    assert (proof.events, proof.streams) == (8, 2)
    assert proof.by_topic == {"player.enrolled.1": 2, "player.barred.1": 4, "player.reinstated.1": 2}
    assert len(told) == 3
    assert told[-1] == (store.head(), store.head())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), 'sorry', 'sorrx'), 'utf8')"
        " WHERE originator_id = %s AND originator_version = 3",
        "UPDATE big2_events SET topic = 'player.barred.1' WHERE originator_id = %s AND originator_version = 3",
        "DELETE FROM big2_events WHERE originator_id = %s AND originator_version = 3",
        "DELETE FROM big2_events WHERE originator_id = %s AND originator_version = 1",
        "UPDATE big2_events SET originator_version = 7 WHERE originator_id = %s AND originator_version = 4",
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '\"prev\":\"', '\"prev\":\"0'),"
        " 'utf8') WHERE originator_id = %s AND originator_version = 2",
    ],
)
def test_what_was_tampered_with_is_named(store, tampered, statement):
    history(store)
    player = history(store)
    verify_log(store)
    tampered(statement, player)
    with pytest.raises(BrokenChain, match=f"stream {player}: version"):
        verify_log(store)


def test_an_event_slipped_in_without_its_link_is_found(store, tampered):
    player = history(store)
    row = store.stored(player)[-1]
    tampered(
        "INSERT INTO big2_events (originator_id, originator_version, topic, state) VALUES (%s, 5, %s, %s)",
        player,
        row.topic,
        row.state,
    )
    with pytest.raises(BrokenChain, match="version 5 does not follow"):
        verify_log(store)


def test_a_log_in_another_order_is_found(store, tampered):
    player = history(store)
    first = store.stored(player)[0]
    tampered("UPDATE big2_events SET notification_id = %s WHERE notification_id = %s", 10**6, first.position)
    with pytest.raises(BrokenChain):
        verify_log(store)


def recorded_hand(store, settlement=None):
    """A recorded hand, settled by the rules or as told."""
    hand = hand_id(table_id(tournament_id(CommandId(uuid4())), 1), 1)
    told = HandRecorded(
        hand_id=hand,
        table_id=TABLE,
        tournament_id=TOURNAMENT,
        number=1,
        rules="actionpoker",
        ruleset=ruleset_to_mapping(ACTIONPOKER),
        structure_hash="",
        level=1,
        unit=1,
        dealer=1,
        direction=Direction.CLOCKWISE,
        leader=None,
        seats=(SeatRecorded(1, ALICE, None), SeatRecorded(2, BOB, None)),
        winner=1,
        cards_left={1: 0, 2: 5},
        liable=None,
        twos_left={},
        played_at=NOW,
        timing=Timing(30, 3, 0),
    )
    settled = msgspec.structs.replace(settlement_of(told), **settlement or {})
    store.append(Command(uuid4(), "test", ""), [Change(hand, 0, [told, settled, Confirmed()])], store.now())
    return hand


def test_a_recorded_hand_is_settled_again(store, tampered, monkeypatch):
    monkeypatch.setattr("services.audit.proving.BATCH", 2)
    for _ in range(3):
        recorded_hand(store)
    assert verify_log(store).by_topic == {"hand.recorded.1": 3, "hand.settled.1": 3, "hand.confirmed.1": 3}


def test_one_that_is_settled_otherwise_is_named(store, tampered):
    recorded_hand(store)
    hand = recorded_hand(store, {"net": {1: 6, 2: -6}})
    with pytest.raises(WrongSettlement, match=f"hand {hand}"):
        verify_log(store)


def test_one_whose_settlement_was_cut_off_is_named(store, tampered):
    hand = recorded_hand(store)
    tampered("DELETE FROM big2_events WHERE originator_id = %s AND originator_version = 3", hand)
    tampered("DELETE FROM big2_events WHERE originator_id = %s AND originator_version = 2", hand)
    with pytest.raises(WrongSettlement):
        verify_log(store)


def test_what_it_cannot_see_a_checkpoint_must_tell(store, tampered):
    """A cut tail leaves a whole chain: so does a chain that was made anew."""
    player = history(store)
    head = link(*store.stored(player)[-1][:4])
    tampered("DELETE FROM big2_events WHERE originator_id = %s AND originator_version = 4", player)
    assert verify_log(store).events == 3
    assert link(*store.stored(player)[-1][:4]) != head


# a hand's deal


def hand_history() -> dict:
    """A hand of three, dealt by its seed."""
    names, order = ("t-1", "h-1"), (2, 3, 1)
    seed = bytes(range(32))
    holdings, _ = dealt(shuffled_deck(seed, *names), order)
    return {
        "tournament_id": names[0],
        "hand_id": names[1],
        "dealer": 1,
        "direction": "clockwise",
        "seats": [{"seat": seat} for seat in (1, 2, 3)],
        "deal": {str(seat): cards_text(cards) for seat, cards in holdings.items()},
        "shuffle": {"seed": seed.hex(), "commitment": commitment(seed, *names)},
    }


def test_of_a_recorded_hand_there_is_no_deal_to_prove():
    assert deal_problem({"recorded": True}) is None


def test_a_deal_follows_from_its_seed():
    assert deal_problem(hand_history()) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dealer": 2}, "the seed deals other cards"),
        ({"shuffle": {"commitment": "00"}}, "the seed is not revealed yet"),
        ({"direction": "counterclockwise"}, "the seed deals other cards"),
        ({"hand_id": "h-2"}, "the revealed seed is not the one that was committed to"),
    ],
)
def test_a_deal_that_does_not_is_told(change, told):
    assert deal_problem(hand_history() | change) == told
