"""Tournaments: published, changed, entered, started, paused, resumed, cancelled.

Whatever depends on the roster holds its lock from the load to the append, so that a crowd is a queue; an entry and its
end hold the player's as well, whose wallet pays or gets the money back in the same transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from domain import late_entry
from domain import roster as entries
from domain import tournament as decide_on
from domain.errors import NotAllowed, Refused, Rejected
from domain.events import Event
from domain.ids import PlayerId, TournamentId, journal_id, roster_id, tournament_id
from domain.payments import entry, refund
from domain.player import PLAYER, may_enter
from domain.roster import ROSTER, ReEntered, Registered, Roster
from domain.structure import Structure, format_defaults, misfits, structure
from domain.tournament import TOURNAMENT, State, Tournament
from services.application import resources as shapes
from services.application.between_results import with_look
from services.application.cancellations import cancelled
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import NotFound, existing
from services.application.leagues import must_be_unseen
from services.application.players import name_of
from services.application.wallets import give, take
from services.commands import Decision, Outcome, execute, job, on
from services.envelope import Change, Command, Stream
from services.store import Store

Terms = dict[str, Any]
SEED_BYTES = 32


def publish(services: Services, command: Command, read: Callable[[], Terms]) -> Outcome[Tournament]:
    """A new tournament under the terms that `read` gives."""
    made = tournament_id(command.id)

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        return Decision([on(stream, *_publication(services, made, read(), now))])

    return execute(services.store, command, (TOURNAMENT, made), decide)


def publication(services: Services, command: Command, terms: Terms) -> list[Event]:
    """The events that `publish` would store."""
    return _publication(services, tournament_id(command.id), terms, services.store.now())


def _publication(services: Services, made: TournamentId, terms: Terms, now: datetime) -> list[Event]:
    seeds = (secrets.token_bytes(SEED_BYTES), secrets.token_bytes(SEED_BYTES))
    return decide_on.publish(made, _structure(services, terms, now), *seeds)


def change(
    services: Services, command: Command, t: TournamentId, read: Callable[[], Terms]
) -> Outcome[Tournament]:
    """Change some terms, until the first entry. What changes nothing is a version too: so its repeat undoes nothing."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        roster = services.store.load(ROSTER, roster_id(t))
        revised = _revision(services, existing(stream, "tournament"), roster.state, read, now)
        return Decision([on(stream, *revised), on(roster)])

    with services.store.lock(roster_id(t)):
        return execute(services.store, command, (TOURNAMENT, t), decide)


def revision(services: Services, t: TournamentId, read: Callable[[], Terms]) -> list[Event]:
    """The events that `change` would store."""
    stream, roster = services.store.load_many([(TOURNAMENT, t), (ROSTER, roster_id(t))])
    return _revision(services, existing(stream, "tournament"), roster.state, read, stream.read_at)


def _revision(
    services: Services,
    tournament: Tournament,
    roster: Roster | None,
    read: Callable[[], Terms],
    now: datetime,
) -> list[Event]:
    entered = len(roster.entries) if roster else 0
    decide_on.republish(tournament, tournament.structure, entered)  # a conflict is told before what is wrong
    changed = _structure(services, _merged(tournament.structure, read()), now)
    return decide_on.republish(tournament, changed, entered)


def register(
    services: Services,
    command: Command,
    actor: Actor,
    t: TournamentId,
    read: Callable[[], PlayerId],
) -> Outcome[Roster]:
    """Enter a player, also again where late entry allows it; a player's token enters himself only."""
    store = services.store

    def decide(stream: Stream[Roster], now: datetime) -> Decision:
        published = store.load(TOURNAMENT, t)
        tournament = existing(published, "tournament")
        roster = stream.state or Roster()
        try:
            player = read()
        except Refused:
            entries.must_be_open(roster)  # a conflict is told before what is wrong
            raise
        if actor.player_id not in (None, player):
            raise NotAllowed("forbidden", "A player enters himself only.")
        events, taken = _entry(tournament, roster, player, now)
        known = store.load(PLAYER, player)
        if known.state is None:
            raise Refused("validation", "There is no such player.", {"/player_id": "is no player"})
        may_enter(known.state)
        charged = _charged(store, command, tournament, player)
        return Decision([on(stream, *events), *_bound(published, taken), *charged, on(known)])

    with store.lock(roster_id(t), then=_wanted(read)):
        return execute(store, command, (ROSTER, roster_id(t)), decide)


def _entry(t: Tournament, roster: Roster, player: PlayerId, now: datetime) -> tuple[list[Event], list[Event]]:
    """The roster's events, and the tournament's where it has started."""
    if t.entries_open:
        return late_entry.enter(t, roster, player, now)
    return entries.register(roster, t.tournament_id, player, t.structure.capacity), []


def _bound(published: Stream[Tournament], taken: list[Event]) -> list[Change]:
    """What an entry rests on: until the first one the terms may change, and later the tournament moves on."""
    open_ = published.state is not None and published.state.state is State.OPEN
    return [on(published, *taken)] if taken or open_ else []


def _wanted(read: Callable[[], PlayerId]) -> PlayerId | None:
    """Whose entry is asked for, if that can be read."""
    try:
        return read()
    except Refused:
        return None


def _charged(store: Store, command: Command, t: Tournament, player: PlayerId) -> list[Change]:
    buy_in = t.structure.buy_in
    if buy_in is None:
        return []
    return take(
        store, player, buy_in.currency, entry(t.tournament_id, buy_in, journal_id(command.id, "entry"))
    )


def _refunded(store: Store, command: Command, t: Tournament, player: PlayerId) -> list[Change]:
    buy_in = t.structure.buy_in
    if buy_in is None:
        return []
    back = refund(t.tournament_id, buy_in, journal_id(command.id, "refund"))
    return give(store, player, buy_in.currency, back)


def entered(services: Services, outcome: Outcome[Roster]) -> shapes.Entry:
    """The entry that `register` made."""
    made = outcome.events[0]
    assert isinstance(made.event, Registered | ReEntered)
    return shapes.Entry(
        entry_id=made.event.entry_id,
        player_id=made.event.player_id,
        name=name_of(services, made.event.player_id),
        state="registered",
        entered_at=made.at,
        as_of=outcome.position,
    )


def withdraw(
    services: Services, command: Command, actor: Actor, t: TournamentId, player: PlayerId
) -> Outcome[Roster]:
    """Take a player off the roster, until the start; of a league, who has no part in it yet.

    A player's token withdraws himself only.
    """
    store = services.store

    def decide(stream: Stream[Roster], _now: datetime) -> Decision:
        running = store.load(TOURNAMENT, t)
        tournament = existing(running, "tournament")
        roster = stream.state or Roster()
        if player not in roster.entries:
            raise NotFound("entry")
        late_entry.may_withdraw(tournament)
        events = entries.withdraw(roster, t, player)
        must_be_unseen(store, tournament, player)
        return Decision([on(stream, *events), *_refunded(store, command, tournament, player), on(running)])

    if actor.player_id not in (None, player):
        raise NotAllowed("forbidden", "A player withdraws himself only.")
    with store.lock(roster_id(t), then=player):
        return execute(store, command, (ROSTER, roster_id(t)), decide)


def start(
    services: Services, command: Command, t: TournamentId, read: Callable[[], object]
) -> Outcome[Tournament]:
    """Start now, with whoever is entered.

    Registration closes in the same transaction, but stays open in a league, and for late entry.

    `read` refuses a body that should be empty, once no conflict stands in the way; so below.
    """

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        roster = services.store.load(ROSTER, roster_id(t))
        entered = list((roster.state or Roster()).entries)
        tournament = existing(stream, "tournament")
        started = decide_on.start(tournament, entered, now)
        read()
        return _started(stream, tournament, started, roster)

    with services.store.lock(roster_id(t)):
        return execute(services.store, command, (TOURNAMENT, t), decide)


def pause(
    services: Services, command: Command, t: TournamentId, read: Callable[[], object]
) -> Outcome[Tournament]:
    """Stop the deals and the clocks; a hand that runs stays playable."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        events = decide_on.pause(existing(stream, "tournament"), now)
        read()
        return Decision([on(stream, *events)])

    return execute(services.store, command, (TOURNAMENT, t), decide)


def resume(
    services: Services, command: Command, t: TournamentId, read: Callable[[], object]
) -> Outcome[Tournament]:
    """Let play go on after a pause; what became final meanwhile takes effect."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        events = decide_on.resume(existing(stream, "tournament"), now)
        read()
        return Decision(with_look(services.store, stream, events, now))

    return execute(services.store, command, (TOURNAMENT, t), decide)


def cancel(
    services: Services, command: Command, t: TournamentId, read: Callable[[], str]
) -> Outcome[Tournament]:
    """End the tournament without a result; its tables close by themselves. `read` gives the reason."""

    def decide(stream: Stream[Tournament], _now: datetime) -> Decision:
        tournament = existing(stream, "tournament")
        decide_on.cancel(tournament, "", 0)  # a conflict is told before what is wrong
        return Decision(cancelled(services.store, stream, read()))

    with services.store.lock(roster_id(t)):
        return execute(services.store, command, (TOURNAMENT, t), decide)


def start_when_due(services: Services, t: TournamentId) -> None:
    """The clock's start: of a sit_and_go that is full, or at `starts_at`; then too few entrants cancel it."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        tournament = stream.state
        if tournament is None or tournament.state is not State.OPEN:
            return Decision(())
        roster = services.store.load(ROSTER, roster_id(t))
        entered = list((roster.state or Roster()).entries)
        if not _due(tournament.structure, len(entered), now):
            return Decision(())
        try:
            started = decide_on.start(tournament, entered, now)
        except Rejected as rejected:
            return Decision(cancelled(services.store, stream, rejected.detail))
        return _started(stream, tournament, started, roster)

    name = f"start-{t}"
    with services.store.lock(roster_id(t)):
        execute(services.store, job(name), (TOURNAMENT, t), decide)


def _started(
    stream: Stream[Tournament], tournament: Tournament, started: list[Event], roster: Stream[Roster]
) -> Decision:
    if tournament.structure.for_points or tournament.structure.late_entry_levels:
        return Decision([on(stream, *started), on(roster)])
    return _with_roster_closed(stream, started, roster, tournament.tournament_id)


def _due(s: Structure, entered: int, now: datetime) -> bool:
    if s.starts_at is not None:
        return s.starts_at <= now
    return s.format == "sit_and_go" and entered >= s.capacity


def _with_roster_closed(
    stream: Stream[Tournament], events: list[Event], roster: Stream[Roster], t: TournamentId
) -> Decision:
    return Decision([on(stream, *events), on(roster, *entries.close(roster.state or Roster(), t))])


def _structure(services: Services, terms: Terms, now: datetime) -> Structure:
    """The structure of the terms; Refused with everything that is wrong, the rule set included."""
    errors: dict[str, str] = {}
    try:
        if "rules" in terms:
            terms = terms | {"rules": services.rulesets.pinned(terms["rules"])}
    except Refused as refused:
        errors = refused.errors
    try:
        made = structure(terms, now)
        errors = errors or misfits(made, services.rulesets.resolve(made.rules))
    except Refused as refused:
        errors = refused.errors | errors
    if errors:
        raise Refused("validation", "These terms make no tournament.", errors)
    return made


def _merged(published: Structure, changes: Terms) -> Terms:
    """The published terms with the changes; what followed from format and capacity follows from the new ones."""
    terms: Terms = msgspec.structs.asdict(published)
    followed = format_defaults(published.format, published.capacity)
    followed["capacity"] = format_defaults(published.format, None)["capacity"]
    return {name: value for name, value in terms.items() if followed.get(name) != value} | changes
