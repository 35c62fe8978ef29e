"""R12: the forms that a switch may have: how each is read, what JSON Schema says of it, and its values in words.

A form reads one written value into the rule set's own, or raises a `ValueError` that says what must be there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, permutations
from typing import Any, Final, TypeVar

from big2.actions import AUTOMATIC, WHY_AUTOMATIC, PassReason
from big2.cards import GLYPHS, PACK, RANKS, SUITS, Card, card_glyph, card_text, parse_stored_card
from big2.errors import NotationError

MOST_CARDS: Final = 13
HIGHEST_FACTOR: Final = 1_000
"""A limit on a tier's factor: larger ones are slips of the pen."""

LOWEST_DEALT: Final = "lowest_dealt"
SEQUENCES: Final = tuple((RANKS[11:] + RANKS)[start : start + 5] for start in range(11))
"""R3.5: the straights that some room plays: A2345, 23456, 34567 … TJQKA, JQKA2; KA234 and QKA23 never are."""

Schema = dict[str, Any]
Tiers = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Form:
    """How a switch is written. `values` names what it takes; `words` tells a value of `RuleSet` to people."""

    values: str
    read: Callable[[object], object]
    schema: Schema
    words: Callable[[Any], str]


Chosen = TypeVar("Chosen", bound=StrEnum)


def one_of(words: Mapping[Chosen, str]) -> Form:
    """One of the texts of an enumeration, each with what it means."""
    choices = tuple(words)

    def read(written: object) -> Chosen:
        for choice in choices:
            if isinstance(written, str) and written == choice.value:
                return choice
        raise ValueError(f"must be one of {', '.join(choices)}")

    schema = {"oneOf": [{"const": choice.value, "description": words[choice]} for choice in choices]}
    return Form(" · ".join(f"`{choice}`" for choice in choices), read, schema, lambda value: words[value])


def yes_or_no(yes: str, no: str) -> Form:
    """True or false, with what each means."""
    schema = {
        "oneOf": [{"const": True, "description": yes}, {"const": False, "description": no}],
    }
    return Form("`true` · `false`", _yes_or_no, schema, lambda value: yes if value else no)


def _yes_or_no(written: object) -> bool:
    if not isinstance(written, bool):
        raise ValueError("must be true or false")  # noqa: TRY004 - one error for whatever is wrong with a switch
    return written


def _suits(written: object) -> str:
    if not isinstance(written, str) or sorted(written) != sorted(SUITS):
        raise ValueError("must name the four suits D, C, H and S, each once, low to high")
    return written


def suit_glyphs(suits: str) -> str:
    """The suits low to high, as people know them.

    >>> suit_glyphs("CDHS")
    '♣ ♦ ♥ ♠'
    """
    return " ".join(GLYPHS[SUITS.index(suit)] for suit in suits)


def _listed(written: object) -> Iterator[object]:
    if not isinstance(written, list | tuple):
        raise ValueError("must be a list")  # noqa: TRY004
    return iter(written)


def _straights(written: object) -> tuple[str, ...]:
    sequences = tuple(_sequence(text) for text in _listed(written))
    if len(set(sequences)) != len(sequences):
        raise ValueError("names a straight twice")
    return sequences


def _sequence(text: object) -> str:
    if not isinstance(text, str) or text not in SEQUENCES:
        raise ValueError(f"may only name {', '.join(SEQUENCES)}")
    return text


def _opening_card(written: object) -> Card | None:
    if written == LOWEST_DEALT:
        return None
    try:
        return parse_stored_card(written if isinstance(written, str) else "")
    except NotationError:
        raise ValueError(f"must be {LOWEST_DEALT} or a card such as 3D") from None


def _auto_pass(written: object) -> tuple[PassReason, ...]:
    named = list(_listed(written))
    reasons = tuple(reason for reason in AUTOMATIC if reason.value in named)
    if len(reasons) != len(named):
        raise ValueError(f"may only name {' and '.join(AUTOMATIC)}, each once")
    return reasons


def _passes_in_words(reasons: tuple[PassReason, ...]) -> str:
    return "; ".join(_where(*WHY_AUTOMATIC[reason]) for reason in reasons) or "never"


def _where(clause: str, why: str) -> str:
    return f"where {why} ({clause})"


def _point_tiers(written: object) -> Tiers:
    tiers = tuple(_tier(tier) for tier in _listed(written))
    if any(low[0] >= high[0] for low, high in pairwise(tiers)):
        raise ValueError("must name rising numbers of cards")
    return tiers


def _tier(tier: object) -> tuple[int, int]:
    match tier:
        case [int(cards), int(factor)] if bool not in (type(cards), type(factor)):
            if 1 <= cards <= MOST_CARDS and 1 <= factor <= HIGHEST_FACTOR:
                return cards, factor
    raise ValueError(f"must hold pairs of cards (1–{MOST_CARDS}) and a factor (1–{HIGHEST_FACTOR})")


def _tiers_in_words(tiers: Tiers) -> str:
    return ", ".join(f"×{factor} from {cards} cards on" for cards, factor in tiers) or "never"


SUIT_ORDER: Final = Form(
    "the letters of the four suits, low to high, such as `DCHS`",
    _suits,
    {"enum": ["".join(order) for order in permutations(SUITS)]},
    lambda suits: f"low to high {suit_glyphs(suits)}",
)
STRAIGHT_LIST: Final = Form(
    "a list of five-rank texts, low to high",
    _straights,
    {"type": "array", "uniqueItems": True, "items": {"enum": list(SEQUENCES)}},
    lambda straights: " < ".join(straights) or "none",
)
OPENING_CARD: Final = Form(
    "`lowest_dealt` or a card such as `3D`",
    _opening_card,
    {"enum": [LOWEST_DEALT, *(card_text(card) for card in PACK)]},
    lambda card: (
        "the lowest card dealt"
        if card is None
        else f"{card_glyph(card)}, or the lowest dealt where nobody has it"
    ),
)
AUTO_PASSES: Final = Form(
    "a list of `two_of_spades`, `too_few_cards`",
    _auto_pass,
    {"type": "array", "uniqueItems": True, "items": {"enum": [reason.value for reason in AUTOMATIC]}},
    _passes_in_words,
)
POINT_TIERS: Final = Form(
    "a list of `[cards, factor]`, both rising",
    _point_tiers,
    {
        "type": "array",
        "items": {
            "type": "array",
            "prefixItems": [
                {"type": "integer", "minimum": 1, "maximum": MOST_CARDS},
                {"type": "integer", "minimum": 1, "maximum": HIGHEST_FACTOR},
            ],
            "minItems": 2,
            "maxItems": 2,
        },
    },
    _tiers_in_words,
)
