"""I5 of the whole log: what no chain tells, a cut end and a past that was written anew, the last checkpoint does."""

from __future__ import annotations

import pytest

from domain.player import Enrolled
from services.audit import checkpoints, keys
from services.projections import Projector


@pytest.fixture
def signed(world, tmp_path):
    """The world, its log's head signed."""
    projector = Projector(world.store)
    projector.create()
    projector.catch_up()
    keys.first(world.store.database, None, tmp_path)
    assert checkpoints.publish(world.store, None, tmp_path)
    return world


def test_i5_a_log_that_begins_with_what_was_signed(signed):
    assert signed.examined(["I5"]) == []


def test_i5_an_end_that_was_cut_off(signed):
    rows = signed.store.stored_log(0, 10_000)
    signed.sql("DELETE FROM big2_events WHERE notification_id = %s", rows[-1].position)
    [found] = signed.examined(["I5"])
    assert found.where.startswith("checkpoint of ")
    assert found.what == f"the log has only {len(rows) - 1} events: its end was cut off"


def test_i5_a_past_that_was_written_anew(signed):
    """The chain is whole again behind the change."""
    enrolled = signed.of(Enrolled)[0]
    signed.sql(
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '\"test\"', '\"tess\"'),"
        " 'utf8') WHERE originator_id = %s",
        enrolled.stream,
    )
    signed.reseal(enrolled.stream)
    [found] = signed.examined(["I5"])
    assert found.what == "the log does not begin with the events that were signed"


def test_i5_a_checkpoint_that_was_forged(signed):
    signed.sql("ALTER TABLE checkpoints DISABLE TRIGGER ALL")
    signed.sql("UPDATE checkpoints SET note = replace(note, chr(10) || size, chr(10) || size + 1)")
    [found] = signed.examined(["I5"])
    assert found.what.endswith("is forged")
