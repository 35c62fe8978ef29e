"""What an auditor reads over HTTP: checkpoints as notes, keys, proofs, and bundles that another program finds right."""

from __future__ import annotations

import re

import jsonschema
import pytest

from domain.merkle import is_consistent
from services.audit import checkpoints, keys, verify
from services.audit.notes import Checkpoint, Verifier, decoded, opened
from services.http import auditing
from services.http.calls import EXTENSION
from tests.services.http.driving import Api
from tests.services.http.playing import Game


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def sign(app, services, data):
    """Signs the log's head, when all is projected."""
    keys.first(services.store.database, None, data)

    def sign():
        Api(app).read("/v1/tournaments")
        return checkpoints.publish(services.store, None, data)

    return sign


@pytest.fixture(scope="module")
def played(app, operator, sign):
    game = Game(app, operator, stack_points=6)
    game.play()
    sign()
    return game


@pytest.fixture(scope="module")
def hand(played, anybody):
    return anybody.read(f"{played.path}/hands")["items"][0]["hand_id"]


def check(anybody, shape, value):
    components = anybody.read("/openapi.json")["components"]
    schema = {"$ref": f"#/components/schemas/{shape}", "components": components}
    jsonschema.Draft202012Validator(schema).validate(value)


def refused(response):
    return response.status_code, response.json["type"].rpartition("/")[2]


def test_checkpoints_are_listed_the_newest_first_and_the_newest_is_a_note(
    played, sign, auditor, operator, anybody
):
    operator.made("/v1/players", {"name": "One more"})
    sign()
    first = auditor.read("/v1/audit/checkpoints?limit=1")
    [newest] = first["items"]
    [older] = auditor.read(f"/v1/audit/checkpoints?cursor={first['next']}")["items"]
    assert older["size"] < newest["size"]
    check(anybody, "AuditCheckpoint", newest)
    note = auditor.get("/v1/audit/checkpoints/newest")
    assert (note.mimetype, note.text) == ("text/plain", newest["note"])
    listed = auditor.read("/v1/audit/keys")["items"]
    check(anybody, "AuditKey", listed[0])
    told = Checkpoint.parsed(opened(note.text, [Verifier.parsed(key["verifier"]) for key in listed]))
    assert (told.size, told.root) == (newest["size"], decoded(newest["root"]))
    proof = auditor.read(f"/v1/audit/proofs?from={older['size']}")
    check(anybody, "AuditProof", proof)
    hashes = [decoded(each) for each in proof["hashes"]]
    assert is_consistent(older["size"], decoded(older["root"]), told.size, told.root, hashes)


def test_an_event_is_proved_by_its_hand_its_stream_or_its_position(hand, auditor, anybody):
    by_hand = auditor.read(f"/v1/audit/proofs?hand={hand}&version=1")
    check(anybody, "AuditProof", by_hand)
    assert by_hand == auditor.read(f"/v1/audit/proofs?stream={hand}&version=1")
    assert by_hand == auditor.read(f"/v1/audit/proofs?position={by_hand['position']}")
    assert auditor.read(f"/v1/audit/proofs?hand={hand}")["version"] > 1


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("", "/query/position"),
        ("position=1&from=1", "/query/position"),
        ("position=1&version=2", "/query/version"),
    ],
)
def test_a_question_that_cannot_be_meant_is_told(played, auditor, query, pointer):
    answer = auditor.get(f"/v1/audit/proofs?{query}")
    assert refused(answer) == (422, "validation")
    assert answer.json["errors"][0]["pointer"] == pointer


def test_a_running_hand_is_neither_proved_nor_bundled(app, operator, auditor, admin, sign):
    game = Game(app, operator)
    running = game.hand_id()
    sign()
    for reader in (auditor, admin):
        assert refused(reader.get(f"/v1/audit/proofs?hand={running}")) == (403, "hand-not-closed")
        assert refused(reader.get(f"/v1/hands/{running}/bundle")) == (403, "hand-not-closed")
        assert refused(reader.get(f"{game.path}/bundle")) == (403, "hand-not-closed")
    assert refused(Api(app).get(f"{game.path}/bundle")) == (403, "hand-not-closed")


def test_bundles_are_found_right(played, hand, auditor, anybody, tmp_path):
    """Once the tournament is finished everybody gets them."""
    table = anybody.read(f"/v1/hands/{hand}")["table_id"]
    key = auditor.read("/v1/audit/keys")["items"][0]["verifier"]
    for of in (f"/v1/hands/{hand}", f"/v1/tables/{table}", played.path):
        answer = anybody.get(f"{of}/bundle")
        assert (answer.status_code, answer.mimetype) == (200, "application/zip")
        assert answer.headers["Content-Disposition"].endswith('.zip"')
        file = tmp_path / "bundle.zip"
        file.write_bytes(answer.data)
        assert all(holds for _, holds, _ in verify.checks(str(file), key))
        again = anybody.get(f"{of}/bundle", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304


def test_a_bundle_waits_for_its_checkpoint_and_has_an_end(app, operator, anybody, sign, monkeypatch):
    game = Game(app, operator, stack_points=6)
    game.play()
    early = anybody.get(f"{game.path}/bundle")
    assert (*refused(early), early.headers["Retry-After"]) == (409, "not-signed-yet", "60")
    sign()
    assert anybody.get(f"{game.path}/bundle").status_code == 200
    monkeypatch.setattr(auditing, "MOST_EVENTS", 10)
    assert refused(anybody.get(f"{game.path}/bundle")) == (409, "bundle-too-large")


def test_one_bundle_at_a_time_is_made_and_the_next_is_asked_for_later(played, hand, anybody):
    with auditing._MAKING:
        busy = anybody.get(f"/v1/hands/{hand}/bundle")
    assert (*refused(busy), busy.headers["Retry-After"]) == (503, "unavailable", "5")
    assert anybody.get(f"{played.path}/bundle?").status_code == 200
    assert anybody.get("/v1/hands/00000000-0000-5000-8000-000000000000/bundle").status_code == 404
    assert not auditing._MAKING.locked()


def test_it_is_counted_for_how_long_events_have_not_been_signed(app, sign, operator, auditor):
    def unsigned() -> float:
        app.extensions[EXTENSION].asked._until = 0
        return float(
            re.search(r"^big2_unsigned_seconds (.*)$", auditor.get("/metrics").text, re.MULTILINE)[1]
        )

    sign()
    assert unsigned() == 0
    operator.made("/v1/players", {"name": "Not signed yet"})
    assert unsigned() > 0
