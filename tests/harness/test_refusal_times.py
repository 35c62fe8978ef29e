"""How long a refusal takes says nothing of where a card is: held by the next seat or by another, undealt, or played."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from random import Random
from uuid import UUID

import pytest

import big2.hand
from big2.cards import mask_text
from domain.hand import HAND
from tests.services.http.playing import Game
from tests.services.http.ringing import RingGame

ROUNDS = 100
"""Requests of each kind, in turns: whatever else the machine does, it does to all of them."""
PLANTED = 1.0
"""The difference that must be found, as a part of what a refusal takes here and now."""
TELLING = 5.0
"""Standard deviations of the rank sum: by chance once in three million comparisons."""


def rank_sum(one: Sequence[float], two: Sequence[float]) -> float:
    """Mann and Whitney's statistic as standard deviations from what chance gives; ties do not matter for times."""
    ordered = sorted([(value, 0) for value in one] + [(value, 1) for value in two])
    ranks = sum(rank for rank, (_, which) in enumerate(ordered, 1) if which == 0)
    n, m = len(one), len(two)
    expected, spread = n * (n + m + 1) / 2, (n * m * (n + m + 1) / 12) ** 0.5
    return (ranks - expected) / spread


def differing(times: Mapping[str, Sequence[float]]) -> list[tuple[str, str, float]]:
    """The kinds of refusal that can be told apart, which takes a clear order of ranks and of medians as well."""
    found = []
    for one, two in permutations(times, 2):
        z = rank_sum(times[one], times[two])
        ratio = statistics.median(times[one]) / statistics.median(times[two])
        if z > TELLING and ratio > 1.1:
            found.append((one, two, z))
    return found


def taken(asked: Mapping[str, Callable[[], object]], random: Random) -> dict[str, list[float]]:
    """The seconds of each request of each kind, all in turns and in a new order each time."""
    times: dict[str, list[float]] = {kind: [] for kind in asked}
    for _ in range(ROUNDS):
        for kind in random.sample(list(asked), len(asked)):
            begun = time.perf_counter()
            asked[kind]()
            times[kind].append(time.perf_counter() - begun)
    return times


class Table:
    """A hand some turns in, and who would like to know where a card is: the seat on turn."""

    def __init__(self, game: Game | RingGame, services, hand_id: str) -> None:
        self.path = f"/v1/hands/{hand_id}"
        hand = game.hand(hand_id)
        self.turn, seat = hand["turn"]["number"], hand["turn"]["seat"]
        self.asking = game.players[next(s["player_id"] for s in hand["seats"] if s["seat"] == seat)]
        state = services.store.load(HAND, UUID(hand_id)).state
        others = [s["seat"] for s in hand["seats"] if s["seat"] != seat]
        self.cards = {f"held by seat {s}": mask_text(state.game.holdings[s]).split()[0] for s in others}
        self.cards["played"] = next(card for a in hand["actions"] for card in a.get("cards", ()))
        if stub := state.terms.stub:
            self.cards["undealt"] = stub.split()[0]

    def refusals(self) -> dict[str, Callable[[], object]]:
        """A play of each of these cards, refused for the same reason and with the same words but for the card."""
        told = {card: self._play(card) for card in self.cards.values()}
        assert len({text.replace(card, "?") for card, text in told.items()}) == 1
        return {kind: lambda card=card: self._play(card) for kind, card in self.cards.items()}

    def explained(self) -> dict[str, Callable[[], object]]:
        """What is to be said of each of these cards."""
        return {kind: lambda card=card: self._explain(card) for kind, card in self.cards.items()}

    def _play(self, card: str) -> str:
        answer = self.asking.post(f"{self.path}/plays", {"turn": self.turn, "cards": [card]})
        assert (answer.status_code, answer.json["type"]) == (422, "/problems/card-not-held")
        return answer.text

    def _explain(self, card: str) -> None:
        told = self.asking.read(f"{self.path}/legal-plays?cards={card}")["explanation"]
        assert not told["playable"]


@pytest.fixture(scope="module")
def tournament_table(app, operator, services) -> Table:
    game = Game(app, operator)
    hand_id = game.hand_id()
    for _ in range(3):
        game.act(hand_id)
    return Table(game, services, hand_id)


@pytest.fixture(scope="module")
def ring_table(app, operator, services) -> Table:
    """Of three seats, so that thirteen cards are undealt."""
    ring = RingGame(app, operator, seats=3)
    ring.operator.made(f"{ring.path}/pause")
    for seat in (1, 2, 3):
        ring.sit(seat)
    ring.operator.made(f"{ring.path}/resume")
    hand_id = ring.hand_id()
    ring.act(hand_id)
    return Table(ring, services, hand_id)


def test_a_refused_play_takes_as_long_wherever_the_card_is(tournament_table, ring_table):
    for table in (tournament_table, ring_table):
        assert not differing(taken(table.refusals(), Random("refusals")))


def test_an_explanation_takes_as_long_wherever_the_card_is(ring_table):
    assert not differing(taken(ring_table.explained(), Random("explained")))


def test_a_planted_difference_is_found(ring_table, monkeypatch):
    asked = ring_table.refusals()
    real = big2.hand._not_held
    seconds = PLANTED * statistics.median(taken(asked, Random("before"))["played"])

    def slower(hand, seat, mask):
        if any(held & mask for held in hand.holdings):
            time.sleep(seconds)
        return real(hand, seat, mask)

    monkeypatch.setattr(big2.hand, "_not_held", slower)
    found = differing(taken(asked, Random("planted")))
    held = {kind for kind in asked if kind.startswith("held")}
    assert {(one, two) for one, two, _ in found} >= {
        (one, two) for one in held for two in ("played", "undealt")
    }


def test_the_statistic_tells_what_differs_and_nothing_else():
    random = Random("statistic")
    noise = lambda extra: [random.lognormvariate(0, 0.5) + extra for _ in range(ROUNDS)]  # noqa: E731
    assert not differing({"a": noise(0), "b": noise(0), "c": noise(0)})
    assert {(one, two) for one, two, _ in differing({"a": noise(0), "b": noise(1.0)})} == {("b", "a")}
