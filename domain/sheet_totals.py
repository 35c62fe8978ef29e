"""What a score sheet comes to: its house rules, each hand's settlement, and a row of totals for each player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from big2.rulesets import MOST_CARDS, RuleSet
from big2.settlement import Outcome, Settlement, settle_outcome
from big2.table import SEATS, Direction
from domain.scoresheet import SheetHand

EVERYBODY = "*"
"""The name of the row of sums."""
REGULAR_SHARE = 4
"""A regular has played one of so many hands at least."""
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
            rows[row.name] = _sum(row.name, [rows.get(row.name, Totals(row.name)), row])
    everybody = _sum(EVERYBODY, list(rows.values()))
    told = [_with_standing(row, len(hands)) for row in (*rows.values(), everybody)]
    told[:-1] = sorted(told[:-1], key=lambda row: (not row.is_regular, row.real_losses / row.game_count))
    return tuple(told)


def settled(hand: SheetHand, rules: RuleSet) -> Settlement:
    """A hand's settlement in points: no stacks, nothing is cut (R8.3). Who dealt makes no difference then."""
    seats = SEATS[: len(hand.players)]
    outcome = Outcome(
        seats,
        seats[0],
        Direction.CLOCKWISE,
        hand.winner,
        dict(zip(seats, hand.cards_left, strict=True)),
        dict.fromkeys(seats, 0),
        hand.liable,
    )
    return settle_outcome(rules, outcome, 1, dict.fromkeys(seats))


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


def _sum(name: str, rows: Sequence[Totals]) -> Totals:
    return Totals(
        name,
        game_count=sum(row.game_count for row in rows),
        win_count=sum(row.win_count for row in rows),
        fry_count=sum(row.fry_count for row in rows),
        real_losses=sum(row.real_losses for row in rows),
        net_score=sum(row.net_score for row in rows),
    )
