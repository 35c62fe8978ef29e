"""House players against a service that says what the test wants: each turn once, by the right player, to the end."""

from __future__ import annotations

import threading
import time

import pytest

from tests.workers.service import event, serving
from workers import bots as module
from workers import heartbeats
from workers.bots import Bots
from workers.client import Client, Refused
from workers.venues import RingTable, Tournament

SEATS = [{"seat": 1, "player_id": "ann", "stack": 50}, {"seat": 2, "player_id": "bob", "stack": 50}]
DEALT = {"hand_id": "h", "table_id": "x", "seats": SEATS, "next_turn": {"number": 1, "seat": 1}}
OVER = {"tournament_id": "t"}


class Table:
    """A tournament with one hand; `feed` is what its feed tells, `legal` what may be played, by turn."""

    def __init__(self) -> None:
        self.feed: list[tuple[str, dict]] = []
        self.legal: dict[int, list[list[str]]] = {1: [["3D"]]}
        self.may_pass = True
        self.state = "running"
        self.ring: dict = {"state": "open", "seats": [], "hand_id": None, "hands_played": 3}
        self.hand: dict | None = None
        self.turn = 1
        self.acted: list[tuple[str, str, dict]] = []
        self.told: list[str] = []
        self.refuse: list[tuple[int, dict]] = []
        self.beaten: list[tuple[str, str]] = []
        self.beats = 1000
        self.seated: tuple[int, dict] = (200, {"connection": "good"})
        self.enough = threading.Event()

    def answer(self, request):
        path = request.path.partition("?")[0]
        if path == "/v1/feed":
            self.told.append(request.path)
            return 200, self._told()
        if request.method == "POST":
            return self._posted(path, request)
        if path.endswith("/legal-plays"):
            items = [{"cards": cards, "breach": False} for cards in self.legal[self.turn]]
            return 200, {"turn": self.turn, "may_pass": self.may_pass, "duty": None, "items": items}
        return 200, self._read(path)

    def _told(self):
        yield b"retry: 1000\n\n"
        for position, (kind, data) in enumerate(self.feed, 1):
            yield event(position, kind, data)
        self.enough.wait(10)
        yield event(98, "ring.closed", {})
        yield event(99, "tournament.finished", OVER)

    def _posted(self, path, request):
        if path.endswith("/tokens"):
            return 201, {"token": f"token of {path.split('/')[3]}"}
        if path.endswith("/heartbeat"):
            return self._beaten(path, request)
        if self.refuse:
            return self.refuse.pop(0)
        self.acted.append((request.headers["Authorization"], path, request.body))
        self.turn += 1
        self.enough.set()
        return 201, {"actions": []}

    def _beaten(self, path, request):
        self.beaten.append((request.headers["Authorization"], path))
        if len(self.beaten) >= self.beats:
            self.enough.set()
        return self.seated

    def _read(self, path):
        if path.endswith("/entries"):
            return {"items": [{"player_id": p, "name": f"House {p}"} for p in ("ann", "bob")], "next": None}
        if path.endswith("/tables"):
            running = self.hand and self.hand["hand_id"]
            return {"items": [{"hand_id": running}, {"hand_id": None}], "next": None}
        if path == "/v1/hands/h":
            return self.hand
        if path.startswith("/v1/players/"):
            who = path.rpartition("/")[2]
            return {"name": f"{'House' if who in ('ann', 'bob') else 'Guest'} {who}"}
        if path == "/v1/tables/t":
            return self.ring
        return {"state": self.state}


@pytest.fixture
def table():
    return Table()


@pytest.fixture(autouse=True)
def sweeps_often(monkeypatch):
    monkeypatch.setattr(module, "SWEEP_SECONDS", 0.05)


def played(table, venue=Tournament, *, enough=True, **more) -> Bots:
    """What the bots do until the table has had enough, or by themselves."""
    with serving(table.answer) as service:
        client = Client(service.url, "operator")
        bots = Bots(client, venue(client, "t"), **more)
        thread = threading.Thread(target=bots.run)
        thread.start()
        if enough:
            table.enough.wait(10)
        thread.join(10)
        assert not thread.is_alive()
        table.enough.set()
    return bots


def test_the_player_on_turn_plays_with_a_token_of_his_own(table):
    table.feed = [("hand.dealt", DEALT)]
    assert played(table).plays == 1
    assert table.acted == [("Bearer token of ann", "/v1/hands/h/plays", {"turn": 1, "cards": ["3D"]})]


def test_without_a_play_he_passes(table):
    table.legal[1] = []
    table.feed = [("hand.dealt", DEALT)]
    played(table)
    assert table.acted == [("Bearer token of ann", "/v1/hands/h/passes", {"turn": 1})]


def test_who_sits_out_leaves_his_turn_to_the_clock(table):
    table.feed, table.legal, table.may_pass = [("hand.dealt", DEALT)], {1: []}, False
    played(table)
    assert table.acted == []


def test_a_turn_that_is_told_twice_is_taken_once(table):
    table.feed = [("hand.dealt", DEALT), ("hand.clock_started", {"hand_id": "h"}), ("hand.dealt", DEALT)]
    table.hand = {
        "hand_id": "h",
        "table_id": "x",
        "seats": hand_seats(13, 13),
        "turn": {"number": 1, "seat": 1},
    }
    played(table)
    assert len(table.acted) == 1


def hand_seats(*left):
    return [{**seat, "cards_left": cards} for seat, cards in zip(SEATS, left, strict=True)]


def test_what_the_feed_has_missed_is_found_by_looking(table):
    table.hand = {
        "hand_id": "h",
        "table_id": "x",
        "seats": hand_seats(2, 9),
        "turn": {"number": 7, "seat": 2},
    }
    table.turn, table.legal[7] = 7, [["9S"]]
    played(table)
    assert table.acted == [("Bearer token of bob", "/v1/hands/h/plays", {"turn": 7, "cards": ["9S"]})]


@pytest.mark.parametrize("code", sorted(module.GONE))
def test_whoever_was_faster_is_welcome(table, code, caplog):
    table.refuse = [(409, {"type": f"/problems/{code}", "detail": "too late"})]
    table.feed = [("hand.dealt", DEALT)]
    table.hand = {
        "hand_id": "h",
        "table_id": "x",
        "seats": hand_seats(13, 13),
        "turn": {"number": 1, "seat": 1},
    }
    played(table)
    assert len(table.acted) == 1
    assert caplog.records == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((422, {"type": "/problems/does-not-beat", "detail": "too low"}), "too low"),
        ((201, [1]), "a bot has stumbled"),
    ],
)
def test_whatever_goes_wrong_is_told_and_tried_again(table, answer, told, caplog, monkeypatch):
    table.feed = [("hand.dealt", DEALT)]
    table.hand = {
        "hand_id": "h",
        "table_id": "x",
        "seats": hand_seats(13, 13),
        "turn": {"number": 1, "seat": 1},
    }
    if answer[0] == 201:
        choose, calls = module.choose, []

        def stumbles(*args):
            calls.append(1)
            if len(calls) == 1:
                raise KeyError("cards")
            return choose(*args)

        monkeypatch.setattr(module, "choose", stumbles)
    else:
        table.refuse = [answer]
    played(table)
    assert len(table.acted) == 1
    assert told in caplog.text


def test_only_players_whose_names_begin_so_are_played_for(table, caplog):
    table.feed = [("hand.dealt", DEALT)]
    threading.Timer(0.4, table.enough.set).start()
    played(table, prefix="Guest")
    assert table.acted == []
    assert "nobody yet whose name begins with 'Guest': waiting for one" in caplog.text


def test_when_the_tournament_is_over_they_go_home(table):
    table.state = "finished"
    table.enough.set()
    begun = time.monotonic()
    assert played(table).plays == 0
    assert time.monotonic() - begun < 5


def test_a_played_card_counts(table):
    """Facing somebody with few cards, a two is not kept."""
    played_by_bob = {"hand_id": "h", "seat": 2, "cards": ["3D"] * 10, "next_turn": {"number": 2, "seat": 1}}
    table.feed = [("hand.dealt", {**DEALT, "next_turn": None}), ("hand.played", played_by_bob)]
    table.turn, table.legal[2] = 2, [["2S"]]
    played(table)
    assert table.acted == [("Bearer token of ann", "/v1/hands/h/plays", {"turn": 2, "cards": ["2S"]})]


def test_cards_that_a_ruling_gives_back_count_no_more_and_the_turn_that_begins_anew_is_taken(table):
    played_by_bob = {"hand_id": "h", "seat": 2, "cards": ["3D"] * 10, "next_turn": None}
    voided = {"hand_id": "h", "cards_left": {"1": 13, "2": 13}, "next_turn": {"number": 4, "seat": 1}}
    table.feed = [
        ("hand.dealt", {**DEALT, "next_turn": None}),
        ("hand.played", played_by_bob),
        ("hand.actions_voided", voided),
    ]
    table.turn, table.legal[4] = 4, [["2S"]]
    played(table)
    assert table.acted == [("Bearer token of ann", "/v1/hands/h/passes", {"turn": 4})]


def test_a_hand_that_has_ended_is_forgotten(table):
    ended = [
        ("hand.settled", {"hand_id": "h"}),
        ("hand.passed", {"hand_id": "h", "next_turn": {"number": 1, "seat": 1}}),
    ]
    table.feed = [("hand.dealt", {**DEALT, "next_turn": None}), *ended]
    threading.Timer(0.4, table.enough.set).start()
    played(table)
    assert table.acted == []


def test_a_tournament_that_there_is_not_is_told_at_once():
    problem = {"type": "/problems/not-found", "detail": "There is no such tournament."}
    with serving(lambda _: (404, problem)) as service:
        client = Client(service.url, "operator")
        bots = Bots(client, Tournament(client, "t"))
        with pytest.raises(Refused, match="no such tournament"):
            bots.run()


def test_the_same_seed_has_the_same_whims():
    nowhere = Client("http://x")
    one, same, other = (
        Bots(nowhere, Tournament(nowhere, "t"), seed=seed)._random("h", 3).random() for seed in (1, 1, 2)
    )
    assert one == same != other


# ring tables


def at_ring(hands=None):
    return lambda client, table_id: RingTable(client, table_id, hands)


def test_at_a_ring_table_a_player_who_sat_down_later_is_played_for_too(table):
    table.ring["seats"] = [{"name": "House ann"}]
    seats = [SEATS[0], {"seat": 2, "player_id": "bob", "stack": 5000}]
    table.feed = [("hand.dealt", DEALT | {"seats": seats, "next_turn": {"number": 1, "seat": 2}})]
    assert played(table, at_ring(), prefix="House").plays == 1
    assert table.acted == [("Bearer token of bob", "/v1/hands/h/plays", {"turn": 1, "cards": ["3D"]})]
    assert table.told == ["/v1/feed?table=t"]


def test_at_a_ring_table_too_a_missed_turn_is_found_by_looking(table):
    seats, turn = hand_seats(13, 13), {"number": 1, "seat": 1}
    table.hand = {"hand_id": "h", "table_id": "t", "seats": seats, "turn": turn}
    table.ring["hand_id"] = "h"
    played(table, at_ring())
    assert table.acted == [("Bearer token of ann", "/v1/hands/h/plays", {"turn": 1, "cards": ["3D"]})]


@pytest.mark.parametrize(
    ("hands", "told"),
    [
        (None, [("ring.closed", {})]),
        (2, [("ring.hand_ended", {"number": 4}), ("ring.hand_ended", {"number": 5})]),
    ],
)
def test_they_leave_a_ring_table_that_closes_or_after_so_many_hands(table, hands, told):
    late = ("hand.dealt", DEALT)
    table.feed = [*told, late]
    assert played(table, at_ring(hands), enough=False).plays == 0


@pytest.mark.parametrize("told", [("ring.hand_ended", {"number": 4}), ("ring.paused", {})])
def test_before_that_they_stay(table, told):
    table.feed = [told, ("hand.dealt", DEALT)]
    assert played(table, at_ring(2)).plays == 1


@pytest.mark.parametrize(("hands", "shown"), [(None, {"state": "closed"}), (2, {"hands_played": 5})])
def test_what_the_feed_has_not_told_they_see_at_the_table(table, hands, shown, monkeypatch):
    with serving(table.answer) as service:
        client = Client(service.url, "operator")
        venue = RingTable(client, "t", hands)
        assert not venue.over()
        table.ring |= shown
        assert venue.over()


# heartbeats


@pytest.fixture
def beats_often(monkeypatch):
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.02)


def test_each_house_player_tells_that_he_is_there_at_the_table_where_he_sits_r11_3(table, beats_often):
    others = [*SEATS, {"seat": 3, "player_id": "a guest", "stack": 50}]
    table.beats = 4
    table.feed = [("hand.dealt", DEALT | {"seats": others, "next_turn": None})]
    played(table, prefix="House")
    assert set(table.beaten) == {
        (f"Bearer token of {who}", "/v1/tables/x/heartbeat") for who in ("ann", "bob")
    }
    assert table.acted == []


def test_the_first_heartbeat_sends_what_another_request_took_and_each_other_what_the_one_before(monkeypatch):
    clock = iter([0.0, 0.3, 1.0, 1.05, 2.0, 2.06])
    monkeypatch.setattr(heartbeats.time, "monotonic", lambda: next(clock))
    asked = []

    class Table:
        def get(self, path):
            asked.append(path)

        def post(self, path, body):
            asked.append((path, body))

    beating = heartbeats.Heartbeats(lambda _: Table())
    for _ in range(2):
        beating._beat("ann", "x")
    path = "/v1/tables/x/heartbeat"
    assert asked == ["/v1/tables/x", (path, {"rtt_ms": 300}), (path, {"rtt_ms": 50})]


@pytest.mark.parametrize("code", ["forbidden", "table-closed"])
def test_who_sits_there_no_more_is_not_asked_again(code, table, beats_often, caplog):
    table.seated = (409, {"type": f"/problems/{code}"})
    table.beats = 2
    table.feed = [("hand.dealt", DEALT | {"next_turn": None})]
    with serving(table.answer) as service:
        beating = heartbeats.Heartbeats(Client(service.url).with_token)
        beating.seat("x", SEATS)
        done = threading.Event()
        thread = threading.Thread(target=beating.run, args=(done, lambda beat, *args: beat(*args)))
        thread.start()
        table.enough.wait(10)
        time.sleep(0.1)
        done.set()
        thread.join(10)
    assert len(table.beaten) == 2


def test_another_refusal_is_told_and_he_goes_on(table, beats_often, caplog):
    table.seated = (422, {"type": "/problems/validation"})
    table.beats = 3
    table.feed = [("hand.dealt", DEALT | {"next_turn": None})]
    played(table)
    assert "/problems/validation" in caplog.text
