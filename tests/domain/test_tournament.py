"""A tournament: published, started, drawn, paused, raised, finished, cancelled."""

from datetime import timedelta

import pytest

from domain.draws import draw_commitment
from domain.ending import finish
from domain.errors import Conflicting
from domain.ids import hand_id, table_id
from domain.placing import Out, Standing
from domain.seating import Move
from domain.structure import structure_hash
from domain.table import TABLE, Closed, Place
from domain.tournament import (
    TOURNAMENT as AGGREGATE,
)
from domain.tournament import (
    Cancelled,
    Finished,
    LevelRaised,
    Paused,
    Placed,
    PlayerMoved,
    Prize,
    PrizesAwarded,
    Resumed,
    Started,
    State,
    TableBroken,
    cancel,
    draw,
    draw_final_table,
    evolve,
    move,
    pause,
    place,
    publish,
    raise_level,
    republish,
    resume,
    start,
)
from tests.domain.given import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    MASTER,
    NOW,
    TOURNAMENT,
    fold,
    given,
    later,
    players,
    refused,
    terms,
)
from tests.domain.given import (
    TABLE as FIRST_TABLE,
)

LADDER = (1, 2, 4)


def published(**others):
    return publish(TOURNAMENT, terms(**others), MASTER, DRAW_SEED)


def started(people=4, **others):
    events = published(**others)
    return [*events, *start(given(AGGREGATE, *events), players(people), NOW)]


def placed(player, hand=1, stack=50, no_show=False, place=4):
    return Placed(
        player_id=player,
        table_id=FIRST_TABLE,
        hand_id=None if no_show else hand_id(FIRST_TABLE, hand),
        stack=stack,
        no_show=no_show,
        hand_for_hand=None,
        place=place,
    )


PAUSED = Paused(number=1, at=later(60))
CANCELLED = Cancelled(reason="fire", entrants=4, draw_seed=DRAW_SEED)
FINISHED = Finished(standings=(Standing(1, False, ALICE),), draw_seed=DRAW_SEED)


# publication


def test_the_seeds_are_committed_to_before_the_terms_are_known():
    committed, terms_published = published()
    assert (committed.master, committed.draw_seed) == (MASTER, DRAW_SEED)
    assert committed.draw_commitment == draw_commitment(DRAW_SEED, TOURNAMENT)
    assert (terms_published.version, terms_published.structure) == (1, terms())
    assert terms_published.structure_hash == structure_hash(terms())


def test_a_published_tournament_is_open_and_empty():
    t = given(AGGREGATE, *published())
    assert (t.state, t.version, t.structure_version, t.players_left) == (State.OPEN, 2, 1, 0)
    assert t.structure == terms()
    assert not t.over


def test_the_terms_may_change_until_the_first_entry():
    t = given(AGGREGATE, *published())
    (again,) = republish(t, terms(unit=5), entries=0)
    assert (again.version, again.structure.unit) == (2, 5)
    t = evolve(t, again)
    assert (t.structure_version, t.structure_hash) == (2, structure_hash(terms(unit=5)))
    with refused(Conflicting, "structure-fixed"):
        republish(t, terms(), entries=1)


@pytest.mark.parametrize("events", [started(), [*published(), CANCELLED]], ids=["started", "cancelled"])
def test_the_terms_are_fixed_from_then_on(events):
    with refused(Conflicting, "structure-fixed"):
        republish(given(AGGREGATE, *events), terms(), entries=0)


# start


def test_a_start_names_the_entrants_and_sets_the_game_going():
    t = given(AGGREGATE, *published())
    assert start(t, players(4), NOW)[0] == Started(entrants=players(4), level_ends_at=None)
    running = given(AGGREGATE, *started())
    assert (running.state, running.entrants, running.players_left) == (State.RUNNING, players(4), 4)
    assert (running.level, running.unit) == (1, 1)


@pytest.mark.parametrize(
    ("people", "least"), [(0, {}), (1, {}), (2, {"min_entrants": 3}), (1, {"min_entrants": 1})]
)
def test_nothing_starts_with_too_few_players(people, least):
    with refused(Conflicting, "not-enough-players"):
        start(given(AGGREGATE, *published(**least)), players(people), NOW)


def test_nothing_starts_twice():
    with refused(Conflicting, "already-started"):
        start(given(AGGREGATE, *started()), players(4), NOW)
    with refused(Conflicting, "already-started"):
        start(given(AGGREGATE, *started(), PAUSED), players(4), NOW)


@pytest.mark.parametrize("end", [CANCELLED, FINISHED], ids=["cancelled", "finished"])
def test_nothing_starts_once_it_is_over(end):
    with refused(Conflicting, "tournament-over"):
        start(given(AGGREGATE, *started(), end), players(4), NOW)


# the draw


@pytest.mark.parametrize(
    ("people", "seats", "sizes"), [(4, 4, [4]), (5, 4, [3, 2]), (9, 4, [3, 3, 3]), (8, 3, [3, 3, 2])]
)
def test_the_first_tables_are_numbered_from_1_and_of_equal_size(people, seats, sizes):
    t = given(AGGREGATE, *started(people, seats_per_table=seats))
    drawn, opened = draw(t, NOW)
    assert [table.number for table in drawn.tables] == list(range(1, len(sizes) + 1))
    assert [len(table.places) for table in drawn.tables] == sizes
    assert sorted(p.player_id for table in drawn.tables for p in table.places) == sorted(players(people))
    assert (drawn.final, drawn.draw) == (False, "tables")
    assert all(p == Place(p.seat, p.player_id, t.structure.stack) for e in opened for p in e.places)
    assert [[p.seat for p in e.places] for e in opened] == [list(range(1, size + 1)) for size in sizes]


def test_tables_open_as_they_were_drawn():
    t = given(AGGREGATE, *started(5, unit=10, rules="high-low"))
    drawn, opened = draw(t, later(1))
    assert [e.table_id for e in opened] == [table_id(TOURNAMENT, 1), table_id(TOURNAMENT, 2)]
    for table, event in zip(drawn.tables, opened, strict=True):
        assert (event.number, event.table_id, event.places) == (table.number, table.table_id, table.places)
        assert event.first_dealer == table.dealer
        assert (event.rules, event.seats_per_table, event.deal_at) == ("high-low", 4, later(1))
    t = evolve(t, drawn)
    assert (t.tables_drawn, t.open_tables) == (2, (1, 2))


def test_first_dealers_are_drawn_from_all_seats():
    seeds = [bytes([n]) * 32 for n in range(40)]
    dealers = set()
    for seed in seeds:
        events = publish(TOURNAMENT, terms(), MASTER, seed)
        t = given(AGGREGATE, *events, Started(entrants=players(3), level_ends_at=None))
        dealers.add(draw(t, NOW)[0].tables[0].dealer)
    assert dealers == {1, 2, 3}


def test_a_draw_is_the_draw_seeds_alone():
    t = given(AGGREGATE, *started(16))
    again = given(AGGREGATE, *publish(TOURNAMENT, terms(), bytes(32), DRAW_SEED), *started(16)[2:])
    assert draw(t, NOW)[0] == draw(again, later(9))[0]


def test_tables_are_drawn_once_and_only_while_it_runs():
    t = given(AGGREGATE, *started())
    with pytest.raises(AssertionError):
        draw(evolve(t, draw(t, NOW)[0]), NOW)
    with pytest.raises(AssertionError):
        draw(given(AGGREGATE, *published()), NOW)


def test_the_final_table_has_the_next_number_and_everybody_who_is_left():
    t = given(AGGREGATE, *started(9))
    t = evolve(t, draw(t, NOW)[0])
    left = [Place(2, ALICE, 70, True, 1), Place(4, BOB, 30), Place(2, CAROL, 50)]
    drawn, opened = draw_final_table(t, left, later(5))
    assert drawn.final
    assert drawn.draw == "final/4"
    assert (opened.number, opened.table_id, opened.deal_at) == (4, table_id(TOURNAMENT, 4), later(5))
    assert [p.seat for p in opened.places] == [1, 2, 3]
    known = {(p.player_id, p.stack, p.seen, p.absent_hands) for p in opened.places}
    assert known == {(ALICE, 70, True, 1), (BOB, 30, False, 0), (CAROL, 50, False, 0)}
    after = evolve(t, drawn)
    assert (after.tables_drawn, after.open_tables) == (4, (4,))


# moves and places


def test_moves_are_counted_for_each_player():
    moved = move(Move(ALICE, 2, 1, 1, 4), "moves/7")
    assert moved == PlayerMoved(
        player_id=ALICE, from_table=2, from_seat=1, to_table=1, to_seat=4, draw="moves/7"
    )
    assert given(AGGREGATE, *started(), moved, moved).moved == {ALICE: 2}


def test_a_broken_table_is_no_longer_open():
    t = given(AGGREGATE, *started(9))
    t = evolve(t, draw(t, NOW)[0])
    assert evolve(t, TableBroken(number=2, table_id=t.table_id(2))).open_tables == (1, 3)


def test_who_is_placed_is_no_longer_left():
    out = Out(DAVE, hand_id(FIRST_TABLE, 1), 50)
    assert place(out, FIRST_TABLE, 4) == placed(DAVE)
    t = given(AGGREGATE, *started(), placed(DAVE), placed(CAROL, no_show=True))
    assert t.players_left == 2
    assert t.outs == [out, Out(CAROL, None, 50, no_show=True)]


# levels


def test_the_unit_rises_with_the_level_and_the_last_one_stays():
    t = given(AGGREGATE, *started(unit=5, unit_levels=LADDER))
    assert raise_level(t, NOW) == [LevelRaised(level=2, unit=10, ends_at=None)]
    t = fold(AGGREGATE, raise_level(t, NOW), t)
    t = fold(AGGREGATE, raise_level(t, NOW), t)
    assert (t.level, t.unit) == (3, 20)
    assert raise_level(t, NOW) == []


def test_a_level_by_the_clock_ends_so_many_minutes_after_it_began():
    t = given(AGGREGATE, *started(minutes_per_level=10, unit_levels=LADDER))
    assert t.level_ends_at == later(600)
    (raised,) = raise_level(t, later(601))
    assert raised.ends_at == later(1201)


def test_the_last_level_never_ends():
    t = given(AGGREGATE, *started(minutes_per_level=10, unit_levels=(1, 2)))
    assert raise_level(t, NOW) == [LevelRaised(level=2, unit=2, ends_at=None)]


def test_an_only_level_never_ends():
    assert given(AGGREGATE, *started(minutes_per_level=10, unit_levels=(1,))).level_ends_at is None


# pause and resume


def test_a_pause_keeps_when_it_began():
    t = given(AGGREGATE, *started())
    assert pause(t, later(60)) == [PAUSED]
    paused = evolve(t, PAUSED)
    assert (paused.state, paused.pauses, paused.over) == (State.PAUSED, (later(60),), False)


def test_the_level_gets_back_the_time_that_the_pause_took():
    t = given(AGGREGATE, *started(minutes_per_level=10), PAUSED)
    (resumed,) = resume(t, later(60 + 90))
    assert resumed == Resumed(level_ends_at=later(600 + 90))
    t = evolve(t, resumed)
    assert (t.state, t.pauses, t.level_ends_at) == (State.RUNNING, (later(60),), later(690))


def test_a_level_without_an_end_has_none_after_a_pause():
    assert resume(given(AGGREGATE, *started(), PAUSED), later(99)) == [Resumed(level_ends_at=None)]


def test_a_paused_tournament_is_not_paused_again():
    with refused(Conflicting, "already-paused"):
        pause(given(AGGREGATE, *started(), PAUSED), NOW)


@pytest.mark.parametrize(
    "events",
    [published(), [*started(), CANCELLED], [*started(), FINISHED]],
    ids=["open", "cancelled", "finished"],
)
def test_only_a_running_tournament_is_paused(events):
    with refused(Conflicting, "not-running"):
        pause(given(AGGREGATE, *events), NOW)


@pytest.mark.parametrize(
    "events",
    [published(), started(), [*started(), PAUSED, CANCELLED], [*started(), FINISHED]],
    ids=["open", "running", "cancelled", "finished"],
)
def test_only_a_paused_tournament_is_resumed(events):
    with refused(Conflicting, "not-paused"):
        resume(given(AGGREGATE, *events), NOW)


# the end


def test_the_winner_is_first_and_the_others_as_they_went():
    t = given(AGGREGATE, *started(), placed(DAVE, 1), placed(CAROL, 2, 20), placed(BOB, 2, 40))
    awarded, finished = finish(t, ALICE)
    assert finished.standings == (
        Standing(1, False, ALICE),
        Standing(2, False, BOB),
        Standing(3, False, CAROL),
        Standing(4, False, DAVE),
    )
    assert awarded == PrizesAwarded(
        pool=10_000, prizes=(Prize(1, False, ALICE, 6500), Prize(2, False, BOB, 3500))
    )
    after = fold(AGGREGATE, [awarded, finished], t)
    assert (after.state, after.over, after.open_tables) == (State.FINISHED, True, ())
    assert (after.prizes, after.standings) == (awarded.prizes, finished.standings)


def test_shared_places_share_their_prizes():
    t = given(AGGREGATE, *started(), placed(DAVE, 1), placed(CAROL, 2), placed(BOB, 2))
    awarded, _ = finish(t, ALICE)
    assert {(p.place, p.tied, p.amount) for p in awarded.prizes} == {(1, False, 6500), (2, True, 1750)}
    assert sum(p.amount for p in awarded.prizes) == 10_000


def test_prizes_for_places_that_nobody_took_go_to_the_first():
    structure = {"prizes_bp": (5000, 3000, 2000)}
    t = given(AGGREGATE, *started(2, **structure), placed(BOB))
    awarded, _ = finish(t, ALICE)
    assert [p.amount for p in awarded.prizes] == [7000, 3000]


def test_the_draw_seed_opens_the_commitment_at_the_end_and_the_master_stays_sealed():
    t = given(AGGREGATE, *started(2), placed(BOB))
    _, finished = finish(t, ALICE)
    assert draw_commitment(finished.draw_seed, TOURNAMENT) == t.draw_commitment
    assert MASTER not in [getattr(finished, name) for name in finished.__struct_fields__]


def test_it_does_not_finish_while_two_are_left():
    with pytest.raises(AssertionError):
        finish(given(AGGREGATE, *started(2)), ALICE)


# cancellation


def test_an_open_tournament_is_cancelled_with_whoever_was_entered():
    t = given(AGGREGATE, *published())
    (cancelled,) = cancel(t, "rain", entries=3)
    assert cancelled == Cancelled(reason="rain", entrants=3, draw_seed=DRAW_SEED)
    assert evolve(t, cancelled).players_left == 3


@pytest.mark.parametrize("more", [[], [PAUSED]], ids=["running", "paused"])
def test_a_started_tournament_can_be_cancelled_at_any_time(more):
    t = given(AGGREGATE, *started(), *more)
    assert cancel(t, "fire", entries=0) == [CANCELLED]
    over = evolve(t, CANCELLED)
    assert (over.state, over.over, over.open_tables) == (State.CANCELLED, True, ())


@pytest.mark.parametrize("end", [CANCELLED, FINISHED], ids=["cancelled", "finished"])
def test_what_is_over_is_not_cancelled(end):
    with refused(Conflicting, "tournament-over"):
        cancel(given(AGGREGATE, *started(), end), "late", entries=0)


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(given(AGGREGATE, *published()), Closed())


def test_each_event_counts_as_a_version():
    assert given(AGGREGATE, *started(), PAUSED, Resumed(level_ends_at=None)).version == 6


def test_an_opened_table_can_be_folded():
    t = given(AGGREGATE, *started())
    _, (event,) = draw(t, NOW + timedelta(seconds=3))
    table = given(TABLE, event)
    assert (table.waiting, len(table.seats)) == (True, 4)
