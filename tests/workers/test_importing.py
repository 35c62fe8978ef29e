"""What an import sends, that it can be cut off and repeated, and what it says of a service that has something else."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from domain.sheet_totals import sheet_switches
from services.bootstrap import presets
from tests.workers.club import FakeService
from tests.workers.service import serving
from tests.workers.test_season import SHEET, leagues
from workers.client import Client, Refused
from workers.importing import ImportFailedError, import_leagues

ONE = SHEET.replace("F=11\n", "").replace("F=10\n", "")


@contextmanager
def client(fake: FakeService):
    with serving(fake) as service:
        yield Client(service.url, "token")


def bring(fake: FakeService, text: str = ONE, *, finish: bool = True, name: str = "Club") -> tuple[str, int]:
    """Import the sheet's only league; its id, and how many hands were told to be done."""
    done: list[None] = []
    with client(fake) as c:
        [league] = import_leagues(
            c, leagues(text, name), finish=finish, done=lambda: done.append(None), warn=fake.warnings.append
        )
        return league, len(done)


def test_a_league_is_made_of_the_sheet():
    fake = FakeService()
    assert bring(fake) == ("l0", 3)
    [league] = fake.leagues.values()
    assert (league["name"], league["format"], league["recorded"]) == ("Club", "league", True)
    assert league["rules"] == "actionpoker-sheet-f10@1"
    assert league["entries"] == [fake.players[name] for name in ("Ann", "Bob", "鋤大弟")]
    assert league["state"] == [True, True]  # started, finished
    assert not any(table["open"] for table in fake.tables.values())


def test_a_season_that_goes_on_is_not_finished():
    fake = FakeService()
    bring(fake, finish=False)
    assert fake.leagues["l0"]["state"] == [True]


def test_a_result_is_what_the_sheet_has():
    fake = FakeService()
    bring(fake, "2013-03-19\nAnn Bob Cat\n3 0 4\n0 10 2t\nCat Ann\n0 1")
    assert fake.results == [
        ("t0", told({"1": 3, "2": 0, "3": 4}, 2, None, 1)),
        ("t0", told({"1": 0, "2": 10, "3": 2}, 1, 3, 2)),
        ("t1", told({"1": 0, "2": 1}, 1, None, 1)),
    ]


def told(cards_left, winner, liable, number):
    played_at = "2013-03-19T00:00:00Z"
    return {
        "cards_left": cards_left,
        "winner": winner,
        "liable": liable,
        "played_at": played_at,
        "number": number,
    }


def test_what_was_cut_off_goes_on_and_doubles_nothing():
    fake = FakeService(most=2)
    with pytest.raises(Refused, match="table-paused"):
        bring(fake)
    assert len(fake.results) == 2
    fake.most = 100
    assert bring(fake) == ("l0", 3)
    assert (len(fake.results), len(fake.leagues), len(fake.tables), len(fake.rules)) == (3, 1, 2, 1)


def test_what_is_repeated_makes_nothing_twice():
    fake = FakeService()
    assert bring(fake, finish=False) == bring(fake) == bring(fake)
    assert (len(fake.results), len(fake.leagues), fake.leagues["l0"]["state"]) == (3, 1, [True, True])


def test_players_and_rules_that_are_there_are_used():
    fake = FakeService()
    bring(fake)
    bring(fake, "2014-01-01\nAnn Dan\n0 1", name="Next year")
    assert list(fake.players) == ["Ann", "Bob", "鋤大弟", "Dan"]
    assert [league["rules"] for league in fake.leagues.values()] == ["actionpoker-sheet-f10@1"] * 2


def test_rules_that_somebody_published_under_that_name_are_followed_by_a_version():
    fake = FakeService()
    with client(fake) as c:
        c.post("/v1/rulesets", {"name": "actionpoker-sheet-f10", "rules": {"base": "high-low"}})
    bring(fake)
    assert fake.leagues["l0"]["rules"] == "actionpoker-sheet-f10@2"


def test_what_was_cut_off_goes_on_under_its_rules_whatever_was_published_meanwhile():
    fake = FakeService(most=2)
    with pytest.raises(Refused, match="table-paused"):
        bring(fake)
    with client(fake) as c:
        for base in ("high-low", "taiwan"):
            c.post("/v1/rulesets", {"name": "actionpoker-sheet-f10", "rules": {"base": base}})
    fake.most = 100
    assert bring(fake) == ("l0", 3)
    assert fake.leagues["l0"]["rules"] == "actionpoker-sheet-f10@1"
    assert len(fake.rules["actionpoker-sheet-f10"]) == 3


def test_of_versions_that_say_the_same_the_oldest_is_used():
    fake = FakeService()
    rules = {"base": "actionpoker", **sheet_switches(10)}
    with client(fake) as c:
        for each in ({"base": "high-low"}, rules, {"base": "taiwan"}, rules):
            c.post("/v1/rulesets", {"name": "actionpoker-sheet-f10", "rules": each})
    bring(fake)
    assert fake.leagues["l0"]["rules"] == "actionpoker-sheet-f10@2"


def test_a_name_that_looks_like_one_that_is_taken_is_told():
    fake = FakeService()
    bring(fake)
    two = leagues("2014-01-01\nDan ANN\n0 1\nF=11\nB0b Eve\n0 1")
    with client(fake) as c, pytest.raises(ImportFailedError) as failed:
        import_leagues(c, two, finish=True, done=lambda: None, warn=fake.warnings.append)
    assert str(failed.value).splitlines() == [
        "the player ANN: the service has Ann, whose name looks like that; write it as it stands there",
        "the player B0b: the service has Bob, whose name looks like that; write it as it stands there",
        "nothing was imported",
    ]
    assert (len(fake.leagues), len(fake.players), len(fake.rules)) == (1, 3, 1)


def test_a_name_that_is_taken_meanwhile_is_that_player_s():
    fake = FakeService()
    fake.meanwhile = {"Bob"}
    assert bring(fake) == ("l0", 3)
    assert sorted(fake.players) == ["Ann", "Bob", "鋤大弟"]


def test_a_name_that_looks_like_one_taken_meanwhile_is_told():
    fake = FakeService()
    fake.meanwhile = {"BOB"}
    with pytest.raises(ImportFailedError, match="the player Bob: the service has one whose name looks like"):
        bring(fake)


def test_another_league_of_that_name_is_told_and_the_same_one_is_not():
    fake = FakeService()
    bring(fake, finish=False)
    bring(fake)
    bring(fake, name="Other")
    assert fake.warnings == []
    bring(fake, f"{ONE}0 1\n")
    assert fake.warnings == [
        "Club is the name of another league already, l0; this sheet is not that one's, or was changed since, and makes "
        "a league of its own, l2"
    ]


def test_standings_that_are_not_the_sheets_are_told():
    fake = FakeService()
    bring(fake, finish=False)
    fake.results.append(("t1", told({"1": 0, "2": 3}, 1, None, 2)))
    fake.leagues["l0"]["entries"].append("p9")
    fake.players["Eve"] = "p9"
    with pytest.raises(ImportFailedError) as failed:
        bring(fake)
    assert str(failed.value) == (
        "Club is stored, but Ann has 4 hands, 2 won, 34 points there, and 3 hands, 1 won, 31 points on the sheet; "
        "Bob has 4 hands, 2 won, -15 points there, and 3 hands, 2 won, -12 points on the sheet; "
        "Eve has 0 hands, 0 won, 0 points there, and no hands on the sheet"
    )


@pytest.mark.parametrize("path", ["/v1/rulesets/", "/v1/players"])
def test_what_the_service_refuses_is_told_as_it_says_it(path):
    fake = FakeService()

    def answer(request):
        if request.path.startswith(path) and "?" not in request.path:
            return 403, {"type": "/problems/forbidden", "detail": "Only an operator may do it."}
        return fake(request)

    with serving(answer) as service, pytest.raises(Refused, match="Only an operator"):
        import_leagues(Client(service.url, "token"), leagues(ONE), finish=True, done=lambda: None, warn=print)


def test_every_preset_can_lie_below_a_sheet():
    for base in presets():
        fake = FakeService()
        with client(fake) as c:
            found = import_leagues(
                c, leagues(ONE, base=base), finish=True, done=lambda: None, warn=fake.warnings.append
            )
        assert (found, fake.warnings) == (["l0"], [])
