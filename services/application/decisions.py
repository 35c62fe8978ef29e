"""A hand's decisions, one by one, for whoever may read its cards: who decided, by when, on what, and shown what.

Made of the hand's own events. The **frame** of a decision is what `GET /v1/hands/{id}` answered the seat then, but for
what does not belong to the hand: names, connections and the log's position. An action is accepted only with the number
of the running turn, which this frame is the first to tell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from domain.credential import Role
from domain.decisions import Decision, decision
from domain.hand import HAND, Hand
from domain.hand_events import ActedBy, CardsPlayed, Passed
from domain.ids import CredentialId
from services.application import resources as shapes
from services.application.credentials import Actor
from services.application.handviews import hand_view
from services.envelope import Recorded, Stream, fold_on, nothing_yet

FRAME = (
    "hand_id",
    "table_id",
    "number",
    "state",
    "rules",
    "unit",
    "dealer",
    "direction",
    "turn",
    "to_beat",
    "actions",
    "commitment",
    "you",
)
"""The members of a hand, as the API has it, that its frame is made of; `cards_left`, by seat, comes with them."""
_CREDENTIAL = "credential/"


class Step(msgspec.Struct, frozen=True):
    """An action of a hand (its place among all, from 0), and the decision that it was.

    `credential_id` and `command_id` are the request's that it came with, or its causer's where the rules passed;
    the clock has no credential. `left_ms` is the time that was left; null where there was no deadline.
    """

    action: int
    version: int
    at: datetime
    decision: Decision
    left_ms: int | None
    credential_id: UUID | None
    command_id: UUID
    frame: str

    @property
    def by(self) -> ActedBy:
        """The player, the clock, or a rule."""
        return self.decision.by


def steps(recorded: Sequence[Recorded]) -> Iterator[Step]:
    """Every action of a dealt hand, in order; `recorded` is its stream from the first event on.

    It tells what every seat held: nobody may see it before the hand is over, and then who may read its history.
    """
    before: Stream[Hand] = nothing_yet(recorded[0].stream, recorded[0].at)
    action = 0
    for r in recorded:
        if isinstance(r.event, CardsPlayed | Passed):
            yield _step(action, before, r, r.event)
            action += 1
        before = fold_on(HAND, before, [r])


def frame(stream: Stream[Hand], seat: int) -> bytes:
    """What `seat` is shown of a hand as it stands, as canonical JSON (RFC 8785)."""
    hand = stream.state
    assert hand is not None
    player = next(s.player_id for s in hand.terms.seats if s.seat == seat)
    reader = Actor(CredentialId(player), Role.PLAYER, player, None)
    view = shapes.as_json(hand_view(stream, {}, reader, {}, breaches=False))
    shown = {name: view[name] for name in FRAME}
    shown["cards_left"] = {str(each["seat"]): each["cards_left"] for each in view["seats"]}
    return msgspec.json.encode(shown, order="sorted")


def _step(action: int, before: Stream[Hand], r: Recorded, event: CardsPlayed | Passed) -> Step:
    hand = before.state
    assert hand is not None
    found = decision(hand, event)
    return Step(
        action=action,
        version=r.version,
        at=r.at,
        decision=found,
        left_ms=(found.deadline - r.at) // timedelta(milliseconds=1) if found.deadline else None,
        credential_id=_credential(r.actor),
        command_id=r.command,
        frame=hashlib.sha256(frame(before, event.seat)).hexdigest(),
    )


def _credential(actor: str) -> UUID | None:
    return UUID(actor.removeprefix(_CREDENTIAL)) if actor.startswith(_CREDENTIAL) else None
