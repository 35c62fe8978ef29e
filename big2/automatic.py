"""R6: the passes that a hand makes by itself."""

from collections.abc import Iterator

from big2.actions import Action, Passed, PassReason
from big2.book import CardSet
from big2.state import Hand, next_to_act


def automatic_pass(hand: Hand) -> Passed | None:
    """The pass that the seat to act makes by itself, with its reason, or None.

    R6.3: nothing else passes by itself: to pass for a player because he holds nothing higher would show his
    cards.
    """
    if hand.turn is None or hand.to_beat is None:
        return None
    return _automatic(hand, hand.turn, hand.to_beat)


def with_automatic_passes(hand: Hand, action: Action) -> tuple[Action, ...]:
    """R6.4: an action of the seat to act, and the automatic passes that it causes.

    A play that ends the hand causes none (R4.4), nor does a pass that ends the trick (R4.2).
    """
    if isinstance(action, Passed):
        assert hand.to_beat is not None, "a leader does not pass (R4.1)"
        return (action, *_passes_after(hand, action.seat, hand.to_beat, hand.to_beat_seat))
    if action.mask == hand.holdings[action.seat]:
        return (action,)
    return (action, *_passes_after(hand, action.seat, hand.setting.book.by_mask[action.mask], action.seat))


def _passes_after(hand: Hand, seat: int, to_beat: CardSet, to_beat_seat: int | None) -> Iterator[Passed]:
    """One seat after another passes, until one does not or the turn is back with the trick's last play."""
    while (seat := next_to_act(hand, seat, hand.locked)) != to_beat_seat:
        passed = _automatic(hand, seat, to_beat)
        if passed is None:
            return
        yield passed


def _automatic(hand: Hand, seat: int, to_beat: CardSet) -> Passed | None:
    """R6.1: the highest card is out, in a set of three at most. R6.2: fewer cards than the set to beat."""
    setting = hand.setting
    if to_beat.mask & setting.unbeatable and to_beat.size <= 3:
        return Passed(seat, PassReason.TWO_OF_SPADES)
    if setting.too_few_pass and hand.holdings[seat].bit_count() < to_beat.size:
        return Passed(seat, PassReason.TOO_FEW_CARDS)
    return None
