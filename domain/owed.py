"""What rulings that are final still give and take, until it is done between hands."""

from __future__ import annotations

from collections import Counter

from domain.ids import PlayerId
from domain.tournament import Tournament


def chips_owed(t: Tournament) -> Counter[PlayerId]:
    """Chips by player: above 0 those that he is to get, below 0 those that he is to lose."""
    chips: Counter[PlayerId] = Counter()
    for corrected in t.corrections.values():
        chips.update(corrected)
    for due in t.penalties.values():
        chips.subtract({player: each.amount or 0 for player, each in due.items() if each.penalty == "chips"})
    return chips
