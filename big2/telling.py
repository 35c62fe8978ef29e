"""A hand history told for people: who sat there, the tricks, the settlement, and whether the rules accept it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from big2.cards import TWOS
from big2.errors import MalformedError
from big2.form import parse_json
from big2.history import verify
from big2.record import History, Presets, read_history
from big2.settlement import points_of
from big2.telling_play import Names, tell_play
from big2.told import Block, Cell, Piece, Row, Tone, card_cell, cell, cells, shown, value_text
from big2.tricks import Retold, retell


@dataclass(frozen=True, slots=True)
class Told:
    """A hand in words, and whether the rules accept what it has so far."""

    blocks: tuple[Block, ...]
    accepted: bool


def tell(text: str, presets: Presets) -> Told:
    """Tell a hand history, given as text; one that is malformed is told as that, with a JSON pointer."""
    try:
        value = parse_json(text)
        history = read_history(value, presets)
    except MalformedError as error:
        return Told((Block(_malformed(error.pointer, error.reason)),), False)
    verdict: dict[str, Any] = verify(value, presets)
    names = {seated.seat: shown(seated.player) for seated in history.seats}
    retold = None if history.recorded else retell(history)
    blocks = tuple(_blocks(_Hand(history, names, retold, verdict)))
    return Told(blocks, verdict["verdict"] in ("valid", "incomplete"))


@dataclass(frozen=True, slots=True)
class _Hand:
    """What is known of a hand: as written, as it was played unless it is recorded, and what `verify` says."""

    history: History
    names: Names
    retold: Retold | None
    verdict: Mapping[str, Any]


def _blocks(hand: _Hand) -> Iterator[Block]:
    yield _head(hand.history, hand.names)
    yield _seats(hand.history, hand.names)
    if hand.retold is not None:
        yield from tell_play(hand.history, hand.retold, hand.names)
    if hand.verdict.get("settlement") and (hand.history.settlement or not hand.history.voided):
        yield _result(hand, hand.verdict["settlement"])
        yield _payments(hand.names, hand.verdict["settlement"])
    yield Block(_in_words(hand))


# the head and the seats

_LINE: Final = 72
"""Characters of a line of switches."""
_EXTRA: Final = ("hand_id", "table_id", "tournament_id", "started_at", "played_at")


def _head(history: History, names: Names) -> Block:
    number = history.extra.get("number")
    facts = {
        "unit": str(history.unit),
        "dealer": f"seat {history.dealer}"
        + (f", {names[history.dealer]}" if history.dealer in names else ""),
        "direction": history.direction.value,
    }
    facts |= _taken_back(history.extra.get("voided_actions"))
    facts |= {"recorded": "real cards: the result alone is known"} if history.recorded else {}
    facts |= {
        name.replace("_", " "): value_text(history.extra[name]) for name in _EXTRA if name in history.extra
    }
    rows = tuple((cell(name, Tone.QUIET), cell(fact)) for name, fact in (*_rules(history), *facts.items()))
    return Block(cell("Hand" if number is None else f"Hand {value_text(number)}", Tone.STRONG), rows)


def _taken_back(voided: object) -> dict[str, str]:
    """What is told beside the play, and is no part of it."""
    if not isinstance(voided, list) or not voided:
        return {}
    times = "once" if len(voided) == 1 else f"{len(voided)} times"
    return {"voided": f"actions, {times}, while it ran: told is what stands"}


def _rules(history: History) -> Iterator[tuple[str, str]]:
    """The rule set by its name, if it has one; below it the switches that the history writes out, line by line."""
    rules = history.named_rules
    if history.extra.get("rules_named", rules) != rules:
        yield "rules named", value_text(history.extra["rules_named"])
    if isinstance(rules, str):
        yield "rules", shown(rules)
        return
    if "base" in rules:
        yield "rules", str(rules["base"])
    for place, line in enumerate(_switch_lines(rules)):
        yield "" if place else "with" if "base" in rules else "rules", line


def _switch_lines(rules: Mapping[str, object]) -> list[str]:
    """A switch and its value are kept together: the blanks within are hard ones while the lines are broken."""
    told = (f"{name} {value_text(value)}" for name, value in rules.items() if name != "base")
    lines = wrap(", ".join(each.replace(" ", "\xa0") for each in told), _LINE)
    return [line.replace("\xa0", " ") for line in lines]


def _seats(history: History, names: Names) -> Block:
    head = cells("seat", "player", "stack", "" if history.recorded else "dealt", tone=Tone.QUIET)
    rows = tuple(
        (
            *cells(str(seated.seat), names[seated.seat]),
            cell("" if seated.stack is None else str(seated.stack)),
            card_cell(history.deal.get(seated.seat, 0), history.rules),
        )
        for seated in history.seats
    )
    return Block(cell("Seats", Tone.STRONG), (head, *rows), frozenset({0, 2}))


# the settlement


def _result(hand: _Hand, settlement: Mapping[str, Any]) -> Block:
    title = "Settlement" if hand.verdict["verdict"] == "valid" else "Settlement by the rules"
    title += f": {hand.names[settlement['winner']]} went out"
    if settlement["liable"] is not None:
        title += f", {hand.names[settlement['liable']]} is liable (R7.4)"
    head = cells("seat", "player", "left", "points", "net", "cards" if hand.retold else "", tone=Tone.QUIET)
    rows = [_result_row(hand, settlement, seat) for seat in hand.names]
    return Block(cell(title, Tone.STRONG), (head, *rows), frozenset({0, 2, 3, 4}))


def _result_row(hand: _Hand, settlement: Mapping[str, Any], seat: int) -> Row:
    holding = hand.retold.hand.holdings[seat] if hand.retold else 0
    twos = (holding & TWOS).bit_count() if hand.retold else hand.history.twos_left.get(seat, 0)
    rules, left, net = hand.history.rules, settlement["cards_left"][str(seat)], settlement["net"][str(seat)]
    points = points_of(rules, left, twos)
    return (
        *cells(str(seat), hand.names[seat], str(left), str(points), f"{net:+}" if net else "0"),
        card_cell(holding, rules),
    )


def _payments(names: Names, settlement: Mapping[str, Any]) -> Block:
    """R8.5: each transfer, in the order of R8.2; there is one at least, for all others owe the winner."""
    head = cells("from", "to", "points", "due", "paid", tone=Tone.QUIET)
    rows = [_payment(names, transfer) for transfer in settlement["transfers"]]
    return Block(cell("Payments", Tone.STRONG), (head, *rows), frozenset({2, 3, 4}))


def _payment(names: Names, transfer: Mapping[str, Any]) -> Row:
    covers, due, paid = transfer.get("covers"), transfer["due"], transfer["paid"]
    notes = ["covers the loss (R8.4)"] if covers else []
    notes += ["cut to the stakes (R8.3)"] if paid < due else []
    points = "" if covers else str(transfer["points"])
    texts = (names[transfer["from"]], names[transfer["to"]], points, str(due), str(paid))
    return (*cells(*texts), cell(", ".join(notes), Tone.QUIET))


# the verdict


def _in_words(hand: _Hand) -> Cell:
    """What `big2 verify` says, as a sentence."""
    verdict = hand.verdict
    match verdict["verdict"]:
        case "valid" if hand.history.voided:
            return _sentence("Valid", "all that there was is allowed; the hand was voided, and nobody pays")
        case "valid" if hand.history.recorded:
            return _sentence("Valid", "there can be such a result, and the settlement is right")
        case "valid":
            return _sentence("Valid", "all that was played is allowed, and the settlement is right")
        case "incomplete":
            return _sentence(
                "Unfinished", f"it is the turn of {hand.names[verdict['turn']]}, seat {verdict['turn']}"
            )
        case "illegal_action":
            return _sentence("Not allowed", _stopped(hand.history, verdict), Tone.WRONG)
        case "malformed":
            return _malformed(verdict["pointer"], verdict["reason"])
        case _:
            return _sentence("Wrong settlement", _difference(hand.history, verdict), Tone.WRONG)


def _malformed(pointer: str, reason: str) -> Cell:
    return _sentence("Malformed", f"{shown(pointer, 200) or 'the whole'}: {shown(reason, 200)}", Tone.WRONG)


def _sentence(verdict: str, told: str, tone: Tone = Tone.STRONG) -> Cell:
    return (Piece(f"{verdict}: ", tone), Piece(told))


def _stopped(history: History, verdict: Mapping[str, Any]) -> str:
    index, number = verdict["action"], len(history.actions)
    where = "" if index < number else ", after the last action"
    hidden = number - index - 1
    more = f"; {hidden} more not shown" if hidden > 0 else ""
    return f"/actions/{index}{where}: {verdict['reason']} ({verdict['clause']}){more}"


def _difference(history: History, verdict: Mapping[str, Any]) -> str:
    field = verdict["field"]
    if field == "/settlement":
        return "nobody went out yet" if history.settlement else "there is none, and somebody went out"
    claimed, right = (_found(value, field) for value in (history.settlement, verdict["settlement"]))
    return f"{field} is {claimed}, and by the rules it is {right}"


def _found(settlement: object, pointer: str) -> str:
    """What stands at a pointer below `/settlement`, as text."""
    value = settlement
    for name in pointer.split("/")[2:]:
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return "none" if value is None else value_text(value)
