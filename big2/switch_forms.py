"""R12: the forms that a switch may have: how each is read, what JSON Schema says of it, and its values in words.

A form reads one written value into the rule set's own, or raises a `ValueError` that says what must be there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, permutations
from typing import Any, Final, TypeVar

from big2.actions import AUTOMATIC, WHY_AUTOMATIC, PassReason
from big2.cards import GLYPHS, PACK, RANKS, SUITS, Card, card_glyph, card_text, parse_stored_card
from big2.errors import NotationError
from big2.quoted import all_quoted, quoted

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
        raise ValueError(f"must be one of {', '.join(choices)}, and not {quoted(written)}")

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
        # whatever is wrong with a switch is one error, of one type
        raise ValueError(f"must be true or false, not {quoted(written)}")  # noqa: TRY004
    return written


def _suits(written: object) -> str:
    if not isinstance(written, str) or sorted(written) != sorted(SUITS):
        raise ValueError(
            f"must name the four suits D, C, H and S, each once, low to high, not {quoted(written)}"
        )
    return written


def suit_glyphs(suits: str) -> str:
    """The suits low to high, as people know them.

    >>> suit_glyphs("CDHS")
    '♣ ♦ ♥ ♠'
    """
    return " ".join(GLYPHS[SUITS.index(suit)] for suit in suits)


def _listed(written: object) -> list[object]:
    if not isinstance(written, list | tuple):
        raise ValueError(f"must be a list, not {quoted(written)}")  # noqa: TRY004
    return list(written)


def _refuse(*faults: str) -> None:
    """One error for all that is wrong with a switch; a fault without a text is none."""
    if any(faults):
        raise ValueError("; ".join(filter(None, faults)))


def _strangers(named: Sequence[object], known: Sequence[str], offered: str) -> str:
    """The fault of a list that names what is not offered; no text where it names nothing else."""
    strangers = [each for each in named if each not in known]
    return f"may only name {offered}, not {all_quoted(strangers)}" if strangers else ""


def _twice(named: Sequence[object], known: Sequence[str]) -> str:
    """The fault of a list that names something twice; no text where it does not."""
    twice = [each for each in known if named.count(each) > 1]
    return f"names {', '.join(twice)} twice" if twice else ""


def _straights(written: object) -> tuple[str, ...]:
    named = _listed(written)
    _refuse(_strangers(named, SEQUENCES, ", ".join(SEQUENCES)), _twice(named, SEQUENCES))
    return tuple(map(str, named))


def _opening_card(written: object) -> Card | None:
    if written == LOWEST_DEALT:
        return None
    try:
        return parse_stored_card(written if isinstance(written, str) else "")
    except NotationError:
        raise ValueError(f"must be {LOWEST_DEALT} or a card such as 3D, not {quoted(written)}") from None


def _auto_pass(written: object) -> tuple[PassReason, ...]:
    named, offered = _listed(written), [reason.value for reason in AUTOMATIC]
    _refuse(_strangers(named, offered, " and ".join(offered)), _twice(named, offered))
    return tuple(reason for reason in AUTOMATIC if reason.value in named)


def _passes_in_words(reasons: tuple[PassReason, ...]) -> str:
    return "; ".join(_where(*WHY_AUTOMATIC[reason]) for reason in reasons) or "never"


def _where(clause: str, why: str) -> str:
    return f"where {why} ({clause})"


def _point_tiers(written: object) -> Tiers:
    listed = _listed(written)
    tiers = tuple(tier for tier in map(_tier, listed) if tier)
    _refuse(_no_tiers([each for each in listed if not _tier(each)]), _falling(tiers))
    return tiers


def _no_tiers(strangers: Sequence[object]) -> str:
    form = f"[cards, factor], cards 1–{MOST_CARDS} and a factor 1–{HIGHEST_FACTOR}"
    return f"must hold {form}, not {all_quoted(strangers)}" if strangers else ""


def _falling(tiers: Tiers) -> str:
    falls = [f"{high} after {low}" for (low, _), (high, _) in pairwise(tiers) if low >= high]
    return f"must name rising numbers of cards, not {', '.join(falls)}" if falls else ""


def _tier(tier: object) -> tuple[int, int] | None:
    match tier:
        case [int(cards), int(factor)] if bool not in (type(cards), type(factor)):
            if 1 <= cards <= MOST_CARDS and 1 <= factor <= HIGHEST_FACTOR:
                return cards, factor
    return None


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
