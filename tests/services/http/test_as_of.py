"""A tournament's lists as of a log position are what they were when that was the newest one."""

from __future__ import annotations

import pytest

from tests.services.http.playing import Game, until
from tests.services.http.test_looking_back import every

LISTS = ("entries", "standings", "tables", "prizes")
MONEY = {"amount": 1000, "fee": 100, "currency": "EUR"}


class Moments:
    """What the lists of a game answered at some positions."""

    def __init__(self, game: Game, services) -> None:
        self.game = game
        self._services = services
        self.seen: dict[int, dict[str, list]] = {}

    def look(self) -> None:
        """Read them all at one position: nothing is appended meanwhile."""
        until(self._at_one)

    def _at_one(self) -> bool:
        position = self._services.store.head()
        seen = {what: self.game.anybody.read(f"{self.game.path}/{what}")["items"] for what in LISTS}
        if self._services.store.head() != position:
            return False
        self.seen[position] = seen
        return True


@pytest.fixture(scope="module")
def moments(app, operator, services) -> Moments:
    terms = {
        "format": "freezeout",
        "capacity": 20,
        "seats_per_table": 3,
        "stack_points": 10,
        "hands_per_level": 1,
    }
    game = Game(app, operator, entrants=0, buy_in=MONEY, unit_levels=[1, 5, 20, 60], **terms)
    found = Moments(game, services)
    found.look()
    for _ in range(5):
        player = operator.made("/v1/players", {"name": f"Lee {len(game.players)} {game.id[:8]}"})["player_id"]
        deposit = {"amount": 2200, "currency": "EUR", "reference": f"{game.id}/{player}"}
        operator.made(f"/v1/wallets/{player}/deposits", deposit)
        operator.made(f"{game.path}/entries", {"player_id": player})
        token = operator.made(f"/v1/players/{player}/tokens")["token"]
        game.players[player] = type(operator)(app, token)
    first = next(iter(game.players))
    found.look()
    operator.delete(f"{game.path}/entries/{first}")
    found.look()
    operator.made(f"{game.path}/entries", {"player_id": first})
    operator.made(f"{game.path}/start")
    game.hand_id()
    found.look()
    while (hand_id := until(lambda: game._running() or (game.state() == "finished" and "over"))) != "over":
        game.play_hand(hand_id)
        found.look()
    found.look()
    return found


@pytest.mark.parametrize("what", LISTS)
def test_a_list_is_what_it_was_at_that_position(what, moments):
    path = f"{moments.game.path}/{what}"
    assert len(moments.seen) > 6
    for position, seen in moments.seen.items():
        then = moments.game.anybody.read(f"{path}?as_of={position}")
        assert then["items"] == seen[what]
        assert then["as_of"] <= position
    assert len({str(seen[what]) for seen in moments.seen.values()}) > 2


@pytest.mark.parametrize("what", LISTS)
def test_its_pages_stay_on_that_position(what, moments):
    path = f"{moments.game.path}/{what}"
    for position, seen in list(moments.seen.items())[3:5]:
        page = moments.game.anybody.read(f"{path}?as_of={position}&limit=1")
        rest = every(moments.game.anybody, path, limit=1, cursor=page["next"]) if page["next"] else []
        assert page["items"] + rest == seen[what]


@pytest.mark.parametrize("what", LISTS)
def test_before_it_was_published_there_is_nothing_and_what_lies_ahead_is_refused(what, moments):
    path = f"{moments.game.path}/{what}"
    assert moments.game.anybody.read(f"{path}?as_of=0")["items"] == []
    assert moments.game.anybody.get(f"{path}?as_of={2**62}").status_code == 422
    missing = "/v1/tournaments/00000000-0000-5000-8000-000000000000"
    assert moments.game.anybody.get(f"{missing}/{what}?as_of=0").status_code == 404
    assert moments.game.anybody.get(f"{path}?as_of=0&cursor=none").status_code == 422


def test_a_position_within_the_append_that_opens_a_table_shows_none_that_is_half_there(moments, auditor):
    events = every(auditor, "/v1/audit/events", tournament=moments.game.id, type="tournament.tables_drawn")
    then = moments.game.anybody.read(f"{moments.game.path}/tables?as_of={events[0]['position']}")
    assert then["items"] == []
