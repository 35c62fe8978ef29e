"""`history` has every hand that was ever committed, as its own stream tells it."""

from __future__ import annotations

from domain.hand_events import Settled


def test_hands_stand_as_their_streams_do(evening):
    def look(tables, world):
        shown = {row["hand_id"]: row for row in tables["hands"]}
        assert shown.keys() == world.hands.keys()
        for hand_id, row in shown.items():
            assert row == expected_hand(world, hand_id)

    evening.walk(look)


def expected_hand(world, hand_id):
    hand, stream = world.hands[hand_id], world.stream(hand_id)
    ended = next((r for r in stream if r.topic in ("hand.settled.1", "hand.voided.1")), None)
    settled = hand.settlement
    return {
        "hand_id": hand_id,
        "tournament_id": hand.tournament_id,
        "currency": hand.currency,
        "table_id": hand.table_id,
        "number": hand.number,
        "state": hand.state.value,
        "level": hand.terms.level,
        "unit": hand.terms.unit,
        "dealer": hand.terms.dealer,
        "direction": hand.terms.direction,
        "protest_seconds": hand.terms.timing.protest_seconds,
        "winner": settled.winner if settled else None,
        "liable": settled.liable if settled else None,
        "started_at": stream[0].at,
        "ended_at": ended.at if ended else None,
        "recorded": hand.recorded is not None,
        "played_at": hand.recorded.played_at if hand.recorded else None,
        "disputed": hand.dispute.keeps_open,
        "created": stream[0].position,
    }


def test_who_was_dealt_in_has_his_stack_and_once_it_is_settled_his_result(evening):
    def look(tables, world):
        shown = {(row["hand_id"], row["seat"]): row for row in tables["hand_players"]}
        for hand_id, hand in world.hands.items():
            settled = hand.settlement
            for seat in hand.terms.seats:
                assert shown.pop((hand_id, seat.seat)) == {
                    "hand_id": hand_id,
                    "seat": seat.seat,
                    "player_id": seat.player_id,
                    "stack": seat.stack,
                    "cards_left": settled.cards_left[seat.seat] if settled else None,
                    "net": settled.net[seat.seat] if settled else None,
                }
        assert not shown

    evening.walk(look)


def test_the_evening_had_hands_of_every_kind(evening):
    states = {row["state"] for row in evening.rows()("SELECT DISTINCT state FROM hands")}
    assert states == {"final", "voided"}
    assert any(r.event.liable is None for r in evening.log if isinstance(r.event, Settled))
