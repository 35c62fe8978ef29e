"""Worlds that differ only in what an observer may not know, and whether any answer tells him in which he is.

`Worlds` has the floor in four databases: in the first as it was played, in the others with other seeds and with the
cards dealt anew that nobody has seen (`rearranging`). In one of those each seat holds other cards, in two only half of
them do, so that every player has a world that looks the same from his seat. Streams, versions, positions, times and
whatever else is stored are the same; every projection was made from its own log. The clocks stand still. So each
answer must be the same to the byte, and a difference is a leak.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import count
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from domain.events import Event
from domain.hand import HAND
from domain.hand_events import CardsPlayed, Dealt
from domain.topics import TOPICS
from services.application.actions import actions_in
from services.envelope import GENESIS, Codec, Command, Row, link, seal
from services.eventtable import Read, Rows
from services.projections.rebuild import replace as rebuild
from services.store import Store
from tests.databases import copy_of
from tests.harness.floor import Floor, HandInPlay, in_play, served
from tests.harness.rearranging import another, sealed_anew
from tests.services.http.driving import Api

OTHERS = (0, 1, 2)
"""The other worlds: all cards differ; those of the second half of the seats; those of the first."""
ONE_IN = 8
"""What is not always asked is asked of every eighth pair: of each observer at many hands."""
MAY_DIFFER: Mapping[str, str] = {
    "/metrics": "counts and times of the process that answers, not of any world",
    "/docs/<path:path>": "files of the package: there is no world in them",
}
"""Routes that are not asked, and why. Nothing else may differ, in no header either."""
QUERIES: Mapping[str, tuple[str, ...]] = {
    "format": ("csv", "ndjson"),
    "cards": ("3D", "4C,2S", "3D,3C,3H,3S,KH"),
    "as_of": ("0",),
}
"""Values of query parameters that are tried, each alone, wherever OpenAPI has the parameter."""
OF_A_HAND = ("hand={hand_id}", "hand={hand_id}&format=csv", "hand={hand_id}&clause=R7.3", "table={table_id}")
OF_A_TOURNAMENT = tuple(
    f"tournament={{tournament_id}}&type={kind}" for kind in ("tournament", "roster", "table")
)
WITHIN: Mapping[str, tuple[str, ...]] = {
    "/v1/audit/events": (*OF_A_HAND, *OF_A_TOURNAMENT),
    "/v1/audit/access-log": ("hand={hand_id}", "hand={hand_id}&format=csv"),
}
"""Routes of the staff that are asked about what runs: of a hand that is over they may know in which world they are."""
RULINGS: Sequence[Mapping[str, object]] = (
    {"ruling": "void"},
    {"ruling": "void_from", "action": 1},
    {"ruling": "void_from", "action": 9},
    {"ruling": "time", "seconds": 60},
)
REQUEST_ID = "0123456789abcdef0123456789abcdef"
"""The id of every request, as a proxy would give it."""


class Asked(NamedTuple):
    """A request, but for who asks."""

    method: str
    path: str
    body: object = None
    headers: tuple[tuple[str, str], ...] = ()


class Answer(NamedTuple):
    """Every byte of an answer."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Difference(NamedTuple):
    """A request that two worlds answer differently, and where they first part."""

    asked: Asked
    observer: str
    here: bytes
    there: bytes


class Standing:
    """The events table, read at one time for ever."""

    def __init__(self, rows: Rows, at: datetime) -> None:
        self._rows = rows
        self._at = at

    def __getattr__(self, name: str):
        return getattr(self._rows, name)

    def read(self, *which) -> Read:
        return self._rows.read(*which)._replace(at=self._at)

    def read_few(self, *which) -> Read:
        return self._rows.read_few(*which)._replace(at=self._at)

    def read_many(self, *which) -> Read:
        return self._rows.read_many(*which)._replace(at=self._at)


class World:
    """One of the worlds, and what it answers."""

    def __init__(self, api: Api, differs: set[str]) -> None:
        self.api = api
        self.differs = differs
        """The hands that are not as they were played."""

    def ask(self, asked: Asked, token: str | None) -> Answer:
        """The whole answer; of a feed all there is by now."""
        reader = Api(self.api.app, token)
        headers = {"X-Request-Id": REQUEST_ID, **dict(asked.headers)}
        response = reader.request(asked.method, asked.path, asked.body, key="a-key", headers=headers)
        body = b"".join(_until_idle(response.response)) if _is_feed(response) else response.get_data()
        response.close()
        return Answer(response.status, tuple(sorted(response.headers)), body)


class Pair(NamedTuple):
    """A hand, an observer who may not know all of it, and another world that he must take for the played one."""

    number: int
    hand: HandInPlay
    observer: str
    token: str | None
    seat: int
    other: int


class Worlds:
    """The floor as it was played, and as it might have been."""

    def __init__(self, floor: Floor, played: World, others: Sequence[World]) -> None:
        self.floor = floor
        self.played = played
        self.others = others
        self.spec: dict[str, Any] = played.api.read("/openapi.json")
        self._turns: dict[str, int] = {}
        self._cards: dict[str, dict[int, list[str]]] = {}
        self.rules = {
            rule.rule: rule.arguments
            for rule in played.api.app.url_map.iter_rules()
            if "GET" in (rule.methods or ())
        }

    def pairs(self) -> list[Pair]:
        """Each hand with each observer, whose own pairs are numbered; `seat` is 0 for whoever was not dealt in."""
        found = [pair for number, hand in enumerate(self.floor.hands) for pair in self._of(hand, number)]
        counts = defaultdict[str, Iterator[int]](count)
        return [pair._replace(number=next(counts[pair.observer])) for pair in found]

    def _of(self, hand: HandInPlay, number: int) -> Iterator[Pair]:
        others = dict(self.floor.others)
        players = list(self.floor.players)[number % len(self.floor.players) :] + list(self.floor.players)
        elsewhere = next(player for player in players if player not in hand.seats.values())
        others["player elsewhere"] = self.floor.players[elsewhere]
        if hand.over:  # who was dealt in reads the history by now, and so does the staff
            others = {name: token for name, token in others.items() if name in OUTSIDE}
        for name, token in others.items():
            if hand.hand_id in self.others[0].differs:
                yield Pair(0, hand, name, token, 0, 0)
        for seat, player in {} if hand.over else hand.seats.items():
            other = next(n for n in OTHERS[1:] if seat in kept(hand.seats, n))
            if hand.hand_id in self.others[other].differs:
                yield Pair(0, hand, f"seat {seat}", self.floor.players[player], seat, other)

    def differences(
        self, asked: Iterable[Asked], observer: str, token: str | None, other: int
    ) -> Iterator[Difference]:
        """What tells the observer that he is in the other world rather than in the played one."""
        for each in asked:
            here, there = self.played.ask(each, token), self.others[other].ask(each, token)
            if here != there:
                yield Difference(each, observer, *_parting(here, there))
            etag = dict(here.headers).get("ETag")
            if etag and each.path.startswith("/v1/hands/") and each == Asked("GET", each.path):
                again = each._replace(headers=(("If-None-Match", etag),))
                yield from self.differences([again], observer, token, other)

    def of_pair(self, pair: Pair) -> list[Asked]:
        """What is asked of a pair: how the hand reads, a part of all the rest, and every command of who is to act."""
        asked = self.of_hand(pair.hand, pair.seat)
        to_act = pair.seat == pair.hand.on_turn
        return [
            each
            for n, each in enumerate(asked)
            if n < (2 if pair.seat else 1) or (n + pair.number) % ONE_IN == 0 or (each.body and to_act)
        ]

    def of_hand(self, hand: HandInPlay, seat: int) -> list[Asked]:
        """All that can be asked about a hand: every GET, commands that are refused, whoever asks, and a dry run."""
        ids = {"hand_id": hand.hand_id, "table_id": hand.table_id}
        path = f"/v1/hands/{hand.hand_id}"
        first = [Asked("GET", path), Asked("GET", f"/v1/feed?table={hand.table_id}&after=0")]
        found = [each for each in self._gets(ids, {"hand_id", "table_id"}) if each not in first]
        would = [
            Asked("POST", f"{path}/rulings?dry_run=true", {"reason": "a look", **ruling})
            for ruling in RULINGS
        ]
        return [*first, *found, *self._within(ids), Asked("HEAD", path), *self._refused(hand, seat), *would]

    def of_tournament(self, tournament_id: str) -> list[Asked]:
        """All that can be read of a tournament."""
        found = self._gets({"tournament_id": tournament_id}, {"tournament_id"})
        within = self._within({"tournament_id": tournament_id})
        return [*found, *within, Asked("GET", f"/v1/feed?tournament={tournament_id}&after=0")]

    def of_everything(self, player_id: str) -> list[Asked]:
        """All that can be read of no hand and no tournament."""
        ids = {"player_id": player_id, "name": "actionpoker", "season": "all", "slug": "card-not-held"}
        ids["webhook_id"] = self.floor.webhook
        found = self._gets(ids, set(ids)) + self._gets({}, set())
        return [*found, Asked("GET", f"/v1/feed?player={player_id}&after=0")]

    def _within(self, ids: Mapping[str, str]) -> list[Asked]:
        """What is asked by a query about these."""
        return [
            Asked("GET", f"{rule}?{query.format_map(ids)}")
            for rule, queries in WITHIN.items()
            for query in queries
            if set(re.findall(r"{(\w+)}", query)) <= set(ids)
        ]

    def _gets(self, ids: Mapping[str, str], some_of: set[str]) -> list[Asked]:
        found = []
        for rule, arguments in self.rules.items():
            if not self._is_asked(rule, arguments, ids, some_of):
                continue
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda m: ids[m[1]], rule)
            found.append(Asked("GET", path))
            told = self.spec["paths"].get(re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule), {}).get("get", {})
            names = [p["name"] for p in told.get("parameters", ()) if p.get("in") == "query"]
            found += [
                Asked("GET", f"{path}?{name}={value}") for name in names for value in QUERIES.get(name, ())
            ]
        return found

    def _is_asked(self, rule: str, arguments: set[str], ids: Mapping[str, str], some_of: set[str]) -> bool:
        if rule in MAY_DIFFER or rule in WITHIN or rule == "/v1/feed":
            return False
        assert arguments <= KNOWN, f"say in {__name__} how {rule} is filled in"
        return arguments <= set(ids) and (bool(arguments & some_of) if some_of else not arguments)

    def _refused(self, hand: HandInPlay, seat: int) -> list[Asked]:
        """Commands that are refused in either world, each for a reason that the observer could know."""
        path, turn = f"/v1/hands/{hand.hand_id}", self._turn(hand)
        plays = [{"turn": turn, "cards": cards} for cards in self._not_held(hand, seat)]
        plays += [{"turn": turn - 1, "cards": ["3D"]}, {"turn": turn, "cards": ["3D", "3D"]}, {"turn": turn}]
        unread = {"turn": turn, "nothing": 1}
        commands = [
            (method.upper(), rule.format(hand_id=hand.hand_id))
            for rule, methods in self.spec["paths"].items()
            for method in methods
            if "{hand_id}" in rule and method not in ("get", "parameters")
        ]
        return [
            *(Asked("POST", f"{path}/plays", body) for body in plays),
            *(Asked(method, where, unread) for method, where in commands),
            Asked("POST", f"{path}/passes", {"turn": turn + 1}),
        ]

    def _turn(self, hand: HandInPlay) -> int:
        if hand.hand_id not in self._turns:
            turn = self.played.api.read(f"/v1/hands/{hand.hand_id}")["turn"]
            self._turns[hand.hand_id] = turn["number"] if turn else 1
        return self._turns[hand.hand_id]

    def _not_held(self, hand: HandInPlay, seat: int) -> list[list[str]]:
        """A card of everybody else's, of the stub and of the table, each alone; and two with one's own."""
        if hand.hand_id not in self._cards:
            self._cards[hand.hand_id] = cards_of(self.played.api.app, hand)
        own = self._cards[hand.hand_id].get(seat) if seat else None
        others = [held for of, held in self._cards[hand.hand_id].items() if held and (of != seat or not own)]
        strange = [held[0] for held in others] + [held[-1] for held in others]
        return [[card] for card in strange] + [[card, own[0]] for card in strange[:2] if own]


def kept(seats: Iterable[int], other: int) -> list[int]:
    """The seats that hold in another world what they held."""
    halves = sorted(seats)
    middle = (len(halves) + 1) // 2
    return [[], halves[:middle], halves[middle:]][other]


KNOWN = {"tournament_id", "table_id", "hand_id", "player_id", "name", "season", "slug", "webhook_id"}
OUTSIDE = {"anonymous", "stranger", "player elsewhere"}
"""Who may not read a hand's history before its tournament is finished."""


def cards_of(app: Any, hand: HandInPlay) -> dict[int, list[str]]:
    """Who has which cards: by seat, 0 for the stub, -1 for what has been played."""
    store: Store = app.extensions["big2"].services.store
    stream = store.load(HAND, UUID(hand.hand_id))
    plays = (r.event for r in actions_in(stream.recorded).standing)
    played = [c for event in plays if isinstance(event, CardsPlayed) for c in event.cards.split()]
    deal = stream.recorded[1].event
    assert isinstance(deal, Dealt)
    held = {seat: [c for c in text.split() if c not in played] for seat, text in deal.cards.items()}
    return held | {0: deal.stub.split(), -1: played}


@contextmanager
def worlds(postgres_url: str, template: str) -> Iterator[Worlds]:
    """All of them, from a migrated database; gone with the block."""
    with ExitStack() as stack:
        first = stack.enter_context(copy_of(postgres_url, template))
        floor = in_play(first.url)
        at = _clock(first.url)
        databases = [stack.enter_context(copy_of(postgres_url, first.name)) for _ in OTHERS]
        differing = [_make_other(other.url, floor, n) for n, other in zip(OTHERS, databases, strict=True)]
        apis = [stack.enter_context(_world(each.url, at)) for each in (first, *databases)]
        made = [World(api, differs) for api, differs in zip(apis, [set[str](), *differing], strict=True)]
        yield Worlds(floor, made[0], made[1:])


@contextmanager
def _world(url: str, at: datetime) -> Iterator[Api]:
    store = Store(url, TOPICS, pool_size=3)
    store._rows = Standing(store._rows, at)
    with served(url, store) as api:
        yield api


def _make_other(url: str, floor: Floor, other: int) -> set[str]:
    """Put another world into a database that has the played one; the hands that differ."""
    random = Random(f"world {other}")
    store = Store(url, TOPICS, pool_size=3)
    rings = [hand.table_id for hand in floor.hands if hand.tournament_id is None]
    differs = set()
    with psycopg.connect(url) as conn:
        for stream in map(UUID, [*floor.tournaments, *rings]):
            _rewrite(conn, store, stream, [sealed_anew(r.event) for r in store.events(stream)])
        for hand in floor.hands:
            stream = UUID(hand.hand_id)
            if events := another(store.events(stream), kept(hand.seats, other), hand.following, random):
                _rewrite(conn, store, stream, events)
                differs.add(hand.hand_id)
    rebuild(store)
    store.close()
    return differs


def _rewrite(conn: psycopg.Connection, store: Store, stream: UUID, events: list[Event]) -> None:
    """Other events in the places of a stream's own, chained as if they had been stored like that."""
    codec, prev = Codec(TOPICS), GENESIS
    for r, event in zip(store.events(stream), events, strict=True):
        state = seal(codec.encode(Command(r.command, r.actor, r.digest), r.at, event), prev)
        prev = link(*Row(stream, r.version, r.topic, state, r.position)[:4])
        conn.execute(
            "UPDATE big2_events SET state = %s WHERE originator_id = %s AND originator_version = %s",
            (state, stream, r.version),
        )


def _parting(here: Answer, there: Answer) -> tuple[bytes, bytes]:
    """What two answers say where they first differ."""
    one, two = (f"{a.status} {a.headers} ".encode() + a.body for a in (here, there))
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    start = max(0, at - 60)
    return one[start : at + 60], two[start : at + 60]


def _is_feed(response) -> bool:
    return response.mimetype == "text/event-stream"


def _until_idle(frames: Iterable[bytes]) -> Iterator[bytes]:
    """A feed's frames up to its first heartbeat (tests let that come at once)."""
    for frame in frames:
        if frame.startswith(b": "):
            return
        yield frame


def _clock(url: str) -> datetime:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT clock_timestamp()").fetchone()
    assert row
    return row[0]
