"""Whole tournaments under random rulings: whatever chips they give and take, and whoever they remove or bring back,
nothing is ever raised, and the tournament comes to its end with everybody placed."""

from random import Random

import pytest

from domain.placing import Tally
from domain.prizes import prize_table, rewarded
from domain.tournament import Finished, PrizesAwarded, State
from domain.tournament_events import (
    Correction,
    Imposed,
    PenaltiesImposed,
    PlayerReinstated,
    ResultCorrected,
)
from tests.domain import recorded
from tests.domain.given import TOURNAMENT, players, terms
from tests.domain.memory import Memory

TINY = {"stack_points": 8, "hands_per_level": 1, "unit": 3}
SEEDS = range(12)
MOST = 6
"""Rulings a tournament: each may bring somebody back."""


class Bench:
    """Directors who rule at random on the last hand of some open table."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.left = MOST

    def rules(self, t, open_tables):
        """The events of a ruling that is final now, or none."""
        hands = [table for table in open_tables if table.last_hand_id is not None]
        if not hands or not self.left or self.random.random() < 0.7:
            return []
        self.left -= 1
        table = self.random.choice(hands)
        ruled = self.random.choice([self.corrects, self.punishes, self.pardons])
        return ruled(t, table)

    def corrects(self, t, table):
        """Often everybody's last chip is taken."""
        of = self.random.choice([{}, dict.fromkeys(table.seats, -t.structure.stack * 9)])
        chips = {seat: of.get(seat, self.random.randint(-60, 60)) for seat in table.seats}
        return [
            ResultCorrected(
                hand_id=table.last_hand_id,
                table_id=table.table_id,
                changes=tuple(
                    Correction(taken.player_id, Tally(), chips[seat]) for seat, taken in table.seats.items()
                ),
                stacks=True,
            )
        ]

    def punishes(self, t, table):
        kinds = (
            ["chips", "disqualification"]
            if t.structure.recorded
            else ["chips", "sit_out", "disqualification"]
        )
        some = [taken for taken in table.seats.values() if self.random.random() < 0.8]
        given = [(taken.player_id, self.random.choice(kinds)) for taken in some]
        amounts = {"chips": self.random.choice([5, 10_000]), "sit_out": 2, "disqualification": None}
        penalties = tuple(Imposed(player, kind, amounts[kind]) for player, kind in given)
        return [PenaltiesImposed(hand_id=table.last_hand_id, table_id=table.table_id, penalties=penalties)]

    def pardons(self, t, table):
        if not t.outs:
            return []
        player = self.random.choice(t.outs).player_id
        return [
            PlayerReinstated(
                player_id=player,
                hand_id=table.last_hand_id,
                number=t.reinstated + 1,
                chips=self.random.randint(1, 40),
            )
        ]


class Dealt(Memory):
    """A ruling is final now and then, whatever runs."""

    def __init__(self, entrants, seed, **structure):
        super().__init__(terms(**TINY | structure), entrants, seed=seed)
        self.bench = Bench(seed)

    def look(self):
        ruled = self.bench.rules(self.tournament, self.open_tables)
        if ruled:
            self.record({TOURNAMENT: ruled})
        return super().look() + len(ruled)


class Told(recorded.Hall):
    """Between two results a ruling is final now and then."""

    def __init__(self, entrants, seed, **structure):
        super().__init__(entrants, seed, **TINY | structure)
        self.bench = Bench(seed)

    def result(self, table, result=None):
        ruled = self.bench.rules(self.tournament, self.open_tables())
        if ruled:
            self.ruled(ruled)
        elif table in self.free_tables():
            super().result(table, result)


def ended(played):
    t = played.tournament
    assert t.state is State.FINISHED
    (finished,) = played.events(Finished)
    (awarded,) = played.events(PrizesAwarded)
    assert sorted(s.player_id for s in finished.standings) == sorted(players(t.entrant_count))
    assert finished.standings[0].place == 1
    assert sum(prize.amount for prize in awarded.prizes) == 10_000
    winners = {prize.player_id for prize in awarded.prizes}
    assert not winners & t.disqualified or len(t.disqualified) == t.entrant_count
    most = len(prize_table(t.structure.prizes_bp, t.entry_count, rewarded(t.entrant_count, t.disqualified)))
    assert len(winners) >= min(most, 1)
    return finished.standings


@pytest.mark.parametrize("entrants", [2, 4, 9])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_dealt_tournament_ends_whatever_is_ruled(entrants, seed):
    ended(Dealt(entrants, seed).play_on())


@pytest.mark.parametrize("entrants", [2, 4, 9])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_recorded_tournament_ends_whatever_is_ruled(entrants, seed):
    ended(Told(entrants, seed).play_on())


def test_some_of_them_end_with_nobody_left():
    finals = [ended(Dealt(2, seed).play_on()) for seed in SEEDS]
    assert any(standings[0].tied for standings in finals)
