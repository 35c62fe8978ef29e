"""Proofs from the log's tree: that an event stands in it, and that a later head begins with an earlier one.

No proof of a running hand's event leaves the service (docs/audit.md says why the hashes beside another's may).
"""

from __future__ import annotations

import base64
from uuid import UUID

import msgspec

from domain.errors import NotAllowed
from domain.hand import HAND, Hand, State
from domain.merkle import consistency_ranges, inclusion_ranges
from services.application.errors import NotFound
from services.audit import checkpoints
from services.audit.checkpoints import Signed
from services.audit.notes import proof_text
from services.audit.tree import log_tree
from services.envelope import Row, Stream, link
from services.store import Store


class AuditProof(msgspec.Struct, frozen=True, kw_only=True):
    """A proof against a checkpoint: `inclusion` of one event, or `consistency` with an earlier size.

    `hashes` are base64, in the order of RFC 6962. `link` is the event's, hexadecimal: its leaf's data. `tlog_proof` is
    the same proof of inclusion as C2SP has it. What a kind does not have is null.
    """

    kind: str
    size: int
    hashes: list[str]
    checkpoint: str
    from_size: int | None = None
    index: int | None = None
    stream: UUID | None = None
    version: int | None = None
    position: int | None = None
    topic: str | None = None
    link: str | None = None
    tlog_proof: str | None = None


def at_position(store: Store, position: int, size: int | None = None) -> AuditProof:
    """Inclusion of the event at a log position, in the checkpoint of a size, or in the newest.

    Raises NotFound, and NotAllowed("hand-not-closed") while its hand runs.
    """
    rows = store.stored_log(position - 1, 1)
    if not rows or rows[0].position != position:
        raise NotFound("event")
    return _inclusion(store, rows[0], size)


def in_stream(store: Store, stream: UUID, version: int | None, size: int | None = None) -> AuditProof:
    """Inclusion of a stream's event of a version, or of its newest; raises as `at_position` does."""
    rows = store.stored(stream, version, version) if version else store.stored(stream)
    if not rows:
        raise NotFound("event")
    return _inclusion(store, rows[-1], size)


def consistency(store: Store, old: int, size: int | None = None) -> AuditProof:
    """That the log of a checkpoint's size, or of the newest's, begins with the first `old` events (at least 1)."""
    signed = _signed(store, size)
    if old > signed.size:
        raise NotFound("checkpoint", f"The checkpoint is of {signed.size} events, and not of {old}.")
    with log_tree(store.database) as tree:
        hashes = tree.hashes(consistency_ranges(old, signed.size))
    return AuditProof(
        kind="consistency",
        size=signed.size,
        hashes=[_base64(each) for each in hashes],
        checkpoint=signed.note,
        from_size=old,
    )


def is_running(store: Store, stream: UUID) -> bool:
    """Whether a hand's stream is that of a hand that is not settled yet."""
    found: Stream[Hand] = store.load(HAND, stream)
    return found.state is not None and found.state.state is State.RUNNING


def _inclusion(store: Store, row: Row, size: int | None) -> AuditProof:
    if row.topic.startswith(f"{HAND.name}.") and is_running(store, row.stream):
        raise NotAllowed("hand-not-closed", "The hand still runs: nothing is proved of it yet.")
    signed = _signed(store, size)
    with log_tree(store.database) as tree:
        index = tree.leaf_at(row.position)
        if index is None or index >= signed.size:
            raise NotFound("checkpoint", f"The event is newer than the checkpoint of {signed.size} events.")
        hashes = tree.hashes(inclusion_ranges(index, signed.size))
    return AuditProof(
        kind="inclusion",
        size=signed.size,
        hashes=[_base64(each) for each in hashes],
        checkpoint=signed.note,
        index=index,
        stream=row.stream,
        version=row.version,
        position=row.position,
        topic=row.topic,
        link=link(row.stream, row.version, row.topic, row.state),
        tlog_proof=proof_text(index, hashes, signed.note),
    )


def _signed(store: Store, size: int | None) -> Signed:
    """The newest checkpoint, or that of a size; NotFound."""
    if size is None:
        found = checkpoints.newest(store.database)
    else:
        found = checkpoints.covering(store.database, size)
        found = found if found and found.size == size else None
    if found is None:
        wanted = "There is no checkpoint yet." if size is None else f"No checkpoint is of {size} events."
        raise NotFound("checkpoint", wanted)
    return found


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
