"""Lines of play that bring a dealt hand to an end that a test wants: found by trying, and played over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from uuid import UUID

from big2 import hand as rules_of_play
from big2.cards import cards_in, cards_text
from domain.hand import HAND
from services.bootstrap import Services
from tests.services.http.ringing import RingGame

TRIES = 20_000
"""So many random lines are tried; a hundred are mostly enough."""
Line = list[tuple[int, int, int | None]]
"""Seat, turn and cards (none for a pass) of each action."""


def play_to(
    services: Services, ring: RingGame, hand_id: str, left: Mapping[int, int], liable: int | None = None
) -> dict:
    """Play a hand that has just been dealt so that these cards are left by seat; how it then reads."""
    line = line_to(services.store.load(HAND, UUID(hand_id)).state.game, left, liable)
    assert line, f"no line to {left} in {TRIES} tries"
    return play_line(ring, hand_id, line)


def play_line(ring: RingGame, hand_id: str, line: Line) -> dict:
    """Play a hand along a line; how it then reads."""
    players = {s["seat"]: s["player_id"] for s in ring.hand(hand_id)["seats"]}
    for seat, turn, mask in line:
        player, path = ring.players[players[seat]], f"/v1/hands/{hand_id}"
        if mask is None:
            player.made(f"{path}/passes", {"turn": turn})
        else:
            cards = cards_text(cards_in(mask)).split()
            player.made(f"{path}/plays", {"turn": turn, "cards": cards})
    return ring.hand(hand_id)


def line_to(game, left: Mapping[int, int], liable: int | None = None, tries: int = TRIES) -> Line | None:
    """A line that brings the hand to this end, if so many tries find one."""
    random = Random(1)
    for _ in range(tries):
        hand, line = game, []
        while hand.turn is not None and (step := _step(hand, left, liable, random)):
            line.append((hand.turn, hand.turn_number, step[0]))
            hand = _after(hand, step[0])
        if hand.turn is None and hand.liable == liable and all(_held(hand, s) == n for s, n in left.items()):
            return line
    return None


def _step(hand, left: Mapping[int, int], liable: int | None, random: Random) -> tuple[int | None] | None:
    """What the seat to act does, if it can go on: never fewer cards than it shall have, and a breach where wanted."""
    room = _held(hand, hand.turn) - left[hand.turn]
    plays = [(o.mask, breach) for o, breach in rules_of_play.options(hand) if o.mask.bit_count() <= room]
    may_pass = rules_of_play.may_pass(hand)
    if hand.turn == liable and any(_held(hand, seat) == 1 for seat, n in left.items() if n == 0):
        plays = [(mask, breach) for mask, breach in plays if breach]
    if plays and not (may_pass and random.random() < (0.1 if room > 4 else 0.5)):
        return (random.choice(plays)[0],)
    return (None,) if may_pass else None


def _after(hand, mask: int | None):
    seat = hand.turn
    did = (
        rules_of_play.pass_turn(hand, seat)
        if mask is None
        else rules_of_play.play(hand, seat, cards_in(mask))
    )
    for action in did:
        hand = rules_of_play.apply(hand, action)
    return hand


def _held(hand, seat: int) -> int:
    return hand.holdings[seat].bit_count()
