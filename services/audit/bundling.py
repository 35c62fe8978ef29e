"""Which streams a bundle holds, and who may have it: whoever may read the histories of all its hands."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from domain.credential import Role
from domain.errors import NotAllowed
from domain.hand import HAND, Hand, State
from domain.hand_events import Confirmed, Finalised
from domain.ids import CredentialId, HandId, TableId, TournamentId, roster_id
from services.application import card_reads, histories
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import NotFound, existing
from services.application.histories import NeedsToken
from services.application.lists import fetch
from services.audit.bundle import MOST_EVENTS, STREAMS_AT_ONCE, Contents, bundle, must_fit
from services.database import Database
from services.envelope import Stream

_STAFF = {Role.ADMIN, Role.OPERATOR, Role.DIRECTOR, Role.AUDITOR}
OWNER = Actor(CredentialId(UUID(int=0)), Role.ADMIN, None, None)
"""Whoever owns the database, and asks by the command line."""
_HANDS = "SELECT hand_id FROM projections.hands WHERE {of} = %(id)s ORDER BY created"
_TABLE = "SELECT tournament_id, state FROM projections.tables WHERE table_id = %(id)s"
_TOURNAMENT = "SELECT state FROM projections.tournaments WHERE tournament_id = %(id)s"
_TABLES = "SELECT table_id, state FROM projections.tables WHERE tournament_id = %(id)s ORDER BY number"


def of_hand(services: Services, hand_id: HandId, actor: Actor | None) -> bytes:
    """The bundle of a final hand; NotAllowed("hand-not-closed") before, to everybody."""
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    if hand.state is State.RUNNING or not is_final(stream):
        raise NotAllowed("hand-not-closed", "The hand is not final yet: its seed is revealed then.")
    if not histories.may_read(services, hand, actor):
        raise _refusal(actor)
    return _made(services, Contents("hand", hand_id, [], [stream], []), actor)


def of_table(services: Services, table_id: TableId, actor: Actor | None, most: int = MOST_EVENTS) -> bytes:
    """The bundle of a table's final hands, and of its own events once it is closed; of `most` events at most."""
    database = services.store.database
    found = fetch(database, _TABLE, {"id": table_id})
    if not found:
        raise NotFound("table")
    tournament, closed = found[0]["tournament_id"], found[0]["state"] == "closed"
    hands, left_out = _hands(services, "table_id", table_id, most)
    contents = Contents("table", table_id, [table_id] if closed else [], hands, left_out)
    _must_have_some(contents)
    public = _is_over(database, tournament) if tournament else closed
    _must_see_all(actor, tournament, public=public)
    return _made(services, contents, actor, most)


def of_tournament(
    services: Services, tournament_id: TournamentId, actor: Actor | None, most: int = MOST_EVENTS
) -> bytes:
    """The bundle of a tournament's final hands, and of all its other events once it is over; of `most` at most."""
    database = services.store.database
    if not fetch(database, _TOURNAMENT, {"id": tournament_id}):
        raise NotFound("tournament")
    hands, left_out = _hands(services, "tournament_id", tournament_id, most)
    own: list[UUID] = []
    if _is_over(database, tournament_id):
        tables = fetch(database, _TABLES, {"id": tournament_id})
        if all(row["state"] == "closed" for row in tables):  # after a cancellation they close one by one
            own = [tournament_id, roster_id(tournament_id), *(row["table_id"] for row in tables)]
    contents = Contents("tournament", tournament_id, own, hands, left_out)
    _must_have_some(contents)
    _must_see_all(actor, tournament_id, public=_is_over(database, tournament_id))
    return _made(services, contents, actor, most)


def is_final(stream: Stream[Hand]) -> bool:
    """Whether the hand's seed is revealed, or it had none."""
    return any(isinstance(r.event, Finalised | Confirmed) for r in stream.recorded)


def _made(services: Services, contents: Contents, actor: Actor | None, most: int = MOST_EVENTS) -> bytes:
    """Before the answer each look is noted, of whoever has no token one: without the note there is no answer."""
    made = bundle(services.store, contents, most)
    looked_at = contents.hands if actor else contents.hands[:1]
    card_reads.note(services.store.database, [hand.id for hand in looked_at], actor)
    return made


def _hands(services: Services, of: str, key: UUID, most: int) -> tuple[list[Stream[Hand]], list[UUID]]:
    """The final hands in the order of their deals, and the ids of the others."""
    ids = [row["hand_id"] for row in fetch(services.store.database, _HANDS.format(of=of), {"id": key})]
    final: list[Stream[Hand]] = []
    others: list[UUID] = []
    events = 0
    for first in range(0, len(ids), STREAMS_AT_ONCE):
        wanted = [(HAND, hand) for hand in ids[first : first + STREAMS_AT_ONCE]]
        found: Sequence[Stream[Hand]] = services.store.load_many(wanted)
        final += [stream for stream in found if is_final(stream)]
        events += sum(len(stream.recorded) for stream in found if is_final(stream))
        must_fit(events, most)
        others += [stream.id for stream in found if not is_final(stream)]
    return final, others


def _must_have_some(contents: Contents) -> None:
    """What everybody is told while nothing is over."""
    if not contents.hands and not contents.streams:
        raise NotAllowed("hand-not-closed", "No hand is final yet: a seed is revealed when its hand is.")


def _must_see_all(actor: Actor | None, tournament: UUID | None, *, public: bool) -> None:
    staff = actor is not None and actor.role in _STAFF and actor.may_in(tournament)
    if not staff and not public:
        raise _refusal(actor)


def _refusal(actor: Actor | None) -> Exception:
    if actor is None:
        return NeedsToken()
    return NotAllowed(
        "forbidden", "Until the tournament is over, or the ring table closed, this takes the staff."
    )


def _is_over(database: Database, tournament: UUID) -> bool:
    return fetch(database, _TOURNAMENT, {"id": tournament})[0]["state"] in ("finished", "cancelled")
