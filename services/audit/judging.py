"""A bundle judged by the whole engine: what `verify.py` says of it, and more.

Beside that file's checks each history is written again from the events, member by member, played again by `big2`, and
its deal made again by `domain`, from what was fixed before the seats; all that happened in a hand is decided again,
with its times; so is all that a tournament did and drew; and `verify.py` itself is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

import msgspec

from big2.form import parse_json
from big2.history import verify as verdict_on
from big2.rulesets import RuleSet
from domain.hand import HAND
from domain.merkle import Range, inclusion_ranges
from domain.structure import Structure
from domain.tournament_events import Published
from services.application.histories import nameless
from services.audit import verify
from services.audit.notes import Checkpoint, proof_text
from services.audit.opened import UNREADABLE, Members, folded, recorded
from services.audit.proving import deal_problem
from services.audit.redrawn import redrawn
from services.audit.replayed import replayed
from services.audit.rooted import rooted
from services.doctor.judging import FAULTS


class Verdict(NamedTuple):
    """One check: whether it holds, and what it found, or what is wrong first; None where it only says what to know."""

    check: str
    holds: bool | None
    told: str

    def __str__(self) -> str:
        return f"{verify.WORDS[self.holds]}  {self.check:10}  {verify.shown(self.told)}"


def verdicts(path: str, presets: Mapping[str, RuleSet], trusted: str | None = None) -> Iterator[Verdict]:
    """Each check of a bundle; `trusted` is the verifier key that the house has published. Raises OSError."""
    readable = True
    for check in verify.checks(path, trusted):
        readable = readable and check[0] != "format"
        yield Verdict(*check)
    if readable:
        members, _ = verify.read_bundle(path)
        yield from _by_the_engine(members, presets)


def _by_the_engine(members: Members, presets: Mapping[str, RuleSet]) -> Iterator[Verdict]:
    steps: list[tuple[str, Callable[[], str]]] = [
        ("proofs", lambda: _proofs_hold(members)),
        ("engine", lambda: _hands_hold(members, presets)),
        ("roots", lambda: rooted(members)),
        ("draws", lambda: redrawn(members)),
        ("replay", lambda: replayed(members, presets)),
    ]
    for name, step in steps:
        try:
            yield Verdict(name, True, step())
        except verify.Wrong as wrong:
            yield Verdict(name, False, str(wrong))
        except (*UNREADABLE, *FAULTS) as error:
            yield Verdict(name, False, f"cannot be read: {type(error).__name__}")
    yield _is_ours(members)


def _hands_hold(members: Members, presets: Mapping[str, RuleSet]) -> str:
    """Every history is what its events make, to the byte; the rules accept it, and its seed deals its cards."""
    told = (nameless(stream) for stream in folded(members, HAND))
    right = [history for history in told if history is not None]
    lines = members["hands.jsonl"].splitlines()
    for number, (line, history) in enumerate(zip(lines, right, strict=False), 1):
        where = f"hands.jsonl line {number} (hand {history['hand_id']})"
        if line != msgspec.json.encode(history):
            raise verify.Wrong(f"{where}: is not what the events make")
        found = verdict_on(parse_json(line.decode()), presets)
        if found["verdict"] != "valid":
            raise verify.Wrong(f"{where}: {found['verdict']}: {found.get('reason', found.get('field'))}")
        if problem := deal_problem(history):
            raise verify.Wrong(f"{where}: {problem}")
    if len(lines) != len(right):
        raise verify.Wrong(f"hands.jsonl: has {len(lines)} hands instead of {len(right)}")
    published = [r.event for r in recorded(members, "tournament") if isinstance(r.event, Published)]
    structure = members.get("structure.json")
    if published and (
        structure is None or msgspec.json.decode(structure, type=Structure) != published[-1].structure
    ):
        raise verify.Wrong("structure.json: is not the one in force")
    return f"{len(right)} hands were played and dealt again by the engine"


def _proofs_hold(members: Members) -> str:
    """The tree has no more than it takes, and the tlog-proofs are those of each stream's last event."""
    events, tree, note = (
        verify.read_events(members),
        verify.tree_in(members),
        members["checkpoint.txt"].decode(),
    )
    size = Checkpoint.parsed(note).size
    if {Range(*of) for of in tree} != {of for e in events for of in inclusion_ranges(e["index"], size)}:
        raise verify.Wrong("tree.txt: has hashes that prove nothing here")
    ends = {f"proofs/{e['stream']}.tlog-proof": e["index"] for e in events}
    if set(ends) != {name for name in members if name.startswith("proofs/")}:
        raise verify.Wrong("proofs/: are not those of each stream's last event")
    for name, index in ends.items():
        hashes = [tree[of] for of in inclusion_ranges(index, size)]
        if members[name] != proof_text(index, hashes, note).encode():
            raise verify.Wrong(f"{name}: does not prove the stream's last event")
    return f"{len(ends)} proofs, one of each stream's last event"


def _is_ours(members: Members) -> Verdict:
    """What was written by whoever made the bundle, and is signed by nobody: another release has others."""
    ours = files("services.audit")
    for name, own in (("verify.py", "verify.py"), ("README.txt", "bundle.txt")):
        if members.get(name) != (ours / own).read_bytes():
            what = "is not in it" if name not in members else "is another release's, or was changed"
            return Verdict("verify.py", None, f"{name} {what}: take it from elsewhere")
    return Verdict("verify.py", True, "is that of this release")
