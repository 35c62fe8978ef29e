"""What holds for every route: problems, keys, ETags, pages, tables, headers, limits."""

from __future__ import annotations

import csv
import io
from uuid import uuid4

import pytest
from flask import Flask

from services.http import problems
from services.http.app import create_app
from services.http.calls import EXTENSION
from services.http.limits import Limit
from tests.services.http.driving import Api
from tests.services.http.playing import Game, name, until


@pytest.fixture(scope="module")
def game(app, operator, beside) -> Game:
    """A game whose first hand runs; nothing moves but by its players."""
    game = Game(app, operator)
    game.hand_id()
    until(beside.rests)
    return game


def kind(response) -> str:
    return response.json["type"].removeprefix("/problems/")


def test_all_errors_of_a_body_are_told_at_once_with_pointers(operator):
    body = {"format": "freezeout", "unit": 0, "unit_levels": [1, "2"], "rules": 7, "x/y": 1, "bots": 3}
    answer = operator.post("/v1/tournaments", body)
    assert answer.status_code == 422
    pointers = {e["pointer"] for e in answer.json["errors"]}
    assert pointers == {"/name", "/unit", "/unit_levels/1", "/rules", "/x~1y", "/bots"}


def test_all_contradictions_are_told_at_once(operator):
    body = {
        "name": "X",
        "format": "sit_and_go",
        "capacity": 5,
        "rules": "nobody",
        "starts_at": "2001-01-01T00:00:00Z",
    }
    errors = {e["pointer"] for e in operator.post("/v1/tournaments", body).json["errors"]}
    assert errors == {"/capacity", "/rules", "/starts_at"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("check_in", True),
        ("time_bank_seconds", 60),
        ("bots", 3),
        ("rounds", 3),
        ("hands_per_round", 4),
        ("advance", 8),
        ("carry_over", "half"),
        ("format", "swiss"),
        ("check_in", 0),
        ("bots", False),
    ],
)
def test_what_a_later_release_will_offer_is_refused_by_name(field, value, operator):
    answer = operator.post("/v1/tournaments", {"name": "X", "format": "freezeout"} | {field: value})
    assert answer.status_code == 422
    (error,) = answer.json["errors"]
    assert error["pointer"] == f"/{field}"
    assert "not offered by this release" in error["detail"]


def test_the_defaults_of_what_is_not_offered_yet_are_taken(operator):
    later = {
        "buy_in": None,
        "guarantee": 0,
        "check_in": False,
        "bots": 0,
        "rounds": None,
        "time_bank_seconds": 0,
    }
    assert operator.post("/v1/tournaments", {"name": "X", "format": "freezeout"} | later).status_code == 201


def test_times_are_taken_with_an_offset_and_shown_in_utc(operator):
    body = {"name": "X", "format": "freezeout", "starts_at": "2099-01-01T01:00:00+01:00"}
    assert operator.made("/v1/tournaments", body)["starts_at"] == "2099-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "time", ["2099-02-30T00:00:00Z", "9999-12-31T23:59:59-14:00", 5, "2099-01-01", "soon"]
)
def test_what_is_no_time_is_refused(time, operator):
    answer = operator.post("/v1/tournaments", {"name": "X", "format": "freezeout", "starts_at": time})
    assert [e["pointer"] for e in answer.json["errors"]] == ["/starts_at"]


def test_prizes_are_a_table_of_basis_points(operator):
    body = {"name": "X", "format": "freezeout"}
    assert operator.made("/v1/tournaments", body | {"prizes_bp": [7000, 3000]})["prizes_bp"] == [7000, 3000]
    for wrong in ([7000, 2000], [0], "most", [1.0], []):
        assert operator.post("/v1/tournaments", body | {"prizes_bp": wrong}).status_code == 422


@pytest.mark.parametrize("text", ["a\u0007b", "a\u202eb", "\u200b", "x" * 101, 5, "\ud800"])
def test_a_tournaments_name_is_a_text_for_people(text, operator):
    assert operator.post("/v1/tournaments", {"name": text, "format": "freezeout"}).status_code == 422


def test_a_change_follows_from_the_new_format_and_capacity(app, operator):
    game = Game(app, operator, entrants=0)
    eight = operator.request("PATCH", game.path, {"capacity": 8}).json
    assert (eight["capacity"], eight["min_entrants"]) == (8, 8)
    free = operator.request("PATCH", game.path, {"format": "freezeout"}).json
    assert (free["capacity"], free["min_entrants"]) == (8, 2), "a capacity that was given stays"
    assert free["structure_hash"] != eight["structure_hash"]
    same = operator.request("PATCH", game.path, {})
    assert same.json == free | {"as_of": same.json["as_of"]}
    wrong = operator.request("PATCH", game.path, {"min_entrants": 9, "capacity": 8})
    assert [e["pointer"] for e in wrong.json["errors"]] == ["/min_entrants"]


def test_a_capacity_that_nobody_gave_follows_from_the_new_format(app, operator):
    game = Game(app, operator, entrants=0)
    free = operator.request("PATCH", game.path, {"format": "freezeout"}).json
    assert (free["capacity"], free["min_entrants"]) == (10_000, 2)
    back = operator.request("PATCH", game.path, {"format": "sit_and_go"}).json
    assert (back["capacity"], back["min_entrants"]) == (4, 4)


def test_after_the_first_entry_a_change_is_a_conflict_whatever_it_says(game, operator):
    for body in ({"unit": 2}, {"unit": -2}):
        assert kind(operator.request("PATCH", game.path, body)) == "structure-fixed"


def test_a_conflict_is_told_before_what_is_wrong_with_the_body(game, app, operator):
    assert kind(operator.post(f"{game.path}/entries", {"player": 1})) == "registration-closed"
    assert kind(operator.post(f"{game.path}/start", {"now": 1})) == "already-started"
    open_ = Game(app, operator, entrants=0)
    assert kind(operator.post(f"{open_.path}/pause", {"now": 1})) == "not-running"
    assert kind(operator.post(f"{open_.path}/entries", {"player": 1})) == "validation"
    hand = game.hand(game.hand_id())
    player, path = game.on_turn(hand), f"/v1/hands/{hand['hand_id']}/plays"
    turn = hand["turn"]["number"]
    assert kind(player.post(path, {"turn": turn + 5, "cards": "x"})) == "stale-turn"
    assert kind(player.post(path, {"turn": turn, "cards": "x"})) == "validation"
    assert kind(player.post(path, {"cards": "x"})) == "validation"
    other = next(p for p in game.players.values() if p is not player)
    assert kind(other.post(path, {"turn": turn, "cards": "x"})) == "not-your-turn"


def test_a_refusal_of_the_rules_names_its_clause(game):
    hand = game.hand(game.hand_id())
    answer = game.on_turn(hand).post(f"/v1/hands/{hand['hand_id']}/passes", {"turn": hand["turn"]["number"]})
    assert (answer.status_code, answer.json["clause"], kind(answer)) == (422, "R4.1", "leader-cannot-pass")


def test_cards_may_be_typed_as_people_do(app, operator):
    game = Game(app, operator)
    hand = game.hand(game.hand_id())
    lowest = game.legal(hand)["items"][0]["cards"]
    typed = [c.lower() for c in lowest]
    body = {"turn": hand["turn"]["number"], "cards": typed}
    made = game.on_turn(hand).made(f"/v1/hands/{hand['hand_id']}/plays", body)
    assert made["actions"][0]["cards"] == lowest


@pytest.mark.parametrize("path", ["", "/standings", "/tables", "/entries?format=csv"])
def test_an_etag_spares_the_body(path, game, anybody):
    first = anybody.get(game.path + path)
    assert first.headers["Vary"] == "Authorization"
    again = anybody.get(game.path + path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    weak = anybody.get(game.path + path, headers={"If-None-Match": f'"x", W/{first.headers["ETag"]}'})
    assert weak.status_code == 304
    other = anybody.get(game.path + path, headers={"If-None-Match": '"x"'})
    assert (other.status_code, other.data) == (200, first.data)


def test_an_etag_is_of_this_readers_body(game):
    hand = game.hand_id()
    player = next(iter(game.players.values()))
    tags = {reader.get(f"/v1/hands/{hand}").headers["ETag"] for reader in (game.anybody, player)}
    assert len(tags) == 2


def test_pages_are_stable_under_inserts(app, operator, anybody):
    for _ in range(3):
        operator.made("/v1/players", {"name": name()})
    first = anybody.read("/v1/players?limit=2")
    operator.made("/v1/players", {"name": name()})
    for _ in range(2):
        operator.made("/v1/tournaments", {"name": "New", "format": "freezeout"})
    second = anybody.read(f"/v1/players?limit=2&cursor={first['next']}")
    whole = anybody.read("/v1/players?limit=200")["items"]
    assert first["items"] + second["items"] == whole[:4]
    tournaments = anybody.read("/v1/tournaments?limit=1")
    operator.made("/v1/tournaments", {"name": "Newer", "format": "freezeout"})
    rest = anybody.read(f"/v1/tournaments?limit=200&cursor={tournaments['next']}")
    assert tournaments["items"][0]["tournament_id"] not in {t["tournament_id"] for t in rest["items"]}
    assert rest["next"] is None


def test_a_cursor_is_good_for_its_own_list_only(anybody, operator, app):
    Game(app, operator)
    Game(app, operator)
    cursor = anybody.read("/v1/players?limit=1")["next"]
    assert anybody.get(f"/v1/players?limit=1&cursor={cursor}").status_code == 200
    refused = anybody.get(f"/v1/tournaments?cursor={cursor}")
    assert [e["pointer"] for e in refused.json["errors"]] == ["/query/cursor"]


@pytest.mark.parametrize(
    "what", ["limit=0", "limit=201", "limit=x", "limit=1&limit=2", "lim=1", "cursor=!", "cursor=e30"]
)
def test_a_query_is_taken_strictly(what, anybody):
    answer = anybody.get(f"/v1/players?{what}")
    assert answer.status_code == 422
    assert all(e["pointer"].startswith("/query/") for e in answer.json["errors"])


def test_a_route_without_a_query_takes_none(game, anybody):
    assert anybody.get(f"{game.path}?format=csv").status_code == 422


def test_csv_neutralises_formulas(operator, anybody):
    made = operator.post("/v1/players", {"name": '=HYPERLINK("http://x")'})
    assert made.status_code == 201
    operator.made("/v1/players", {"name": "<script>alert(1)</script>"})
    rows = list(csv.DictReader(io.StringIO(anybody.get("/v1/players?format=csv&limit=200").text)))
    names = {row["name"] for row in rows}
    assert '\'=HYPERLINK("http://x")' in names
    assert "<script>alert(1)</script>" in names


def test_every_problem_has_a_page_and_every_code_a_problem(anybody):
    for slug, what in problems.PROBLEMS.items():
        page = anybody.get(f"/problems/{slug}")
        assert page.status_code == 200
        assert what.title in page.text
    assert anybody.get("/problems").text.count("\n") == len(problems.PROBLEMS)
    assert anybody.get("/problems/nothing").status_code == 404


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/nope", "/v1/players/", "//v1/players", "/v1/players/x", "/v1/hands/é"]
)
def test_what_is_not_there_is_a_problem_and_no_page(path, anybody):
    answer = anybody.get(path)
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_a_method_that_is_not_taken_is_told_with_those_that_are(anybody):
    answer = anybody.request("PUT", "/v1/players", {}, key=None)
    assert (answer.status_code, kind(answer)) == (405, "method-not-allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "k" * 256, "tab\t"])
def test_a_key_has_a_form(key, operator):
    answer = operator.post("/v1/players", {"name": "K"}, headers={"Idempotency-Key": key})
    assert (answer.status_code, kind(answer)) == (400, "bad-idempotency-key")


def test_a_key_is_optional_where_it_is_not_a_post(app, operator):
    game = Game(app, operator, entrants=1)
    player = next(iter(game.players))
    assert operator.request("PATCH", game.path, {}, key=None).status_code == 409
    assert operator.request("DELETE", f"{game.path}/entries/{player}", key=None).status_code == 204


def test_every_answer_has_the_headers_that_keep_browsers_out(game, anybody):
    for path in (game.path, "/v1/nope", "/docs/", "/openapi.json", "/healthz"):
        headers = anybody.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in headers


def test_created_things_are_where_location_says(app, operator, anybody):
    player = operator.post("/v1/players", {"name": name()})
    assert anybody.read(player.headers["Location"]) == player.json
    tournament = operator.post("/v1/tournaments", {"name": "X", "format": "freezeout"})
    assert anybody.read(tournament.headers["Location"]) == tournament.json
    rules = operator.post("/v1/rulesets", {"name": "located", "rules": {"base": "high-low"}})
    assert anybody.read(rules.headers["Location"]) == rules.json


def test_what_cannot_be_read_by_itself_has_no_location(app, operator):
    game = Game(app, operator, entrants=0)
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    for path, body in ((f"/v1/players/{player}/tokens", {}), (f"{game.path}/entries", {"player_id": player})):
        made = operator.post(path, body)
        assert (made.status_code, "Location" in made.headers) == (201, False)


@pytest.fixture
def strict(services) -> Flask:
    class Stricter:
        store, rulesets, settings = services.store, services.rulesets, services.settings
        connections = services.connections

    app = create_app(Stricter())
    yield app
    app.extensions[EXTENSION].listener.stop()


def test_who_asks_too_often_waits(strict, anybody):
    gate = strict.extensions[EXTENSION].gate
    gate._requests = Limit(3, 60, lambda: 30.0)
    answers = [Api(strict).get("/v1/rulesets/high-low") for _ in range(4)]
    assert [a.status_code for a in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) == 31
    assert kind(answers[-1]) == "too-many-requests"


def test_twenty_failed_authentications_a_minute_and_good_tokens_go_on(strict, operator):
    strict.extensions[EXTENSION].gate._failures = Limit(20, 60, lambda: 30.0)
    bad, good = Api(strict, f"b2_{uuid4()}_x"), Api(strict, operator.token)
    assert good.get("/v1/rulesets/high-low").status_code == 200
    statuses = [bad.get("/v1/rulesets/high-low").status_code for _ in range(22)]
    assert statuses == [401] * 20 + [429] * 2
    assert good.get("/v1/rulesets/high-low").status_code == 200


def test_after_too_many_failures_no_stream_is_read_for_another_guess(strict, monkeypatch):
    gate = strict.extensions[EXTENSION].gate
    gate._failures = Limit(1, 60, lambda: 30.0)
    assert Api(strict, f"b2_{uuid4()}_x").get("/healthz").status_code == 200
    assert Api(strict, f"b2_{uuid4()}_x").get("/v1/rulesets/high-low").status_code == 401
    monkeypatch.setattr("services.http.access.authenticate", None)
    refused = Api(strict, f"b2_{uuid4()}_x").get("/v1/rulesets/high-low")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "31")


def test_what_is_remembered_of_good_tokens_is_bounded(strict, operator, admin, monkeypatch):
    monkeypatch.setattr("services.http.access.REMEMBERED", 0)
    for token in (operator.token, admin.token, operator.token):
        assert Api(strict, token).get("/v1/rulesets/high-low").status_code == 200
    assert len(strict.extensions[EXTENSION].gate._good) == 1


CARD, SEED = "QH", "5eed" * 16


def test_a_bug_is_an_internal_problem_and_neither_it_nor_the_log_tells_a_value(strict, monkeypatch, caplog):
    def broken(*_):
        try:
            return {}[SEED]
        except KeyError as error:
            raise ZeroDivisionError(f"{CARD} {SEED}") from error

    monkeypatch.setattr("services.application.histories.existing", broken)
    caplog.set_level("DEBUG")
    answer = Api(strict).get(f"/v1/hands/{uuid4()}")
    assert (answer.status_code, kind(answer)) == (500, "internal")
    for said in (answer.text, caplog.text):
        assert CARD not in said
        assert SEED not in said
    assert "ZeroDivisionError" in caplog.text
    assert "caused by KeyError" in caplog.text
    assert "in broken" in caplog.text


def test_without_a_database_the_answer_is_503_and_says_when_to_come_again(strict, beside, monkeypatch):
    from services.errors import Unavailable  # noqa: PLC0415

    def away(*_):
        raise Unavailable("away")

    with beside.paused():
        monkeypatch.setattr(strict.extensions[EXTENSION].services.store.database, "connection", away)
        answer = Api(strict).get("/v1/tournaments")
        ready = Api(strict).get("/readyz").json["checks"]["store"]
        monkeypatch.undo()
    assert (answer.status_code, kind(answer), answer.headers["Retry-After"]) == (503, "unavailable", "1")
    assert "does not answer" in ready
