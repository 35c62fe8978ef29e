"""The client: a command is sent again, as the same command, until there is an answer; a feed misses nothing."""

from __future__ import annotations

import time

import pytest

from tests.workers.service import Drop, event, serving
from workers import client as module
from workers.client import Client, Refused


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 2.0)


def one_after_the_other(*answers):
    """A service that gives these answers in turn, the last one for ever."""
    left = list(answers)

    def answer(_request):
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    return answer


def test_it_sends_its_token_and_its_body():
    with serving(one_after_the_other((201, {"player_id": "x"}))) as service:
        assert Client(service.url, "b2_secret").post("/v1/players", {"name": "Ä"}) == {"player_id": "x"}
        [request] = service.asked
    assert (request.method, request.path, request.body) == ("POST", "/v1/players", {"name": "Ä"})
    assert request.headers["Authorization"] == "Bearer b2_secret"
    assert request.headers["Content-Type"] == "application/json"


def test_without_a_token_it_sends_none_and_with_another_it_sends_that():
    with serving(one_after_the_other((200, {}))) as service:
        nobody = Client(service.url + "/")
        nobody.get("/a")
        nobody.with_token("b2_other").get("/a")
    assert [r.headers.get("Authorization") for r in service.asked] == [None, "Bearer b2_other"]


@pytest.mark.parametrize("trouble", [Drop(), (503, {}), (500, b""), (429, {"detail": "slowly"}), (502, {})])
def test_after_a_lost_reply_or_trouble_it_repeats_the_same_command(trouble):
    with serving(one_after_the_other(trouble, trouble, (201, {"ok": True}))) as service:
        assert Client(service.url).post("/v1/x", {"n": 1}) == {"ok": True}
    assert len(service.asked) == 3
    assert len({r.headers["Idempotency-Key"] for r in service.asked}) == 1
    assert {r.body["n"] for r in service.asked} == {1}


def test_a_seat_is_taken_and_left_by_the_same_command_however_often_it_is_sent():
    with serving(one_after_the_other((503, {}), (200, {"seat": 1}), (503, {}), (204, b""))) as service:
        client = Client(service.url)
        assert client.put("/v1/x", {"buy_in": 5000}) == {"seat": 1}
        assert client.delete("/v1/x") is None
    assert [r.method for r in service.asked] == ["PUT", "PUT", "DELETE", "DELETE"]
    first, again, left, left_again = (r.headers["Idempotency-Key"] for r in service.asked)
    assert first == again != left == left_again


def test_two_commands_have_two_keys_unless_it_is_told_one():
    with serving(one_after_the_other((201, {}))) as service:
        client = Client(service.url)
        client.post("/v1/x")
        client.post("/v1/x")
        client.post("/v1/x", key="mine")
        client.post("/v1/x", key="mine")
    first, second, third, fourth = (r.headers["Idempotency-Key"] for r in service.asked)
    assert first != second
    assert third == fourth == "mine"


def test_a_refusal_is_told_at_once_with_its_code():
    problem = {"type": "/problems/stale-turn", "detail": "Turn 3 is over."}
    with serving(one_after_the_other((409, problem))) as service, pytest.raises(Refused) as refused:
        Client(service.url).post("/v1/hands/x/passes", {"turn": 3})
    assert len(service.asked) == 1
    assert (refused.value.status, refused.value.code) == (409, "stale-turn")
    assert str(refused.value) == "409 /problems/stale-turn: Turn 3 is over."


@pytest.mark.parametrize("mine", [None, 0.05])
def test_at_last_it_loses_its_patience(monkeypatch, mine):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.05 if mine is None else 60.0)
    with serving(one_after_the_other((503, {"detail": "away"}))) as service:
        begun = time.monotonic()
        with pytest.raises(Refused, match=r"503.*away") as error:
            Client(service.url, patience_seconds=mine).with_token("b2_other").get("/v1/x")
    assert error.value.status == 503
    assert time.monotonic() - begun < 30


def test_all_pages_of_a_list_are_read():
    pages = {None: ([1, 2], "a"), "a": ([3], "b"), "b": ([], None)}

    def answer(request):
        cursor = request.path.partition("cursor=")[2] or None
        items, following = pages[cursor]
        return 200, {"items": [{"n": n} for n in items], "next": following}

    with serving(answer) as service:
        assert [item["n"] for item in Client(service.url).pages("/v1/x?as_of=3")] == [1, 2, 3]
    assert [r.path for r in service.asked] == [
        "/v1/x?as_of=3&limit=200",
        "/v1/x?as_of=3&limit=200&cursor=a",
        "/v1/x?as_of=3&limit=200&cursor=b",
    ]


def test_a_feed_that_is_cut_is_resumed_after_the_last_event_that_was_seen():
    def answer(request):
        last = request.headers.get("Last-Event-ID")
        if last is None:
            told = [
                b"retry: 1000\n\n",
                event(5, "table.opened", {"n": 1}),
                b": heartbeat\n\n",
                b"id: 9\nevent: ta",
            ]
            return 200, iter(told)
        if len(service.asked) == 2:
            return 503, {}
        return 200, iter([event(9, "table.closed", {"n": 2})])

    with serving(answer) as service:
        feed = Client(service.url, "b2_x").feed("tournament=t")
        seen = [next(feed) for _ in range(5)]
        feed.close()
    assert seen == [
        ("connected", {}),
        ("table.opened", {"n": 1}),
        ("heartbeat", {}),
        ("connected", {}),
        ("table.closed", {"n": 2}),
    ]
    assert [r.headers.get("Last-Event-ID") for r in service.asked] == [None, "5", "5"]
    assert {r.path for r in service.asked} == {"/v1/feed?tournament=t"}
    assert {r.headers["Authorization"] for r in service.asked} == {"Bearer b2_x"}


def test_a_feed_in_pieces_is_put_together():
    whole = event(5, "hand.played", {"name": "鋤大弟", "n": 1}) + event(6, "hand.passed", {"n": 2})
    pieces = [whole[i : i + 1] for i in range(len(whole))]
    with serving(one_after_the_other((200, iter(pieces)))) as service:
        feed = Client(service.url).feed("table=t")
        assert [next(feed) for _ in range(3)] == [
            ("connected", {}),
            ("hand.played", {"name": "鋤大弟", "n": 1}),
            ("hand.passed", {"n": 2}),
        ]
        feed.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_feed_that_is_refused_is_not_asked_for_again(status):
    problem = {"type": "/problems/not-found", "detail": "There is no such tournament."}
    with serving(one_after_the_other((status, problem))) as service:
        with pytest.raises(Refused, match="no such tournament"):
            next(Client(service.url).feed("tournament=t"))
        assert len(service.asked) == 1


def test_a_feed_of_a_service_that_is_away_is_waited_for():
    busy = one_after_the_other((503, {}), Drop(), (429, {}), (200, iter([event(1, "x", {})])))
    with serving(busy) as service:
        feed = Client(service.url).feed("tournament=t")
        assert [next(feed), next(feed)] == [("connected", {}), ("x", {})]
        feed.close()
        assert len(service.asked) == 4


def test_a_silent_feed_is_a_dead_one(monkeypatch):
    monkeypatch.setattr(module, "FEED_TIMEOUT_SECONDS", 0.2)

    def silent():
        yield event(1, "x", {})
        time.sleep(0.6)

    with serving(lambda _: (200, silent())) as service:
        feed = Client(service.url).feed("tournament=t")
        assert [next(feed)[0] for _ in range(3)] == ["connected", "x", "connected"]
        feed.close()
        assert len(service.asked) == 2
