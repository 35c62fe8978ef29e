"""Proofs: of every event that may be proved, against what is signed; and nothing of a hand that still runs."""

from __future__ import annotations

import base64
from uuid import uuid4

import pytest

from domain.errors import NotAllowed
from domain.hand_events import Committed
from domain.merkle import leaf_hash, root_by_inclusion
from domain.topics import TOPICS
from services.application.errors import NotFound
from services.audit import checkpoints, proofs
from services.envelope import GENESIS, Codec, Command, link, seal
from services.projections.tree import leaf_of


def led_to(proof):
    """The root that a proof of inclusion leads to."""
    hashes = [base64.b64decode(each) for each in proof.hashes]
    return root_by_inclusion(leaf_hash(bytes.fromhex(proof.link)), proof.index, proof.size, hashes)


def test_every_event_but_those_of_running_hands_is_proved(house):
    running = house.running(house.going)
    signed = checkpoints.newest(house.store.database)
    for row in house.store.stored_log(0, 10_000)[::7]:
        if row.stream in running:
            continue
        proof = proofs.at_position(house.store, row.position)
        assert (proof.stream, proof.version, proof.topic) == (row.stream, row.version, row.topic)
        assert led_to(proof) == signed.root


def test_of_a_running_hand_nothing_is_proved(house):
    hand = house.running(house.going)[0]
    rows = house.store.stored(hand)
    asked = [
        *(lambda row=row: proofs.at_position(house.store, row.position) for row in rows),
        *(lambda row=row: proofs.in_stream(house.store, hand, row.version) for row in rows),
        lambda: proofs.in_stream(house.store, hand, None),
    ]
    for ask in asked:
        with pytest.raises(NotAllowed) as refused:
            ask()
        assert refused.value.code == "hand-not-closed"


def test_a_streams_event_is_proved_by_its_version_and_in_an_earlier_checkpoint(house):
    new, old = checkpoints.listed(house.store.database, None, 2)
    proof = proofs.in_stream(house.store, house.over, 2, old.size)
    assert (proof.version, proof.size, proof.checkpoint) == (2, old.size, old.note)
    assert led_to(proof) == old.root
    assert led_to(proofs.in_stream(house.store, house.over, None)) == new.root
    assert proof.tlog_proof.startswith(f"c2sp.org/tlog-proof@v1\nindex {proof.index}\n")
    assert proof.tlog_proof.endswith(f"\n\n{old.note}")


def test_what_is_not_there_is_not_proved(house):
    old = checkpoints.listed(house.store.database, None, 2)[1]
    last = house.log()[-1].position
    for ask in (
        lambda: proofs.at_position(house.store, last + 1),
        lambda: proofs.in_stream(house.store, uuid4(), None),
        lambda: proofs.in_stream(house.store, house.over, 100_000),
        lambda: proofs.in_stream(house.store, house.going, 1, old.size),
        lambda: proofs.in_stream(house.store, house.over, 1, old.size - 1),
        lambda: proofs.consistency(house.store, last + 10),
        lambda: proofs.consistency(house.store, 1, old.size + 1),
    ):
        with pytest.raises(NotFound):
            ask()


def test_of_two_worlds_that_differ_in_a_seed_a_hand_has_no_leaf_in_common(house):
    """So whoever knows all that is public of a running hand, to the byte and the microsecond, can try out no leaf of
    it: each hangs on the 32 bytes of the seed that its first event holds."""
    hand = house.running(house.going)[0]
    rows, codec = house.store.stored(hand), Codec(TOPICS)
    assert len(rows) > 3
    prev = GENESIS
    for row, r in zip(rows, house.store.events(hand), strict=True):
        event = r.event
        if isinstance(event, Committed):
            other = bytes([event.seed[0] ^ 1, *event.seed[1:]])
            event = type(event)(
                **{name: getattr(event, name) for name in event.__struct_fields__} | {"seed": other}
            )
        state = seal(codec.encode(Command(r.command, r.actor, r.digest), r.at, event), prev)
        elsewhere = row._replace(state=state)
        assert leaf_of(elsewhere) != leaf_of(row)
        prev = link(*elsewhere[:4])
