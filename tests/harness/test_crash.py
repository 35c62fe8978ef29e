"""The crash harness for about a minute; and the harness itself, on a service with a bug that it must find."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.harness.crash import Report, spread
from tests.harness.crash_faults import EVERY, KINDS, order_of

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

ROOT = Path(__file__).parents[2]
LONGEST_SECONDS = 500
LAST_SECONDS = 60
QUIET = "scribe=4,cashier=4"


def crash(*options: object) -> tuple[int, Report]:
    """The harness as a command: its exit status and its report, which is printed too."""
    argv = [sys.executable, "-m", "tests.harness.crash", "--json", *map(str, options)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as harness:
        try:
            said, _ = harness.communicate(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            harness.send_signal(signal.SIGTERM)
            harness.communicate(timeout=LAST_SECONDS)
            raise
    report = msgspec.json.decode(said, type=Report)
    print(report.text())
    return harness.returncode, report


def test_nothing_is_lost_doubled_or_stuck_while_everything_is_killed():
    status, report = crash("--seconds", 60, "--kills", 12, "--pause", 4, "--seed", 1)
    assert (report.lost, report.doubled, report.stuck, report.wrong) == ([], [], [], [])
    assert status == 0
    assert report.kills >= 4, "the machine was too slow for this"
    assert report.losses > 0
    assert report.unanswered > 0
    assert report.acknowledged >= 100
    assert report.twice >= report.acknowledged / 4


def test_without_idempotency_it_finds_what_was_done_twice():
    planted = ("--plant", "no-idempotency", "--clients", QUIET, "--patience", 20)
    status, report = crash("--seconds", 15, "--kills", 2, "--kinds", "web child", "--lost", 0.2, *planted)
    assert status == 1
    assert any(case.startswith(("hands of ", "money of ")) for case in report.doubled), report.text()
    assert any(case.startswith("I1 ") for case in report.doubled), report.text()


def test_where_a_command_is_acknowledged_before_it_is_stored_it_finds_what_is_lost():
    planted = ("--plant", "acknowledged-early", "--clients", QUIET, "--patience", 20)
    status, report = crash(
        "--seconds", 45, "--kills", 8, "--kinds", "postgres immediate", "--lost", 0, *planted
    )
    assert status == 1
    assert any(case.startswith("I8 ") for case in report.lost), report.text()


def test_the_order_of_the_kills_follows_from_the_seed_and_has_each_kind_before_any_comes_again():
    def first(seed: int, length: int) -> list[str]:
        order = order_of(KINDS, seed)
        return [next(order) for _ in range(length)]

    assert first(1, 50) == first(1, 50) != first(2, 50)
    assert sorted(first(1, len(KINDS))) == sorted(KINDS)
    often = [kind for kind in KINDS if kind not in EVERY]
    assert sorted(first(1, len(KINDS) + len(often))[len(KINDS) :]) == sorted(often)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [([], (0, 0, 0)), ([2.0], (2, 2, 2)), ([float(n) for n in range(101)], (50, 95, 100))],
)
def test_a_recovery_is_told_as_its_median_its_95th_percentile_and_its_longest(seconds, told):
    assert spread(seconds) == told
