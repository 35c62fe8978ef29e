"""Whatever somebody might change in a bundle, at random: each kind tells which place a verifier must name first.

`python -m tests.services.audit.tampering BUNDLE.zip VERIFIER [HOW MANY]` tries 1,000 of them, and says what was missed.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from domain.merkle import (
    leaf_hash,
    node_hash,
)
from services.audit import verify
from services.audit.judging import verdicts
from services.audit.notes import Checkpoint, Signer, proof_text
from services.bootstrap import presets
from tests.services.audit.bundles import (
    Members,
    changed_event,
    closed,
    events,
    lines,
    opened,
    with_lines,
    written,
)


class Tampered(NamedTuple):
    """A bundle with something changed, and texts of which the first complaint must have one.

    `key` is the signer's, where the house itself has cheated: it signs what it likes.
    """

    members: Members
    named: tuple[str, ...]
    key: str | None = None


def place(event: dict) -> str:
    return f"{event['stream']} version {event['version']} "


def stored(members: Members) -> list[int]:
    """The events that are not withheld, by place."""
    return [at for at, event in enumerate(events(members)) if "state" in event]


def another(random: Random, value: object) -> object:
    """A value of the same kind that is not the same."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 7))
    if isinstance(value, str):
        at = random.randrange(len(value)) if value else 0
        return value[:at] + ("b" if value[at : at + 1] == "a" else "a") + value[at + 1 :]
    if isinstance(value, list):
        return [*value, value[0]] if value else [1]
    return value | {"a": 1}


def edit(random: Random, members: Members, kept: str = "event") -> Tampered:
    """A value of an event."""
    at = random.choice(stored(members))
    event = events(members)[at]
    part = event["state"]["event"] if random.random() < 0.8 and event["state"]["event"] else event["state"]
    name = random.choice([name for name in part if name not in ("event", kept)])

    def change(told: dict) -> None:
        told = told["state"] if part is event["state"] else told["state"]["event"]
        told[name] = another(random, told[name])

    return Tampered(changed_event(members, at, change), (place(event),))


def edit_its_head(random: Random, members: Members) -> Tampered:
    """What an event says that it is: its stream, version or topic, or its place in the log."""
    at = random.randrange(len(lines(members)))
    event, name = events(members)[at], random.choice(("version", "topic", "index"))

    def change(told: dict) -> None:
        told[name] = another(random, told[name])

    tampered = changed_event(members, at, change)
    return Tampered(tampered, (place(event), place(events(tampered)[at])))


def delete(random: Random, members: Members) -> Tampered:
    """An event is gone."""
    told, found = lines(members), events(members)
    at = random.randrange(len(told))
    gone = found[at]
    follower = next((e for e in found[at + 1 :] if e["stream"] == gone["stream"]), None)
    named = place(follower) if follower else f"{gone['stream']}: breaks off"
    alone = gone["version"] == 1 and follower is None
    return Tampered(with_lines(members, told[:at] + told[at + 1 :]), (gone["stream"] if alone else named,))


def swap(random: Random, members: Members) -> Tampered:
    """Two lines change places."""
    told, found = lines(members), events(members)
    one, other = sorted(random.sample(range(len(told)), 2))
    told[one], told[other] = told[other], told[one]
    return Tampered(with_lines(members, told), tuple(place(e) for e in found[one : other + 1]))


def reorder(random: Random, members: Members) -> Tampered:
    """Two neighbours change places in the log, so that the order of things is another."""
    found = events(members)
    at = random.randrange(len(found) - 1)
    one, other = found[at], found[at + 1]
    for name in ("index", "position"):
        one[name], other[name] = other[name], one[name]
    told = lines(members)
    told[at : at + 2] = [written(other), written(one)]
    return Tampered(with_lines(members, told), (place(one), place(other)))


def insert(random: Random, members: Members) -> Tampered:
    """An event that never was, behind another one; what follows moves up."""
    found, at = events(members), random.choice(stored(members))
    made = json.loads(lines(members)[at])
    made["version"] += 1
    made["state"]["prev"] = "0" * 64
    told = [written(event) for event in (*found[: at + 1], made, *found[at + 1 :])]
    return Tampered(with_lines(members, told), (place(made),))


def cut_the_tail(random: Random, members: Members) -> Tampered:
    """The last events are gone, and everything that would tell of them."""
    found = events(members)
    kept = random.randrange(1, len(found))
    gone = {event["stream"] for event in found[kept:]}
    return Tampered(with_lines(members, lines(members)[:kept]), tuple(gone))


def edit_and_rehash(random: Random, members: Members) -> Tampered:
    """An event is changed, and the chain made anew behind it."""
    first = edit(random, members, "prev")
    found = chained_anew(events(first.members))
    return Tampered(with_lines(members, [written(event) for event in found]), first.named)


def chained_anew(found: list[dict]) -> list[dict]:
    heads: dict[str, str] = {}
    for event in found:
        if "state" in event:
            if event["stream"] in heads:
                event["state"]["prev"] = heads[event["stream"]]
            head = {"events.jsonl": written(event) + b"\n"}
            heads[event["stream"]] = verify.read_events(head)[0]["link"]
        else:
            heads[event["stream"]] = event["link"]
    return found


def of_topic(members: Members, name: str) -> list[int]:
    return [at for at, event in enumerate(events(members)) if event["topic"].split(".")[1] == name]


def replace_a_card(random: Random, members: Members) -> Tampered:
    """Two seats change a card in a deal."""
    at = random.choice(of_topic(members, "dealt"))

    def change(told: dict) -> None:
        change_cards(random, told["state"]["event"]["cards"])

    return Tampered(changed_event(members, at, change), (place(events(members)[at]),))


def replace_a_card_in_a_history(random: Random, members: Members) -> Tampered:
    """The same in what is told of the events."""
    told = lines(members, "hands.jsonl")
    at = random.randrange(len(told))
    history = json.loads(told[at])
    change_cards(random, history["deal"])
    told[at] = json.dumps(history, separators=(",", ":")).encode()
    return Tampered(with_lines(members, told, "hands.jsonl"), (f"hands.jsonl line {at + 1} ",))


def change_cards(random: Random, cards: dict[str, str]) -> None:
    one, other = random.sample(sorted(cards), 2)
    mine, his = cards[one].split(), cards[other].split()
    at, there = random.randrange(13), random.randrange(13)
    mine[at], his[there] = his[there], mine[at]
    cards[one], cards[other] = " ".join(mine), " ".join(his)


def change_a_transfer(random: Random, members: Members) -> Tampered:
    """A payment of a settlement."""
    at = random.choice(
        [n for n in of_topic(members, "settled") if events(members)[n]["state"]["event"]["transfers"]]
    )

    def change(told: dict) -> None:
        random.choice(told["state"]["event"]["transfers"])[random.choice(("paid", "due", "payer"))] += 1

    return Tampered(changed_event(members, at, change), (place(events(members)[at]),))


def change_a_transfer_in_a_history(random: Random, members: Members) -> Tampered:
    """The same in what is told of the events."""
    told = lines(members, "hands.jsonl")
    at = random.choice([n for n, line in enumerate(told) if b'"paid"' in line])
    history = json.loads(told[at])
    random.choice(history["settlement"]["transfers"])[random.choice(("paid", "due", "to"))] += 1
    told[at] = json.dumps(history, separators=(",", ":")).encode()
    return Tampered(with_lines(members, told, "hands.jsonl"), (f"hands.jsonl line {at + 1} ",))


def forge_the_signature(random: Random, members: Members) -> Tampered:
    """A bit of the signature, the root or the size."""
    note = members["checkpoint.txt"].decode()
    part = random.choice(("root", "signature", "size"))
    told = note.split("\n")
    if part == "size":
        told[1] = str(int(told[1]) + random.choice((-1, 1)))
    elif part == "root":
        told[2] = flipped(random, told[2])
    else:
        *head, signature = told[4].split(" ")
        raw = base64.b64decode(signature)
        told[4] = " ".join(
            [
                *head,
                base64.b64encode(
                    raw[:4] + base64.b64decode(flipped(random, base64.b64encode(raw[4:]).decode()))
                ).decode(),
            ]
        )
    return Tampered(members | {"checkpoint.txt": "\n".join(told).encode()}, ("checkpoint.txt",))


def flipped(random: Random, text: str) -> str:
    raw = bytearray(base64.b64decode(text))
    raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    return base64.b64encode(bytes(raw)).decode()


def change_the_tree(random: Random, members: Members) -> Tampered:
    """A hash of the tree: whatever it proves is proved no more."""
    told = lines(members, "tree.txt")
    at = random.randrange(len(told))
    first, end, raw = told[at].decode().split(" ")
    told[at] = f"{first} {end} {flipped(random, raw)}".encode()
    beside = [
        e
        for e in events(members)
        if (int(first), int(end)) in set(verify.way_up(e["index"], size_of(members)))
    ]
    return Tampered(with_lines(members, told, "tree.txt"), (place(beside[0]),))


def size_of(members: Members) -> int:
    return int(members["checkpoint.txt"].split(b"\n")[1])


def forge_everything(random: Random, members: Members) -> Tampered:
    """An event is changed, the chain, the tree and all proofs made anew, and a stranger signs under the same name."""
    stranger = Signer(members["checkpoint.txt"].decode().split("\n")[0], random.randbytes(32))
    made = signed_anew(members, events(edit_and_rehash(random, members).members), stranger)
    return Tampered(made, ("checkpoint.txt: none of the keys",))


def confirm_a_dealt_hand(random: Random, members: Members) -> Tampered:
    """A hand whose seed is never revealed, as if it had been recorded; the house itself signs it."""
    found = events(members)
    at = random.choice(of_topic(members, "finalised"))
    found[at]["topic"], found[at]["state"]["event"] = "hand.confirmed.1", {}
    house = Signer(members["checkpoint.txt"].decode().split("\n")[0], random.randbytes(32))
    made = signed_anew(members, chained_anew(found), house)
    return Tampered(made, (f"deal hand {found[at]['stream']}: ",), str(house.verifier))


def signed_anew(members: Members, found: list[dict], signer: Signer) -> Members:
    """The bundle with these events, its tree and all proofs made anew; who is not among them stays in the log."""
    told = verify.read_events({"events.jsonl": b"".join(written(e) + b"\n" for e in found)})
    leaves = {e["index"]: bytes.fromhex(e["link"]) for e in (*verify.read_events(members), *told)}
    tree: dict[tuple[int, int], bytes] = {}
    size = size_of(members)
    old = verify.tree_in(members)

    def hash_of(first: int, end: int) -> bytes:
        if end - first == 1:
            return leaf_hash(leaves[first]) if first in leaves else old[first, end]
        if not any(first <= index < end for index in leaves):
            return old[first, end]
        middle = first + (1 << (end - first - 1).bit_length() - 1)
        return node_hash(hash_of(first, middle), hash_of(middle, end))

    tree = {of: hash_of(*of) for of in old if any(of in verify.way_up(e["index"], size) for e in found)}
    note = signer.signed(str(Checkpoint(signer.name, size, hash_of(0, size))))
    manifest = json.loads(members["manifest.json"])
    manifest["keys"] = [{"verifier": str(signer.verifier), "announcement": None}]
    made = with_lines(members, [written(event) for event in found]) | {
        "checkpoint.txt": note.encode(),
        "manifest.json": json.dumps(manifest).encode(),
        "tree.txt": b"".join(
            b"%d %d %b\n" % (*of, base64.b64encode(raw)) for of, raw in sorted(tree.items())
        ),
    }
    made = {name: content for name, content in made.items() if not name.startswith("proofs/")}
    for stream, event in {e["stream"]: e for e in found}.items():
        hashes = [tree[of] for of in verify.way_up(event["index"], size)]
        made[f"proofs/{stream}.tlog-proof"] = proof_text(event["index"], hashes, note).encode()
    return made


OF_EVENTS = (
    edit, edit_its_head, delete, swap, reorder, insert, cut_the_tail, edit_and_rehash, replace_a_card,
    change_a_transfer, forge_the_signature, change_the_tree, forge_everything,
    confirm_a_dealt_hand,
)  # fmt: skip
OF_HISTORIES = (replace_a_card_in_a_history, change_a_transfer_in_a_history)
"""What only the engine judges: the histories are told beside the events."""
KINDS: dict[str, Callable[[Random, Members], Tampered]] = {
    kind.__name__: kind for kind in (*OF_EVENTS, *OF_HISTORIES)
}


def complaints(members: Members, key: str, file: Path, *, engine: bool = False) -> list[str]:
    """What is wrong by the file within, or by the engine, in order."""
    file.write_bytes(closed(members))
    found = verdicts(str(file), presets(), key) if engine else verify.checks(str(file), key)
    return [f"{name} {told}" for name, holds, told in found if holds is False]


def missed(bundle: Members, key: str, many: int, file: Path) -> list[str]:
    """Try so many, each kind in turn: those that were not found, or whose place was not the first that was named."""
    wrong = []
    for number in range(many):
        name = list(KINDS)[number % len(KINDS)]
        tampered = KINDS[name](Random(f"{name} {number}"), bundle)
        found = complaints(tampered.members, tampered.key or key, file, engine=KINDS[name] in OF_HISTORIES)
        if not found or not any(text in found[0] for text in tampered.named):
            wrong.append(f"{name} {number}: {found[:1]} names none of {tampered.named[:2]}")
    return wrong


def main(bundle: str, key: str, many: str = "1000") -> int:
    begun = time.monotonic()
    members = opened(Path(bundle).read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tampered.zip"
        alarms = complaints(members, key, file, engine=True)
        found = missed(members, key, int(many), file)
    print("\n".join([*alarms, *found]))
    print(f"{many} tamperings of {len(KINDS)} kinds: {len(found)} missed, {len(alarms)} false alarms, "
          f"{time.monotonic() - begun:.0f} s")  # fmt: skip
    return int(bool(found or alarms))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
