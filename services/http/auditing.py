"""What an auditor reads: checkpoints, the keys that signed them, proofs; and bundles, for who may read the hands."""

from __future__ import annotations

import base64
from collections.abc import Callable
from threading import Lock
from typing import Any
from uuid import UUID

import marshmallow as ma
import msgspec
from flask import Response

from domain.ids import HandId, TableId, TournamentId
from services.application.credentials import Actor
from services.application.errors import NotFound
from services.application.histories import NeedsToken
from services.application.ledger import must_see_all
from services.application.lists import Page
from services.audit import bundling, checkpoints, keys, proofs
from services.audit.bundle import BundleError, NotSigned
from services.audit.proofs import AuditProof
from services.http import queries
from services.http.access import CHALLENGE, Who
from services.http.answers import document, key_of, listed, read
from services.http.calls import Call
from services.http.fields import Digits, Id
from services.http.problems import Problem
from services.http.routing import Routes, get, listing

blueprint = Routes("auditing", "Checkpoints, proofs and bundles")
NOTE, ZIP = "text/plain; charset=utf-8", "application/zip"
MOST_EVENTS = 50_000
"""Of a bundle over HTTP: a web process has other work. `big2 audit bundle` makes larger ones."""
RETRY_SECONDS = 5
_MAKING = Lock()
"""A web process makes one bundle at a time."""
_BUNDLE = ("forbidden", "hand-not-closed", "not-signed-yet", "bundle-too-large")


class AuditCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A signed head of the log: so many events, up to a log position; root in base64; `note` is what was signed."""

    size: int
    position: int
    root: str
    at: str
    note: str


class AuditKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that checkpoints are signed with; the one before has signed its announcement."""

    number: int
    verifier: str
    announcement: str | None
    added_at: str


class ProofAsked(queries.Query):
    """An event, by its position or by its stream; or an earlier size."""

    position = Digits(1, queries.LAST_POSITION, metadata={"description": "An event's log position."})
    hand = Id(metadata={"description": "A hand: its newest event, or that of `version`."})
    stream = Id(metadata={"description": "Any stream, in the same way."})
    version = Digits(1, queries.LAST_POSITION)
    size = Digits(
        1, queries.LAST_POSITION, metadata={"description": "A checkpoint's; the newest, if left out."}
    )
    vars()["from"] = Digits(
        1,
        queries.LAST_POSITION,
        metadata={"description": "That the checkpoint begins with so many events (consistency)."},
    )

    @ma.validates_schema
    def _one(self, asked: dict[str, Any], **_: Any) -> None:  # noqa: ANN401 - marshmallow's own signature
        given = [name for name in ("position", "hand", "stream", "from") if name in asked]
        if len(given) != 1:
            raise ma.ValidationError({"position": ["ask for one of position, hand, stream and from"]})
        if "version" in asked and given[0] not in ("hand", "stream"):
            raise ma.ValidationError({"version": ["belongs to a hand or a stream"]})


@listing(blueprint, "/audit/checkpoints", AuditCheckpoint, query=queries.Paged(), who=Who.AUDITING)
def list_checkpoints(call: Call) -> Response:
    """List the checkpoints, the newest first"""
    must_see_all(call.actor)
    limit = call.query["limit"]
    below = key_of(call.query.get("cursor"), int)
    found = checkpoints.listed(call.database, below[0] if below else None, limit + 1)
    newest = checkpoints.newest(call.database)
    items = [
        AuditCheckpoint(
            size=each.size,
            position=each.position,
            root=base64.b64encode(each.root).decode(),
            at=each.at.isoformat().replace("+00:00", "Z"),
            note=each.note,
        )
        for each in found[:limit]
    ]
    page = Page(AuditCheckpoint, items, (items[-1].size,) if len(found) > limit else None)
    return listed(page, newest.position if newest else 0, call.query)


@get(blueprint, "/audit/checkpoints/newest", str, who=Who.AUDITING, media="text/plain")
def get_newest_checkpoint(call: Call) -> Response:
    """Read the newest checkpoint, a signed note"""
    must_see_all(call.actor)
    found = checkpoints.newest(call.database)
    if found is None:
        raise NotFound("checkpoint")
    return document(found.note.encode(), NOTE)


@listing(blueprint, "/audit/keys", AuditKey, query=queries.Paged(), who=Who.AUDITING)
def list_audit_keys(call: Call) -> Response:
    """List the keys that checkpoints are, or were, signed with, and their announcements"""
    must_see_all(call.actor)
    limit = call.query["limit"]
    after = (key_of(call.query.get("cursor"), int) or [0])[0]
    found = [key for key in keys.published(call.database) if key.number > after]
    items = [
        AuditKey(
            number=key.number,
            verifier=key.verifier,
            announcement=key.announcement,
            added_at=key.added_at.isoformat().replace("+00:00", "Z"),
        )
        for key in found[:limit]
    ]
    return listed(Page(AuditKey, items, (items[-1].number,) if len(found) > limit else None), 0, call.query)


@get(
    blueprint,
    "/audit/proofs",
    AuditProof,
    who=Who.AUDITING,
    query=ProofAsked(),
    problems=("hand-not-closed",),
    projected=True,
)
def get_proof(call: Call) -> Response:
    """Read the proof that an event stands in a checkpoint's log, or that this log begins with an earlier one"""
    must_see_all(call.actor)
    asked, store = call.query, call.services.store
    size = asked.get("size")
    if "from" in asked:
        return read(proofs.consistency(store, asked["from"], size))
    if "position" in asked:
        return read(proofs.at_position(store, asked["position"], size))
    return read(proofs.in_stream(store, asked.get("hand") or asked["stream"], asked.get("version"), size))


@get(blueprint, "/hands/<uuid:hand_id>/bundle", str, media=ZIP, problems=_BUNDLE, projected=True)
def get_hand_bundle(call: Call, hand_id: UUID) -> Response:
    """Read all it takes to check a final hand offline: its events, proofs and history, and a verifier"""
    return _bundle(call, hand_id, lambda actor: bundling.of_hand(call.services, HandId(hand_id), actor))


@get(blueprint, "/tables/<uuid:table_id>/bundle", str, media=ZIP, problems=_BUNDLE, projected=True)
def get_table_bundle(call: Call, table_id: UUID) -> Response:
    """Read the same of a table's final hands, and of the table once it is closed"""
    return _bundle(
        call, table_id, lambda actor: bundling.of_table(call.services, TableId(table_id), actor, MOST_EVENTS)
    )


@get(blueprint, "/tournaments/<uuid:tournament_id>/bundle", str, media=ZIP, problems=_BUNDLE, projected=True)
def get_tournament_bundle(call: Call, tournament_id: UUID) -> Response:
    """Read the same of a tournament's final hands, and of the tournament once it is over"""
    t = TournamentId(tournament_id)
    return _bundle(
        call, tournament_id, lambda actor: bundling.of_tournament(call.services, t, actor, MOST_EVENTS)
    )


def _bundle(call: Call, of: UUID, make: Callable[[Actor | None], bytes]) -> Response:
    if not _MAKING.acquire(blocking=False):
        detail = "Another bundle is being made."
        raise Problem("unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    try:
        made = make(call.reader)
    except NeedsToken:
        detail = "Until the tournament is over, or the ring table closed, this takes a token."
        raise Problem("unauthenticated", detail, headers=CHALLENGE) from None
    except NotSigned as error:
        raise Problem("not-signed-yet", f"{error}.", headers={"Retry-After": "60"}) from None
    except BundleError as error:
        raise Problem("bundle-too-large", f"{error}.") from None
    finally:
        _MAKING.release()
    name = {"Content-Disposition": f'attachment; filename="big2-{of}.zip"'}
    return document(made, ZIP, **name)
