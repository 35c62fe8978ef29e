"""How a house player plays: sheds low and long, keeps twos, obeys the duty. It knows what any player would."""

from __future__ import annotations

from random import Random
from typing import Any

from big2.cards import TWO, parse_stored_card

FEW_CARDS = 5
"""With so few cards left, or facing an opponent with so few, nothing is kept back."""
WHIM = 0.05
"""How often a player does something else that is legal, so that no two evenings are alike."""

Cards = list[str]


def choose(legal: dict[str, Any], own_left: int, fewest_left: int, random: Random) -> Cards | None:
    """The cards to play, or None to pass.

    `legal` is the API's answer on legal plays; `own_left` the player's cards, `fewest_left` the fewest that an
    opponent holds.
    """
    plays: list[Cards] = [item["cards"] for item in legal["items"] if not item["breach"]]
    if not plays:
        return None
    if random.random() < WHIM:
        return random.choice(plays)
    leads = not legal["may_pass"]
    if leads or legal["duty"]:
        return min(plays, key=_shed)
    return _follow(plays, min(own_left, fewest_left) <= FEW_CARDS)


def _follow(plays: list[Cards], urgent: bool) -> Cards | None:
    """The lowest set without a two; a two only when somebody is about to go out."""
    cheap = [cards for cards in plays if not _twos(cards)]
    if cheap:
        return min(cheap, key=_height)
    return min(plays, key=_height) if urgent else None


def _shed(cards: Cards) -> tuple[int, int, int]:
    """Without twos first, then long before short, then low before high."""
    return _twos(cards), -len(cards), _height(cards)


def _height(cards: Cards) -> int:
    return sum(map(parse_stored_card, cards)) // len(cards)


def _twos(cards: Cards) -> int:
    return sum(parse_stored_card(card) // 4 == TWO for card in cards)
