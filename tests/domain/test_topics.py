"""The names under which events are stored: a contract, so these tests hold the list."""

import re

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.events import Event
from domain.topics import TOPICS
from tests.domain.given import steady
from tests.domain.samples import values

BESIDE = {"hand": ["domain.dispute"]}
"""Modules with events of a stream beside the one that it is called after."""
STORED = [
    "credential.issued.1",
    "credential.revoked.1",
    "hand.actions_voided.1",
    "hand.appealed.1",
    "hand.clock_started.1",
    "hand.clock_stopped.1",
    "hand.committed.1",
    "hand.committed.2",
    "hand.committed.3",
    "hand.committed.4",
    "hand.confirmed.1",
    "hand.dealt.1",
    "hand.dealt.2",
    "hand.dealt.3",
    "hand.entropy_given.1",
    "hand.entropy_opened.1",
    "hand.finalised.1",
    "hand.flagged.1",
    "hand.frozen.1",
    "hand.passed.1",
    "hand.played.1",
    "hand.recorded.1",
    "hand.released.1",
    "hand.ruled.1",
    "hand.ruled.2",
    "hand.ruled.3",
    "hand.ruled.4",
    "hand.settled.1",
    "hand.time_given.1",
    "hand.voided.1",
    "player.barred.1",
    "player.enrolled.1",
    "player.reinstated.1",
    "ring.close_asked.1",
    "ring.closed.1",
    "ring.deals_committed.1",
    "ring.hand_begun.1",
    "ring.hand_ended.1",
    "ring.leave_asked.1",
    "ring.opened.1",
    "ring.paused.1",
    "ring.resumed.1",
    "ring.sat_down.1",
    "ring.sat_in.1",
    "ring.sat_out.1",
    "ring.seat_kept.1",
    "ring.stood_up.1",
    "ring.topped_up.1",
    "roster.closed.1",
    "roster.re_entered.1",
    "roster.substituted.1",
    "roster.registered.1",
    "roster.withdrawn.1",
    "ruleset.published.1",
    "stakes.published.1",
    "table.closed.1",
    "table.deals_committed.1",
    "table.frozen.1",
    "table.hand_begun.1",
    "table.hand_ended.1",
    "table.hand_ended.2",
    "table.opened.1",
    "table.opened.2",
    "table.paused.1",
    "table.released.1",
    "table.resumed.1",
    "table.seat_taken_over.1",
    "table.seated.1",
    "table.sit_out_given.1",
    "table.stacks_adjusted.1",
    "table.vacated.1",
    "tournament.cancelled.1",
    "tournament.deals_committed.1",
    "tournament.disqualified.1",
    "tournament.entries_closed.1",
    "tournament.entry_taken.1",
    "tournament.finished.1",
    "tournament.late_seated.1",
    "tournament.late_seated.2",
    "tournament.level_raised.1",
    "tournament.paused.1",
    "tournament.penalties_imposed.1",
    "tournament.penalty_carried_out.1",
    "tournament.placed.1",
    "tournament.player_moved.1",
    "tournament.player_reinstated.1",
    "tournament.player_replaced.1",
    "tournament.pool_dissolved.1",
    "tournament.pool_formed.1",
    "tournament.prizes_awarded.1",
    "tournament.prizes_awarded.2",
    "tournament.published.1",
    "tournament.replacement_ordered.1",
    "tournament.result_corrected.1",
    "tournament.resumed.1",
    "tournament.ruling_lapsed.1",
    "tournament.seeds_committed.1",
    "tournament.stacks_corrected.1",
    "tournament.standings_corrected.1",
    "tournament.started.1",
    "tournament.table_broken.1",
    "tournament.table_closed.1",
    "tournament.table_opened.1",
    "tournament.tables_drawn.1",
    "tournament.tables_held.1",
    "wallet.credited.1",
    "wallet.debited.1",
    "webhook.deleted.1",
    "webhook.disabled.1",
    "webhook.registered.1",
    "webhooks.listed.1",
]
"""What logs hold by now. Lines are only ever added."""


def descendants(kind):
    return {d for child in kind.__subclasses__() for d in (child, *descendants(child))}


def test_no_stored_name_vanishes_and_each_new_one_is_put_on_the_list():
    assert sorted(TOPICS) == sorted(STORED)


def test_every_event_is_registered_and_each_once():
    registered = list(TOPICS.values())
    assert len(set(registered)) == len(registered)
    ours = {kind for kind in descendants(Event) if kind.__module__.startswith("domain.")}
    assert set(registered) == ours


@pytest.mark.parametrize("topic", TOPICS)
def test_a_name_is_the_aggregate_the_event_and_a_number(topic):
    assert re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*\.[1-9][0-9]*", topic)
    stream = topic.partition(".")[0]
    module = TOPICS[topic].__module__.removesuffix("_events")
    assert module in (f"domain.{stream}", *BESIDE.get(stream, ()))


def test_numbers_count_from_1_without_holes():
    numbers = {}
    for topic in TOPICS:
        name, _, number = topic.rpartition(".")
        numbers.setdefault(name, []).append(int(number))
    assert all(sorted(found) == list(range(1, len(found) + 1)) for found in numbers.values())


@pytest.mark.parametrize("kind", TOPICS.values(), ids=TOPICS)
@settings(steady, max_examples=15)
@for_all(st.data())
def test_an_event_comes_back_from_json_as_it_went(kind, data):
    event = data.draw(values(kind))
    back = msgspec.json.decode(msgspec.json.encode(event), type=kind)
    assert back == event
    assert type(back) is kind
    assert repr(back) == repr(event)  # equal types all the way down


@pytest.mark.parametrize("kind", TOPICS.values(), ids=TOPICS)
def test_an_event_is_frozen(kind):
    assert kind.__struct_config__.frozen


@pytest.mark.parametrize("kind", TOPICS.values(), ids=TOPICS)
def test_an_event_has_no_defaults(kind):
    """What an event says is decided when it is made: a default that changes later would change the past."""
    assert kind.__struct_defaults__ == ()
