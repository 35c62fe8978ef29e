"""The play of a hand told for people: each trick as a block, each action as a row."""

from collections.abc import Iterator, Mapping

from big2.actions import WHY_AUTOMATIC, Action, By, Passed, PassReason, Played
from big2.assistant import OWED
from big2.record import History
from big2.rulesets import RuleSet
from big2.told import Block, Cell, Piece, Row, Tone, card_cell, cell
from big2.tricks import Retold, Step, Stop

Names = Mapping[int, str]
"""Players by seat, as they are shown."""


def tell_play(history: History, retold: Retold, names: Names) -> Iterator[Block]:
    """The tricks in order; the last one ends where the rules stop the hand, if they do."""
    if not retold.tricks and retold.hand.winner is not None:
        yield Block(
            cell(f"{names[retold.hand.winner]} was dealt a dragon and is out at once (R12)", Tone.STRONG)
        )
    for number, trick in enumerate(retold.tricks, 1):
        by_cards = ", by the cards dealt (R5.1)" if number == 1 and history.leader is None else ""
        rows = [_row(step, names, history.rules) for step in trick.steps]
        yield _trick(f"Trick {number}: {names[trick.leader]} leads{by_cards}", Tone.STRONG, rows)
    if retold.stop is not None:
        yield _trick("Here the rules stop it", Tone.WRONG, [_stopped(retold.stop, names, history.rules)])


def _trick(title: str, tone: Tone, rows: list[Row]) -> Block:
    return Block(cell(title, tone), tuple(rows), layout="trick")


def _row(step: Step, names: Names, rules: RuleSet) -> Row:
    return (
        _who(step.action.seat, names),
        _action(step.action, rules),
        card_cell(step.holding, rules),
        tuple(_notes(step)),
    )


def _who(seat: int, names: Names) -> Cell:
    return cell(f"  {seat} {names[seat]}")


def _action(action: Action, rules: RuleSet) -> Cell:
    if isinstance(action, Played):
        return card_cell(action.mask, rules)
    return cell("passes", Tone.QUIET)


def _notes(step: Step) -> Iterator[Piece]:
    """What is to be said of an action, each after a comma."""
    notes = [*_plain_notes(step), *_duty_notes(step)]
    for place, note in enumerate(notes):
        yield from (*([Piece(", ", Tone.QUIET)] if place else []), note)


def _plain_notes(step: Step) -> Iterator[Piece]:
    action = step.action
    if step.card_set is not None and step.card_set.size > 3:
        yield Piece(step.card_set.kind.replace("_", " "), Tone.QUIET)
    if _by_clock(action):
        yield Piece("by the clock (R11.2)", Tone.QUIET)
    if isinstance(action, Passed) and action.reason in WHY_AUTOMATIC:
        clause, why = WHY_AUTOMATIC[action.reason]
        yield Piece(f"automatic: {why} ({clause})", Tone.QUIET)
    if not step.holding:
        yield Piece("out", Tone.STRONG)


def _by_clock(action: Action) -> bool:
    return action.by is By.CLOCK if isinstance(action, Played) else action.reason is PassReason.CLOCK


def _duty_notes(step: Step) -> Iterator[Piece]:
    if step.owed is not None:
        if step.action.breach:
            yield Piece(f"BREACH: owed {OWED[step.owed]} (R7.3)", Tone.WRONG)
        else:
            yield Piece(f"owed {OWED[step.owed]} (R7.2)", Tone.QUIET)


def _stopped(stop: Stop, names: Names, rules: RuleSet) -> Row:
    why = cell(f"{stop.refusal.reason} ({stop.refusal.clause})", Tone.WRONG)
    if stop.told is None:
        return (cell(""), cell(""), cell(""), why)
    action = stop.told.action
    return (_who(action.seat, names), _action(action, rules), cell(""), why)
