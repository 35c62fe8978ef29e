"""The table of the books: which event makes which journals, each in balance."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.hand_events import Settled, Transfer
from domain.ids import journal_id
from domain.journal import (
    FEES,
    HOUSE,
    ISSUED,
    RAKE,
    VOID,
    Book,
    balances,
    chips_of,
    escrow,
    pool,
    stack,
    wallet,
)
from domain.ledger import Where, journals
from domain.placing import Tally
from domain.ring_events import RingHandBegun
from domain.table import Closed
from domain.table_events import Vacated
from domain.tournament import cancel, draw
from domain.tournament_events import Correction, ResultCorrected, StacksCorrected
from domain.wallet import take
from tests.domain.given import ALICE, BOB, CAROL, HAND, NOW, PLAYERS, TABLE, TOURNAMENT
from tests.domain.test_pool import started
from tests.domain.test_wallet import entry, having

IN_TOURNAMENT = Where(
    stream=HAND,
    version=9,
    tournament_id=TOURNAMENT,
    table_id=TABLE,
    hand_id=HAND,
    seats=dict(enumerate(PLAYERS[:4], 1)),
)
AT_RING_TABLE = Where(
    stream=HAND, version=9, table_id=TABLE, hand_id=HAND, seats={1: ALICE, 2: BOB, 3: CAROL}, currency="USD"
)
SETTLED = Settled(
    winner=1,
    cards_left={1: 0, 2: 3, 3: 5},
    liable=2,
    transfers=(
        Transfer(2, 1, 3, 3, 3, covers=False),
        Transfer(3, 1, 5, 5, 0, covers=False),
        Transfer(2, 3, None, 5, 4, covers=True),
    ),
    net={1: 3, 2: -7, 3: 4},
)


def of_tournament():
    return Where(stream=TOURNAMENT, version=4, tournament_id=TOURNAMENT)


def test_a_wallet_s_event_brings_its_own_journal():
    [event] = take(having(500), entry(2, 300, 30))
    assert journals(event, of_tournament()) == [event.journal]
    assert balances([event.journal]) == {wallet(ALICE): -330, escrow(TOURNAMENT): 300, FEES: 30}


@pytest.mark.parametrize(("guarantee", "overlay"), [(0, 0), (5001, 1001)])
def test_a_pool_is_made_of_the_escrow_and_the_overlay_and_dissolves_into_them(guarantee, overlay):
    t = started(guarantee=guarantee)
    [made] = journals(t.pool, of_tournament())
    found = {escrow(TOURNAMENT): -4000, HOUSE: -overlay, pool(TOURNAMENT): 4000 + overlay}
    assert balances([made]) == {account: amount for account, amount in found.items() if amount}
    assert (made.book, made.currency, made.kind) == (Book.MONEY, "EUR", "pool")
    dissolved, _ = cancel(t, "no light", 0)
    [back] = journals(dissolved, of_tournament())
    assert set(balances([made, back]).values()) == {0}
    assert back.kind == "dissolution"


def test_the_first_tables_issue_the_stacks_and_the_final_table_none():
    drawn, _ = draw(started(), NOW)
    [made] = journals(drawn, of_tournament())
    assert (made.book, made.currency, made.kind) == (Book.CHIPS, None, "issued")
    assert balances([made]) == {ISSUED: -200} | {chips_of(player): 50 for player in PLAYERS[:4]}
    assert all(line.player_id for line in made.lines if line.account != ISSUED)
    final = type(drawn)(tables=drawn.tables, final=True, draw="final/9")
    assert journals(final, of_tournament()) == []


def test_a_settlement_is_a_pair_of_lines_a_transfer_and_covers_are_a_journal_of_their_own():
    transfer, cover = journals(SETTLED, IN_TOURNAMENT)
    assert [(line.account, line.amount, line.player_id) for line in transfer.lines] == [
        (chips_of(BOB), -3, BOB),
        (chips_of(ALICE), 3, ALICE),
    ]
    assert balances([cover]) == {chips_of(BOB): -4, chips_of(CAROL): 4}
    assert [journal.kind for journal in (transfer, cover)] == ["transfer", "cover"]
    assert (transfer.tournament_id, transfer.table_id, transfer.hand_id) == (TOURNAMENT, TABLE, HAND)
    assert transfer.journal_id == journal_id(HAND, "9/transfer") != cover.journal_id


def test_at_a_ring_table_stacks_pay_in_money():
    transfer, cover = journals(SETTLED, AT_RING_TABLE)
    assert balances([transfer, cover]) == {
        stack(TABLE, BOB): -7,
        stack(TABLE, ALICE): 3,
        stack(TABLE, CAROL): 4,
    }
    assert (transfer.book, transfer.currency, transfer.tournament_id) == (Book.MONEY, "USD", None)


def test_a_settlement_in_which_nobody_pays_has_no_journal():
    nothing = Settled(winner=1, cards_left={1: 0, 2: 1}, liable=None, transfers=(), net={1: 0, 2: 0})
    assert journals(nothing, IN_TOURNAMENT) == []


@pytest.mark.parametrize("ante", [0, 30])
def test_r10_1_each_player_dealt_in_pays_the_ante_to_the_house(ante):
    begun = RingHandBegun(
        hand_id=HAND,
        number=1,
        dealer=1,
        direction="clockwise",
        unit=100,
        ante=ante,
        currency="USD",
        players={1: ALICE, 2: BOB},
        stacks={1: 70, 2: 70},
    )
    found = journals(begun, Where(stream=TABLE, version=3, table_id=TABLE, hand_id=HAND))
    paid = {stack(TABLE, ALICE): -30, RAKE: 60, stack(TABLE, BOB): -30}
    assert balances(found) == (paid if ante else {})


@pytest.mark.parametrize(("reason", "chips"), [("no_show", 50), ("no_show", 0), ("out", 50), ("moved", 50)])
def test_a_no_show_s_chips_go_to_void_and_nobody_else_s(reason, chips):
    gone = Vacated(seat=1, player_id=ALICE, stack=chips, reason=reason)
    where = Where(stream=TABLE, version=3, tournament_id=TOURNAMENT, table_id=TABLE)
    found = balances(journals(gone, where))
    assert found == ({chips_of(ALICE): -50, VOID: 50} if (reason, chips) == ("no_show", 50) else {})


def test_what_moves_nothing_has_no_journal():
    assert journals(Closed(), of_tournament()) == []


# rulings


def test_a_ruling_between_its_players_is_one_journal_between_them():
    corrected = StacksCorrected(hand_id=HAND, changes={ALICE: -5, BOB: 5, CAROL: 0}, unpaid={})
    [ruling] = journals(
        corrected, Where(stream=TOURNAMENT, version=9, tournament_id=TOURNAMENT, hand_id=HAND)
    )
    assert (ruling.kind, ruling.book, ruling.hand_id) == ("ruling", Book.CHIPS, HAND)
    assert balances([ruling]) == {chips_of(ALICE): -5, chips_of(BOB): 5}


@pytest.mark.parametrize(("chips", "rest"), [(-5, {VOID: 5}), (5, {ISSUED: -5})])
def test_where_one_side_is_missing_chips_go_to_the_void_or_are_issued(chips, rest):
    corrected = StacksCorrected(hand_id=HAND, changes={ALICE: chips}, unpaid={})
    [ruling] = journals(
        corrected, Where(stream=TOURNAMENT, version=9, tournament_id=TOURNAMENT, hand_id=HAND)
    )
    assert balances([ruling]) == {chips_of(ALICE): chips, **rest}


def test_a_ruling_that_moves_nothing_makes_no_journal():
    corrected = StacksCorrected(hand_id=HAND, changes={ALICE: 0}, unpaid={ALICE: 5})
    where = Where(stream=TOURNAMENT, version=9, tournament_id=TOURNAMENT, hand_id=HAND)
    assert journals(corrected, where) == []


def test_in_a_league_a_ruling_is_booked_when_it_is_final_and_else_with_the_stacks():
    changes = (Correction(ALICE, Tally(-5), -5), Correction(BOB, Tally(5), 5))
    where = Where(stream=TOURNAMENT, version=9, tournament_id=TOURNAMENT, hand_id=HAND)
    ruled = ResultCorrected(hand_id=HAND, table_id=TABLE, changes=changes, stacks=False)
    [ruling] = journals(ruled, where)
    assert balances([ruling]) == {chips_of(ALICE): -5, chips_of(BOB): 5}
    assert journals(replace(ruled, stacks=True), where) == []
