"""A wallet: never below 0, each journal and each reference booked once, double entry."""

from uuid import UUID

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.currencies import CURRENCIES
from domain.errors import Conflicting, Refused
from domain.ids import JournalId
from domain.journal import FEES, OUTSIDE, balanced, balances, escrow, stack, wallet
from domain.structure import LARGEST_AMOUNT
from domain.table import Closed
from domain.wallet import (
    WALLET,
    Booking,
    Credited,
    Debited,
    Wallet,
    deposit,
    give,
    must_be_new,
    take,
    withdraw,
)
from tests.domain.given import ALICE, HAND, TABLE, TOURNAMENT, fold, refused, steady

WHOLE = st.integers(1, 1000)


def journal(number: int) -> JournalId:
    return JournalId(UUID(int=number))


def empty() -> Wallet:
    return Wallet(ALICE, "EUR")


def entry(number: int, amount: int, fee: int = 0) -> Booking:
    others = {escrow(TOURNAMENT): amount, FEES: fee}
    return Booking(journal_id=journal(number), kind="entry", others=others, tournament_id=TOURNAMENT)


def having(amount: int) -> Wallet:
    return fold(WALLET, deposit(empty(), amount, "first", None, journal(1)))


def lines(event: Credited | Debited) -> dict[str, int]:
    return balances([balanced(event.journal)])


def test_a_deposit_comes_from_outside():
    [event] = deposit(empty(), 500, "transfer 17", "by bank", journal(1))
    assert isinstance(event, Credited)
    assert (event.amount, event.reference, event.note) == (500, "transfer 17", "by bank")
    assert (event.journal.kind, event.journal.currency) == ("deposit", "EUR")
    assert lines(event) == {wallet(ALICE): 500, OUTSIDE: -500}
    assert fold(WALLET, [event]).balance == 500


def test_a_withdrawal_goes_outside_down_to_nothing():
    [event] = withdraw(having(500), 500, "receipt 1", None, journal(2))
    assert isinstance(event, Debited)
    assert lines(event) == {wallet(ALICE): -500, OUTSIDE: 500}
    assert fold(WALLET, [event], having(500)).balance == 0


def test_a_wallet_pays_no_more_than_it_has_and_is_told_what_is_missing():
    with refused(Refused, "insufficient-funds"):
        withdraw(having(500), 501, "receipt 1", None, journal(2))
    with pytest.raises(Refused) as caught:
        take(having(500), entry(2, 700, 50))
    assert caught.value.members == {"missing": 250, "currency": "EUR"}
    assert "250 are missing" in caught.value.detail


def test_an_entry_pays_the_buy_in_and_the_fee_in_one_journal():
    [event] = take(having(500), entry(2, 300, 30))
    assert event.amount == 330
    assert event.journal.tournament_id == TOURNAMENT
    assert lines(event) == {wallet(ALICE): -330, escrow(TOURNAMENT): 300, FEES: 30}


def test_what_is_given_back_reverses_what_was_taken():
    paid = fold(WALLET, take(having(500), entry(2, 300, 30)), having(500))
    refund = Booking(journal_id=journal(3), kind="refund", others=entry(2, 300, 30).others)
    [event] = give(paid, refund)
    assert lines(event) == {wallet(ALICE): 330, escrow(TOURNAMENT): -300, FEES: -30}
    assert fold(WALLET, [event], paid).balance == 500


def test_a_journal_says_which_table_and_hand_it_is_for():
    bought = Booking(
        journal_id=journal(2), kind="buy_in", others={stack(TABLE, ALICE): 5}, table_id=TABLE, hand_id=HAND
    )
    [event] = take(having(5), bought)
    assert (event.journal.table_id, event.journal.hand_id) == (TABLE, HAND)


def test_a_journal_is_booked_once():
    paid = fold(WALLET, take(having(500), entry(2, 300)), having(500))
    assert take(paid, entry(2, 300)) == []
    assert give(paid, entry(2, 300)) == []


def test_a_reference_is_booked_once_of_each_kind_whatever_the_amount():
    for amount in (500, 1):
        with refused(Conflicting, "duplicate-reference"):
            deposit(having(500), amount, "first", None, journal(2))
    assert withdraw(having(500), 5, "first", None, journal(2))
    must_be_new(having(500), "deposit", "second")
    must_be_new(having(500), "deposit", None)


def test_what_comes_from_no_other_side_is_a_bug():
    with pytest.raises(AssertionError):
        give(empty(), entry(1, 0))


def test_a_deposit_to_2_to_the_53_is_refused_and_one_below_is_not():
    assert deposit(empty(), LARGEST_AMOUNT - 1, "all", None, journal(1))
    with refused(Refused, "validation"):
        deposit(having(1), LARGEST_AMOUNT - 1, "more", None, journal(2))


def test_what_is_owed_is_paid_to_a_full_wallet():
    full = having(LARGEST_AMOUNT - 1)
    prize = Booking(journal_id=journal(2), kind="prize", others={"pool/x": 7})
    paid = fold(WALLET, give(full, prize), full)
    assert paid.balance == LARGEST_AMOUNT + 6
    with pytest.raises(Refused) as caught:
        deposit(paid, 1, "more", None, journal(3))
    assert "at most 0" in caught.value.errors["/amount"]


@settings(steady)
@for_all(st.lists(st.tuples(st.booleans(), WHOLE)))
def test_a_balance_is_what_came_in_less_what_went_out_and_never_below_0(moves):
    purse, balance = empty(), 0
    for number, (in_, amount) in enumerate(moves):
        step = deposit if in_ else withdraw
        if not in_ and amount > balance:
            with refused(Refused, "insufficient-funds"):
                step(purse, amount, str(number), None, journal(number))
            continue
        purse = fold(WALLET, step(purse, amount, str(number), None, journal(number)), purse)
        balance += amount if in_ else -amount
        assert purse.balance == balance >= 0


def test_an_event_of_another_kind_is_a_bug():
    with pytest.raises(AssertionError, match="Closed is no event of a wallet"):
        WALLET.evolve(None, Closed())


def test_a_wallet_shows_nothing_in_a_traceback():
    assert repr(having(12345)) == "<Wallet>"
    [event] = deposit(empty(), 12345, "transfer", None, journal(1))
    assert repr(event) == "Credited()"


def test_currencies_are_three_capital_letters_and_no_metals_or_tests():
    assert all(len(code) == 3 and code.isalpha() and code.isupper() for code in CURRENCIES)
    assert not CURRENCIES & {"XAU", "XTS", "XXX", "XDR", "ANG", "HRK", "BGN", "ZWL"}
    assert {"EUR", "USD", "HKD", "TWD", "JPY"} <= CURRENCIES
