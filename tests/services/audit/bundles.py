"""Bundles taken apart and put together again, with something changed in between; and what two verifiers say of them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

Members = dict[str, bytes]


def opened(bundle: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def closed(members: Members) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def lines(members: Members, name: str = "events.jsonl") -> list[bytes]:
    return members[name].splitlines()


def events(members: Members) -> list[dict]:
    return [json.loads(line) for line in lines(members)]


def with_lines(members: Members, changed: list[bytes], name: str = "events.jsonl") -> Members:
    return members | {name: b"".join(line + b"\n" for line in changed)}


def written(event: dict) -> bytes:
    """An event as a line, its state last and canonical."""
    state = event.get("state")
    head = {name: value for name, value in event.items() if name != "state"}
    told = json.dumps(head, separators=(",", ":"))[:-1].encode()
    if state is None:
        return told + b"}"
    return (
        told
        + b',"state":'
        + json.dumps(state, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
        + b"}"
    )


def changed_event(members: Members, at: int, change: Callable[[dict], None]) -> Members:
    """The bundle with one event changed."""
    all_lines = lines(members)
    event = json.loads(all_lines[at])
    change(event)
    return with_lines(members, [*all_lines[:at], written(event), *all_lines[at + 1 :]])
