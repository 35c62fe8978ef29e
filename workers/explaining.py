"""What `big2 rules explain` is asked: a turn by itself, or an action of a hand on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from big2.automatic import automatic_pass
from big2.card_sets import CardSet, classify
from big2.cards import Card, cards_in, mask_of, parse_cards
from big2.errors import NotationError, Refusal
from big2.explain import Explanation, duty_reason, explain, explain_automatic, explain_pass
from big2.form import parse_json
from big2.hand import Hand, Passed, duty
from big2.history import History, read_history, records, replay
from big2.position import ASKING, position
from big2.record import Presets
from big2.rulesets import MOST_CARDS, RuleSet


class AskedWrongError(Exception):
    """What is asked cannot be answered; the text has every reason, one a line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options as they were given; `cards` is None for a pass, and for the action on record itself."""

    holding: str | None
    cards: str | None
    passing: bool
    to_beat: str | None
    must_include: str | None
    next_has_one: bool
    action: int | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer, and the turn to which it belongs."""

    hand: Hand
    seat: int
    cards: Sequence[Card] | None
    explanation: Explanation

    def as_json(self) -> dict[str, Any]:
        """The API's explanation, with the seat, its duty, and the pass that it makes by itself, if any."""
        told, owed, due = self.explanation, duty(self.hand), automatic_pass(self.hand)
        return {
            "seat": self.seat,
            "cards": told.cards.split(),
            "kind": told.kind,
            "playable": told.playable,
            "clause": told.clause,
            "code": told.code,
            "reason": told.reason,
            "breach": told.breach,
            "duty": owed,
            "duty_reason": duty_reason(self.hand),
            "automatic_pass": due.reason if due else None,
        }


def in_position(asked: Asked, rules: RuleSet) -> Explained:
    """The answer for a turn that the options describe; AskedWrongError with everything that is wrong with them."""
    reading = _Reading(rules)
    holding = reading.holding(asked.holding or "")
    cards = reading.cards("--cards", asked.cards)
    to_beat = reading.card_set("--to-beat", asked.to_beat)
    must_include = reading.card("--must-include", asked.must_include)
    if asked.cards is None and not asked.passing:
        reading.wrong.append("--cards is missing (or --pass)")
    reading.judge(holding, to_beat, must_include)
    if reading.wrong:
        raise AskedWrongError("\n".join(reading.wrong))
    hand = position(rules, mask_of(holding), to_beat, must_include, next_has_one=asked.next_has_one)
    return _explained(hand, ASKING, cards)


class _Reading:
    """Reads the options of a position, and keeps whatever is wrong with them."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.wrong: list[str] = []

    def cards(self, option: str, text: str | None) -> tuple[Card, ...] | None:
        if text is None:
            return None
        try:
            return typed_cards(text)
        except NotationError as error:
            self.wrong.append(f"{option}: {error.reason}")
            return None

    def card(self, option: str, text: str | None) -> Card | None:
        cards = self.cards(option, text)
        if cards is not None and len(cards) != 1:
            self.wrong.append(f"{option}: must be one card")
        return cards[0] if cards else None

    def card_set(self, option: str, text: str | None) -> CardSet | None:
        cards = self.cards(option, text)
        if cards is None:
            return None
        card_set = classify(self.rules, cards)
        if card_set is None:
            self.wrong.append(f"{option}: {text} is no card set of these rules (R3.1)")
        return card_set

    def holding(self, text: str) -> tuple[Card, ...]:
        """The cards held; none where they cannot be read."""
        cards = self.cards("--holding", text)
        if cards is not None and (not 1 <= len(cards) <= MOST_CARDS or len(set(cards)) != len(cards)):
            self.wrong.append(f"--holding: must be 1–{MOST_CARDS} cards, none twice")
            return ()
        return cards or ()

    def judge(self, holding: tuple[Card, ...], to_beat: CardSet | None, must_include: Card | None) -> None:
        if to_beat is not None and mask_of(holding) & to_beat.mask:
            self.wrong.append("--to-beat: has a card of the holding")
        if must_include is not None and holding and must_include not in holding:
            self.wrong.append("--must-include: is no card of the holding")
        if must_include is not None and to_beat is not None:
            self.wrong.append("--must-include: binds a lead only (R5.2), so not together with --to-beat")


def typed_cards(text: str) -> tuple[Card, ...]:
    """Cards as people type them, with blanks or commas between (R1.2)."""
    return parse_cards(text.replace(",", " "))


def in_history(asked: Asked, text: str, presets: Presets, named: RuleSet | None = None) -> Explained:
    """The answer for an action of a hand on record; `named` is the published rule set that it names, if known."""
    history = read_history(_value(text, asked.line), presets, lambda _: named)
    number = _action_number(asked.action, history)
    hand = _hand_before(history, number)
    if asked.cards is not None or asked.passing:
        return _explained(hand, _seat_to_act(hand), None if asked.cards is None else _typed(asked.cards))
    if number == len(history.actions):
        raise AskedWrongError(f"--action {number} is still to come: say what to explain, --cards or --pass")
    told = history.actions[number].action
    return _explained(hand, told.seat, None if isinstance(told, Passed) else cards_in(told.mask))


def _value(text: str, line: int | None) -> object:
    found = dict(records(text))
    if line is None and len(found) > 1:
        raise AskedWrongError(f"the file has {len(found)} hands: say which, --line {min(found)}, for one")
    if line is not None and line not in found:
        raise AskedWrongError(f"--line: no hand begins on line {line}")
    return parse_json(found[line] if line is not None else next(iter(found.values()), ""))


def _action_number(number: int | None, history: History) -> int:
    if not history.deal:
        raise AskedWrongError("the hand was played with real cards: it has no deal and no actions")
    if number is None:
        raise AskedWrongError(f"--action is missing: 0–{len(history.actions)}")
    if number > len(history.actions):
        raise AskedWrongError(f"--action: the hand has {len(history.actions)} actions, counted from 0")
    return number


def _hand_before(history: History, number: int) -> Hand:
    """The hand before an action, played again up to there."""
    try:
        return replay(replace(history, actions=history.actions[:number]))
    except Refusal as refusal:
        raise AskedWrongError(f"the hand goes wrong before action {number}: {refusal}") from refusal


def _seat_to_act(hand: Hand) -> int:
    if hand.turn is None:
        raise AskedWrongError("the hand is over (R4.4)")
    return hand.turn


def _typed(text: str) -> tuple[Card, ...]:
    try:
        return typed_cards(text)
    except NotationError as error:
        raise AskedWrongError(f"--cards: {error.reason}") from error


def _explained(hand: Hand, seat: int, cards: Sequence[Card] | None) -> Explained:
    due = automatic_pass(hand)
    if due is not None and due.seat == seat:
        told = explain_automatic(hand, due, cards)
    else:
        told = explain_pass(hand, seat) if cards is None else explain(hand, seat, cards)
    return Explained(hand, seat, cards, told)
