"""Ring tables over HTTP: opened, taken, played for money, left."""

from __future__ import annotations

import pytest

from tests.services.http.ringing import RingGame


@pytest.fixture
def ring(app, operator) -> RingGame:
    return RingGame(app, operator)


def test_two_sit_down_a_hand_is_dealt_played_and_settled_and_they_stand_up(ring, services):
    first, second = ring.sit(1), ring.sit(3)
    hand_id = ring.hand_id()
    hand = ring.hand(hand_id)
    assert (hand["tournament_id"], hand["currency"], hand["unit"]) == (None, "USD", 100)
    assert [s["stack"] for s in hand["seats"]] == [4970, 4970]  # R10.1: the ante is paid, R8.3
    net = ring.play_hand(hand_id)["settlement"]["net"]
    ring.operator.made(f"{ring.path}/pause")
    assert sum(net.values()) == 0
    assert first in ring.players
    assert second in ring.players
