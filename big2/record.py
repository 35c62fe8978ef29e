"""The hand history `big2-hand/1`: one hand as one JSON object, read into a value and written again.

Reading checks the form and the notation of everything, and judges nothing: that is `history`'s part. Members that are
not known are ignored, and kept when a history is passed on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from big2.actions import AUTOMATIC, Action, By, Passed, PassReason, Played
from big2.cards import mask_of, mask_text, parse_stored_cards
from big2.errors import NotationError, RuleSetError
from big2.form import Node
from big2.rulesets import MOST_CARDS, RuleSet, ruleset_from_mapping
from big2.settlement import Settlement, Transfer
from big2.switches import TwosRule
from big2.table import SEATS, Direction

FORMAT: Final = "big2-hand/1"
LOWEST_CARD: Final = "lowest_card"
MOST_CHIPS: Final = 2**53 - 1
"""The greatest unit and stack: what every reader of JSON can hold."""

Presets = Mapping[str, RuleSet]
Published = Callable[[str], RuleSet | None]
"""Finds a published rule set by `name@version`, or None."""

Members = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Seated:
    """A player who was dealt in, with his stack at the hand's start, after any ante; None in points formats."""

    seat: int
    player: str
    stack: int | None
    extra: Members = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionOnRecord:
    """An action as a history tells it; `breach` is None where it is silent, `extra` holds `at`, `deadline` and such."""

    action: Action
    breach: bool | None = None
    extra: Members = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class History:
    """A hand on record. `named_rules` is how it names its rule set; `leader` None is the lowest card (R5.1).

    `deal` has the holdings as masks. `settlement` is what is claimed, as written. A breach is known only once the hand
    is played again: the actions as read have none, and `ActionOnRecord.breach` is what the history claims. A hand
    that was played with real cards is `recorded`: it has neither deal nor actions, and `twos_left` by seat where those
    count.
    """

    named_rules: str | Members
    rules: RuleSet
    unit: int
    seats: tuple[Seated, ...]
    dealer: int
    direction: Direction
    leader: int | None
    deal: Mapping[int, int]
    actions: tuple[ActionOnRecord, ...]
    settlement: Members | None = None
    voided: bool = False
    recorded: bool = False
    twos_left: Mapping[int, int] = field(default_factory=dict)
    extra: Members = field(default_factory=dict)

    def stacks(self) -> dict[int, int | None]:
        """What each seat had at the hand's start."""
        return {seated.seat: seated.stack for seated in self.seats}


def nothing_published(name: str) -> RuleSet | None:
    """Where no rule sets are published, none is found by any name."""
    del name
    return None


_KNOWN: Final = {
    "format", "rules", "unit", "seats", "dealer", "direction", "leader", "deal", "actions", "settlement", "voided",
    "recorded",
}  # fmt: skip


def read_history(value: object, presets: Presets, published: Published = nothing_published) -> History:
    """Read a hand history, or raise `MalformedError` with a pointer to the first thing that is out of form."""
    node = Node(value)
    node.refuse_problem()
    if node.member("format").value != FORMAT:
        raise node.member("format").wrong(f"must be {FORMAT}")
    rules = read_rules(node.member("rules"), presets, published)
    unit = node.member("unit").integer(1, MOST_CHIPS)
    seats = _seats(node.member("seats"))
    history = History(
        named_rules=node.member("rules").value,  # type: ignore[arg-type]
        rules=rules,
        unit=unit,
        seats=seats,
        dealer=node.member("dealer").integer(SEATS[0], SEATS[-1]),
        direction=node.member("direction").choice(Direction),
        leader=None,
        deal={},
        actions=(),
        settlement=_claimed(node.optional("settlement"), {seated.seat for seated in seats}),
        voided=_flag(node, "voided"),
        recorded=_flag(node, "recorded"),
    )
    return _with_result(history, node) if history.recorded else _with_play(history, node)


def _flag(node: Node, name: str) -> bool:
    flag = node.optional(name)
    return flag is not None and flag.boolean()


def _with_play(history: History, node: Node) -> History:
    """The lead, the deal and the actions."""
    dealt_in = set(history.stacks())
    return replace(
        history,
        leader=_leader(node.member("leader"), dealt_in),
        deal=_deal(node.member("deal"), dealt_in),
        actions=tuple(_recorded(item, dealt_in) for item in node.member("actions").items()),
        extra=_extra(node, _KNOWN),
    )


def _with_result(history: History, node: Node) -> History:
    """What is known of a hand that was played with real cards; who led it may be told."""
    dealt_in = set(history.stacks())
    leader, deal, actions = node.optional("leader"), node.optional("deal"), node.member("actions")
    if deal is not None:
        raise deal.wrong("must be left out: nobody knows the deal of a recorded hand")
    if actions.items():
        raise actions.wrong("must be empty: nobody knows the actions of a recorded hand")
    _check_result(node, dealt_in, voided=history.voided)
    counts = history.rules.twos is not TwosRule.NONE
    return replace(
        history,
        leader=None if leader is None else _leader(leader, dealt_in),
        twos_left=_twos_left(node.member("twos_left"), dealt_in) if counts and history.settlement else {},
        extra=_extra(node, _KNOWN | ({"twos_left"} if counts else set())),
    )


def _check_result(node: Node, dealt_in: set[int], *, voided: bool) -> None:
    """A recorded hand is nothing but its result: without one it was voided. Each seat has from 0 to 13 cards left."""
    settlement = node.optional("settlement")
    if settlement is None or settlement.value is None:
        if not voided:
            raise (settlement or node).wrong("must have a settlement: the hand is recorded and not voided")
        return
    cards_left = settlement.member("cards_left")
    for seat in sorted(dealt_in):
        cards_left.member(str(seat)).integer(0, MOST_CARDS)


def _twos_left(node: Node, dealt_in: set[int]) -> dict[int, int]:
    """By seat; a seat that is not named has none."""
    named = {_seat_key(name, item, dealt_in): item.integer(0, 4) for name, item in node.each_member()}
    return dict.fromkeys(sorted(dealt_in), 0) | named


def read_rules(node: Node, presets: Presets, published: Published) -> RuleSet:
    """A preset's name, a published `name@version`, or a base preset and what differs."""
    if isinstance(node.value, str):
        rules = presets.get(node.value) or published(node.value)
        if rules is None:
            known = ", ".join(sorted(presets))
            raise node.wrong(f"is no known rule set: name a preset ({known}), or write it out as an object")
        return rules
    try:
        return ruleset_from_mapping(node.members(), presets)
    except RuleSetError as error:
        raise node.below(error.field, None).wrong(error.reason) from None


def _extra(node: Node, known: set[str]) -> Members:
    return {name: value for name, value in node.members().items() if name not in known}


def _seats(node: Node) -> tuple[Seated, ...]:
    items = node.items()
    if not 2 <= len(items) <= len(SEATS):
        raise node.wrong("must be 2, 3 or 4 seats (R2.1)")
    seats = tuple(_seated(item) for item in items)
    for place, (before, seated) in enumerate(pairwise(seats), 1):
        if seated.seat <= before.seat:
            raise items[place].wrong("must stand in ascending order of seats")
    return seats


def _seated(node: Node) -> Seated:
    stack = node.member("stack")
    return Seated(
        node.member("seat").integer(SEATS[0], SEATS[-1]),
        node.member("player").text(),
        None if stack.value is None else stack.integer(0, MOST_CHIPS),
        _extra(node, {"seat", "player", "stack"}),
    )


def _seat(node: Node, dealt_in: set[int]) -> int:
    seat = node.integer()
    if seat not in dealt_in:
        raise node.wrong("is no seat dealt in")
    return seat


def _leader(node: Node, dealt_in: set[int]) -> int | None:
    return None if node.value == LOWEST_CARD else _seat(node, dealt_in)


def _deal(node: Node, dealt_in: set[int]) -> dict[int, int]:
    """R2.1: thirteen cards to each seat, from one pack."""
    deal = {_seat_key(name, item, dealt_in): _cards(item) for name, item in node.each_member()}
    dealt = 0
    for seat in sorted(dealt_in):
        item = node.member(str(seat))
        if deal[seat].bit_count() != MOST_CARDS:
            raise item.wrong(f"must be {MOST_CARDS} cards (R2.1)")
        if deal[seat] & dealt:
            raise item.wrong("has a card that was dealt to another seat")
        dealt |= deal[seat]
    return deal


def _seat_key(name: str, node: Node, dealt_in: set[int]) -> int:
    for seat in dealt_in:
        if name == str(seat):
            return seat
    raise node.wrong("is no seat dealt in")


def _cards(node: Node) -> int:
    try:
        return mask_of(parse_stored_cards(node.text()))
    except NotationError as error:
        raise node.wrong(error.reason) from None


def _recorded(node: Node, dealt_in: set[int]) -> ActionOnRecord:
    seat = _seat(node.member("seat"), dealt_in)
    played, passed, breach = node.optional("play"), node.optional("pass"), node.optional("breach")
    if (played is None) == (passed is None):
        raise node.wrong("must be either a play or a pass")
    by = _by(node.optional("by"))
    action: Action
    if played is not None:
        action = Played(seat, _play(played), by)
    else:
        action = Passed(seat, node.member("pass").choice(PassReason))
    known = {"seat", "play", "pass", "breach"}
    return ActionOnRecord(action, None if breach is None else breach.boolean(), _extra(node, known))


def _play(node: Node) -> int:
    mask = _cards(node)
    if mask.bit_count() > MOST_CARDS:
        raise node.wrong(f"must be {MOST_CARDS} cards at most")
    return mask


def _by(node: Node | None) -> By:
    """Who acted; whatever is not the clock is the player or whoever spoke for him."""
    return By.CLOCK if node is not None and node.text() == By.CLOCK else By.PLAYER


def _claimed(node: Node | None, dealt_in: set[int]) -> Members | None:
    """The settlement as written, once its form is right; whether it is right is another question."""
    if node is None or node.value is None:
        return None
    _seat(node.member("winner"), dealt_in)
    if node.member("liable").value is not None:
        _seat(node.member("liable"), dealt_in)
    for numbers in ("cards_left", "net"):
        for name, item in node.member(numbers).each_member():
            _seat_key(name, item, dealt_in)
            item.integer()
    for item in node.member("transfers").items():
        _check_transfer(item, dealt_in)
    return node.members()


def _check_transfer(node: Node, dealt_in: set[int]) -> None:
    covers = node.optional("covers")
    for end in ("from", "to"):
        _seat(node.member(end), dealt_in)
    for number in ("due", "paid"):
        node.member(number).integer()
    if covers is None or not covers.boolean():
        node.member("points").integer()


def write_history(history: History) -> dict[str, object]:
    """The JSON object of a history; reading it gives the same history."""
    written: dict[str, object] = {
        "format": FORMAT,
        "rules": history.named_rules,
        "unit": history.unit,
        "seats": [_written_seat(seated) for seated in history.seats],
        "dealer": history.dealer,
        "direction": history.direction.value,
        "leader": LOWEST_CARD if history.leader is None else history.leader,
        **(_written_result(history) if history.recorded else _written_deal(history)),
        "actions": [write_action(recorded, history.rules.suits) for recorded in history.actions],
        "settlement": history.settlement,
    }
    return written | ({"voided": True} if history.voided else {}) | dict(history.extra)


def _written_deal(history: History) -> dict[str, object]:
    return {"deal": {str(seat): mask_text(mask, history.rules.suits) for seat, mask in history.deal.items()}}


def _written_result(history: History) -> dict[str, object]:
    twos = {str(seat): left for seat, left in history.twos_left.items()}
    return {"recorded": True} | ({"twos_left": twos} if twos else {})


def _written_seat(seated: Seated) -> dict[str, object]:
    return {"seat": seated.seat, "player": seated.player, "stack": seated.stack} | dict(seated.extra)


def write_action(recorded: ActionOnRecord, suits: str) -> dict[str, object]:
    """An action as a history has it."""
    action = recorded.action
    written: dict[str, object] = {"seat": action.seat}
    if isinstance(action, Passed):
        written["pass"] = action.reason.value
    else:
        written["play"] = mask_text(action.mask, suits)
        written |= {"by": By.CLOCK.value} if action.by is By.CLOCK else {}
    written |= {} if recorded.breach is None else {"breach": recorded.breach}
    return written | dict(recorded.extra)


def action_on_record(action: Action, extra: Members | None = None) -> ActionOnRecord:
    """An action as it goes on record: a breach is marked where there is one, and automatic passes need no mark."""
    return ActionOnRecord(action, True if action.breach else None, extra or {})


def write_settlement(settlement: Settlement) -> dict[str, object]:
    """A settlement as a history has it; seats are texts where they name members, as JSON has it."""
    return {
        "winner": settlement.winner,
        "cards_left": {str(seat): left for seat, left in settlement.cards_left.items()},
        "liable": settlement.liable,
        "transfers": [_written_transfer(transfer) for transfer in settlement.transfers],
        "net": {str(seat): chips for seat, chips in settlement.net.items()},
    }


def _written_transfer(transfer: Transfer) -> dict[str, object]:
    written: dict[str, object] = {"from": transfer.payer, "to": transfer.receiver}
    written |= {"covers": True} if transfer.covers else {"points": transfer.points}
    return written | {"due": transfer.due, "paid": transfer.paid}


def is_automatic(action: Action) -> bool:
    """R6: whether an action is a pass that a hand makes by itself."""
    return isinstance(action, Passed) and action.reason in AUTOMATIC
