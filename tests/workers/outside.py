"""The books of a database, made again from its raw events in a process that loads nothing of the service."""

from __future__ import annotations

import json
import subprocess
import sys

from services.embedded import Postgres
from tests.workers.process import PATIENCE_SECONDS, ROOT
from tests.workers.test_service import Service


def balances_from_outside(service: Service, currency: str) -> dict[str, int]:
    """Each account's balance by `tests.proof.money`, once that says that all books sum to 0, and nobody was below."""
    outside = subprocess.run(
        [sys.executable, "-m", "tests.proof.money", Postgres(service.inside).url],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=PATIENCE_SECONDS,
    )
    assert outside.returncode == 0, outside.stdout + outside.stderr
    told = json.loads(outside.stdout)
    assert (told["balanced"], told["below_zero"]) == ({currency: True}, {})
    balances: dict[str, int] = told["balances"][currency]
    return balances


def loaded_outside() -> set[str]:
    """The packages that such a process has loaded."""
    told = subprocess.run(
        [sys.executable, "-c", "import sys, tests.proof.money; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=PATIENCE_SECONDS,
    )
    return {name.partition(".")[0] for name in told.stdout.split()}
