"""I1, I5 and I11: whoever repeats, changes, drops, moves or slips in an event is told of, by place."""

from __future__ import annotations

from uuid import uuid4

import pytest

from domain.hand_events import Finalised
from domain.player import Enrolled
from domain.roster import Registered
from domain.wallet import Credited, Debited

OTHER_TIME = "2027-01-01T00:00:00Z"


def test_nothing_is_wrong_with_a_world_that_was_played(world):
    assert world.examined() == []


def only(world, invariant, **asked):
    """The one violation that the whole examination finds."""
    [found] = world.examined(**asked)
    assert found.invariant == invariant
    return found


# I1


def entry(world):
    """An entry that was paid: the events of one command, at the roster and at the wallet."""
    registered = world.of(Registered)[0]
    [debited] = world.of(Debited, lambda r: r.command == registered.command)
    return registered, debited


@pytest.mark.parametrize(
    ("member", "value"), [("at", OTHER_TIME), ("digest", "0"), ("actor", "credential/1")]
)
def test_i1_events_of_one_command_that_were_stored_by_two_appends(world, member, value):
    _, debited = entry(world)
    world.edit_envelope(debited, lambda envelope: envelope.update({member: value}))
    found = only(world, "I1")
    assert found.where.startswith(f"command {debited.command}, positions ")
    assert found.what == "has events of 2 appends: it took effect more than once"


def test_i1_a_command_that_took_effect_twice(world):
    enrolled = world.of(Enrolled)[0]
    world.add(uuid4(), enrolled.topic, world.envelope(enrolled))
    found = only(world, "I1")
    assert str(enrolled.command) in found.where
    assert found.what.endswith("events of other commands stand between its own")


# I5


def test_i5_an_event_that_was_changed(world):
    deposit = world.of(Credited, lambda r: r.version == 1 and len(world.store.stored(r.stream)) > 1)[0]
    world.sql(
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '\"test\"', '\"tess\"'),"
        " 'utf8') WHERE originator_id = %s AND originator_version = 1",
        deposit.stream,
    )
    found = only(world, "I5")
    assert found.where.startswith(f"wallet {deposit.stream}, version 2 (position ")


@pytest.mark.parametrize("link", ["0" * 64, "f" * 64])
def test_i5_a_link_that_was_changed(world, link):
    debited = world.of(Debited)[0]
    world.sql(
        "UPDATE big2_events SET state = convert_to(regexp_replace(convert_from(state, 'utf8'), 'prev\":\"[0-9a-f]+',"
        " 'prev\":\"' || %s), 'utf8') WHERE originator_id = %s AND originator_version = %s",
        link,
        debited.stream,
        debited.version,
    )
    assert only(world, "I5").where.startswith(f"wallet {debited.stream}, version {debited.version} ")


def test_i5_an_event_that_is_no_envelope(world):
    enrolled = world.of(Enrolled)[0]
    world.sql(
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '\"prev\"', '\"prew\"'),"
        " 'utf8') WHERE originator_id = %s",
        enrolled.stream,
    )
    assert only(world, "I5").where == f"player {enrolled.stream}, version 1 (position {enrolled.position})"


# I11


def test_i11_a_version_that_is_missing(world):
    debited = world.of(Debited)[0]
    world.sql(
        "UPDATE big2_events SET originator_version = originator_version + 1 WHERE originator_id = %s"
        " AND originator_version = (SELECT max(originator_version) FROM big2_events WHERE originator_id = %s)",
        debited.stream,
        debited.stream,
    )
    world.reseal(debited.stream)
    found = only(world, "I11")
    assert found.where.startswith(f"wallet {debited.stream}, version ")
    assert "belongs" in found.what


def test_i11_a_stream_in_another_order_than_the_log(world):
    deposit = world.of(Credited, lambda r: r.version == 1 and len(world.store.stored(r.stream)) > 1)[0]
    world.sql(
        "UPDATE big2_events SET notification_id = %s WHERE notification_id = %s", 10**6, deposit.position
    )
    found = only(world, "I11")
    assert found.what == "version 2 stands in the log before version 1"
    assert str(deposit.stream) in found.where


def test_i11_an_event_that_was_taken_out_of_its_append(world):
    """What else it was for tells of it too: here the rules, which give away the seed of a hand that is over."""
    final = world.of(Finalised, lambda r: r.position + 1 < world.log[-1].position)[0]
    world.drop(final)
    found = world.examined()
    assert {v.invariant for v in found} == {"I6", "I11"}
    [missing] = [v for v in found if v.invariant == "I11"]
    assert str(final.command) in missing.where
    assert missing.what == "1 positions within this append hold no event"


def test_positions_of_appends_that_were_refused_are_no_violation(world):
    world.sql("SELECT nextval('big2_events_notification_id_seq')")
    enrolled = world.of(Enrolled)[0]
    envelope = world.envelope(enrolled)
    world.add(uuid4(), enrolled.topic, {**envelope, "command": str(uuid4())})
    assert world.examined() == []
