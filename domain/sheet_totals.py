"""What a score sheet comes to: its house rules, each hand's settlement, and a row of totals for each player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce

import msgspec

from big2.rulesets import MOST_CARDS, RuleSet
from big2.settlement import Settlement, settle_outcome
from domain.scoresheet import SheetHand
from domain.sheet_checks import result_of

EVERYBODY = "*"
"""The name of the row of sums."""
REGULAR_SHARE = 4
"""A regular has played one of so many hands at least."""
SETTLEMENTS_KEPT = 16_384
"""Results are few, and settling one takes longer than reading it."""
FULL_FACTOR = 3
"""What the points of a player count who has played no card."""

COLUMNS = (
    "name",
    "is_regular",
    "game_count",
    "win_count",
    "fry_count",
    "real_losses",
    "net_score",
    "win_fraction",
    "fry_fraction",
    "real_losses_per_game",
    "net_score_per_game",
)

RulesOf = Callable[[SheetHand], RuleSet]


def sheet_switches(fry_cards: int) -> dict[str, object]:
    """R12: what a sheet's house rules are, over any base; `fry_cards` is its `F`. A sheet tells no twos.

    >>> sheet_switches(11)["point_tiers"], sheet_switches(13)["point_tiers"]
    ([[11, 2], [13, 3]], [[13, 3]])
    """
    double = [[fry_cards, 2]] if fry_cards < MOST_CARDS else []
    return {
        "direction": "clockwise",
        "comparison": "every_pair",
        "last_card": "liable",
        "liability": "takes_all",
        "point_tiers": [*double, [MOST_CARDS, FULL_FACTOR]],
        "twos": "none",
    }


class Totals(msgspec.Struct, frozen=True):
    """A player's year, or everybody's: hands played, won, and lost with so many cards left that points were doubled.

    `real_losses` are points before players are compared, after the factors and after "takes all"; `net_score` is in
    points.
    """

    name: str
    is_regular: bool = False
    game_count: int = 0
    win_count: int = 0
    fry_count: int = 0
    real_losses: int = 0
    net_score: int = 0

    def plus(self, other: Totals) -> Totals:
        """Both together, under this name."""
        return Totals(
            self.name,
            False,
            self.game_count + other.game_count,
            self.win_count + other.win_count,
            self.fry_count + other.fry_count,
            self.real_losses + other.real_losses,
            self.net_score + other.net_score,
        )

    def texts(self) -> tuple[str, ...]:
        """The row under COLUMNS: the counts, then four of them for each game, rounded to four places."""
        counted = (self.win_count, self.fry_count, self.real_losses, self.net_score)
        quotients = (quotient(count, self.game_count) for count in counted)
        return (self.name, str(self.is_regular), str(self.game_count), *map(str, counted), *quotients)


def totals(hands: Sequence[SheetHand], rules_of: RulesOf) -> tuple[Totals, ...]:
    """A row for each player, regulars first, who loses least a game before the others, then the row of sums.

    Of equals who appeared first stands first. `rules_of` gives the rule set of a hand; there must be one hand at least.
    """
    rows: dict[str, Totals] = {}
    for hand in hands:
        for row in _hand_rows(hand, settled(hand, rules_of(hand))):
            rows[row.name] = rows[row.name].plus(row) if row.name in rows else row
    everybody = reduce(Totals.plus, rows.values(), Totals(EVERYBODY))
    told = [_with_standing(row, len(hands)) for row in (*rows.values(), everybody)]
    told[:-1] = sorted(told[:-1], key=lambda row: (not row.is_regular, row.real_losses / row.game_count))
    return tuple(told)


def settled(hand: SheetHand, rules: RuleSet) -> Settlement:
    """A hand's settlement in points: no stacks, nothing is cut (R8.3)."""
    return _settled(rules, hand.cards_left, hand.liable)


@lru_cache(maxsize=SETTLEMENTS_KEPT)
def _settled(rules: RuleSet, cards_left: tuple[int, ...], liable: int | None) -> Settlement:
    result = result_of(cards_left, liable)
    return settle_outcome(rules, result, 1, dict.fromkeys(result.seats))


def quotient(number: int, count: int) -> str:
    """A quotient rounded to four places, without zeros at its end.

    >>> quotient(1, 4), quotient(3, 1), quotient(-2, 3), quotient(-1, 99_999)
    ('0.25', '3', '-0.6667', '0')
    """
    text = f"{number / count:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _hand_rows(hand: SheetHand, settlement: Settlement) -> Iterable[Totals]:
    """The winner has no points, so what a player owes him is all of his own."""
    to_winner = {t.payer: t.due for t in settlement.transfers if t.receiver == hand.winner}
    for seat, (name, left) in enumerate(zip(hand.players, hand.cards_left, strict=True), 1):
        yield Totals(
            name,
            game_count=1,
            win_count=int(seat == hand.winner),
            fry_count=int(left >= hand.fry_cards),
            real_losses=to_winner.get(seat, 0),
            net_score=settlement.net[seat],
        )


def _with_standing(row: Totals, hands: int) -> Totals:
    return msgspec.structs.replace(row, is_regular=REGULAR_SHARE * row.game_count >= hands)
