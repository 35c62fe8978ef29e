"""I5, of the whole log: it begins with what was signed last, event for event as it is stored now.

That tells what no chain can: an end that was cut off, and a past that was written anew. Who can change the table of
checkpoints as well takes an anchor to be seen (`big2 audit anchor --check`).
"""

from __future__ import annotations

from collections.abc import Iterator

from services.audit import checkpoints, keys
from services.audit.anchors import roots_of
from services.audit.notes import Checkpoint, NoteError, opened
from services.doctor.violation import Violation
from services.store import Store


def begins_with_what_was_signed(store: Store) -> Iterator[Violation]:
    """What the newest checkpoint says of the log; nothing where there is none yet."""
    signed = checkpoints.newest(store.database)
    if signed is None:
        return
    where = f"checkpoint of {signed.size} events ({signed.at:%Y-%m-%dT%H:%M:%SZ})"
    try:
        told = Checkpoint.parsed(opened(signed.note, keys.verifiers(store.database)))
    except NoteError as error:
        yield Violation("I5", where, str(error))
        return
    roots = roots_of(store, [told.size])
    if told.size not in roots:
        yield Violation("I5", where, f"the log has only {max(roots, default=0)} events: its end was cut off")
    elif roots[told.size] != told.root:
        yield Violation("I5", where, "the log does not begin with the events that were signed")
