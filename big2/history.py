"""The judgement of a hand history: re-played under its own rules, action by action, to the same cent.

`verify` answers `malformed`, `illegal_action`, `wrong_settlement`, `incomplete` or `valid`, with what belongs to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import zip_longest

from big2.actions import Action, By, Passed, PassReason
from big2.automatic import automatic_pass
from big2.errors import MalformedError, Refusal
from big2.form import Node, parse_json
from big2.hand import clock_action, pass_turn, play_mask
from big2.record import (
    FORMAT,
    ActionOnRecord,
    History,
    Presets,
    Published,
    Seated,
    action_on_record,
    is_automatic,
    nothing_published,
    read_history,
    write_action,
    write_history,
    write_settlement,
)
from big2.results import result_problems
from big2.settlement import Outcome, settle, settle_outcome
from big2.state import Hand, apply, start

__all__ = [
    "FORMAT",
    "ActionOnRecord",
    "History",
    "Seated",
    "action_on_record",
    "allowed_action",
    "dealt_hand",
    "judged_replay",
    "missing_pass",
    "read_history",
    "verify",
    "verify_lines",
    "verify_text",
    "write_action",
    "write_history",
    "write_settlement",
]

Verdict = dict[str, object]


def verify(value: object, presets: Presets, published: Published = nothing_published) -> Verdict:
    """The verdict on one hand history, given as the value of its JSON."""
    try:
        history = read_history(value, presets, published)
    except MalformedError as error:
        return _malformed(error)
    return _judge(history)


def verify_text(text: str, presets: Presets, published: Published = nothing_published) -> Verdict:
    """The verdict on one hand history, given as text."""
    try:
        value = parse_json(text)
    except MalformedError as error:
        return _malformed(error)
    return verify(value, presets, published)


def verify_lines(text: str, presets: Presets, published: Published = nothing_published) -> Iterator[Verdict]:
    """The verdicts on a file: one JSON object on any number of lines, or JSON Lines.

    `line` counts from 1; blank lines are skipped but counted.
    """
    for line, record in records(text):
        yield {"line": line} | verify_text(record, presets, published)


def records(text: str) -> Iterator[tuple[int, str]]:
    """The JSON texts of a file, each with the line on which it begins."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_one_object(text, lines):
        yield lines[0][0], text
    else:
        yield from lines


def _is_one_object(text: str, lines: Sequence[tuple[int, str]]) -> bool:
    """Whether the lines are one value; a broken one is told from JSON Lines, where each line begins an object."""
    if _is_json(text):
        return True
    first, *others = (line for _, line in lines)
    opens = first.lstrip().startswith("{") and not first.rstrip().endswith("}")
    return opens and not any(line.startswith("{") for line in others)


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except MalformedError:
        return False
    return True


def dealt_hand(history: History) -> Hand:
    """The hand on record, as dealt."""
    return start(
        history.rules,
        dealer=history.dealer,
        direction=history.direction,
        leader=history.leader,
        holdings=history.deal,
    )


def judged_replay(history: History) -> Hand:
    """The hand on record after its last action, played again through the rules; or the `Refusal` that stops it."""
    return reduce(_step, history.actions, dealt_hand(history))


def _step(hand: Hand, told: ActionOnRecord) -> Hand:
    return apply(hand, allowed_action(hand, told))


def _malformed(error: MalformedError) -> Verdict:
    return {"verdict": "malformed", "reason": error.reason, "pointer": error.pointer}


def _judge(history: History) -> Verdict:
    return _judge_result(history) if history.recorded else _judge_play(history)


def _judge_play(history: History) -> Verdict:
    hand = dealt_hand(history)
    for index, told in enumerate(history.actions):
        try:
            hand = _step(hand, told)
        except Refusal as refusal:
            return _illegal(index, refusal)
    missing = automatic_pass(hand)
    if missing is not None:
        return _illegal(len(history.actions), missing_pass(missing))
    return _judge_settlement(history, hand)


def _illegal(index: int, refusal: Refusal) -> Verdict:
    verdict = {"verdict": "illegal_action", "action": index}
    return verdict | {"clause": refusal.clause, "reason": refusal.reason}


def allowed_action(hand: Hand, told: ActionOnRecord) -> Action:
    """The action that the rules make of what is told, or a `Refusal` where they make another or none."""
    due = automatic_pass(hand)
    action = _automatic(due, told.action) if due is not None else _taken(hand, told.action)
    if told.breach is not None and told.breach != action.breach:
        raise Refusal("R7.3", f"the action is {'a' if action.breach else 'no'} breach")
    return action


def _automatic(due: Passed, told: Action) -> Action:
    """R6.4: an automatic pass stands where it is due, with its reason."""
    if told != due:
        raise missing_pass(due)
    return due


def missing_pass(due: Passed) -> Refusal:
    """R6.4: the refusal of whatever stands, or does not, where an automatic pass is due."""
    return Refusal("R6.4", f"seat {due.seat} passes automatically here ({due.reason})")


def _taken(hand: Hand, told: Action) -> Action:
    """A turn that the player or the clock took."""
    if is_automatic(told) and hand.turn == told.seat:
        raise Refusal("R6.3", f"seat {told.seat} does not pass automatically here")
    by = _taken_by(told)
    if isinstance(told, Passed):
        action = pass_turn(hand, told.seat, by)[0]
    else:
        action = play_mask(hand, told.seat, told.mask, by)[0]
    if by is By.CLOCK and action != clock_action(hand)[0]:
        raise Refusal("R11.2", "the clock would have acted otherwise")
    return action


def _taken_by(told: Action) -> By:
    if isinstance(told, Passed):
        return By.CLOCK if told.reason is PassReason.CLOCK else By.PLAYER
    return told.by


def _judge_settlement(history: History, hand: Hand) -> Verdict:
    settlement = None
    if hand.winner is not None:
        settlement = write_settlement(settle(hand, history.unit, history.stacks()))
    if history.settlement is None and history.voided:
        return {"verdict": "valid", "settlement": settlement}
    if history.settlement is None and settlement is None:
        return {"verdict": "incomplete", "turn": hand.turn}
    return _compared(history.settlement, settlement)


def _compared(claimed: Mapping[str, object] | None, settlement: Verdict | None) -> Verdict:
    field = _first_difference(claimed, settlement)
    if field is not None:
        return {"verdict": "wrong_settlement", "settlement": settlement, "field": field}
    return {"verdict": "valid", "settlement": settlement}


def _judge_result(history: History) -> Verdict:
    """A recorded hand: of what is told, the cards left decide who won, and who is liable must be one who can be."""
    if history.settlement is None:
        return {"verdict": "valid", "settlement": None}
    claimed = Node(history.settlement)
    result = _told_result(history, claimed, _optional_seat(claimed.member("liable")))
    problems = result_problems(history.rules, result)
    impossible = next((pointer for pointer in problems if pointer != "/liable"), None)
    if impossible is not None:
        within = "" if impossible.startswith("/twos_left") else "/settlement"
        return _malformed(MalformedError(within + impossible, problems[impossible]))
    if problems:
        result = _told_result(history, claimed, None)
    settlement = write_settlement(settle_outcome(history.rules, result, history.unit, history.stacks()))
    return _compared(history.settlement, settlement)


def _told_result(history: History, claimed: Node, liable: int | None) -> Outcome:
    """Whoever has no cards left won; the first of them, where more are said to have none."""
    seats = tuple(history.stacks())
    told = claimed.member("cards_left")
    cards_left = {seat: told.member(str(seat)).integer() for seat in seats}
    return Outcome(
        seats=seats,
        dealer=history.dealer,
        direction=history.direction,
        winner=min(seats, key=lambda seat: cards_left[seat]),
        cards_left=cards_left,
        twos_left=history.twos_left or dict.fromkeys(seats, 0),
        liable=liable,
    )


def _optional_seat(node: Node) -> int | None:
    return None if node.value is None else node.integer()


def _first_difference(claimed: Mapping[str, object] | None, settlement: Verdict | None) -> str | None:
    """The JSON pointer of the first difference of a claimed settlement from the right one, or None."""
    return next(_differences(claimed, settlement, "/settlement"), None)


def _differences(claimed: object, right: object, pointer: str) -> Iterator[str]:
    """In the order of the right value; members that it does not have are unknown and ignored, but for `covers`."""
    if isinstance(right, dict) and isinstance(claimed, dict):
        if claimed.get("covers") and "covers" not in right:
            yield f"{pointer}/covers"
        for name, value in right.items():
            yield from _differences(claimed.get(name), value, f"{pointer}/{name}")
    elif isinstance(right, list) and isinstance(claimed, list):
        for place, (one, other) in enumerate(zip_longest(claimed, right)):
            yield from _differences(one, other, f"{pointer}/{place}")
    elif claimed != right:
        yield pointer
