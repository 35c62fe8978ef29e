"""Why a play may be made or not, in words. The verdict is `hand.play`'s own, so the two can never differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from big2.actions import WHY_AUTOMATIC, Action, Passed
from big2.assistant import OWED
from big2.automatic import automatic_pass
from big2.card_sets import CardSet, Kind, card_set_of, classify
from big2.cards import Card, cards_text, mask_text
from big2.errors import IllegalPlay, Refusal, RefusalCode
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


def write_explanation(told: Explanation) -> dict[str, object]:
    """An explanation as JSON has it; the cards are a list of texts."""
    return {
        "cards": told.cards.split(),
        "kind": told.kind.value if told.kind else None,
        "playable": told.playable,
        "clause": told.clause,
        "code": told.code.value if told.code else None,
        "reason": told.reason,
        "breach": told.breach,
    }


def explain_turn(hand: Hand, seat: int, cards: Sequence[Card] | None) -> Explanation:
    """What is to be said of these cards of a seat, or of a pass (None), where it may be that it passes by itself."""
    due = automatic_pass(hand)
    if due is not None and due.seat == seat:
        return explain_automatic(hand, due, cards)
    return explain_pass(hand, seat) if cards is None else explain(hand, seat, cards)


def explain(hand: Hand, seat: int, cards: Sequence[Card]) -> Explanation:
    """What these cards of a seat are, whether it may play them now, and why or why not. Tells of no other holding."""
    try:
        action = play(hand, seat, cards)[0]
    except IllegalPlay as refusal:
        return explain_refusal(hand, cards, refusal)
    return explain_allowed(hand, action)


def explain_pass(hand: Hand, seat: int) -> Explanation:
    """Whether a seat may pass now, and why or why not."""
    try:
        action = pass_turn(hand, seat)[0]
    except IllegalPlay as refusal:
        return explain_refusal(hand, None, refusal)
    return explain_allowed(hand, action)


def explain_automatic(hand: Hand, due: Passed, cards: Sequence[Card] | None) -> Explanation:
    """R6: what a seat that passes automatically does; of cards instead, that it is not asked for any."""
    clause, why = WHY_AUTOMATIC[due.reason]
    if cards is None:
        return Explanation("", None, True, None, None, f"It passes by itself: {why} ({clause}).", False)
    return explain_refusal(hand, cards, Refusal(clause, f"the seat is not asked, it passes by itself: {why}"))


def explain_refusal(hand: Hand, cards: Sequence[Card] | None, refusal: Refusal) -> Explanation:
    """What these cards are, or a pass (None), and why they are refused."""
    card_set = None if cards is None else classify(hand.rules, cards)
    kind = card_set.kind if card_set else None
    code = refusal.code if isinstance(refusal, IllegalPlay) else None
    reason = refusal.reason[0].upper() + refusal.reason[1:] + f" ({refusal.clause})."
    named = cards_text(cards or (), hand.rules.suits)
    return Explanation(named, kind, False, refusal.clause, code, reason, False)


def explain_allowed(hand: Hand, action: Action) -> Explanation:
    """What an action is that the rules allow at this turn, and the duty that it leaves undone, if any."""
    card_set = None if isinstance(action, Passed) else card_set_of(hand.rules, action.mask)
    may = "It may pass." if card_set is None else _may(hand, card_set)
    if action.breach:
        may = f"{may} But it would be a breach (R7.3). {duty_reason(hand)}"
    kind, mask = (card_set.kind, card_set.mask) if card_set else (None, 0)
    return Explanation(mask_text(mask, hand.rules.suits), kind, True, None, None, may, action.breach)


def duty_reason(hand: Hand) -> str | None:
    """R7.2: the duty that binds the seat to act, as a sentence; None where nothing does."""
    owed = duty(hand)
    return None if owed is None else f"The next player has one card left (R7.1): play {OWED[owed]} (R7.2)."


def _may(hand: Hand, card_set: CardSet) -> str:
    to_beat = hand.to_beat
    if to_beat is None:
        return f"{_shown(hand.rules, card_set)} may be led."
    return f"{_shown(hand.rules, card_set)} beats {_shown(hand.rules, to_beat)}."


def _shown(rules: RuleSet, card_set: CardSet) -> str:
    return f"{mask_text(card_set.mask, rules.suits)} ({KIND_NAMES[card_set.kind]})"
