"""Webhooks, as operators make them and as receivers see them: a real receiver on 127.0.0.1."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from domain import webhooks as webhook_list
from domain.credential import Role
from domain.ids import WEBHOOKS, CommandId, TournamentId, WebhookId
from domain.webhook import MOST_FAILURES, WEBHOOK, signature
from domain.webhooks import WEBHOOK_LIST
from services.application import credentials, deliveries, webhooks
from services.application.credentials import Grant
from services.envelope import Command
from services.errors import Unavailable
from services.http.calls import EXTENSION
from tests.services.http.driving import Api
from tests.services.http.playing import Game, until
from tests.services.http.receiving import Receiver
from tests.services.http.ringing import TERMS
from tests.services.http.test_hidden_cards import CARD
from workers import delivering
from workers.delivering import Deliverer

_PATHS = (f"/{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def services(services):
    services.webhook_hosts = frozenset({"127.0.0.1"})
    return services


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def path(operator) -> Iterator[str]:
    """A path of the receiver's own for each test; whatever a test registered is deleted after it."""
    yield next(_PATHS)
    for webhook in operator.read("/v1/webhooks?limit=200")["items"]:
        operator.delete(f"/v1/webhooks/{webhook['webhook_id']}")


@pytest.fixture
def told(services, beside):
    """Looks until a condition holds, as the clock's process does."""
    deliverer = Deliverer(services)

    def told(what):
        until(beside.rests)
        return until(lambda: (deliverer.look(), what())[1])

    return told


def webhook_of(operator: Api, url: str, **more) -> dict:
    return operator.made("/v1/webhooks", {"url": url, **more})


def delivery_of(operator: Api, webhook: dict) -> dict:
    return operator.read(f"/v1/webhooks/{webhook['webhook_id']}")["delivery"]


def feed_of(services, tournament: str) -> list[int]:
    """The positions that the feed of a tournament has."""
    with services.store.database.connection() as conn:
        rows = conn.execute(
            "SELECT position FROM projections.feed WHERE tournament_id = %s ORDER BY position", (tournament,)
        ).fetchall()
    return [position for (position,) in rows]


def at_once(services) -> None:
    """Nobody waits for the end of a pause."""
    with services.store.database.connection() as conn:
        conn.execute("UPDATE webhook_deliveries SET next_try_at = clock_timestamp()")


def limited(app, services, tournament: str) -> Api:
    grant = Grant(Role.OPERATOR, tournament_id=TournamentId(UUID(tournament)))
    made = credentials.issue(services.store, Command(CommandId(uuid4()), "tests", ""), lambda: grant)
    return Api(app, made.text)


# what an operator is answered


def test_a_secret_is_shown_once(operator, receiver, path):
    body = {"url": receiver.url(path), "topics": ["hand.settled", "hand.dealt", "hand.settled"]}
    first = operator.post("/v1/webhooks", body, key=f"key{path}")
    made = first.json
    assert first.status_code == 201
    assert len(made.pop("secret")) >= 43  # 256 bits in base64
    assert made["topics"] == ["hand.dealt", "hand.settled"]
    assert (made["state"], made["tournament_id"]) == ("active", None)
    again = operator.post("/v1/webhooks", body, key=f"key{path}")
    assert (again.status_code, again.json, again.headers["Idempotency-Hit"]) == (201, made, "true")
    read = operator.read(first.headers["Location"])
    assert "secret" not in read
    delivery = read.pop("delivery")
    assert read == made
    assert (delivery["position"], delivery["delivered"]) == (made["as_of"], 0)
    listed = operator.read("/v1/webhooks")["items"]
    assert [(w["webhook_id"], "secret" in w) for w in listed] == [(made["webhook_id"], False)]


def test_its_secret_and_its_address_are_in_no_auditor_s_page(operator, auditor, receiver, path):
    made = webhook_of(operator, receiver.url(f"{path}?key=private"))
    page = auditor.get("/v1/audit/events?type=webhook")
    [event] = [e for e in page.json["items"] if e["stream_id"] == made["webhook_id"]]
    assert event["hidden"] == ["url", "secret"]
    assert made["secret"] not in page.text
    assert "private" not in page.text


def test_one_that_is_deleted_is_not_found(operator, receiver, path):
    where = f"/v1/webhooks/{webhook_of(operator, receiver.url(path))['webhook_id']}"
    assert operator.delete(where, key="gone").status_code == 204
    again = operator.delete(where, key="gone")
    assert (again.status_code, again.headers["Idempotency-Hit"]) == (204, "true")
    for answer in (operator.delete(where), operator.get(where), operator.delete(f"/v1/webhooks/{uuid4()}")):
        assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:6379/",
        "http://10.0.0.7/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://user@8.8.8.8/",
        "http://8.8.8.8:0/",
        "file:///etc/passwd",
        "http:///",
        "https://nowhere.invalid/",
        "",
    ],
)
def test_an_address_that_nothing_is_sent_to_is_refused(operator, services, path, url):
    before = services.store.head()
    answer = operator.post("/v1/webhooks", {"url": url})
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/forbidden-url")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/url"]
    assert services.store.head() == before


def test_all_that_is_wrong_is_told_at_once(operator, path):
    nobody = str(uuid4())
    both = operator.post("/v1/webhooks", {"url": "http://[::1]/", "tournament_id": nobody}).json
    assert (both["type"], [e["pointer"] for e in both["errors"]]) == (
        "/problems/forbidden-url",
        ["/url", "/tournament_id"],
    )
    one = operator.post("/v1/webhooks", {"url": "http://8.8.8.8/", "tournament_id": nobody}).json
    assert (one["type"], [e["pointer"] for e in one["errors"]]) == (
        "/problems/validation",
        ["/tournament_id"],
    )
    topics = operator.post(
        "/v1/webhooks", {"url": "http://8.8.8.8/", "topics": ["hand.settled", "player"]}
    ).json
    assert [e["pointer"] for e in topics["errors"]] == ["/topics/1"]
    unknown = operator.post("/v1/webhooks", {"url": "http://[::1]/", "secret": "mine", "topics": []}).json
    assert (unknown["type"], {e["pointer"] for e in unknown["errors"]}) == (
        "/problems/forbidden-url",
        {"/url", "/secret", "/topics"},
    )
    none = operator.post("/v1/webhooks", {"tournament_id": 5, "secret": "mine"}).json
    assert {e["pointer"] for e in none["errors"]} == {"/url", "/tournament_id", "/secret"}


def test_there_are_so_many_at_one_time_whatever_the_projections_know(
    operator, receiver, path, monkeypatch, beside
):
    monkeypatch.setattr(webhook_list, "MOST_WEBHOOKS", 1)
    with beside.paused():
        first = webhook_of(operator, receiver.url(path))
        answer = operator.post("/v1/webhooks", {"url": "http://[::1]/"})
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/too-many-webhooks")
        assert operator.delete(f"/v1/webhooks/{first['webhook_id']}").status_code == 204
        webhook_of(operator, receiver.url(path))


def test_of_70_that_are_registered_at_once_32_are(app, admin, receiver, path, services):
    token = admin.made("/v1/tokens", {"role": "operator"})["token"]

    def register(_: int) -> int:
        return Api(app, token).post("/v1/webhooks", {"url": receiver.url(path)}).status_code

    with ThreadPoolExecutor(70) as threads:
        answers = Counter(threads.map(register, range(70)))
    assert answers == {201: 32, 409: 38}
    listed = services.store.load(WEBHOOK_LIST, WEBHOOKS).state.webhook_ids
    assert len(listed) == 32
    assert {services.store.load(WEBHOOK, made).state.state for made in listed} == {"active"}


def test_what_was_registered_before_there_was_a_list_counts(
    operator, receiver, path, *, services, monkeypatch, beside
):
    """The list is taken away, as if what there is were older than lists."""
    monkeypatch.setattr(webhook_list, "MOST_WEBHOOKS", 2)
    old = webhook_of(operator, receiver.url(path))
    monkeypatch.setattr(webhooks, "WEBHOOKS", uuid4())
    until(beside.rests)
    second = webhook_of(operator, receiver.url(path))
    listed = services.store.load(WEBHOOK_LIST, webhooks.WEBHOOKS).state.webhook_ids
    assert [str(each) for each in listed] == [old["webhook_id"], second["webhook_id"]]
    assert operator.post("/v1/webhooks", {"url": receiver.url(path)}).status_code == 409
    assert operator.delete(f"/v1/webhooks/{old['webhook_id']}").status_code == 204
    monkeypatch.undo()
    assert operator.delete(f"/v1/webhooks/{second['webhook_id']}").status_code == 204


def test_a_token_of_one_tournament_makes_and_sees_those_of_its_tournament(
    app, services, operator, receiver, path
):
    mine, other = (Game(app, operator, entrants=0).id for _ in range(2))
    theirs = webhook_of(operator, receiver.url(path))
    own = limited(app, services, mine)
    made = webhook_of(own, receiver.url(path), tournament_id=mine)
    assert [w["webhook_id"] for w in own.read("/v1/webhooks")["items"]] == [made["webhook_id"]]
    assert own.read(f"/v1/webhooks/{made['webhook_id']}")["tournament_id"] == mine
    for refused in (
        own.post("/v1/webhooks", {"url": receiver.url(path)}),
        own.post("/v1/webhooks", {"url": receiver.url(path), "tournament_id": other}),
        own.get(f"/v1/webhooks/{theirs['webhook_id']}"),
        own.delete(f"/v1/webhooks/{theirs['webhook_id']}"),
    ):
        assert refused.status_code == 403


# what a receiver gets


def test_every_event_comes_once_in_the_order_of_the_log_as_the_feed_tells_it(
    app, services, operator, receiver, path, told
):
    webhook = webhook_of(operator, receiver.url(path))
    game = Game(app, operator, stack_points=100, between_hands_seconds=3600)
    game.play_hand(game.hand_id())
    told(lambda: len(receiver.at(path)) >= len(feed_of(services, game.id)))
    assert receiver.positions(path) == feed_of(services, game.id)
    kinds = {delivery.event["type"] for delivery in receiver.at(path)}
    assert {"tournament.published", "roster.registered", "table.hand_begun", "hand.settled"} <= kinds
    for delivery in receiver.at(path):
        assert delivery.headers["Big2-Webhook-Id"] == webhook["webhook_id"]
        assert delivery.headers["Big2-Delivery"] == str(delivery.event["position"])
        assert delivery.headers["Content-Type"] == "application/json"
    dealt = next(d for d in receiver.at(path) if d.event["type"] == "hand.dealt")
    assert not CARD.search(dealt.body.decode())
    until(lambda: delivery_of(operator, webhook)["delivered"] == len(receiver.at(path)))


def test_a_delivery_is_signed_with_the_time_and_the_secret(app, operator, receiver, path, told):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    Game(app, operator, entrants=0)
    told(lambda: receiver.at(path))
    [delivery] = receiver.at(path)
    sent, signed = (part.partition("=")[2] for part in delivery.headers["Big2-Signature"].split(","))
    assert abs(time.time() - int(sent)) < 60
    expected = hmac.new(webhook["secret"].encode(), f"{sent}.".encode() + delivery.body, hashlib.sha256)
    assert signed == expected.hexdigest()


def test_a_receiver_s_check_on_the_page_takes_what_is_genuine_and_nothing_else(
    app, operator, receiver, path, told
):
    page = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")
    receiving: dict = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], receiving)
    is_genuine = receiving["is_genuine"]
    secret = webhook_of(operator, receiver.url(path), topics=["tournament.published"])["secret"]
    Game(app, operator, entrants=0)
    told(lambda: receiver.at(path))
    [delivery] = receiver.at(path)
    signed = delivery.headers["Big2-Signature"]
    assert is_genuine(secret, signed, delivery.body)
    assert not any(is_genuine(secret, wrong, delivery.body) for wrong in ("", "t=1", "v1=ff", "t=x,v1=é"))
    assert not is_genuine(secret, signed, delivery.body + b" ")
    assert not is_genuine("another", signed, delivery.body)
    sent = int(signed.partition(",")[0].removeprefix("t="))
    assert not is_genuine(secret, signature(secret, sent - 600, delivery.body), delivery.body)


def test_nobody_is_told_of_another_tournament_or_of_what_was_before(
    app, services, operator, receiver, path, told
):
    before = Game(app, operator, entrants=1)
    webhook = webhook_of(operator, receiver.url(path), tournament_id=before.id)
    other = Game(app, operator, entrants=1)
    before.enter(app)
    told(lambda: receiver.at(path))
    assert receiver.positions(path) == [feed_of(services, before.id)[-1]]
    until(lambda: delivery_of(operator, webhook)["position"] >= feed_of(services, before.id)[-1])
    assert not set(receiver.positions(path)) & set(feed_of(services, other.id))


def test_ring_tables_are_told_to_those_only_that_name_events(app, operator, receiver, path, told):
    every, some = f"{path}/every", f"{path}/some"
    webhook_of(operator, receiver.url(every))
    webhook_of(operator, receiver.url(some), topics=["ring.opened", "tournament.published"])
    table = operator.made("/v1/tables", TERMS)["table_id"]
    Game(app, operator, entrants=0)
    told(lambda: len(receiver.at(some)) == 2 and len(receiver.at(every)) >= 2)
    assert [d.event["type"] for d in receiver.at(some)] == ["ring.opened", "tournament.published"]
    assert receiver.at(some)[0].event["table_id"] == table
    assert all(d.event["tournament_id"] for d in receiver.at(every))


def test_what_was_not_taken_comes_again_and_nothing_passes_it(app, services, operator, receiver, path, told):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    answers = iter([500, 302, 204, 204])
    receiver.answers[path] = lambda: next(answers)
    for _ in range(2):
        Game(app, operator, entrants=0)
    told(lambda: delivery_of(operator, webhook)["failures"] == 1)
    assert delivery_of(operator, webhook)["last_failure"] == "answered 500"
    pause = _pause(delivery_of(operator, webhook))
    assert timedelta() < pause <= timedelta(seconds=deliveries.FIRST_PAUSE_SECONDS)
    at_once(services)
    told(lambda: delivery_of(operator, webhook)["failures"] == 2)
    assert delivery_of(operator, webhook)["last_failure"] == "answered 302: redirects are not followed"
    assert pause < _pause(delivery_of(operator, webhook)) <= 2 * pause + timedelta(seconds=1)
    at_once(services)
    told(lambda: delivery_of(operator, webhook)["delivered"] == 2)
    first, again, once_more, second = receiver.positions(path)
    assert first == again == once_more < second
    assert len({d.body for d in receiver.at(path)}) == 2
    assert receiver.at("/elsewhere") == []
    healed = delivery_of(operator, webhook)
    assert (healed["failures"], healed["last_failure"], healed["next_try_at"]) == (0, None, None)


def _pause(delivery: dict) -> timedelta:
    return datetime.fromisoformat(delivery["next_try_at"]) - datetime.now(UTC)


def test_a_pause_doubles_up_to_an_hour(services, operator, receiver, path):
    webhook = webhook_of(operator, receiver.url(path))
    pauses = []
    for _ in range(14):
        deliveries.failed(services.store, WebhookId(UUID(webhook["webhook_id"])), 0, "away")
        pauses.append(_pause(delivery_of(operator, webhook)).total_seconds())
    expected = [min(deliveries.LONGEST_PAUSE_SECONDS, 5 * 2**n) for n in range(14)]
    assert all(abs(found - wanted) < 3 for found, wanted in zip(pauses, expected, strict=True))


def test_who_fails_for_a_day_is_disabled_by_an_event_and_told_nothing_more(
    app, services, operator, receiver, path, told
):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    receiver.answers[path] = lambda: 503
    Game(app, operator, entrants=0)
    told(lambda: delivery_of(operator, webhook)["failures"] == 1)
    with services.store.database.connection() as conn:
        conn.execute(
            "UPDATE webhook_deliveries SET failures = %s, next_try_at = clock_timestamp(),"
            " failing_since = clock_timestamp() - interval '1 day' WHERE webhook_id = %s",
            (MOST_FAILURES - 1, webhook["webhook_id"]),
        )
    where = f"/v1/webhooks/{webhook['webhook_id']}"
    told(lambda: operator.read(where)["state"] == "disabled")
    found = operator.read(where)["delivery"]
    assert (found["failures"], found["last_failure"], found["next_try_at"]) == (
        MOST_FAILURES,
        "answered 503",
        None,
    )
    assert deliveries.waiting(services.store.database) == []
    assert operator.delete(where).status_code == 204


def test_after_a_restart_it_goes_on_where_it_was(app, services, operator, receiver, path, told):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    Game(app, operator, entrants=0)
    told(lambda: delivery_of(operator, webhook)["delivered"] == 1)
    Game(app, operator, entrants=0)
    another = Deliverer(services)
    until(lambda: (another.look(), len(receiver.at(path)) == 2)[1])
    until(lambda: delivery_of(operator, webhook)["delivered"] == 2)
    assert receiver.positions(path) == sorted(set(receiver.positions(path)))


def test_after_its_deletion_nothing_comes(app, services, operator, receiver, path, *, told, beside):
    """Not even what the projections, which are late, still show as waiting."""
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    other = webhook_of(operator, receiver.url(f"{path}/other"), topics=["tournament.published"])
    Game(app, operator, entrants=0)
    until(beside.rests)
    with beside.paused():
        waiting = deliveries.waiting(services.store.database)
        assert operator.delete(f"/v1/webhooks/{webhook['webhook_id']}").status_code == 204
        assert str(waiting[0].webhook_id) == webhook["webhook_id"]
        Deliverer(services)._tell(waiting[0])
    told(lambda: delivery_of(operator, other)["delivered"] == 1)
    assert receiver.at(path) == []


def test_a_slow_receiver_delays_no_other(app, operator, receiver, path, told):
    slow, quick = f"{path}/slow", f"{path}/quick"
    open_ = threading.Event()
    receiver.answers[slow] = lambda: 204 if open_.wait(20) else 500
    for each in (slow, quick):
        webhook_of(operator, receiver.url(each), topics=["tournament.published"])
    for _ in range(3):
        Game(app, operator, entrants=0)
    told(lambda: len(receiver.at(quick)) == 3 and receiver.at(slow))
    assert len(receiver.at(slow)) == 1
    open_.set()
    told(lambda: len(receiver.at(slow)) == 3)
    assert receiver.positions(slow) == receiver.positions(quick)


def test_a_bug_in_sending_is_tried_again_after_a_pause_and_tells_no_message(
    app, operator, receiver, path, *, told, monkeypatch, caplog
):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    Game(app, operator, entrants=0)

    card = "3D"

    def broken(*_, **__):
        raise ValueError(card)

    monkeypatch.setattr(delivering.outgoing, "send", broken)
    told(lambda: delivery_of(operator, webhook)["failures"] == 1)
    assert delivery_of(operator, webhook)["last_failure"] == "failed here (ValueError)"
    assert _pause(delivery_of(operator, webhook)) > timedelta()
    assert "a delivery failed" in caplog.text
    assert card not in caplog.text


def test_what_cannot_be_read_is_looked_for_again(app, operator, receiver, path, *, told, monkeypatch):
    webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    Game(app, operator, entrants=0)
    errors = [Unavailable("away"), ValueError("a bug")]
    following = deliveries.following

    def sometimes(*args):
        if errors:
            raise errors.pop()
        return following(*args)

    monkeypatch.setattr(deliveries, "following", sometimes)
    told(lambda: len(receiver.at(path)) == 1)
    assert not errors


def test_an_address_that_became_private_is_told_nothing(app, services, operator, receiver, path, told):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    Game(app, operator, entrants=0)
    services.webhook_hosts = frozenset()
    try:
        told(lambda: delivery_of(operator, webhook)["failures"] == 1)
    finally:
        services.webhook_hosts = frozenset({"127.0.0.1"})
    assert "private network" in delivery_of(operator, webhook)["last_failure"]
    assert receiver.at(path) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_only_one_process_delivers_and_another_takes_over(services, database_url, monkeypatch):
    monkeypatch.setattr(delivering, "AGAIN_SECONDS", 0.02)
    monkeypatch.setattr(delivering, "LOOK_SECONDS", 0.02)
    looks: list[str] = []
    asked = Counter()
    ended = {name: threading.Event() for name in ("first", "second")}

    class Watched(Deliverer):
        def __init__(self, name: str) -> None:
            super().__init__(services)
            self.name = name

        def _holds(self, lock) -> bool:
            found = super()._holds(lock)
            asked[self.name] += 1
            return found

        def look(self) -> int:
            if ended[self.name].is_set():
                raise SystemExit  # as its process ends, and with it its connection
            looks.append(self.name)
            return 0

    threads = [threading.Thread(target=Watched(name).run, args=(database_url,)) for name in ended]
    for thread in threads:
        thread.start()
        until(lambda: "first" in looks)
    until(lambda: asked["second"] > 2)
    assert set(looks) == {"first"}
    ended["first"].set()
    until(lambda: "second" in looks)
    ended["second"].set()
    for thread in threads:
        thread.join()


def test_a_look_that_fails_is_followed_by_another(services, database_url, monkeypatch):
    monkeypatch.setattr(delivering, "AGAIN_SECONDS", 0.02)
    looks = itertools.count()

    class Failing(Deliverer):
        def look(self) -> int:
            if next(looks) < 2:
                raise RuntimeError("can't start new thread")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Failing(services).run(database_url)
    assert next(looks) == 3


def test_the_figures_tell_how_webhooks_are_told(app, services, admin, operator, receiver, path, *, told):
    webhook = webhook_of(operator, receiver.url(path), topics=["tournament.published"])
    receiver.answers[path] = lambda: 500
    Game(app, operator, entrants=0)
    told(lambda: delivery_of(operator, webhook)["failures"] == 1)
    app.extensions[EXTENSION].asked._until = float("-inf")
    figures = dict(
        line.rsplit(" ", 1)
        for line in admin.get("/metrics").text.splitlines()
        if line.startswith("big2_webhook")
    )
    assert figures['big2_webhooks{state="failing"}'] == "1.0"
    assert figures['big2_webhooks{state="active"}'] == "0.0"
    assert float(figures["big2_webhook_failed_total"]) >= 1
    assert float(figures["big2_webhook_delivered_total"]) >= 1
    assert float(figures["big2_webhook_behind_events"]) > 0
    assert operator.get("/readyz").status_code == 200
