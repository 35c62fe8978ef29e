"""Logs, figures, tracebacks and reprs hold no card of a running hand, no token and no seed, whatever goes wrong."""

from __future__ import annotations

import base64
import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

import pytest
from redis import Redis

from domain.credential import CREDENTIAL
from domain.events import Audience, Event, audiences
from domain.hand import HAND, State
from domain.hand_events import CardsPlayed
from domain.ring import RING
from domain.tournament import TOURNAMENT
from services.bootstrap import Services
from services.envelope import Stream
from services.http import feed, play
from services.logs import Json, Text
from tests.services.http.driving import Api
from tests.services.http.playing import Game
from tests.services.http.ringing import RingGame
from tests.services.http.test_hidden_cards import CARD
from workers import queue

LONG_ENOUGH = 8
"""A shorter text may stand anywhere by chance."""
KINDS = (HAND, TOURNAMENT, RING, CREDENTIAL)
_LINES = re.compile("b2_[0-9a-f-]{36}_[^…]")


class Canaries(NamedTuple):
    """What must be nowhere: secrets as texts of every form, and the cards that are in somebody's holding or unseen."""

    secrets: frozenset[str]
    cards: frozenset[str]

    def in_(self, text: str) -> set[str]:
        """Those that stand in a text."""
        whole = {secret for secret in self.secrets if secret in text}
        return whole | (set(CARD.findall(text)) & self.cards) | set(_LINES.findall(text))


ANY_CARD = frozenset(rank + suit for rank in "3456789TJQKA2" for suit in "DCHS")


def canaries(services: Services, *tokens: str | None, cards: frozenset[str] = ANY_CARD) -> Canaries:
    """Every secret of the log, and these tokens."""
    found = {token.split("_", 2)[2] for token in tokens if token}
    for r in services.store.log(0, 10_000):
        for field, audience in audiences(type(r.event)).items():
            value = getattr(r.event, field)
            shown = audience is Audience.PUBLIC or field in ("player_id", "tournament_id")
            if not shown and isinstance(value, bytes):
                found |= _forms(value)
            elif not shown and audience is Audience.SEALED and isinstance(value, str):
                found.add(value)
    revealed = {form for r in services.store.log(0, 10_000) for form in _revealed(r.event)}
    return Canaries(frozenset(s for s in found - revealed if len(s) >= LONG_ENOUGH), cards)


def _forms(value: bytes) -> set[str]:
    urlsafe = base64.urlsafe_b64encode(value).decode().rstrip("=")
    return {repr(value)[2:-1], value.hex(), base64.b64encode(value).decode().rstrip("="), urlsafe}


def _revealed(event: Event) -> set[str]:
    """What is public by now: a finished hand's seed, a finished tournament's draws."""
    public = (getattr(event, f) for f, a in audiences(type(event)).items() if a is Audience.PUBLIC)
    return {form for value in public if isinstance(value, bytes) for form in _forms(value)}


@contextmanager
def heard() -> Iterator[io.StringIO]:
    """All that is logged within a block at DEBUG: in each of our formats, and in Python's own, messages and all."""
    text, root = io.StringIO(), logging.getLogger()
    handlers = [logging.StreamHandler(text) for _ in range(3)]
    for handler, form in zip(handlers, (Json("web"), Text("web"), logging.Formatter()), strict=True):
        handler.setFormatter(form)
        root.addHandler(handler)
    before = root.level
    root.setLevel(logging.DEBUG)
    try:
        yield text
    finally:
        root.setLevel(before)
        for handler in handlers:
            root.removeHandler(handler)


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    """A tournament that goes on."""
    return Game(app, operator)


@pytest.fixture(scope="module")
def ring(app, operator) -> RingGame:
    ring = RingGame(app, operator)
    for seat in (1, 2, 3):
        ring.sit(seat)
    return ring


def tokens_of(*games) -> list[str | None]:
    return [reader.token for game in games for reader in game.players.values()]


def test_a_tournament_and_a_ring_table_leave_nothing_in_the_logs(app, operator, services, ring, admin):
    with heard() as said:
        game = Game(app, operator, stack_points=6)
        game.play()
        for _ in range(2):
            ring.play_hand(ring.hand_id())
        hand_id = ring.hand_id()
        ring.act(hand_id)
        with_cards = {"turn": 10_000, "cards": ["3D", "10C"]}
        for reader in (operator, next(iter(ring.players.values())), Api(app)):
            reader.post(f"/v1/hands/{hand_id}/plays", with_cards)
            reader.get(f"/v1/hands/{hand_id}/legal-plays?cards=3D,4C")
        Api(app, f"{admin.token}x").get("/v1/players")
    text = said.getvalue()
    assert '"event":"request"' in text
    assert not canaries(services, admin.token, operator.token, *tokens_of(game, ring)).in_(text)


def test_the_figures_have_none(app, operator, services, admin, game, ring):
    game.act(game.hand_id())
    page = admin.get("/metrics").text
    assert "big2" in page
    assert not canaries(services, admin.token, operator.token, *tokens_of(game, ring)).in_(page)


class _Stumble:
    """Fails with everything in its message that must not be told, and a cause with the same."""

    def __init__(self, services: Services, hand_id: str) -> None:
        stream = services.store.load(HAND, UUID(hand_id))
        self.told = f"{[r.event for r in stream.recorded]} {_everything(stream)}"

    def __call__(self, *_args: object, **_more: object):
        raise RuntimeError(f"again: {self.told}") from ValueError(self.told)


def _everything(stream: Stream) -> str:
    events = [r.event for r in stream.recorded]
    return str([{name: getattr(event, name) for name in event.__struct_fields__} for event in events])


@pytest.fixture
def stumble(services, game) -> _Stumble:
    stumble = _Stumble(services, game.hand_id())
    assert len(canaries(services).in_(stumble.told)) > 20, "it has what must not be told"
    return stumble


def test_an_error_of_ours_says_nothing_to_the_client_and_types_and_places_to_the_log(
    stumble, services, game, monkeypatch
):
    player = next(iter(game.players.values()))
    path = f"/v1/hands/{game.hand_id()}"
    monkeypatch.setattr(play.hands, "play", stumble)
    monkeypatch.setattr(play.histories, "hand", stumble)
    with heard() as said:
        answers = [player.post(f"{path}/plays", {"turn": 1, "cards": ["3D"]}), player.get(path)]
    everything = said.getvalue()
    assert "RuntimeError" in everything
    assert "caused by ValueError" in everything
    for answer in answers:
        assert (answer.status_code, answer.json["type"]) == (500, "/problems/internal")
        everything += answer.text + str(answer.headers)
    assert not canaries(services, player.token).in_(everything)


def test_a_feed_that_fails_says_nothing(stumble, services, game, monkeypatch):
    monkeypatch.setattr(feed.Stream, "_frame", stumble)
    player = next(iter(game.players.values()))
    with heard() as said:
        answer = player.get(f"/v1/feed?tournament={game.id}&after=0")
        told = answer.data.decode()
    assert "a feed failed" in said.getvalue()
    assert not canaries(services, player.token).in_(said.getvalue() + told)


STUMBLES: list[_Stumble] = []


def stumble_at_work() -> None:
    """A job that fails."""
    STUMBLES[0]()


def test_a_job_that_fails_says_nothing_neither_in_the_log_nor_in_the_queue(stumble, services, redis_url):
    STUMBLES[:] = [stumble]
    client = Redis.from_url(redis_url)
    jobs = queue.queue(client)
    jobs.empty()
    queue.enqueue(jobs, "stumble-canary", f"{__name__}.{stumble_at_work.__name__}", [])
    with heard() as said:
        queue.worker(client).work(burst=True, logging_level="WARNING")
    assert "RuntimeError" in said.getvalue()
    kept = "".join(str(value) for key in client.scan_iter("rq:*") for value in _values(client, key))
    assert "stumble-canary" in kept
    assert not canaries(services).in_(said.getvalue() + kept)


def _values(client: Redis, key: bytes) -> list[object]:
    read = {b"hash": client.hgetall, b"string": client.get, b"set": client.smembers}
    kind = client.type(key)
    return [key, read[kind](key)] if kind in read else [key]


def test_reprs_tell_no_card_that_is_in_a_holding_and_no_secret(services, game, ring, admin):
    game.act(game.hand_id())
    ring.act(ring.hand_id())
    seen = set()
    for stream_id in {r.stream for r in services.store.log(0, 10_000)}:
        for kind in KINDS:
            stream = services.store.load(kind, stream_id)
            if stream.state is None:
                continue
            seen.add(kind.name)
            running = kind is HAND and stream.state.state is State.RUNNING
            held = _held(stream) if running else frozenset()
            text = f"{stream.state!r} {stream!r} {[r.event for r in stream.recorded]!r} {stream.recorded!r}"
            assert not canaries(services, admin.token, cards=held).in_(text), kind.name
    assert seen == {kind.name for kind in KINDS}


def _held(stream: Stream) -> frozenset[str]:
    deal = stream.recorded[1].event
    dealt = {card for text in deal.cards.values() for card in text.split()} | set(deal.stub.split())
    played = (r.event.cards.split() for r in stream.recorded if isinstance(r.event, CardsPlayed))
    return frozenset(dealt.difference(*played))


def test_whatever_is_planted_is_found(services, game, admin):
    stream = services.store.load(HAND, UUID(game.hand_id()))
    committed, deal = (r.event for r in stream.recorded[:2])
    tournament = services.store.load(TOURNAMENT, UUID(game.id)).recorded[0].event
    log = logging.getLogger("planted")
    planted = {
        "a card": lambda: log.warning("he holds %s", deal.cards[1].split()[0]),
        "cards": lambda: log.debug("%r", {"cards": deal.cards}),
        "a token": lambda: log.info("as %s", admin.token.split("_", 2)[2]),
        "a seed in hexadecimal": lambda: log.info("seed=%s", committed.seed.hex()),
        "a seed as bytes": lambda: log.info("%r", committed.seed),
        "a seed in base64": lambda: log.info("%s", base64.b64encode(committed.seed).decode()),
        "a master": lambda: log.info("%s", tournament.master.hex()),
        "a draw": lambda: log.info("%s", tournament.draw_seed.hex()),
        "an exception's message": lambda: log.error("failed", exc_info=ValueError(deal.cards[2])),
        "members": lambda: log.info("x", extra={"fields": {"stub": deal.cards[3]}}),
    }
    looked_for = canaries(services, admin.token)
    for what, leak in planted.items():
        with heard() as said:
            leak()
        assert looked_for.in_(said.getvalue()), what
