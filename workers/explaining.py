"""What `big2 rules explain` is asked: a turn by itself, or an action of a hand on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from big2.automatic import automatic_pass
from big2.card_sets import CardSet, classify
from big2.cards import Card, cards_in, mask_of, parse_cards
from big2.errors import MalformedError, NoSuchTurnError, NotationError
from big2.explain import Explanation, duty_reason, explain_turn, write_explanation
from big2.explain_record import TurnOnRecord, explain_on_record, turn_on_record
from big2.form import parse_json
from big2.hand import Hand, Passed, duty
from big2.history import records
from big2.position import ASKING, position, position_problems
from big2.record import FORMAT, History, Presets, read_history
from big2.rulesets import RuleSet


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
    """The answer, and the turn to which it belongs; `pointer` is where its action stands in a history."""

    hand: Hand
    seat: int
    cards: Sequence[Card] | None
    explanation: Explanation
    pointer: str = ""

    def as_json(self) -> dict[str, Any]:
        """The API's explanation, with the seat, its duty, and the pass that it makes by itself, if any."""
        due = automatic_pass(self.hand)
        return {
            "seat": self.seat,
            **write_explanation(self.explanation),
            "duty": duty(self.hand),
            "duty_reason": duty_reason(self.hand),
            "automatic_pass": due.reason if due else None,
        }


def in_position(asked: Asked, rules: RuleSet) -> Explained:
    """The answer for a turn that the options describe; AskedWrongError with everything that is wrong with them."""
    reading = _Reading(rules)
    holding = reading.cards("--holding", asked.holding)
    cards = reading.cards("--cards", asked.cards)
    to_beat = reading.card_set("--to-beat", asked.to_beat)
    must_include = reading.card("--must-include", asked.must_include)
    if asked.cards is None and not asked.passing:
        reading.wrong.append("--cards is missing (or --pass)")
    if holding is not None:
        problems = position_problems(holding, to_beat, must_include)
        reading.wrong += [f"--{name.replace('_', '-')}: {reason}" for name, reason in problems]
    if reading.wrong:
        raise AskedWrongError("\n".join(reading.wrong))
    hand = position(rules, mask_of(holding or ()), to_beat, must_include, next_has_one=asked.next_has_one)
    return Explained(hand, ASKING, cards, explain_turn(hand, ASKING, cards))


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


def typed_cards(text: str) -> tuple[Card, ...]:
    """Cards as people type them, with blanks or commas between (R1.2)."""
    return parse_cards(text.replace(",", " "))


def in_history(asked: Asked, text: str, presets: Presets, named: RuleSet | None = None) -> Explained:
    """The answer for an action of a hand on record; `named` is the published rule set that it names, if known."""
    history = read_history(_value(text, asked.line), presets, lambda _: named)
    if named is not None:
        _check_named(history, presets)
    if asked.action is None:
        raise AskedWrongError(f"--action is missing: N for /actions/N, 0–{len(history.actions)}")
    try:
        turn = turn_on_record(history, asked.action)
        found = _instead(turn, asked.cards) if asked.cards is not None or asked.passing else _itself(turn)
        return replace(found, pointer=f"/actions/{asked.action}")
    except NoSuchTurnError as error:
        raise AskedWrongError(f"--action {asked.action}: {error.reason}") from error


def _check_named(history: History, presets: Presets) -> None:
    """A hand that has its rules with it is under no others; the answer is never about other rules than was asked."""
    named = history.named_rules
    if not isinstance(named, str) or named in presets:
        its = named if isinstance(named, str) else "written out"
        raise AskedWrongError(f"--rules would not be used: the history has its rules, {its}; leave it out")


def _value(text: str, line: int | None) -> object:
    found = dict(records(text))
    if not found:
        raise MalformedError("", "no hand in the input")
    if not any(record.lstrip().startswith("{") for record in found.values()):
        raise MalformedError("", f"is no hand history ({FORMAT})")
    if line is None and len(found) > 1:
        raise AskedWrongError(f"the file has {len(found)} hands: say which, --line {min(found)}, for one")
    if line is not None and line not in found:
        raise AskedWrongError(f"--line: no hand begins on line {line}")
    return parse_json(found[line] if line is not None else next(iter(found.values())))


def _itself(turn: TurnOnRecord) -> Explained:
    """The action as it is told, as `verify` judges it."""
    try:
        explanation = explain_on_record(turn)
    except NoSuchTurnError as error:
        raise AskedWrongError(f"--action: {error.reason}; say what to explain, --cards or --pass") from error
    if turn.told is None:
        return Explained(turn.hand, turn.seat, None, explanation)
    action = turn.told.action
    cards = None if isinstance(action, Passed) else cards_in(action.mask)
    return Explained(turn.hand, action.seat, cards, explanation)


def _instead(turn: TurnOnRecord, text: str | None) -> Explained:
    """What else could have been done there: these cards, or a pass."""
    cards = None if text is None else _typed(text)
    return Explained(turn.hand, turn.seat, cards, explain_turn(turn.hand, turn.seat, cards))


def _typed(text: str) -> tuple[Card, ...]:
    try:
        return typed_cards(text)
    except NotationError as error:
        raise AskedWrongError(f"--cards: {error.reason}") from error
