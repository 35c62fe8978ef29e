"""Disputes over HTTP: a hand is flagged, frozen, ruled and appealed; what it changes, and what it leaves alone."""

from __future__ import annotations

from base64 import b64encode
from uuid import UUID, uuid4

import pytest

from domain.credential import Role
from domain.hand import HAND
from domain.ids import HandId, PlayerId, TournamentId
from domain.tournament import TOURNAMENT
from domain.tournament_events import ResultCorrected, RulingLapsed
from services.application import hands
from services.audit import bundling, checkpoints, keys, verify
from services.audit.redrawn import redrawn
from services.audit.story import of_player
from services.doctor import drawn
from services.doctor.examination import Examination, Questions
from services.doctor.reading import Log
from tests.services.http.banking import Casino
from tests.services.http.driving import CLOCK, Api, make_token
from tests.services.http.playing import Game, name, until
from tests.services.http.recording import Club
from tests.services.http.test_entry_money import won
from tests.services.projections.house import staff

WINDOW = 3600
REASON = {"reason": "the clock ran away"}


@pytest.fixture(scope="module")
def another(app, services) -> Api:
    """Another director."""
    return Api(app, make_token(services, Role.DIRECTOR))


class Disputed(Game):
    """A sit-and-go whose hands can be protested; its first hand is played, and the next one runs."""

    def __init__(self, app, operator, entrants: int = 4, *, settled: bool = True, **terms) -> None:
        super().__init__(app, operator, entrants, **{"protest_seconds": WINDOW, "unit_levels": [1]} | terms)
        self.hand_in_question = self.hand_id()
        self.at = f"/v1/hands/{self.hand_in_question}"
        if settled:
            self.play_hand(self.hand_in_question)

    def dispute(self, reader: Api | None = None) -> dict:
        return self.hand(self.hand_in_question, reader)["dispute"]

    def seated(self) -> tuple[Api, ...]:
        return tuple(self.players.values())

    def would(self, director: Api, ruling: str = "void"):
        return director.post(f"{self.at}/rulings?dry_run=true", {"ruling": ruling, **REASON})

    def final_on_appeal(self, first: Api, second: Api) -> None:
        """Void the hand, twice."""
        first.made(f"{self.at}/rulings", {"ruling": "void", **REASON})
        self.seated()[0].made(f"{self.at}/appeals", REASON)
        second.made(f"{self.at}/rulings", {"ruling": "void", **REASON})

    def chips(self) -> dict[str, int]:
        return {item["player_id"]: item["chips"] for item in self.standings()}

    def standings(self, query: str = "") -> list[dict]:
        return self.anybody.read(f"{self.path}/standings{query}")["items"]

    def stacks(self) -> dict[str, int]:
        [table] = [t for t in self.anybody.read(f"{self.path}/tables")["items"] if t["state"] == "open"]
        return {
            seat["player_id"]: seat["stack"]
            for seat in self.anybody.read(f"/v1/tables/{table['table_id']}")["seats"]
        }


def refused(response, status: int, slug: str) -> dict:
    assert (response.status_code, response.json["type"]) == (status, f"/problems/{slug}"), response.json
    return response.json


def frozen(reader, game) -> list[bool]:
    """Whether the table is, as it tells itself and in the tournament's list."""
    [listed] = reader.read(f"{game.path}/tables")["items"]
    return [reader.read(f"/v1/tables/{listed['table_id']}")["frozen"], listed["frozen"]]


def nothing_is_wrong(services) -> None:
    questions = Questions(("I3", "I4", "I6", "I11"))
    assert list(Examination(services.store, questions).violations()) == []


def test_a_player_flags_his_hand_and_a_director_lets_it_stand(app, operator, director_, services):
    game = Disputed(app, operator)
    player = game.seated()[0]
    assert game.dispute() is None
    answer = player.made(f"{game.at}/flags", {**REASON, "evidence": "turn 3"})
    assert answer["state"] == "settled"
    assert answer["dispute"]["stage"] == "open"
    [flag] = game.dispute(player)["flags"]
    assert flag == {"role": "player", "player_id": next(iter(game.players)), "evidence": "turn 3", **REASON}
    assert game.dispute()["flags"] == [{"role": "player"}], "people's words are not for everybody yet"
    refused(player.post(f"{game.at}/flags", REASON), 409, "already-flagged")
    ruled = director_.made(f"{game.at}/rulings", {"ruling": "stands", "reason": "the clock was right"})
    assert ruled["dispute"]["stage"] == "ruled"
    assert ruled["dispute"]["rulings"] == [
        {"number": 1, "ruling": "stands", "reason": "the clock was right", "as_ruled": None, "penalties": []}
    ]
    refused(director_.post(f"{game.at}/rulings", {"ruling": "void", **REASON}), 409, "already-ruled")
    nothing_is_wrong(services)


def test_nobody_acts_in_a_frozen_hand_and_its_words_are_told_to_nobody_while_it_runs(
    app, operator, director_
):
    game = Disputed(app, operator, settled=False)
    director_.made(f"{game.at}/freeze", {"scope": "hand", **REASON})
    hand = game.hand(game.hand_in_question)
    assert hand["turn"]["deadline"] is None
    turn = {"turn": hand["turn"]["number"]}
    refused(game.on_turn(hand).post(f"{game.at}/passes", turn), 409, "hand-frozen")
    game.seated()[0].made(f"{game.at}/flags", REASON)
    for reader in (director_, game.seated()[0], game.anybody):
        assert "clock" not in str(game.dispute(reader))
    refused(director_.post(f"{game.at}/rulings", {"ruling": "stands", **REASON}), 409, "hand-not-settled")
    director_.made(f"{game.at}/release", {"scope": "hand", **REASON})
    assert game.hand(game.hand_in_question)["turn"]["deadline"]
    game.act(game.hand_in_question)


def test_a_running_hand_is_voided_and_the_table_goes_on(app, operator, director_, services):
    game = Disputed(app, operator, settled=False)
    before = game.stacks()
    director_.made(f"{game.at}/freeze", {"scope": "table", **REASON})
    kinds = [event["type"] for event in game.would(director_).json["events"]]
    assert kinds == ["hand.ruled", "hand.voided", "table.hand_ended", "table.released"]
    assert game.hand(game.hand_in_question)["state"] == "running"
    director_.made(f"{game.at}/rulings", {"ruling": "void", **REASON})
    assert game.hand(game.hand_in_question)["state"] == "voided"
    assert game.hand_id() != game.hand_in_question
    assert game.stacks() == before
    nothing_is_wrong(services)


def test_a_table_that_is_frozen_deals_no_more_until_the_dispute_is_over(
    app, operator, director_, another, services
):
    game = Disputed(app, operator, settled=False)
    assert frozen(operator, game) == [False, False]
    director_.made(f"{game.at}/freeze", {"scope": "table", **REASON})
    assert frozen(operator, game) == [True, True]
    played = game.play_hand(game.hand_in_question)
    winner = Game.player_at(played, played["settlement"]["winner"])
    after = game.stacks()
    director_.made(f"{game.at}/rulings", {"ruling": "void", **REASON})
    game.seated()[0].made(f"{game.at}/appeals", REASON)
    refused(director_.post(f"{game.at}/rulings", {"ruling": "void", **REASON}), 403, "forbidden")
    assert game._running() is None
    assert game.stacks() == after
    final = another.made(f"{game.at}/rulings", {"ruling": "void", **REASON})
    assert (final["state"], final["dispute"]["stage"], final["dispute"]["frozen"]) == ("final", "ruled", [])
    assert frozen(operator, game) == [False, False]
    game.hand_id()
    assert set(game.stacks().values()) == {50}
    assert set(game.chips().values()) == {50}
    as_played = {item["player_id"]: item["chips"] for item in game.standings("?as_played=true")}
    assert as_played == after
    lines = game.anybody.read(f"{game.path}/corrections")["items"]
    assert {line["hand_id"] for line in lines} == {game.hand_in_question}
    assert sum(line["chips"] for line in lines if line["player_id"] == winner) == 50 - after[winner]
    entries = operator.read(f"/v1/ledger/entries?hand={game.hand_in_question}")["items"]
    assert {entry["kind"] for entry in entries} >= {"transfer", "ruling"}
    assert sum(entry["amount"] for entry in entries) == 0
    refused(game.seated()[0].post(f"{game.at}/flags", REASON), 409, "hand-final")
    nothing_is_wrong(services)


def test_chips_that_a_ruling_takes_are_taken_between_hands(app, operator, director_, services, beside):
    game = Disputed(app, operator, protest_seconds=1)
    played = game.hand(game.hand_in_question)
    seats = [seat["seat"] for seat in played["seats"]]
    points = {str(seat): 0 for seat in seats}
    director_.made(f"{game.at}/rulings", {"ruling": "adjust", "points": points, **REASON})
    until(lambda: game.hand(game.hand_in_question)["state"] == "final")
    game.play_hand(game.hand_id())
    until(lambda: any(line["chips"] for line in game.anybody.read(f"{game.path}/corrections")["items"]))
    net = played["settlement"]["net"]
    lines = [line for line in game.anybody.read(f"{game.path}/corrections")["items"] if line["chips"]]
    assert {line["player_id"]: line["chips"] + line["unpaid"] * 0 for line in lines} == {
        Game.player_at(played, int(seat)): -chips for seat, chips in net.items() if chips
    }
    nothing_is_wrong(services)


def test_prizes_wait_until_every_hand_is_final(operator, auditor, director_, beside):
    casino = Casino(operator, 3, protest_seconds=WINDOW)
    won(casino)
    first = operator.read(f"{casino.path}/hands")["items"][0]["hand_id"]
    auditor.made(f"/v1/hands/{first}/flags", REASON)
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(beside.rests)
        assert casino.pool == 3000
        assert operator.read(f"{casino.path}/hands")["items"][0]["disputed"]
        director_.made(f"/v1/hands/{first}/rulings", {"ruling": "stands", **REASON})
        until(beside.rests)
        assert casino.pool == 3000, "an appeal is possible"
        CLOCK.go_on(seconds=WINDOW + 1)
        casino.paid()
    assert casino.pool == 0


def test_a_league_ends_as_ruled_once_every_hand_is_final(operator, director_, beside):
    casino = Casino(operator, 2, format="league", protest_seconds=WINDOW)
    a, b = casino.players
    table = casino.open(a, b)
    casino.record(table, 0, 5)
    casino.record(table, 2, 0)
    wrong = operator.read(f"{casino.path}/hands")["items"][0]["hand_id"]
    refused(operator.post(f"{casino.path}/finish"), 409, "hands-not-final")
    ruling = {"ruling": "adjust", "reason": "he had one card", "points": {"1": 1, "2": -1}}
    director_.made(f"/v1/hands/{wrong}/rulings", ruling)
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(beside.rests)
        operator.made(f"{casino.path}/finish")
    ranked = operator.read(f"{casino.path}/standings")["items"]
    assert [(item["player_id"], item["points"]) for item in ranked] == [(b, 1), (a, -1)]
    ranked = operator.read(f"{casino.path}/standings?as_played=true")["items"]
    assert {item["player_id"]: item["points"] for item in ranked} == {a: 3, b: -3}
    [leader] = [
        each for each in operator.read("/v1/leaderboards/all?limit=200")["items"] if each["player_id"] == b
    ]
    assert leader["points"] == 1


def test_whom_a_ruling_gives_and_takes_nothing_has_no_line(operator, director_, another, services, beside):
    game = Casino(operator, 3, format="league", protest_seconds=WINDOW)
    table = game.open(*game.players)
    right, wrong = (game.record(table, 0, 5, 2)["hand_id"] for _ in range(2))
    hand = operator.read(f"/v1/hands/{wrong}")
    played = {seat: chips // hand["unit"] for seat, chips in hand["settlement"]["net"].items()}
    for hand, points in ((right, played), (wrong, {**played, "1": played["1"] - 1, "2": played["2"] + 1})):
        ruling = {"ruling": "adjust", "points": points, **REASON}
        director_.made(f"/v1/hands/{hand}/rulings", ruling)
        director_.made(f"/v1/hands/{hand}/appeals", REASON)
        another.made(f"/v1/hands/{hand}/rulings", ruling)
    until(beside.rests)
    lines = operator.read(f"{game.path}/corrections")["items"]
    assert {(line["hand_id"], line["player_id"], line["points"]) for line in lines} == {
        (wrong, game.players[0], -1),
        (wrong, game.players[1], 1),
    }
    nothing_is_wrong(services)


def tells_no_seed(answer, game: Disputed, services) -> None:
    assert answer.status_code == 200
    assert answer.json["events"][0]["type"] == "hand.ruled"
    seed = services.store.load(HAND, HandId(UUID(game.hand_in_question))).state.seed
    assert "seed" not in answer.text
    assert not any(text in answer.text for text in (seed.hex(), b64encode(seed).decode()))


def test_a_dry_run_tells_the_seed_of_no_hand(app, operator, director_, another, services):
    for terms in ({}, {"entropy_seconds": 3600}):
        running = Disputed(app, operator, settled=False, **terms)
        tells_no_seed(running.would(director_), running, services)
    settled = Disputed(app, operator)
    director_.made(f"{settled.at}/rulings", {"ruling": "void", **REASON})
    settled.seated()[0].made(f"{settled.at}/appeals", REASON)
    for ruling in ("void", "stands"):
        tells_no_seed(settled.would(another, ruling), settled, services)


def test_a_late_job_finds_a_hand_that_an_appeal_made_final_and_corrects_nothing_again(
    app, operator, director_, another, services, beside
):
    game = Disputed(app, operator)
    game.final_on_appeal(director_, another)
    until(beside.rests)
    chips = game.chips()
    with CLOCK.put_forward(seconds=WINDOW + 1), beside.paused():
        head = services.store.head()
        hands.finalise(services, HandId(UUID(game.hand_in_question)))
        assert services.store.head() == head
    tournament = services.store.load(TOURNAMENT, TournamentId(UUID(game.id)))
    assert [type(r.event) for r in tournament.recorded].count(ResultCorrected) == 1
    assert game.chips() == chips
    nothing_is_wrong(services)


def test_a_table_that_is_frozen_after_the_ruling_does_not_keep_the_hand_open(
    app, operator, director_, beside
):
    game = Disputed(app, operator)
    director_.made(f"{game.at}/rulings", {"ruling": "stands", **REASON})
    frozen = director_.made(f"{game.at}/freeze", {"scope": "table", **REASON})
    assert frozen["dispute"]["frozen"] == ["table"]
    until(beside.rests)
    [line] = [
        each
        for each in operator.read(f"{game.path}/hands")["items"]
        if each["hand_id"] == game.hand_in_question
    ]
    assert not line["disputed"]
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(lambda: game.hand(game.hand_in_question)["state"] == "final")


def test_the_list_of_tables_has_the_stacks_as_a_ruling_left_them(
    app, operator, director_, another, services, beside
):
    game = Disputed(app, operator, settled=False)
    director_.made(f"{game.at}/freeze", {"scope": "table", **REASON})
    game.play_hand(game.hand_in_question)
    game.final_on_appeal(director_, another)
    game.hand_id()
    until(beside.rests)
    path = f"{game.path}/tables"
    [table] = operator.read(path)["items"]
    assert {seat["stack"] for seat in table["seats"]} == {50}
    assert operator.read(f"{path}?as_of={services.store.head()}")["items"] == [table]
    nothing_is_wrong(services)


def test_a_tournament_that_is_corrected_after_its_end_is_over_all_the_same(
    app, operator, director_, another, services
):
    game = Disputed(app, operator, 2, settled=False, capacity=2, seats_per_table=2, stack_points=1)
    game.play()
    refused(director_.post(f"{game.at}/freeze", {"scope": "table", **REASON}), 409, "table-closed")
    game.final_on_appeal(director_, another)
    tournament = services.store.load(TOURNAMENT, TournamentId(UUID(game.id)))
    assert isinstance(tournament.recorded[-1].event, ResultCorrected)
    log = Log(services.store)
    found = drawn.verify(log, UUID(game.id))
    assert (found.state, found.seed, found.wrong) == (
        "finished",
        game.anybody.read(game.path)["draw_seed"],
        None,
    )
    assert UUID(game.id) in drawn.finished_tournaments(log)


def test_a_director_who_plays_at_the_table_does_not_rule_there(app, operator, admin):
    game = Disputed(app, operator)
    player = next(iter(game.players))
    token = admin.made("/v1/tokens", {"role": "director", "player_id": player})["token"]
    playing = Api(app, token)
    assert "you" not in game.hand(game.hand_in_question, playing)
    for route in ("freeze", "release", "rulings"):
        body = {"scope": "hand", **REASON} if route != "rulings" else {"ruling": "void", **REASON}
        refused(playing.post(f"{game.at}/{route}", body), 403, "forbidden")


def test_a_director_who_plays_in_the_tournament_decides_not_who_else_does(app, operator, admin):
    game = Broke(operator)
    gone, new = next(iter(game.gone)), newcomer(operator)[0]
    seat = next(iter(game.sitting().values()))

    def refuse(player: str, **ruling) -> None:
        token = admin.made("/v1/tokens", {"role": "director", "player_id": player})["token"]
        refused(Api(app, token).post(f"{at}/rulings", {**ruling, **REASON}), 403, "forbidden")

    game.result(0, 1)  # the one who has gone was not dealt in
    at = f"/v1/hands/{operator.read(game.table)['last_hand_id']}"
    refuse(gone, ruling="cancel")
    refuse(gone, ruling="penalty", penalties=[{"seat": seat, "penalty": "disqualification"}])
    refuse(gone, ruling="stands", penalties=[{"seat": seat, "penalty": "warning"}])
    refuse(new, ruling="replace", seat=seat, player_id=new)
    token = admin.made("/v1/tokens", {"role": "director", "player_id": gone})["token"]
    Api(app, token).made(f"{at}/rulings", {"ruling": "stands", **REASON})


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {"/ruling", "/reason"}),
        ({"ruling": "penalty", "reason": "x"}, {"/penalties"}),
        ({"ruling": "reinstate", "reason": "x"}, {"/seat", "/chips"}),
        ({"ruling": "adjust", "reason": "x"}, {"/points"}),
        ({"ruling": "void", "reason": "x", "points": {"1": 0}}, {"/points"}),
        ({"ruling": "liability", "reason": "x"}, {"/liable"}),
        ({"ruling": "adjust", "reason": "x", "points": {"1": 1}}, {"/points"}),
    ],
)
def test_what_is_wrong_with_a_ruling_is_told(app, operator, director_, body, pointers, asked):
    wrong = refused(director_.post(f"{asked.at}/rulings", body), 422, "validation")
    assert {error["pointer"] for error in wrong["errors"]} == pointers


@pytest.fixture(scope="module")
def asked(app, operator) -> Disputed:
    return Disputed(app, operator)


# rulings that do something to the tournament


def test_a_ruling_cancels_the_tournament_once_its_hand_is_final(
    app, operator, director_, another, services, beside
):
    game = Disputed(app, operator)
    cancel = {"ruling": "cancel", "reason": "the hall burns"}
    events = director_.post(f"{game.at}/rulings?dry_run=true", cancel).json["events"]
    assert [event["type"] for event in events] == ["hand.ruled"]
    director_.made(f"{game.at}/rulings", cancel)
    assert game.state() == "running", "an appeal is possible"
    game.seated()[0].made(f"{game.at}/appeals", REASON)
    dry = another.post(f"{game.at}/rulings?dry_run=true", cancel)
    assert "draw_seed" not in dry.text
    another.made(f"{game.at}/rulings", cancel)
    until(lambda: game.state() == "cancelled")
    until(lambda: all(t["state"] == "closed" for t in game.anybody.read(f"{game.path}/tables")["items"]))
    tournament = services.store.load(TOURNAMENT, TournamentId(UUID(game.id)))
    assert tournament.recorded[-1].event.reason == "the hall burns"
    nothing_is_wrong(services)


def test_a_running_hand_is_voided_and_its_tournament_cancelled_at_once(app, operator, director_, services):
    game = Disputed(app, operator, settled=False)
    director_.made(f"{game.at}/freeze", {"scope": "table", **REASON})
    kinds = [event["type"] for event in game.would(director_, "cancel").json["events"]]
    assert kinds == ["hand.ruled", "hand.voided", "table.hand_ended", "table.released"]
    director_.made(f"{game.at}/rulings", {"ruling": "cancel", **REASON})
    assert game.hand(game.hand_in_question)["state"] == "voided"
    until(lambda: game.state() == "cancelled")
    refused(director_.post(f"{game.path}/cancel"), 409, "tournament-over")
    nothing_is_wrong(services)


def test_a_cancellation_that_comes_too_late_is_recorded_as_not_done(
    app, operator, director_, services, beside
):
    game = Disputed(app, operator)
    director_.made(f"{game.at}/rulings", {"ruling": "cancel", **REASON})
    operator.made(f"{game.path}/cancel")
    with CLOCK.put_forward(seconds=WINDOW + 1):
        until(lambda: game.hand(game.hand_in_question)["state"] == "final")
    tournament = services.store.load(TOURNAMENT, TournamentId(UUID(game.id)))
    assert tournament.recorded[-1].event == RulingLapsed(
        hand_id=HandId(UUID(game.hand_in_question)), ruling="cancel"
    )
    nothing_is_wrong(services)


def test_a_tournament_that_is_over_is_not_cancelled_by_a_ruling(app, operator, director_):
    game = Disputed(app, operator)
    operator.made(f"{game.path}/cancel")
    refused(director_.post(f"{game.at}/rulings", {"ruling": "cancel", **REASON}), 409, "tournament-over")


class Broke(Club):
    """A freezeout with real cards, whose last hand has cost two of four everything, or nobody."""

    def __init__(self, operator: Api, *, busts: bool = True, **terms) -> None:
        terms = {
            "format": "freezeout",
            "stack_points": 50,
            "unit_levels": [1],
            "protest_seconds": WINDOW,
        } | terms
        super().__init__(operator, 4, **terms)
        [table] = self.tables()
        self.table = f"/v1/tables/{table['table_id']}"
        self.gone: dict[str, int] = {}
        before = self.sitting()
        if not busts:
            self.result(0, 1, 1, 1)
        while len(now := self.sitting()) > 2 and busts:
            before = now
            self.result(0, 1, 13, 13)
        self.gone = {player: seat for player, seat in before.items() if player not in now}
        hands = [hand["hand_id"] for hand in operator.read(f"{self.path}/hands")["items"]]
        self.at = f"/v1/hands/{max(hands, key=lambda h: operator.read(f'/v1/hands/{h}')['number'])}"

    def sitting(self) -> dict[str, int]:
        """Who sits where."""
        return {seat["player_id"]: seat["seat"] for seat in self.operator.read(self.table)["seats"]}

    def stacks(self) -> dict[str, int]:
        return {seat["player_id"]: seat["stack"] for seat in self.operator.read(self.table)["seats"]}

    def result(self, *left: int) -> None:
        numbers = [str(seat) for seat in self.sitting().values()]
        body = {"cards_left": dict(zip(numbers, left, strict=False)), "winner": int(numbers[0])}
        self.operator.made(f"{self.table}/results", body)

    def ruled_twice(self, first: Api, second: Api, **ruling) -> None:
        """So that the hand is final at once."""
        first.made(f"{self.at}/rulings", {**ruling, **REASON})
        first.made(f"{self.at}/appeals", REASON)
        second.made(f"{self.at}/rulings", {**ruling, **REASON})


@pytest.fixture(scope="module")
def bundle_is_right(services, tmp_path_factory):
    """Sees that a tournament's bundle is found right, by its own verifier and ours; and what it tells of a player."""
    data = tmp_path_factory.mktemp("data")
    keys.first(services.store.database, None, data)

    def check(game: Broke, player: str) -> str:
        until(
            lambda: {hand["state"] for hand in game.operator.read(f"{game.path}/hands")["items"]} == {"final"}
        )
        checkpoints.publish(services.store, None, data)
        file = data / "bundle.zip"
        file.write_bytes(bundling.of_tournament(services, TournamentId(UUID(game.id)), staff()))
        found = {named: (holds, what) for named, holds, what in verify.checks(str(file))}
        assert all(holds for holds, _ in found.values()), found
        assert found["places"][1].startswith("4 places follow")
        members, _ = verify.read_bundle(str(file))
        assert "places follow from the seed" in redrawn(members)
        return "\n".join(line.told for line in of_player(members, PlayerId(UUID(player))))

    return check


def test_who_is_out_is_back_with_the_chips_of_a_ruling(
    operator, director_, another, services, beside, bundle_is_right
):
    game = Broke(operator)
    player, seat = next(iter(game.gone.items()))
    made = {"ruling": "reinstate", "seat": seat, "chips": 30}
    game.ruled_twice(director_, another, **made)
    [_, ruled] = operator.read(game.at)["dispute"]["rulings"]
    assert {name: ruled[name] for name in made} == made
    assert game.state()["players_left"] == 3
    until(beside.rests)
    [row] = [row for row in game.standings() if row["player_id"] == player]
    assert (row["place"], row["chips"]) == (3, 30)
    [row] = [row for row in game.standings(as_played="true") if row["player_id"] == player]
    assert row["chips"] == 0
    [line] = operator.read(f"{game.path}/corrections")["items"]
    assert (line["player_id"], line["chips"]) == (player, 30)
    assert player not in game.sitting(), "with real cards he is seated with the next result"
    game.result(0, 1)
    assert game.stacks()[player] == 30
    entries = operator.read(f"/v1/ledger/entries?hand={game.at.removeprefix('/v1/hands/')}&kind=ruling")[
        "items"
    ]
    assert {entry["account"]: entry["amount"] for entry in entries} == {"issued": -30, f"player/{player}": 30}
    while game.state()["state"] == "running":
        game.result(0, 13, 13)
    placed = {row["player_id"]: row["place"] for row in game.standings()}
    assert placed[player] < placed[next(other for other in game.gone if other != player)]
    nothing_is_wrong(services)
    with CLOCK.put_forward(seconds=WINDOW + 1):
        told = bundle_is_right(game, player)
    assert "is back with 30 chips by the ruling" in told
    assert ", reinstated, by the draw reinstated/1" in told
    assert drawn.verify(Log(services.store), UUID(game.id)).wrong is None


def test_who_cannot_be_reinstated_is_told_by_its_member(app, operator, director_):
    game = Broke(operator)
    seat = next(iter(game.gone.values()))
    sitting = next(iter(game.sitting().values()))
    for seat_, chips, pointers in ((sitting, 10, {"/seat"}), (seat, 201, {"/chips"}), (seat, 0, {"/chips"})):
        body = {"ruling": "reinstate", "seat": seat_, "chips": chips, **REASON}
        wrong = refused(director_.post(f"{game.at}/rulings", body), 422, "validation")
        assert {error["pointer"] for error in wrong["errors"]} == pointers
    running = Disputed(app, operator, settled=False)
    body = {"ruling": "reinstate", "seat": 1, "chips": 10, **REASON}
    refused(director_.post(f"{running.at}/rulings", body), 409, "hand-not-settled")


def test_a_reinstatement_that_comes_too_late_is_recorded_as_not_done(
    operator, director_, another, services, beside
):
    game = Broke(operator)
    player, seat = next(iter(game.gone.items()))
    director_.made(f"{game.at}/rulings", {"ruling": "reinstate", "seat": seat, "chips": 30, **REASON})
    while game.state()["state"] == "running":
        game.result(0, 13)
    director_.made(f"{game.at}/appeals", REASON)
    again = {"ruling": "reinstate", "seat": seat, "chips": 30, **REASON}
    refused(another.post(f"{game.at}/rulings", again), 409, "tournament-over")
    with CLOCK.put_forward(seconds=WINDOW + 1):
        another.made(f"{game.at}/rulings", {"ruling": "stands", **REASON})
    assert player not in game.sitting()
    nothing_is_wrong(services)


def somebody_is_out(game: Disputed) -> bool:
    """Whether somebody goes out in the game and it goes on."""
    while game.state() == "running" and len(game.stacks()) == len(game.players):
        game.play_hand(game.hand_id())
        until(lambda: game._running() or game.state() == "finished")
    return game.state() == "running"


def test_who_is_reinstated_is_dealt_in_again_where_hands_are_dealt_here(
    app, operator, director_, another, services, beside
):
    game = next(filter(somebody_is_out, (Disputed(app, operator, stack_points=14) for _ in range(20))))
    player = min(game.players.keys() - game.stacks().keys())
    hands = [game.hand(hand["hand_id"]) for hand in operator.read(f"{game.path}/hands")["items"]]
    game.hand_in_question, seat = max(
        (hand["number"], hand["hand_id"], seat["seat"])
        for hand in hands
        for seat in hand["seats"]
        if seat["player_id"] == player
    )[1:]
    game.at = f"/v1/hands/{game.hand_in_question}"
    ruling = {"ruling": "reinstate", "seat": seat, "chips": 7, **REASON}
    director_.made(f"{game.at}/rulings", ruling)
    game.players[player].made(f"{game.at}/appeals", REASON)
    another.made(f"{game.at}/rulings", ruling)
    game.play_hand(game.hand_id())
    until(lambda: player in game.stacks() or game.state() == "finished")
    assert any(seat["player_id"] == player for seat in game.hand(game.hand_id())["seats"])
    until(beside.rests)
    nothing_is_wrong(services)


def newcomer(operator: Api) -> tuple[str, Api]:
    """A player who is in no tournament, and his token."""
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    return player, Api(operator.app, operator.made(f"/v1/players/{player}/tokens")["token"])


def test_another_player_takes_over_from_the_next_deal_on(app, operator, director_, another, services, beside):
    game = Disputed(app, operator)
    running = game.hand(game.hand_id())
    seat = running["turn"]["seat"]
    old, (new, token) = Game.player_at(running, seat), newcomer(operator)
    ruling = {"ruling": "replace", "seat": seat, "player_id": new, **REASON}
    director_.made(f"{game.at}/rulings", ruling)
    game.seated()[0].made(f"{game.at}/appeals", REASON)
    another.made(f"{game.at}/rulings", ruling)
    [_, told] = game.dispute()["rulings"]
    assert (told["seat"], told["player_id"]) == (seat, new)
    at, turn = f"/v1/hands/{running['hand_id']}", {"turn": running["turn"]["number"]}
    refused(token.post(f"{at}/passes", turn), 403, "forbidden")
    game.play_hand(running["hand_id"])
    stack = game.stacks().get(old) or game.stacks()[new]
    following = game.hand(game.hand_id())
    assert Game.player_at(following, seat) == new
    game.players[new], gone = token, game.players.pop(old)
    turn = {"turn": following["turn"]["number"]}
    refused(gone.post(f"/v1/hands/{following['hand_id']}/passes", turn), 403, "forbidden")
    until(beside.rests)
    rows = {row["player_id"]: row["chips"] for row in game.standings()}
    assert rows[new] == stack
    assert old not in rows
    entries = operator.read(f"/v1/ledger/entries?hand={game.hand_in_question}&kind=ruling")["items"]
    assert {e["account"]: e["amount"] for e in entries} == {f"player/{old}": -stack, f"player/{new}": stack}
    game.play_hand(following["hand_id"])
    refused(operator.post(f"{game.path}/entries", {"player_id": new}), 409, "registration-closed")
    nothing_is_wrong(services)


class Rich(Broke, Casino):
    """The same for money."""


def replace_one(game: Broke, first: Api, second: Api, new: str) -> str:
    """The first of those who are left is replaced."""
    old, seat = next(iter(game.sitting().items()))
    game.ruled_twice(first, second, ruling="replace", seat=seat, player_id=new)
    game.result(0, 1, 1, 1)
    assert (old in game.sitting(), new in game.sitting()) == (False, True)
    return old


def test_who_has_taken_over_is_paid_the_prize(operator, director_, another, services, bundle_is_right):
    game = Rich(operator)
    new, _ = newcomer(operator)
    old = replace_one(game, director_, another, new)
    while game.state()["state"] == "running":
        game.result(0, 13)
    assert game.standings()[0]["player_id"] == new
    with CLOCK.put_forward(seconds=WINDOW + 1):
        game.paid()
        assert f"{new} takes over from {old}, with " in bundle_is_right(game, new)
    prizes = {prize["player_id"]: prize["amount"] for prize in operator.read(f"{game.path}/prizes")["items"]}
    assert game.purse(new) == (prizes[new], 0)
    assert game.purse(old) == (0, 0)
    nothing_is_wrong(services)
    assert drawn.verify(Log(services.store), UUID(game.id)).wrong is None


def test_a_refund_goes_to_who_paid(operator, director_, another, services, beside):
    game = Rich(operator, busts=False)
    new, _ = newcomer(operator)
    old = replace_one(game, director_, another, new)
    operator.made(f"{game.path}/cancel")
    game.paid()
    assert game.purse(old) == (1100, 0)
    assert game.purse(new) == (0, 0)
    nothing_is_wrong(services)


def test_who_cannot_take_over_is_told_by_its_member(app, operator, director_):
    game = Broke(operator)
    [seat, _] = game.sitting().values()
    [out, *_], [there, *_] = game.gone.items(), game.sitting()
    new, _ = newcomer(operator)
    for seat_, player, pointers in (
        (seat, str(uuid4()), {"/player_id"}),
        (seat, there, {"/player_id"}),
        (out[1], new, {"/seat"}),
    ):
        body = {"ruling": "replace", "seat": seat_, "player_id": player, **REASON}
        wrong = refused(director_.post(f"{game.at}/rulings", body), 422, "validation")
        assert {error["pointer"] for error in wrong["errors"]} == pointers
