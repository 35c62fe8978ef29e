"""A tournament from its publication to its prizes, over HTTP alone."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest

from big2.history import verify
from services import bootstrap
from tests.services.http.driving import CLOCK
from tests.services.http.playing import Game, until


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    """A sit_and_go of four, played to its end."""
    game = Game(app, operator, stack_points=8, hands_per_level=1)
    game.play()
    return game


def test_a_sit_and_go_starts_by_itself_when_it_is_full_and_ends(game, anybody):
    read = anybody.read(game.path)
    assert (read["state"], read["entrants"], read["players_left"]) == ("finished", 4, 1)
    assert read["draw_seed"]
    assert read["capacity"] == read["min_entrants"] == 4


def test_every_field_of_the_structure_is_shown(game, anybody):
    read = anybody.read(game.path)
    later = {
        "rounds": None,
        "hands_per_round": None,
        "advance": None,
        "carry_over": None,
        "time_bank_seconds": 0,
        "late_entry_levels": 0,
        "check_in": False,
        "entropy_seconds": 0,
        "buy_in": None,
        "guarantee": 0,
        "bots": 0,
    }
    assert {field: read[field] for field in later} == later
    assert read["unit_levels"] == [1, 2, 4, 8, 12, 20, 32, 40, 60, 80]


def test_the_final_standings_have_every_chip_and_every_place(game, anybody):
    items = anybody.read(f"{game.path}/standings")["items"]
    assert [s["place"] for s in items] == sorted(s["place"] for s in items)
    assert items[0]["place"] == 1
    assert sum(s["chips"] for s in items) == 4 * 8
    assert sum(s["points"] for s in items) == 0
    assert all(s["table_id"] is None for s in items)


def test_standings_can_be_read_as_of_any_position(game, anybody):
    hands = anybody.read(f"{game.path}/hands")["items"]
    first = anybody.read(f"/v1/hands/{hands[0]['hand_id']}")
    then = anybody.read(f"{game.path}/standings?as_of={first['as_of']}")
    assert {s["hands"] for s in then["items"]} <= {0, 1}
    assert sum(s["chips"] for s in then["items"]) == 4 * 8
    before = anybody.read(f"{game.path}/standings?as_of=0")
    assert before == {"items": [], "next": None, "as_of": 0}
    assert anybody.get(f"{game.path}/standings?as_of={2**62}").status_code == 422


def test_pages_of_standings_stay_on_one_position(game, anybody):
    first = anybody.read(f"{game.path}/standings?limit=3")
    rest = anybody.read(f"{game.path}/standings?limit=3&cursor={first['next']}")
    whole = anybody.read(f"{game.path}/standings")
    assert first["items"] + rest["items"] == whole["items"]
    assert first["as_of"] == rest["as_of"] == whole["as_of"]


def test_prizes_are_those_of_the_standard_table(game, anybody):
    items = anybody.read(f"{game.path}/prizes")["items"]
    assert sum(p["amount"] for p in items) == 10_000
    assert items[0]["amount"] >= 6500 - 1
    assert items[0]["player_id"] == anybody.read(f"{game.path}/standings")["items"][0]["player_id"]


def test_tables_and_hands_are_listed(game, anybody):
    tables = anybody.read(f"{game.path}/tables")["items"]
    assert [(t["number"], t["state"], t["hand_id"]) for t in tables] == [(1, "closed", None)]
    hands = anybody.read(f"{game.path}/hands")["items"]
    assert [h["number"] for h in hands] == list(range(1, len(hands) + 1))
    assert {h["state"] for h in hands} == {"final"}
    assert tables[0]["hands_played"] == len(hands)
    alone = anybody.read(f"/v1/tables/{tables[0]['table_id']}")
    assert alone == tables[0]


def test_every_history_is_public_then_and_the_rules_accept_it(game, anybody):
    for line in anybody.read(f"{game.path}/hands")["items"]:
        history = anybody.read(f"/v1/hands/{line['hand_id']}/history")
        assert verify(history, bootstrap.presets())["verdict"] == "valid"
        assert history["shuffle"]["server_only"] is True
        assert len(bytes.fromhex(history["shuffle"]["seed"])) == 32
        assert {action["by"] for action in history["actions"]} <= {"player", "rule"}


def test_csv_has_a_line_for_each_standing(game, anybody):
    response = anybody.get(f"{game.path}/standings?format=csv&limit=3")
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert response.mimetype == "text/csv"
    assert rows[0]["place"] == "1"
    following = response.headers["Link"].partition(">")[0].removeprefix("<")
    assert "cursor=" in following
    assert len(anybody.get(following).text.splitlines()) == 2
    lines = anybody.get(f"{game.path}/standings?format=ndjson")
    assert lines.mimetype == "application/x-ndjson"
    assert len(lines.text.splitlines()) == 4


def test_leaderboards_count_the_hands(game, anybody):
    assert anybody.read("/v1/leaderboards")["items"][0]["season"] == "all"
    items = anybody.read("/v1/leaderboards/all")["items"]
    assert {i["player_id"] for i in items} >= set(game.players)
    assert [i["points"] for i in items] == sorted((i["points"] for i in items), reverse=True)
    first = anybody.read("/v1/leaderboards/all?limit=1")
    second = anybody.read(f"/v1/leaderboards/all?limit=1&cursor={first['next']}")
    assert first["items"] + second["items"] == items[:2]
    assert anybody.get("/v1/leaderboards/2026").status_code == 404


def test_a_leaderboard_has_points_per_hand_to_the_hundredth(game, anybody):
    text = anybody.get("/v1/leaderboards/all").text
    items = json.loads(text, parse_float=Decimal)["items"]
    assert any(i["points_per_hand"] < 0 for i in items)
    for item in items:
        exact = Decimal(item["points"]) / item["hands"]
        assert item["points_per_hand"] == exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
    assert re.search(r'"points_per_hand":-?[0-9]+\.[0-9]{2},', text)
    rows = csv.DictReader(io.StringIO(anybody.get("/v1/leaderboards/all?format=csv").text))
    assert [Decimal(row["points_per_hand"]) for row in rows] == [i["points_per_hand"] for i in items]


def test_a_leaderboard_can_be_read_as_of_any_position(game, anybody):
    hands = anybody.read(f"{game.path}/hands")["items"]
    first = anybody.read(f"/v1/hands/{hands[0]['hand_id']}")
    assert anybody.read("/v1/leaderboards/all?as_of=0") == {"items": [], "next": None, "as_of": 0}
    then = anybody.read(f"/v1/leaderboards/all?as_of={first['as_of'] + 1}")
    assert {i["hands"] for i in then["items"]} == {1}
    assert {i["tournaments"] for i in then["items"]} == {0}
    assert sum(i["points"] for i in then["items"]) == 0
    page = anybody.read(f"/v1/leaderboards/all?as_of={then['as_of']}&limit=3")
    rest = anybody.read(f"/v1/leaderboards/all?limit=3&cursor={page['next']}")
    assert page["items"] + rest["items"] == then["items"]
    assert page["as_of"] == rest["as_of"] == then["as_of"]
    assert anybody.get(f"/v1/leaderboards/all?as_of={2**62}").status_code == 422


def test_who_reads_cards_after_the_end_is_noted(app, operator, auditor, anybody, services):
    game = Game(app, operator, stack_points=500, protest_seconds=3600)
    hand_id = game.hand_id()
    path = f"/v1/hands/{hand_id}"

    def noted() -> list:
        with services.store.database.connection() as conn:
            query = "SELECT role, credential FROM card_reads WHERE hand = %s ORDER BY number"
            return conn.execute(query, (hand_id,)).fetchall()

    for reader in (*game.players.values(), auditor, anybody):
        reader.read(path)
        reader.get(f"{path}/history")
    game.play_hand(hand_id)
    winner = game.player_at(game.hand(hand_id), game.hand(hand_id)["settlement"]["winner"])
    loser = next(player for player in game.players if player != winner)
    for reader in (anybody, auditor, game.players[winner]):
        reader.read(path)
    assert anybody.get(f"{path}/history").status_code == 401
    assert noted() == [], "nobody has seen a card that had not lain on the table"
    auditor.read(f"{path}/history")
    game.players[winner].read(f"{path}/history")
    game.players[loser].read(path)
    assert [role for role, _ in noted()] == ["auditor", "player", "player"]
    assert str(noted()[0][1]) == auditor.token.split("_")[1]


def test_of_somebody_without_a_token_the_read_alone_is_noted(game, anybody, services):
    hand = anybody.read(f"{game.path}/hands")["items"][0]["hand_id"]
    anybody.read(f"/v1/hands/{hand}/history")
    with services.store.database.connection() as conn:
        query = "SELECT role, credential FROM card_reads WHERE hand = %s ORDER BY number DESC LIMIT 1"
        assert conn.execute(query, (hand,)).fetchone() == ("public", None)


def test_as_of_of_the_hands_moves_with_each_of_them(app, operator, anybody):
    game = Game(app, operator, protest_seconds=3600, between_hands_seconds=7200)
    game.play_hand(game.hand_id())
    settled = anybody.read(f"{game.path}/hands")
    with CLOCK.put_forward(minutes=61):
        until(lambda: game.hand(settled["items"][0]["hand_id"])["state"] == "final")
    final = anybody.read(f"{game.path}/hands")
    assert [h["state"] for h in (*settled["items"], *final["items"])] == ["settled", "final"]
    assert final["as_of"] > settled["as_of"]
    assert final["as_of"] == game.hand(final["items"][0]["hand_id"])["as_of"]


def test_before_the_start_lists_are_empty_and_there_is_nothing_to_play(app, operator, anybody):
    game = Game(app, operator, entrants=1)
    for path in ("standings", "tables", "prizes", "hands"):
        assert anybody.read(f"{game.path}/{path}")["items"] == []


def test_what_was_just_written_is_read(app, operator, anybody):
    game = Game(app, operator, entrants=0, name="Read your writes")
    assert anybody.read(game.path)["entrants"] == 0
    game.enter(app)
    assert anybody.read(game.path)["entrants"] == 1
    assert len(anybody.read(f"{game.path}/entries")["items"]) == 1
    assert anybody.read("/v1/tournaments?limit=1")["items"][0]["name"] == "Read your writes"


def test_a_pause_stops_the_deals_and_a_cancellation_ends_all(app, operator, director_, anybody):
    game = Game(app, operator)
    hand_id = game.hand_id()
    assert director_.made(f"{game.path}/pause")["state"] == "paused"
    until(lambda: game.hand(hand_id)["turn"]["deadline"] is None)
    assert director_.post(f"{game.path}/pause").json["type"] == "/problems/already-paused"
    assert director_.made(f"{game.path}/resume")["state"] == "running"
    until(lambda: game.hand(hand_id)["turn"]["deadline"])
    cancelled = director_.made(f"{game.path}/cancel", {"reason": "no light"})
    assert (cancelled["state"], cancelled["entrants"]) == ("cancelled", 4)
    until(lambda: game.hand(hand_id)["state"] == "voided")
    history = operator.read(f"/v1/hands/{hand_id}/history")
    assert history["voided"] is True
    assert verify(history, bootstrap.presets())["verdict"] == "valid"
    assert director_.post(f"{game.path}/cancel").json["type"] == "/problems/tournament-over"


def test_the_clock_acts_for_whoever_is_absent(app, operator, anybody):
    game = Game(app, operator, capacity=2, seats_per_table=2, entrants=2, turn_seconds=0, stack_points=5)
    until(lambda: game.state() == "finished")
    hand = anybody.read(f"{game.path}/hands")["items"][0]["hand_id"]
    history = anybody.read(f"/v1/hands/{hand}/history")
    assert verify(history, bootstrap.presets())["verdict"] == "valid"
    assert {a["by"] for a in history["actions"]} <= {"clock", "rule"}


def test_a_protest_window_keeps_the_seed_back(app, operator, anybody):
    game = Game(app, operator, protest_seconds=3600)
    hand_id = game.hand_id()
    assert game.play_hand(hand_id)["state"] == "settled"
    history = operator.read(f"/v1/hands/{hand_id}/history")
    assert "seed" not in history["shuffle"]
