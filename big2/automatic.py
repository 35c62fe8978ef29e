"""R6: the passes that a hand makes by itself."""

from big2.actions import Passed, PassReason
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


def passes_after(hand: Hand, seat: int, to_beat: CardSet, to_beat_seat: int | None) -> tuple[Passed, ...]:
    """R6.4: the automatic passes that follow at once when `seat` has acted and this is the set to beat.

    One seat after another passes, until one does not or the turn is back with the trick's last play (R4.2).
    """
    if to_beat.size == 1 and not to_beat.mask & hand.setting.unbeatable:
        return ()  # nobody holds fewer cards than one
    passes: list[Passed] = []
    while (seat := next_to_act(hand, seat, hand.locked)) != to_beat_seat:
        passed = _automatic(hand, seat, to_beat)
        if passed is None:
            break
        passes.append(passed)
    return tuple(passes)


def _automatic(hand: Hand, seat: int, to_beat: CardSet) -> Passed | None:
    """R6.1: the highest card is out, in a set of three at most. R6.2: fewer cards than the set to beat."""
    setting, held = hand.setting, hand.holdings[seat].bit_count()
    if held >= setting.quads_from:
        return None
    if to_beat.mask & setting.unbeatable and to_beat.size <= 3:
        return Passed(seat, PassReason.TWO_OF_SPADES)
    if setting.too_few_pass and held < to_beat.size:
        return Passed(seat, PassReason.TOO_FEW_CARDS)
    return None
