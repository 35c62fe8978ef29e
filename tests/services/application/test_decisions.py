"""The record of each decision: once a hand is over it says again what each seat was told when it decided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from domain.hand import HAND
from domain.ids import CredentialId
from services.application import resources as shapes
from services.application.decisions import FRAME, frame, steps
from services.application.handviews import hand_view, legal_plays
from services.envelope import Command
from tests.services.projections.house import House

CREDENTIAL = CredentialId(UUID(int=77))


class Watched(House):
    """A house that keeps what each seat could read just before it acted."""

    def __init__(self, url: str) -> None:
        super().__init__(url, seed=5)
        self.shown: list[tuple[dict, dict]] = []

    def command(self) -> Command:
        return Command(super().command().id, f"credential/{CREDENTIAL}", "")

    def act_in(self, hand) -> None:
        actor = self.actor(hand)
        stream = self.store.load(HAND, hand.hand_id)
        read = shapes.as_json(hand_view(stream, {}, actor, {}, breaches=False))
        self.shown.append((read, shapes.as_json(legal_plays(self, actor, hand.hand_id))))
        before = stream.version
        super().act_in(hand)
        if self.store.load(HAND, hand.hand_id).version == before:  # time went by instead
            self.work()


@pytest.fixture(scope="module")
def played(database_url) -> Iterator[tuple[Watched, list, list]]:
    """A hand that the clock played in too, two actions of it void: its steps, and what was read at each turn."""
    house = Watched(database_url)
    t = house.started(3, seats_per_table=3)
    house.absent = set()
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    seats = house.hand(hand).terms.seats
    for _ in range(4):
        house.act(hand)
    house.take_back(hand, 2)
    house.absent = {seats[0].player_id}
    house.play_out(hand)
    recorded = house.store.load(HAND, hand).recorded
    yield house, list(steps(recorded)), list(recorded)
    house.close()


def by_hand(read: dict) -> str:
    """The frame's digest, from what a client has read alone."""
    shown = {name: read[name] for name in FRAME}
    shown["cards_left"] = {str(seat["seat"]): seat["cards_left"] for seat in read["seats"]}
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_each_frame_is_what_the_seat_could_read_at_its_turn(played):
    house, found, _ = played
    turns = [step for step in found if step.decision.turn is not None]
    assert len(turns) > 10
    read = {view["turn"]["number"]: by_hand(view) for view, _ in house.shown}
    assert {step.decision.turn: step.frame for step in turns} == read


def test_the_legal_plays_are_those_that_it_was_told(played):
    house, found, _ = played
    told = {}
    for _, legal in house.shown:
        plays = sorted([" ".join(item["cards"]), item["breach"]] for item in legal["items"])
        digest = hashlib.sha256(json.dumps(plays, separators=(",", ":")).encode()).hexdigest()
        told[legal["turn"]] = (len(plays), legal["may_pass"], digest, legal["duty"])
    for step in found:
        if step.decision.turn is not None:
            kept, duty = step.decision.legal, step.decision.duty
            assert (kept.plays, kept.may_pass, kept.digest, duty) == told[step.decision.turn]


def test_every_action_is_there_with_who_took_it_and_by_which_request(played):
    _, found, recorded = played
    acted = [r for r in recorded if r.version in {step.version for step in found}]
    assert [step.action for step in found] == list(range(len(found)))
    assert [(step.at, step.command_id) for step in found] == [(r.at, r.command) for r in acted]
    assert {step.by for step in found} >= {"player", "clock"}
    assert {step.credential_id for step in found if step.by == "player"} == {CREDENTIAL}
    assert {step.credential_id for step in found if step.by == "clock"} == {None}


def test_the_time_left_is_the_deadlines_and_none_where_nobody_had_a_turn(played):
    _, found, _ = played
    for step in found:
        deadline = step.decision.deadline
        if step.by == "player":
            assert step.left_ms == (deadline - step.at) // timedelta(milliseconds=1) >= 0
        elif step.by == "clock":
            assert step.left_ms <= 0
        else:
            assert (step.left_ms, step.decision.legal) == (None, None)


def test_no_seat_is_shown_what_it_does_not_hold(played):
    house, _, recorded = played
    stream = house.store.load(HAND, recorded[0].stream, upto=2)
    for seat, cards in stream.state.terms.cards.items():
        shown = json.loads(frame(stream, seat))
        assert shown["you"]["cards"] == cards.split()
        others = {
            card for other, text in stream.state.terms.cards.items() if other != seat for card in text.split()
        }
        assert not any(f'"{card}"' in json.dumps(shown) for card in others)
