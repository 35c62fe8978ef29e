"""Whole tournaments of 2 to 64 entrants in memory, by random legal plays, and what must hold of each."""

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from big2.cards import cards_text
from big2.table import Direction
from domain import hand as hands
from domain import table as tables
from domain import tournament as tournaments
from domain.coming_deals import implied_root
from domain.deal import commitment, shuffled_deck
from domain.draws import draw_commitment, draws_for
from domain.hand_events import CardsPlayed, Committed, Dealt, Finalised, Passed, ProvenCommitted, Settled
from domain.ids import hand_id
from domain.prizes import prize_table
from domain.seating import draw_tables, tables_needed
from domain.table import Closed, HandBegun, HandEnded, Opened, Seated, Vacated
from domain.tournament import (
    Finished,
    LevelRaised,
    Placed,
    PlayerMoved,
    PrizesAwarded,
    State,
    TableBroken,
    TablesDrawn,
)
from domain.tournament_events import DealsCommitted
from tests.big2.play import PRESETS
from tests.domain.given import TOURNAMENT, later, terms
from tests.domain.memory import Memory

TURBO = {"stack_points": 30, "hands_per_level": 2}
TINY = {"stack_points": 8, "hands_per_level": 1, "unit": 3}
SETTINGS = {
    "2 heads-up": ("sit_and_go", 2, {"capacity": 2, "seats_per_table": 2}, {}),
    "2 at a table for 4": ("freezeout", 2, TURBO, {}),
    "3 sit_and_go": ("sit_and_go", 3, {"capacity": 3, "rules": "high-low"}, {}),
    "4 sit_and_go": ("sit_and_go", 4, {"rules": "english-harbour"}, {}),
    "8 sit_and_go": ("sit_and_go", 8, {"capacity": 8, "rules": "dealer-puck"}, {}),
    "16 sit_and_go of threes": ("sit_and_go", 16, {"capacity": 16, "seats_per_table": 3} | TURBO, {}),
    "5 at two tables": ("freezeout", 5, TURBO, {}),
    "7 of threes": ("freezeout", 7, {"seats_per_table": 3, "rules": "english-harbour"} | TURBO, {}),
    "9 with three absent": ("freezeout", 9, TURBO, {"absent": 3}),
    "10 of threes, a late director": ("freezeout", 10, {"seats_per_table": 3} | TURBO, {"patience": 40}),
    "13 with stakes that soon run out": ("freezeout", 13, TINY, {}),
    "17 with nobody there": ("freezeout", 17, TINY, {"absent": 17}),
    "21 with a protest window": ("freezeout", 21, {"protest_seconds": 60} | TURBO, {"absent": 2}),
    "22 who send entropy": ("freezeout", 22, {"entropy_seconds": 5} | TINY, {"absent": 2}),
    "33 of threes": ("freezeout", 33, {"seats_per_table": 3, "rules": "high-low"} | TINY, {}),
    "48 by a late director": ("freezeout", 48, TINY, {"patience": 60, "absent": 5}),
    "64": ("freezeout", 64, TINY, {}),
}


@cache
def course(name):
    format_, entrants, structure, others = SETTINGS[name]
    return Memory(terms(format_, **structure), entrants, seed=entrants, **others).play_on()


@pytest.fixture(params=SETTINGS)
def played(request):
    return course(request.param)


def test_the_tournaments_have_seen_everything_that_is_tested_below():
    seen = Counter(type(event) for name in SETTINGS for _, event in course(name).log)
    assert all(seen[kind] for kind in (TableBroken, PlayerMoved, LevelRaised, Placed, CardsPlayed, Passed))
    finals = [event for name in SETTINGS for event in course(name).events(TablesDrawn) if event.final]
    out = [event for name in SETTINGS for event in course(name).events(Placed)]
    ties = [standing for name in SETTINGS for standing in standings(course(name)) if standing.tied]
    clocked = [
        event for name in SETTINGS for event in course(name).events(CardsPlayed) if event.by == "clock"
    ]
    liable = [event for name in SETTINGS for event in course(name).events(Settled) if event.liable]
    assert all((finals, ties, clocked, liable, any(event.no_show for event in out)))


def standings(played):
    (finished,) = played.events(Finished)
    return finished.standings


# chips


class Chips:
    """Where all chips are, by the events alone; `moving` are on their way within one transaction."""

    def __init__(self):
        self.issued = self.void = self.moving = 0
        self.first_tables = 0
        self.at = {}

    def see(self, stream, event):
        match event:
            case TablesDrawn(final=False):
                self.first_tables = len(event.tables)
            case Opened():
                self.at[stream] = {place.seat: place.stack for place in event.places}
                brought = sum(self.at[stream].values())
                if self.first_tables:
                    self.first_tables -= 1
                    self.issued += brought
                else:
                    self.moving -= brought
            case Seated():
                self.at[stream][event.place.seat] = event.place.stack
                self.moving -= event.place.stack
            case Vacated():
                assert self.at[stream].pop(event.seat) == event.stack
                if event.reason == "moved":
                    self.moving += event.stack
                else:
                    self.void += event.stack
            case HandEnded():
                assert event.stacks.keys() == self.at[stream].keys()
                self.at[stream] |= event.stacks
            case Closed():
                self.moving += sum(self.at.pop(stream).values())

    @property
    def at_seats(self):
        return sum(sum(seats.values()) for seats in self.at.values())


def test_chips_are_conserved_after_every_event(played):
    chips = Chips()
    ends = set(played.transactions)
    for number, (stream, event) in enumerate(played.log, 1):
        chips.see(stream, event)
        assert chips.issued == chips.at_seats + chips.void + chips.moving
        assert number not in ends or chips.moving == 0 or played.tournament.over
        assert all(stack >= 0 for seats in chips.at.values() for stack in seats.values())
    entrants = len(played.tournament.entrants)
    assert chips.issued == entrants * played.tournament.structure.stack
    assert chips.at == {}  # the winner took the rest home when his table closed
    assert chips.moving + chips.void == chips.issued


def test_only_no_shows_leave_chips_behind(played):
    left = {event.reason: 0 for event in played.events(Vacated)}
    for event in played.events(Vacated):
        left[event.reason] += event.stack
    assert left.get("out", 0) == 0
    assert bool(left.get("no_show", 0)) == any(event.no_show for event in played.events(Placed))


def test_each_hands_nets_sum_to_nothing(played):
    assert all(sum(event.net.values()) == 0 for event in played.events(HandEnded))
    assert all(sum(event.points.values()) == 0 for event in played.events(HandEnded))


# places and prizes


def expected_places(played):
    """Who went in which hand, read from the hands' ends; those of a hand-for-hand round count as one hand."""
    no_shows = [event.player_id for event in played.events(Placed) if event.no_show]
    seats, groups, ended = {}, [], []
    open_tables, left = set(), len(played.tournament.entrants)
    paid = len(prize_table(played.tournament.structure.prizes_bp, left))
    for stream, event in played.log:
        match event:
            case Opened():
                open_tables.add(stream)
                seats |= {(stream, place.seat): place.player_id for place in event.places}
            case Closed():
                open_tables.remove(stream)
            case Seated():
                seats[stream, event.place.seat] = event.place.player_id
            case HandEnded():
                ended.append(
                    [
                        (event.stacks[seat] - event.net[seat], seats[stream, seat])
                        for seat in event.stacks
                        if not event.stacks[seat]
                    ]
                )
            case Placed():
                if left == paid + 1 and len(open_tables) > 1:
                    ended = [[out for hand in ended for out in hand]]
                groups += [
                    {player for stack, player in hand if stack == at_start}
                    for hand in ended
                    for at_start in sorted({stack for stack, _ in hand})
                ]
                ended = []
                left -= 1
    gone = set(no_shows).union(*groups)
    (winner,) = set(played.tournament.entrants) - gone
    best_first = [{winner}, *reversed(groups), *({player} for player in reversed(no_shows))]
    places, place = {}, 1
    for group in best_first:
        places |= {player: (place, len(group) > 1) for player in group}
        place += len(group)
    return places


def test_there_is_one_winner_and_everybody_has_the_place_he_earned(played):
    found = {s.player_id: (s.place, s.tied) for s in standings(played)}
    assert found == expected_places(played)
    assert [s.place for s in standings(played)].count(1) == 1
    assert played.tournament.state is State.FINISHED


def test_places_go_from_1_to_n_and_ties_leave_places_out(played):
    assert len(standings(played)) == len(played.tournament.entrants)
    for rank, standing in enumerate(standings(played), 1):
        equals = [s for s in standings(played) if s.place == standing.place]
        assert standing.place <= rank < standing.place + len(equals)
        assert standing.tied == (len(equals) > 1)


def test_a_place_as_things_stood_is_the_place_in_the_end_unless_a_no_show_came_after(played):
    final = {s.player_id: s.place for s in standings(played)}
    no_shows_to_come = sum(event.no_show for event in played.events(Placed))
    for event in played.events(Placed):
        no_shows_to_come -= event.no_show
        assert final[event.player_id] <= event.place <= final[event.player_id] + no_shows_to_come


def test_prizes_are_the_whole_pool(played):
    (awarded,) = played.events(PrizesAwarded)
    assert sum(prize.amount for prize in awarded.prizes) == awarded.pool == 10_000
    assert all(prize.amount > 0 for prize in awarded.prizes)
    by_player = {s.player_id: (s.place, s.tied) for s in standings(played)}
    assert all(by_player[p.player_id] == (p.place, p.tied) for p in awarded.prizes)
    assert all(a.amount >= b.amount for a, b in pairwise(awarded.prizes))


# levels


def test_the_level_rises_when_some_table_has_played_its_hands_and_holds_from_the_next_deal(played):
    s = played.tournament.structure
    level, ended, level_of = 1, Counter(), {}
    for stream, event in played.log:
        match event:
            case HandBegun():
                assert (event.level, event.unit) == (level, s.unit_at(level))
                level_of[stream] = level
                assert max(ended.values(), default=0) < s.hands_per_level or level == len(s.unit_levels)
            case HandEnded() if level_of[stream] == level:
                ended[stream] += 1
            case LevelRaised():
                assert max(ended.values()) >= s.hands_per_level
                level, ended = level + 1, Counter()
                assert (event.level, event.unit) == (level, s.unit_at(level))
                assert level <= len(s.unit_levels)


# tables


def test_everybody_sits_at_exactly_one_table_and_none_is_above_its_seats(played):
    at, left = {}, set(played.tournament.entrants)
    ends = set(played.transactions)
    for number, (stream, event) in enumerate(played.log, 1):
        match event:
            case Opened():
                at[stream] = {place.seat: place.player_id for place in event.places}
            case Seated():
                assert event.place.seat not in at[stream]
                at[stream][event.place.seat] = event.place.player_id
            case Vacated():
                assert at[stream].pop(event.seat) == event.player_id
            case Closed():
                del at[stream]
            case Placed():
                left.remove(event.player_id)
            case HandBegun():
                assert len(at[stream]) >= 2
        assert all(set(seats) <= set(range(1, 5)) for seats in at.values())
        if number in ends and at:
            assert all(len(seats) <= played.tournament.structure.seats_per_table for seats in at.values())
            assert sorted(p for seats in at.values() for p in seats.values()) == sorted(left)


def test_tables_are_in_balance_after_every_look(played):
    assert played.looks > 0
    assert played.spreads[-1] == 0
    assert max(played.spreads) <= 1


def test_the_final_table_is_drawn_anew_exactly_once_as_the_next_number(played):
    first, *finals = played.events(TablesDrawn)
    assert not first.final
    numbers = [table.number for table in first.tables]
    assert numbers == list(range(1, len(numbers) + 1))
    seats = played.tournament.structure.seats_per_table
    assert len(numbers) == tables_needed(len(played.tournament.entrants), seats)
    if not finals:  # one table from the start, or the others emptied when their no-shows were removed
        no_shows = [event for event in played.events(Placed) if event.no_show]
        assert len(numbers) == 1 or no_shows
        return
    (final,) = finals
    (table,) = final.tables
    assert final.final
    assert len(numbers) > 1
    assert table.number == len(numbers) + 1
    assert len(table.places) <= seats


def test_who_is_about_to_lead_moves_only_with_his_table(played):
    winners, broken = {}, {event.table_id for event in played.events(TableBroken)}
    for stream, event in played.log:
        match event:
            case HandEnded():
                winners[stream] = played.seat_at(event.hand_id, event.winner)
            case PlayerMoved():
                table = played.tournament.table_id(event.from_table)
                assert table in broken or winners.get(table) != event.player_id


# the rules from hand to hand


def test_the_button_the_direction_and_the_lead_go_as_the_rulebook_has_them(played):
    alternates = played.tournament.structure.rules == "actionpoker"
    first_dealers = {event.table_id: event.first_dealer for event in played.events(Opened)}
    streams = {}
    for stream, event in played.log:
        if isinstance(event, Committed | Dealt | Settled):
            streams.setdefault(stream, []).append(event)
    previous = {}
    for committed, deal, settled in streams.values():
        seats = {taken.seat: taken.player_id for taken in deal.seats}
        before = previous.get(committed.table_id)
        if before is None:
            assert deal.dealer == first_dealers[committed.table_id]
            assert (deal.direction, deal.leader) == (Direction.CLOCKWISE, None)
        else:
            dealer, direction, winner_seat, winner = before
            assert deal.dealer == following(dealer, seats, 1)
            assert (deal.direction is direction) == (not alternates)
            step = 1 if deal.direction is Direction.CLOCKWISE else -1
            here = [seat for seat, player in seats.items() if player == winner]
            assert deal.leader == (here[0] if here else following(winner_seat, seats, step))
        previous[committed.table_id] = deal.dealer, deal.direction, settled.winner, seats[settled.winner]


def following(seat, seats, step):
    seat = (seat - 1 + step) % 4 + 1
    while seat not in seats:
        seat = (seat - 1 + step) % 4 + 1
    return seat


def test_each_table_numbers_its_hands_and_their_ids_follow(played):
    numbers = Counter()
    for event in played.events(Committed):
        numbers[event.table_id] += 1
        assert event.number == numbers[event.table_id]
        assert event.hand_id == hand_id(event.table_id, event.number)


def test_every_hand_was_dealt_from_the_seed_it_had_committed_to(played):
    for hand in played.hands.values():
        names = (str(TOURNAMENT), str(hand.hand_id))
        assert hand.commitment == commitment(hand.seed, *names)
        deck = shuffled_deck(hand.seed, *names, [nonce.encode() for _, nonce in sorted(hand.nonces.items())])
        step = 1 if hand.terms.direction is Direction.CLOCKWISE else -1
        seat, seats = hand.terms.dealer, hand.terms.cards
        for place in range(len(seats)):
            seat = following(seat, seats, step)
            cards = deck[place : 13 * len(seats) : len(seats)]
            assert seats[seat] == cards_text(cards)
        assert hand.terms.stub == cards_text(deck[13 * len(seats) :])
    seeds = [event.seed for event in played.events(Committed)]
    assert len(set(seeds)) == len(seeds)


def test_every_hand_stands_under_a_root_that_is_older_than_its_tables_seats(played):
    roots, seated = {}, set()
    for _, event in played.log:
        if isinstance(event, DealsCommitted):
            assert not seated & {root.number for root in event.roots}
            roots |= {root.table_id: root.root for root in event.roots}
        elif isinstance(event, TablesDrawn):
            seated |= {table.number for table in event.tables}
        elif isinstance(event, Committed):
            assert isinstance(event, ProvenCommitted)
            path = (event.commitment, event.first_hand, event.path)
            assert implied_root(event.number, *path) == roots[event.table_id]


def test_every_play_was_of_cards_held_and_every_card_is_somewhere(played):
    for hand in played.hands.values():
        dealt = [card for text in hand.terms.cards.values() for card in text.split()]
        assert len(set(dealt)) == 13 * len(hand.terms.seats)
    held = sum(mask.bit_count() for hand in played.hands.values() for mask in hand.game.holdings)
    laid = sum(len(event.cards.split()) for event in played.events(CardsPlayed))
    assert held + laid == sum(13 * len(hand.terms.seats) for hand in played.hands.values())


# draws and secrets


def test_the_first_seats_follow_from_the_revealed_draw_seed(played):
    (finished,) = played.events(Finished)
    t = played.tournament
    assert draw_commitment(finished.draw_seed, TOURNAMENT) == t.draw_commitment
    draws = draws_for(finished.draw_seed, TOURNAMENT, "tables")
    drawn = draw_tables(t.entrants, t.structure.seats_per_table, draws)
    first = played.events(TablesDrawn)[0]
    assert [[place.player_id for place in table.places] for table in first.tables] == drawn


def test_seeds_are_revealed_when_a_hand_is_final_and_not_before(played):
    final = sum(isinstance(event, Finalised) for _, event in played.log)
    assert final == (0 if played.tournament.structure.protest_seconds else len(played.hands))


def test_nothing_happens_once_it_has_finished(played):
    before = len(played.log)
    assert played.look() == 0
    assert len(played.log) == before
    assert played.open_tables == []


# pause, resume, cancel, in the middle of it


def interrupted(seed):
    memory = Memory(terms(**TURBO), 11, seed=seed)
    return memory.play_on(until=lambda m: len(m.events(Placed)) >= 3)


def test_a_pause_lets_nothing_be_dealt_and_after_it_play_goes_on_to_the_end():
    memory = interrupted(seed=5)
    memory.record({TOURNAMENT: tournaments.pause(memory.tournament, memory.now)})
    memory.follow_pauses()
    begun = len(memory.events(HandBegun))
    while running := memory.running:  # a running hand may be played to its end
        memory.act(running[0])
        memory.look()
    assert len(memory.events(HandBegun)) == begun
    assert memory.look() == 0

    memory.record({TOURNAMENT: tournaments.resume(memory.tournament, memory.now)})
    memory.look()
    assert len(memory.events(HandBegun)) == begun, "the tables are still paused"
    memory.follow_pauses()
    memory.play_on()
    assert memory.tournament.state is State.FINISHED
    assert len(memory.events(HandBegun)) > begun


def test_a_pause_keeps_the_time_that_each_running_turn_had_left():
    memory = interrupted(seed=8)
    hand = next(h for h in memory.running if h.deadline)
    left = hand.deadline - memory.now
    memory.record({hand.hand_id: hands.stop_clock(hand, memory.now)})
    memory.now = later(100_000)
    stopped = memory.hands[hand.hand_id]
    assert hands.act_for_absent(stopped, stopped.game.turn_number, memory.now) == []
    memory.record({hand.hand_id: hands.start_clock(stopped, memory.now)})
    assert memory.hands[hand.hand_id].deadline - memory.now == left


@pytest.mark.parametrize("paused", [False, True])
def test_a_cancellation_ends_it_at_once(paused):
    memory = interrupted(seed=6)
    if paused:
        memory.record({TOURNAMENT: tournaments.pause(memory.tournament, memory.now)})
    running = memory.running
    open_tables = memory.open_tables
    assert running
    memory.record({TOURNAMENT: tournaments.cancel(memory.tournament, "fire", 0)})
    assert memory.look() == 0
    for hand in running:
        memory.settle_at_table(hand, hands.void(hand, "cancelled"))
    for table in open_tables:
        memory.record({table.table_id: tables.close(memory.tables[table.table_id])})
    assert memory.look() == 0
    assert memory.tournament.state is State.CANCELLED
    assert all(memory.tables[table.table_id].closed for table in open_tables)
    voided = [event for event in memory.events(HandEnded) if event.winner is None]
    assert len(voided) == len(running)
    assert all(set(event.net.values()) == {0} for event in voided)


def test_the_same_seed_is_the_same_tournament():
    first, again = (Memory(terms(**TINY), 9, seed=3).play_on() for _ in range(2))
    assert first.log == again.log


def test_no_tournament_of_any_size_gets_stuck():
    for entrants in range(2, 21):
        memory = Memory(
            terms(seats_per_table=3 + entrants % 2, **TINY),
            entrants,
            seed=1000 + entrants,
            absent=entrants // 3,
            patience=2 + entrants % 7 * 5,
        )
        assert memory.play_on().tournament.state is State.FINISHED
        assert max(memory.spreads) <= 1


def test_all_four_presets_are_played():
    found = {structure.get("rules", "actionpoker") for _, _, structure, _ in SETTINGS.values()}
    assert found == {"actionpoker", "english-harbour", "high-low", "dealer-puck"} <= set(PRESETS)
