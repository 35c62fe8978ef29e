"""`make mutants`: each way in which mutmut changes a line of `big2`, and whether the tests of the rules notice.

What was decided before stands: a function that changed is asked about anew, and when the tests changed, every
mutant that they had not noticed. See docs/mutation.md.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mutmut.stats import status_by_exit_code
from rich.console import Console
from rich.table import Column, Table

LEAST_PERCENT = 90
MUTANTS = Path("mutants")
ASKED = MUTANTS / "asked.sha256"
"""What the tests were when the mutants were last held against them."""

NOTICED = ("killed", "timeout")
TESTS = ("tests/big2", "tests/mutation", "config/rules")


def main() -> None:
    """Run mutmut over what is not decided yet, and show all; exit with 1 if too few mutants were noticed."""
    _begin()
    command = [str(Path(sys.executable).with_name("mutmut")), "run", *sys.argv[1:]]
    done = subprocess.run(command, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    sys.exit(show(dict(_found())))


def _begin() -> None:
    """Which test calls what is learnt anew; it costs a minute, and no test is forgotten."""
    (MUTANTS / "mutmut-stats.json").unlink(missing_ok=True)
    shutil.rmtree(MUTANTS / "tests", ignore_errors=True)
    tests = _digest()
    if not ASKED.exists() or ASKED.read_text(encoding="ascii") != tests:
        _reopen()
        MUTANTS.mkdir(exist_ok=True)
        ASKED.write_text(tests, encoding="ascii")


def _digest() -> str:
    paths = [
        path
        for folder in TESTS
        for path in Path(folder).rglob("*")
        if path.suffix != ".pyc" and path.is_file()
    ]
    digest = hashlib.sha256()
    for path in [Path("pyproject.toml"), *sorted(paths)]:
        digest.update(f"{path}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _reopen() -> None:
    for path in MUTANTS.glob("big2/*.meta"):
        found = json.loads(path.read_text(encoding="utf-8"))
        verdicts = found["exit_code_by_key"]
        found["exit_code_by_key"] = {
            name: code if status_by_exit_code[code] in NOTICED else None for name, code in verdicts.items()
        }
        path.write_text(json.dumps(found), encoding="utf-8")


def _found() -> Iterator[tuple[str, Counter[str]]]:
    """For each module that has mutants, how many came to what."""
    for module in sorted(Path("big2").glob("*.py")):
        path = MUTANTS / f"{module}.meta"
        verdicts = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"] if path.exists() else {}
        if verdicts:
            yield module.stem, Counter(status_by_exit_code[code] for code in verdicts.values())


def show(found: dict[str, Counter[str]]) -> int:
    """The table, module by module; 1 if fewer than `LEAST_PERCENT` of all mutants were noticed, else 0."""
    table = Table(
        "module", *(_right(name) for name in ("mutants", "killed", "survived", "timed out", "percent"))
    )
    for module, counts in found.items():
        table.add_row(module, *_row(counts))
    total = sum(found.values(), Counter[str]())
    table.add_section()
    table.add_row("big2", *_row(total))
    Console().print(table)
    return int(_percent(total) < LEAST_PERCENT)


def _row(counts: Counter[str]) -> list[str]:
    killed, late = (counts[status] for status in NOTICED)
    survived = counts.total() - killed - late
    return [*map(str, (counts.total(), killed, survived, late)), f"{_percent(counts):.1f}"]


def _percent(counts: Counter[str]) -> float:
    return 100 * sum(counts[status] for status in NOTICED) / max(counts.total(), 1)


def _right(name: str) -> Column:
    return Column(name, justify="right")


if __name__ == "__main__":
    main()
