"""A ring table: its terms, its pauses, its story."""

import msgspec
import pytest

from big2.rulesets import ruleset_from_mapping
from domain.errors import Conflicting
from domain.ring import RING, pause, resume, rules_problem
from domain.ring_hands import begin, ended, next_deal
from domain.ring_seats import Wish, close, stand_up, take_seat
from domain.topics import TOPICS
from tests.big2.play import PRESETS
from tests.domain.given import ALICE, BOB, MASTER, NOW, fold, refused
from tests.domain.ringed import RING_TABLE, TERMS, dealt, folded, opened, played, seated


def test_a_table_is_opened_with_terms_that_it_keeps():
    ring = folded(opened())
    assert (ring.table_id, ring.terms, ring.rules, ring.currency) == (RING_TABLE, TERMS, "actionpoker", "USD")
    assert (ring.step.unit, ring.step.buy_in, ring.step.ante) == (100, 5000, 30)
    assert ring.tournament_id is None
    assert ring.seat_of(ALICE) is None
    assert seated(5000).seat_of(ALICE) == 1


def test_the_repr_of_a_table_and_of_its_opening_tells_no_secret():
    assert repr(folded(opened())) == "<Ring>"
    assert repr(MASTER) not in repr(opened())


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_preset_has_table_stakes(preset):
    assert rules_problem(PRESETS[preset]) is None


def test_r8_3_a_rule_set_without_table_stakes_is_not_played_for_money():
    free = ruleset_from_mapping({"base": "actionpoker", "stake_cap": "none"}, PRESETS)
    assert "R8.3" in rules_problem(free)


def test_a_pause_and_its_end():
    ring = seated(5000, 5000)
    with refused(Conflicting, "not-paused"):
        resume(ring)
    paused = folded(pause(ring), ring)
    assert paused.paused
    with refused(Conflicting, "already-paused"):
        pause(paused)
    assert folded(resume(paused), paused) == ring
    closed = folded(close(paused), paused)
    for decide in (pause, resume):
        with refused(Conflicting, "table-closed"):
            decide(closed)


def test_a_paused_table_that_closes_after_its_hand_can_go_on():
    running, _ = dealt(seated(5000, 5000))
    paused = folded(pause(running), running)
    closing = folded(close(paused), paused)
    assert (closing.closing, closing.closed) == (True, False)
    assert not folded(resume(closing), closing).paused
    with refused(Conflicting, "table-closed"):
        pause(closing)


def test_an_event_of_another_kind_is_a_bug():
    foreign = dealt(seated(5000, 5000))[1].terms
    with pytest.raises(AssertionError, match="ConnectedDealt"):
        RING.evolve(folded(opened()), foreign)


def test_history_is_enough_a_table_replays_from_stored_events_at_every_prefix():
    events = list(opened())

    def decide(decision):
        events.extend(decision(folded(events)))

    decide(lambda ring: take_seat(ring, 1, Wish(ALICE, 5000)))
    decide(lambda ring: take_seat(ring, 3, Wish(BOB, 5000)))
    for _ in range(2):
        ring = folded(events)
        _, hand = dealt(ring)
        decide(lambda ring: begin(ring, next_deal(ring, PRESETS["actionpoker"])))
        decide(lambda ring: take_seat(ring, 1, Wish(ALICE, buy_in=ring.seats[1].buy_in + 2000)))
        decide(lambda ring, hand=hand: ended(played(hand), ring, NOW))
    decide(lambda ring: take_seat(ring, 1, Wish(ALICE, sitting_out=True)))
    decide(lambda ring: take_seat(ring, 1, Wish(ALICE, sitting_out=True)))
    decide(lambda ring: take_seat(ring, 1, Wish(ALICE, sitting_out=False)))
    decide(pause)
    decide(resume)
    decide(lambda ring: stand_up(ring, 3))
    decide(close)
    names = {kind: topic for topic, kind in TOPICS.items()}
    for length in range(1, len(events) + 1):
        stored = [(names[type(event)], msgspec.json.encode(event)) for event in events[:length]]
        replayed = fold(RING, (msgspec.json.decode(state, type=TOPICS[topic]) for topic, state in stored))
        assert replayed == folded(events[:length])
    assert folded(events).closed
