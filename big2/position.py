"""A turn by itself: what one seat holds and must beat, as a hand in which it is that seat's turn.

For questions about a rule set outside any hand on record. Three are seated; the other two hold whatever is left over.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from big2.actions import Played
from big2.card_sets import CardSet
from big2.cards import PACK, Card, mask_of
from big2.rulesets import MOST_CARDS, RuleSet
from big2.state import Hand, apply, start
from big2.table import Direction

ASKING: Final = 1
"""The seat whose turn it is; seat 2 is next, seat 3 made the play that is to be beaten."""


def position(
    rules: RuleSet,
    holding: int,
    to_beat: CardSet | None = None,
    must_include: Card | None = None,
    *,
    next_has_one: bool = False,
) -> Hand:
    """The turn of seat 1, which holds `holding` (a mask): it leads, or follows `to_beat`.

    `must_include` is the opening card, where the first play of the hand is asked about (R5.2). `next_has_one`
    says that the next seat has one card left, so that R7 may bind. `position_problems` has nothing to say of them.
    """
    on_the_table = to_beat.mask if to_beat is not None else 0
    assert not holding & on_the_table, "a card is held and on the table"
    spare = _others(holding | on_the_table)
    holdings = {
        ASKING: holding,
        2: next(spare) if next_has_one else next(spare) | next(spare),
        3: on_the_table | next(spare) | next(spare),
    }
    leader = ASKING if to_beat is None else 3
    hand = start(rules, dealer=ASKING, direction=Direction.CLOCKWISE, leader=leader, holdings=holdings)
    if hand.turn == 3:
        hand = apply(hand, Played(3, on_the_table))
    return hand._replace(must_include=must_include)


def position_problems(
    holding: Sequence[Card], to_beat: CardSet | None, must_include: Card | None
) -> Iterator[tuple[str, str]]:
    """All that is wrong with a turn by itself, each with the name of what is at fault."""
    held = mask_of(holding)
    if not 1 <= len(holding) <= MOST_CARDS or held.bit_count() != len(holding):
        yield "holding", f"must be 1–{MOST_CARDS} cards, none twice"
    if to_beat is not None and held & to_beat.mask:
        yield "to_beat", "has a card of the holding"
    if must_include is not None and not held >> must_include & 1:
        yield "must_include", "is no card of the holding"
    if must_include is not None and to_beat is not None:
        yield "must_include", "binds a lead only (R5.2), so there is no set to beat"


def _others(known: int) -> Iterator[int]:
    return (1 << card for card in PACK if not known >> card & 1)
