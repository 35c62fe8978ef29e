"""Hands to be told: one for each thing that a telling must say, as JSON texts by name."""

import json
from collections.abc import Iterator

from big2.actions import Passed
from big2.cards import mask_text
from big2.history import ActionOnRecord, action_on_record
from big2.record import FORMAT, write_settlement
from big2.settlement import settle
from big2.state import apply, start
from big2.table import Direction
from tests.big2.play import mask, rules, taken

DEALT = {
    1: "3D 4D 5D 6D 7D 8D 8C 8H 9D 9C KH KS 2S",
    2: "3C 4C 5C 6C 7C 8S 9H TD TC JD QD KD AD",
    3: "3H 4H 5H 6H 7H 9S TH JC JH QC KC AC 2D",
    4: "3S 4S 5S 6S 7S TS JS QH QS AH AS 2C 2H",
}
DRAGON = {
    1: "3D 4C 5H 6S 7D 8C 9H TS JD QC KH AS 2D",
    2: "3C 3H 3S 4D 4H 4S 5D 5C 5S 6D 6C 6H 7C",
}
TO_THE_LAST_CARD = (
    "3D 4D 5D 6D 7D", "pass", "pass", "pass",
    "8D 8C 8H 9D 9C", "pass", "clock", "pass",
    "KH KS", "pass", "pass", "AH AS", "pass", "pass",
)  # fmt: skip
"""Seat 1 is down to 2♠, seat 4 leads; four seats, clockwise."""


def told(
    *moves: str,
    deal=DEALT,
    named="actionpoker",
    direction=Direction.CLOCKWISE,
    leader=None,
    names=("Ann", "Bob", "Cat", "Dan"),
    stack=100,
    unit=5,
    **members,
) -> dict:
    """A history of these moves; settled if somebody is out."""
    rule_set = rules(named) if isinstance(named, str) else rules(**named)
    holdings = {seat: mask(text) for seat, text in deal.items()}
    hand = start(rule_set, dealer=2, direction=direction, leader=leader, holdings=holdings)
    actions = []
    for move in moves:
        for action in taken(hand, move):
            actions.append(_written(action_on_record(action)))
            hand = apply(hand, action)
    stacks = dict.fromkeys(deal, stack)
    settlement = None if hand.winner is None else write_settlement(settle(hand, unit, stacks))
    history = {
        "format": FORMAT,
        "rules": named,
        "unit": unit,
        "seats": [{"seat": seat, "player": names[seat - 1], "stack": stack} for seat in deal],
        "dealer": 2,
        "direction": str(direction),
        "leader": leader or "lowest_card",
        "deal": {str(seat): mask_text(holding) for seat, holding in holdings.items()},
        "actions": actions,
        "settlement": settlement,
    }
    return history | members


def _written(recorded: ActionOnRecord) -> dict:
    action = recorded.action
    if isinstance(action, Passed):
        return {"seat": action.seat, "pass": str(action.reason)} | _breach(recorded)
    by = {"by": "clock"} if action.by == "clock" else {}
    return {"seat": action.seat, "play": mask_text(action.mask)} | by | _breach(recorded)


def _breach(recorded: ActionOnRecord) -> dict:
    return {} if recorded.breach is None else {"breach": recorded.breach}


def _hands() -> Iterator[tuple[str, dict]]:
    three = {seat: DEALT[seat] for seat in (1, 2, 4)}
    yield "liable", told(*TO_THE_LAST_CARD, "3S", "2S", number=7, hand_id="h7", tournament_id="t1")
    yield (
        "three-seats-counterclockwise",
        told(
            "3D 4D 5D 6D 7D", "clock", "pass", "8D 8C 8H 9D 9C", "pass", "pass",
            "KH KS", "AH AS", "pass", "3S", "AD", "2S",
            deal=three, direction=Direction.COUNTERCLOCKWISE, stack=None, unit=1,
            named={"base": "high-low", "direction": "counterclockwise", "point_tiers": [[10, 2]]},
        ),
    )  # fmt: skip
    yield "unfinished", told("clock", "7C", "2D", "pass", "2S", leader=1)
    yield "too-few-cards", told(*TO_THE_LAST_CARD, "2C 2H", "pass", "pass")
    yield "voided", told("3D", "3C", voided=True, leader=1)
    yield (
        "three-and-four-of-a-kind",
        told(
            "8D 8C 8H", "pass", "3D", "TD TC TH TS", "pass",
            deal={
                1: "3D 4D 5D 6D 7D 8D 8C 8H 9D 9C JD QD 2D",
                2: "3C 3H 3S 4C 5C 6C 7C 9H TD TC TH TS KD",
            },
            leader=1,
            named={"base": "actionpoker", "quads_kicker": False, "quads_beat_any": True},
        ),
    )  # fmt: skip
    yield "dragon", told(deal=DRAGON, named={"base": "actionpoker", "dragon": True}, stack=20)
    yield "nobody-could-pay", told(*TO_THE_LAST_CARD, "3S", "2S", stack=20)
    hostile = ("\x1b[31mEve", "[bold]Bob[/bold]", "\u202enaC", "鋤大弟" * 20)
    yield "hostile-names", told("3D", names=hostile, number="\x07", hand_id={"a": ["\x1b"]})
    yield (
        "illegal",
        _changed(told("3D", "3C", "3H"), lambda h: h["actions"].append({"seat": 4, "play": "3H"})),
    )
    yield (
        "illegal-pass",
        _changed(told("3D"), lambda h: h["actions"].append({"seat": 2, "pass": "too_few_cards"})),
    )
    yield "missing-pass", _changed(told("3D", "3C", "3H", "pass", "2S"), lambda h: h["actions"].pop())
    yield (
        "after-the-end",
        _changed(
            told(deal=DRAGON, named={"base": "actionpoker", "dragon": True}),
            lambda h: h["actions"].append({"seat": 2, "play": "3C"}),
        ),
    )
    yield (
        "wrong-settlement",
        _changed(told(*TO_THE_LAST_CARD, "3S", "2S"), lambda h: h["settlement"]["transfers"].pop()),
    )
    yield "no-settlement", _changed(told(*TO_THE_LAST_CARD, "3S", "2S"), lambda h: h.pop("settlement"))
    recorded = _recorded(
        told(
            *TO_THE_LAST_CARD,
            "3S",
            "2S",
            stack=None,
            number=8,
            played_at="2013-03-19T00:00:00Z",
            rules_named="club@2",
        )
    )
    yield "recorded", recorded
    yield "recorded-voided", recorded | {"settlement": None, "voided": True}
    settlement = recorded["settlement"]
    no_winner = settlement | {"cards_left": {**settlement["cards_left"], "1": 4}}
    yield "recorded-without-a-winner", recorded | {"settlement": no_winner}
    yield "malformed", _changed(told("3D"), lambda h: h["deal"].update({"2": "3D"}))


def _recorded(history: dict) -> dict:
    """The same hand, of which only the result is known."""
    return {name: value for name, value in history.items() if name != "deal"} | {
        "recorded": True,
        "actions": [],
    }


def _changed(history: dict, change) -> dict:
    change(history)
    return history


HANDS = {name: json.dumps(history) for name, history in _hands()}
