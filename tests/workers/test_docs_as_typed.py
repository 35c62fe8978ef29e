"""What the pages on money tell an operator to type, typed into a shell beside a running service."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.workers.process import PATIENCE_SECONDS, ROOT
from tests.workers.test_service import Service

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="children end with their parent on Linux only"),
    pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service() as service:
        yield service


def blocks(page: str) -> str:
    """The shell's blocks of a page, one after the other."""
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE))


def typed(service: Service, commands: str) -> str:
    """What a shell says to these commands, in the folder with the data, after the README's `post` and `member`."""
    readme = blocks("README.md")
    known = "".join(re.findall(r"^(?:post|member)\(\) \{.*?\}\n", readme, re.DOTALL | re.MULTILINE))
    assert [line.partition("(")[0] for line in known.splitlines() if line[0] != " "] == ["post", "member"], (
        known
    )
    lines = f'python() {{ "{sys.executable}" "$@"; }}\nbig2() {{ python -m workers.cli "$@"; }}\n{known}{commands}'
    plain = {key: text for key, text in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
    shell = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines.replace("http://127.0.0.1:8000", service.url)],
        env={**plain, "PYTHONPATH": str(ROOT), "API": f"{service.url}/v1"},
        cwd=service.data,
        capture_output=True,
        text=True,
        check=False,
        timeout=4 * PATIENCE_SECONDS,
    )
    assert shell.returncode == 0, shell.stdout + shell.stderr
    return shell.stdout


def answers(said: str) -> list[dict[str, Any]]:
    """The JSON objects among what was said, in their order."""
    return [json.loads(line) for line in re.findall(r"^\{.*\}$", said, re.MULTILINE)]


def test_a_ring_table_from_the_first_deposit_to_the_closed_table(service):
    said = typed(service, blocks("docs/ring.md"))
    told = answers(said)
    assert not [answer for answer in told if "type" in answer], said
    assert [answer["balance"] for answer in told if "balance" in answer] == [20_000, 20_000]
    assert told[-1]["ring"]["closing"] or told[-1]["state"] == "closed"
    assert re.search(r"^\w+-\S+,\d,final,1,100,", said, re.MULTILINE), said
    assert re.search(r"cash-out from ring table \w{8}", said)
    assert "top-up at ring table" in said
    assert "balanced: what the accounts owe (debit) is what they have (credit)" in said


def test_money_in_and_out_of_a_wallet(service):
    paid_in, refused = answers(typed(service, blocks("docs/ledger.md")))
    assert paid_in["balance"] == 2500
    assert (refused["status"], refused["missing"]) == (422, 7400)


def test_a_heartbeat_of_who_sits_at_the_table(service):
    admin = service.admin
    player = admin.post("/v1/players", {"name": "Suk Yee"})["player_id"]
    admin.post(
        f"/v1/wallets/{player}/deposits", {"amount": 5000, "currency": "USD", "reference": "receipt 1"}
    )
    table = admin.post("/v1/tables", {"stake": {"schedule": "actionpoker", "unit": 100}})["table_id"]
    admin.put(f"/v1/tables/{table}/seats/1", {"player_id": player, "buy_in": 5000})
    token = admin.post(f"/v1/players/{player}/tokens")["token"]
    [told] = answers(typed(service, f"T={table} TOKEN={token}\n{blocks('docs/disconnection.md')}"))
    assert (told["connection"], told["advice"]) == ("good", None)
