"""A bundle: all that takes to check hands offline, in a zip that is the same to the byte whenever it is made.

    README.txt            what is in it, and how to check it
    verify.py             the check: one file, Python's standard library alone
    manifest.json         `big2-bundle/1`: of what, of how many events, the keys, hands that are left out
    checkpoint.txt        the first checkpoint that covers all of its events, a signed note
    events.jsonl          the events as stored, in the order of the log
    tree.txt              the hashes that prove each of them: first leaf, end, base64
    proofs/….tlog-proof   the last event of each stream, as C2SP has it
    hands.jsonl           the histories, `big2-hand/1`, with ids in the place of names
    structure.json        of a tournament that is over: its structure

Only what is over: hands whose seed is revealed; a table's or a tournament's own events once it is closed or ended. An
event with a secret that is never told (`domain.events`) is withheld: its link, the hash that stands for it in the tree
and in its successor's `prev`, is in its place.
"""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Literal, NamedTuple
from uuid import UUID

import msgspec

from domain.events import Audience, audiences
from domain.hand import Hand
from domain.merkle import Range, inclusion_ranges, range_hash, subtrees_of
from domain.topics import TOPICS
from domain.tournament_events import Published
from services.application.histories import nameless
from services.audit import checkpoints, keys
from services.audit.checkpoints import Signed
from services.audit.notes import proof_text
from services.audit.tree import log_tree
from services.envelope import Row, Stream, link
from services.errors import StoreError
from services.store import Store

FORMAT = "big2-bundle/1"
MOST_EVENTS = 400_000
"""A larger bundle is asked for table by table."""
STREAMS_AT_ONCE = 200
_MADE_AT = (1980, 1, 1, 0, 0, 0)
"""A zip's first moment: when it was made is not in it."""
_HIDDEN = {Audience.SEALED, Audience.BOOKS}
_WITHHELD = frozenset(
    topic
    for topic, event in TOPICS.items()
    if _HIDDEN & set(audiences(event).values()) and not topic.startswith("hand.")
)
"""Topics with a secret for ever; a hand's one secret, its seed, is revealed by then."""

Kind = Literal["hand", "table", "tournament"]


class BundleError(StoreError):
    """A bundle can't be made; the message says why."""


class NotSigned(BundleError):  # noqa: N818 - what the caller is told
    """No checkpoint covers it yet."""


class Contents(NamedTuple):
    """What goes into a bundle: streams that are over, final hands, and the ids of hands that are not final yet."""

    kind: Kind
    id: UUID
    streams: list[UUID]
    hands: list[Stream[Hand]]
    left_out: list[UUID]


def bundle(store: Store, contents: Contents, most: int = MOST_EVENTS) -> bytes:
    """The zip. Raises NotSigned, and BundleError if it would have more than so many events."""
    rows = _rows(store, [*contents.streams, *(hand.id for hand in contents.hands)], most)
    indexes, signed = _covered(store, rows)
    proven = _tree(store, list(indexes.values()), signed.size)
    members: dict[str, bytes] = {
        "README.txt": (files("services.audit") / "bundle.txt").read_bytes(),
        "verify.py": (files("services.audit") / "verify.py").read_bytes(),
        "manifest.json": _manifest(store, contents, signed),
        "checkpoint.txt": signed.note.encode(),
        "events.jsonl": b"".join(_event(row, indexes[row.position]) for row in rows),
        "tree.txt": b"".join(_hash_line(of, found) for of, found in sorted(proven.items())),
        "hands.jsonl": b"".join(_histories(contents.hands)),
    }
    members |= _structure(store, rows)
    for stream, row in sorted({row.stream: row for row in rows}.items()):
        hashes = [proven[of] for of in inclusion_ranges(indexes[row.position], signed.size)]
        proof = proof_text(indexes[row.position], hashes, signed.note)
        members[f"proofs/{stream}.tlog-proof"] = proof.encode()
    return _zipped(members)


def must_fit(events: int, most: int) -> None:
    """Raises BundleError if so many events are more than `most`."""
    if events > most:
        raise BundleError(f"it has more than {most} events: ask for its tables one by one")


def _rows(store: Store, streams: Sequence[UUID], most: int) -> list[Row]:
    found: list[Row] = []
    for first in range(0, len(streams), STREAMS_AT_ONCE):
        found += store.stored_many(streams[first : first + STREAMS_AT_ONCE])
        must_fit(len(found), most)
    return sorted(found, key=lambda row: row.position)


def _covered(store: Store, rows: Sequence[Row]) -> tuple[dict[int, int], Signed]:
    """Each event's index by its position, and the first checkpoint that covers all."""
    with log_tree(store.database) as tree:
        indexes = tree.leaves_at([row.position for row in rows])
    signed = checkpoints.covering(store.database, max(indexes.values(), default=0) + 1)
    if len(indexes) < len(rows) or signed is None:
        raise NotSigned("no checkpoint covers it yet: one is signed every minute, and at a tournament's end")
    return indexes, signed


def _tree(store: Store, indexes: Sequence[int], size: int) -> dict[Range, bytes]:
    ranges = {of for index in indexes for of in inclusion_ranges(index, size)}
    with log_tree(store.database) as tree:
        known = tree.subtrees(subtrees_of(ranges))
    return {of: range_hash(of, known) for of in ranges}


def _manifest(store: Store, contents: Contents, signed: Signed) -> bytes:
    told = {
        "format": FORMAT,
        "of": {"kind": contents.kind, "id": contents.id},
        "size": signed.size,
        "keys": [
            {"verifier": key.verifier, "announcement": key.announcement}
            for key in keys.published(store.database)
            if key.added_at <= signed.at
        ],
        "left_out": sorted(contents.left_out),
        "release": version("big2-tournament"),
    }
    return msgspec.json.format(msgspec.json.encode(told)) + b"\n"


def _event(row: Row, index: int) -> bytes:
    """One line; `state`, its last member, is the stored bytes as they are."""
    head = {"index": index, "position": row.position, "stream": row.stream, "version": row.version}
    told = msgspec.json.encode({**head, "topic": row.topic})[:-1]
    if row.topic in _WITHHELD:
        return b'%b,"link":"%b"}\n' % (told, link(row.stream, row.version, row.topic, row.state).encode())
    return b'%b,"state":%b}\n' % (told, row.state)


def _hash_line(of: Range, found: bytes) -> bytes:
    return b"%d %d %b\n" % (of.first, of.end, base64.b64encode(found))


def _histories(hands: Sequence[Stream[Hand]]) -> Iterator[bytes]:
    for hand in hands:
        told: Mapping[str, Any] | None = nameless(hand)
        if told is not None:
            yield msgspec.json.encode(told) + b"\n"


def _structure(store: Store, rows: Sequence[Row]) -> dict[str, bytes]:
    """That in force, as the tournament's last publication has it."""
    own = [row for row in rows if issubclass(TOPICS[row.topic], Published)]
    if not own:
        return {}
    event = store.decoded(own[-1]).event
    assert isinstance(event, Published)
    return {"structure.json": msgspec.json.format(msgspec.json.encode(event.structure)) + b"\n"}


def _zipped(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _MADE_AT)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 6)
    return out.getvalue()
