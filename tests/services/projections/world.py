"""The truth that projections are held against: every stream up to a position, folded by its own aggregate."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from domain.credential import CREDENTIAL
from domain.dispute_events import Released, Ruled
from domain.hand import HAND, Hand
from domain.hand import State as HandState
from domain.hand_events import Confirmed, Finalised, Settled
from domain.ids import PlayerId, roster_id, wallet_id
from domain.pausing import behind
from domain.payments import SLICE, Payment, owed
from domain.player import PLAYER
from domain.ring import RING, Ring
from domain.roster import ROSTER, Registered, Roster, Withdrawn
from domain.ruleset import RULE_SET
from domain.stakes import STAKES
from domain.table import TABLE, Table
from domain.table_events import HandEnded, TablePaused, TableResumed
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT, Tournament
from domain.tournament_events import (
    Cancelled,
    EntryTaken,
    Finished,
    LateSeated,
    MoneyPrizesAwarded,
    Paused,
    PlayerReinstated,
    Resumed,
)
from domain.waits import earliest
from domain.wallet import WALLET, Wallet
from domain.webhook import WEBHOOK
from domain.webhooks import WEBHOOK_LIST
from services.envelope import Recorded

AGGREGATES = {
    "credential": CREDENTIAL,
    "hand": HAND,
    "player": PLAYER,
    "ring": RING,
    "roster": ROSTER,
    "ruleset": RULE_SET,
    "stakes": STAKES,
    "table": TABLE,
    "tournament": TOURNAMENT,
    "wallet": WALLET,
    "webhook": WEBHOOK,
    "webhooks": WEBHOOK_LIST,
}
assert {topic.partition(".")[0] for topic in TOPICS} == set(AGGREGATES)


class Entry(NamedTuple):
    """Something to be done, when, and from when on it waits for that: null if it goes by the clock alone."""

    job: str
    args: list[Any]
    due_at: datetime
    waits_from: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        return self.due_at <= now or (self.waits_from is not None and now < self.waits_from)


def at_once(job: str, args: list[Any], since: datetime) -> Entry:
    return Entry(job, args, since, since)


def after(job: str, args: list[Any], ends: datetime, seconds: int) -> Entry:
    return Entry(job, args, ends, earliest(ends, seconds))


class World:
    """All that has happened up to a position of the log."""

    def __init__(self) -> None:
        self.log: list[Recorded] = []
        self._states: dict[str, dict[UUID, Any]] = {kind: {} for kind in AGGREGATES}
        self._streams: dict[UUID, list[Recorded]] = {}

    def add(self, r: Recorded) -> None:
        kind = r.topic.partition(".")[0]
        states = self._states[kind]
        states[r.stream] = AGGREGATES[kind].evolve(states.get(r.stream), r.event)
        self._streams.setdefault(r.stream, []).append(r)
        self.log.append(r)

    @property
    def position(self) -> int:
        return self.log[-1].position if self.log else 0

    @property
    def tournaments(self) -> dict[UUID, Tournament]:
        return self._states["tournament"]

    @property
    def tables(self) -> dict[UUID, Table]:
        return self._states["table"]

    @property
    def rings(self) -> dict[UUID, Ring]:
        return self._states["ring"]

    @property
    def hands(self) -> dict[UUID, Hand]:
        return self._states["hand"]

    @property
    def players(self) -> dict[UUID, Any]:
        return self._states["player"]

    @property
    def wallets(self) -> list[Wallet]:
        return list(self._states["wallet"].values())

    def roster(self, t: UUID) -> Roster:
        return self._states["roster"].get(roster_id(t)) or Roster()

    def stream(self, stream: UUID) -> list[Recorded]:
        return self._streams.get(stream, [])

    def of(self, *kinds: Any) -> list[Recorded]:
        """The events of these kinds, in the order of the log."""
        return [r for r in self.log if isinstance(r.event, kinds)]

    def tournament_of(self, r: Recorded) -> UUID | None:
        """The tournament that an event belongs to, if it belongs to one."""
        kind = r.topic.partition(".")[0]
        if kind == "tournament":
            return r.stream
        if kind == "roster":
            return r.event.tournament_id
        if kind in ("table", "hand"):
            return self._states[kind][r.stream].tournament_id
        return None

    def due(self) -> dict[str, tuple[str, list[Any], datetime]]:
        """Everything that is to be done, and when: subject to job, arguments and time."""
        return {subject: entry[:3] for subject, entry in self.agenda().items()}

    def agenda(self) -> dict[str, Entry]:
        """Everything that is to be done, by subject."""
        found: dict[str, Entry] = {}
        for t, tournament in self.tournaments.items():
            found |= self._of_tournament(t, tournament)
        for table_id, table in self.tables.items():
            found |= self._of_table(table_id, table)
        for table_id, ring in self.rings.items():
            found |= self._of_ring(table_id, ring)
        for hand_id, hand in self.hands.items():
            found |= self._of_hand(hand_id, hand)
        return found

    def _of_tournament(self, t: UUID, tournament: Tournament) -> dict[str, Entry]:
        s, me = tournament.structure, str(t)
        found = {}
        if tournament.state == "open" and s.starts_at:
            found[f"start/{t}"] = Entry("start", [me], s.starts_at)
        elif tournament.state == "open" and s.format == "sit_and_go":
            entered = [r for r in self.stream(roster_id(t)) if isinstance(r.event, Registered | Withdrawn)]
            if len(self.roster(t).entries) == s.capacity:
                found[f"start/{t}"] = at_once("start", [me], entered[-1].at)
        draws = not s.for_points and not tournament.tables_drawn
        if tournament.state in ("running", "paused") and draws:
            started = next(r.at for r in self.stream(t) if r.topic == "tournament.started.1")
            found[f"draw/{t}"] = at_once("draw", [me], started)
        looks = tournament.state == "running" and not tournament.structure.recorded
        if looks and (entered := self._not_looked_at(t)):
            found[f"seat/{t}"] = at_once("deal", [me], entered.at)
        if tournament.state == "running" and tournament.level_ends_at:
            found[f"level/{t}"] = Entry("level", [me, tournament.level + 1], tournament.level_ends_at)
        if tournament.over and (left := self.owed(t)) and (since := self.payable_since(t)):
            found[f"pay/{t}"] = at_once("pay", [me, (len(left[0]) - len(left[1])) // SLICE], since)
        return found

    def payable_since(self, t: UUID) -> datetime | None:
        """The end; of a finished tournament with a hand that was not final then, when the last one was."""
        over = next(
            r for r in self.stream(t) if isinstance(r.event, Cancelled | MoneyPrizesAwarded | Finished)
        )
        if isinstance(over.event, Cancelled):
            return over.at
        its = [(h, hand) for h, hand in self.hands.items() if hand.tournament_id == t]
        if any(hand.state in (HandState.RUNNING, HandState.SETTLED) for _, hand in its):
            return None
        final = [r for h, _ in its for r in self.stream(h) if isinstance(r.event, Finalised | Confirmed)]
        return max([over, *final], key=lambda r: r.position).at

    def _not_looked_at(self, t: UUID) -> Recorded | None:
        """The newest late entry after which nobody has got a seat, nor a pause has begun or ended."""
        events = [
            r
            for r in self.stream(t)
            if isinstance(r.event, EntryTaken | PlayerReinstated | LateSeated | Paused | Resumed)
        ]
        last = events[-1].event if events else None
        return events[-1] if isinstance(last, EntryTaken | PlayerReinstated) else None

    def owed(self, t: UUID) -> tuple[list[Payment], list[Payment]] | None:
        """What a tournament that is over has to pay in all, and what is left of it; None once nothing is."""
        due = owed(self.tournaments[t], self.roster(t).paid)
        left = [p for p in due if p.booking.journal_id not in self.wallet(p.player_id, p.currency).booked]
        return (due, left) if left else None

    def wallet(self, player: PlayerId, currency: str) -> Wallet:
        found: Wallet | None = self._states["wallet"].get(wallet_id(player, currency))
        return found or Wallet(player, currency)

    def _of_table(self, table_id: UUID, table: Table) -> dict[str, Entry]:
        if table.closed:
            return {}
        found = {}
        me, tournament = str(table_id), self.tournaments[table.tournament_id]
        if not table.hand_id and not table.paused and not table.recorded:
            of, wait = [str(table.tournament_id)], tournament.structure.between_hands_seconds
            somebody_is_out = any(taken.stack <= 0 for taken in table.seats.values())
            look = somebody_is_out and at_once("deal", of, self._last_end(table_id))
            found[f"deal/{me}"] = look or after("deal", of, table.deal_at, wait)
        if not tournament.over and behind(tournament, table) and not table.recorded:
            both = [*self.stream(table.tournament_id), *self.stream(table_id)]
            of_pauses = [
                r for r in both if isinstance(r.event, Paused | Resumed | TablePaused | TableResumed)
            ]
            told = max(of_pauses, key=lambda r: r.position)
            found[f"pause/{me}"] = at_once("pause", [me], told.at)
        if tournament.state == "cancelled":
            found[f"close/{me}"] = at_once("close", [me], self.stream(table.tournament_id)[-1].at)
        return found

    def _last_end(self, table_id: UUID) -> datetime:
        """When the table's last hand ended, whoever has sat down since."""
        return [r.at for r in self.stream(table_id) if isinstance(r.event, HandEnded)][-1]

    def _of_ring(self, table_id: UUID, ring: Ring) -> dict[str, Entry]:
        opened, last = self.stream(table_id)[0].at, self.stream(table_id)[-1].at
        if ring.closed or ring.hand_id:
            return {}
        if ring.closing or any(seat.leaving for seat in ring.seats.values()):
            return {f"ring/{table_id}": at_once("ring", [str(table_id)], last)}
        if len(ring.playing) < 2 or ring.paused:
            return {}
        if ring.deal_at is None:
            return {f"ring/{table_id}": at_once("ring", [str(table_id)], opened)}
        wait = ring.terms.timing.between_hands_seconds
        return {f"ring/{table_id}": after("ring", [str(table_id)], ring.deal_at, wait)}

    def _of_hand(self, hand_id: UUID, hand: Hand) -> dict[str, Entry]:
        me = str(hand_id)
        if hand.state is HandState.RUNNING and hand.deadline:
            return {f"turn/{me}": Entry("turn", [me, hand.turn_number], hand.deadline)}
        if hand.state is HandState.SETTLED:
            if hand.dispute.keeps_open:
                return {}
            begins = (Settled, Released, Ruled)
            settled = next(r.at for r in reversed(self.stream(hand_id)) if isinstance(r.event, begins))
            window = hand.terms.timing.protest_seconds
            return {f"final/{me}": after("finalise", [me], settled + timedelta(seconds=window), window)}
        return {}
