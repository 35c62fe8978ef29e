"""I6: what the rules would not have made of the state before is told of, where it stands."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import msgspec
import pytest

from domain.hand import HAND
from domain.hand_events import (
    CardsPlayed,
    ClockStopped,
    Committed,
    Dealt,
    EntropyDealt,
    EntropyGiven,
    EntropyOpened,
    HandRecorded,
    Passed,
    ProvenCommitted,
    RingCommitted,
    Settled,
)
from domain.player import Enrolled
from domain.ring_events import RingDealsCommitted, RingHandBegun, RingHandEnded, RingOpened, SatDown
from domain.roster import Registered
from domain.table_events import HandBegun, HandEnded, Opened, RecordedHandEnded, TablePaused, Vacated
from domain.tournament_events import (
    DealsCommitted,
    Finished,
    LevelRaised,
    Paused,
    Placed,
    Published,
    SeedsCommitted,
    Started,
    TableOpened,
    TablesDrawn,
)
from domain.wallet import Credited
from services.commands import job
from services.doctor.examination import Examination, Questions
from services.envelope import Change
from tests.services.projections.house import House


def first_told(world, of):
    """The first that is told, all of it of I6, in the stream of one event."""
    found = world.examined()
    assert {v.invariant for v in found} == {"I6"}
    assert str(of.stream) in found[0].where
    return found[0]


def other_deadline(e):
    e["next_turn"]["deadline"] = "2020-01-01T00:00:00Z"


def swapped(name):
    def change(e):
        e[name][0], e[name][1] = e[name][1], e[name][0]

    return change


def put(**members):
    return lambda e: e.update(members)


def more(name, by=1):
    return lambda e: e.update({name: e[name] + by})


def later(r):
    return r.event.next_turn is not None


CHANGED = {
    "a breach that was none": (CardsPlayed, None, put(breach=True), "breach of CardsPlayed"),
    "another deadline": (Passed, later, other_deadline, "next_turn of Passed"),
    "another reason to pass": (
        Passed,
        lambda r: r.event.reason == "two_of_spades",
        put(reason="too_few_cards"),
        "reason of Passed",
    ),
    "another liable seat": (Settled, lambda r: r.event.transfers, put(liable=1), "liable of Settled"),
    "another commitment": (Committed, None, put(commitment="00"), "commitment of ProvenCommitted"),
    "another path to the root": (ProvenCommitted, None, put(path=["00"] * 6), "path of ProvenCommitted"),
    "another root": (
        DealsCommitted,
        None,
        lambda e: e["roots"][0].update(root="00"),
        "roots of DealsCommitted",
    ),
    "a ring table's root": (RingDealsCommitted, None, put(root="00"), "root of RingDealsCommitted"),
    "another nonce": (EntropyGiven, None, put(nonce="mine"), None),
    "a nonce left out": (EntropyDealt, None, put(nonces={}), "nonces of EntropyDealt"),
    "more time for entropy": (
        EntropyOpened,
        None,
        more("entropy_seconds"),
        "entropy_seconds of EntropyOpened",
    ),
    "another seed": (Committed, None, put(seed="AAAA"), None),
    "another level": (Dealt, None, more("level"), "level of ConnectedDealt"),
    "another dealer": (HandBegun, None, more("dealer"), "dealer of HandBegun"),
    "another number": (HandBegun, None, more("number"), None),
    "other points": (
        HandEnded,
        lambda r: r.event.stacks,
        lambda e: e["points"].update({"1": 99}),
        "points of HandEnded",
    ),
    "an absent player": (HandEnded, lambda r: r.event.stacks, put(absent=[1, 2]), None),
    "the time of a stopped clock": (ClockStopped, None, put(remaining_ms=10**9), None),
    "other seats": (Opened, None, more("first_dealer"), "first_dealer of Opened"),
    "another place": (Placed, None, more("place"), "place of Placed"),
    "another unit": (LevelRaised, None, more("unit"), "unit of LevelRaised"),
    "other entrants": (Started, None, swapped("entrants"), "entrants of Started"),
    "another draw": (TablesDrawn, None, put(draw="again"), "draw of TablesDrawn"),
    "other terms": (Published, None, put(structure_hash=""), "structure_hash of Published"),
    "another draw's seed": (SeedsCommitted, None, put(draw_seed="AAAA"), None),
    "a pause of another number": (Paused, None, more("number"), "number of Paused"),
    "a table that follows another pause": (TablePaused, None, more("number"), "number of TablePaused"),
    "a reason to leave": (
        Vacated,
        lambda r: r.event.reason == "out",
        put(reason="moved"),
        "reason of Vacated",
    ),
    "other standings": (Finished, None, swapped("standings"), "standings of Finished"),
    "another player's entry": (Registered, None, put(entry_id=str(uuid4())), "entry_id of Registered"),
    "a recorded hand at another unit": (HandRecorded, None, more("unit"), None),
    "a recorded winner": (RecordedHandEnded, None, put(winner=3), "winner of RecordedHandEnded"),
    "another table of a league": (TableOpened, None, put(draw="table/9"), "draw of TableOpened"),
    "a ring table's terms": (RingOpened, None, put(terms_hash=""), "terms_hash of RingOpened"),
    "a ring table's hand": (RingHandBegun, None, more("dealer"), "dealer of RingHandBegun"),
    "a ring table's deal": (RingCommitted, None, put(commitment="00"), "commitment of ProvenRingCommitted"),
    "a ring table's end of a hand": (RingHandEnded, None, put(acted=[]), "acted of RingHandEnded"),
    "a ring table's seat": (SatDown, None, more("seat", 2), None),
    "a reference used twice": (
        Credited,
        lambda r: r.version == 2 and r.event.journal.kind == "deposit",
        None,
        "it is refused (duplicate-reference)",
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_i6_tells_of(world, what):
    kind, where, change, told = CHANGED[what]
    [r, *_] = world.of(kind, where or (lambda _: True))
    if change is None:
        before = next(e for e in world.log if e.stream == r.stream)
        change = put(reference=before.event.reference)
    world.edit(r, change)
    found = first_told(world, r)
    assert told is None or found.what.startswith(told)


def new_command(world, r):
    return {**world.envelope(r), "command": str(uuid4())}


def test_i6_tells_of_what_was_refused(world):
    enrolled = world.of(Enrolled)[0]
    envelope = new_command(world, enrolled) | {"event": {"reason": "sorry"}}
    world.add(enrolled.stream, "player.reinstated.1", envelope)
    assert first_told(world, enrolled).what == "it is refused (player-not-barred)"


def test_i6_tells_of_a_hand_that_no_table_began(world):
    recorded = world.of(HandRecorded)[0]
    stream, command = uuid4(), str(uuid4())
    for r in [r for r in world.log if r.stream == recorded.stream]:
        world.add(stream, r.topic, world.envelope(r) | {"command": command})
    [found] = world.examined()
    assert (found.invariant, found.where, found.what) == ("I6", f"hand {stream}", "no table has begun it")


@pytest.mark.parametrize("kind", [Opened, Registered], ids=["table", "roster"])
def test_i6_tells_of_what_belongs_to_no_tournament(world, kind):
    of = world.of(kind)[-1]
    stream = uuid4()
    world.add(stream, of.topic, new_command(world, of))
    [found] = world.examined()
    name = of.topic.partition(".")[0]
    assert (found.invariant, found.where, found.what) == ("I6", f"{name} {stream}", "no tournament has it")


def test_i6_tells_of_a_hand_that_is_gone(world):
    recorded = world.of(HandRecorded)[-1]
    world.sql("DELETE FROM big2_events WHERE originator_id = %s", recorded.stream)
    found = [v for v in world.examined() if v.invariant == "I6"]
    assert found[0].what == f"hand {recorded.stream} is not in the log"


def test_i6_tells_of_a_ring_tables_hand_that_is_gone(world):
    dealt = world.of(RingCommitted)[-1]
    world.sql("DELETE FROM big2_events WHERE originator_id = %s", dealt.stream)
    found = [v for v in world.examined() if v.invariant == "I6"]
    assert found[0].what == f"hand {dealt.stream} is not in the log"


@pytest.mark.parametrize("topic", ["player.enrolled.9", "player.barred.1"])
def test_i6_tells_of_an_event_that_cannot_be_read(world, topic):
    enrolled = world.of(Enrolled)[0]
    world.sql("UPDATE big2_events SET topic = %s WHERE originator_id = %s", topic, enrolled.stream)
    world.reseal(enrolled.stream)
    assert first_told(world, enrolled).what.startswith("cannot be read (")


def test_i6_alone_tells_of_what_a_narrower_invariant_tells_of_else(world):
    settled = world.of(Settled)[0]
    world.edit(settled, lambda e: e["net"].update({"1": 5, "2": 5}))
    assert {v.invariant for v in world.examined()} == {"I3"}
    found = world.examined(["I6"])
    assert {v.invariant for v in found} == {"I6"}
    assert any(v.where.startswith(f"hand {settled.stream}") for v in found)


def test_i6_bears_with_a_look_that_did_not_see_a_hand_end_meanwhile(database_url):
    """The director reads all tables, and is bound to those that it changes: another hand may end in between."""
    house = House(database_url)
    t = house.started(6, seats_per_table=3, stack_points=1)
    house.play_on(t, until=lambda: len(house.running(t)) == 2)
    first, second = house.running(t)
    house.play_out(first)
    append = house.store.append

    def meanwhile(command, *changes, **more):
        if command.actor.startswith("job/look-"):
            house.store.append = append
            house.play_out(second)
        return append(command, *changes, **more)

    house.store.append = meanwhile
    house.work()
    log = house.log()
    ended = next(r for r in log if isinstance(r.event, HandEnded) and r.event.hand_id == second)
    placed = [r for r in log if isinstance(r.event, Placed)]
    assert placed
    assert all(ended.position < r.position and ended.at > r.at for r in placed)
    assert list(Examination(house.store, Questions(["I6"])).violations()) == []
    house.close()


@pytest.mark.parametrize(("remaining_ms", "found"), [(30_000, 0), (29_999, 1)])
def test_i6_bears_with_a_clock_that_is_stopped_again_only_for_the_whole_turn(
    database_url, remaining_ms, found
):
    """After a jump of the database's clock a turn that stands gets all its time, and never another part of it."""
    house = House(database_url)
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    house.pass_time(timedelta(seconds=9))
    house.pause(t)
    house.work(t)
    [stopped] = house.events(ClockStopped, hand)
    again = msgspec.structs.replace(stopped, remaining_ms=remaining_ms)
    version = house.store.load(HAND, hand).version
    house.store.append(job(f"again-{hand}"), [Change(hand, version, [again])], house.store.now())
    told = list(Examination(house.store, Questions(["I6"])).violations())
    assert len([v for v in told if str(hand) in v.where]) == found
    house.close()
