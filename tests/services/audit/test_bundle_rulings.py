"""Bundles of hands of which actions were voided while they ran: the hand is judged as it stands, the ruling too."""

from __future__ import annotations

import json
from random import Random

import pytest

from big2.rulesets import ruleset_to_mapping
from services.audit import bundling, checkpoints, keys, verify
from services.audit.judging import verdicts
from services.audit.notes import Signer
from services.bootstrap import presets
from tests.services.audit import tampering
from tests.services.audit.bundles import closed, events, lines, opened
from tests.services.projections.house import House, staff


@pytest.fixture(scope="module")
def ruled(database_url, tmp_path_factory):
    """A hand of which three times something was voided, in a house that has signed its log."""
    house, data = House(database_url, seed=5), tmp_path_factory.mktemp("data")
    keys.first(house.store.database, None, data)
    t = house.started(4, stack_points=200)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    for many in (1, 3, 2):
        for _ in range(4):
            house.act(hand)
        house.take_back(hand, many)
    house.play_out(hand)
    house.project()
    checkpoints.publish(house.store, None, data)
    yield opened(bundling.of_hand(house, hand, staff()))
    house.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bundle.zip"


def test_it_is_found_right_by_the_file_within_and_by_the_engine(ruled, file):
    file.write_bytes(closed(ruled))
    found = list(verdicts(str(file), presets()))
    assert all(each.holds for each in found), found
    [history] = lines(ruled, "hands.jsonl")
    assert [len(each["actions"]) > 0 for each in json.loads(history)["voided_actions"]] == [True] * 3


def test_whatever_is_changed_is_found_and_its_place_named(ruled, file):
    key = json.loads(ruled["manifest.json"])["keys"][0]["verifier"]
    assert tampering.missed(ruled, key, 2 * len(tampering.KINDS), file) == []


def signed_by_the_house(members, change):
    """Whatever the house signs: the first event that tells of voided actions is another."""
    found, at = events(members), tampering.of_topic(members, "actions_voided")[0]
    change(found[at]["state"]["event"])
    house = Signer(members["checkpoint.txt"].decode().split("\n")[0], Random(1).randbytes(32))
    made = tampering.signed_anew(members, tampering.chained_anew(found), house)
    return made, str(house.verifier), tampering.place(found[at])


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.update(action=e["action"] - 1),
        lambda e: e.update(action=0),
        lambda e: e.update(action=e["last"] + 1),
        lambda e: e.update(last=e["last"] + 1),
        lambda e: e.update(turn=e["turn"] + 1),
        lambda e: e["cards_left"].update({"1": 14}),
        lambda e: e["next_turn"].update(seat=e["next_turn"]["seat"] % 4 + 1),
        lambda e: e["next_turn"].update(number=e["next_turn"]["number"] - 1),
    ],
)
def test_a_house_that_tells_of_another_ruling_is_found_out(ruled, file, change):
    members, key, place = signed_by_the_house(ruled, change)
    [complaint] = tampering.complaints(members, key, file)
    assert complaint.startswith("play hand.actions_voided")
    assert place in complaint


def test_a_house_that_voids_an_automatic_pass_alone_is_found_out():
    deal = {
        "direction": "clockwise",
        "dealer": 1,
        "leader": 1,
        "cards": {"1": "3D 2S", "2": "4D", "3": "5D 6D"},
    }
    rules = verify.Rules(ruleset_to_mapping(presets()["actionpoker"]))
    table = verify.Table(rules, deal)
    table.act({"seat": 1, "cards": "2S", "by": "player", "breach": False}, "there")
    table.act({"seat": 2, "reason": "two_of_spades", "breach": False}, "there")
    told = {"action": 2, "last": 2, "turn": 2, "next_turn": {}, "cards_left": {}}
    with pytest.raises(verify.Wrong, match="voids an automatic pass alone"):
        table.before(told, "here")
