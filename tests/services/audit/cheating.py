"""What a house may do that signs its own log: change what it likes, make all that follows from it fit, and sign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec

from domain.hand import HAND
from services.application.histories import nameless
from services.audit import verify
from services.audit.judging import verdicts
from services.audit.notes import Signer
from services.audit.opened import folded
from services.bootstrap import presets
from tests.services.audit import tampering
from tests.services.audit.bundles import Members, closed, events

Change = Callable[[list[dict]], list[dict] | None]


def signed_by_the_house(members: Members, change: Change) -> tuple[Members, str]:
    """The bundle with its events changed, and everything else made to fit; and the key that it is signed with."""
    found = events(members)
    found = change(found) or found
    house = Signer(members["checkpoint.txt"].decode().split("\n")[0], Random(1).randbytes(32))
    made = tampering.signed_anew(members, tampering.chained_anew(found), house)
    told = [nameless(stream) for stream in folded(made, HAND)]
    histories = b"".join(msgspec.json.encode(history) + b"\n" for history in told if history is not None)
    return made | {"hands.jsonl": histories}, str(house.verifier)


def complaints(members: Members, key: str, file: Path) -> tuple[list[str], list[str]]:
    """What is wrong by the file within, and what by the engine beside that."""
    file.write_bytes(closed(members))
    own = [f"{name} {told}" for name, holds, told in verify.checks(str(file), key) if holds is False]
    every = [f"{v.check} {v.told}" for v in verdicts(str(file), presets(), key) if v.holds is False]
    return own, [told for told in every if told not in own]


def told(found: list[dict], topic: str, number: int = 0) -> dict:
    """The event of a topic, of which there may be several."""
    return [e for e in found if e["topic"].startswith(topic) and "state" in e][number]["state"]["event"]


def without(found: list[dict], gone: Callable[[dict], bool]) -> list[dict]:
    """The events without some, each stream numbered anew."""
    kept, versions = [event for event in found if not gone(event)], {}
    for event in kept:
        event["version"] = versions[event["stream"]] = versions.get(event["stream"], 0) + 1
    return kept
