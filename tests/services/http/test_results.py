"""Results over HTTP: what is taken, what is refused and why, and that it is done once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from big2.history import verify
from services.bootstrap import presets
from tests.services.http.driving import Api
from tests.services.http.playing import Game, until
from tests.services.http.recording import Club, code, errors, told


@pytest.fixture(scope="module")
def club(operator) -> Club:
    return Club(operator)


@pytest.fixture(scope="module")
def table(club) -> str:
    return club.open()


def together(times, what):
    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(what, range(times)))


# who


@pytest.mark.parametrize("role", ["operator", "director_", "admin"])
def test_an_operator_a_director_and_an_admin_record(role, club, table, request):
    answer = request.getfixturevalue(role).post(f"/v1/tables/{table}/results", told(0, 5, 2, 7))
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/hands/{answer.json['hand_id']}"


def test_a_token_that_is_limited_to_one_tournament_records_and_opens_in_that_one_only(
    club, table, admin, app
):
    there = Club(admin)
    token = admin.made("/v1/tokens", {"role": "operator", "tournament_id": there.id})["token"]
    limited = Api(app, token)
    assert code(limited.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7))) == (403, "forbidden")
    assert code(limited.post(f"/v1/tables/{table}/close")) == (403, "forbidden")
    body = {"tournament_id": club.id, "seats": club.seats(*club.players)}
    assert code(limited.post("/v1/tables", body)) == (403, "forbidden")
    body = {"tournament_id": there.id, "seats": there.seats(*there.players)}
    own = limited.made("/v1/tables", body)["table_id"]
    assert limited.made(f"/v1/tables/{own}/results", told(0, 5, 2, 7))["number"] == 1
    assert limited.made(f"/v1/tables/{own}/close")["state"] == "closed"
    assert limited.made(f"{there.path}/finish")["state"] == "finished"


def test_an_error_that_a_rule_makes_names_its_clause(table, operator):
    answer = operator.post(
        f"/v1/tables/{table}/results", told(0, 0, 14, 7, liable=3, played_at="2999-01-01T00:00:00Z")
    )
    assert {e["pointer"]: e.get("clause") for e in answer.json["errors"]} == {
        "/cards_left": "R4.4",
        "/cards_left/3": "R2.1",
        "/liable": "R7.4",
        "/played_at": None,
    }
    assert "clause" not in answer.json
    answer = operator.post(f"/v1/tables/{table}/results", told(0, 0, 4, 7))
    assert (answer.json["clause"], answer.json["errors"][0]["clause"]) == ("R4.4", "R4.4")


def test_a_table_that_is_not_there_is_not_found(operator):
    nowhere = "00000000-0000-5000-8000-000000000000"
    for what, body in (("results", told(0, 5)), ("close", None)):
        assert code(operator.post(f"/v1/tables/{nowhere}/{what}", body)) == (404, "not-found")


# the body


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/cards_left", "/winner"]),
        ({"cards_left": [], "winner": "1"}, ["/cards_left", "/winner"]),
        (
            {"cards_left": {"5": 0, "1": "0", "2": 3, "3": 4}, "winner": 5},
            ["/cards_left/1", "/cards_left/4", "/cards_left/5", "/winner"],
        ),
        (told(0, 14, 2, -7), ["/cards_left/2", "/cards_left/4"]),
        (
            told(0, 0, 14, 7, liable=3, played_at="2999-01-01T00:00:00Z"),
            ["/cards_left", "/cards_left/3", "/liable", "/played_at"],
        ),
        (told(0, 5, 2, 7, played_at="0001-01-01T00:00:00Z"), ["/played_at"]),
        (told(0, 5, 2, 7) | {"_schema": 1, "cards_left": {"_schema": 0, "1": 0, "2": 1, "3": 1, "4": 1}},
         ["/_schema", "/cards_left/_schema"]),
        ({"twos_left": 1, "liable": True}, ["/cards_left", "/liable", "/twos_left", "/winner"]),
        (told(0, 5, 2, 7, number=0, played_at="yesterday", hand=1), ["/hand", "/number", "/played_at"]),
        (told(0, 5, 2, 7, twos_left={"2": 5}), ["/twos_left"]),
        (told(0, 5, 2, 7, played_at="2999-01-01T00:00:00Z"), ["/played_at"]),
        (told(0, 5, 2), ["/cards_left/4"]),
        (told(0, 5, 0, 7), ["/cards_left"]),
        (told(3, 5, 2, 7), ["/cards_left", "/winner"]),
        (told(0, 5, 2, 7) | {"winner": 2}, ["/winner"]),
        (told(0, 5, 2, 7, liable=1), ["/liable"]),
        (told(0, 5, 2, 7, twos_left={"4": 1}), ["/twos_left"]),
    ],
    ids=str,
)  # fmt: skip
def test_everything_that_is_wrong_with_a_body_is_told_at_once_and_nothing_is_stored(
    body, pointers, table, operator, services
):
    before = services.store.head()
    for query in ("", "?dry_run=true"):
        answer = operator.post(f"/v1/tables/{table}/results{query}", body)
        assert sorted(errors(answer)) == pointers
    assert services.store.head() == before


def test_a_reason_names_its_clause(club, table):
    nobody = errors(club.refused(table, 3, 5, 2, 7))["/cards_left"]
    assert nobody == "nobody went out: a hand ends when one seat has no cards (R4.4)"
    two = errors(club.refused(table, 0, 5, 0, 7))["/cards_left"]
    assert two == "seats 1 and 3 went out: a hand ends the moment one seat has no cards (R4.4)"


def test_a_dry_run_shows_the_would_be_events_and_stores_nothing(table, operator, services):
    before = services.store.head()
    answer = operator.post(f"/v1/tables/{table}/results?dry_run=true", told(0, 5, 2, 7))
    assert answer.status_code == 200
    kinds = [event["type"] for event in answer.json["events"]]
    assert kinds == [
        "hand.recorded",
        "hand.settled",
        "hand.confirmed",
        "table.hand_begun",
        "table.hand_ended",
    ]
    assert answer.json["events"][1]["net"] == {"1": 14, "2": -6, "3": 6, "4": -14}
    assert services.store.head() == before


def test_where_twos_count_they_are_told(operator):
    operator.made(
        "/v1/rulesets", {"name": "two-twos", "rules": {"base": "actionpoker", "twos": "double_each"}}
    )
    club = Club(operator, 2, rules="two-twos")
    table = club.open()
    assert "R12" in errors(club.refused(table, 0, 5))["/twos_left"]
    hand = club.record(table, 0, 5, twos_left={"2": 1})
    assert hand["settlement"]["net"] == {"1": 10, "2": -10}
    assert hand["rules"] == "two-twos@1"
    history = operator.read(f"/v1/hands/{hand['hand_id']}/history")
    assert history["twos_left"] == {"1": 0, "2": 1}
    assert verify(history, presets())["verdict"] == "valid"


# what stands in the way


def test_a_hand_that_another_has_recorded_meanwhile_is_stale(operator):
    club = Club(operator)
    table = club.open()
    club.record(table, 0, 5, 2, 7, number=1)
    assert code(club.refused(table, 0, 5, 2, 7, number=1)) == (409, "stale-hand")
    assert code(club.refused(table, number=1)) == (409, "stale-hand")  # before what is wrong with the body
    assert club.record(table, 0, 5, 2, 7, number=2)["number"] == 2


def test_of_parallel_results_with_a_number_one_is_taken(operator):
    club = Club(operator)
    table = club.open()
    answers = together(8, lambda _: operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7, number=1)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 7]
    assert {code(a)[1] for a in answers if a.status_code == 409} == {"stale-hand"}


def test_parallel_results_without_one_are_all_taken_in_turn(operator):
    club = Club(operator)
    table = club.open()
    answers = together(8, lambda _: operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7)))
    assert sorted(answer.json["number"] for answer in answers) == list(range(1, 9))


def test_a_result_sent_many_times_at_once_is_one_hand_with_one_answer(operator):
    club = Club(operator, protest_seconds=60)
    table = club.open()
    sent = together(12, lambda _: operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7), key="one"))
    assert {answer.status_code for answer in sent} == {201}
    assert len({answer.data for answer in sent}) == 1
    assert sum("Idempotency-Hit" not in answer.headers for answer in sent) == 1
    club.record(table, 3, 0, 2, 7)
    again = operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7), key="one")
    assert (again.data, again.headers["Idempotency-Hit"]) == (sent[0].data, "true")
    other = operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 8), key="one")
    assert code(other) == (422, "idempotency-key-reuse")


def test_a_table_whose_cards_are_dealt_takes_no_results(app, operator):
    game = Game(app, operator)
    table = game.hand(game.hand_id())["table_id"]
    assert code(operator.post(f"/v1/tables/{table}/results", told(0, 5, 2, 7))) == (409, "not-recorded")
    assert code(operator.post(f"/v1/tables/{table}/close")) == (409, "not-a-league")


def test_a_paused_tournament_takes_no_results_until_it_goes_on(operator):
    club = Club(operator)
    table = club.open()
    operator.made(f"{club.path}/pause")
    assert code(club.refused(table, 0, 5, 2, 7)) == (409, "table-paused")
    operator.made(f"{club.path}/resume")
    assert club.record(table, 0, 5, 2, 7)["number"] == 1


def test_a_cancelled_tournament_takes_no_results_and_its_tables_close(operator):
    club = Club(operator)
    table = club.open()
    operator.made(f"{club.path}/cancel")
    assert code(club.refused(table, 0, 5, 2, 7)) == (409, "table-closed")
    until(lambda: operator.read(f"/v1/tables/{table}")["state"] == "closed")


# a recorded hand


def test_nothing_is_played_in_a_recorded_hand_and_nothing_can_be(app, operator):
    club = Club(operator)
    player = Api(app, operator.made(f"/v1/players/{club.players[0]}/tokens")["token"])
    hand = f"/v1/hands/{club.record(club.open(), 0, 5, 2, 7)['hand_id']}"
    assert code(player.get(f"{hand}/legal-plays")) == (409, "hand-closed")
    assert code(player.post(f"{hand}/plays", {"turn": 1, "cards": ["3D"]})) == (409, "hand-closed")
    assert code(player.post(f"{hand}/plays", {})) == (409, "hand-closed")
    assert code(player.post(f"{hand}/passes", {"turn": 1})) == (409, "hand-closed")
    assert "you" not in player.read(hand)


def test_its_history_is_read_like_any_other(app, operator, anybody):
    club = Club(operator)
    played, watched = (
        Api(app, operator.made(f"/v1/players/{player}/tokens")["token"])
        for player in (club.players[0], club.enter())
    )
    path = f"/v1/hands/{club.record(club.open(*club.players), 0, 5, 2, 7)['hand_id']}/history"
    assert anybody.get(path).status_code == 401
    assert watched.get(path).status_code == 403
    assert played.read(path)["recorded"] is True
    operator.made(f"{club.path}/finish")
    assert anybody.read(path)["settlement"]["net"] == {"1": 14, "2": -6, "3": 6, "4": -14}


def test_it_stands_in_lists_and_their_exports_as_recorded(operator, anybody):
    club = Club(operator)
    club.record(club.open(), 0, 5, 2, 7, played_at="2013-03-19T20:00:00+02:00")
    [line] = anybody.read(f"{club.path}/hands")["items"]
    assert (line["recorded"], line["played_at"]) == (True, "2013-03-19T18:00:00Z")
    assert (line["winner"], line["state"]) == (1, "final")
    text = anybody.get(f"{club.path}/hands?format=csv").text
    assert "recorded,played_at" in text.splitlines()[0]
    assert ",true,2013-03-19T18:00:00Z" in text


def test_a_dealt_hand_says_that_it_is_not_recorded(app, operator):
    game = Game(app, operator)
    hand = game.hand(game.hand_id())
    assert (hand["recorded"], hand["played_at"]) == (False, None)


def test_the_feed_tells_of_it(operator, anybody):
    club = Club(operator)
    table = club.open()
    position = operator.read(f"/v1/tables/{table}")["as_of"]
    club.record(table, 0, 5, 2, 7)
    feed = anybody.get(f"/v1/feed?table={table}&after={position}", buffered=False)
    text = ""
    for part in feed.response:
        text += part.decode()
        if "table.hand_ended" in text:
            break
    feed.close()
    assert [line for line in text.splitlines() if line.startswith("event:")][:5] == [
        "event: hand.recorded",
        "event: hand.settled",
        "event: hand.confirmed",
        "event: table.hand_begun",
        "event: table.hand_ended",
    ]


# tournaments of chips


def test_a_recorded_sit_and_go_is_played_to_its_end(operator, anybody):
    club = Club(operator, 4, format="sit_and_go", capacity=4, stack_points=10)
    [table] = club.tables()
    assert [s["stack"] for s in table["seats"]] == [10] * 4
    assert table["hand_id"] is None
    hand = club.record(table["table_id"], 0, 13, 13, 1)
    assert [s["stack"] for s in hand["seats"]] == [10] * 4
    seats = operator.read(f"/v1/tables/{table['table_id']}")["seats"]
    left = [s["seat"] for s in seats]
    assert left == [1, 4]
    body = {"cards_left": {"1": 0, "4": 13}, "winner": 1}
    for _ in range(9):
        if club.state()["state"] == "finished":
            break
        hand = operator.made(f"/v1/tables/{table['table_id']}/results", body)
    state = club.state()
    assert (state["state"], state["players_left"]) == ("finished", 1)
    rows = club.standings()
    assert [(r["place"], r["chips"]) for r in rows] == [(1, 40), (2, 0), (3, 0), (3, 0)]
    assert [p["amount"] for p in anybody.read(f"{club.path}/prizes")["items"]] == [6500, 3500]
    history = anybody.read(f"/v1/hands/{hand['hand_id']}/history")
    assert verify(history, presets())["verdict"] == "valid"


def test_a_recorded_freezeout_holds_its_tables_for_each_other_and_is_played_to_its_end(operator):
    club = Club(operator, 7, format="freezeout", seats_per_table=4, stack_points=20, hands_per_level=2)
    held = 0
    while club.state()["state"] == "running":
        open_tables = [t for t in club.tables() if t["state"] == "open"]
        for table in open_tables:
            if table["held"]:
                held += 1
                seen = operator.read(f"/v1/tables/{table['table_id']}")
                assert seen["held"]
                assert code(club.refused(table["table_id"], 0, 13)) == (409, "table-held")
        table = next(t for t in open_tables if not t["held"])
        seats = [str(s["seat"]) for s in table["seats"]]
        left = dict(zip(seats, [0, *[13] * 3], strict=False))
        operator.made(
            f"/v1/tables/{table['table_id']}/results", {"cards_left": left, "winner": int(seats[0])}
        )
    assert held
    rows = club.standings()
    assert (rows[0]["chips"], rows[0]["place"]) == (140, 1)
    assert {t["held"] for t in club.tables()} == {False}
    for line in operator.read(f"{club.path}/hands")["items"]:
        history = operator.read(f"/v1/hands/{line['hand_id']}/history")
        assert verify(history, presets())["verdict"] == "valid"
