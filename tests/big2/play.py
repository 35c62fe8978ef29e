"""What the tests of the rules share: the presets, small hands, and hands played by a script or at random."""

import random
import tomllib
from pathlib import Path

from big2.cards import PACK, mask_of, parse_cards
from big2.hand import Hand, apply, clock_action, may_pass, options, pass_turn, play, start
from big2.rulesets import RuleSet, ruleset_from_mapping
from big2.table import Direction

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
CLOCKWISE, COUNTERCLOCKWISE = Direction


def read_preset(path: Path) -> RuleSet:
    return ruleset_from_mapping(tomllib.loads(path.read_text(encoding="utf-8")), {})


PRESETS = {path.stem: read_preset(path) for path in sorted((ROOT / "config/rules").glob("*.toml"))}
ROOMS = ("actionpoker", "dealer-puck", "english-harbour", "high-low")
"""The presets of the card rooms (S0–S3), whose rules the clauses tell."""


def rules(base: str = "actionpoker", **switches: object) -> RuleSet:
    return ruleset_from_mapping({"base": base, **switches}, PRESETS)


def cards(text: str):
    return parse_cards(text)


def mask(text: str) -> int:
    return mask_of(parse_cards(text))


def dealt(rule_set: RuleSet, holdings: dict[int, str], *, leader=None, dealer=1, direction=CLOCKWISE) -> Hand:
    """A hand of few cards; the rules do not mind."""
    masks = {seat: mask(text) for seat, text in holdings.items()}
    return start(rule_set, dealer=dealer, direction=direction, leader=leader, holdings=masks)


def taken(hand: Hand, move: str):
    """The actions of the seat to act: `pass`, `clock`, or cards."""
    assert hand.turn is not None
    if move == "clock":
        return clock_action(hand)
    return pass_turn(hand, hand.turn) if move == "pass" else play(hand, hand.turn, cards(move))


def after(hand: Hand, *moves: str) -> Hand:
    for move in moves:
        for action in taken(hand, move):
            hand = apply(hand, action)
    return hand


def random_deal(rng: random.Random, seats: tuple[int, ...]) -> dict[int, int]:
    pack = rng.sample(PACK, 52)
    return {seat: mask_of(pack[13 * place : 13 * place + 13]) for place, seat in enumerate(seats)}


def random_start(rng: random.Random, rule_set: RuleSet) -> Hand:
    seats = tuple(sorted(rng.sample((1, 2, 3, 4), rng.choice((2, 3, 4)))))
    return start(
        rule_set,
        dealer=rng.choice((1, 2, 3, 4)),
        direction=rng.choice((CLOCKWISE, COUNTERCLOCKWISE)),
        leader=rng.choice((None, rng.choice(seats))),
        holdings=random_deal(rng, seats),
    )


def random_actions(rng: random.Random, hand: Hand):
    """Whatever the seat to act may do, and the automatic passes that follow."""
    choices = options(hand)
    if may_pass(hand) and (not choices or rng.random() < 0.3):
        return pass_turn(hand, hand.turn)
    if rng.random() < 0.1:
        return clock_action(hand)
    card_set, _ = rng.choice(choices)
    return play(hand, hand.turn, [card for card in PACK if card_set.mask >> card & 1])


def random_hand(rng: random.Random, rule_set: RuleSet):
    """A whole hand: as dealt, its actions, and each state from the deal to the end."""
    hand = random_start(rng, rule_set)
    states, actions = [hand], []
    while hand.turn is not None:
        for action in random_actions(rng, hand):
            hand = apply(hand, action)
            actions.append(action)
            states.append(hand)
    return states, actions
