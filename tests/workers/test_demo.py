"""The demo: what it proves, and that it tells whatever is wrong; a whole small one, in processes, ends `verified`."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from domain.topics import TOPICS
from services.audit import verify_log
from services.errors import Unavailable
from services.projections.rebuild import replace
from services.store import Store
from tests.services.projections.house import House
from tests.workers.process import PATIENCE_SECONDS, big2
from tests.workers.service import serving
from workers import demo, own_service, proving, stage
from workers.demo import Wanted
from workers.showing import Show, Summary, summary_lines
from workers.stage import DemoFailed, Kept

ROOT = Path(__file__).parents[2]
GOOD = Summary(
    entrants=6,
    tables=3,
    hands=11,
    plays=200,
    events=900,
    moves=2,
    seconds=9.5,
    winner="House 003",
    chips_issued=180,
    chips_end=180,
    problems=(),
)


RENAMED = (
    "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '{}', '{}'), 'utf8')"
    " WHERE topic = 'tournament.published.1'"
)


def changed(**members) -> Summary:
    return Summary(**{name: getattr(GOOD, name) for name in Summary.__struct_fields__} | members)


def quiet() -> Show:
    return Show(Console(file=io.StringIO()))


# the summary


def test_a_summary_tells_every_fact_and_its_verdict_last():
    lines = summary_lines(GOOD)
    assert lines[-1] == "verified"
    told = dict(re.split(r"\s{2,}", line.strip()) for line in lines[:-1])
    assert told == {
        "entrants": "6",
        "tables": "3",
        "hands": "11",
        "plays": "200",
        "events": "900",
        "moves": "2",
        "seconds": "9.5",
        "winner": "House 003",
        "chips issued": "180",
        "chips at the end": "180",
    }


@pytest.mark.parametrize("wrong", [{"chips_end": 179}, {"problems": ("hand x: {'verdict': 'incomplete'}",)}])
def test_whatever_is_wrong_is_told_and_not_verified(wrong):
    summary = changed(**wrong)
    assert not summary.verified
    lines = summary_lines(summary)
    assert lines[-1] == "NOT VERIFIED"
    assert all(problem in lines for problem in summary.problems)


# the proof


class Api:
    """The service's answers, as the proof asks for them."""

    def __init__(self, house: House, t, histories=None) -> None:
        self.house, self.t, self.histories = house, t, histories or {}

    def get(self, path):
        if path.endswith("/history"):
            return self.histories[path.split("/")[3]]
        tournament = self.house.tournament(self.t)
        structure = tournament.structure
        return {
            "entrants": tournament.entrant_count,
            "stack_points": structure.stack_points,
            "unit": structure.unit,
        }

    def pages(self, path):
        if path.endswith("/standings"):
            query = "SELECT DISTINCT ON (player_id) * FROM projections.standings ORDER BY player_id, position DESC"
            return iter([{**row, "name": str(row["player_id"])} for row in self.house.rows(query)])
        if path.endswith("/hands"):
            return iter([{"hand_id": hand} for hand in self.histories])
        return iter(self.house.rows("SELECT * FROM projections.tables"))


@pytest.fixture(scope="module")
def played(database_url):
    house = House(database_url)
    t = house.started(4, stack_points=2)
    house.play_on(t)
    yield house, t
    house.close()


@pytest.fixture
def proved(played, database_url, monkeypatch):
    monkeypatch.setattr(proving.bootstrap, "store_in", lambda *_: Store(database_url, TOPICS))
    monkeypatch.setattr(proving, "READY_SECONDS", 0.2)
    house, t = played
    return lambda histories=None: demo._proved(Api(house, t, histories), str(t), Path(), quiet(), 1.0)


def test_a_tournament_that_is_whole_is_verified(played, proved):
    house, t = played
    summary = proved()
    assert summary.verified
    assert summary.chips_issued == summary.chips_end == 8
    assert summary.events == len(house.log()) == verify_log(house.store).events
    winner = next(s.player_id for s in house.tournament(t).standings if s.place == 1)
    assert summary.winner == str(winner)


def test_a_history_that_the_rules_do_not_accept_is_told(proved, monkeypatch):
    monkeypatch.setattr(proving, "deal_problem", lambda _history: None)
    good = json.loads((ROOT / "tests/big2/cases/hands.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert proved({"good": good}).verified
    summary = proved({"good": good, "bad": {**good, "unit": 7}})
    assert not summary.verified
    assert summary.problems[0].startswith("hand bad: {'verdict': 'wrong_settlement'")


def test_a_deal_that_its_seed_does_not_make_is_told(proved, monkeypatch):
    monkeypatch.setattr(proving, "deal_problem", lambda _history: "the seed deals other cards")
    good = json.loads((ROOT / "tests/big2/cases/hands.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert proved({"good": good}).problems == ("hand good: the seed deals other cards",)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE ledger_lines SET amount = amount + 1 WHERE line = 1 AND kind = 'issued'",
            "sums to 1, not 0",
        ),
        ("UPDATE leaderboard SET points = points + 1 WHERE best_place = 1", "leaderboard differs"),
        ("UPDATE standings SET chips = chips - 1 WHERE place = 1", "standings differs"),
        ("UPDATE standings SET place = 1 WHERE place > 1", "4 players have the first place"),
    ],
)
def test_a_projection_that_is_wrong_is_told_and_not_verified(played, proved, statement, told):
    house, _ = played
    with house.store.database.connection() as conn:
        conn.execute(statement.replace("UPDATE ", "UPDATE projections."))
    summary = proved()
    replace(house.store)
    assert not summary.verified
    assert any(told in problem for problem in summary.problems)
    assert proved().verified


def test_a_log_that_was_tampered_with_is_told_and_not_verified(played, proved):
    house, _ = played
    with house.store.database.connection() as conn:
        conn.execute(RENAMED.format("Friday", "Fridax"))
    summary = proved()
    with house.store.database.connection() as conn:
        conn.execute(RENAMED.format("Fridax", "Friday"))
    assert not summary.verified
    assert "does not follow version" in summary.problems[0]
    assert proved().verified


def test_the_proof_begins_again_when_the_database_goes_away():
    answers = [Unavailable("gone"), "proved"]

    def prove():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert proving.until_available(prove) == "proved"


def test_at_last_it_gives_up(monkeypatch):
    monkeypatch.setattr(proving, "READY_SECONDS", 0.0)

    def prove():
        raise Unavailable("gone")

    with pytest.raises(Unavailable):
        proving.until_available(prove)


# playing it


class Watched:
    def __init__(self, *states):
        self.states = list(states)

    def get(self, path):
        if "standings" in path:
            return {"items": [{"place": 1, "name": "Ann", "chips": 60, "hands": 3, "hands_won": 2}]}
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {
            "name": "Demo",
            "state": state,
            "players_left": 2,
            "entrants": 4,
            "level": 1,
            "current_unit": 1,
        }


def test_it_is_watched_until_it_is_finished(monkeypatch):
    monkeypatch.setattr(demo, "REFRESH_SECONDS", 0.0)
    watched = Watched("running", "running", "finished")
    demo._watch(watched, "t", Wanted(4, "actionpoker", "freezeout", 0), quiet(), Kept())
    assert watched.states == ["finished"]


@pytest.mark.parametrize("state", ["running", "paused"])
def test_one_that_does_not_end_fails(monkeypatch, state):
    monkeypatch.setattr(demo, "REFRESH_SECONDS", 0.0)
    with pytest.raises(DemoFailed, match=f"still {state} after 0"):
        demo._watch(
            Watched(state), "t", Wanted(4, "actionpoker", "freezeout", 0, minutes=0.0), quiet(), Kept()
        )


def test_one_whose_bots_were_given_up_fails(monkeypatch):
    monkeypatch.setattr(demo, "REFRESH_SECONDS", 0.0)
    gone = Kept()
    gone.failure = "bots ended 21 times, the last time with signal 9"
    with pytest.raises(DemoFailed, match="bots ended 21 times"):
        demo._watch(Watched("running"), "t", Wanted(4, "actionpoker", "freezeout", 0), quiet(), gone)


@pytest.fixture
def log(tmp_path):
    with (tmp_path / "demo.log").open("a+b") as log:
        yield log


def test_a_service_that_is_never_ready_fails(monkeypatch, tmp_path, log):
    monkeypatch.setattr(own_service, "READY_SECONDS", 0.0)
    with pytest.raises(DemoFailed, match="not ready after 0 s: it said nothing"):
        stage._admin_token(tmp_path, "http://127.0.0.1:1", Kept(), log)


def test_a_service_without_its_token_fails(tmp_path, log):
    with serving(lambda _: (200, {})) as service, pytest.raises(DemoFailed, match="admin-token is gone"):
        stage._admin_token(tmp_path, service.url, Kept(), log)


def test_what_fails_is_started_again_so_often_and_then_given_up(monkeypatch, log):
    monkeypatch.setattr(stage, "MOST_RESTARTS", 2)
    monkeypatch.setattr(stage, "RESTART_SECONDS", 0.01)
    out = io.StringIO()
    with stage._kept_alive("bots", ["no-such-command"], log, Show(Console(file=out, width=200))) as kept:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while kept.failure is None:
            assert time.monotonic() < give_up, out.getvalue()
            time.sleep(0.05)
    said = "status 2: Error: No such command 'no-such-command'."
    assert out.getvalue().splitlines() == [f"bots ended ({said}): starting it again"] * 2
    assert kept.failure == f"bots ended 3 times, the last time with {said}"
    with pytest.raises(DemoFailed, match="No such command"):
        kept.must_live()


def test_what_ended_a_process_is_told_by_its_signal_or_its_last_words(log):
    assert stage._reason(-9, log) == "signal 9"
    assert stage._reason(1, log) == "status 1: it said nothing"
    log.write(b"big2: stopping\n" * 10_000 + b"Error: no space is left\n\n")
    log.flush()
    assert stage._reason(1, log) == "status 1: Error: no space is left"


# what is shown


def test_on_a_terminal_there_is_a_live_table_and_nothing_of_it_stays():
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, height=30)
    with Show(console) as show:
        show.entering(1, 4)
        demo._watch(Watched("finished"), "t", Wanted(4, "actionpoker", "freezeout", 0), show, Kept())
        show._live.refresh()
        show.progress("hands")(1, 2)
        show.say("a line that stays")
    assert "a line that stays" in out.getvalue()
    assert "Ann" in out.getvalue()


def test_elsewhere_there_are_plain_lines_now_and_then(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr("workers.showing.PLAIN_SECONDS", 1000.0)
    with Show(Console(file=out, width=100)) as show:
        show._told = time.monotonic()
        for done in range(1, 5):
            show.entering(done, 4)
        for done in range(1, 4):
            show.progress("chain")(done, 3)
        demo._watch(Watched("finished"), "t", Wanted(4, "actionpoker", "freezeout", 0), show, Kept())
        show._told = 0.0
        monkeypatch.setattr("workers.showing.PLAIN_SECONDS", 0.0)
        demo._watch(Watched("finished"), "t", Wanted(4, "actionpoker", "freezeout", 0), show, Kept())
    assert out.getvalue().splitlines() == [
        "entered 4 of 4",
        "verifying chain: 3 of 3",
        "Demo: finished, 2 of 4 left, level 1 (unit 1); leads Ann with 60",
    ]


# a whole one


def test_a_small_demo_ends_verified_and_leaves_nothing():
    with big2(
        "demo", "--entrants", "6", "--format", "freezeout", "--rules", "high-low", "--seed", "3"
    ) as run:
        assert run.ended() == 0, run.said
    lines = run.said.splitlines()
    assert lines[-1] == "verified"
    facts = dict(re.split(r"\s{2,}", line.strip()) for line in lines[-11:-1])
    assert facts["entrants"] == "6"
    assert facts["chips issued"] == facts["chips at the end"] == "180"
    assert facts["winner"].startswith("House 0")
    assert int(facts["hands"]) > 0
    assert int(facts["events"]) > int(facts["plays"]) > 0
    assert run.left() == []
    folder = re.search(r"data in (\S+)", run.said)[1]
    assert not Path(folder).exists()
