"""A league over HTTP: tables with real cards, their results, the standings, the end of the season."""

from __future__ import annotations

import pytest

from big2.history import verify
from services.bootstrap import presets
from tests.services.http.playing import name
from tests.services.http.recording import Club, code, errors


@pytest.fixture
def club(operator) -> Club:
    return Club(operator)


def test_a_result_is_settled_as_any_hand_is(club):
    table = club.open()
    hand = club.record(table, 0, 5, 2, 7, played_at="2013-03-19T20:00:00Z", number=1)
    assert hand["settlement"] == {
        "winner": 1,
        "cards_left": {"1": 0, "2": 5, "3": 2, "4": 7},
        "liable": None,
        "transfers": hand["settlement"]["transfers"],
        "net": {"1": 14, "2": -6, "3": 6, "4": -14},
    }
    assert [(t["from"], t["to"], t["paid"]) for t in hand["settlement"]["transfers"]] == [
        (2, 1, 5),
        (3, 1, 2),
        (4, 1, 7),
        (2, 3, 3),
        (4, 2, 2),
        (4, 3, 5),
    ]
    assert (hand["recorded"], hand["played_at"], hand["state"]) == (True, "2013-03-19T20:00:00Z", "final")
    assert (hand["commitment"], hand["actions"], hand["turn"], hand["to_beat"]) == (None, [], None, None)
    assert [(s["seat"], s["stack"], s["cards_left"]) for s in hand["seats"]] == [
        (1, None, 0),
        (2, None, 5),
        (3, None, 2),
        (4, None, 7),
    ]
    assert club.operator.read(f"/v1/hands/{hand['hand_id']}") == hand


def test_the_dealer_and_the_direction_are_those_of_the_tables_next_hand(club):
    table = club.open()
    hands = [club.record(table, 0, 1, 2, 3) for _ in range(3)]
    assert [h["number"] for h in hands] == [1, 2, 3]
    first = hands[0]["dealer"]
    assert [h["dealer"] for h in hands] == [(first + n - 1) % 4 + 1 for n in range(3)]
    assert [h["direction"] for h in hands] == ["clockwise", "counterclockwise", "clockwise"]
    seen = club.operator.read(f"/v1/tables/{table}")
    assert (seen["hand_id"], seen["last_hand_id"], seen["hands_played"]) == (None, hands[2]["hand_id"], 3)


def test_standings_go_by_points_then_hands_won_then_fewest_cards_left(club):
    a, b, c, d = club.players
    table = club.open()
    club.record(table, 0, 5, 2, 7)
    club.record(table, 4, 0, 9, 4)
    rows = {row["player_id"]: row for row in club.standings()}
    assert [rows[p]["points"] for p in (a, b, c, d)] == [15, 11, -13, -13]
    assert [rows[p]["place"] for p in (a, b, c, d)] == [1, 2, 3, 3]  # 11 cards left, both
    assert [rows[p]["tied"] for p in (a, b, c, d)] == [False, False, True, True]
    assert [(rows[p]["hands"], rows[p]["hands_won"], rows[p]["table_id"]) for p in (a, c)] == [
        (2, 1, table),
        (2, 0, table),
    ]


def test_a_history_says_recorded_and_is_judged_by_its_settlement(club):
    table = club.open()
    hand = club.record(table, 3, 0, 5, 13)
    history = club.operator.read(f"/v1/hands/{hand['hand_id']}/history")
    assert (history["recorded"], history["actions"], "deal" in history) == (True, [], False)
    assert [s["stack"] for s in history["seats"]] == [None] * 4
    assert verify(history, presets())["verdict"] == "valid"
    history["settlement"]["net"]["1"] += 1
    verdict = verify(history, presets())
    assert (verdict["verdict"], verdict["field"]) == ("wrong_settlement", "/settlement/net/1")


def test_a_league_from_which_everybody_has_withdrawn_promises_nothing_and_takes_newcomers(club, operator):
    for player in club.players:
        assert operator.delete(f"{club.path}/entries/{player}").status_code == 204
    assert operator.read(f"{club.path}/prizes")["items"] == []
    assert operator.read(f"{club.path}/standings")["items"] == []
    newcomer = club.enter()
    [promise] = operator.read(f"{club.path}/prizes")["items"]
    assert (promise["place"], promise["amount"]) == (1, 10_000)
    operator.delete(f"{club.path}/entries/{newcomer}")
    refused = operator.post(f"{club.path}/finish")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/no-hands")
    assert operator.made(f"{club.path}/cancel")["state"] == "cancelled"
    assert operator.read(f"{club.path}/prizes")["items"] == []


def test_a_season_with_a_newcomer_goes_to_its_end(club):
    a, b, c, d = club.players
    first = club.open(a, b, c)
    club.record(first, 0, 3, 4)
    newcomer = club.enter()
    club.operator.made(f"/v1/tables/{first}/close")
    second = club.open(newcomer, a)
    club.record(second, 0, 13)
    done = club.operator.made(f"{club.path}/finish")
    assert (done["state"], done["entrants"]) == ("finished", 5)
    rows = club.standings()
    assert [(r["player_id"], r["place"], r["points"]) for r in rows] == [
        (newcomer, 1, 13),
        (b, 2, -2),
        (c, 3, -5),
        (a, 4, -6),
        (d, 5, 0),
    ]
    assert [r["table_id"] for r in rows] == [None] * 5
    assert [
        (p["place"], p["player_id"], p["amount"]) for p in club.operator.read(f"{club.path}/prizes")["items"]
    ] == [
        (1, newcomer, 6500),
        (2, b, 3500),
    ]
    assert {t["state"] for t in club.tables()} == {"closed"}


# the terms


def test_a_league_has_neither_stacks_nor_levels(club):
    state = club.state()
    assert (state["format"], state["recorded"], state["state"]) == ("league", True, "running")
    assert (state["stack_points"], state["unit_levels"], state["current_unit"]) == (0, [1], 1)


@pytest.mark.parametrize(
    ("terms", "pointers"),
    [
        ({}, ["/recorded"]),
        ({"recorded": False}, ["/recorded"]),
        ({"recorded": 1}, ["/recorded"]),
        ({"recorded": True, "unit_levels": [1, 2], "stack_points": 50}, ["/stack_points", "/unit_levels"]),
        ({"recorded": True, "minutes_per_level": 9}, ["/minutes_per_level"]),
    ],
    ids=str,
)
def test_terms_that_make_no_league_are_told_at_once(terms, pointers, operator):
    answer = operator.post("/v1/tournaments", {"name": "No", "format": "league", **terms})
    assert sorted(errors(answer)) == pointers


def test_a_format_may_be_changed_to_a_league_and_back(operator):
    club = Club(operator, 0, format="freezeout", recorded=False, start=False)

    def changed(**terms):
        answer = operator.request("PATCH", club.path, terms)
        assert answer.status_code == 200, answer.text
        return answer.json

    league = changed(format="league", recorded=True)
    assert (league["stack_points"], league["unit_levels"]) == (0, [1])
    back = changed(format="freezeout", recorded=False)
    assert (back["stack_points"], len(back["unit_levels"])) == (50, 10)


# tables


def test_a_table_is_opened_with_its_players(club, operator):
    body = {"tournament_id": club.id, "seats": club.seats(*club.players[:3])}
    answer = operator.post("/v1/tables", body)
    assert answer.status_code == 201
    table = answer.json
    assert answer.headers["Location"] == f"/v1/tables/{table['table_id']}"
    assert [(s["seat"], s["player_id"], s["stack"]) for s in table["seats"]] == [
        (seat, player, None) for seat, player in enumerate(club.players[:3], 1)
    ]
    expected = {
        "number": 1,
        "state": "open",
        "hands_played": 0,
        "unit": 1,
        "level": 1,
        "dealer": None,
        "held": False,
    }
    assert expected.items() <= table.items()
    assert operator.read(f"/v1/tables/{table['table_id']}") == table
    [listed] = club.tables()
    assert listed == table


def test_seats_need_not_be_next_to_each_other(club, operator):
    seats = [{"seat": 4, "player_id": club.players[0]}, {"seat": 2, "player_id": club.players[1]}]
    table = operator.made("/v1/tables", {"tournament_id": club.id, "seats": seats})["table_id"]
    hand = operator.made(f"/v1/tables/{table}/results", {"cards_left": {"2": 0, "4": 3}, "winner": 2})
    assert [s["seat"] for s in hand["seats"]] == [2, 4]
    assert hand["dealer"] in (2, 4)


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"seats": []}, ["/seats"]),
        ({"seats": [{"seat": 5}, {"player_id": "x", "name": "y"}]},
         ["/seats/0/player_id", "/seats/0/seat", "/seats/1/name", "/seats/1/player_id", "/seats/1/seat"]),
        ({"seats": "all", "unit": 25}, ["/seats", "/unit"]),
        ({"tournament_id": None}, ["/tournament_id"]),
        ({"tournament_id": "00000000-0000-5000-8000-000000000000"}, ["/tournament_id"]),
    ],
    ids=str,
)  # fmt: skip
def test_everything_that_is_wrong_with_a_table_s_body_is_told_at_once(change, pointers, club, operator):
    body = {"tournament_id": club.id, "seats": club.seats(*club.players)} | change
    assert sorted(errors(operator.post("/v1/tables", body))) == pointers


def test_a_ring_table_is_not_opened_yet(operator):
    told = errors(operator.post("/v1/tables", {"unit": 25}))
    assert told["/tournament_id"] == "is missing"


def test_a_stranger_and_one_who_sits_twice_are_refused(club, operator):
    stranger = operator.made("/v1/players", {"name": name()})["player_id"]
    seats = [
        *club.seats(club.players[0], stranger, club.players[1]),
        {"seat": 3, "player_id": club.players[0]},
    ]
    told = errors(operator.post("/v1/tables", {"tournament_id": club.id, "seats": seats}))
    assert told == {
        "/seats/1/player_id": "is not entered in this league",
        "/seats/3/seat": "is taken by another player",
        "/seats/3/player_id": "has another seat",
    }


def test_no_more_sit_down_than_a_table_has_seats(operator):
    club = Club(operator, seats_per_table=3)
    body = {"tournament_id": club.id, "seats": club.seats(*club.players)}
    assert sorted(errors(operator.post("/v1/tables", body))) == ["/seats", "/seats/3/seat"]


def test_nobody_sits_at_a_seat_that_the_table_has_not(operator):
    club = Club(operator, seats_per_table=2)
    seats = [{"seat": seat, "player_id": player} for seat, player in zip((3, 4), club.players, strict=False)]
    answer = operator.post("/v1/tables", {"tournament_id": club.id, "seats": seats})
    assert errors(answer) == dict.fromkeys(
        ("/seats/0/seat", "/seats/1/seat"), "must be from 1 to 2 (seats_per_table)"
    )


def test_what_cannot_be_read_of_the_seats_is_told_with_what_is_wrong_with_the_rest(club, operator):
    stranger = operator.made("/v1/players", {"name": name()})["player_id"]
    seats = [None, {"seat": 9, "player_id": stranger}, {"seat": 1, "player_id": club.players[0]}, 4]
    assert errors(operator.post("/v1/tables", {"tournament_id": club.id, "seats": seats})) == {
        "/seats/0": "may not be null",
        "/seats/1/seat": "must be from 1 to 4",
        "/seats/1/player_id": "is not entered in this league",
        "/seats/3": "must be an object",
    }
    answer = operator.post("/v1/tables", {"tournament_id": club.players[0], "seats": [1, 2], "_schema": 3})
    assert sorted(errors(answer)) == ["/_schema", "/seats/0", "/seats/1", "/tournament_id"]


def test_a_league_reads_as_it_may_be_sent(club, operator):
    terms = {key: club.state()[key] for key in ("name", "format", "recorded", "stack_points", "unit_levels")}
    assert operator.made("/v1/tournaments", terms)["stack_points"] == 0


def test_who_sits_at_another_open_table_is_told_before_what_is_wrong(club, operator):
    first = club.open(*club.players[:2])
    body = {"tournament_id": club.id, "seats": club.seats(*club.players[1:])}
    assert code(operator.post("/v1/tables", body)) == (409, "player-seated")
    operator.made(f"/v1/tables/{first}/close")
    assert operator.post("/v1/tables", body).status_code == 201


def test_tables_are_opened_while_a_league_runs_and_in_no_other_tournament(operator):
    club = Club(operator, start=False)
    body = {"tournament_id": club.id, "seats": club.seats(*club.players)}
    assert code(operator.post("/v1/tables", body)) == (409, "not-running")
    assert code(operator.post("/v1/tables", body | {"seats": 1})) == (409, "not-running")
    operator.made(f"{club.path}/start")
    table = operator.made("/v1/tables", body)["table_id"]
    operator.made(f"{club.path}/pause")
    assert code(operator.post("/v1/tables", body)) == (409, "not-running")
    assert operator.made(f"/v1/tables/{table}/close")["state"] == "closed"
    other = Club(operator, format="freezeout")
    body = {"tournament_id": other.id, "seats": other.seats(*other.players)}
    assert code(operator.post("/v1/tables", body)) == (409, "not-a-league")


def test_a_table_closes_once_and_takes_no_more_results(club, operator):
    table = club.open()
    club.record(table, 0, 5, 2, 7)
    closed = operator.made(f"/v1/tables/{table}/close", {}, key="close")
    assert (closed["state"], closed["seats"], closed["hands_played"]) == ("closed", [], 1)
    assert operator.read(f"/v1/tables/{table}") == closed
    again = operator.post(f"/v1/tables/{table}/close", {}, key="close")
    assert (again.status_code, again.json, again.headers["Idempotency-Hit"]) == (200, closed, "true")
    assert code(operator.post(f"/v1/tables/{table}/close")) == (409, "table-closed")
    assert code(club.refused(table, 0, 5, 2, 7)) == (409, "table-closed")
    assert code(operator.post(f"/v1/tables/{club.open()}/close", {"why": 1})) == (422, "validation")


# entries


def test_registration_stays_open_and_who_has_no_part_yet_may_withdraw(club, operator):
    late = club.enter()
    assert club.state()["entrants"] == 5
    assert operator.delete(f"{club.path}/entries/{late}").status_code == 204
    assert late not in [row["player_id"] for row in club.standings()]
    again = operator.made(f"{club.path}/entries", {"player_id": late})
    assert again["player_id"] == late
    assert late in [row["player_id"] for row in club.standings()]
    table = club.open(late, club.players[0])
    assert code(operator.delete(f"{club.path}/entries/{late}")) == (409, "player-seated")
    club.record(table, 0, 5)
    operator.made(f"/v1/tables/{table}/close")
    assert code(operator.delete(f"{club.path}/entries/{late}")) == (409, "already-played")
    operator.made(f"{club.path}/finish")
    assert code(operator.delete(f"{club.path}/entries/{club.players[1]}")) == (409, "registration-closed")
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    late_entry = operator.post(f"{club.path}/entries", {"player_id": player})
    assert code(late_entry) == (409, "registration-closed")


def test_standings_of_a_position_are_those_of_then(club):
    table = club.open()
    before = club.operator.read(f"/v1/tables/{table}")["as_of"]
    newcomer = club.enter()
    club.record(table, 0, 5, 2, 7)
    then = club.standings(as_of=before)
    assert newcomer not in [row["player_id"] for row in then]
    assert {row["points"] for row in then} == {0}
    assert club.standings()[0]["points"] == 14


# the end


def test_a_season_ends_once_and_not_without_a_hand(club, operator):
    assert code(operator.post(f"{club.path}/finish")) == (409, "no-hands")
    club.record(club.open(), 0, 5, 2, 7)
    assert code(operator.post(f"{club.path}/finish", {"why": 1})) == (422, "validation")
    first = operator.post(f"{club.path}/finish", key="end")
    again = operator.post(f"{club.path}/finish", key="end")
    assert (again.status_code, again.data) == (first.status_code, first.data) == (200, first.data)
    assert again.headers["Idempotency-Hit"] == "true"
    assert code(operator.post(f"{club.path}/finish")) == (409, "tournament-over")
    assert code(operator.post(f"{club.path}/cancel")) == (409, "tournament-over")


def test_only_a_league_that_has_started_is_ended_by_hand(operator):
    assert code(operator.post(f"{Club(operator, start=False).path}/finish")) == (409, "not-running")
    freezeout = Club(operator, format="freezeout")
    assert code(operator.post(f"{freezeout.path}/finish")) == (409, "not-a-league")


def test_a_league_that_is_cancelled_counts_who_was_entered(club, operator):
    club.enter()
    assert operator.made(f"{club.path}/cancel")["entrants"] == 5


def test_opening_a_table_repeats_its_answer_years_later(club, operator):
    body = {"tournament_id": club.id, "seats": club.seats(*club.players)}
    first = operator.post("/v1/tables", body, key="opened")
    club.record(first.json["table_id"], 0, 5, 2, 7)
    operator.made(f"/v1/tables/{first.json['table_id']}/close")
    again = operator.post("/v1/tables", body, key="opened")
    assert (again.status_code, again.data, again.headers["Idempotency-Hit"]) == (201, first.data, "true")
    other = Club(operator)
    reused = operator.post("/v1/tables", body | {"tournament_id": other.id}, key="opened")
    assert code(reused) == (422, "idempotency-key-reuse")


def test_a_league_counts_on_the_leaderboard(club, operator):
    club.record(club.open(), 0, 5, 2, 7)
    operator.made(f"{club.path}/finish")
    items, cursor = [], ""
    while cursor is not None:
        page = operator.read(f"/v1/leaderboards/all?limit=200{cursor and f'&cursor={cursor}'}")
        items, cursor = items + page["items"], page["next"]
    mine = {row["player_id"]: row for row in items}[club.players[0]]
    assert (mine["points"], mine["hands"], mine["hands_won"], mine["first_places"]) == (14, 1, 1, 1)
