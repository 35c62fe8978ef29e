"""Bundles: only of what is over, the same to the byte at any time, and checked by the file within and by the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from uuid import UUID, uuid4

import pytest

from domain.credential import Role
from domain.errors import NotAllowed
from domain.ids import CredentialId, roster_id
from services.application.credentials import Actor
from services.application.errors import NotFound
from services.application.histories import NeedsToken
from services.audit import bundling, checkpoints, keys, verify
from services.audit.bundle import BundleError, NotSigned
from services.audit.judging import verdicts
from services.audit.notes import Signer
from services.bootstrap import presets
from tests.services.audit import tampering
from tests.services.audit.bundles import closed, events, opened
from tests.services.projections.house import staff

TRIED = 60
"""Tamperings in the suite, each kind in turn; the module's own command tries as many as one likes."""


@pytest.fixture(scope="module")
def whole(house):
    return bundling.of_tournament(house, house.over, staff())


@pytest.fixture(scope="module")
def first_hand(house):
    query = "SELECT hand_id FROM projections.hands WHERE tournament_id = %s ORDER BY created LIMIT 1"
    return house.rows(query, house.over)[0]["hand_id"]


@pytest.fixture(scope="module")
def key(house):
    return keys.published(house.store.database)[0].verifier


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bundle.zip"


def test_a_tournament_that_is_over_is_found_right_in_all_it_has(whole, key, file):
    file.write_bytes(whole)
    found = {each.check: each for each in verdicts(str(file), presets(), key)}
    assert all(each.holds for each in found.values()), found
    assert list(found) == [
        *("signature", "inclusion", "chain", "deal", "play", "places", "prizes"),
        *("proofs", "engine", "roots", "draws", "replay", "verify.py"),
    ]
    assert found["places"].told.startswith("12 places")


def test_the_verifier_within_needs_nothing_but_python(whole, key, file, tmp_path):
    file.write_bytes(whole)
    script = tmp_path / "verify.py"
    script.write_bytes(opened(whole)["verify.py"])
    run = [sys.executable, "-I", "-S", str(script), str(file), "--key", f"{key}  since 2026-12-01"]
    for blank in ("", " "):
        done = subprocess.run([*run[:-1], blank], capture_output=True, text=True, timeout=100, check=False)
        assert (done.returncode, "--key is blank" in done.stderr) == (2, True)
    done = subprocess.run(run, capture_output=True, text=True, timeout=100, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {line.split()[0] for line in done.stdout.splitlines()} == {"holds"}
    stranger = str(Signer.made("somebody").verifier)
    assert (
        subprocess.run([*run[:-1], stranger], capture_output=True, timeout=100, check=False).returncode == 1
    )
    assert subprocess.run(run[:4], capture_output=True, timeout=100, check=False).returncode == 2
    assert (
        subprocess.run(
            [*run[:4], str(tmp_path / "none")], capture_output=True, timeout=100, check=False
        ).returncode
        == 2
    )


def test_it_is_the_same_to_the_byte_at_any_time(house, whole):
    house.enrol(1)
    house.project()
    assert bundling.of_tournament(house, house.over, staff()) == whole


def test_nobodys_name_and_no_master_secret_is_in_it(house, whole):
    members = opened(whole)
    for content in members.values():
        assert b"Guest " not in content
    withheld = [event for event in events(members) if "state" not in event]
    assert [event["topic"] for event in withheld] == ["tournament.seeds_committed.1"]


def test_a_hand_and_a_table_are_found_right_too(house, first_hand, key, file):
    table = house.hand(first_hand).table_id
    for made in (bundling.of_hand(house, first_hand, staff()), bundling.of_table(house, table, staff())):
        file.write_bytes(made)
        assert all(holds for _, holds, _ in verify.checks(str(file), key))


def test_a_running_hand_is_in_no_bundle(house):
    hand = house.running(house.going)[0]
    table = house.hand(hand).table_id
    for ask in (
        lambda: bundling.of_hand(house, hand, staff()),
        lambda: bundling.of_table(house, table, staff()),
        lambda: bundling.of_tournament(house, house.going, staff()),
    ):
        with pytest.raises(NotAllowed) as refused:
            ask()
        assert refused.value.code == "hand-not-closed"


def test_what_does_not_exist_has_none(house):
    for of in (bundling.of_hand, bundling.of_table, bundling.of_tournament):
        with pytest.raises(NotFound):
            of(house, uuid4(), staff())


def test_each_hand_that_is_looked_at_is_noted(house, first_hand):
    count = "SELECT count(*) AS n FROM card_reads WHERE hand = %s"
    before = house.rows(count, first_hand)[0]["n"]
    bundling.of_hand(house, first_hand, None)  # for the tournament is finished
    assert house.rows(count, first_hand)[0]["n"] == before + 1


def test_who_has_no_token_is_noted_once_a_bundle(house):
    count = "SELECT count(*) AS n FROM card_reads"
    before = house.rows(count)[0]["n"]
    bundling.of_tournament(house, house.over, None)
    assert house.rows(count)[0]["n"] == before + 1


def test_while_a_tournament_runs_only_who_may_read_its_histories_gets_its_final_hands(house, key, file, data):
    hand = house.running(house.going)[0]
    house.play_out(hand)
    house.project()
    stranger = Actor(CredentialId(uuid4()), Role.PLAYER, house.enrol(1)[0], None)
    with pytest.raises(NotSigned, match="no checkpoint covers it yet"):
        bundling.of_hand(house, hand, staff())
    checkpoints.publish(house.store, None, data)
    for of, what in ((bundling.of_hand, hand), (bundling.of_tournament, house.going)):
        with pytest.raises(NotAllowed, match="takes the staff"):
            of(house, what, stranger)
        with pytest.raises(NeedsToken):
            of(house, what, None)
    file.write_bytes(bundling.of_tournament(house, house.going, staff()))
    found = list(verdicts(str(file), presets(), key))
    assert not [each for each in found if each.holds is False]
    running = len(house.running(house.going))
    assert [each.told for each in found if each.holds is None] == [
        "the tournament itself is not in it: hands may be missing",
        f"{running} hands, which were not final: ask for another bundle",
    ]
    members = opened(file.read_bytes())
    assert {event["topic"].split(".")[0] for event in events(members)} == {"hand"}


def test_one_that_is_too_large_is_refused(house, whole):
    exactly = len(events(opened(whole)))
    assert bundling.of_tournament(house, house.over, staff(), exactly) == whole
    for most in (10, exactly - 1):
        with pytest.raises(BundleError, match="ask for its tables one by one"):
            bundling.of_tournament(house, house.over, staff(), most)


# tampered with


def test_whatever_is_changed_is_found_and_its_place_named(house, first_hand, key, file):
    hand = opened(bundling.of_hand(house, first_hand, staff()))
    assert tampering.complaints(hand, key, file) == []
    assert tampering.missed(hand, key, TRIED, file) == []


def test_of_a_tournament_too(whole, key, file):
    assert tampering.missed(opened(whole), key, len(tampering.KINDS), file) == []


T, TABLE = str(uuid4()), str(uuid4())
ROSTER = str(roster_id(UUID(T)))
OF_TOURNAMENT = {"of": {"kind": "tournament", "id": T}, "left_out": []}


def chain(stream: str, *topics: str, **told: dict) -> list[dict]:
    """A stream's events, as the verifier reads them."""
    return [
        {"stream": stream, "version": n, "topic": topic, "where": topic, "link": topic}
        | {"state": {"prev": prev, "event": told.get(topic.split(".")[1], {})}}
        for n, (prev, topic) in enumerate(zip(["0" * 64, *topics], topics, strict=False), 1)
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tables_drawn", {"tables": [{"table_id": TABLE}]}),
        ("late_seated", {"table_id": TABLE}),
        ("table_opened", {"table": {"table_id": TABLE}}),
    ],
)
def test_a_table_that_is_left_out_is_missed_however_it_was_opened(name, told):
    own = [*chain(T, f"tournament.{name}.1", "tournament.finished.1", **{name: told})]
    own += chain(ROSTER, "roster.closed.1")
    for out in ([], [TABLE]):
        with pytest.raises(
            verify.Wrong, match=rf"names {TABLE}, which is not in the bundle|leaves out what is"
        ):
            verify.check_chain(own, OF_TOURNAMENT | {"left_out": out})
    assert verify.check_chain([*own, *chain(TABLE, "table.closed.1")], OF_TOURNAMENT)


@pytest.mark.parametrize(
    "content",
    [closed({}), closed({"manifest.json": b"{}"}), closed({"manifest.json": b"nothing"})],
)
def test_what_is_no_bundle_is_told(content, file):
    file.write_bytes(content)
    [found] = verdicts(str(file), presets())
    assert (found.check, found.holds) == ("format", False)


def test_a_history_that_the_events_do_not_make_is_told_by_the_engine(whole, key, file):
    members = opened(whole)
    lines = members["hands.jsonl"].splitlines(keepends=True)
    history = json.loads(lines[1])
    history["started_at"] = "2001-01-01T00:00:00Z"
    lines[1] = json.dumps(history).encode() + b"\n"
    file.write_bytes(closed(members | {"hands.jsonl": b"".join(lines), "verify.py": b"print('holds')"}))
    found = {each.check: each for each in verdicts(str(file), presets(), key)}
    assert found["engine"].told.startswith("hands.jsonl line 2")
    assert "was changed" in found["verify.py"].told


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda m: {"hands.jsonl": m["hands.jsonl"].splitlines(keepends=True)[0]}, "engine"),
        (lambda m: {"structure.json": m["structure.json"].replace(b"Friday", b"Sunday")}, "engine"),
        (lambda m: {"tree.txt": m["tree.txt"] + b"0 3 " + b"A" * 43 + b"=\n"}, "proofs"),
        (lambda _: {"proofs/other.tlog-proof": b""}, "format"),
        (lambda _: {"verdict.txt": b"all holds"}, "format"),
        (lambda m: {name: b"c2sp.org" for name in m if name.endswith(".tlog-proof")}, "proofs"),
        (lambda _: {"checkpoint.txt": b"nothing"}, "signature"),
        (lambda m: {"events.jsonl": m["events.jsonl"] + b"{}\n"}, "format"),
    ],
)
def test_what_stands_beside_the_events_is_judged_too(whole, key, file, change, check):
    members = opened(whole)
    file.write_bytes(closed(members | change(members)))
    found = list(verdicts(str(file), presets(), key))
    assert not all(each.holds for each in found if each.check == check)
