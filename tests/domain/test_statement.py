"""The words of the books: a golden line for every kind of journal, from whatever side it is read."""

from __future__ import annotations

from typing import get_args

import pytest

from domain import statement as module
from domain.hand_events import Settled, Transfer
from domain.journal import FEES, HOUSE, OUTSIDE, RAKE, Journal, Kind, escrow, pool, stack
from domain.ledger import Where, journals
from domain.payments import refund
from domain.pool import dissolve
from domain.ring_events import RingHandBegun
from domain.statement import (
    GROUPS,
    Facts,
    HandPlayed,
    StatementLine,
    Won,
    account_text,
    line_text,
    statement_lines,
)
from domain.structure import BuyIn
from domain.table_events import Vacated
from domain.tournament import draw
from domain.tournament_events import StacksCorrected
from domain.wallet import Booking, deposit, give, take, withdraw
from tests.domain.given import ALICE, BOB, CAROL, DAVE, HAND, NOW, PLAYERS, TABLE, TOURNAMENT
from tests.domain.test_ledger import AT_RING_TABLE, IN_TOURNAMENT, SETTLED, of_tournament
from tests.domain.test_pool import started
from tests.domain.test_wallet import empty, entry, having
from tests.domain.test_wallet import journal as journal_number

PEOPLE = dict(zip(PLAYERS, ("Mei Ling", "Tom", "Zoë", "Dave", "Erin", "Frank"), strict=True))
FRIDAY = Facts(people=PEOPLE, tournament="Friday")
RING = f"ring table {str(TABLE)[:8]}"


def texts(journal: Journal, facts: Facts) -> list[str]:
    return [line_text(journal, number, facts) for number in range(len(journal.lines))]


def of_wallet(events) -> Journal:
    [event] = events
    return event.journal


def at_table(kind: str, amount: int = 300) -> Journal:
    booking = Booking(
        journal_id=journal_number(9), kind=kind, others={stack(TABLE, ALICE): amount}, table_id=TABLE
    )
    return of_wallet((take if kind == "buy_in" else give)(having(1000), booking))


def hand(settled: Settled | None = SETTLED, unit: int = 1, **more) -> Facts:
    seats = dict(enumerate(PLAYERS[:3], 1))
    played = HandPlayed(number=12, unit=unit, seats=seats, settled=settled, **more)
    return Facts(people=PEOPLE, hand=played)


def settled(*transfers: Transfer, left: tuple[int, int, int] = (0, 4, 9), liable: int | None = None):
    return Settled(
        winner=1,
        cards_left=dict(enumerate(left, 1)),
        liable=liable,
        transfers=transfers,
        net={1: 0, 2: 0, 3: 0},
    )


# wallets


def test_a_deposit_and_a_withdrawal_have_their_reference_and_note():
    came = of_wallet(deposit(empty(), 500, "transfer 17", None, journal_number(1)))
    assert texts(came, Facts(people=PEOPLE, reference="transfer 17")) == [
        "Mei Ling: deposit, reference transfer 17",
        "deposit, reference transfer 17",
    ]
    went = of_wallet(withdraw(having(500), 200, "receipt 4", "cash", journal_number(2)))
    facts = Facts(people=PEOPLE, reference="receipt 4", note="cash")
    assert texts(went, facts)[0] == "withdrawal, reference receipt 4 (cash)"
    assert statement_lines(went, ALICE, facts) == [
        StatementLine("withdrawal, reference receipt 4 (cash)", -200, 0)
    ]


def test_a_wallet_s_event_of_which_nothing_more_is_known_still_has_words():
    came = of_wallet(deposit(empty(), 500, "transfer 17", None, journal_number(1)))
    assert texts(came, Facts(people=PEOPLE))[1] == "deposit"


def test_what_does_not_print_is_escaped():
    came = of_wallet(deposit(empty(), 500, "a", None, journal_number(1)))
    facts = Facts(people=PEOPLE, reference="\x1b[31mred", note="two\nlines")
    assert texts(came, facts)[1] == r"deposit, reference \x1b[31mred (two\nlines)"


def test_an_entry_tells_its_buy_in_and_its_fee_apart():
    journal = of_wallet(take(having(5000), entry(2, 1000, 50)))
    text = "entry to Friday: buy-in 10.00 EUR, fee 50 ¢"
    assert texts(journal, FRIDAY) == [text, f"Mei Ling: {text}", f"Mei Ling: {text}"]
    assert statement_lines(journal, ALICE, FRIDAY) == [StatementLine(text, -1050, 0)]
    assert texts(of_wallet(take(having(5000), entry(2, 1000))), FRIDAY)[0] == "entry to Friday"


@pytest.mark.parametrize(
    ("cancelled", "why"), [(True, "which was cancelled"), (False, "an entry that was withdrawn")]
)
def test_a_refund_tells_why_the_entry_came_back(cancelled, why):
    booking = refund(TOURNAMENT, BuyIn(amount=1000, fee=50, currency="EUR"), journal_number(3))
    journal = of_wallet(give(having(1), booking))
    facts = Facts(people=PEOPLE, tournament="Friday", cancelled=cancelled)
    [line] = statement_lines(journal, ALICE, facts)
    assert line == StatementLine(f"refund from Friday, {why}: buy-in 10.00 EUR, fee 50 ¢", 1050, 0)


@pytest.mark.parametrize(
    ("won", "text"),
    [(Won(1, False), "prize of Friday: place 1"), (Won(3, True), "prize of Friday: place 3, shared")],
)
def test_a_prize_tells_its_place(won, text):
    booking = Booking(
        journal_id=journal_number(4), kind="prize", others={pool(TOURNAMENT): 900}, tournament_id=TOURNAMENT
    )
    facts = Facts(people=PEOPLE, tournament="Friday", prizes={ALICE: won})
    assert statement_lines(of_wallet(give(having(1), booking)), ALICE, facts) == [StatementLine(text, 900, 0)]


def test_a_buy_in_is_one_line_that_takes_from_the_wallet_and_gives_to_the_stack():
    facts = Facts(people=PEOPLE)
    assert statement_lines(at_table("buy_in"), ALICE, facts) == [
        StatementLine(f"buy-in at {RING}", -300, 300)
    ]
    again = Facts(people=PEOPLE, topped_up=True)
    assert statement_lines(at_table("buy_in"), ALICE, again) == [
        StatementLine(f"top-up at {RING}", -300, 300)
    ]
    assert statement_lines(at_table("cash_out"), ALICE, facts) == [
        StatementLine(f"cash-out from {RING}", 300, -300)
    ]


# tournaments


def test_a_pool_tells_of_the_buy_ins_and_of_what_the_guarantee_adds():
    t = started(guarantee=5001)
    [formed] = journals(t.pool, of_tournament())
    assert dict(zip((line.account for line in formed.lines), texts(formed, FRIDAY), strict=True)) == {
        escrow(TOURNAMENT): "buy-ins of Friday: registration is closed",
        HOUSE: "overlay: what the buy-ins of Friday lack of its guarantee",
        pool(TOURNAMENT): "Friday is played for this",
    }
    [back] = journals(dissolve(t.pool)[0], of_tournament())
    assert set(texts(back, FRIDAY)) == {"Friday was cancelled: back from its prize pool"}
    assert statement_lines(formed, ALICE, FRIDAY) == []


def test_chips_are_issued_and_those_of_a_no_show_go():
    drawn, _ = draw(started(), NOW)
    [issued] = journals(drawn, of_tournament())
    assert set(texts(issued, FRIDAY)) == {"stack to begin Friday with"}
    gone = Vacated(seat=1, player_id=ALICE, stack=50, reason="no_show")
    where = Where(stream=TABLE, version=3, tournament_id=TOURNAMENT, table_id=TABLE)
    [void] = journals(gone, where)
    assert set(texts(void, FRIDAY)) == {"chips of a no-show in Friday"}


def test_a_ruling_is_told_by_its_hand():
    facts = Facts(people=PEOPLE, tournament="Friday", hand=hand(unit=2).hand)
    corrected = StacksCorrected(hand_id=HAND, changes={ALICE: 3, BOB: -3}, unpaid={})
    [ruling] = journals(corrected, of_tournament())
    assert texts(ruling, facts) == ["ruling on hand 12 of Friday"] * 2


def test_a_hand_of_a_tournament_is_told_by_its_table_s_number_in_chips():
    facts = Facts(people=PEOPLE, tournament="Friday", table=3, hand=hand(unit=2).hand)
    transfer, _cover = journals(SETTLED, IN_TOURNAMENT)
    assert texts(transfer, facts) == [
        "hand 12 at table 3 of Friday: 3 cards to 0, 3 points × 2 chips to Mei Ling",
        "hand 12 at table 3 of Friday: 0 cards to 3, 3 points × 2 chips from Tom",
    ]


# ring tables


def test_r10_1_an_ante_tells_its_hand():
    begun = RingHandBegun(
        hand_id=HAND,
        number=12,
        dealer=1,
        direction="clockwise",
        unit=25,
        ante=10,
        currency="USD",
        players={1: ALICE, 2: BOB},
        stacks={1: 70, 2: 70},
    )
    [ante] = journals(begun, Where(stream=TABLE, version=3, table_id=TABLE, hand_id=HAND))
    text = f"ante of hand 12 at {RING} (R10.1)"
    assert texts(ante, hand(settled=None)) == [text, f"Mei Ling: {text}", text, f"Tom: {text}"]
    assert statement_lines(ante, ALICE, hand(settled=None)) == [StatementLine(text, 0, -10)]


def test_r8_1_a_comparison_tells_cards_points_unit_and_the_other_player():
    facts = hand(settled(Transfer(2, 1, 4, 100, 100, covers=False)), unit=25)
    [transfer] = journals(facts.hand.settled, AT_RING_TABLE)
    assert texts(transfer, facts) == [
        f"hand 12 at {RING}: 4 cards to 0, 4 points × 25 ¢ to Mei Ling",
        f"hand 12 at {RING}: 0 cards to 4, 4 points × 25 ¢ from Tom",
    ]


def test_each_payment_of_a_settlement_is_a_line_of_its_own():
    facts = hand(
        settled(
            Transfer(2, 1, 1, 100, 100, covers=False),
            Transfer(3, 1, 6, 600, 600, covers=False),
            left=(0, 1, 6),
        ),
        unit=100,
    )
    [transfer] = journals(facts.hand.settled, AT_RING_TABLE)
    assert statement_lines(transfer, ALICE, facts) == [
        StatementLine(f"hand 12 at {RING}: 0 cards to 1, 1 point × 1.00 USD from Tom", 0, 100),
        StatementLine(f"hand 12 at {RING}: 0 cards to 6, 6 points × 1.00 USD from Zoë", 0, 600),
    ]
    assert statement_lines(transfer, BOB, facts) == [
        StatementLine(f"hand 12 at {RING}: 1 card to 0, 1 point × 1.00 USD to Mei Ling", 0, -100)
    ]
    assert statement_lines(transfer, DAVE, facts) == []


def test_r8_3_a_payment_that_was_cut_tells_what_was_due():
    facts = hand(settled(Transfer(2, 1, 4, 100, 30, covers=False)), unit=25)
    [transfer] = journals(facts.hand.settled, AT_RING_TABLE)
    assert texts(transfer, facts)[0].endswith(
        "4 points × 25 ¢ to Mei Ling, cut to the stakes (R8.3): 1.00 USD was due"
    )


def test_r8_3_payments_that_were_cut_to_nothing_shift_no_words():
    facts = hand(
        settled(Transfer(3, 2, 5, 125, 0, covers=False), Transfer(2, 1, 4, 100, 100, covers=False)), unit=25
    )
    [transfer] = journals(facts.hand.settled, AT_RING_TABLE)
    assert "4 points × 25 ¢ to Mei Ling" in texts(transfer, facts)[0]


def test_r8_4_a_cover_tells_whose_loss_and_who_is_liable():
    _transfer, cover = journals(SETTLED, AT_RING_TABLE)
    assert texts(cover, hand()) == [
        f"hand 12 at {RING}: cover of the loss of Zoë, as the liable assistant (R8.4),"
        " cut to the stakes (R8.3): 5 ¢ was due",
        f"hand 12 at {RING}: cover of a loss (R8.4) by Tom, the liable assistant,"
        " cut to the stakes (R8.3): 5 ¢ was due",
    ]


def test_r12_points_that_are_no_difference_in_cards_say_so():
    facts = hand(settled(Transfer(3, 1, 18, 18, 18, covers=False)))
    [transfer] = journals(facts.hand.settled, AT_RING_TABLE)
    assert texts(transfer, facts)[0] == (
        f"hand 12 at {RING}: 9 cards to 0, 18 points (R12) × 1 ¢ to Mei Ling"
    )


def test_r12_a_liable_assistant_who_bears_the_others_comparisons_is_told_as_such():
    of_all = settled(Transfer(2, 1, 9, 9, 9, covers=False), Transfer(3, 1, 9, 9, 9, covers=False), liable=2)
    facts = hand(of_all, bears_all=True)
    [transfer] = journals(of_all, AT_RING_TABLE)
    assert texts(transfer, facts) == [
        f"hand 12 at {RING}: a liable assistant pays (R12), 9 points × 1 ¢ to Mei Ling",
        f"hand 12 at {RING}: a liable assistant pays (R12), 9 points × 1 ¢ from Tom",
        f"hand 12 at {RING}: 9 cards to 0, 9 points × 1 ¢ to Mei Ling",
        f"hand 12 at {RING}: 0 cards to 9, 9 points × 1 ¢ from Zoë",
    ]


# accounts, and that nothing is left out


@pytest.mark.parametrize(
    ("account", "called"),
    [
        (OUTSIDE, "outside (cash desk, bank)"),
        (FEES, "fees of entries, to the house"),
        (RAKE, "rake of hands, to the house"),
        (HOUSE, "overlays of the house"),
        (f"wallet/{ALICE}", "wallet of Mei Ling"),
        (f"player/{CAROL}", "chips of Zoë"),
        (stack(TABLE, BOB), f"stack of Tom at {RING}"),
        (escrow(TOURNAMENT), "escrow of Friday"),
        (pool(TOURNAMENT), "prize pool of Friday"),
        ("issued", "chips issued"),
        ("void", "chips out of play: of no-shows, by penalties and rulings"),
    ],
)
def test_an_account_is_called_by_its_name(account, called):
    assert account_text(account, FRIDAY) == called
    assert account.partition("/")[0] in GROUPS


def test_every_kind_of_journal_has_words():
    assert module._KINDS.keys() == set(get_args(Kind))
