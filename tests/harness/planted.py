"""Bugs on purpose: each a small lie told to the product, for the time of a test, that the simulator must notice.

Nothing of it is in the product. A plant names what it replaces there, and the invariants of which one must break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import UUID

from msgspec.structs import replace

from big2 import hand as play_rules
from big2 import state
from big2.actions import Played
from big2.cards import mask_text
from domain import hand as hands
from domain.ring_events import ToppedUp
from services.application import resources as shapes
from services.envelope import GENESIS, Change, Row, seal
from services.errors import Unavailable
from tests.harness import sim
from tests.harness import sim_books as books
from tests.harness import sim_hands as in_hand
from tests.harness import sim_log as log
from tests.harness import sim_machine as machine

Make = Callable[[Any], Any]
"""From what is there to what is to be there instead."""


class Plant(NamedTuple):
    """A bug: which invariants may catch it, and what it replaces by dotted name."""

    caught_by: tuple[str, ...]
    replaced: dict[str, Make]


@contextmanager
def planted(plant: Plant) -> Iterator[None]:
    """The product with this bug in it, for a block."""
    with ExitStack() as block:
        for name, make in plant.replaced.items():
            block.enter_context(patch(name, make(resolve_name(_with_colon(name)))))
        yield


def _with_colon(name: str) -> str:
    """`resolve_name` wants to know where the module ends: before the first capital, or the last dot."""
    words = name.split(".")
    ends = next((i for i, word in enumerate(words) if word[:1].isupper()), len(words) - 1)
    return f"{'.'.join(words[:ends])}:{'.'.join(words[ends:])}"


def _forgets_commands(load: Any) -> Any:
    return lambda *args, **how: replace(load(*args, **how), commands={})


def _not_once(append: Any) -> Any:
    return lambda *args, **how: append(*args, **{**how, "once": False})


def _version(store: Any, stream: UUID) -> int:
    return len(store._rows.read(stream).rows)


def _ignores_versions(append: Any) -> Any:
    def anywhere(self: Any, command: Any, changes: Any, *args: Any, **how: Any) -> Any:
        newest = [Change(c.stream_id, _version(self, c.stream_id), c.events) for c in changes if c.events]
        return append(self, command, newest, *args, **how)

    return anywhere


def _done_all_the_same(append: Any) -> Any:
    def hopeful(self: Any, command: Any, changes: Any, at: Any, *args: Any, **how: Any) -> Any:
        try:
            return append(self, command, changes, at, *args, **how)
        except Unavailable:
            facts = [
                (c.stream_id, n, e) for c in changes for n, e in enumerate(c.events, c.expected_version + 1)
            ]
            return [self._codec.decode(_row(self, command, at, *fact)) for fact in facts]

    return hopeful


def _row(store: Any, command: Any, at: Any, stream: UUID, version: int, event: Any) -> Row:
    state = seal(store._codec.encode(command, at, event), GENESIS)
    return Row(stream, version, store._codec.topic(event), state, 0)


def _whatever_the_turn(_: Any) -> Any:
    def act(hand: Any, _turn: int, now: Any) -> Any:
        running = hand.state is hands.State.RUNNING and hand.deadline is not None
        return hands._recorded(hand, play_rules.clock_action(hand.game), now) if running else []

    return act


def _stale_turns_too(play: Any) -> Any:
    return lambda hand, player, _, *rest: play(hand, player, hand.game.turn_number, *rest)


def _the_wrong_way(settle: Any) -> Any:
    def settled(*args: Any) -> Any:
        right = settle(*args)
        turned = tuple(t._replace(payer=t.receiver, receiver=t.payer) for t in right.transfers)
        return right._replace(transfers=turned, net={seat: -net for seat, net in right.net.items()})

    return settled


def _first_transfer_lost(settle: Any) -> Any:
    def settled(*args: Any) -> Any:
        right = settle(*args)
        if not right.transfers:
            return right
        lost, net = right.transfers[0], dict(right.net)
        net[lost.payer] += lost.paid
        net[lost.receiver] -= lost.paid
        return right._replace(transfers=right.transfers[1:], net=net)

    return settled


def _trick_goes_on(_: Any) -> Any:
    after_pass = state._after_pass

    def apply(hand: Any, action: Any) -> Any:
        after = state._after_play(hand, action) if isinstance(action, Played) else after_pass(hand, action)
        ended = hand.to_beat is not None and after.to_beat is None and after.turn is not None
        if ended:
            return after._replace(to_beat=hand.to_beat, to_beat_seat=hand.to_beat_seat)
        return after

    return apply


def _asks_twice(pay: Any) -> Any:
    def twice(store: Any, name: str, batch: Any) -> None:
        pay(store, name, batch)
        pay(store, f"{name}-again", batch)

    return twice


def _without(job: str) -> Make:
    return lambda due: lambda *args: [row for row in due(*args) if row[1] != job]


def _shows_seat_one(_: Any) -> Any:
    def you(hand: Any, actor: Any) -> Any:
        if hand.recorded:
            return None
        seat = hand.terms.seats[0].seat
        cards = mask_text(hand.game.holdings[seat], hand.game.rules.suits).split()
        return shapes.You(seat=seat, cards=cards, duty=None)

    return you


def _twice(begin: Any) -> Any:
    def begun(ring: Any, deal: Any) -> Any:
        [event] = begin(ring, deal)
        less = {seat: stack - event.ante for seat, stack in event.stacks.items()}
        return [replace(event, stacks=less)]

    return begun


MIXED_UP = (
    in_hand.OWN_TURN,
    in_hand.LEGAL,
    in_hand.TURN,
    books.CHIPS,
    books.PAUSED,
    books.SEATS,
    books.STACKS,
)
"""Any of these may show first that two have written over one another."""


def _numbers_back(void_from: Any) -> Any:
    def void(hand: Any, by: Any, reason: str, action: int, now: Any) -> Any:
        [told] = void_from(hand, by, reason, action, now)
        return [replace(told, next_turn=replace(told.next_turn, number=told.turn))]

    return void


PLANTS: dict[str, Plant] = {
    "a repeated command is carried out again": Plant(
        (log.ONCE,),
        {
            "services.store.Store.load": _forgets_commands,
            "services.store.Store.append": _not_once,
            "services.commands._must_be_new": lambda _: lambda *_: None,
        },
    ),
    "the same key is taken with another body": Plant(
        (log.ONCE,),
        {
            "services.commands._must_be_new": lambda _: lambda *_: None,
            "services.commands._repeat": lambda repeat: (
                lambda store, command, aggregate, stream, taken: repeat(
                    store, replace(command, digest=taken.digest), aggregate, stream, taken
                )
            ),
        },
    ),
    "expected versions are ignored": Plant(
        (log.REFUSED, books.WALLETS, machine.WORKS, *MIXED_UP),
        {"services.store.Store.append": _ignores_versions},
    ),
    "an append whose answer was lost counts as done": Plant(
        (log.ACKNOWLEDGED, log.ONCE, machine.WORKS), {"services.store.Store.append": _done_all_the_same}
    ),
    "the deadline's job does not look at its turn": Plant(
        (in_hand.TURN,), {"domain.hand.act_for_absent": _whatever_the_turn}
    ),
    "the clock acts before the deadline": Plant(
        (in_hand.TURN,),
        {
            "domain.hand.act_for_absent": lambda act: (
                lambda hand, turn, now: act(hand, turn, max(now, hand.deadline or now))
            )
        },
    ),
    "a play on a stale turn is taken for the running one": Plant(
        (in_hand.OWN_TURN,), {"domain.hand.play": _stale_turns_too}
    ),
    "the loser is paid": Plant((in_hand.NETS,), {"domain.hand.settle": _the_wrong_way}),
    "the first payment of a settlement is lost": Plant(
        (in_hand.NETS,), {"domain.hand.settle": _first_transfer_lost}
    ),
    "a trick does not end when all have passed": Plant(
        (in_hand.LEGAL, machine.WORKS), {"big2.hand.apply": _trick_goes_on}
    ),
    "the button stays where it is": Plant(
        (books.BUTTON, machine.WORKS), {"big2.table.next_dealer": lambda _: lambda before, _: before}
    ),
    "the ante is charged twice": Plant((books.STACKS, in_hand.NETS), {"domain.ring_hands.begin": _twice}),
    "money that is topped up leaves no wallet": Plant(
        (books.STACKS,),
        {
            "services.application.ring_tables.movements": lambda movements: (
                lambda events: movements(e for e in events if not isinstance(e, ToppedUp))
            )
        },
    ),
    "the escrow is never released into the pool": Plant(
        (books.RECEIPTS, books.WALLETS), {"domain.pool.form": lambda _: lambda *_: []}
    ),
    "the odd units of a pool are lost": Plant(
        (books.RECEIPTS,),
        {"domain.pool.allotted": lambda _: lambda pool, table: [pool * w // sum(table) for w in table]},
    ),
    "a prize is paid as often as its job asks": Plant(
        (books.WALLETS,),
        {
            "domain.wallet.give": lambda give: lambda wallet, it: give(replace(wallet, booked=set()), it),
            "services.application.payments._pay": _asks_twice,
        },
    ),
    "a withdrawal refunds twice the entry": Plant(
        (books.WALLETS, books.RECEIPTS),
        {
            "services.application.tournaments.refund": lambda refund: (
                lambda t, buy_in, journal: refund(t, replace(buy_in, amount=2 * buy_in.amount), journal)
            )
        },
    ),
    "the agenda loses the job that follows a pause": Plant(
        (sim.IDLE, sim.FINISHES), {"tests.harness.sim_service.Projected.due": _without("pause")}
    ),
    "a jump of the database's clock goes unnoticed": Plant(
        (in_hand.TIME,), {"workers.clock.jump": lambda _: lambda *_: None}
    ),
    "a deal waits for a clock that was set back": Plant(
        (sim.IDLE, sim.FINISHES),
        {
            f"domain.{where}.over": lambda _: lambda ends, _, now: ends <= now
            for where in ("director", "ring_hands")
        },
    ),
    "everybody sees the cards of the first seat": Plant(
        (in_hand.HIDDEN,), {"services.application.handviews._you": _shows_seat_one}
    ),
}

DIRECTED: dict[str, Plant] = {
    "a turn that begins anew has an old one's number": Plant(
        (in_hand.OWN_TURN,), {"domain.running_rulings.void_from": _numbers_back}
    ),
    "the first action that is void still stands": Plant(
        (in_hand.LEGAL, in_hand.CARDS, machine.WORKS),
        {"domain.hand.before_action": lambda before: lambda hand, number: before(hand, number + 1)},
    ),
    "time that is given is not waited for": Plant(
        (in_hand.TIME,),
        {
            "domain.running_rulings.give_time": lambda give: (
                lambda hand, by, reason, seconds, now: [
                    replace(told, deadline=hand.deadline, remaining_ms=hand.stopped_ms)
                    for told in give(hand, by, reason, seconds, now)
                ]
            )
        },
    ),
}
"""What only a director who rules on hands that run brings to light."""
