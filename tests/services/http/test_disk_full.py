"""When PostgreSQL's disk is full, a command is 503 and nothing of it is stored; with room it is done, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from services.bootstrap import Services
from services.errors import Unavailable
from services.projections import Projector
from tests.services.http.playing import name

FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON {table} EXECUTE FUNCTION full_disk();
"""


@contextmanager
def full(services: Services, table: str) -> Iterator[None]:
    """For a block there is no room for another row of the table."""
    with services.store.database.connection() as conn:
        conn.execute(FULL.format(table=table))
    try:
        yield
    finally:
        with services.store.database.connection() as conn:
            conn.execute("DROP FUNCTION full_disk CASCADE")


@pytest.mark.parametrize("table", ["big2_events", "people"])
def test_a_command_is_told_to_come_again_and_is_then_done_once(operator, services, table):
    key, body = str(uuid4()), {"name": name()}
    with full(services, table):
        before = services.store.head()
        for _ in range(3):
            answer = operator.post("/v1/players", body, key=key)
            assert (answer.status_code, answer.json["type"]) == (503, "/problems/unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
        assert services.store.stored_log(before, 10) == []
        assert operator.get("/v1/players").status_code == 200  # what is there can be read
    made = operator.post("/v1/players", body, key=key)
    again = operator.post("/v1/players", body, key=key)
    assert (made.status_code, again.json) == (201, made.json)
    assert len(services.store.stored_log(before, 10)) == 1


def test_projections_that_find_no_room_go_on_where_they_were(operator, services, beside):
    with beside.paused():
        made = operator.made("/v1/players", {"name": name()})
        projector = Projector(services.store)
        with full(services, "projections.players"):
            for _ in range(2):
                with pytest.raises(Unavailable):
                    projector.step()
    assert operator.read(f"/v1/players/{made['player_id']}")["name"] == made["name"]
    assert made["player_id"] in [player["player_id"] for player in operator.read("/v1/players")["items"]]
