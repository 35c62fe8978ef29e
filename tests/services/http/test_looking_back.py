"""Looking back: the log with what an auditor may see by now, a hand step by step, and who has read which cards."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from domain.credential import Role
from domain.ids import CommandId, TournamentId
from services.application import audited, credentials, decisions
from services.application.credentials import Grant
from services.envelope import Command
from tests.services.http.driving import Api
from tests.services.http.playing import Game, until
from tests.services.http.recording import Club

EVENTS = "/v1/audit/events"
READS = "/v1/audit/access-log"


def every(reader: Api, path: str, **query: object) -> list[dict]:
    """All items of a list, page by page."""
    found: list[dict] = []
    cursor = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = reader.read(path, query_string=query | more)
        found += page["items"]
        cursor = page["next"]
        if cursor is None:
            return found


@pytest.fixture(scope="module")
def played(app, operator) -> tuple[Game, str, list[dict]]:
    """A hand that is over, and what whoever was on turn was told before each of his actions."""
    game = Game(app, operator, protest_seconds=3600, between_hands_seconds=7200)
    hand_id = game.hand_id()
    told = []
    while game.hand(hand_id)["turn"]:
        told.append(game.legal(game.hand(hand_id)))
        game.act(hand_id, highest=True)
    return game, hand_id, told


@pytest.fixture(scope="module")
def running(app, operator) -> tuple[Game, str]:
    game = Game(app, operator)
    hand_id = game.hand_id()
    for _ in range(6):
        game.act(hand_id)
    return game, hand_id


# a hand step by step


def test_each_step_tells_what_the_player_on_turn_was_told_then(played, auditor):
    _, hand_id, told = played
    steps = auditor.read(f"/v1/hands/{hand_id}/steps?limit=200")["items"]
    asked = [step for step in steps if step["turn"]]
    assert len(asked) == len(told)
    for step, then in zip(asked, told, strict=True):
        assert (step["turn"]["number"], step["may_pass"]) == (then["turn"], then["may_pass"])
        assert (step["duty"], step["duty_reason"]) == (then["duty"], then["duty_reason"])
        assert step["legal"] == then["items"]


def test_holdings_are_the_deal_without_what_has_been_played(played, auditor):
    _, hand_id, _ = played
    history = auditor.read(f"/v1/hands/{hand_id}/history")
    steps = auditor.read(f"/v1/hands/{hand_id}/steps?limit=200")["items"]
    held = {seat: cards.split() for seat, cards in history["deal"].items()}
    assert [steps[0]["action"], steps[0]["holdings"]] == [None, held]
    for step, action in zip(steps[1:], history["actions"], strict=True):
        seat = str(action["seat"])
        gone = action.get("play", "").split()
        held[seat] = [card for card in held[seat] if card not in gone]
        assert step["holdings"] == held
        assert step["action"]["seat"] == action["seat"]
        assert step["action"]["breach"] == action.get("breach", False)
    assert steps[-1]["turn"] is None
    assert steps[-1]["legal"] == []


def test_each_step_has_the_record_of_its_decision(played, auditor):
    game, hand_id, _ = played
    steps = auditor.read(f"/v1/hands/{hand_id}/steps?limit=200")["items"]
    assert steps[0]["decision"] is None
    tokens = {player: api.token.split("_")[1] for player, api in game.players.items()}
    hand = game.hand(hand_id)
    for before, step in pairwise(steps):
        decision, turn = step["decision"], before["turn"]
        if turn is None:
            assert decision["plays"] is None
            continue
        assert decision["credential_id"] == tokens[game.player_at(hand, step["action"]["seat"])]
        assert decision["deadline"] == turn["deadline"]
        assert (decision["plays"], decision["may_pass"]) == (len(before["legal"]), before["may_pass"])


def test_a_page_of_steps_works_out_no_decision_behind_it(played, auditor, monkeypatch):
    _, hand_id, _ = played
    worked_out = []
    plain = decisions._step
    monkeypatch.setattr(decisions, "_step", lambda *of: worked_out.append(of) or plain(*of))
    assert len(auditor.read(f"/v1/hands/{hand_id}/steps?limit=3")["items"]) == 3
    assert len(worked_out) == 2


def test_steps_come_page_by_page(played, auditor):
    _, hand_id, _ = played
    path = f"/v1/hands/{hand_id}/steps"
    whole = auditor.read(f"{path}?limit=200")["items"]
    assert every(auditor, path, limit=7) == whole
    assert [step["number"] for step in whole] == list(range(len(whole)))


def test_the_opening_card_is_named_until_it_is_played_r5_2(played, auditor):
    _, hand_id, _ = played
    steps = auditor.read(f"/v1/hands/{hand_id}/steps?limit=200")["items"]
    first = steps[0]
    assert first["must_include"] in first["holdings"][str(first["turn"]["seat"])]
    assert all(first["must_include"] in option["cards"] for option in first["legal"])
    assert {step["must_include"] for step in steps[1:]} == {None}


def test_the_time_left_is_that_of_the_deadline_that_stood(played, auditor):
    _, hand_id, _ = played
    steps = auditor.read(f"/v1/hands/{hand_id}/steps?limit=200")["items"]
    for before, step in pairwise(steps):
        if before["turn"] is None:
            assert step["time_left_ms"] is None
            continue
        left = datetime.fromisoformat(before["turn"]["deadline"]) - datetime.fromisoformat(step["at"])
        assert step["time_left_ms"] == left // timedelta(milliseconds=1) > 0


def test_a_stopped_clock_is_told_between_the_actions(app, operator, director_, auditor):
    game = Game(app, operator, capacity=2, entrants=2, seats_per_table=2, protest_seconds=3600)
    hand_id = game.hand_id()
    director_.made(f"{game.path}/pause")
    until(lambda: game.hand(hand_id)["turn"]["deadline"] is None)
    game.act(hand_id, highest=True)
    director_.made(f"{game.path}/resume")
    until(lambda: game.hand(hand_id)["turn"] is None or game.hand(hand_id)["turn"]["deadline"])
    game.play_hand(hand_id)
    first, second, *_ = auditor.read(f"/v1/hands/{hand_id}/steps")["items"]
    [stopped] = first["clock"]
    assert stopped["deadline"] is None
    assert second["time_left_ms"] == stopped["remaining_ms"] > 0
    [started] = second["clock"] or [None]
    assert started["deadline"]
    assert started["remaining_ms"] is None


def test_the_clock_acts_when_no_time_is_left_r11_2(app, operator, anybody):
    game = Game(app, operator, capacity=2, seats_per_table=2, entrants=2, turn_seconds=0, stack_points=5)
    until(lambda: game.state() == "finished")
    hand = anybody.read(f"{game.path}/hands")["items"][0]["hand_id"]
    steps = anybody.read(f"/v1/hands/{hand}/steps?limit=200")["items"]
    assert all(s["time_left_ms"] <= 0 for s in steps if s["action"] and s["action"]["by"] == "clock")


def test_nobody_steps_through_a_running_hand(running, auditor, admin, director_, anybody):
    game, hand_id = running
    for reader in (auditor, admin, director_, anybody, *game.players.values()):
        answer = reader.get(f"/v1/hands/{hand_id}/steps")
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/hand-not-closed")


def test_who_reads_a_history_steps_through_it_and_nobody_else(played, app, operator, anybody, director_):
    game, hand_id, _ = played
    path = f"/v1/hands/{hand_id}/steps"
    for reader in (operator, director_, *game.players.values()):
        assert reader.read(path)["items"]
    assert anybody.get(path).status_code == 401
    stranger = next(iter(Game(app, operator).players.values()))
    assert stranger.get(path).json["type"] == "/problems/forbidden"


def test_a_hand_with_real_cards_has_no_steps(operator, auditor):
    club = Club(operator)
    hand = club.record(club.open(), 0, 5, 2, 7)["hand_id"]
    assert auditor.read(f"/v1/hands/{hand}/steps")["items"] == []
    assert every(auditor, READS, hand=hand) == []


# the log


def test_an_auditor_reads_the_whole_log_in_its_order(played, auditor, services):
    found = every(auditor, EVENTS, limit=200)
    stored = services.store.log(0, 10_000)
    positions = [event["position"] for event in found]
    assert positions == [r.position for r in stored][: len(positions)]
    for event, r in zip(found, stored, strict=False):
        assert (event["type"], event["version"]) == (r.topic.rpartition(".")[0], r.version)
        assert (event["actor"], UUID(event["command_id"])) == (r.actor, r.command)


def test_pages_stay_on_one_position(played, auditor, operator):
    first = auditor.read(f"{EVENTS}?limit=1")
    operator.made("/v1/players", {"name": f"Later {uuid4().hex[:8]}"})
    rest = []
    cursor = first["next"]
    while cursor:
        page = auditor.read(f"{EVENTS}?limit=200&cursor={cursor}")
        assert page["as_of"] == first["as_of"]
        rest += page["items"]
        cursor = page["next"]
    assert rest[-1]["position"] == first["as_of"]
    assert auditor.get(f"{EVENTS}?as_of={2**62}").status_code == 422


def test_of_a_running_hand_only_what_is_public_is_told(running, auditor, admin):
    _, hand_id = running
    for reader in (auditor, admin):
        events = {e["type"]: e for e in every(reader, EVENTS, hand=hand_id)}
        assert events["hand.committed"]["hidden"] == ["seed"]
        assert set(events["hand.dealt"]["hidden"]) == {"cards", "stub", "ruleset"}
        assert events["hand.played"]["hidden"] == ["breach"]
        assert "breach" not in events["hand.played"]["data"]
    assert every(auditor, EVENTS, hand=hand_id, clause="R7.3") == []


def test_once_it_is_over_its_cards_are_shown_and_the_look_is_noted(played, auditor):
    _, hand_id, _ = played
    history = auditor.read(f"/v1/hands/{hand_id}/history")
    before = len(every(auditor, READS, hand=hand_id))
    [dealt] = every(auditor, EVENTS, hand=hand_id, type="hand.dealt")
    assert {seat: " ".join(cards) for seat, cards in dealt["data"]["cards"].items()} == history["deal"]
    assert len(dealt["data"]["stub"]) == 52 - 13 * len(history["deal"])
    assert dealt["hidden"] == []
    reads = every(auditor, READS, hand=hand_id)
    assert len(reads) == before + 1
    assert reads[-1]["credential_id"] == auditor.token.split("_")[1]
    every(auditor, EVENTS, hand=hand_id, type="hand.played")
    assert every(auditor, READS, hand=hand_id) == reads, "no card that had not lain on the table"


def test_a_seed_is_shown_by_the_event_that_reveals_it_and_by_no_other(app, operator, auditor):
    game = Game(app, operator, stack_points=3)
    game.play()
    events = every(auditor, EVENTS, tournament=game.id)
    revealing = {e["type"] for e in events if {"seed", "draw_seed", "master"} & e["data"].keys()}
    assert revealing == {"hand.finalised", "tournament.finished"}
    committed = next(e for e in events if e["type"] == "tournament.seeds_committed")
    assert set(committed["hidden"]) == {"master", "draw_seed"}


def test_events_are_found_by_tournament_table_player_and_type(played, auditor):
    game, hand_id, _ = played
    of_hand = every(auditor, EVENTS, hand=hand_id)
    table = of_hand[0]["table_id"]
    of_table = every(auditor, EVENTS, table=table)
    of_tournament = every(auditor, EVENTS, tournament=game.id)
    positions = [{e["position"] for e in found} for found in (of_hand, of_table, of_tournament)]
    assert positions[0] < positions[1] < positions[2]
    assert {e["type"].partition(".")[0] for e in of_tournament} == {"tournament", "roster", "table", "hand"}
    player = next(iter(game.players))
    of_player = every(auditor, EVENTS, player=player)
    assert of_player[0]["type"] == "player.enrolled"
    assert {"roster.registered", "hand.played"} < {e["type"] for e in of_player}
    passes = every(auditor, EVENTS, hand=hand_id, type="hand.passed")
    assert [e for e in of_hand if e["type"] == "hand.passed"] == passes != []
    assert every(auditor, EVENTS, hand=hand_id, type="hand") == of_hand


def test_a_players_money_is_among_his_events(app, operator, auditor):
    player = next(iter(Game(app, operator).players))
    deposit = {"amount": 500, "currency": "EUR", "reference": uuid4().hex}
    operator.made(f"/v1/wallets/{player}/deposits", deposit)
    [credited] = every(auditor, EVENTS, player=player, type="wallet")
    assert (credited["data"]["amount"], credited["data"]["player_id"]) == (500, player)


def test_events_are_found_by_time(played, auditor):
    game, _, _ = played
    events = every(auditor, EVENTS, tournament=game.id)
    middle = events[len(events) // 2]["at"]
    after = every(auditor, EVENTS, tournament=game.id, **{"from": middle})
    before = every(auditor, EVENTS, tournament=game.id, to=middle)
    assert before + after == events
    assert before
    assert after[0]["at"] == middle


def test_events_are_found_by_clause(played, auditor):
    _, hand_id, _ = played
    events = every(auditor, EVENTS, hand=hand_id)
    for clause in ("R2.1", "R4.1", "R5.1", "R6.2", "R8.1", "R11.1"):
        found = every(auditor, EVENTS, hand=hand_id, clause=clause, limit=3)
        assert found == [e for e in events if clause in e["clauses"]]
    [dealt] = every(auditor, EVENTS, hand=hand_id, clause="R2.1")
    assert dealt["type"] == "hand.dealt"


def test_a_page_that_has_looked_at_enough_is_short_and_says_where_to_go_on(played, auditor, monkeypatch):
    game, _, _ = played
    found = every(auditor, EVENTS, tournament=game.id, clause="R8.1")
    monkeypatch.setattr(audited, "LOOKED_AT", 3)
    page = auditor.read(f"{EVENTS}?tournament={game.id}&clause=R8.1")
    assert page["items"] == []
    assert page["next"]
    assert every(auditor, EVENTS, tournament=game.id, clause="R8.1") == found != []


@pytest.mark.parametrize("query", ["type=hand.settled", "from={0}", "type=hand&to={0}"])
def test_no_page_looks_at_more_whatever_is_asked_for(played, auditor, monkeypatch, query):
    game, _, _ = played
    events = every(auditor, EVENTS, tournament=game.id)
    asked = dict(each.split("=") for each in query.format(events[-2]["at"]).split("&"))
    found = every(auditor, EVENTS, tournament=game.id, **asked)
    monkeypatch.setattr(audited, "LOOKED_AT", 3)
    decoded = []
    plain = audited.fetch
    monkeypatch.setattr(audited, "fetch", lambda *of: [decoded.append(row) or row for row in plain(*of)])
    page = auditor.read(EVENTS, query_string={"tournament": game.id, **asked})
    assert (len(page["items"]) <= 3, bool(page["next"]), len(decoded)) == (True, True, 4)
    assert every(auditor, EVENTS, tournament=game.id, **asked) == found != []


def test_a_token_for_one_tournament_sees_that_one(played, running, app, services, auditor):
    game, hand_id, _ = played
    grant = Grant(Role.AUDITOR, None, TournamentId(UUID(game.id)))
    text = credentials.issue(services.store, Command(CommandId(uuid4()), "tests", ""), lambda: grant).text
    limited = Api(app, text)
    auditor.read(f"/v1/hands/{hand_id}/history")
    assert {e["tournament_id"] for e in every(limited, EVENTS, limit=200)} == {game.id}
    assert every(limited, EVENTS, tournament=running[0].id) == []
    assert {r["tournament_id"] for r in every(limited, READS)} == {game.id}


def test_the_log_comes_as_csv_and_as_json_lines(played, auditor):
    _, hand_id, _ = played
    events = every(auditor, EVENTS, hand=hand_id, limit=200)
    path = f"{EVENTS}?hand={hand_id}&limit=200"
    lines = auditor.get(f"{path}&format=ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == events
    rows = list(csv.DictReader(auditor.get(f"{path}&format=csv").text.splitlines()))
    assert [json.loads(row["data"]) for row in rows] == [e["data"] for e in events]
    assert [json.loads(row["clauses"]) for row in rows] == [e["clauses"] for e in events]


def test_a_clause_is_written_as_the_rulebook_has_it(auditor):
    assert auditor.get(f"{EVENTS}?clause=4.1").status_code == 422


# who has read what


def test_the_access_log_is_found_by_hand_table_player_role_and_time(played, auditor, operator, anybody):
    game, hand_id, _ = played
    operator.read(f"/v1/hands/{hand_id}/history")
    auditor.read(f"/v1/hands/{hand_id}/steps")
    player = next(iter(game.players))
    game.players[player].read(f"/v1/hands/{hand_id}/steps")
    reads = every(auditor, READS, hand=hand_id)
    assert {"auditor", "operator", "player"} <= {r["role"] for r in reads}
    table = game.hand(hand_id)["table_id"]
    for query in ({"table": table}, {"tournament": game.id}, {"player": player, "tournament": game.id}):
        assert every(auditor, READS, limit=2, **query) == reads
    assert every(auditor, READS, hand=hand_id, role="operator") == [
        r for r in reads if r["role"] == "operator"
    ]
    credential = auditor.token.split("_")[1]
    assert {r["role"] for r in every(auditor, READS, credential=credential)} == {"auditor"}
    assert every(auditor, READS, hand=hand_id, **{"from": reads[1]["at"]}) == reads[1:]
    assert every(auditor, READS, hand=hand_id, to=reads[1]["at"]) == reads[:1]
    assert auditor.get(f"{READS}?format=csv").text.startswith("number,at,credential_id,role,hand_id")


def test_whoever_had_no_token_is_in_the_access_log_as_the_public(app, operator, auditor, anybody):
    game = Game(app, operator, stack_points=3)
    game.play()
    hand = anybody.read(f"{game.path}/hands")["items"][0]["hand_id"]
    anybody.read(f"/v1/hands/{hand}/steps")
    [read] = every(auditor, READS, hand=hand)
    assert (read["role"], read["credential_id"]) == ("public", None)
