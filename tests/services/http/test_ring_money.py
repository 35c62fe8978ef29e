"""R8 in money, at real ring tables, card by card: who pays whom how much, in the books, the wallets and in words.

A, B, C and D sit at seats 1 to 4, and the button is A's. One unit is 1 $, the ante 30 ¢; stacks are after the ante.
"""

from __future__ import annotations

import json
from typing import NamedTuple
from uuid import UUID

import pytest
from click.testing import CliRunner

from big2.history import verify
from domain.hand import HAND
from services.bootstrap import presets
from tests.services.http.driving import Api
from tests.services.http.lines import line_to, play_line, play_to
from tests.services.http.outside import prove_books
from tests.services.http.recording import errors
from tests.services.http.ringing import RingGame, regulars
from workers.cli import main

UNIT, ANTE = 100, 30
SHORT = {"name": "short", "currency": "USD", "steps": [{"unit": UNIT, "buy_in": UNIT + ANTE, "ante": ANTE}]}
"""Who buys in for the least has a single point."""
TIERS = {"base": "actionpoker", "point_tiers": [[10, 2], [13, 3]]}
NAMES = ("Ann", "Ben", "Cy", "Dee")
RICH = (9970, 9970, 9970, 9970)
D_SHORT = (2000, 300, 5000, 100)
DEALS, TRIES = 20, 2000
"""So many tables are opened for an end to which the cards of a deal do not lead, and so many lines tried at each."""


class Played(NamedTuple):
    """A hand that has ended; its players by seat; what was in their wallets before they sat down."""

    ring: RingGame
    hand: dict
    players: list[str]
    before: list[int]

    @property
    def payments(self) -> list[str]:
        """As the examples below tell them."""
        return [told(transfer) for transfer in self.hand["settlement"]["transfers"]]


def told(t: dict) -> str:
    payer, receiver = "-ABCD"[t["from"]], "-ABCD"[t["to"]]
    what = f"{payer} covers {receiver}" if t.get("covers") else f"{payer} pays {receiver} for {t['points']}"
    return f"{what}: {t['paid']}" + (f" of {t['due']}" if t["paid"] < t["due"] else "")


class House:
    """Where A, B, C and D play."""

    def __init__(self, app, operator: Api, services) -> None:
        self.app, self.operator, self.services = app, operator, services
        self.schedule = operator.made("/v1/stakes", SHORT)["reference"]
        operator.made("/v1/rulesets", {"name": "tiers", "rules": TIERS})
        self.players = regulars(app, operator, *NAMES)

    def played(
        self, rules: str, stacks: tuple[int, ...], left: tuple[int, ...], liable: int | None
    ) -> Played:
        """A hand that ends so. Not each deal can: who holds the lowest card, say, keeps no thirteen."""
        by_seat = dict(enumerate(left, 1))
        for _ in range(DEALS):
            ring = RingGame(
                self.app, self.operator, rules=rules, stake={"schedule": self.schedule, "unit": UNIT}
            )
            ring.players = dict(self.players)
            players = list(self.players)[: len(left)]
            before = [ring.purse(player) for player in players]
            ring.sit_together(dict(zip(players, (stack + ANTE for stack in stacks), strict=False)))
            hand_id = ring.hand_id()
            self.operator.made(f"{ring.path}/pause")
            game = self.services.store.load(HAND, UUID(hand_id)).state.game
            if line := line_to(game, by_seat, liable, TRIES):
                return Played(ring, play_line(ring, hand_id, line), players, before)
        raise AssertionError(f"none of {DEALS} deals can end with {left}")


@pytest.fixture(scope="module")
def house(app, operator, services) -> House:
    return House(app, operator, services)


class Example(NamedTuple):
    """A hand's end and what it costs whom: the payments in their order (R8.2), what each wins, who sits out then."""

    rules: str
    stacks: tuple[int, ...]
    left: tuple[int, ...]
    liable: int | None
    payments: str
    net: tuple[int, ...]
    out: str


def example(says: str, *given):
    return pytest.param(Example(*given), id=says)


EXAMPLES = [
    example(
        "S0's example: A loses 4 dollars, B wins 8, C wins 4, D loses 8",
        "actionpoker", RICH, (3, 0, 1, 4), None,
        """
        C pays B for 1: 100
        D pays B for 4: 400
        A pays B for 3: 300
        D pays C for 3: 300
        A pays C for 2: 200
        D pays A for 1: 100
        """,
        (-400, 800, 400, -800), "",
    ),
    example(
        "R8.1: thirteen cards are thirteen points",
        "actionpoker", RICH, (5, 0, 3, 13), None,
        """
        C pays B for 3: 300
        D pays B for 13: 1300
        A pays B for 5: 500
        D pays C for 10: 1000
        A pays C for 2: 200
        D pays A for 8: 800
        """,
        (100, 2100, 900, -3100), "",
    ),
    example(
        "R12: ten cards count twice, thirteen three times",
        "tiers", RICH, (9, 0, 10, 13), None,
        """
        C pays B for 20: 2000
        D pays B for 39: 3900
        A pays B for 9: 900
        D pays C for 19: 1900
        C pays A for 11: 1100
        D pays A for 30: 3000
        """,
        (3200, 6800, -1200, -8800), "",
    ),
    example(
        "R8.4: a liable assistant takes no money and covers everyone's losses",
        "actionpoker", RICH, (3, 0, 5, 9), 1,
        """
        C pays B for 5: 500
        D pays B for 9: 900
        A pays B for 3: 300
        D pays C for 4: 400
        A covers C: 100
        A covers D: 1300
        """,
        (-1700, 1700, 0, 0), "",
    ),
    *(
        example(
            f"R8.4: {preset}: what a liable assistant cannot pay stays unpaid",
            preset, (500, 9970, 9970, 9970), (3, 0, 5, 9), 1,
            """
            C pays B for 5: 500
            D pays B for 9: 900
            A pays B for 3: 300
            D pays C for 4: 400
            A covers C: 100
            A covers D: 100 of 1300
            """,
            (-500, 1700, 0, -1200), "A",
        )
        for preset in ("actionpoker", "high-low")
    ),
    *(
        example(
            f"R8.4: {preset}: he covers in the order of the comparisons",
            preset, (500, 9970, 9970, 9970), (3, 0, 5, 9), 1,
            """
            D pays C for 4: 400
            D pays B for 9: 900
            C pays B for 5: 500
            A pays B for 3: 300
            A covers D: 200 of 1300
            A covers C: 0 of 100
            """,
            (-500, 1700, -100, -1100), "A",
        )
        for preset in ("dealer-puck", "english-harbour")
    ),
    example(
        "R8.4: whom he covers gets back what he lost, not what he was to lose",
        "high-low", (9970, 9970, 9970, 100), (3, 0, 5, 9), 1,
        """
        C pays B for 5: 500
        D pays B for 9: 100 of 900
        A pays B for 3: 300
        D pays C for 4: 0 of 400
        A covers C: 500
        A covers D: 100
        """,
        (-900, 900, 0, 0), "D",
    ),
    *(
        example(
            f"R8.3: {preset}: D has one dollar, and B gets it",
            preset, D_SHORT, (3, 0, 5, 9), None,
            """
            C pays B for 5: 500
            D pays B for 9: 100 of 900
            A pays B for 3: 300
            D pays C for 4: 0 of 400
            C pays A for 2: 200
            D pays A for 6: 0 of 600
            """,
            (-100, 900, -700, -100), "D",
        )
        for preset in ("actionpoker", "high-low")
    ),
    *(
        example(
            f"R8.3: {preset}: C gets D's dollar, and B no more than he had",
            preset, D_SHORT, (3, 0, 5, 9), None,
            """
            D pays C for 4: 100 of 400
            D pays B for 9: 0 of 900
            D pays A for 6: 0 of 600
            C pays B for 5: 300 of 500
            C pays A for 2: 200
            A pays B for 3: 0 of 300
            """,
            (200, 300, -400, -100), "D",
        )
        for preset in ("dealer-puck", "english-harbour")
    ),
    example(
        "R12: hong-kong: only the winner is paid, and nine cards count twice",
        "hong-kong", D_SHORT, (3, 0, 5, 9), None,
        """
        A pays B for 3: 300
        D pays B for 18: 100 of 1800
        C pays B for 5: 500
        """,
        (-300, 900, -500, -100), "D",
    ),
    example(
        "R12: hong-kong: a liable assistant has all the points, and pays what he has",
        "hong-kong", (2000, 300, 500, 9970), (3, 0, 5, 9), 3,
        """
        C pays B for 26: 500 of 2600
        """,
        (0, 500, -500, 0), "C",
    ),
    example(
        "R12: taiwan: only the winner is paid, counter-clockwise from him",
        "taiwan", D_SHORT, (3, 0, 5, 9), None,
        """
        A pays B for 3: 300
        D pays B for 9: 100 of 900
        C pays B for 5: 500
        """,
        (-300, 900, -500, -100), "D",
    ),
    example(
        "R12: pusoy-dos: only the winner is paid, clockwise from him",
        "pusoy-dos", D_SHORT, (3, 0, 5, 9), None,
        """
        C pays B for 5: 500
        D pays B for 9: 100 of 900
        A pays B for 3: 300
        """,
        (-300, 900, -500, -100), "D",
    ),
    example(
        "R8.3: what was cut is not paid later, and D wins from the others",
        "high-low", (2000, 2000, 2000, 100), (5, 0, 7, 3), None,
        """
        C pays B for 7: 700
        D pays B for 3: 100 of 300
        A pays B for 5: 500
        C pays D for 4: 400
        C pays A for 2: 200
        A pays D for 2: 200
        """,
        (-500, 1300, -1300, 500), "",
    ),
    example(
        "R8.3: D's gain is never above what he began with, and he pays of it",
        "english-harbour", (2000, 2000, 2000, 100), (5, 0, 7, 3), None,
        """
        C pays D for 4: 100 of 400
        D pays B for 3: 200 of 300
        A pays D for 2: 200
        C pays B for 7: 700
        C pays A for 2: 200
        A pays B for 5: 500
        """,
        (-500, 1400, -1000, 100), "",
    ),
    example(
        "R8.3: two who have a dollar each lose it",
        "dealer-puck", (100, 300, 100), (5, 0, 7), None,
        """
        C pays B for 7: 100 of 700
        C pays A for 2: 0 of 200
        A pays B for 5: 100 of 500
        """,
        (-100, 200, -100), "AC",
    ),
]  # fmt: skip


@pytest.mark.parametrize("given", EXAMPLES)
def test_r8_in_money(given, house, operator):
    ring, hand, players, before = played = house.played(given.rules, given.stacks, given.left, given.liable)
    assert [seat["stack"] for seat in hand["seats"]] == list(given.stacks)
    assert played.payments == [line.strip() for line in given.payments.strip().splitlines()]
    assert tuple(hand["settlement"]["net"].values()) == given.net
    assert sum(given.net) == 0

    after = [stack + won for stack, won in zip(given.stacks, given.net, strict=True)]
    assert min(after) >= 0
    seats = ring.table()["seats"]
    assert [seat["stack"] for seat in seats] == after
    assert [ring.stack_of(player) for player in players] == after
    assert "".join("-ABCD"[seat["seat"]] for seat in seats if seat["sitting_out"]) == given.out
    assert [stack < UNIT + ANTE for stack in after] == [seat["sitting_out"] for seat in seats]  # R10.4

    assert booked(operator, played) == in_the_books(played)
    assert verify(operator.read(f"/v1/hands/{hand['hand_id']}/history"), presets())["verdict"] == "valid"

    operator.made(f"{ring.path}/close")
    changes = [ring.purse(player) - was for player, was in zip(players, before, strict=True)]
    assert changes == [won - ANTE for won in given.net]


def booked(operator: Api, played: Played) -> list[tuple[str, list[tuple[str, int]]]]:
    """The hand's journals, in order: kind, and account and amount of each line."""
    journals: dict[tuple[str, str], list] = {}
    for line in operator.read(f"/v1/ledger/entries?hand={played.hand['hand_id']}&limit=200")["items"]:
        lines = journals.setdefault((line["journal_id"], line["kind"]), [])
        lines.append((line["account"], line["amount"]))
    return [(kind, lines) for (_, kind), lines in journals.items()]


def in_the_books(played: Played) -> list[tuple[str, list[tuple[str, int]]]]:
    """The same from the hand: antes to the house, then a pair of lines for each payment that moves something (R8.5)."""
    stack = {seat: f"stack/{played.ring.id}/{player}" for seat, player in enumerate(played.players, 1)}
    journals = {"ante": [line for s in stack for line in ((stack[s], -ANTE), ("rake", ANTE))]}
    for t in played.hand["settlement"]["transfers"]:
        if t["paid"]:
            lines = journals.setdefault("cover" if t.get("covers") else "transfer", [])
            lines += [(stack[t["from"]], -t["paid"]), (stack[t["to"]], t["paid"])]
    return list(journals.items())


def test_s0s_example_in_words(house, operator, database_url, monkeypatch):
    """`big2 ledger statement` tells each of the four what the hand was for him."""
    ring, hand, players, _ = house.played("actionpoker", RICH, (3, 0, 1, 4), None)
    operator.made(f"{ring.path}/close")
    monkeypatch.setenv("DATABASE_URL", database_url)
    table = f"ring table {ring.id[:8]}"
    of_hand = f"hand 1 at {table}"
    ante = (f"ante of {of_hand} (R10.1)", -30)
    wanted = {
        "Ann": [
            ante,
            (f"{of_hand}: 3 cards to 0, 3 points × 1.00 USD to Ben", -300),
            (f"{of_hand}: 3 cards to 1, 2 points × 1.00 USD to Cy", -200),
            (f"{of_hand}: 3 cards to 4, 1 point × 1.00 USD from Dee", 100),
        ],
        "Ben": [
            ante,
            (f"{of_hand}: 0 cards to 1, 1 point × 1.00 USD from Cy", 100),
            (f"{of_hand}: 0 cards to 4, 4 points × 1.00 USD from Dee", 400),
            (f"{of_hand}: 0 cards to 3, 3 points × 1.00 USD from Ann", 300),
        ],
        "Cy": [
            ante,
            (f"{of_hand}: 1 card to 0, 1 point × 1.00 USD to Ben", -100),
            (f"{of_hand}: 1 card to 4, 3 points × 1.00 USD from Dee", 300),
            (f"{of_hand}: 1 card to 3, 2 points × 1.00 USD from Ann", 200),
        ],
        "Dee": [
            ante,
            (f"{of_hand}: 4 cards to 0, 4 points × 1.00 USD to Ben", -400),
            (f"{of_hand}: 4 cards to 1, 3 points × 1.00 USD to Cy", -300),
            (f"{of_hand}: 4 cards to 3, 1 point × 1.00 USD to Ann", -100),
        ],
    }  # fmt: skip
    for name, net, player in zip(NAMES, (-400, 800, 400, -800), players, strict=True):
        items = [item for item in statement(name) if item["table_id"] == ring.id]
        of_the_hand = [item for item in items if item["hand_id"] == hand["hand_id"]]
        assert [(item["text"], item["stacks_change"]) for item in of_the_hand] == wanted[name]
        first, *_, last = items
        assert (first["text"], first["wallet_change"]) == (f"buy-in at {table}", -10_000)
        assert (last["text"], last["wallet_change"]) == (f"cash-out from {table}", 9970 + net)
        assert (last["wallet"], last["stacks"]) == (ring.purse(player), first["stacks"] - 10_000)


def statement(name: str) -> list[dict]:
    result = CliRunner().invoke(main, ["ledger", "statement", name, "--json"])
    assert result.exit_code == 0, result.output
    [of] = json.loads(result.stdout)["statements"]
    assert of["closing_wallet"] == of["wallet_stream"]
    return of["items"]


def test_r8_2_s0s_order_of_payments(house):
    """B wins and A has the button: B–C, B–D, B–A, C–D, C–A, D–A."""
    _, hand, *_ = house.played("actionpoker", RICH, (5, 0, 3, 8), None)
    pairs = [{"-ABCD"[t["from"]], "-ABCD"[t["to"]]} for t in hand["settlement"]["transfers"]]
    assert (hand["dealer"], hand["direction"]) == (1, "clockwise")
    assert pairs == [set(pair) for pair in ("BC", "BD", "BA", "CD", "CA", "DA")]


def test_r10_4_whoever_is_short_sits_in_again_once_he_can_pay_a_unit_and_the_ante(house):
    ring, *_ = house.played("actionpoker", D_SHORT, (3, 0, 5, 9), None)
    assert "R10.4" in errors(ring.wish(4, {"sitting_out": False}))["/sitting_out"]
    brought = 100 + ANTE
    assert "R10.4" in errors(ring.wish(4, {"buy_in": brought + 129, "sitting_out": False}))["/sitting_out"]
    seat = ring.wish(4, {"buy_in": brought + 130, "sitting_out": False}).json["seats"][3]
    assert (seat["stack"], seat["sitting_out"]) == (130, False)


def test_whoever_has_lost_all_stands_up_with_nothing(house, app, operator, services):
    ring = RingGame(app, operator, stake={"schedule": house.schedule, "unit": UNIT}, seats=2)
    first = ring.sit(1, ring.player(130), buy_in=130)
    ring.sit(2, buy_in=5000)
    play_to(services, ring, ring.hand_id(), {1: 5, 2: 0})
    assert ring.stacks() == {1: 0, 2: 4970 + 100}
    assert ring.leave(1).status_code == 204
    assert ring.purse(first) == 0


def test_at_last_the_book_is_the_one_that_the_raw_events_make(house, operator, beside, database_url):
    prove_books(operator, beside, database_url)
