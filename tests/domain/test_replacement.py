"""Another player takes over by a ruling: the seat, the stack and the place, from the next deal on."""

from uuid import UUID

import pytest

from domain.credential import Role
from domain.dispute_events import Penalty, Person, Ruled, RuledWithPenalties, SubstituteRuled
from domain.errors import Conflicting, NotAllowed, Refused
from domain.hand import HAND
from domain.ids import PlayerId, hand_id
from domain.late_entry import enter
from domain.ledger import Where, journals
from domain.placing import Tally
from domain.roster import ROSTER, Registered, Roster, Substituted
from domain.table_events import SeatTakenOver
from domain.tournament import cancel
from domain.tournament_events import (
    Correction,
    EntryTaken,
    Finished,
    Placed,
    PlayerMoved,
    PlayerReplaced,
    ReplacementOrdered,
    ResultCorrected,
    RulingLapsed,
    StacksCorrected,
)
from domain.tournament_rulings import follows, must_be_possible, must_not_be_his_own, must_take_penalties
from tests.domain.given import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    NOW,
    TABLE,
    TOURNAMENT,
    dealt,
    fold,
    given,
    refused,
)
from tests.domain.test_cancellation import hall as in_the_money
from tests.domain.test_cancellation import shares
from tests.domain.test_director import Hall, at_table, deals, place, told
from tests.domain.test_reinstatement import out

EVE = PlayerId(UUID(int=77))
DIRECTOR = Person(UUID(int=1), Role.DIRECTOR, None)
FOUR = [place(seat, player) for seat, player in enumerate((ALICE, BOB, CAROL, DAVE), 1)]


def hand():
    """ALICE, BOB, CAROL and DAVE were dealt in, at the seats from 1 on."""
    return given(HAND, *dealt({1: "3D", 2: "4D", 3: "5D", 4: "6D"}))


HAND_ID = hand().hand_id
ORDERED = ReplacementOrdered(player_id=BOB, substitute_id=EVE, hand_id=HAND_ID)


def replaced(chips):
    return PlayerReplaced(player_id=BOB, substitute_id=EVE, hand_id=HAND_ID, chips=chips)


def ruled(seat=2, by=EVE):
    return SubstituteRuled(
        number=1, ruling="replace", by=DIRECTOR, reason="so", result=None, seat=seat, player_id=by
    )


def entered(*others):
    entries = (
        Registered(tournament_id=TOURNAMENT, entry_id=player, player_id=player)
        for player in (ALICE, BOB, CAROL, DAVE, *others)
    )
    return fold(ROSTER, entries)


def following(t, *others, **asked):
    return follows(t, entered(*others), hand(), ruled(**asked))


def ordered(*others):
    its = Hall(FOUR)
    return its.happened(*following(its.t).tournament, *others)


def test_the_tournament_orders_it_and_the_roster_knows_him():
    made = following(Hall(FOUR).t)
    assert made.tournament == [ORDERED]
    assert made.roster == [Substituted(tournament_id=TOURNAMENT, player_id=BOB, substitute_id=EVE)]
    roster = fold(ROSTER, made.roster, entered())
    assert roster.knows(EVE)
    assert roster.knows(BOB)
    assert EVE not in roster.paid
    assert BOB in roster.paid


def test_between_hands_he_has_the_seat_and_the_stack_and_is_dealt_in_next():
    its = ordered().begun(1)
    assert its.look().tournament == [], "the hand is still the other's"
    agenda = its.hand(1, {1: 20, 2: -10, 3: -10}).look()
    assert agenda.tournament == [replaced(40)]
    assert at_table(agenda, 1) == [SeatTakenOver(hand_id=HAND_ID, seat=2, player_id=EVE)]
    assert deals(agenda) == [1]
    seat = agenda.table_states[its.tables[1].table_id].seats[2]
    assert (seat.player_id, seat.stack, seat.net, seat.seen, seat.fresh) == (EVE, 40, -10, False, True)
    assert agenda.state.replacements == {}
    assert agenda.state.playing_for(BOB) == EVE


def test_who_has_lost_everything_by_then_is_replaced_and_the_other_is_placed():
    agenda = ordered().hand(1, {1: 50, 2: -50}).look()
    assert agenda.tournament[0] == replaced(0)
    [placed] = told(agenda, Placed)
    assert (placed.player_id, placed.stack) == (EVE, 50)


def test_who_takes_over_wins_what_the_other_would_have_won():
    its = Hall([place(1, ALICE), place(2, BOB)]).happened(ORDERED)
    [finished] = told(its.hand(1, {1: -50, 2: 50}, winner=2).look(), Finished)
    assert [standing.player_id for standing in finished.standings] == [EVE, ALICE]


def test_the_books_move_the_stack():
    where = Where(stream=TOURNAMENT, version=9, hand_id=HAND_ID)
    [journal] = journals(replaced(40), where)
    assert journal.kind == "ruling"
    assert {line.account: line.amount for line in journal.lines} == {
        f"player/{BOB}": -40,
        f"player/{EVE}": 40,
    }
    assert journals(replaced(0), where) == []


def test_what_was_moved_and_what_rulings_owe_is_his_from_then_on():
    moved = PlayerMoved(player_id=BOB, from_table=2, from_seat=1, to_table=1, to_seat=2, draw="moves/0")
    changes = (Correction(ALICE, Tally(), 5), Correction(BOB, Tally(), -5))
    other = hand_id(TABLE, 9)
    before = ResultCorrected(hand_id=other, table_id=TABLE, changes=changes, stacks=True)
    its = ordered(moved, before, replaced(50))
    assert its.t.moved == {EVE: 1}
    assert its.t.corrections == {other: {ALICE: 5, EVE: -5}}
    later = ResultCorrected(hand_id=HAND_ID, table_id=TABLE, changes=changes, stacks=True)
    assert its.happened(later).t.corrections[HAND_ID] == {ALICE: 5, EVE: -5}
    its.at(1, SeatTakenOver(hand_id=HAND_ID, seat=2, player_id=EVE))
    assert {EVE: -5, ALICE: 5} in [event.changes for event in told(its.look(), StacksCorrected)]


def test_who_has_no_seat_yet_is_replaced_at_once():
    its = Hall([place(1, ALICE), place(2, CAROL)])
    its.happened(out(BOB), EntryTaken(player_id=BOB, entry_id=BOB, number=3, re_entry=True))
    made = following(its.t).tournament
    assert made == [ORDERED, replaced(0)]
    assert [c.player_id for c in its.happened(*made).t.coming] == [EVE]


def test_a_second_replacement_is_of_who_took_over():
    its = ordered(replaced(50))
    frank = PlayerId(UUID(int=78))
    [again] = following(its.t, by=frank).tournament
    assert again == ReplacementOrdered(player_id=EVE, substitute_id=frank, hand_id=HAND_ID)


@pytest.mark.parametrize(
    ("events", "asked", "wrong"),
    [
        ([out(BOB)], {}, ["/seat"]),
        ([ORDERED], {}, ["/seat"]),
        ([], {"by": CAROL}, ["/player_id"]),
        ([], {"by": BOB}, ["/player_id"]),
        ([out(BOB)], {"by": ALICE}, ["/seat", "/player_id"]),
    ],
)
def test_who_is_out_cannot_be_replaced_nor_anybody_by_who_is_in_it(events, asked, wrong):
    t = Hall(FOUR).happened(*events).t
    with pytest.raises(Refused) as caught:
        must_be_possible(t, entered(), hand(), ruled(**asked))
    assert list(caught.value.errors) == wrong
    lapsed = [RulingLapsed(hand_id=HAND_ID, ruling="replace")]
    assert following(t, **asked).tournament == lapsed
    assert following(t, **asked).roster == []


def test_once_the_tournament_is_over_nothing_follows():
    its = Hall(FOUR)
    t = its.happened(*cancel(its.t, "fire", 0)).t
    with refused(Conflicting, "tournament-over"):
        must_be_possible(t, entered(), hand(), ruled())
    assert following(t).tournament == [RulingLapsed(hand_id=HAND_ID, ruling="replace")]


def test_of_a_cancellation_nothing_follows_here_for_it_takes_more_streams():
    its = Hall(FOUR)
    cancelled = Ruled(number=1, ruling="cancel", by=DIRECTOR, reason="so", result=None)
    assert follows(its.t, entered(), hand(), cancelled) is None
    over = its.happened(*cancel(its.t, "fire", 0)).t
    assert follows(over, entered(), hand(), cancelled).tournament == [
        RulingLapsed(hand_id=HAND_ID, ruling="cancel")
    ]


def test_of_a_cancellation_in_the_money_he_has_the_share():
    its = in_the_money(150, 50, 0, 0, buy_in={"amount": 1000, "fee": 100, "currency": "EUR"})
    its.happened(ORDERED)
    assert shares(its) == {ALICE: (1, False, 3001), EVE: (2, False, 1000)}


def test_who_has_taken_over_makes_no_entry_of_his_own():
    its = Hall(FOUR, late_entry_levels=2)
    roster = fold(ROSTER, following(its.t).roster, entered())
    with refused(Conflicting, "already-registered"):
        enter(its.t, roster, EVE, NOW)
    assert isinstance(roster, Roster)


# a director who plays


def by_player(player, kind, *penalties):
    said = {"number": 1, "ruling": kind, "by": Person(UUID(int=1), Role.DIRECTOR, player), "reason": "so"}
    if penalties:
        return RuledWithPenalties(**said, result=None, penalties=penalties)
    return Ruled(**said, result=None)


@pytest.mark.parametrize("player", [DAVE, EVE])
def test_who_is_in_the_tournament_or_was_decides_not_who_plays_on_there(player):
    roster = fold(
        ROSTER, [Substituted(tournament_id=TOURNAMENT, player_id=DAVE, substitute_id=EVE)], entered()
    )
    its_own = [by_player(player, kind) for kind in ("cancel", "reinstate", "replace")]
    its_own += [
        by_player(player, "void", Penalty(1, "warning")),
        by_player(player, "penalty", Penalty(1, "warning")),
    ]
    for ruling in its_own:
        with refused(NotAllowed, "forbidden"):
            must_not_be_his_own(roster, ruling.by, ruling)
    for kind in ("stands", "void", "adjust", "liability"):
        must_not_be_his_own(roster, by_player(player, kind).by, by_player(player, kind))


def test_nobody_puts_himself_in_the_place_of_another():
    himself = Person(UUID(int=1), Role.DIRECTOR, EVE)
    with refused(NotAllowed, "forbidden"):
        must_not_be_his_own(entered(), himself, ruled())
    must_not_be_his_own(entered(), DIRECTOR, ruled())


def test_after_a_cancellation_nobody_is_disqualified():
    its = in_the_money(150, 50, 0, 0)
    its.happened(*cancel(its.t, "fire", 4))
    must_take_penalties(its.t, by_player(None, "penalty", Penalty(1, "warning")))
    with refused(Conflicting, "tournament-over"):
        must_take_penalties(its.t, by_player(None, "penalty", Penalty(1, "disqualification")))
