"""A command is done once, however often it is sent: in turn, in parallel, with another body."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import pytest

from services.http import listener as listening
from services.http.calls import EXTENSION
from tests.services.http.driving import Api
from tests.services.http.playing import Game, name, until
from tests.services.http.recording import Club


def together(times: int, what) -> list:
    """What `what()` answers, asked so often at once."""
    with ThreadPoolExecutor(min(times, 32)) as pool:
        return list(pool.map(what, range(times)))


@pytest.fixture(scope="module")
def head(services):
    return services.store.head


def test_a_play_sent_fifty_times_at_once_is_one_event_with_fifty_equal_answers(app, operator, services):
    game = Game(app, operator)
    hand_id = game.hand_id()
    hand = game.hand(hand_id)
    player, legal = game.on_turn(hand), game.legal(hand)
    body = {"turn": legal["turn"], "cards": legal["items"][0]["cards"]}
    sent = together(50, lambda _: player.post(f"/v1/hands/{hand_id}/plays", body, key="fifty"))
    assert {r.status_code for r in sent} == {201}
    assert len({r.data for r in sent}) == 1
    assert sum("Idempotency-Hit" not in r.headers for r in sent) == 1
    assert len(game.hand(hand_id)["actions"]) == len(sent[0].json["actions"])
    game.act(hand_id)
    again = player.post(f"/v1/hands/{hand_id}/plays", body, key="fifty")
    assert (again.data, again.headers["Idempotency-Hit"]) == (sent[0].data, "true")


def test_the_play_that_ends_a_hand_repeats_with_its_settlement(app, operator):
    game = Game(app, operator)
    hand_id = game.hand_id()
    while True:
        hand = game.hand(hand_id)
        player, legal = game.on_turn(hand), game.legal(hand)
        kind, body = ("passes", {"turn": legal["turn"]})
        if legal["items"]:
            kind, body = "plays", {**body, "cards": legal["items"][-1]["cards"]}
        first = player.post(f"/v1/hands/{hand_id}/{kind}", body, key=f"end-{legal['turn']}")
        if first.json["settlement"]:
            break
    again = player.post(f"/v1/hands/{hand_id}/{kind}", body, key=f"end-{legal['turn']}")
    assert again.data == first.data
    assert sum(first.json["settlement"]["net"].values()) == 0


def test_one_key_is_one_body_also_where_the_body_says_where_it_goes(operator):
    body = {"rules": {"base": "high-low"}}
    made = operator.post("/v1/rulesets", {"name": "key-a", **body}, key="one")
    assert made.status_code == 201
    for other in ({"name": "key-b", **body}, {"name": "high-low", **body}, {"name": "key-b"}):
        answer = operator.post("/v1/rulesets", other, key="one")
        assert (answer.status_code, answer.json["type"]) == (422, "/problems/idempotency-key-reuse")
    assert operator.get("/v1/rulesets/key-b").status_code == 404
    assert operator.read("/v1/rulesets/key-a")["version"] == 1
    again = operator.post("/v1/rulesets", {"name": "key-a", **body}, key="one")
    assert (again.data, again.headers["Idempotency-Hit"]) == (made.data, "true")


def test_of_many_bodies_at_once_with_one_key_one_is_taken(operator):
    rules = {"base": "high-low"}

    def send(n):
        return operator.post("/v1/rulesets", {"name": f"crowd-{n}", "rules": rules}, key="crowd").status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(send, range(16))) == [201, *[422] * 15]


def test_a_league_s_table_and_a_ring_table_are_two_bodies(operator):
    club = Club(operator, 2)
    ring = {"stake": {"schedule": "actionpoker", "unit": 25}}
    assert operator.post("/v1/tables", ring, key="table").status_code == 201
    of_league = {"tournament_id": club.id, "seats": club.seats(*club.players)}
    for body in (of_league, of_league | {"seats": []}):
        answer = operator.post("/v1/tables", body, key="table")
        assert (answer.status_code, answer.json["type"]) == (422, "/problems/idempotency-key-reuse")


COMMANDS = ["player", "tournament", "entry", "withdrawal", "change", "start", "ruleset"]


@pytest.mark.parametrize("what", COMMANDS)
def test_every_command_repeats_its_answer(what, app, operator, services, head):
    game = Game(app, operator, entrants=0, format="freezeout", capacity=9)
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    if what in ("withdrawal", "start"):
        operator.made(f"{game.path}/entries", {"player_id": player})
        game.enter(app)
    method, path, body = {
        "player": ("POST", "/v1/players", {"name": name()}),
        "tournament": ("POST", "/v1/tournaments", {"name": "Once", "format": "freezeout"}),
        "entry": ("POST", f"{game.path}/entries", {"player_id": player}),
        "withdrawal": ("DELETE", f"{game.path}/entries/{player}", None),
        "change": ("PATCH", game.path, {"stack_points": 77}),
        "start": ("POST", f"{game.path}/start", None),
        "ruleset": ("POST", "/v1/rulesets", {"name": "once", "rules": {"base": "actionpoker"}}),
    }[what]
    first = operator.request(method, path, body, key=f"once-{what}")
    assert first.status_code < 300, first.text
    assert "Idempotency-Hit" not in first.headers
    events = [r.event for r in services.store.log(0, 10_000) if type(r.event).__name__ != "TablesDrawn"]
    again = operator.request(method, path, body, key=f"once-{what}")
    assert (again.status_code, again.data) == (first.status_code, first.data)
    assert again.headers["Idempotency-Hit"] == "true"
    kinds = {"Enrolled", "Published", "Registered", "Withdrawn", "Started", "RuleSetPublished"}
    after = [r.event for r in services.store.log(0, 10_000)]
    assert [e for e in after if type(e).__name__ in kinds] == [e for e in events if type(e).__name__ in kinds]


def test_the_same_key_with_another_body_is_refused(operator):
    operator.made("/v1/players", {"name": "Reuse"}, key="reused")
    response = operator.post("/v1/players", {"name": "Reuse it"}, key="reused")
    assert (response.status_code, response.json["type"]) == (422, "/problems/idempotency-key-reuse")


def test_a_repeat_is_told_before_its_body_is_judged(operator):
    operator.made("/v1/players", {"name": "Judged"}, key="judged")
    response = operator.post("/v1/players", {"name": 7}, key="judged")
    assert response.json["type"] == "/problems/idempotency-key-reuse"


def test_keys_of_different_credentials_do_not_meet(operator, admin):
    operator.made("/v1/players", {"name": "Keys one"}, key="shared")
    assert "Idempotency-Hit" not in admin.post("/v1/players", {"name": "Keys two"}, key="shared").headers


def test_a_refusal_is_not_remembered(app, operator):
    game = Game(app, operator, entrants=1, format="freezeout", capacity=9)
    assert operator.post(f"{game.path}/start", key="again").status_code == 409
    game.enter(app)
    assert operator.post(f"{game.path}/start", key="again").status_code == 200


def test_one_name_is_enrolled_once_however_many_ask_at_once(operator):
    same = together(12, lambda _: operator.post("/v1/players", {"name": "Wong"}, key="wong"))
    assert {r.status_code for r in same} == {201}
    assert len({r.data for r in same}) == 1
    others = together(12, lambda n: operator.post("/v1/players", {"name": "Lee"}, key=f"lee-{n}"))
    assert sorted(r.status_code for r in others) == [201] + [409] * 11
    assert {r.json["type"] for r in others if r.status_code == 409} == {"/problems/name-taken"}


def test_two_hundred_entries_for_sixteen_places_give_exactly_sixteen(app, operator, services):
    game = Game(app, operator, entrants=0, format="freezeout", capacity=16)
    players = together(200, lambda _: operator.made("/v1/players", {"name": name()})["player_id"])
    answers = together(200, lambda n: operator.post(f"{game.path}/entries", {"player_id": players[n]}))
    assert sorted(r.status_code for r in answers) == [201] * 16 + [409] * 184
    assert {r.json["type"] for r in answers if r.status_code == 409} == {"/problems/tournament-full"}
    assert len(game.anybody.read(f"{game.path}/entries")["items"]) == 16


def test_two_starts_at_once_deal_once(app, operator):
    game = Game(app, operator, format="freezeout")
    answers = together(8, lambda _: operator.post(f"{game.path}/start"))
    assert sorted(r.status_code for r in answers) == [200] + [409] * 7
    assert {r.json["type"] for r in answers if r.status_code == 409} == {"/problems/already-started"}
    game.hand_id()
    assert len(game.anybody.read(f"{game.path}/hands")["items"]) == 1


def test_entries_and_a_start_at_once_agree_on_who_plays(app, operator):
    game = Game(app, operator, format="freezeout", capacity=9)
    late = [operator.made("/v1/players", {"name": name()})["player_id"] for _ in range(5)]

    def ask(n: int):
        if n == 2:
            return operator.post(f"{game.path}/start")
        return operator.post(f"{game.path}/entries", {"player_id": late[n - (n > 2)]})

    answers = together(6, ask)
    entered = sum(r.status_code == 201 for r in answers)
    started = next(r for r in answers if r.status_code == 200)
    assert started.json["entrants"] == 4 + entered
    until(lambda: game.anybody.read(f"{game.path}/tables")["items"])
    seats = [s for t in game.anybody.read(f"{game.path}/tables")["items"] for s in t["seats"]]
    assert len(seats) == 4 + entered


def test_a_change_that_changed_nothing_repeats_and_undoes_nothing(app, operator):
    game = Game(app, operator, entrants=0, format="freezeout")
    equal = operator.request("PATCH", game.path, {"stack_points": 50}, key="equal")
    assert (equal.status_code, "Idempotency-Hit" in equal.headers) == (200, False)
    other = operator.request("PATCH", game.path, {"stack_points": 99}, key="other")
    again = operator.request("PATCH", game.path, {"stack_points": 50}, key="equal")
    assert (again.data, again.headers["Idempotency-Hit"]) == (equal.data, "true")
    read = game.anybody.read(game.path)
    assert (read["stack_points"], read["as_of"]) == (99, other.json["as_of"])
    reused = operator.request("PATCH", game.path, {"stack_points": 51}, key="equal")
    assert (reused.status_code, reused.json["type"]) == (422, "/problems/idempotency-key-reuse")


def test_a_token_repeats_without_the_token(app, operator, services):
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    first = operator.post(f"/v1/players/{player}/tokens", key="token")
    again = operator.post(f"/v1/players/{player}/tokens", key="token")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json["token_id"] == again.json["token_id"]
    assert "token" in first.json
    assert "token" not in again.json
    assert again.headers["Idempotency-Hit"] == "true"
    assert Api(app, first.json["token"]).get("/v1/tournaments").status_code == 200


def test_a_dry_run_stores_nothing_and_shows_no_seed(operator, services, head, app):
    game = Game(app, operator, entrants=0)
    before = head()
    published = operator.request(
        "POST", "/v1/tournaments?dry_run=true", {"name": "Dry", "format": "freezeout"}
    )
    changed = operator.request("PATCH", f"{game.path}?dry_run=true", {"stack_points": 9})
    rules = operator.request(
        "POST", "/v1/rulesets?dry_run=true", {"name": "dry", "rules": {"base": "high-low"}}
    )
    assert [r.status_code for r in (published, changed, rules)] == [200, 200, 200]
    assert [e["type"] for e in published.json["events"]] == [
        "tournament.seeds_committed",
        "tournament.published",
    ]
    assert "master" not in published.text
    assert "draw_seed" not in published.text
    assert changed.json["events"][0]["structure"]["stack_points"] == 9
    assert rules.json["events"][0]["version"] == 1
    assert head() == before
    wrong = operator.request(
        "POST", "/v1/tournaments?dry_run=true", {"name": "Dry", "format": "freezeout", "unit": 0}
    )
    assert wrong.status_code == 422


def test_what_is_done_answers_though_the_projector_stands_still_and_reads_say_so(
    app, operator, anybody, beside, monkeypatch
):
    monkeypatch.setattr(listening, "CATCH_UP_SECONDS", 0.05)
    game = Game(app, operator, entrants=0)
    with beside.paused():
        made = operator.made(f"{game.path}/cancel", key="lag")
        assert made["state"] == "cancelled"
        for path in (game.path, f"{game.path}/entries", "/v1/tournaments", f"/v1/feed?tournament={game.id}"):
            answer = anybody.get(path)
            assert (answer.status_code, answer.json["type"]) == (503, "/problems/unavailable"), path
            assert answer.headers["Retry-After"] == "1"
        assert operator.made(f"{game.path}/cancel", key="lag") == made
    until(lambda: anybody.get(game.path).status_code == 200)
    assert anybody.read(game.path)["state"] == "cancelled"


def test_a_read_waits_for_a_projector_that_comes_back(app, operator, anybody, beside):
    with ThreadPoolExecutor(1) as pool:
        with beside.paused():
            made = operator.made("/v1/tournaments", {"name": "New", "format": "freezeout"})
            read = pool.submit(anybody.get, f"/v1/tournaments/{made['tournament_id']}")
            listener = app.extensions[EXTENSION].listener
            until(lambda: listener._patient)
        assert read.result().json == made


def test_of_a_crowd_only_some_wait_long(app, operator, anybody, beside, monkeypatch):
    monkeypatch.setattr(listening, "MOST_PATIENT", 0)
    monkeypatch.setattr(listening, "CATCH_UP_SECONDS", 3600)
    monkeypatch.setattr(listening, "CROWDED_SECONDS", 0.01)
    with beside.paused():
        operator.made("/v1/players", {"name": name()})
        assert anybody.get("/v1/players").status_code == 503


def test_a_play_asks_the_database_twice(app, operator, services, monkeypatch):
    game = Game(app, operator)
    hand_id = game.hand_id()
    hand = game.hand(hand_id)
    player, legal = game.on_turn(hand), game.legal(hand)
    asked, connection = [], services.store.database.connection

    def counted():
        asked.append(get_ident())
        return connection()

    monkeypatch.setattr(services.store.database, "connection", counted)
    body = {"turn": legal["turn"], "cards": legal["items"][0]["cards"]}
    assert player.post(f"/v1/hands/{hand_id}/plays", body).status_code == 201
    assert asked.count(get_ident()) == 2, "who plays, with his hand; and what he played"
