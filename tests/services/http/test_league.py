"""A league over HTTP: tables with real cards, their results, the standings, the end of the season."""

from __future__ import annotations

import pytest

from big2.history import verify
from services.bootstrap import presets
from tests.services.http.recording import Club


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
