"""Penalties over HTTP: ruled, final, carried out between hands, and seen by everybody who should."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from domain.credential import Role
from domain.ids import TournamentId
from services.audit import verify
from services.doctor import chips, drawn
from services.doctor.reading import Log
from tests.services.http.banking import Casino
from tests.services.http.driving import CLOCK, Api, make_token
from tests.services.http.playing import until
from tests.services.http.recording import Club, errors
from tests.services.http.test_disputes import REASON, WINDOW, Disputed, nothing_is_wrong, refused
from tests.services.http.test_entry_money import won


@pytest.fixture(scope="module")
def another(app, services) -> Api:
    """Another director."""
    return Api(app, make_token(services, Role.DIRECTOR))


def penalty(seat: int, kind: str, amount: int | None = None) -> dict:
    return {"seat": seat, "penalty": kind, "amount": amount}


def punish(director: Api, hand: str, *penalties: dict) -> dict:
    return director.made(
        f"/v1/hands/{hand}/rulings", {"ruling": "penalty", "penalties": list(penalties), **REASON}
    )


class Punished(Disputed):
    """A sit-and-go whose first hand is ruled on with penalties, and final by an appeal; the second one runs."""

    def punish(self, first: Api, second: Api, *penalties: dict) -> None:
        punish(first, self.hand_in_question, *penalties)
        self.seated()[0].made(f"{self.at}/appeals", REASON)
        punish(second, self.hand_in_question, *penalties)
        assert self.hand(self.hand_in_question)["state"] == "final"

    def at_seat(self, seat: int) -> str:
        return self.player_at(self.hand(self.hand_in_question), seat)

    def corrections(self) -> list[dict]:
        return self.anybody.read(f"{self.path}/corrections")["items"]

    def table(self) -> dict:
        [table] = [t for t in self.anybody.read(f"{self.path}/tables")["items"] if t["state"] == "open"]
        return self.anybody.read(f"/v1/tables/{table['table_id']}")

    def seats(self) -> dict[str, dict]:
        return {seat["player_id"]: seat for seat in self.table()["seats"]}

    def next_hand(self, running: str) -> str:
        """Play the running hand to its end; the next one."""
        self.play_hand(running)
        return self.hand_id()


def replayed(services, t: str) -> None:
    """The draws, and what the bundle's own verifier makes of places and prizes."""
    log = Log(services.store)
    assert drawn.verify(log, UUID(t)).wrong is None
    tournament = log.streams([UUID(t)])[UUID(t)]
    tables = chips.tables_of(tournament)
    hands = [
        r.event.hand_id
        for events in log.streams(tables).values()
        for r in events
        if r.topic.startswith("table.hand_begun")
    ]
    rows = [row for of in log.rows_of([UUID(t), *tables, *hands]).values() for row in of]
    events = [
        {
            "topic": row.topic,
            "stream": str(row.stream),
            "version": row.version,
            "index": row.position,
            "where": f"{row.topic} {row.position}",
            "state": json.loads(row.state),
        }
        for row in sorted(rows, key=lambda row: row.position)
    ]
    assert "places follow" in verify.check_places(events, verify.hands_of(events))
    assert "come to the pool" in verify.check_prizes(events)


# chips, hands sat out, warnings


def test_chips_are_lost_and_hands_sat_out_from_the_next_hand_on(
    app, operator, director_, another, services, beside
):
    game = Punished(app, operator, turn_seconds=600)
    running = game.hand_id()
    penalties = (penalty(1, "chips", 7), penalty(2, "sit_out", 1), penalty(3, "warning"))
    game.punish(director_, another, *penalties)
    assert game.dispute()["rulings"][-1]["penalties"] == list(penalties)
    assert {line["penalty"] for line in game.corrections()} == {"chips", "sit_out", "warning"}
    fined, idle = game.at_seat(1), game.at_seat(2)
    before = sum(game.stacks().values())
    following = game.next_hand(running)
    assert sum(game.stacks().values()) == before - 7
    [line] = [each for each in game.corrections() if each["chips"]]
    assert (line["player_id"], line["penalty"], line["chips"], line["unpaid"]) == (fined, "chips", -7, 0)
    entries = operator.read(f"/v1/ledger/entries?hand={game.hand_in_question}&kind=penalty")["items"]
    assert {entry["account"]: entry["amount"] for entry in entries} == {f"player/{fined}": -7, "void": 7}
    assert game.seats()[idle]["sit_out"] == 1
    assert "sit_out" not in game.seats()[fined]
    hand = game.hand(following)
    assert [seat["player_id"] for seat in hand["seats"] if seat.get("sits_out")] == [idle]
    refused(game.players[idle].post(f"/v1/hands/{following}/passes", {"turn": 1}), 409, "sits-out")
    assert game.players[idle].read(f"/v1/hands/{following}/legal-plays")["items"] == []
    sat_out(game, following, idle)
    game.hand_id()
    assert "sit_out" not in game.seats()[idle]
    assert "sit_out" not in str(game.anybody.read(f"{game.path}/tables"))
    nothing_is_wrong(services)


def sat_out(game: Punished, hand_id: str, idle: str) -> None:
    """The clock has acted for him at once, each time, whoever was to act for himself."""

    def others_turn() -> dict | None:
        hand = game.hand(hand_id)
        mine = hand["turn"] and game.player_at(hand, hand["turn"]["seat"]) == idle
        return None if mine else hand

    while until(others_turn)["turn"]:
        game.act(hand_id, highest=True)
    hand = game.hand(hand_id)
    by = {each["by"] for each in hand["actions"] if game.player_at(hand, each["seat"]) == idle}
    assert by <= {"clock", "rule"}


def test_a_dry_run_tells_what_a_penalty_would_be(app, operator, director_):
    game = Disputed(app, operator)
    body = {"ruling": "penalty", "penalties": [penalty(1, "warning")], **REASON}
    told = director_.post(f"{game.at}/rulings?dry_run=true", body).json["events"]
    assert [(event["type"], event["penalties"]) for event in told] == [("hand.ruled", body["penalties"])]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"ruling": "penalty"}, {"/penalties"}),
        ({"ruling": "penalty", "penalties": []}, {"/penalties"}),
        ({"ruling": "penalty", "penalties": [{}]}, {"/penalties/0/seat", "/penalties/0/penalty"}),
        (
            {"ruling": "penalty", "penalties": [penalty(5, "fine")]},
            {"/penalties/0/seat", "/penalties/0/penalty"},
        ),
        ({"ruling": "penalty", "penalties": [penalty(1, "points", 1)]}, {"/penalties/0/penalty"}),
        ({"ruling": "penalty", "penalties": [penalty(1, "chips", 0)]}, {"/penalties/0/amount"}),
        ({"ruling": "penalty", "penalties": [penalty(1, "sit_out", 21)]}, {"/penalties/0/amount"}),
        ({"ruling": "stands", "penalties": [penalty(1, "warning", 1)]}, {"/penalties/0/amount"}),
        ({"ruling": "penalty", "penalties": [penalty(1, "warning")] * 2}, {"/penalties/1/seat"}),
        ({"ruling": "cancel", "penalties": [penalty(1, "warning")]}, {"/penalties"}),
    ],
)
def test_what_is_wrong_with_a_penalty_is_told(director_, body, pointers, asked):
    assert errors(director_.post(f"{asked.at}/rulings", body | REASON)).keys() == pointers


@pytest.fixture(scope="module")
def asked(app, operator) -> Disputed:
    return Disputed(app, operator)


def test_nobody_is_punished_for_a_running_hand(app, operator, director_):
    game = Disputed(app, operator, settled=False)
    body = {"ruling": "void", "penalties": [penalty(1, "warning")], **REASON}
    refused(director_.post(f"{game.at}/rulings", body), 409, "hand-not-settled")


# disqualification


def test_who_is_disqualified_is_out_between_hands_and_last(
    app, operator, director_, another, services, beside
):
    game = Punished(app, operator, 3, capacity=3, stack_points=30)
    running = game.hand_id()
    gone = game.at_seat(1)
    game.punish(director_, another, penalty(1, "disqualification"))
    assert game.standings()[-1]["player_id"] == gone
    before = sum(game.stacks().values())
    game.next_hand(running)
    assert gone not in game.seats()
    lost = before - sum(game.stacks().values())
    entries = operator.read(f"/v1/ledger/entries?tournament={game.id}&kind=penalty")["items"]
    assert {entry["account"]: entry["amount"] for entry in entries} == {f"player/{gone}": -lost, "void": lost}
    nothing_is_wrong(services)
    game.play()
    assert [item["place"] for item in game.standings() if item["player_id"] == gone] == [3]
    assert gone not in {prize["player_id"] for prize in game.anybody.read(f"{game.path}/prizes")["items"]}
    until(beside.rests)
    nothing_is_wrong(services)
    replayed(services, game.id)


def test_after_the_end_places_and_prizes_are_as_ruled(operator, director_, services, beside):
    casino = Casino(operator, 3, protest_seconds=WINDOW, prizes_bp=[7000, 3000], stack_points=20)
    [table] = casino.tables()
    casino.record(table["table_id"], 0, 13, 1)
    won(casino)
    first, second, third = casino.standings()
    [*_, hand] = operator.read(f"{casino.path}/hands")["items"]
    seats = operator.read(f"/v1/hands/{hand['hand_id']}")["seats"]
    [seat] = [each["seat"] for each in seats if each["player_id"] == first["player_id"]]
    punish(director_, hand["hand_id"], penalty(seat, "disqualification"))
    with CLOCK.put_forward(seconds=WINDOW + 1):
        casino.paid()
        until(beside.rests)
    assert [(item["place"], item["player_id"]) for item in casino.standings()] == [
        (1, second["player_id"]),
        (2, third["player_id"]),
        (3, first["player_id"]),
    ]
    assert casino.standings(as_played="true")[0]["player_id"] == first["player_id"]
    amounts = {
        prize["player_id"]: prize["amount"] for prize in operator.read(f"{casino.path}/prizes")["items"]
    }
    assert amounts == {second["player_id"]: 2100, third["player_id"]: 900}
    assert [casino.purse(each["player_id"])[0] for each in (first, second, third)] == [0, 2100, 900]
    leaders = {each["player_id"]: each for each in operator.read("/v1/leaderboards/all?limit=200")["items"]}
    found = [
        (leaders[each["player_id"]][name])
        for each in (first, second)
        for name in ("first_places", "best_place")
    ]
    assert found == [0, 3, 1, 1]
    nothing_is_wrong(services)
    replayed(services, casino.id)


def test_after_a_cancellation_in_the_money_nobody_is_disqualified(operator, director_, services, beside):
    casino = Casino(operator, 3, protest_seconds=WINDOW, prizes_bp=[5000, 3000, 2000], stack_points=20)
    [table] = casino.tables()
    casino.record(table["table_id"], 0, 5, 1)
    [hand] = operator.read(f"{casino.path}/hands")["items"]
    operator.made(f"{casino.path}/cancel")
    body = {"ruling": "penalty", "penalties": [penalty(1, "disqualification")], **REASON}
    refused(director_.post(f"/v1/hands/{hand['hand_id']}/rulings", body), 409, "tournament-over")
    punish(director_, hand["hand_id"], penalty(1, "warning"))
    with CLOCK.put_forward(seconds=WINDOW + 1):
        casino.paid()
        until(beside.rests)
    nothing_is_wrong(services)


def test_who_is_disqualified_after_he_went_out_falls_below_all_while_the_others_play_on(
    operator, director_, services, beside
):
    casino = Casino(operator, 4, protest_seconds=WINDOW, stack_points=20)
    [table] = casino.tables()
    casino.record(table["table_id"], 0, 1, 1, 13)
    for _ in range(2):
        casino.record(table["table_id"], 0, 13, 1)
    until(beside.rests)
    gone, last = (item["player_id"] for item in casino.standings()[2:])
    hand = operator.read(f"{casino.path}/hands")["items"][1]["hand_id"]
    seats = {each["player_id"]: each["seat"] for each in operator.read(f"/v1/hands/{hand}")["seats"]}
    punish(director_, hand, penalty(seats[gone], "disqualification"))
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(lambda: operator.read(f"/v1/hands/{hand}")["state"] == "final")
        until(beside.rests)
    assert [item["player_id"] for item in casino.standings()[2:]] == [last, gone]
    assert [item["player_id"] for item in casino.standings(as_played="true")[2:]] == [gone, last]
    won(casino)
    until(beside.rests)
    assert [item["player_id"] for item in casino.standings()[2:]] == [last, gone]
    assert [item["player_id"] for item in casino.standings(as_played="true")[2:]] == [gone, last]
    nothing_is_wrong(services)
    replayed(services, casino.id)


# a league


def test_a_league_counts_points_and_disqualifications_as_ruled(operator, director_, services, beside):
    club = Club(operator, 3, protest_seconds=WINDOW)
    a, b, c = club.players
    table = club.open(a, b, c)
    club.record(table, 0, 5, 1)
    [hand] = operator.read(f"{club.path}/hands")["items"]
    punish(director_, hand["hand_id"], penalty(1, "disqualification"), penalty(3, "points", 20))
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(beside.rests)
        operator.made(f"{club.path}/finish")
        until(beside.rests)
    ruled = [(item["player_id"], item["points"]) for item in club.standings()]
    assert [player for player, _ in ruled] == [b, c, a]
    played = {item["player_id"]: item["points"] for item in club.standings(as_played="true")}
    assert played[c] == dict(ruled)[c] + 20
    assert club.standings(as_played="true")[0]["player_id"] == a
    assert [prize["player_id"] for prize in operator.read(f"{club.path}/prizes")["items"]] == [b]
    refused_seats = operator.post("/v1/tables", {"tournament_id": club.id, "seats": club.seats(a, b)})
    assert refused_seats.status_code in (409, 422)
    nothing_is_wrong(services)
    assert drawn.verify(Log(services.store), TournamentId(UUID(club.id))).wrong is None


def test_a_penalty_means_something_where_it_is_given(operator, director_):
    club = Club(operator, 2, protest_seconds=WINDOW)
    table = club.open(*club.players)
    club.record(table, 0, 5)
    [hand] = operator.read(f"{club.path}/hands")["items"]
    for kind in ("chips", "sit_out"):
        body = {"ruling": "penalty", "penalties": [penalty(1, kind, 1)], **REASON}
        found = errors(director_.post(f"/v1/hands/{hand['hand_id']}/rulings", body))
        assert found.keys() == {"/penalties/0/penalty"}
