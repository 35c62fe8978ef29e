"""A house that signs another log than what happened is found out, by the file within or by the engine."""

from __future__ import annotations

import json
from itertools import count

import pytest
from click.testing import CliRunner

from services.audit import bundling, keys, verify
from services.audit.judging import verdicts
from services.bootstrap import presets
from tests.services.audit.bundles import closed, events, lines, opened, with_lines, written
from tests.services.audit.cheating import complaints, signed_by_the_house, told, without
from tests.services.projections.house import staff
from workers.cli import main

STRANGER = "00000000-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def members(house):
    return opened(bundling.of_tournament(house, house.over, staff()))


@pytest.fixture(scope="module")
def key(house):
    return keys.published(house.store.database)[0].verifier


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bundle.zip"


def test_what_the_house_signs_unchanged_is_found_right(members, file):
    assert complaints(*signed_by_the_house(members, lambda _: None), file) == ([], [])


def last_hand(found):
    return [e["stream"] for e in found if e["topic"].startswith("hand.committed")][-1]


def undealt(found):
    hand = last_hand(found)
    gone = ("hand.dealt", "hand.played", "hand.passed")
    return without(found, lambda e: e["stream"] == hand and e["topic"].startswith(gone))


def test_a_hand_that_is_settled_without_a_deal_is_found_by_both(members, file):
    own, _ = complaints(*signed_by_the_house(members, undealt), file)
    assert any("is not dealt or recorded once, and then settled once" in told for told in own)


def stacks(found):
    """Ten chips out of nowhere for the first hand, and what follows from them."""
    for seat in told(found, "hand.dealt")["seats"]:
        seat["stack"] += 10
    ended = told(found, "table.hand_ended")
    ended["stacks"] = {seat: stack + 10 for seat, stack in ended["stacks"].items()}


def swapped(found):
    one, other, *_ = told(found, "hand.dealt")["seats"]
    one["player_id"], other["player_id"] = other["player_id"], one["player_id"]


def early(found):
    for event in found:
        turn = event["state"]["event"].get("next_turn") if "state" in event else None
        if turn and event["topic"].startswith("hand.played"):
            turn["deadline"] = event["state"]["at"]
            return


def turned(found):
    deal = told(found, "hand.dealt", -1)
    deal["direction"] = {"clockwise": "counterclockwise"}.get(deal["direction"], "clockwise")


@pytest.mark.parametrize(
    "change",
    [
        stacks,
        swapped,
        early,
        turned,
        lambda found: told(found, "hand.dealt")["seats"][0].update(player_id=STRANGER),
        lambda found: told(found, "hand.dealt").update(level=7),
        lambda found: told(found, "hand.dealt").update(structure_hash="0" * 64),
        lambda found: told(found, "hand.dealt")["timing"].update(turn_seconds=3600),
        lambda found: told(found, "table.hand_begun").update(unit=9),
        lambda found: told(found, "table.hand_ended")["points"].update({"1": 99}),
    ],
    ids=[
        "stacks",
        "seats",
        "deadline",
        "direction",
        "stranger",
        "level",
        "structure",
        "timing",
        "begun",
        "ended",
    ],
)
def test_a_hand_that_does_not_follow_from_its_table_is_found_by_the_engine(members, file, change):
    _, more = complaints(*signed_by_the_house(members, change), file)
    assert any(told.startswith(("replay hand ", "replay table ")) for told in more), more


def test_roots_that_were_never_told_are_missed(members, file):
    dropped = lambda found: without(found, lambda e: e["topic"].startswith("tournament.deals_committed"))  # noqa: E731
    _, more = complaints(*signed_by_the_house(members, dropped), file)
    assert any("was never told" in told for told in more), more


# left out of it


def left(members, gone, out=None):
    """The bundle without some events, and all that stands for them; and what the manifest says is left out."""
    kept = [event for event in events(members) if not gone(event)]
    streams = {event["stream"] for event in kept}
    manifest = json.loads(members["manifest.json"])
    manifest["left_out"] = sorted({e["stream"] for e in events(members)} - streams) if out is None else out
    made = {n: c for n, c in members.items() if not n.startswith("proofs/") or n[7:-11] in streams}
    return with_lines(made, [written(event) for event in kept]) | {
        "manifest.json": json.dumps(manifest).encode()
    }


@pytest.mark.parametrize(
    ("gone", "out", "why"),
    [
        (lambda e: e["topic"].startswith("hand."), None, "leaves out what is final"),
        (lambda e: e["topic"].startswith(("hand.", "table.")), None, "leaves out what is final"),
        (lambda e: e["topic"].startswith("roster."), [], "its roster is not in the bundle"),
        (lambda _: True, [], "has no event"),
        (lambda _: False, [STRANGER], "leaves out what is final"),
    ],
    ids=["hands", "tables", "roster", "everything", "nothing"],
)
def test_a_finished_tournament_leaves_nothing_out(members, key, file, gone, out, why):
    own, _ = complaints(left(members, gone, out), key, file)
    assert why in own[0]


def test_where_the_tournament_is_not_in_it_that_is_said(members, key, file):
    file.write_bytes(closed(left(members, lambda e: not e["topic"].startswith("hand."), [])))
    notes = [v.told for v in verdicts(str(file), presets(), key) if v.holds is None]
    assert notes == ["the tournament itself is not in it: hands may be missing"]


@pytest.mark.parametrize(
    "of", [{"kind": "tournament", "id": STRANGER}, {"kind": "hand", "id": STRANGER}, {"kind": "x"}]
)
def test_of_what_a_bundle_is_must_be_so(members, key, file, of):
    manifest = json.loads(members["manifest.json"])
    manifest["of"] |= of
    own, _ = complaints(members | {"manifest.json": json.dumps(manifest).encode()}, key, file)
    assert own


# what nobody may make it stumble over


DEEP = b"[" * 100_000
STUMBLES = (
    {
        "deep manifest": lambda _: {"manifest.json": DEEP},
        "list manifest": lambda _: {"manifest.json": b"[]"},
        "deep line": lambda m: {"events.jsonl": m["events.jsonl"] + DEEP + b"\n"},
        "key twice": lambda m: {
            "events.jsonl": m["events.jsonl"].replace(b'{"index"', b'{"index":0,"index"', 1)
        },
        "white space": lambda m: {"events.jsonl": m["events.jsonl"].replace(b'"state":{', b'"state": {', 1)},
        "one more member": lambda m: {
            "events.jsonl": m["events.jsonl"].replace(b'{"index"', b'{"a":1,"index"', 1)
        },
        "no tree": lambda _: {"tree.txt": b"1"},
    }
    | {
        f"{name} {value}": lambda m, name=name, value=value: {
            "events.jsonl": b"\n".join(
                [
                    json.dumps(json.loads(lines(m)[0]) | {name: value}, separators=(",", ":")).encode(),
                    *lines(m)[1:],
                    b"",
                ]
            )
        }
        for name, value in zip(
            ("index", "index", "index", "topic", "topic", "topic", "stream", "version"),
            (1e308, True, float("inf"), 5, None, "x\ud800.y", [1], 10**400),
            strict=True,
        )
    }
    | {
        f"{name} {value}": lambda m, name=name, value=value: {
            "manifest.json": json.dumps(json.loads(m["manifest.json"]) | {name: value}).encode()
        }
        for name, value in [
            ("left_out", 5),
            ("left_out", [[1]]),
            ("of", None),
            ("keys", []),
            ("keys", 5),
            ("size", "x"),
        ]
    }
)


@pytest.mark.parametrize("change", STUMBLES.values(), ids=list(STUMBLES))
def test_whatever_cannot_be_read_is_wrong_and_no_traceback(members, file, change):
    file.write_bytes(closed(members | change(members)))
    assert any(holds is False for _, holds, _ in verify.checks(str(file)))
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert (done.exit_code, done.output.count("Traceback")) == (1, 0)
    story = CliRunner().invoke(main, ["audit", "story", str(file)])
    assert isinstance(story.exception, SystemExit | None)


@pytest.mark.parametrize("at", [6, 8], ids=["encrypted", "another method"])
def test_a_zip_with_a_broken_member_is_wrong_and_what_is_no_zip_is_not_read(members, file, at):
    raw, start = bytearray(closed(members)), 0
    while (start := raw.find(b"PK\1\2", start)) >= 0:
        raw[start + at + 2] = 99 if at == 8 else raw[start + at + 2] | 1
        start += 4
    file.write_bytes(raw)
    [(name, holds, _)] = verify.checks(str(file))
    assert (name, holds) == ("format", False)
    assert CliRunner().invoke(main, ["audit", "story", str(file)]).exit_code == 2
    file.write_bytes(b"no zip")
    with pytest.raises(OSError, match="is no zip file"):
        next(verify.checks(str(file)))
    assert CliRunner().invoke(main, ["verify", str(file)]).exit_code == 2


@pytest.mark.parametrize("key", ["", "  "])
def test_a_blank_key_is_asked_again(members, file, key):
    file.write_bytes(closed(members))
    done = CliRunner().invoke(main, ["verify", str(file), "--key", key])
    assert (done.exit_code, "--key is blank" in done.output) == (2, True)


def test_text_from_outside_is_printed_escaped():
    assert verify.shown("x\n\x1b[2Jholds \u202e é") == "x\\n\\x1b[2Jholds \\u202e é"


def recorded(twos, cards):
    """A hand with such a result, as the verifier reads it."""
    told = {"twos_left": twos, "cards_left": cards, "ruleset": {}, "winner": 2, "liable": None}
    event = {"topic": "hand.recorded.1", "where": "there", "state": {"event": told}}
    return {"h": [event, {"topic": "hand.settled.1", "where": "there", "state": {"event": told}}]}


@pytest.mark.parametrize(("twos", "cards"), [({"1": 10**12}, {"1": 1}), ({"1": 1}, {"1": 10**9})])
def test_no_more_is_counted_than_cards_there_are(twos, cards):
    with pytest.raises(verify.Wrong, match="more than 13 cards, or 4 twos"):
        verify.check_play(recorded(twos, cards))


def test_a_deal_of_other_than_thirteen_cards_is_not_played(members):
    hands, number = verify.hands_of(verify.read_events(members)), count()
    hand = next(iter(hands.values()))
    deal = next(event for event in hand if event["topic"].startswith("hand.dealt"))["state"]["event"]
    deal["cards"] = {seat: "" if next(number) else "3D" for seat in deal["cards"]}
    with pytest.raises(verify.Wrong, match="13 cards a seat"):
        verify.check_play({"h": hand})
