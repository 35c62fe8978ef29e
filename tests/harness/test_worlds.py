"""Nobody sees a card early: worlds that differ in cards he may not know give him the same bytes, whatever he asks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from uuid import UUID

import pytest
from msgspec.structs import replace

import big2.hand
from big2.errors import IllegalPlay, RefusalCode
from domain.hand import HAND, Hand
from services.application import handviews, histories
from services.application import resources as shapes
from services.http import feed, play
from services.http.calls import EXTENSION, parts
from services.projections import Projector
from tests.harness.worlds import MAY_DIFFER, Asked, Difference, Pair, Worlds, cards_of, kept, worlds
from tests.services.http.driving import Api

PAIRS = 500
ELSEWHERE = "player elsewhere"
"""He may see his own cards at his own table, and so in the feed of his tournament."""


@pytest.fixture(scope="module", autouse=True)
def _idle_feeds() -> Iterator[None]:
    """A feed without news says so at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed, "HEARTBEAT_SECONDS", 0.0)
        yield


@pytest.fixture(scope="module")
def both(postgres_url: str, request: pytest.FixtureRequest) -> Iterator[Worlds]:
    with worlds(postgres_url, request.getfixturevalue("_migrated")) as made:
        yield made


def found(both: Worlds, asked: list[Asked], pair: Pair) -> list[Difference]:
    return list(both.differences(asked, pair.observer, pair.token, pair.other))


def test_the_other_worlds_are_other_worlds(both):
    for hand in both.floor.hands:
        stored = [cards_of(world.api.app, hand) for world in (both.played, *both.others)]
        for other, (world, cards) in enumerate(zip(both.others, stored[1:], strict=True)):
            assert all(cards[seat] == stored[0][seat] for seat in kept(hand.seats, other))
            assert (cards != stored[0]) == (hand.hand_id in world.differs)
            assert cards[-1] == stored[0][-1], "what lies on the table"


def test_there_is_a_pair_of_each_observer_and_of_hands_of_every_kind(both):
    pairs = both.pairs()
    assert len(pairs) >= PAIRS
    seen = {pair.observer for pair in pairs}
    assert seen >= {"anonymous", "operator", "director", "auditor", "admin", "dashboard 1", "stranger"}
    assert seen >= {"player elsewhere", "seat 1", "seat 2", "seat 3", "seat 4"}
    hands = [pair.hand for pair in pairs]
    assert {len(hand.seats) for hand in hands} == {2, 3, 4}
    assert {hand.over for hand in hands} == {hand.tournament_id is None for hand in hands} == {True, False}
    shown = [both.played.api.read(f"/v1/hands/{hand_id}") for hand_id in {hand.hand_id for hand in hands}]
    assert sum(bool(hand["voided_actions"]) for hand in shown) >= 5


def test_what_may_differ_is_named_and_little(both):
    assert set(MAY_DIFFER) <= set(both.rules) | {"/metrics"}
    assert len(MAY_DIFFER) <= 2
    every = {hand.path.partition("?")[0] for hand in both.of_everything("p")}
    assert {"/healthz", "/readyz", "/v1/players", "/v1/tables", "/v1/ledger/entries"} <= every


def test_every_observer_asks_everything_at_some_hand(both):
    asked: dict[str, set[tuple[str, str]]] = {}
    for pair in both.pairs():
        shapes = {(each.method, shape(each, pair)) for each in both.of_pair(pair)}
        asked.setdefault(pair.observer, set()).update(shapes)
    everything = set().union(*asked.values())
    assert len(everything) >= 15
    assert all(shapes == everything for shapes in asked.values())


def shape(each: Asked, pair: Pair) -> str:
    return each.path.replace(pair.hand.hand_id, "HAND").replace(pair.hand.table_id, "TABLE")


def test_no_answer_about_a_hand_tells_an_observer_in_which_world_he_is(both):
    pairs = both.pairs()
    leaks = [leak for pair in pairs for leak in found(both, both.of_pair(pair), pair)]
    assert not leaks, leaks[:3]


def test_nor_does_an_answer_about_a_tournament(both):
    for number, tournament in enumerate(both.floor.tournaments):
        mine = [p for p in both.pairs() if p.hand.tournament_id == tournament and not p.hand.over]
        seated = [next(p for p in mine if p.other == other and p.seat) for other in (1, 2)]
        outside = {p.observer: p for p in mine if not p.seat and p.observer != ELSEWHERE}
        asking = [outside["anonymous"], *islice(outside.values(), 1 + number, len(outside), 3), *seated]
        for pair in asking:
            assert not found(both, both.of_tournament(tournament), pair)


def test_nor_does_an_answer_about_all_that_there_is(both):
    outside = {p.observer: p for p in both.pairs() if not p.seat and p.observer != ELSEWHERE}
    player = next(iter(both.floor.players))
    for pair in outside.values():
        assert not found(both, both.of_everything(player), pair)


# planted leaks: each must be found


def _holdings(hand_id: UUID) -> str:
    state = parts().services.store.load(HAND, hand_id).state
    assert state
    assert state.play
    return hashlib.sha256(repr(state.play.holdings).encode()).hexdigest()


def _reading(patch: pytest.MonkeyPatch, change) -> None:
    """Have a hand's answer changed, by a function of the response and of what the hand's cards are."""
    real = play.read

    def leaky(resource):
        response = real(resource)
        if isinstance(resource, shapes.Hand):
            change(response, _holdings(resource.hand_id))
        return response

    patch.setattr(play, "read", leaky)


def etag_over_the_whole_state(patch: pytest.MonkeyPatch) -> None:
    _reading(patch, lambda response, secret: response.set_etag(secret))


def length_that_depends_on_the_cards(patch: pytest.MonkeyPatch) -> None:
    def pad(response, secret):
        response.set_data(response.get_data() + b" " * int(secret[:4], 16))

    _reading(patch, pad)


def header_that_depends_on_the_cards(patch: pytest.MonkeyPatch) -> None:
    _reading(patch, lambda response, secret: response.headers.add("X-Shard", secret[:8]))


def id_derived_from_the_cards(patch: pytest.MonkeyPatch) -> None:
    real = histories.hand_view

    def leaky(stream, *args, **more):
        return replace(real(stream, *args, **more), commitment=_holdings(stream.id))

    patch.setattr(histories, "hand_view", leaky)


def error_that_names_the_holder(patch: pytest.MonkeyPatch) -> None:
    def leaky(hand, _seat, mask):
        holders = [seat for seat, held in enumerate(hand.holdings) if held & mask]
        return IllegalPlay("R2.1", RefusalCode.CARD_NOT_HELD, f"seat {holders} holds it")

    patch.setattr(big2.hand, "_not_held", leaky)


def breach_shown_early(patch: pytest.MonkeyPatch) -> None:
    real = handviews.actions_of
    patch.setattr(handviews, "actions_of", lambda recorded, **_: real(recorded, breaches=True))


def somebody_elses_cards_in_the_feed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(feed.Stream, "_own", lambda _, row: row.seats and list(row.seats.values()))


def cards_of_the_seat_on_turn(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Hand, "seat_of", lambda hand, _player: hand.play.turn if hand.play else None)


def cards_in_the_list_of_hands(patch: pytest.MonkeyPatch) -> None:
    real = handviews._cards_left
    strongest = lambda hand: dict.fromkeys(real(hand), max(hand.play.holdings) % 97)  # noqa: E731
    patch.setattr(handviews, "_cards_left", strongest)


LEAKS = [
    etag_over_the_whole_state,
    length_that_depends_on_the_cards,
    header_that_depends_on_the_cards,
    id_derived_from_the_cards,
    error_that_names_the_holder,
    breach_shown_early,
    somebody_elses_cards_in_the_feed,
    cards_of_the_seat_on_turn,
    cards_in_the_list_of_hands,
]


@pytest.mark.parametrize("plant", LEAKS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found(plant, both, monkeypatch):
    plant(monkeypatch)
    telling = ("anonymous", "stranger")
    pairs = [p for p in both.pairs() if p.observer in telling or p.seat == p.hand.on_turn]
    leak = next(
        (leak for pair in pairs for leak in found(both, of_plant(plant, both.of_pair(pair)), pair)), None
    )
    assert leak
    assert b"/problems/internal" not in leak.here + leak.there


def of_plant(plant, asked: list[Asked]) -> list[Asked]:
    """Commands where the leak is in a refusal; else reads alone: whoever is taken for another might act for him."""
    return [each for each in asked if each.method == "GET" or plant is error_that_names_the_holder]


# the last test here: it changes the worlds


def test_what_happens_next_is_told_alike_in_every_world(both):
    running = [hand for hand in both.floor.hands if not hand.over]
    everywhere = (both.played, *both.others)
    for hand in running:
        token = both.floor.players[hand.seats[hand.on_turn]]
        turn = both.played.api.read(f"/v1/hands/{hand.hand_id}")["turn"]["number"]
        cards = hand.following.cards()
        what = ("plays", {"turn": turn, "cards": cards}) if cards else ("passes", {"turn": turn})
        asked = Asked("POST", f"/v1/hands/{hand.hand_id}/{what[0]}", what[1])
        answers = [world.ask(asked, token) for world in everywhere]
        assert answers[0].status.startswith("201"), answers[0]
        assert len(set(answers)) == 1, answers
        again = [world.ask(asked, token) for world in everywhere[:2]]
        assert ("Idempotency-Hit", "true") in again[0].headers
        assert len(set(again)) == 1
    for world in everywhere:
        Projector(store_of(world.api)).catch_up()
    assert len({store_of(world.api).head() for world in everywhere}) == 1
    for pair in both.pairs():
        if pair.observer == "anonymous" or pair.seat == pair.hand.on_turn:
            assert not found(both, both.of_hand(pair.hand, pair.seat)[:2], pair)


def store_of(api: Api):
    return api.app.extensions[EXTENSION].services.store
