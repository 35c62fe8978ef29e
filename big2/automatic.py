"""R6: the passes that a hand makes by itself."""

from big2.actions import Action, Passed, PassReason
from big2.cards import highest_card
from big2.state import Hand, apply


def automatic_reason(hand: Hand) -> PassReason | None:
    """Why the seat to act passes by itself, or None.

    R6.3: nothing else passes by itself: to pass for a player because he holds nothing higher would show his
    cards.
    """
    if hand.turn is None or hand.to_beat is None:
        return None
    offered = hand.rules.auto_pass
    if PassReason.TWO_OF_SPADES in offered and _shows_the_highest_card(hand):
        return PassReason.TWO_OF_SPADES
    if PassReason.TOO_FEW_CARDS in offered and _holds_too_few(hand, hand.turn):
        return PassReason.TOO_FEW_CARDS
    return None


def _shows_the_highest_card(hand: Hand) -> bool:
    """R6.1: the highest card alone, in a pair or in a three of a kind; not in a five-card set."""
    assert hand.to_beat is not None
    return hand.to_beat.size <= 3 and bool(hand.to_beat.mask >> highest_card(hand.rules.suits) & 1)


def _holds_too_few(hand: Hand, seat: int) -> bool:
    """R6.2: fewer cards than the set to beat."""
    assert hand.to_beat is not None
    return hand.holdings[seat].bit_count() < hand.to_beat.size


def automatic_pass(hand: Hand) -> Passed | None:
    """The pass that is due by itself, or None."""
    reason = automatic_reason(hand)
    if reason is None or hand.turn is None:
        return None
    return Passed(hand.turn, reason)


def with_automatic_passes(hand: Hand, action: Action) -> tuple[Action, ...]:
    """R6.4: an action and the automatic passes that it causes; a play that ends the hand causes none (R4.4)."""
    actions: list[Action] = [action]
    after = apply(hand, action)
    while (passed := automatic_pass(after)) is not None:
        actions.append(passed)
        after = apply(after, passed)
    return tuple(actions)
