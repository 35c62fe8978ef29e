"""R6: the passes that a hand makes by itself."""

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
        to_beat, to_beat_seat = hand.to_beat, hand.to_beat_seat
    elif action.mask == hand.holdings[action.seat]:
        return (action,)
    else:
        to_beat, to_beat_seat = hand.setting.book.by_mask[action.mask], action.seat
    assert to_beat is not None, "a leader does not pass (R4.1)"
    if to_beat.size == 1 and not to_beat.mask & hand.setting.unbeatable:
        return (action,)  # nobody holds too few
    actions, seat = [action], action.seat
    while (seat := next_to_act(hand, seat, hand.locked)) != to_beat_seat:
        passed = _automatic(hand, seat, to_beat)
        if passed is None:
            break
        actions.append(passed)
    return tuple(actions)


def _automatic(hand: Hand, seat: int, to_beat: CardSet) -> Passed | None:
    """R6.1: the highest card is out, in a set of three at most. R6.2: fewer cards than the set to beat."""
    setting = hand.setting
    if to_beat.mask & setting.unbeatable and to_beat.size <= 3:
        return Passed(seat, PassReason.TWO_OF_SPADES)
    if setting.too_few_pass and hand.holdings[seat].bit_count() < to_beat.size:
        return Passed(seat, PassReason.TOO_FEW_CARDS)
    return None
