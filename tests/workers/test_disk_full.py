"""A disk that is full: the service says 503, loses nothing that it has acknowledged, and goes on when there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
import urllib3

from tests.services.http.playing import until
from tests.workers.test_service import Service

ROOM = "400m"
TRIES = 20_000
"""After so many commands the disk must have been full."""


@pytest.fixture
def service() -> Iterator[Service]:
    """A service whose data directory is a small disk of its own."""
    service = Service()
    service.inside.mkdir(mode=0o711)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0711", "tmpfs", str(service.inside)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        shutil.rmtree(service.data)
        pytest.skip("it takes root, who may mount, to make a disk that gets full")
    try:
        yield service
        service.close()
    finally:
        subprocess.run(["umount", "-l", str(service.inside)], check=True)
        shutil.rmtree(service.data)


class Sender:
    """Sends commands, and keeps what was acknowledged and what was not."""

    def __init__(self, service: Service) -> None:
        self._url = f"{service.url}/v1/players"
        self._token = (service.inside / "admin-token").read_text().strip()
        self._pool = urllib3.PoolManager(retries=False, timeout=30)
        self.done: dict[str, tuple[str, bytes]] = {}
        self.refused: dict[str, str] = {}

    def send(self, key: str, name: str):
        """A command; its answer, None if the connection was lost."""
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": key}
        with suppress(urllib3.exceptions.HTTPError):
            answer = self._pool.request("POST", self._url, json={"name": name}, headers=headers)
            if answer.status == 201:
                self.done[key] = (name, answer.data)
                self.refused.pop(key, None)
            else:
                self.refused[key] = name
            return answer
        self.refused[key] = name
        return None


def fill(folder: Path) -> Path:
    """Leave no room at all."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    return filler


def test_a_full_disk_is_503_loses_nothing_and_is_over_when_there_is_room(service):
    service.start()
    sender = Sender(service)
    for _ in range(20):
        assert sender.send(uuid4().hex, f"Guest {uuid4().hex[:20]}").status == 201
    filler = fill(service.inside)
    for _ in range(TRIES):
        answer = sender.send(uuid4().hex, f"Guest {uuid4().hex[:20]}")
        if answer is None or answer.status != 201:
            break
    assert answer is not None
    assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
    assert int(answer.headers["Retry-After"]) >= 1
    for _ in range(10):
        full = sender.send(uuid4().hex, f"Guest {uuid4().hex[:20]}")
        assert full is None or full.status in (201, 503)
        time.sleep(0.2)
    filler.unlink()
    for key, name in list(sender.refused.items()):
        until(lambda key=key, name=name: (told := sender.send(key, name)) and told.status == 201, 60)
    until(service.ready, 60)
    for key, (name, told) in list(sender.done.items()):
        answer = sender.send(key, name)
        assert (answer.status, answer.headers.get("Idempotency-Hit"), answer.data) == (201, "true", told)
    assert sum(1 for _ in service.admin.pages("/v1/players")) == len(sender.done)
    found = service.beside("doctor")
    assert found.returncode == 0, found.stdout + found.stderr
    service.stop()
