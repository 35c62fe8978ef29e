"""A hand's decisions: what a player or the clock does, checked against the rules and told as facts.

`play`, `pass_turn` and `clock_action` raise `IllegalPlay` or answer the action and the automatic passes that
it causes (R6.4); `apply` makes the next state of each. `options`, `may_pass` and `duty` say beforehand what
would be accepted.
"""

from collections.abc import Iterable
from typing import Final

from big2.actions import Action, By, Passed, PassReason, Played
from big2.assistant import OWED, Duty, breaches, duty, duty_over, highest_single, is_assistant, plays_of
from big2.automatic import automatic_pass, passes_after
from big2.card_sets import CardSet, beats
from big2.cards import Card, card_text, cards_in, height, mask_of, mask_text
from big2.errors import IllegalPlay, RefusalCode
from big2.rulesets import RuleSet
from big2.state import Hand, apply, replay, start
from big2.switches import OpeningPlay

__all__ = [
    "Action",
    "By",
    "Duty",
    "Hand",
    "PassReason",
    "Passed",
    "Played",
    "apply",
    "automatic_pass",
    "clock_action",
    "duty",
    "may_pass",
    "options",
    "pass_turn",
    "play",
    "play_mask",
    "replay",
    "start",
]


def play(hand: Hand, seat: int, cards: Iterable[Card], by: By = By.PLAYER) -> tuple[Action, ...]:
    """A seat plays cards: the play, and the automatic passes that it causes.

    Refused, in this order: R4.4 the hand is over, R4.1 another's turn, R2.1 a card twice or not held, R3.1 no
    card set, R4.1 another number of cards, R4.1 not higher, R5.2 without the opening card, R7.2 where a duty
    is forced.
    """
    named = tuple(cards)
    mask = mask_of(named)
    if hand.turn != seat:
        raise _not_on_turn(hand)
    if mask.bit_count() != len(named):
        raise IllegalPlay("R2.1", RefusalCode.DUPLICATE_CARD, "a card is named twice")
    return play_mask(hand, seat, mask, by)


def play_mask(hand: Hand, seat: int, mask: int, by: By = By.PLAYER) -> tuple[Action, ...]:
    """The same, with the cards as a mask."""
    if hand.turn != seat:
        raise _not_on_turn(hand)
    if mask & ~hand.holdings[seat]:
        raise _not_held(hand, seat, mask)
    card_set = hand.setting.book.by_mask.get(mask)
    if card_set is None:
        raise _no_card_set(hand, mask)
    if hand.to_beat is not None and not beats(card_set, hand.to_beat):
        raise _not_higher(hand, card_set, hand.to_beat)
    if hand.must_include is not None:
        _check_opening(hand, card_set, hand.must_include)
    played = Played(seat, mask, by, is_assistant(hand) and _breach(hand, card_set))
    if mask == hand.holdings[seat]:
        return (played,)  # R4.4: a play that ends the hand causes no automatic pass
    return played, *passes_after(hand, seat, card_set, seat)


def pass_turn(hand: Hand, seat: int, by: By = By.PLAYER) -> tuple[Action, ...]:
    """A seat passes, which a leader may not (R4.1): the pass, and the automatic passes that it causes."""
    if hand.turn != seat:
        raise _not_on_turn(hand)
    if hand.to_beat is None:
        raise IllegalPlay("R4.1", RefusalCode.LEADER_CANNOT_PASS, "the leader may not pass")
    passed = Passed(seat, _PASSED_BY[by], is_assistant(hand) and _breach(hand, None))
    return passed, *passes_after(hand, seat, hand.to_beat, hand.to_beat_seat)


_PASSED_BY: Final = {By.PLAYER: PassReason.PLAYER, By.CLOCK: PassReason.CLOCK}


def clock_action(hand: Hand) -> tuple[Action, ...]:
    """R11.2: the clock acts for the seat to act; it never makes a breach.

    It passes; as leader it plays his lowest legal single. Where R7.2 binds: the smallest set of more than one
    card, else the highest legal single, else it passes.
    """
    if hand.turn is None:
        raise _over(hand)
    choice = _clock_choice(hand)
    if choice is None:
        return pass_turn(hand, hand.turn, By.CLOCK)
    return play_mask(hand, hand.turn, choice.mask, By.CLOCK)


def options(hand: Hand) -> list[tuple[CardSet, bool]]:
    """Each card set that the seat to act may play, and whether it would be a breach (R7.3)."""
    plays = plays_of(hand)
    owed = duty_over(hand, plays) if is_assistant(hand) else None
    marked = [(each, breaches(owed, each, plays)) for each in plays]
    if hand.setting.breach_refused:
        return [(each, breach) for each, breach in marked if not breach]
    return marked


def may_pass(hand: Hand) -> bool:
    """Whether the seat to act may pass: not as leader (R4.1), nor against a forced duty (R7.2)."""
    if hand.turn is None or hand.to_beat is None:
        return False
    return not hand.setting.breach_refused or duty(hand) is None


def _not_on_turn(hand: Hand) -> IllegalPlay:
    if hand.turn is None:
        return _over(hand)
    return IllegalPlay("R4.1", RefusalCode.NOT_YOUR_TURN, f"it is the turn of seat {hand.turn}")


def _over(hand: Hand) -> IllegalPlay:
    """R4.4; on the first turn nobody plays all he was dealt, so what ended the hand there was a dragon."""
    dragon = ": a dragon won it at once, by R12" if hand.rules.dragon and hand.turn_number == 1 else ""
    return IllegalPlay("R4.4", RefusalCode.HAND_OVER, f"the hand is over{dragon}")


def _not_held(hand: Hand, seat: int, mask: int) -> IllegalPlay:
    named = mask_text(mask & ~hand.holdings[seat], hand.rules.suits)
    return IllegalPlay("R2.1", RefusalCode.CARD_NOT_HELD, f"seat {seat} does not hold {named}")


def _no_card_set(hand: Hand, mask: int) -> IllegalPlay:
    named = mask_text(mask, hand.rules.suits) or "no card"
    return IllegalPlay("R3.1", RefusalCode.NOT_A_CARD_SET, f"{named} is not a card set")


def _not_higher(hand: Hand, card_set: CardSet, to_beat: CardSet) -> IllegalPlay:
    """R4.1: as many cards as the set to beat, and higher."""
    if card_set.size != to_beat.size:
        reason = f"{_cards(card_set.size)} cannot follow {_cards(to_beat.size)}"
        return IllegalPlay("R4.1", RefusalCode.WRONG_CARD_COUNT, reason)
    named = [mask_text(each.mask, hand.rules.suits) for each in (card_set, to_beat)]
    return IllegalPlay("R4.1", RefusalCode.DOES_NOT_BEAT, f"{named[0]} does not beat {named[1]}")


def _cards(size: int) -> str:
    return "one card" if size == 1 else f"{size} cards"


def _check_opening(hand: Hand, card_set: CardSet, opening: Card) -> None:
    """R5.2: the first play includes the opening card, or is it alone (R12)."""
    alone = hand.rules.opening_play is OpeningPlay.IT_ALONE
    if not card_set.mask >> opening & 1 or (alone and card_set.size > 1):
        reason = f"the first play must {'be' if alone else 'include'} {card_text(opening)}"
        raise IllegalPlay("R5.2", RefusalCode.MUST_INCLUDE_LOWEST, reason)


def _breach(hand: Hand, card_set: CardSet | None) -> bool:
    """R7.3: an assistant's breach is allowed and marked; R12: or refused, where the duty is forced."""
    plays = plays_of(hand)
    owed = duty_over(hand, plays)
    if owed is None or not breaches(owed, card_set, plays):
        return False
    if hand.setting.breach_refused:
        reason = f"the next player has one card left: play {OWED[owed]}"
        raise IllegalPlay("R7.2", RefusalCode.ASSISTANT_RULE, reason)
    return True


def _clock_choice(hand: Hand) -> CardSet | None:
    """R11.2: what the clock plays, or None to pass."""
    plays = plays_of(hand)
    if is_assistant(hand):
        return _smallest(hand.rules, [each for each in plays if each.size > 1]) or highest_single(plays)
    if hand.to_beat is None:
        return _smallest(hand.rules, [each for each in plays if each.size == 1])
    return None


def _smallest(rules: RuleSet, plays: list[CardSet]) -> CardSet | None:
    """By number of cards, then strength, then the cards themselves, lowest first."""

    def order(play: CardSet) -> tuple[int, int, list[int]]:
        return play.size, play.strength, sorted(height(card, rules.suits) for card in cards_in(play.mask))

    return min(plays, key=order, default=None)
