"""How amounts are written for people: money by the minor digits of its currency, chips plain."""

from __future__ import annotations

from typing import Final

_NO_DIGITS: Final = frozenset("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split())  # noqa: SIM905
_THREE_DIGITS: Final = frozenset("BHD IQD JOD KWD LYD OMR TND".split())  # noqa: SIM905
_CENTS: Final = frozenset("AUD CAD EUR HKD NZD SGD TWD USD ZAR".split())  # noqa: SIM905
"""Currencies whose hundredth everybody calls a cent."""


def minor_digits(currency: str | None) -> int:
    """How many digits a currency has behind the point, by ISO 4217; chips (null) have none."""
    if currency is None or currency in _NO_DIGITS:
        return 0
    return 3 if currency in _THREE_DIGITS else 2


def figure(amount: int, currency: str | None) -> str:
    """An amount of minor units or chips as a bare number, for a column whose head names the currency.

    >>> figure(-1205, "USD"), figure(1205, "JPY"), figure(5, "KWD"), figure(50, None)
    ('-12.05', '1205', '0.005', '50')
    """
    digits = minor_digits(currency)
    text = str(abs(amount)).rjust(digits + 1, "0")
    whole = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return f"-{whole}" if amount < 0 else whole


def change(amount: int, currency: str | None) -> str:
    """The same with its sign, for a column of what is gained and lost.

    >>> change(1205, "USD"), change(-3, None), change(0, "USD")
    ('+12.05', '-3', '0.00')
    """
    return f"{'+' if amount > 0 else ''}{figure(amount, currency)}"


def amount_text(amount: int, currency: str | None) -> str:
    """An amount within a sentence.

    >>> amount_text(25, "USD"), amount_text(100, "USD"), amount_text(300, "JPY"), amount_text(1, None)
    ('25 ¢', '1.00 USD', '300 JPY', '1 chip')
    """
    if currency is None:
        return f"{amount} {'chip' if abs(amount) == 1 else 'chips'}"
    if currency in _CENTS and 0 < abs(amount) < 100:
        return f"{amount} ¢"
    return f"{figure(amount, currency)} {currency}"
