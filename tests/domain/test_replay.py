"""History is enough: what was lived and what is replayed from stored events is the same at every prefix (F39)."""

from collections import defaultdict

import msgspec
import pytest

from big2.cards import parse_cards
from domain import hand, hand_events, roster, table, tournament
from domain.hand import HAND
from domain.ids import entry_id
from domain.roster import ROSTER
from domain.table import TABLE
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT as AGGREGATE
from tests.domain.given import ACTIONPOKER, ALICE, BOB, CAROL, NOW, TOURNAMENT, dealt, fold, terms
from tests.domain.memory import Memory
from tests.domain.test_hand import played

FIRST = {  # each kind of stream by its first event
    tournament.SeedsCommitted: AGGREGATE,
    table.Opened: TABLE,
    hand.Committed: HAND,
    hand_events.ProvenCommitted: HAND,
    roster.Registered: ROSTER,
}
NAMES = {kind: topic for topic, kind in TOPICS.items()}


def stored(event):
    """As the log keeps it: a topic and bytes."""
    return NAMES[type(event)], msgspec.json.encode(event)


def loaded(topic, state):
    return msgspec.json.decode(state, type=TOPICS[topic])


def replays_at_every_prefix(events):
    aggregate = FIRST[type(events[0])]
    log = [stored(event) for event in events]
    live = None
    for length, event in enumerate(events, 1):
        live = aggregate.evolve(live, event)
        replayed = fold(aggregate, (loaded(*row) for row in log[:length]))
        assert replayed == live
        assert type(replayed) is type(live)
    return live


OF_RECORDED_PLAY = (
    "recorded.1",
    "confirmed.1",
    "opened.2",
    "hand_ended.2",
    "table_opened.1",
    "table_closed.1",
    "tables_held.1",
)
"""`test_recorded_tournaments.py` has these."""
OF_MONEY = ("pool_formed.1", "pool_dissolved.1", "prizes_awarded.2")
"""`test_pool.py` has these."""
OF_LATE_ENTRY = ("entry_taken.1", "late_seated.1", "entries_closed.1")
"""`test_late_entry.py` has these."""
OF_RING_PLAY = ("committed.2", "committed.4")
OF_ENTROPY = ("entropy_opened.1", "entropy_given.1", "dealt.3")
"""`test_entropy.py` has these."""
OF_DISPUTES = (
    "flagged.1",
    "frozen.1",
    "released.1",
    "ruled.1",
    "appealed.1",
    "result_corrected.1",
    "stacks_corrected.1",
    "stacks_adjusted.1",
    "ruling_lapsed.1",
    "actions_voided.1",
    "time_given.1",
    "player_reinstated.1",
    "penalties_imposed.1",
    "penalty_carried_out.1",
    "sit_out_given.1",
    "disqualified.1",
    "standings_corrected.1",
    "ruled.4",
    "late_seated.2",
    "ruled.2",
    "ruled.3",
    "replacement_ordered.1",
    "player_replaced.1",
    "seat_taken_over.1",
)
"""`test_rulings.py` and its neighbours, one a kind of ruling, have these."""
OF_LONG_TABLES = ("deals_committed.1",)
"""`test_coming_deals.py` has the table's; the tournament's is of the same name."""
OLDER = ("dealt.1", "committed.1")
"""Shapes that are stored no more."""


@pytest.fixture(scope="module")
def lived():
    structure = terms(stack_points=8, hands_per_level=1, seats_per_table=3, protest_seconds=9)
    return Memory(structure, 7, seed=2, absent=1).play_on()


def test_every_stream_of_a_tournament_replays_at_every_prefix(lived):
    streams = defaultdict(list)
    for stream, event in lived.log:
        streams[stream].append(event)
    assert {type(events[0]) for events in streams.values()} == set(FIRST) - {
        roster.Registered,
        hand.Committed,
    }
    for stream, events in streams.items():
        state = replays_at_every_prefix(events)
        assert state in (lived.tournament, lived.tables.get(stream), lived.hands.get(stream))


def test_the_whole_log_holds_every_event_of_a_tournament_that_is_played_out(lived):
    """What these tests replay is the whole vocabulary of tables, hands and tournaments, but for what interrupts."""
    seen = {NAMES[type(event)] for _, event in lived.log}
    of_them = {topic for topic in TOPICS if topic.partition(".")[0] in ("tournament", "table", "hand")}
    assert {topic.partition(".")[2] for topic in of_them - seen} == {
        "paused.1",
        "resumed.1",
        "cancelled.1",
        "clock_stopped.1",
        "clock_started.1",
        "voided.1",
        "finalised.1",
        *OF_MONEY,
        *OF_LATE_ENTRY,
        *OF_RECORDED_PLAY,
        *OF_RING_PLAY,
        *OF_ENTROPY,
        *OF_DISPUTES,
        *OF_LONG_TABLES,
        *OLDER,
    }


def test_a_going_out_replays_to_the_same_end():
    events = dealt({1: "3D 2S", 2: "4D 5C", 3: "6D 7C"}, leader=1)
    for turn, cards in enumerate(("2S", "3D"), 1):
        events += hand.play(fold(HAND, events), ALICE, turn, parse_cards(cards), NOW)
    replayed = replays_at_every_prefix(events)
    assert replayed.game.winner == 1
    assert replayed.state is hand.State.FINAL


def test_a_stopped_clock_a_void_and_a_late_finality_replay_too():
    events = dealt({1: "3D 9C", 2: "4D 5C"}, protest_seconds=5)
    for decide in (
        lambda h: hand.stop_clock(h, NOW),
        lambda h: hand.start_clock(h, NOW),
        lambda h: hand.void(h, "x"),
    ):
        events += decide(fold(HAND, events))
    assert replays_at_every_prefix(events).state is hand.State.VOIDED
    settled = dealt({1: "3D", 2: "4D 5C"}, protest_seconds=5)
    settled += hand.play(fold(HAND, settled), ALICE, 1, parse_cards("3D"), NOW)
    settled += hand.finalise(fold(HAND, settled))
    assert replays_at_every_prefix(settled).state is hand.State.FINAL


def test_an_interrupted_tournament_replays_too(lived):
    events = [event for stream, event in lived.log if stream == TOURNAMENT][:6]
    for decide in (
        lambda t: tournament.pause(t, NOW),
        lambda t: tournament.resume(t, NOW),
        lambda t: tournament.cancel(t, "fire", 0),
    ):
        events += decide(fold(AGGREGATE, events))
    assert replays_at_every_prefix(events).state is tournament.State.CANCELLED


def test_a_roster_replays_at_every_prefix():
    a, b, c = (
        roster.Registered(tournament_id=TOURNAMENT, entry_id=entry_id(TOURNAMENT, p), player_id=p)
        for p in (ALICE, BOB, CAROL)
    )
    gone = roster.Withdrawn(tournament_id=TOURNAMENT, player_id=BOB)
    assert list(replays_at_every_prefix([a, b, gone, c, b]).entries) == [ALICE, CAROL, BOB]


def test_replay_never_judges_the_past():
    """What a decision would refuse today is folded all the same: a ruling or an older release may have made it."""
    state = fold(HAND, dealt({1: "3D 9C", 2: "4D 5C", 3: "6D"}))
    early = hand.CardsPlayed(turn=1, seat=1, cards="9C", by="player", breach=False, next_turn=None)
    assert HAND.evolve(state, early).game.holdings[1].bit_count() == 1  # R5.2 forbids it
    assert ACTIONPOKER.opening_play == "includes_it"
    over = played(state, "3D")
    assert HAND.evolve(over, hand.Voided(reason="ruled")).state is hand.State.VOIDED
