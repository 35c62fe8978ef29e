"""Amounts as people write them: the minor digits of ISO 4217, cents by their sign, chips plain."""

from __future__ import annotations

import pytest

from domain.amounts import amount_text, change, figure, minor_digits
from domain.currencies import CURRENCIES


@pytest.mark.parametrize(
    ("amount", "currency", "bare", "in_words"),
    [
        (25, "USD", "0.25", "25 ¢"),
        (-25, "USD", "-0.25", "-25 ¢"),
        (100, "USD", "1.00", "1.00 USD"),
        (0, "USD", "0.00", "0.00 USD"),
        (25, "SEK", "0.25", "0.25 SEK"),
        (25, "JPY", "25", "25 JPY"),
        (1005, "KWD", "1.005", "1.005 KWD"),
        (2**53 - 1, "EUR", "90071992547409.91", "90071992547409.91 EUR"),
        (1, None, "1", "1 chip"),
        (-2, None, "-2", "-2 chips"),
    ],
)
def test_an_amount_has_the_minor_digits_of_its_currency(amount, currency, bare, in_words):
    assert figure(amount, currency) == bare
    assert amount_text(amount, currency) == in_words


def test_a_gain_has_a_plus_and_a_loss_a_minus():
    assert [change(amount, "EUR") for amount in (5, 0, -5)] == ["+0.05", "0.00", "-0.05"]


def test_every_currency_of_the_books_has_two_digits_but_those_that_iso_4217_names():
    others = {currency: minor_digits(currency) for currency in CURRENCIES if minor_digits(currency) != 2}
    assert (sum(digits == 0 for digits in others.values()), sum(d == 3 for d in others.values())) == (16, 7)
