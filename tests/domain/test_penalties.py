"""Penalties: what a director may give to whom, and what the tournament does for it once the hand is final."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain import penalties, rulings
from domain.dispute_events import Penalty
from domain.ending import finish, place_again
from domain.errors import Conflicting, Refused
from domain.hand import HAND, act_for_absent, ended, pass_turn, play, start_clock, stop_clock
from domain.hand_events import ClockStarted, ClockStopped, Turn
from domain.ids import hand_id, table_id
from domain.placing import Out, Standing
from domain.rulings import Ruling
from domain.table import TABLE, begin, next_deal
from domain.table_events import SitOutGiven, StacksAdjusted, TableFrozen, Vacated
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import place as placed
from domain.tournament_events import (
    Disqualified,
    Finished,
    Imposed,
    PenaltiesImposed,
    PenaltyCarriedOut,
    Placed,
    PlayerReinstated,
    PlayerReplaced,
    PrizesAwarded,
    StandingsCorrected,
    TablesDrawn,
)
from tests.big2.play import cards
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    NOW,
    TOURNAMENT,
    dealt,
    fold,
    given,
    later,
    opened,
    players,
    refused,
)
from tests.domain.test_director import Hall, at_table, deals, full, place, told
from tests.domain.test_late_entry import go_out, running
from tests.domain.test_league import FIRST, SECOND, Season
from tests.domain.test_rulings import ANOTHER, BEN, DIRECTOR, Recorded, appeal, final, on, rule, settled
from tests.domain.test_rulings import running as running_hand

RULED, OTHER = (hand_id(table_id(TOURNAMENT, 1), number) for number in (1, 2))


def ruled(*given, ruling="penalty", by=DIRECTOR):
    return rule(ruling, by=by, penalties=given)


def wrong(hand, *given, ruling="penalty", **what):
    with pytest.raises(Refused) as caught:
        rulings.rule(hand, DIRECTOR, Ruling(ruling, "so", penalties=given, **what), NOW)
    return caught.value.errors


def imposed(player, penalty, amount=None):
    return PenaltiesImposed(
        hand_id=RULED, table_id=table_id(TOURNAMENT, 1), penalties=(Imposed(player, penalty, amount),)
    )


# what a director may give


@pytest.mark.parametrize(
    "penalty",
    [
        Penalty(1, "warning"),
        Penalty(3, "chips", 30),
        Penalty(2, "sit_out", 20),
        Penalty(2, "disqualification"),
    ],
)
def test_a_penalty_leaves_the_hand_as_played_and_waits_until_it_is_final(penalty):
    hand = on(settled(), ruled(penalty))
    assert hand.dispute.result is None
    assert hand.dispute.penalties == (penalty,)
    assert penalties.imposed(hand) is None
    hand = on(hand, final)
    assert rulings.correction(hand) is None
    [told_of] = penalties.imposed(hand).penalties
    assert told_of == Imposed(players(3)[penalty.seat - 1], penalty.penalty, penalty.amount)


def test_penalties_go_with_any_other_ruling_too():
    hand = on(settled(), ruled(Penalty(1, "warning"), Penalty(2, "chips", 5), ruling="void"), final)
    assert rulings.correction(hand) is not None
    assert [each.player_id for each in penalties.imposed(hand).penalties] == [ALICE, BOB]
    assert rulings.asked(hand.dispute.rulings[0]).penalties == hand.dispute.penalties


def test_the_penalties_of_the_ruling_on_appeal_replace_the_first_ones():
    hand = on(settled(), ruled(Penalty(1, "disqualification")), appeal(BEN), rule(by=ANOTHER))
    assert penalties.imposed(hand) is None


def test_nobody_is_punished_for_a_hand_that_runs():
    for ruling in ("penalty", "void"):
        with refused(Conflicting, "hand-not-settled"):
            ruled(Penalty(1, "warning"), ruling=ruling)(running_hand())


@pytest.mark.parametrize(
    ("penalty", "member", "why"),
    [
        (Penalty(4, "warning"), "seat", "was not dealt in"),
        (
            Penalty(1, "points", 1),
            "penalty",
            "is for formats that are ranked by points: here players have chips",
        ),
        (Penalty(1, "chips"), "amount", "is missing: how many chips"),
        (Penalty(1, "sit_out"), "amount", "is missing: how many hands"),
        (Penalty(1, "sit_out", 21), "amount", "must be from 1 to 20 hands"),
        (Penalty(1, "chips", 0), "amount", "must be from 1 to 9007199254740991 chips"),
        (Penalty(1, "warning", 1), "amount", "goes with points, chips and sit_out"),
        (Penalty(1, "disqualification", 1), "amount", "goes with points, chips and sit_out"),
    ],
)
def test_what_is_wrong_with_a_penalty_is_told(penalty, member, why):
    assert wrong(settled(), penalty) == {f"/penalties/0/{member}": why}


def test_a_seat_has_one_penalty():
    two = (Penalty(1, "warning"), Penalty(1, "sit_out", 2))
    assert wrong(settled(), *two) == {"/penalties/1/seat": "has a penalty already: one a seat"}


def test_what_is_wrong_with_the_result_and_with_the_penalties_is_told_at_once():
    found = wrong(settled(), Penalty(4, "warning"), ruling="adjust", points={1: 1})
    assert list(found) == ["/points", "/penalties/0/seat"]


def test_a_penalty_is_for_the_formats_in_which_it_means_something():
    league, recorded = Recorded().hand, Recorded("freezeout").hand
    assert list(wrong(league, Penalty(1, "chips", 1))) == ["/penalties/0/penalty"]
    for hand in (league, recorded):
        assert list(wrong(hand, Penalty(1, "sit_out", 1))) == ["/penalties/0/penalty"]
    assert wrong(league, Penalty(1, "points")) == {"/penalties/0/amount": "is missing: how many points"}
    assert list(wrong(replace(settled(), tournament_id=None), Penalty(1, "warning"))) == ["/penalties"]
    on(recorded, ruled(Penalty(1, "chips", 3), Penalty(2, "disqualification")))


# chips


def test_chips_go_to_the_void_between_hands():
    hall = Hall(*[full()]).happened(imposed(ALICE, "chips", 20))
    assert hall.begun(1).look().tournament == []
    agenda = hall.hand(1).look()
    assert agenda.tournament == [
        PenaltyCarriedOut(hand_id=RULED, player_id=ALICE, penalty="chips", amount=20, unpaid=0)
    ]
    assert at_table(agenda, 1) == [StacksAdjusted(hand_id=RULED, changes={1: -20})]
    assert agenda.state.penalties == {}


def test_nobody_loses_more_chips_than_he_has_and_who_has_none_left_is_out():
    hall = Hall([place(1, ALICE, 10), place(2, BOB), place(3, CAROL)]).happened(imposed(ALICE, "chips", 30))
    agenda = hall.hand(1).look()
    carried_out, out = agenda.tournament
    assert (carried_out.amount, carried_out.unpaid) == (10, 20)
    assert isinstance(out, Placed)
    assert (out.player_id, out.stack, out.place) == (ALICE, 10, 3)


def test_a_table_that_is_frozen_loses_chips_and_nobody():
    hall = Hall(full()).happened(imposed(ALICE, "chips", 5), imposed(BOB, "disqualification"))
    hall.at(1, TableFrozen(hand_id=RULED))
    assert [type(event) for event in hall.look().tournament] == [PenaltyCarriedOut]


def test_who_is_out_owes_his_penalty_as_long_as_he_does_not_enter_again():
    hall = Hall(full(size=2)).happened(imposed(DAVE, "chips", 5))
    assert hall.look().tournament == []
    assert hall.t.penalties == {RULED: {DAVE: Imposed(DAVE, "chips", 5)}}


# hands sat out


def test_hands_to_sit_out_are_given_at_the_table_and_counted_by_hands_that_are_played():
    hall = Hall(full()).happened(imposed(ALICE, "sit_out", 2))
    agenda = hall.look()
    assert at_table(agenda, 1) == [SitOutGiven(hand_id=RULED, seat=1, hands=2)]
    hall.happened(*agenda.tournament).at(1, *at_table(agenda, 1))
    assert hall.look().tournament == []
    left = []
    for winner in (2, None, 2, 2):
        terms_of = next_deal(hall.tables[1], ACTIONPOKER, 1, 1)
        left.append(terms_of.seats[0].sit_out)
        hall.hand(1, winner=winner)
    assert left == [2, 1, 1, 0], "a voided hand is not sat out"


def test_a_second_penalty_adds_its_hands():
    table = given(TABLE, opened(50, 50))
    table = fold(TABLE, [SitOutGiven(hand_id=RULED, seat=1, hands=n) for n in (2, 3)], table)
    assert (table.seats[1].sit_out, table.seats[2].sit_out) == (5, 0)


def test_hands_to_sit_out_go_with_the_player_to_another_table():
    hall = Hall([place(1, ALICE, sit_out=3), place(2, BOB)], full(3, size=1), seats_per_table=3)
    agenda = hall.look()
    [drawn] = told(agenda, TablesDrawn)
    assert {p.player_id: p.sit_out for p in drawn.tables[0].places} == {ALICE: 3, BOB: 0, CAROL: 0}


THREE = {1: "3D 9C JS", 2: "4D TC QS", 3: "5D 6C KS"}


def sitting_out(*seats, holdings=THREE):
    committed, deal = dealt(holdings)
    dealt_in = tuple(replace(s, sits_out=s.seat in seats) for s in deal.seats)
    return given(HAND, committed, replace(deal, seats=dealt_in))


def test_the_turn_of_who_sits_out_is_over_at_once_and_the_clock_acts():
    hand = sitting_out(2)
    assert hand.deadline == later(30)
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), later(5)), hand)
    assert hand.deadline == later(5)
    [acted] = act_for_absent(hand, 2, later(5))
    assert acted.next_turn == Turn(3, 3, later(35))


def test_who_sits_out_cannot_act_himself():
    hand = sitting_out(1)
    with refused(Conflicting, "sits-out"):
        play(hand, ALICE, 1, cards("3D"), NOW)
    with refused(Conflicting, "sits-out"):
        pass_turn(hand, ALICE, 1, NOW)
    with refused(Conflicting, "not-your-turn"):
        play(hand, BOB, 1, cards("4D"), NOW)


def test_a_ruling_gives_no_time_to_who_sits_out():
    with pytest.raises(Refused) as caught:
        rulings.rule(sitting_out(1), DIRECTOR, Ruling("time", "so", seconds=30), NOW)
    assert list(caught.value.errors) == ["/ruling"]
    assert rulings.rule(sitting_out(2), DIRECTOR, Ruling("time", "so", seconds=30), NOW)


def test_a_pause_gives_no_time_to_who_sits_out():
    hand = sitting_out(2)
    hand = fold(HAND, stop_clock(hand, later(10)), hand)
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), later(12)), hand)
    assert hand.stopped_ms == 0
    assert start_clock(hand, later(60)) == [ClockStarted(turn=2, deadline=later(60))]
    hand = fold(HAND, start_clock(hand, later(60)), hand)
    assert stop_clock(hand, later(61)) == [ClockStopped(turn=2, remaining_ms=0)]
    assert stop_clock(hand, later(61), whole=True) == [ClockStopped(turn=2, remaining_ms=0)]


def test_who_sits_out_is_no_no_show():
    hand, table = sitting_out(2, 3), given(TABLE, opened(100, 100, 100))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), NOW), hand)
    while hand.deadline:
        hand = fold(HAND, act_for_absent(hand, hand.game.turn_number, hand.deadline), hand)
    [end] = ended(hand, table, NOW)
    assert (end.acted, end.absent) == ((1,), ())


# disqualification


def disqualified_at(hall, *who):
    return hall.happened(*(imposed(player, "disqualification") for player in who))


def test_who_is_disqualified_leaves_between_hands_with_nothing_and_ranks_below_everybody():
    hall = disqualified_at(Hall(full(stack=50), no_show_hands=1), ALICE)
    assert not told(hall.begun(1).look(), Placed)
    agenda = hall.hand(1).look()
    [out] = told(agenda, Placed)
    assert isinstance(out, Disqualified)
    assert (out.player_id, out.hand_id, out.stack, out.place) == (ALICE, None, 50, 4)
    assert at_table(agenda, 1)[0] == Vacated(seat=1, player_id=ALICE, stack=50, reason="disqualified")
    assert deals(agenda) == [1]


def test_who_went_out_before_rises_above_who_is_disqualified():
    hall = Hall(full(size=3)).happened(placed(Out(DAVE, RULED, 5), table_id(TOURNAMENT, 1), 4))
    hall.t = replace(hall.t, entrant_count=4)
    [out] = told(disqualified_at(hall, BOB).look(), Placed)
    assert (out.player_id, out.place) == (BOB, 4)


def test_the_last_player_is_not_removed_and_ranked_for_it():
    hall = disqualified_at(Hall(full(size=2)), ALICE, BOB)
    agenda = hall.look()
    assert [out.player_id for out in told(agenda, Placed)] == [ALICE]
    [end] = told(agenda, Finished)
    assert end.standings == (Standing(1, False, BOB), Standing(2, False, ALICE))


def test_who_is_disqualified_wins_nothing_and_who_follows_him_wins_more():
    hall = disqualified_at(Hall(full(size=2)), ALICE)
    hall.happened(*(placed(Out(p, RULED, 5), table_id(TOURNAMENT, 1), 4) for p in (CAROL, DAVE)))
    hall.t = replace(hall.t, entrant_count=4)
    [awarded] = told(hall.look(), PrizesAwarded)
    assert {p.player_id: p.amount for p in awarded.prizes} == {BOB: 6500, CAROL: 1750, DAVE: 1750}


def test_prizes_are_for_those_who_are_not_disqualified_as_long_as_there_are_any():
    hall = disqualified_at(Hall(full(size=2), prizes_bp=[6000, 4000]), ALICE)
    [awarded] = told(hall.look(), PrizesAwarded)
    assert [(prize.player_id, prize.amount) for prize in awarded.prizes] == [(BOB, 10_000)]


def fined(hall, *who):
    """One ruling takes all that they have."""
    owed = tuple(Imposed(player, "chips", 1_000) for player in who)
    return hall.happened(PenaltiesImposed(hand_id=RULED, table_id=FIRST, penalties=owed))


def test_who_loses_his_last_chips_by_rulings_is_placed_by_what_he_had_at_his_last_hand_and_equals_share_the_place():
    hall = Hall([place(1, ALICE, 20), place(2, BOB, 60), place(3, CAROL, 20)])
    agenda = fined(hall, ALICE, BOB, CAROL).hand(1, {}).look()
    [end] = told(agenda, Finished)
    assert set(end.standings) == {Standing(1, False, BOB), Standing(2, True, ALICE), Standing(2, True, CAROL)}
    [awarded] = told(agenda, PrizesAwarded)
    assert [(prize.player_id, prize.amount) for prize in awarded.prizes] == [(BOB, 10_000)]
    assert deals(agenda) == []


def test_where_nobody_is_left_the_first_place_and_its_prize_are_shared():
    hall = Hall([place(1, ALICE, 40), place(2, BOB, 40)])
    agenda = fined(hall, ALICE, BOB).hand(1, {}).look()
    [end] = told(agenda, Finished)
    assert [(s.place, s.tied) for s in end.standings] == [(1, True), (1, True)]
    [awarded] = told(agenda, PrizesAwarded)
    assert [prize.amount for prize in awarded.prizes] == [5_000, 5_000]


def reinstated(hall, player):
    """Who was out is back, without a seat yet."""
    hall.t = replace(hall.t, entrant_count=hall.t.entrant_count + 1)
    gone = placed(Out(player, RULED, 5), FIRST, hall.t.entrant_count)
    back = PlayerReinstated(player_id=player, hand_id=RULED, number=1, chips=30)
    return hall.happened(gone, back)


def test_who_is_reinstated_wins_without_a_seat_where_rulings_leave_nobody_else():
    hall = reinstated(Hall([place(1, ALICE, 40), place(2, BOB, 40)]), CAROL)
    agenda = fined(hall, ALICE, BOB).hand(1, {}).look()
    [end] = told(agenda, Finished)
    assert {(s.place, s.player_id) for s in end.standings} == {(1, CAROL), (2, ALICE), (2, BOB)}


def test_who_is_reinstated_wins_as_soon_as_the_last_who_was_disqualified_has_gone():
    hall = disqualified_at(reinstated(Hall(full(size=2)), CAROL), ALICE, BOB)
    agenda = hall.hand(1, {}).look()
    [end] = told(agenda, Finished)
    assert [s.player_id for s in end.standings] == [CAROL, BOB, ALICE]
    assert deals(agenda) == []


def over(**structure):
    """Bob has won against Alice, and before that against Carol and Dave."""
    hall = Hall(full(size=4), **structure)
    t = fold(
        AGGREGATE,
        [placed(Out(p, RULED, 5 + n), FIRST, 4 - n) for n, p in enumerate((DAVE, CAROL, ALICE))],
        hall.t,
    )
    return fold(AGGREGATE, finish(t, BOB), t)


def test_after_the_end_places_and_prizes_go_by_the_standings_as_ruled():
    t = over()
    assert [s.player_id for s in t.standings] == [BOB, ALICE, CAROL, DAVE]
    assert place_again(t, RULED) == []
    t = fold(AGGREGATE, [imposed(BOB, "disqualification")], t)
    corrected, awarded = place_again(t, RULED)
    assert isinstance(corrected, StandingsCorrected)
    assert [(s.place, s.player_id) for s in corrected.standings] == [
        (1, ALICE),
        (2, CAROL),
        (3, DAVE),
        (4, BOB),
    ]
    assert [(prize.player_id, prize.amount) for prize in awarded.prizes] == [(ALICE, 6500), (CAROL, 3500)]
    t = fold(AGGREGATE, [corrected, awarded], t)
    assert (t.standings, t.prizes) == (corrected.standings, awarded.prizes)
    assert place_again(t, RULED) == []


def test_who_was_last_and_is_disqualified_loses_what_was_promised_to_the_last_place():
    t = fold(AGGREGATE, [imposed(DAVE, "disqualification")], over(prizes_bp=[4000, 3000, 2000, 1000]))
    corrected, awarded = place_again(t, RULED)
    assert corrected.standings == t.standings
    assert [prize.amount for prize in awarded.prizes] == [5000, 3000, 2000]


def test_nobody_enters_again_who_is_disqualified():
    day = running()
    go_out(day, ALICE)
    day.record({TOURNAMENT: [imposed(ALICE, "disqualification")]})
    with refused(Conflicting, "disqualified"):
        day.enter(ALICE)


def test_who_is_disqualified_before_he_has_a_seat_gets_one_and_leaves_it_before_the_next_hand():
    day = running(2, late_entry_levels=5)
    newcomer = day.newcomers[-1]
    day.enter(newcomer)
    day.record({TOURNAMENT: [imposed(newcomer, "disqualification")]})
    while not day.events(Placed):
        day.step()
    assert day.events(Placed)[0].player_id == newcomer


def replaced(player, substitute):
    return PlayerReplaced(player_id=player, substitute_id=substitute, hand_id=RULED, chips=50)


def test_chips_are_taken_from_the_stack_that_another_has_taken_over_and_nothing_else_is_his():
    for late in (True, False):
        t = Hall(full(size=2)).t
        events = [
            imposed(ALICE, "chips", 5),
            replace(imposed(ALICE, "sit_out", 5), hand_id=OTHER),
            replace(imposed(ALICE, "disqualification"), hand_id=hand_id(table_id(TOURNAMENT, 1), 3)),
        ]
        order = [replaced(ALICE, CAROL), *events] if late else [*events, replaced(ALICE, CAROL)]
        t = fold(AGGREGATE, order, t)
        assert {player: each.penalty for due in t.penalties.values() for player, each in due.items()} == {
            CAROL: "chips"
        }
        assert t.penalties[RULED][CAROL].player_id == CAROL
        assert t.disqualified == frozenset()


# a league


def test_points_are_taken_from_a_leagues_player_at_once():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 3)
    season.t = fold(AGGREGATE, [imposed(ALICE, "points", 7)], season.t)
    _, finished = season.finish(players(2))
    assert [s.player_id for s in finished.standings] == [BOB, ALICE]


def test_who_is_disqualified_ranks_below_a_leagues_other_players_wins_nothing_and_sits_down_no_more():
    season = Season(prizes_bp=[7000, 3000])
    season.open(FIRST, ALICE, BOB, CAROL)
    season.result(FIRST, 0, 3, 4)
    season.t = fold(AGGREGATE, [imposed(ALICE, "disqualification")], season.t)
    season.close(FIRST)
    with pytest.raises(Refused) as caught:
        season.open(SECOND, ALICE, BOB)
    assert caught.value.errors == {"/seats/0/player_id": "is disqualified"}
    awarded, finished = season.finish()
    assert [(s.place, s.player_id) for s in finished.standings] == [
        (1, BOB),
        (2, CAROL),
        (3, DAVE),
        (4, ALICE),
    ]
    assert [(prize.player_id, prize.amount) for prize in awarded.prizes] == [(BOB, 7000), (CAROL, 3000)]
    assert place_again(fold(AGGREGATE, [awarded, finished], season.t), RULED) == []
