"""A journal: its lines sum to 0, in one book and one currency."""

from uuid import UUID

import pytest

from domain.ids import JournalId
from domain.journal import (
    ACCOUNTS,
    FEES,
    HOUSE,
    ISSUED,
    OUTSIDE,
    RAKE,
    VOID,
    Book,
    Journal,
    Line,
    balanced,
    balances,
    chips_of,
    escrow,
    gained,
    is_account,
    pool,
    stack,
    wallet,
)
from tests.domain.given import ALICE, TABLE, TOURNAMENT


def journal(*lines: Line, book: Book = Book.MONEY, currency: str | None = "EUR") -> Journal:
    made = JournalId(UUID(int=7))
    return Journal(journal_id=made, book=book, currency=currency, kind="test", lines=lines)


def test_accounts_are_lower_case_names_made_in_one_place():
    made = [
        wallet(ALICE),
        escrow(TOURNAMENT),
        pool(TOURNAMENT),
        stack(TABLE, ALICE),
        chips_of(ALICE),
    ]
    assert made == [
        f"wallet/{ALICE}",
        f"escrow/{TOURNAMENT}",
        f"pool/{TOURNAMENT}",
        f"stack/{TABLE}/{ALICE}",
        f"player/{ALICE}",
    ]
    assert all(name == name.lower() for name in made)
    bare = [name for name in ACCOUNTS if "/" not in name]
    assert bare == [OUTSIDE, FEES, RAKE, HOUSE, ISSUED, VOID]
    assert all(is_account(name) for name in made + bare)
    assert {name.split("/")[0] for name in made + bare} == {name.split("/")[0] for name in ACCOUNTS}


@pytest.mark.parametrize(
    "name",
    [
        "",
        "wallet",
        "wallet/",
        f"rake/{ALICE}",
        f"stack/{TABLE}",
        f"pool/{ALICE}/{ALICE}",
        f"pool/{ALICE}\n",
        "zzz",
    ],
)
def test_no_account_is_called_otherwise(name):
    assert not is_account(name)


def test_a_balanced_journal_is_handed_on():
    found = journal(Line("a", 5), Line("b", -5))
    assert balanced(found) is found


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (journal(Line("a", 5), Line("b", -4)), "out of balance"),
        (journal(Line("a", 0)), "moves something"),
        (journal(currency=None), "money has a currency"),
        (journal(book=Book.CHIPS), "money has a currency"),
    ],
)
def test_a_journal_that_is_no_journal_is_a_bug(wrong, what):
    with pytest.raises(AssertionError, match=what):
        balanced(wrong)


def test_a_line_is_made_for_what_gains_something():
    assert gained({"a": 5, "b": 0, "c": -5}, ALICE) == (Line("a", 5, ALICE), Line("c", -5, ALICE))


def test_balances_are_the_sums_of_lines():
    made = [journal(Line("a", 5), Line("b", -5)), journal(Line("b", 2), Line("c", -2))]
    assert balances(made) == {"a": 5, "b": -3, "c": -2}
