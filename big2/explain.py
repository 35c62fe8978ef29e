"""Why a play may be made or not, in words. The verdict is `hand.play`'s own, so the two can never differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from big2.actions import Action, Passed, PassReason
from big2.assistant import Duty
from big2.card_sets import CardSet, Kind, classify
from big2.cards import Card, cards_text, mask_text
from big2.errors import IllegalPlay, RefusalCode
from big2.hand import duty, pass_turn, play
from big2.rulesets import RuleSet
from big2.state import Hand

KIND_NAMES: Final = {
    Kind.SINGLE: "a single",
    Kind.PAIR: "a pair",
    Kind.THREE_OF_A_KIND: "three of a kind",
    Kind.STRAIGHT: "a straight",
    Kind.FLUSH: "a flush",
    Kind.FULL_HOUSE: "a full house",
    Kind.FOUR_OF_A_KIND: "four of a kind",
    Kind.STRAIGHT_FLUSH: "a straight flush",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """What some cards are, and whether a seat may play them now; for a pass there are no cards.

    `clause` and `code` are those of the refusal, None where there is none; `reason` is a sentence either way.
    `breach` says that the action is allowed, but would do otherwise than the duty (R7.3).
    """

    cards: str
    kind: Kind | None
    playable: bool
    clause: str | None
    code: RefusalCode | None
    reason: str
    breach: bool


def explain(hand: Hand, seat: int, cards: Sequence[Card]) -> Explanation:
    """What these cards of a seat are, whether it may play them now, and why or why not. Tells of no other holding."""
    card_set = classify(hand.rules, cards)
    kind = card_set.kind if card_set else None
    named = cards_text(cards, hand.rules.suits)
    try:
        action = play(hand, seat, cards)[0]
    except IllegalPlay as refusal:
        return _refused(named, kind, refusal)
    assert card_set is not None, "what was played is a card set"
    return _allowed(hand, named, kind, action, _may(hand, card_set))


def explain_pass(hand: Hand, seat: int) -> Explanation:
    """Whether a seat may pass now, and why or why not."""
    try:
        action = pass_turn(hand, seat)[0]
    except IllegalPlay as refusal:
        return _refused("", None, refusal)
    return _allowed(hand, "", None, action, "It may pass.")


def explain_automatic(hand: Hand, due: Passed, cards: Sequence[Card] | None) -> Explanation:
    """R6: what a seat that passes automatically does; of cards instead, that it is not asked for any."""
    clause, why = _BY_ITSELF[due.reason]
    if cards is None:
        return Explanation("", None, True, None, None, f"It passes by itself: {why} ({clause}).", False)
    card_set = classify(hand.rules, cards)
    reason = f"The seat is not asked: it passes by itself, for {why} ({clause})."
    kind = card_set.kind if card_set else None
    return Explanation(cards_text(cards, hand.rules.suits), kind, False, clause, None, reason, False)


_BY_ITSELF: Final = {
    PassReason.TWO_OF_SPADES: ("R6.1", "the highest card was played"),
    PassReason.TOO_FEW_CARDS: ("R6.2", "it has fewer cards than the set to beat"),
}


def duty_reason(hand: Hand) -> str | None:
    """R7.2: the duty that binds the seat to act, as a sentence; None where nothing does."""
    owed = duty(hand)
    return None if owed is None else f"The next player has one card left (R7.1): {_OWED[owed]} (R7.2)."


_OWED: Final = {
    Duty.MULTI_CARD: "play more than one card",
    Duty.HIGHEST_SINGLE: "play the highest single that may be played",
    Duty.EITHER: "play more than one card, or the highest single that may be played",
}


def _refused(named: str, kind: Kind | None, refusal: IllegalPlay) -> Explanation:
    reason = refusal.reason[0].upper() + refusal.reason[1:] + f" ({refusal.clause})."
    return Explanation(named, kind, False, refusal.clause, refusal.code, reason, False)


def _allowed(hand: Hand, named: str, kind: Kind | None, action: Action, may: str) -> Explanation:
    if action.breach:
        may = f"{may} But it would be a breach (R7.3). {duty_reason(hand)}"
    return Explanation(named, kind, True, None, None, may, action.breach)


def _may(hand: Hand, card_set: CardSet) -> str:
    to_beat = hand.to_beat
    if to_beat is None:
        return f"{_shown(hand.rules, card_set)} may be led."
    return f"{_shown(hand.rules, card_set)} beats {_shown(hand.rules, to_beat)}."


def _shown(rules: RuleSet, card_set: CardSet) -> str:
    return f"{mask_text(card_set.mask, rules.suits)} ({KIND_NAMES[card_set.kind]})"
