"""What may come between a deal and its settlement at a ring table: a void, a pause, a close, a player who is away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import reduce
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner

from domain import hand as hands
from domain import ring_hands
from domain.hand import HAND
from domain.ring import RING
from services.commands import Decision, execute, on
from services.envelope import Command
from tests.services.http.driving import CLOCK, Api
from tests.services.http.outside import prove_books
from tests.services.http.playing import until
from tests.services.http.recording import code
from tests.services.http.ringing import RingGame, regulars
from tests.services.http.test_feed import Feed
from workers.cli import main

NAMES = ("Ann", "Ben", "Cy", "Dee")
BUY_IN, ANTE = 5000, 30
STACK = BUY_IN - ANTE


@pytest.fixture(scope="module")
def people(app, operator) -> dict[str, Api]:
    return regulars(app, operator, *NAMES)


class Scene(NamedTuple):
    """A table whose first hand runs, its players by seat, and what was in their wallets before they sat down."""

    ring: RingGame
    hand_id: str
    players: list[str]
    before: list[int]

    def stacks(self) -> list[int]:
        return [self.ring.stack_of(player) for player in self.players]

    def won(self) -> list[int]:
        """What each has more in his wallet than before he sat down."""
        return [self.ring.purse(player) - was for player, was in zip(self.players, self.before, strict=True)]


@pytest.fixture
def scene(app, operator, people) -> Scene:
    return sat_down(RingGame(app, operator), people)


def sat_down(ring: RingGame, people: dict[str, Api]) -> Scene:
    ring.players = dict(people)
    before = [ring.purse(player) for player in people]
    ring.sit_together(dict.fromkeys(people, BUY_IN))
    return Scene(ring, ring.hand_id(), list(people), before)


# a hand without a result


def void(services, hand_id: str) -> None:
    """End a hand without a result, and record that at its table, in one transaction, as any end of a hand is."""

    def decide(stream, now: datetime) -> Decision:
        events = hands.void(stream.state, "the lights went out")
        hand = reduce(hands.evolve, events, stream.state)
        ring = services.store.load(RING, hand.table_id)
        return Decision([on(stream, *events), on(ring, *ring_hands.ended(hand, ring.state, now))])

    execute(services.store, Command(uuid4(), "tests", ""), (HAND, UUID(hand_id)), decide)


def test_a_voided_hand_moves_no_stack_and_its_ante_stays_with_the_house(scene, operator, services):
    """R10.1: the ante is for the deal. No room gives it back, so nothing does."""
    ring, hand_id, *_ = scene
    operator.made(f"{ring.path}/pause")
    for _ in range(5):
        ring.act(hand_id)
    rake = ring.balance("rake")
    void(services, hand_id)

    hand = ring.hand(hand_id)
    assert (hand["state"], hand["settlement"], hand["turn"]) == ("voided", None, None)
    assert scene.stacks() == [STACK] * 4
    assert list(ring.stacks().values()) == [STACK] * 4
    assert ring.balance("rake") == rake
    lines = operator.read(f"/v1/ledger/entries?hand={hand_id}")["items"]
    assert [line["kind"] for line in lines] == ["ante"] * 8
    assert not any(seat["sitting_out"] for seat in ring.table()["seats"])
    operator.made(f"{ring.path}/close")
    assert scene.won() == [-ANTE] * 4


def test_r9_3_a_voided_hand_counts_for_the_button_and_the_direction_and_the_next_one_costs_its_ante(
    scene, services
):
    ring, hand_id, *_ = scene
    first = ring.hand(hand_id)
    void(services, hand_id)
    second = ring.hand(until(lambda: (found := ring.table()["hand_id"]) != hand_id and found))
    assert [(h["dealer"], h["direction"]) for h in (first, second)] == [
        (1, "clockwise"),
        (2, "counterclockwise"),
    ]
    assert [seat["stack"] for seat in second["seats"]] == [STACK - ANTE] * 4
    assert (ring.table()["hands_played"], second["number"]) == (1, 2)


def test_nobody_acts_in_a_voided_hand_and_its_history_is_told(scene, services, auditor, beside):
    ring, hand_id, *_ = scene
    ring.operator.made(f"{ring.path}/pause")
    turn = ring.hand(hand_id)["turn"]
    void(services, hand_id)
    player = ring.players[scene.players[turn["seat"] - 1]]
    assert code(player.post(f"/v1/hands/{hand_id}/passes", {"turn": turn["number"]})) == (409, "hand-closed")
    until(beside.rests)
    history = auditor.read(f"/v1/hands/{hand_id}/history")
    assert (history["voided"], history["settlement"]) == (True, None)


def test_a_statement_tells_the_ante_of_a_voided_hand_and_no_payment(
    scene, services, operator, database_url, monkeypatch
):
    ring, hand_id, *_ = scene
    operator.made(f"{ring.path}/pause")
    void(services, hand_id)
    operator.made(f"{ring.path}/close")
    scene.won()
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")
    result = CliRunner().invoke(main, ["ledger", "statement", "Dee"])
    assert result.exit_code == 0, result.output
    of_table = [line for line in result.stdout.splitlines() if f"ring table {ring.id[:8]}" in line]
    texts = [f"buy-in at ring table {ring.id[:8]}", f"ante of hand 1 at ring table {ring.id[:8]} (R10.1)"]
    wanted = [*texts, f"cash-out from ring table {ring.id[:8]}"]
    assert [text in line for text, line in zip(wanted, of_table, strict=True)] == [True] * 3
    assert [line.split()[-3] for line in of_table] == ["-50.00", "-0.30", "+49.70"]


# a pause, and a close in it


def test_a_paused_table_that_is_closed_plays_its_hand_goes_on_and_pays_everybody(scene, operator):
    ring, hand_id, *_ = scene
    operator.made(f"{ring.path}/pause")
    left = operator.made(f"{ring.path}/close")["ring"]
    assert (left["paused"], left["closing"]) == (True, True)
    assert ring.hand(hand_id)["turn"]["deadline"] is None
    assert code(operator.post(f"{ring.path}/pause")) == (409, "table-closed")
    assert code(operator.post(f"{ring.path}/close")) == (409, "table-closed")
    assert code(ring.wish(1, {"buy_in": BUY_IN + 1})) == (409, "table-closed")
    ring.act(hand_id)
    assert ring.hand(hand_id)["turn"]["deadline"] is None
    on_again = operator.made(f"{ring.path}/resume")["ring"]
    assert (on_again["paused"], on_again["closing"]) == (False, True)
    assert ring.hand(hand_id)["turn"]["deadline"] is not None
    assert code(operator.post(f"{ring.path}/resume")) == (409, "not-paused")
    closes_and_pays(scene)


def test_a_paused_table_that_is_closed_may_play_its_hand_to_the_end_without_going_on(scene, operator):
    ring = scene.ring
    operator.made(f"{ring.path}/pause")
    operator.made(f"{ring.path}/close")
    closes_and_pays(scene)
    assert code(operator.post(f"{ring.path}/resume")) == (409, "table-closed")


def test_a_table_that_is_paused_between_hands_closes_at_once(scene, operator):
    ring, hand_id, *_ = scene
    operator.made(f"{ring.path}/pause")
    net = ring.play_hand(hand_id)["settlement"]["net"]
    assert operator.made(f"{ring.path}/close")["state"] == "closed"
    assert scene.won() == [won - ANTE for won in net.values()]


def closes_and_pays(scene: Scene) -> None:
    """The running hand is played; then everybody has what he brought, what he won, and not his ante."""
    net = scene.ring.play_hand(scene.hand_id)["settlement"]["net"]
    until(lambda: scene.ring.table()["state"] == "closed")
    assert scene.ring.table()["last_hand_id"] == scene.hand_id
    assert scene.won() == [won - ANTE for won in net.values()]
    assert scene.stacks() == [0] * 4


def test_the_clock_goes_on_at_a_table_that_was_closed_in_a_pause(scene, operator):
    """R11.2: nobody can keep the table from its end by staying away."""
    ring, hand_id, *_ = scene
    operator.made(f"{ring.path}/pause")
    operator.made(f"{ring.path}/close")
    with CLOCK.put_forward(minutes=11):
        ring.act(hand_id)
        operator.made(f"{ring.path}/resume")
    assert {action["by"] for action in ring.hand(hand_id)["actions"]} == {"player"}
    with CLOCK.put_forward(minutes=22):
        until(lambda: "clock" in {action["by"] for action in ring.hand(hand_id)["actions"]})
    closes_and_pays(scene)


# who is connected

CONNECTED = {"Ann": (40, "good"), "Ben": (300, "fair"), "Cy": (1500, "poor")}
"""The round-trip time that each sends, in milliseconds, and what it makes of him; Dee sends nothing."""
STATES = ["good", "fair", "poor", "not_connected"]


def test_r11_the_four_states_are_stored_at_the_deal_and_shown_everywhere(
    app, operator, people, anybody, auditor, services
):
    ring = RingGame(app, operator)
    ring.players = dict(people)
    operator.made(f"{ring.path}/pause")
    for seat, player in enumerate(people, 1):
        ring.sit(seat, player)
    answers = [beat(ring, player, rtt) for player, (rtt, _) in zip(people, CONNECTED.values(), strict=False)]
    silent(services, ring, -600)
    assert [answer["connection"] for answer in answers] == STATES[:3]
    advice = "finish the hand and reconnect"
    assert [answer["advice"] for answer in answers] == [None, advice, advice]
    told = Feed(anybody, f"table={ring.id}&after={ring.opened['as_of']}")
    operator.made(f"{ring.path}/resume")
    hand_id = ring.hand_id()
    operator.made(f"{ring.path}/pause")
    for reader in (anybody, auditor, next(iter(people.values()))):
        assert states(reader.read(ring.path)) == STATES
        assert states(reader.read(f"/v1/hands/{hand_id}")) == STATES
        [listed] = [t for t in reader.read("/v1/tables?limit=200")["items"] if t["table_id"] == ring.id]
        assert states(listed) == STATES
    [dealt] = [data for _, kind, data in told.upto("hand.dealt") if kind == "hand.dealt"]
    assert dealt["connections"] == dict(zip("1234", STATES, strict=True))
    for player in people:
        beat(ring, player, 40)
    silent(services, ring, -600)
    assert states(anybody.read(f"/v1/hands/{hand_id}")) == ["good"] * 4
    ring.play_hand(hand_id)
    assert states(anybody.read(f"/v1/hands/{hand_id}")) == STATES
    assert states(auditor.read(f"/v1/hands/{hand_id}/history")) == STATES


def states(resource: dict) -> list[str]:
    return [seat["connection"] for seat in resource["seats"]]


def beat(ring: RingGame, player: str, rtt_ms: int) -> dict:
    return ring.players[player].made(f"{ring.path}/heartbeat", {"rtt_ms": rtt_ms}, key=None)


def test_r11_3_the_feeds_of_a_ring_table_and_of_its_player_tell_each_change(scene, anybody, services):
    ring, hand_id, (player, *_), _ = scene
    feeds = [changes(Feed(anybody, f"{topic}&after={ring.opened['as_of']}")) for topic in topics(scene)]
    for rtt_ms, state in ((40, "good"), (300, "fair"), (1500, "poor"), (None, "not_connected"), (40, "good")):
        if rtt_ms:
            beat(ring, player, rtt_ms)
        silent(services, ring, -600 if rtt_ms else 60)
        wanted = {"table_id": ring.id, "seat": 1, "player_id": player, "connection": state}
        assert [wanted.items() <= next(feed).items() for feed in feeds] == [True, True]
        assert states(ring.hand(hand_id))[0] == state
    assert ring.hand(hand_id)["state"] == "running"  # R11.1


def topics(scene: Scene) -> list[str]:
    return [f"table={scene.ring.id}", f"player={scene.players[0]}"]


def changes(feed: Feed) -> Iterator[dict]:
    """The changes of connections that a feed tells, once it has told of the deal."""
    frames = feed.frames()
    assert next(kind for _, kind, _ in frames if kind == "hand.dealt")
    return (
        json.loads(text.split("data: ")[1]) for _, text, _ in frames if text.startswith("event: connection")
    )


def silent(services, ring: RingGame, seconds: int) -> None:
    """As if the last heartbeats at a table were so old; below 0 they stay young, however long a test takes."""
    change = "UPDATE heartbeats SET at = clock_timestamp() - make_interval(secs => %s) WHERE table_id = %s"
    with services.store.database.connection() as conn:
        conn.execute(change, (seconds, ring.id))


@pytest.mark.usefixtures("people")
def test_at_last_the_book_is_the_one_that_the_raw_events_make(operator, beside, database_url):
    prove_books(operator, beside, database_url)
