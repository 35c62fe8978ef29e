"""Disputes: every edge of the state machine of docs/disputes.md, who may take it, and what each ruling comes to."""

from uuid import UUID

import pytest
from msgspec import structs
from msgspec.structs import replace

from domain import rulings, tournament_rulings
from domain.credential import Role
from domain.dispute import Stage
from domain.dispute_events import Appealed, Flagged, Frozen, Person, Released, Ruled
from domain.errors import Conflicting, NotAllowed, Refused
from domain.hand import HAND, State, finalise, pass_turn, play, start_clock
from domain.hand_events import ClockStarted, ClockStopped, Finalised, Voided
from domain.placing import Tally
from domain.results import Result, record
from domain.rulings import Ruling
from domain.table import TABLE
from domain.table_events import RecordedTableOpened
from domain.tournament import TOURNAMENT, publish
from domain.tournament_events import Correction
from tests.big2.play import cards
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    MASTER,
    NOW,
    dealt,
    fold,
    given,
    later,
    opened,
    refused,
    terms,
)
from tests.domain.given import TOURNAMENT as ID


def person(role, number, player=None):
    return Person(UUID(int=number), role, player)


DIRECTOR, ANOTHER = person(Role.DIRECTOR, 1), person(Role.DIRECTOR, 2)
PLAYING_DIRECTOR = person(Role.DIRECTOR, 3, BOB)
ANN, BEN = person(Role.PLAYER, 4, ALICE), person(Role.PLAYER, 5, BOB)
STRANGER = person(Role.PLAYER, 6, DAVE)
AUDITOR = person(Role.AUDITOR, 7)
HOLDINGS = {1: "3D", 2: "4D 5C", 3: "6D 7C 8C"}
"""Seat 1 leads, and has won: 2 and 3 cards are left. As played: +5, -1, -4."""
TWO = {1: "3D 9C", 2: "4D 5C"}


def running(protest_seconds=60, holdings=HOLDINGS, **others):
    return given(HAND, *dealt(holdings, protest_seconds=protest_seconds, **others))


def settled(protest_seconds=60, **others):
    hand = running(protest_seconds, **others)
    return fold(HAND, play(hand, ALICE, 1, cards("3D"), NOW), hand)


def on(hand, *steps):
    """The hand after these steps, each a function of it that returns events."""
    for step in steps:
        hand = fold(HAND, step(hand), hand)
    return hand


def flag(by=ANN):
    return lambda hand: rulings.flag(hand, by, "the clock", None)


def freeze(scope="hand", by=DIRECTOR):
    return lambda hand: rulings.freeze(hand, by, scope, "a look", NOW)


def release(scope="hand", clock_runs=True):
    return lambda hand: rulings.release(hand, DIRECTOR, scope, "seen", NOW, clock_runs=clock_runs)


def rule(ruling="stands", by=DIRECTOR, **what):
    return lambda hand: rulings.rule(hand, by, Ruling(ruling, "it is so", **what), NOW)


def appeal(by=BEN):
    return lambda hand: rulings.appeal(hand, by, "no")


def final(hand):
    return finalise(hand)


def stage(hand):
    return hand.dispute.stage


# the stages, and how each is left


@pytest.mark.parametrize(
    ("steps", "there"),
    [
        ([], Stage.NONE),
        ([flag()], Stage.OPEN),
        ([flag(), flag(BEN), flag(AUDITOR)], Stage.OPEN),
        ([freeze("payouts")], Stage.OPEN),
        ([freeze("hand"), release("hand")], Stage.NONE),
        ([freeze("hand"), freeze("table"), release("hand")], Stage.OPEN),
        ([flag(), freeze("hand"), release("hand")], Stage.OPEN),
        ([flag(), rule()], Stage.RULED),
        ([rule()], Stage.RULED),
        ([freeze("hand"), freeze("payouts"), rule()], Stage.RULED),
        ([rule(), freeze("table")], Stage.RULED),
        ([rule(), appeal()], Stage.APPEALED),
        ([rule(), appeal(), rule(by=ANOTHER)], Stage.RULED),
    ],
)
def test_a_dispute_is_open_ruled_or_appealed(steps, there):
    hand = on(settled(), *steps)
    assert stage(hand) is there
    assert bool(finalise(hand)) == (there in (Stage.NONE, Stage.RULED) and hand.state is State.SETTLED)


def test_an_undisputed_hand_is_final_after_its_window_and_at_once_without_one():
    assert on(settled(), final).state is State.FINAL
    assert settled(0).state is State.FINAL


def test_a_hand_that_was_flagged_while_it_ran_is_not_final_when_it_is_settled():
    hand = on(running(0), flag())
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), NOW), hand)
    assert hand.state is State.SETTLED
    assert finalise(hand) == []
    assert on(hand, rule()).state is State.FINAL


def test_without_a_window_a_release_makes_a_settled_hand_final_at_once():
    hand = on(running(0), freeze("payouts"))
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), NOW), hand)
    assert hand.state is State.SETTLED
    released, closing = release("payouts")(hand)
    assert (released.open, type(closing)) == (False, Finalised)


def test_with_a_window_a_release_begins_it_anew():
    [released] = release("payouts")(on(settled(), freeze("payouts")))
    assert released == Released(scope="payouts", by=DIRECTOR, reason="seen", open=False)
    [kept] = release("payouts")(on(settled(), flag(), freeze("payouts")))
    assert kept.open


def test_the_second_ruling_makes_the_hand_final_at_once():
    hand = on(settled(), rule("void"), appeal())
    ruled, closing = rule(by=ANOTHER)(hand)
    assert (ruled.number, ruled.ruling, type(closing)) == (2, "stands", Finalised)


def test_nothing_leads_out_of_final():
    hand = on(settled(), final)
    for step in (rulings.may_flag, rulings.may_appeal):
        with refused(Conflicting, "hand-final"):
            step(hand, ANN)
    for step in (rulings.may_freeze, rulings.may_rule):
        with refused(Conflicting, "hand-final"):
            step(hand, DIRECTOR, sits_there=False)


# who may


def test_a_player_flags_and_appeals_in_his_own_hands_and_the_staff_in_any():
    for may, hand in ((rulings.may_flag, settled()), (rulings.may_appeal, on(settled(), rule()))):
        may(hand, ANN)
        may(hand, AUDITOR)
        with refused(NotAllowed, "forbidden"):
            may(hand, STRANGER)


def test_a_hand_is_flagged_once_by_each():
    hand = on(settled(), flag())
    with refused(Conflicting, "already-flagged"):
        rulings.may_flag(hand, replace(ANN, credential_id=UUID(int=99)))
    rulings.may_flag(hand, BEN)


def test_what_is_ruled_is_appealed_not_flagged_and_appealed_once():
    hand = on(settled(), rule())
    with refused(Conflicting, "already-ruled"):
        rulings.may_flag(hand, ANN)
    with refused(Conflicting, "already-appealed"):
        rulings.may_appeal(on(hand, appeal()), ANN)
    with refused(Conflicting, "not-ruled"):
        rulings.may_appeal(on(settled(), flag()), ANN)


def test_who_plays_at_the_table_does_not_rule_there():
    for may in (rulings.may_freeze, rulings.may_rule):
        with refused(NotAllowed, "forbidden"):
            may(settled(), PLAYING_DIRECTOR, sits_there=False)
        with refused(NotAllowed, "forbidden"):
            may(settled(), DIRECTOR, sits_there=True)
        may(settled(), DIRECTOR, sits_there=False)


def test_an_appeal_is_ruled_by_another_director():
    hand = on(settled(), rule(), appeal())
    with refused(NotAllowed, "forbidden"):
        rulings.may_rule(hand, DIRECTOR, sits_there=False)
    rulings.may_rule(hand, ANOTHER, sits_there=False)


def test_a_ruling_stands_until_an_appeal():
    with refused(Conflicting, "already-ruled"):
        rulings.may_rule(on(settled(), rule()), ANOTHER, sits_there=False)
    with refused(Conflicting, "already-ruled"):
        freeze("payouts")(on(settled(), rule()))


# freezes


def test_nobody_acts_in_a_frozen_hand_and_its_turn_keeps_its_time():
    hand = running(holdings=TWO)
    frozen, stopped = rulings.freeze(hand, DIRECTOR, "hand", "a look", later(10))
    assert frozen == Frozen(scope="hand", by=DIRECTOR, reason="a look", open=True)
    assert stopped == ClockStopped(turn=1, remaining_ms=20_000)
    hand = fold(HAND, [frozen, stopped], hand)
    with refused(Conflicting, "hand-frozen"):
        play(hand, ALICE, 1, cards("3D"), NOW)
    with refused(Conflicting, "hand-frozen"):
        pass_turn(hand, ALICE, 1, NOW)
    assert start_clock(hand, NOW) == [], "the end of a pause does not start it either"
    released, started = release()(hand)
    assert started == ClockStarted(turn=1, deadline=later(20))
    assert fold(HAND, [released, started], hand).deadline == later(20)


def test_a_release_during_a_pause_leaves_the_clock_to_the_end_of_the_pause():
    hand = on(running(holdings=TWO), freeze())
    hand = on(hand, release(clock_runs=False))
    assert hand.deadline is None
    assert start_clock(hand, NOW) == [ClockStarted(turn=1, deadline=later(30))]


def test_a_scope_is_frozen_once_and_released_once():
    with refused(Conflicting, "already-frozen"):
        freeze()(on(settled(), freeze()))
    with refused(Conflicting, "not-frozen"):
        release()(settled())


def test_a_ruling_ends_every_freeze_but_that_of_the_table_which_lasts_until_the_hand_is_final():
    hand = on(settled(), freeze("hand"), freeze("payouts"), freeze("table"), rule())
    assert hand.dispute.frozen == {"table"}
    assert on(hand, final).state is State.FINAL


def test_a_freeze_tells_whether_the_hand_is_open_by_it():
    for steps, keeps_open in (([], True), ([rule()], False), ([rule(), appeal()], True)):
        hand = on(settled(), *steps)
        [frozen] = freeze("table")(hand)
        assert frozen.open == keeps_open == on(hand, freeze("table")).dispute.keeps_open


def test_only_a_table_that_deals_for_a_tournament_is_frozen():
    ring = replace(settled(), tournament_id=None)
    with pytest.raises(Refused) as caught:
        freeze("table")(ring)
    assert caught.value.errors == {"/scope": "cannot be table: pause the table"}


# rulings


def test_a_running_hand_can_be_voided_and_nothing_else():
    hand = on(running(), flag(), freeze("hand"))
    with refused(Conflicting, "hand-not-settled"):
        rule("stands")(hand)
    events = rule("void")(hand)
    assert [type(event) for event in events] == [Ruled, Voided, Finalised]
    assert events[0].result is None
    hand = fold(HAND, events, hand)
    assert hand.state is State.VOIDED
    assert rulings.correction(hand) is None


def test_a_ruling_that_cancels_voids_a_running_hand_and_leaves_a_settled_one_as_played():
    assert [type(event) for event in rule("cancel")(running())] == [Ruled, Voided, Finalised]
    hand = on(settled(), rule("cancel"))
    assert (hand.dispute.result, stage(hand)) == (None, Stage.RULED)
    assert tournament_rulings.taking_effect(settled(), hand) is None
    assert tournament_rulings.taking_effect(hand, on(hand, final)).ruling == "cancel"
    assert tournament_rulings.taking_effect(on(hand, final), on(hand, final)) is None
    assert tournament_rulings.taking_effect(settled(), on(settled(), rule(), final)) is None


@pytest.mark.parametrize(
    "what",
    [
        Ruling("cancel", "it is so"),
        Ruling("reinstate", "it is so", seat=2, chips=30),
        Ruling("replace", "it is so", seat=2, player_id=DAVE),
    ],
    ids=lambda what: what.ruling,
)
def test_a_ruling_on_the_tournament_leaves_a_settled_hand_as_played_and_tells_what_was_asked(what):
    [ruled] = rulings.rule(settled(), DIRECTOR, what, NOW)
    assert ruled.result is None
    assert rulings.asked(ruled) == what
    if what.ruling != "cancel":
        with refused(Conflicting, "hand-not-settled"):
            rulings.rule(running(), DIRECTOR, what, NOW)


@pytest.mark.parametrize("hand", [running(), settled()], ids=["running", "settled"])
def test_at_a_ring_table_there_is_no_tournament_to_cancel(hand):
    with pytest.raises(Refused) as caught:
        rule("cancel")(replace(hand, tournament_id=None))
    assert list(caught.value.errors) == ["/ruling"]


def corrected(*steps):
    hand = on(settled(), *steps, final)
    made = rulings.correction(hand)
    return {c.player_id: (c.tally.points, c.tally.hands, c.tally.hands_won, c.chips) for c in made.changes}


def test_a_hand_that_stands_corrects_nothing():
    assert rulings.correction(on(settled(), rule(), final)) is None
    assert rulings.correction(on(settled(), final)) is None


def test_nothing_is_corrected_before_the_hand_is_final():
    assert rulings.correction(on(settled(), rule("void"))) is None


def test_a_voided_hand_gives_everything_back_and_counts_for_nobody():
    assert corrected(rule("void")) == {ALICE: (-5, -1, -1, -5), BOB: (1, -1, 0, 1), CAROL: (4, -1, 0, 4)}


def test_an_adjusted_hand_comes_to_the_points_of_the_ruling():
    made = corrected(rule("adjust", points={1: 3, 2: 0, 3: -3}))
    assert made == {ALICE: (-2, 0, 0, -2), BOB: (1, 0, 0, 1), CAROL: (1, 0, 0, 1)}


def test_r8_4_liability_on_settles_the_hand_anew():
    made = corrected(rule("liability", liable=3))
    assert made == {ALICE: (0, 0, 0, 0), BOB: (1, 0, 0, 1), CAROL: (-1, 0, 0, -1)}


def test_r8_4_liability_off_settles_it_anew_too():
    hand = on(settled(), rule("liability", liable=3), appeal(), rule("liability", by=ANOTHER, liable=None))
    assert hand.dispute.result == rulings.as_played(hand)


def test_the_ruling_on_appeal_replaces_the_first():
    hand = on(settled(), rule("void"), appeal(), rule(by=ANOTHER))
    assert hand.state is State.FINAL
    assert rulings.correction(hand) is None


def test_what_a_correction_tells():
    hand = on(settled(), rule("void"), final)
    made = rulings.correction(hand)
    assert (made.hand_id, made.table_id, made.stacks) == (hand.hand_id, hand.table_id, True)
    assert made.changes[0] == Correction(player_id=ALICE, tally=Tally(-5, -1, -1, 0), chips=-5)


@pytest.mark.parametrize(
    ("points", "wrong"),
    [
        ({1: 1}, {"/points": "must sum to 0, and make 1 (R8.5)"}),
        ({1: 1, 4: -1}, {"/points/4": "was not dealt in"}),
        ({1: 30, 3: -30}, {"/points/3": "comes to 30 chips, of the 20 that the seat had (R8.3)"}),
        (
            {1: 10**9, 2: -(10**9)},
            {
                "/points/1": "no hand comes to more than 39 points by its rules (R8.1)",
                "/points/2": "comes to 1000000000 chips, of the 100 that the seat had (R8.3)",
            },
        ),
    ],
)
def test_what_no_hand_can_come_to_is_refused_whole(points, wrong):
    with pytest.raises(Refused) as caught:
        rule("adjust", points=points)(settled(stacks=(100, 100, 20, 100)))
    assert caught.value.errors == wrong


@pytest.mark.parametrize(("liable", "holdings"), [(1, HOLDINGS), (4, HOLDINGS), (2, {1: "3D", 2: "4D 5C"})])
def test_r7_1_only_a_seat_of_three_that_has_not_won_can_be_liable(liable, holdings):
    with pytest.raises(Refused) as caught:
        rule("liability", liable=liable)(settled(holdings=holdings))
    assert list(caught.value.errors) == ["/liable"]


def test_at_a_ring_table_a_settled_hand_stands():
    ring = replace(settled(), tournament_id=None)
    for what in (rule("void"), rule("adjust", points={}), rule("liability")):
        with pytest.raises(Refused) as caught:
            what(ring)
        assert list(caught.value.errors) == ["/ruling"]
    assert on(ring, rule(), final).state is State.FINAL


# hands that were recorded


class Recorded:
    """A hand with real cards: 0, 5 and 2 cards left. In a league it is played for points."""

    def __init__(self, format_="league", **terms_of):
        t = given(
            TOURNAMENT,
            *publish(ID, terms(format_, recorded=True, protest_seconds=60, **terms_of), MASTER, DRAW_SEED),
        )
        event = RecordedTableOpened(**structs.asdict(opened(50, 50, 50)), points=t.structure.for_points)
        told = Result({1: 0, 2: 5, 3: 2}, 1)
        self.hand = given(HAND, *record(t, given(TABLE, event), ACTIONPOKER, told, NOW, 1).hand)

    def corrected(self, ruling, **what):
        return rulings.correction(on(self.hand, rule(ruling, **what), final))


def test_a_voided_hand_of_a_league_leaves_points_and_cards_as_if_it_had_never_been():
    made = Recorded().corrected("void")
    assert not made.stacks
    assert [change.tally for change in made.changes] == [
        Tally(-7, -1, -1, 0),
        Tally(8, -1, 0, -5),
        Tally(-1, -1, 0, -2),
    ]


def test_r8_4_a_recorded_hand_is_settled_anew_too():
    made = Recorded("freezeout").corrected("liability", liable=2)
    assert made.stacks
    assert [change.chips for change in made.changes] == [0, 0, 0]
    assert Recorded("freezeout").hand.settlement.net == {1: 7, 2: -8, 3: 1}


def test_with_real_cards_no_table_is_frozen():
    with pytest.raises(Refused) as caught:
        freeze("table")(Recorded().hand)
    assert caught.value.errors == {"/scope": "cannot be table: pause the tournament"}


@pytest.mark.parametrize(
    "ruling",
    [
        Ruling("stands", "so"),
        Ruling("void", "so"),
        Ruling("adjust", "so", points={1: 3, 2: 0, 3: -3}),
        Ruling("liability", "so", liable=2),
    ],
)
def test_a_ruling_tells_what_was_asked_for(ruling):
    [ruled] = rulings.rule(settled(), DIRECTOR, ruling, NOW)
    assert rulings.asked(ruled) == ruling


def test_what_people_write_stands_in_the_events():
    [flagged] = rulings.flag(settled(), ANN, "the clock", "turn 31")
    assert flagged == Flagged(role=Role.PLAYER, by=ANN, reason="the clock", evidence="turn 31")
    [appealed] = appeal()(on(settled(), rule()))
    assert appealed == Appealed(role=Role.PLAYER, by=BEN, reason="no")
