"""Children that are forks: as alone as a new program, and known like one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def told(code: str) -> list[str]:
    """What a process of one thread prints that runs this: pytest itself may have more."""
    whole = (
        "import os, signal, subprocess, sys, time\nfrom services.processes import fork\n"
        + textwrap.dedent(code)
    )
    argv = [sys.executable, "-c", whole]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("does", "status"),
    [
        ("None", 0),
        ("sys.exit(3)", 3),
        ("sys.exit('why')", 1),
        ("sys.exit()", 0),
        ("1 / 0", 1),
        ("os.kill(os.getpid(), 9)", -9),
        ("os.kill(os.getpid(), signal.SIGTERM)", -15),
    ],
)
def test_a_fork_ends_with_the_status_of_what_it_ran(does, status):
    said = told(f"""
        def remembered(*_): print("the parent's")
        signal.signal(signal.SIGTERM, remembered)
        try:
            child = fork(lambda: {does}, {{}})
            print(child.wait(), child.poll(), child.returncode)
        finally:
            print("the parent's end")
    """)
    assert said == [f"{status} {status} {status}", "the parent's end"], (
        "and nothing of the parent's stack is run"
    )


def test_a_fork_is_a_session_with_the_environment_it_is_given_and_no_file_of_ours():
    said = told("""
        ours = open(__import__("os").devnull)
        def look():
            files = sorted(int(name) for name in os.listdir("/proc/self/fd"))
            print(os.getsid(0) == os.getpid(), dict(os.environ), files[:3], ours.fileno() in files[:-1])
        fork(look, {"MARK": "x"}).wait()
    """)
    assert said == ["True {'MARK': 'x'} [0, 1, 2] False"]


def test_a_fork_has_no_file_of_ours_where_their_number_has_no_limit():
    said = told("""
        def one_by_one(low, high):  # as it is where Linux can't close them at once
            for number in range(low, high):
                try:
                    os.close(number)
                except OSError:
                    pass
        os.sysconf, os.closerange = lambda _: -1, one_by_one
        ours = os.dup2(1, 100)
        fork(lambda: print(str(ours) in os.listdir("/proc/self/fd")), {}).wait()
    """)
    assert said == ["False"]


def test_a_fork_whose_output_nobody_reads_runs_and_ends_like_any_other():
    said = told("""
        before, (reads, writes), parent = os.dup(1), os.pipe(), os.getpid()
        os.close(reads)
        os.dup2(writes, 1)
        sys.stdout = open(1, "w", closefd=False)
        try:
            for _ in range(2):
                print("what stays in the buffer")
                os.write(before, b"%d\\n" % fork(lambda: print("and more"), {}).wait())
        finally:
            if os.getpid() != parent:
                os.kill(parent, signal.SIGKILL)
        os._exit(0)
    """)
    assert said == ["0", "0"], "and nothing of the parent's stack is run"


def test_a_fork_that_does_not_end_in_time_is_told_and_one_that_has_ended_takes_no_signal():
    said = told("""
        child = fork(lambda: time.sleep(1000), {})
        try:
            child.wait(0.1)
        except subprocess.TimeoutExpired:
            print("too long")
        child.send_signal(signal.SIGKILL)
        print(child.wait())
        child.send_signal(signal.SIGKILL)
    """)
    assert said == ["too long", "-9"]


def test_a_fork_ends_with_its_parent():
    said = told("""
        def parent():
            child = fork(lambda: time.sleep(1000), {})
            print(child.pid, flush=True)
            os.kill(os.getpid(), 9)
        fork(parent, {}).wait()
    """)
    assert len(said) == 1, "the output has ended, which the last of them held"
