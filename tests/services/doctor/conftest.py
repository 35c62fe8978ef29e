"""One small world, played once: every test has a copy of its database, to do to it what it likes."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from tests.services.doctor.tampering import Tampering
from tests.services.doctor.world import Played, play


@pytest.fixture(scope="package")
def played(postgres_url: str, _migrated: str) -> Iterator[Played]:
    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {_migrated}")
    yield play(name, postgres_url.replace("/big2?", f"/{name}?"))
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def world(postgres_url: str, played: Played) -> Iterator[Tampering]:
    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {played.database}")
    tampering = Tampering(postgres_url.replace("/big2?", f"/{name}?"), played)
    yield tampering
    tampering.close()
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE {name} WITH (FORCE)")
