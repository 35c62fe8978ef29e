"""The books in words: what each line of a journal is for, and what it changes for whoever reads his statement.

A pure function of the journal and of facts that others look up: names, the hand that was settled, the place that was
paid. Every kind of journal (`domain.ledger`, `domain.wallet`) has its words here; one without is a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from big2.told import shown
from domain.amounts import amount_text
from domain.hand_events import Settled, Transfer
from domain.ids import PlayerId
from domain.journal import FEES, HOUSE, ISSUED, OUTSIDE, RAKE, VOID, Journal, Kind, Line, wallet

LONGEST: Final = 100
"""How many characters of a name, a reference or a note are shown."""
ID_LETTERS: Final = 8
"""How much of its id calls a ring table, which has no number."""
BY_TRANSFER: Final[tuple[Kind, ...]] = ("transfer", "cover")
"""Kinds of journals in which each pair of lines is a payment of its own (R8.5)."""


class HandPlayed(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of a hand; `settled` is null while it runs, or if it was voided.

    `bears_all` says that under its rule set a liable assistant bears the others' comparisons too (R12).
    """

    number: int
    unit: int
    seats: Mapping[int, PlayerId]
    settled: Settled | None = None
    bears_all: bool = False


class Won(NamedTuple):
    """The place for which a prize is."""

    place: int
    tied: bool


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a journal alone does not know.

    `people` has a name for everybody in it; `table` is the number of a tournament's table, null at a ring table. Of a
    buy-in `topped_up` tells that he had the seat already; of a refund `cancelled` tells that the tournament was.
    """

    people: Mapping[PlayerId, str] = msgspec.field(default_factory=dict)
    tournament: str | None = None
    table: int | None = None
    hand: HandPlayed | None = None
    reference: str | None = None
    note: str | None = None
    prizes: Mapping[PlayerId, Won] = msgspec.field(default_factory=dict)
    topped_up: bool = False
    cancelled: bool = False


class StatementLine(NamedTuple):
    """A line of a statement: what happened, and what his wallet and his stacks at ring tables gained by it."""

    text: str
    wallet: int
    stacks: int


GROUPS: Final[Mapping[str, str]] = {
    OUTSIDE: "outside (cash desk, bank)",
    "wallet": "wallets of players",
    "stack": "stacks at ring tables",
    "escrow": "entries in escrow",
    "pool": "prize pools",
    FEES: "fees of entries, to the house",
    RAKE: "rake of hands, to the house",
    HOUSE: "overlays of the house",
    ISSUED: "chips issued",
    "player": "chips of players",
    VOID: "chips out of play: of no-shows, by penalties and rulings",
}
"""The groups of accounts by the first part of their names, in the order in which they are shown."""


def statement_lines(journal: Journal, player: PlayerId, facts: Facts) -> list[StatementLine]:
    """The lines that a journal makes in a player's statement: one, or one for each payment of a settlement."""
    own = [number for number, line in enumerate(journal.lines) if _is_of(line, player)]
    parts = [[number] for number in own] if journal.kind in BY_TRANSFER else [own] if own else []
    return [_statement_line(journal, part, player, facts) for part in parts]


def _statement_line(journal: Journal, numbers: list[int], player: PlayerId, facts: Facts) -> StatementLine:
    lines = [journal.lines[number] for number in numbers]
    in_wallet = sum(line.amount for line in lines if line.account == wallet(player))
    whole = sum(line.amount for line in lines)
    return StatementLine(line_text(journal, numbers[0], facts), in_wallet, whole - in_wallet)


def line_text(journal: Journal, number: int, facts: Facts) -> str:
    """What line `number` of a journal, from 0, is for; on an account of the house it begins with whom it concerns."""
    line = journal.lines[number]
    text = _KINDS[journal.kind](journal, number, facts)
    if line.player_id is None or str(line.player_id) in line.account:
        return text
    return f"{_name(facts, line.player_id)}: {text}"


def account_text(account: str, facts: Facts) -> str:
    """An account as people call it.

    >>> account_text("rake", Facts())
    'rake of hands, to the house'
    """
    kind, _, rest = account.partition("/")
    match kind:
        case "wallet" | "player":
            return f"{'wallet' if kind == 'wallet' else 'chips'} of {_named(facts, rest)}"
        case "stack":
            table, _, owner = rest.partition("/")
            return f"stack of {_named(facts, owner)} at ring table {table[:ID_LETTERS]}"
        case "escrow":
            return f"escrow of {_tournament(facts)}"
        case "pool":
            return f"prize pool of {_tournament(facts)}"
    return GROUPS[kind]


# below: one function for each kind of journal


def _deposit(journal: Journal, _number: int, facts: Facts) -> str:
    reference = f", reference {shown(facts.reference, LONGEST)}" if facts.reference else ""
    note = f" ({shown(facts.note, LONGEST)})" if facts.note else ""
    return f"{journal.kind}{reference}{note}"


def _entry(journal: Journal, _number: int, facts: Facts) -> str:
    return f"entry to {_tournament(facts)}{_fee(journal)}"


def _refund(journal: Journal, _number: int, facts: Facts) -> str:
    why = "which was cancelled" if facts.cancelled else "an entry that was withdrawn"
    return f"refund from {_tournament(facts)}, {why}{_fee(journal)}"


def _fee(journal: Journal) -> str:
    """What an entry is made of, if there is a fee in it."""
    parts = {line.account: abs(line.amount) for line in journal.lines}
    if FEES not in parts:
        return ""
    rest = sum(amount for account, amount in parts.items() if account.startswith("escrow/"))
    fee = amount_text(parts[FEES], journal.currency)
    return f": buy-in {amount_text(rest, journal.currency)}, fee {fee}"


def _prize(journal: Journal, number: int, facts: Facts) -> str:
    player = journal.lines[number].player_id
    assert player is not None
    won = facts.prizes[player]
    return f"prize of {_tournament(facts)}: place {won.place}{', shared' if won.tied else ''}"


def _buy_in(journal: Journal, _number: int, facts: Facts) -> str:
    return f"{'top-up' if facts.topped_up else 'buy-in'} at {_table(journal, facts)}"


def _cash_out(journal: Journal, _number: int, facts: Facts) -> str:
    return f"cash-out from {_table(journal, facts)}"


def _ante(journal: Journal, _number: int, facts: Facts) -> str:
    return f"ante of {_hand(journal, facts)} (R10.1)"


def _pool(journal: Journal, number: int, facts: Facts) -> str:
    name = _tournament(facts)
    match journal.lines[number].account.partition("/")[0]:
        case "escrow":
            return f"buy-ins of {name}: registration is closed"
        case "house":
            return f"overlay: what the buy-ins of {name} lack of its guarantee"
    return f"{name} is played for this"


def _dissolution(_journal: Journal, _number: int, facts: Facts) -> str:
    return f"{_tournament(facts)} was cancelled: back from its prize pool"


def _issued(_journal: Journal, _number: int, facts: Facts) -> str:
    return f"stack to begin {_tournament(facts)} with"


def _no_show(_journal: Journal, _number: int, facts: Facts) -> str:
    return f"chips of a no-show in {_tournament(facts)}"


def _ruling(_journal: Journal, _number: int, facts: Facts) -> str:
    return f"ruling on hand {_played(facts).number} of {_tournament(facts)}"


def _penalty(_journal: Journal, _number: int, facts: Facts) -> str:
    return f"chips lost by a penalty in {_tournament(facts)}"


def _transfer(journal: Journal, number: int, facts: Facts) -> str:
    hand = _played(facts)
    assert hand.settled is not None, "only a settled hand moves chips"
    covers = journal.kind == "cover"
    transfer = [t for t in hand.settled.transfers if t.paid and t.covers is covers][number // 2]
    pays = journal.lines[number].amount < 0
    other = _name(facts, hand.seats[transfer.receiver if pays else transfer.payer])
    text = _cover(other, pays=pays) if covers else _comparison(transfer, other, journal, hand, pays=pays)
    return f"{_hand(journal, facts)}: {text}{_cut(transfer, journal.currency)}"


def _comparison(transfer: Transfer, other: str, journal: Journal, hand: HandPlayed, *, pays: bool) -> str:
    """One comparison of R8.1, from the side of the line."""
    assert hand.settled is not None
    assert transfer.points is not None
    left, points = hand.settled.cards_left, transfer.points
    me, him = (transfer.payer, transfer.receiver) if pays else (transfer.receiver, transfer.payer)
    mine, his = left[me], left[him]
    liable = hand.bears_all and transfer.payer == hand.settled.liable
    by_rule_set = "" if liable or points == abs(mine - his) else " (R12)"
    why = "a liable assistant pays (R12)" if liable else f"{_counted(mine, 'card')} to {his}"
    price = f"{_counted(points, 'point')}{by_rule_set} × {amount_text(hand.unit, journal.currency)}"
    return f"{why}, {price} {'to' if pays else 'from'} {other}"


def _cover(other: str, *, pays: bool) -> str:
    if pays:
        return f"cover of the loss of {other}, as the liable assistant (R8.4)"
    return f"cover of a loss (R8.4) by {other}, the liable assistant"


def _cut(transfer: Transfer, currency: str | None) -> str:
    if transfer.paid == transfer.due:
        return ""
    return f", cut to the stakes (R8.3): {amount_text(transfer.due, currency)} was due"


def _hand(journal: Journal, facts: Facts) -> str:
    return f"hand {_played(facts).number} at {_table(journal, facts)}"


def _table(journal: Journal, facts: Facts) -> str:
    if facts.table is None:
        return f"ring table {str(journal.table_id)[:ID_LETTERS]}"
    return f"table {facts.table} of {_tournament(facts)}"


def _played(facts: Facts) -> HandPlayed:
    assert facts.hand is not None, "a hand's journal comes with its hand"
    return facts.hand


def _tournament(facts: Facts) -> str:
    assert facts.tournament is not None, "a tournament's journal comes with its name"
    return shown(facts.tournament, LONGEST)


def _named(facts: Facts, text: str) -> str:
    return _name(facts, PlayerId(UUID(text)))


def _name(facts: Facts, player: PlayerId) -> str:
    return shown(facts.people[player], LONGEST)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _is_of(line: Line, player: PlayerId) -> bool:
    """Whether a line is on his wallet or on a stack of his."""
    of_stack = line.account.startswith("stack/") and line.account.endswith(f"/{player}")
    return of_stack or line.account == wallet(player)


_KINDS: Final[Mapping[Kind, Callable[[Journal, int, Facts], str]]] = {
    "deposit": _deposit,
    "withdrawal": _deposit,
    "entry": _entry,
    "refund": _refund,
    "prize": _prize,
    "buy_in": _buy_in,
    "cash_out": _cash_out,
    "pool": _pool,
    "dissolution": _dissolution,
    "ante": _ante,
    "transfer": _transfer,
    "cover": _transfer,
    "issued": _issued,
    "no_show": _no_show,
    "ruling": _ruling,
    "penalty": _penalty,
}
