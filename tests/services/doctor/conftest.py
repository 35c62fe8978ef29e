"""One small world, played once: every test has a copy of its database, to do to it what it likes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.databases import copy_of
from tests.services.doctor.tampering import Tampering
from tests.services.doctor.world import Played, play


@pytest.fixture(scope="package")
def played(postgres_url: str, _migrated: str) -> Iterator[Played]:
    with copy_of(postgres_url, _migrated) as made:
        yield play(*made)


@pytest.fixture
def world(postgres_url: str, played: Played) -> Iterator[Tampering]:
    with copy_of(postgres_url, played.database) as made, closing(Tampering(made.url, played)) as tampering:
        yield tampering
