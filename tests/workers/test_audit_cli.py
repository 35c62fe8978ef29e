"""`big2 audit` and `big2 verify BUNDLE.zip`, on a database of their own: what they print, and how they end."""

from __future__ import annotations

import re
import stat

import pytest
from click.testing import CliRunner

from services.audit.keys import KEY_FILE, keep
from services.audit.notes import Signer
from services.bootstrap import settings
from services.postgres import migrate
from tests.services.projections.house import House
from workers.cli import main
from workers.serving import make_first_key


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def house(database_url, folder):
    house = House(database_url)
    make_first_key(settings({"DATABASE_URL": database_url, "BIG2_DATA": str(folder)}))
    house.over = house.started(2, stack_points=6, hands_per_level=1, format="sit_and_go", capacity=2)
    house.play_on(house.over)
    house.project()
    yield house
    house.close()


@pytest.fixture
def big2(house, database_url, folder, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BIG2_DATA", str(folder))
    return lambda *arguments: CliRunner().invoke(main, [str(a) for a in arguments])


def test_the_first_start_makes_a_key_and_the_next_says_what_became_of_it(house, folder, database_url, capsys):
    its = settings({"DATABASE_URL": database_url, "BIG2_DATA": str(folder)})
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    make_first_key(its)
    kept = (folder / KEY_FILE).read_text()
    (folder / KEY_FILE).unlink()
    make_first_key(its)
    (folder / KEY_FILE).write_text(kept)
    assert "is missing: `big2 audit keys` says what to do" in "".join(capsys.readouterr())


def test_a_checkpoint_a_proof_and_a_bundle_are_printed_and_hold(house, big2, tmp_path):
    note = big2("audit", "checkpoint")
    assert note.exit_code == 0, note.output
    assert note.output.startswith("big2-tournament/")
    key = big2("audit", "keys").output.split()[0]
    proof = big2("audit", "prove", "--stream", house.over)
    assert proof.output.startswith("c2sp.org/tlog-proof@v1\nindex ")
    assert proof.output.endswith(note.output)
    assert '"kind":"inclusion"' in big2("audit", "prove", "--position", 1, "--json").output
    assert '"kind":"consistency"' in big2("audit", "prove", "--from", 3).output
    hand = house.rows("SELECT hand_id, table_id FROM projections.hands LIMIT 1")[0]
    for of in (("--tournament", house.over), ("--table", hand["table_id"]), ("--hand", hand["hand_id"])):
        file = tmp_path / f"{of[0]}.zip"
        made = big2("audit", "bundle", *of, "-o", file)
        assert made.exit_code == 0, made.output
        judged = big2("verify", file, "--key", f"{key}  since 2026-12-01")
        assert (judged.exit_code, {line[:5] for line in judged.output.splitlines()}) == (0, {"holds"})
    assert big2("audit", "bundle", *of, "-o", file).output.endswith("File exists\n")
    stranger = Signer.made("somebody").verifier
    wrong = big2("verify", file, "--key", stranger)
    assert (wrong.exit_code, wrong.output[:16]) == (1, "WRONG  signature")
    assert big2("verify", tmp_path / "none.zip").exit_code == 2
    assert big2("verify", file, "hands.jsonl").exit_code == 2


def test_a_head_is_anchored_and_compared(big2, tmp_path):
    file = tmp_path / "heads"
    assert big2("audit", "anchor", "--file", file).output.startswith("anchored: ")
    checked = big2("audit", "anchor", "--check", file)
    assert (checked.exit_code, checked.output[:13]) == (0, "line 1: holds")
    file.write_text("nothing\n")
    assert big2("audit", "anchor", "--check", file).exit_code == 1
    for there, told in ((tmp_path / "none", "does not exist"), (tmp_path, "is a directory")):
        missing = big2("audit", "anchor", "--check", there)
        assert (missing.exit_code, told in missing.output) == (2, True)
    file.write_text("")
    for empty in (file, "/dev/null"):
        nothing = big2("audit", "anchor", "--check", empty)
        assert (nothing.exit_code, nothing.output) == (2, f"Error: {empty}: there is no checkpoint in it\n")
    refused = big2("audit", "anchor", "--url", "http://127.0.0.1:1/heads")
    assert (refused.exit_code, "private network" in refused.output) == (1, True)
    assert big2("audit", "anchor").exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("prove",),
        ("prove", "--position", 1, "--from", 1),
        ("prove", "--from", 1, "--version", 3),
        ("prove", "--position", 1, "--version", 3),
        ("bundle", "-o", "x.zip"),
    ],
)
def test_what_cannot_be_meant_is_told(big2, arguments):
    assert big2("audit", *arguments).exit_code == 2


def test_what_is_not_there_is_told_in_one_line(big2):
    answer = big2("audit", "prove", "--position", 10**9)
    assert (answer.exit_code, answer.output) == (1, "Error: There is no such event.\n")
    longer = big2("audit", "prove", "--from", 10**9)
    assert longer.exit_code == 1
    assert re.fullmatch(r"Error: The checkpoint is of \d+ events, and not of 1000000000\.\n", longer.output)
    assert big2("audit", "prove", "--from", 1, "--size", 10**9).output.endswith("is of 1000000000 events.\n")


def test_a_key_is_rotated_and_one_from_the_environment_goes_where_it_is_told(
    house, big2, folder, tmp_path, monkeypatch
):
    first = (folder / KEY_FILE).read_text()
    assert big2("audit", "rotate").exit_code == 0
    assert (folder / KEY_FILE).read_text() != first
    assert len(big2("audit", "keys").output.splitlines()) == 2
    house.enrol(1)
    house.project()
    assert big2("audit", "checkpoint").exit_code == 0
    monkeypatch.setenv("BIG2_AUDIT_KEY_FILE", str(folder / KEY_FILE))
    assert big2("audit", "rotate").exit_code == 2
    out = tmp_path / "next"
    assert big2("audit", "rotate", "--out", out).exit_code == 0
    superseded = big2("audit", "checkpoint")
    assert (superseded.exit_code, "an older one" in superseded.output) == (1, True)
    monkeypatch.setenv("BIG2_AUDIT_KEY_FILE", str(out))
    assert big2("audit", "checkpoint").exit_code == 0
    monkeypatch.delenv("BIG2_AUDIT_KEY_FILE")
    keep(folder / KEY_FILE, Signer.made("lost"))
    assert big2("audit", "keys").exit_code == 1
    assert big2("audit", "rotate", "--lost").exit_code == 0
    told = big2("audit", "keys")
    assert (told.exit_code, "is announced by nobody" in told.output) == (1, True)


def test_an_empty_log_has_nothing_to_sign(empty_url, tmp_path, monkeypatch):
    migrate(empty_url)
    House(empty_url).close()
    make_first_key(settings({"DATABASE_URL": empty_url, "BIG2_DATA": str(tmp_path)}))
    monkeypatch.setenv("DATABASE_URL", empty_url)
    monkeypatch.setenv("BIG2_DATA", str(tmp_path))
    answer = CliRunner().invoke(main, ["audit", "checkpoint"])
    assert (answer.exit_code, answer.output) == (1, "Error: the log is empty: there is nothing to sign\n")
