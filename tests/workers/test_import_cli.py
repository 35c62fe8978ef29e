"""`big2 import scores`: what it prints, with which status, and where it brings the hands."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.workers.club import FakeService
from tests.workers.process import big2
from tests.workers.service import held, serving
from workers.cli import main

ROOT = Path(__file__).parents[2]
CLUB = Path(os.environ.get("BIG2_CLUB_SCORES", Path(__file__).parents[3] / "shared/cases/club-2013"))
"""A folder with `scores.txt` and `expected.tsv` of a club's year, 1,104 hands (github yawnoc/big-two-scorer)."""
here = pytest.mark.skipif(
    not CLUB.is_dir(), reason=f"a club's score sheets are not here: {CLUB} (BIG2_CLUB_SCORES)"
)
SHEET = "2013-03-19\nAnn Bob\n0 10\nF=11\n0 10\n"
TABLE = """\
name  is regular  game count  win count  fry count  real losses  net score  win fraction  fry fraction\
  real losses per game  net score per game
Ann          yes           1          1          0            0          1             1             0\
                     0                   1
Bob          yes           1          0          0            1         -1             0             0\
                     1                  -1
*            yes           2          1          0            1          0           0.5             0\
                   0.5                   0
hands: 1, tables: 1, players: 2, days: 1 (2013-03-19 to 2013-03-19)
"""


@pytest.fixture
def scores(monkeypatch, tmp_path):
    """Run the command, far from any service of ours."""
    for name in ("DATABASE_URL", "REDIS_URL", "BIG2_DATA", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, input: str | bytes | None = None):  # noqa: A002 - as click names it
        return CliRunner().invoke(main, ["import", "scores", *map(str, arguments)], input=input)

    return run


@pytest.fixture
def sheet(tmp_path) -> Path:
    path = tmp_path / "club-2013.txt"
    path.write_text(SHEET, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", [["import"], ["import", "scores"]])
def test_it_explains_itself(command):
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.exit_code == 0
    assert "score sheet" in result.stdout


# reading


def test_a_dry_run_prints_the_table_and_needs_no_service(scores):
    result = scores("-", "--dry-run", input="2013-03-19\nAnn Bob\n0 1\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, TABLE, "")


def test_the_documentation_tells_what_the_command_prints(scores):
    page = (ROOT / "docs/recorded-play.md").read_text(encoding="utf-8")
    example, problem, table = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert scores("-", "--dry-run", input=example).stdout == table
    broken = "\n" * 373 + "2013-04-18\nC H JG S\n4 6 11 11"
    assert scores("-", "--dry-run", input=broken).stderr.startswith(problem)


@pytest.mark.parametrize("page", ["docs/recorded-play.md", "docs/rulesets.md"])
def test_every_name_that_the_documentation_types_is_defined_before(page):
    typed = "\n".join(
        block
        for each in ("README.md", page)
        for block in re.findall(r"^```sh\n(.*?)^```$", (ROOT / each).read_text("utf-8"), re.M | re.S)
    )
    for used in re.finditer(r"\$([A-Za-z]\w*)", typed):
        name = used[1]
        if name not in ("PWD", "PATH"):
            assert re.search(rf"(^|\s|for ){name}(=| in )", typed[: used.start()]), f"${name}"


def test_the_table_alone_goes_to_a_program(scores, sheet):
    result = scores(sheet, "--dry-run", "--tsv")
    assert [line.split("\t")[:3] for line in result.stdout.splitlines()] == [
        ["name", "is_regular", "game_count"], ["Ann", "True", "2"], ["Bob", "True", "2"], ["*", "True", "4"],
    ]  # fmt: skip
    assert result.stderr.startswith("hands: 2, tables: 2, players: 2")


@here
def test_a_club_s_year_is_counted_to_the_unit(scores):
    result = scores(CLUB / "scores.txt", "--dry-run", "--tsv")
    assert result.stdout == (CLUB / "expected.tsv").read_text(encoding="utf-8")


def test_whatever_is_wrong_is_told_at_once_and_nothing_is_stored(scores):
    with serving(FakeService()) as service:
        broken = "2013-03-19\nC H JG S\n4 6 11 11\n0 1 2\n"
        result = scores("-", "--url", service.url, "--token", "x", input=broken)
        assert service.asked == []
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "line 3, 2013-03-19, C H JG S: 4 6 11 11: nobody went out: exactly one player must have 0 (R4.4)",
        "line 4, 2013-03-19, C H JG S: 0 1 2: 3 numbers for 4 players",
        "Error: 2 problems, nothing was imported",
    ]


def test_a_sheet_of_rubbish_is_told_in_so_many_lines(scores):
    result = scores("-", "--dry-run", input="rubbish\n" * 1000)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 201
    assert result.stderr.splitlines()[-1] == (
        "Error: 200 problems, nothing was imported; the sheet was read up to line 200"
    )
    assert "Traceback" not in result.output


def test_a_name_that_the_service_would_refuse_is_told_before_anything_is_stored(scores, sheet):
    long, told = "C" * 94, "must have at most 100 characters"
    with serving(FakeService()) as service:
        result = scores(sheet, "--url", service.url, "--token", "x", "--name", long)
        assert service.asked == []
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        f"--name: {'C' * 59}…: {told}",
        f"--name: {'C' * 59}…: {told}",
        "Error: 2 problems, nothing was imported",
    ]
    sheet.write_text("2013-03-19\nAnn Bob\n1 1\n", encoding="utf-8")
    both = scores(sheet, "--dry-run", "--name", " ").stderr.splitlines()
    assert both[0] == "--name:  : shows nothing"
    assert both[1].startswith("line 3, ")
    sheet.write_text("2013-03-19\nAnn Bob\n0 1\n", encoding="utf-8")
    alone = scores(sheet, "--dry-run", "--name", "")
    assert alone.stderr.splitlines()[-1] == "Error: 1 problem, nothing was imported"


def test_a_day_with_no_hands_is_a_warning(scores):
    result = scores("-", "--dry-run", input="2013-03-18\n2013-03-19\nAnn Bob\n0 1\n")
    assert (result.exit_code, result.stdout) == (0, TABLE)
    assert result.stderr == "warning: line 1: 2013-03-18: the day with no hands\n"


def test_a_file_that_cannot_be_read_has_status_two(scores, tmp_path, monkeypatch):
    for path in (tmp_path / "missing", tmp_path):
        result = scores(path, "--dry-run")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"{path}: ")
    monkeypatch.setattr("workers.import_cli.LARGEST_SHEET", 10)
    result = scores("-", "--dry-run", input="2013-03-19\nAnn Bob\n0 1\n")
    assert (result.exit_code, result.stderr) == (2, "-: is larger than 10 bytes\n")


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf \r\n\n", "it is empty"),
        (b"2013-03-19\r\nJ\xfcrg Bob\r\n0 1\r\n", "line 2 is not UTF-8 text; save the sheet as UTF-8"),
        (b"2013-03-19\nAnn \x00 Bob\n", "line 2 is not UTF-8 text; save the sheet as UTF-8"),
        ("2013-03-19\n".encode("utf-16"), "line 1 is not UTF-8 text; save the sheet as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\xff", "line 1 is not UTF-8 text; save the sheet as UTF-8"),
    ],
)
def test_what_is_no_sheet_at_all_is_told_in_one_line_with_status_two(scores, raw, told):
    result = scores("-", "--dry-run", input=raw)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"-: can't be read as a score sheet: {told}\n"


def test_another_league_of_that_name_is_a_warning(scores, sheet):
    sheet.write_text("2013-03-19\nAnn Bob\n0 1\n", encoding="utf-8")
    with serving(FakeService()) as service:
        first = scores(sheet, "--url", service.url, "--token", "x")
        assert "warning" not in first.stderr
        sheet.write_text("2013-03-19\nAnn Bob\n0 1\n0 2\n", encoding="utf-8")
        second = scores(sheet, "--url", service.url, "--token", "x")
    assert second.exit_code == 0
    assert "warning: club-2013 is the name of another league already, l0; " in second.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--rules", "nonsense"], "is no preset: actionpoker"),
        (["--rules", "hongkong"], "taiwan; is hong-kong meant?"),
        (["--url", "http://127.0.0.1:1"], "a token is needed"),
        (["--url", "http://127.0.0.1:1", "--token", "b2_é"], "a token is needed"),
        (["--token", "x"], "a token goes with --url"),
        (["--url", "http://127.0.0.1:1", "--token", "x", "--data", "d"], "either --url or --data"),
        (["--token-file", "missing"], "missing"),
    ],
)
def test_options_that_do_not_fit_together_are_told(scores, sheet, options, told):
    result = scores(sheet, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


# bringing it in


def test_the_hands_go_to_the_service_and_the_league_is_named(scores, sheet, tmp_path):
    fake = FakeService()
    (tmp_path / "token").write_text("b2_secret\n")
    sheet.write_text(SHEET.replace("F=11\n", ""), encoding="utf-8")
    with serving(fake) as service:
        result = scores(sheet, "--url", f"{service.url}/", "--token-file", "token")
        assert service.asked[-1].headers["Authorization"] == "Bearer b2_secret"
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "league l0: club-2013, finished"
    assert len(fake.results) == 2


def test_a_sheet_whose_f_changes_makes_a_league_for_each(scores, sheet):
    fake = FakeService()
    with serving(fake) as service:
        result = scores(
            sheet, "--url", service.url, "--token", "x", "--no-finish", "--name", "Club", "--tsv",
        )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-3:] == [
        "F changes: a league for each, 2 in all",
        "league l0: Club (F=10), running",
        "league l1: Club (F=11), running",
    ]
    assert [league["name"] for league in fake.leagues.values()] == ["Club (F=10)", "Club (F=11)"]


def test_what_the_service_refuses_is_told_in_one_line(scores, sheet):
    with serving(FakeService(most=0)) as service:
        result = scores(sheet, "--url", service.url, "--token", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == "Error: 409 /problems/table-paused: table-paused."


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nowhere", "ftp://127.0.0.1", "http://[", ""])
def test_where_no_service_answers_that_is_told_at_once(scores, sheet, url):
    result = scores(sheet, "--url", url, "--token", "x")
    assert (result.exit_code, result.stderr) == (1, f"Error: no service answers at {url}\n")


def test_a_dry_run_looks_for_no_service(scores, sheet):
    assert scores(sheet, "--url", "http://127.0.0.1:1", "--token", "x", "--dry-run").exit_code == 0


def test_a_setting_that_cannot_be_used_is_named(scores, sheet, monkeypatch):
    monkeypatch.setenv("PORT", "eighty")
    result = scores(sheet)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: PORT must be a whole number")


def test_the_service_that_runs_on_the_data_directory_is_used(scores, sheet, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "admin-token").write_text("b2_admin\n")
    with serving(FakeService()) as service, held(data, f"1\n{service.url}\n"):
        result = scores(sheet)
        asked = {
            request.headers.get("Authorization") for request in service.asked if request.path != "/readyz"
        }
        assert asked == {"Bearer b2_admin"}
    assert result.exit_code == 0, result.output


def test_without_a_service_one_runs_for_as_long_as_it_takes_and_a_repeat_makes_nothing_twice(sheet, tmp_path):
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # where the database's own user may pass
    folder.chmod(0o711)
    try:
        said = []
        for _ in range(2):
            with big2("import", "scores", sheet, "--data", folder / "data", "--tsv") as run:
                assert run.popen.wait(120) == 0, run.said
                assert run.left() == []
            said.append(run.said)
        leagues = [
            re.findall(r"league ([0-9a-f-]{36}): club-2013 \(F=1[01]\), finished", text) for text in said
        ]
        assert len(leagues[0]) == 2
        assert leagues[0] == leagues[1]
    finally:
        shutil.rmtree(folder)
