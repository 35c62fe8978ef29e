"""Brings a league of recorded hands into the service, over HTTP like any operator, and checks what it made of them.

Every request carries a key that follows from the sheet. So an import that was cut off goes on when it is repeated, and
one that is repeated makes nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from big2.rulesets import ruleset_to_mapping
from domain.scoresheet import SheetHand
from domain.sheet_totals import sheet_switches
from services.people import skeleton
from workers.client import Client, Refused
from workers.season import SheetLeague


class ImportFailedError(Exception):
    """The service has something else than the sheet; the message says what."""


def import_leagues(
    client: Client,
    leagues: Sequence[SheetLeague],
    *,
    finish: bool,
    done: Callable[[], object],
    warn: Callable[[str], object],
) -> list[str]:
    """Make the leagues, their players, tables and hands, and answer their ids; `done` is called after each hand.

    `warn` is told of other leagues with the same name. Raises Refused when the service says no, ImportFailedError
    when it has a player whose name could be taken for one of the sheet's, and then nothing is stored, or when the
    standings are not what the sheet comes to.
    """
    _check_names(leagues, _known_players(client))
    return [_Import(client, league, warn).run(finish=finish, done=done) for league in leagues]


def _known_players(client: Client) -> dict[str, str]:
    """The service's players: their ids by name."""
    return {player["name"]: player["player_id"] for player in client.pages("/v1/players")}


def _check_names(leagues: Sequence[SheetLeague], known: Mapping[str, str]) -> None:
    """All names at once, before anything is sent: each is a player's, or could be taken for nobody's."""
    looks = {skeleton(name): name for name in known}
    names = dict.fromkeys(name for league in leagues for name in league.players if name not in known)
    wrong = [_look_alike(name, looks[skeleton(name)]) for name in names if skeleton(name) in looks]
    if wrong:
        raise ImportFailedError("\n".join([*wrong, "nothing was imported"]))


def _look_alike(name: str, there: str | None = None) -> str:
    one = f"{there}, whose name" if there else "one whose name"
    return f"the player {name}: the service has {one} looks like that; write it as it stands there"


class _Import:
    def __init__(self, client: Client, league: SheetLeague, warn: Callable[[str], object]) -> None:
        self._client = client
        self._league = league
        self._digest = league.digest
        self._warn = warn

    def run(self, *, finish: bool, done: Callable[[], object]) -> str:
        players = self._players()
        namesakes = self._namesakes()
        terms = {"name": self._league.name, "format": "league", "recorded": True, "rules": self._rules()}
        tournament = str(self._post("/v1/tournaments", "league", terms)["tournament_id"])
        self._tell_of(namesakes, tournament)
        path = f"/v1/tournaments/{tournament}"
        for player in players.values():
            self._post(f"{path}/entries", f"entry-{player}", {"player_id": player})
        self._post(f"{path}/start", "start")
        for number, hands in enumerate(self._league.tables, 1):
            self._table(number, hands, tournament, players, done)
        if finish:
            self._post(f"{path}/finish", "finish")
        self._check(list(self._client.pages(f"{path}/standings")))
        return tournament

    def _post(self, path: str, what: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        return self._client.post(path, body, key=f"import-{self._digest}-{what}")

    def _rules(self) -> str:
        """The oldest published version that says the same, or a new one; so a repeat finds it again."""
        name = f"{self._league.base}-sheet-f{self._league.fry_cards}"
        wanted = ruleset_to_mapping(self._league.rules)
        for version in self._versions(name):
            if version["rules"] == wanted:
                return str(version["reference"])
        rules = {"base": self._league.base, **sheet_switches(self._league.fry_cards)}
        return str(self._client.post("/v1/rulesets", {"name": name, "rules": rules})["reference"])

    def _versions(self, name: str) -> Iterator[dict[str, Any]]:
        """The published versions of a name, oldest first."""
        newest = self._found(f"/v1/rulesets/{name}")
        for number in range(1, newest["version"] if newest else 1):
            yield self._client.get(f"/v1/rulesets/{name}@{number}")
        if newest:
            yield newest

    def _found(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self._client.get(path)
        except Refused as refused:
            if refused.status != HTTPStatus.NOT_FOUND:
                raise
            return None
        return found

    def _namesakes(self) -> list[str]:
        """The leagues that have this one's name already."""
        leagues = (each for each in self._client.pages("/v1/tournaments") if each["format"] == "league")
        return [each["tournament_id"] for each in leagues if each["name"] == self._league.name]

    def _tell_of(self, namesakes: Sequence[str], tournament: str) -> None:
        others = [each for each in namesakes if each != tournament]
        if others:
            self._warn(
                f"{self._league.name} is the name of another league already, {', '.join(others)}; this sheet is not "
                f"that one's, or was changed since, and makes a league of its own, {tournament}"
            )

    def _players(self) -> dict[str, str]:
        """The players' ids by name: those that the service has, and those that are new to it."""
        known = _known_players(self._client)
        return {name: known.get(name) or self._enrolled(name) for name in self._league.players}

    def _enrolled(self, name: str) -> str:
        try:
            return str(self._client.post("/v1/players", {"name": name})["player_id"])
        except Refused as refused:
            if refused.code != "name-taken":
                raise
            return self._enrolled_meanwhile(name, refused)

    def _enrolled_meanwhile(self, name: str, refused: Refused) -> str:
        """The player whom somebody else, such as another import, has just enrolled under that very name."""
        player = _known_players(self._client).get(name)
        if player is None:
            raise ImportFailedError(_look_alike(name)) from refused
        return player

    def _table(
        self,
        number: int,
        hands: list[SheetHand],
        tournament: str,
        players: dict[str, str],
        done: Callable[[], object],
    ) -> None:
        seats = [{"seat": s, "player_id": players[name]} for s, name in enumerate(hands[0].players, 1)]
        wanted = {"tournament_id": tournament, "seats": seats}
        path = f"/v1/tables/{self._post('/v1/tables', f'table-{number}', wanted)['table_id']}"
        for place, hand in enumerate(hands, 1):
            self._post(f"{path}/results", f"result-{number}-{place}", _result(hand, place))
            done()
        self._post(f"{path}/close", f"close-{number}")

    def _check(self, standings: list[dict[str, Any]]) -> None:
        """To the unit: who played how many hands, won how many, and has how many points."""
        served = {row["name"]: (row["hands"], row["hands_won"], row["points"]) for row in standings}
        counted = {t.name: (t.game_count, t.win_count, t.net_score) for t in self._league.totals()[:-1]}
        differences = list(_differences(served, counted))
        if differences:
            raise ImportFailedError(f"{self._league.name} is stored, but {'; '.join(differences)}")


Row = tuple[int, int, int]


def _differences(served: dict[str, Row], counted: dict[str, Row]) -> Iterator[str]:
    for name in sorted(served.keys() | counted.keys()):
        if served.get(name) != counted.get(name):
            yield f"{name} has {_told(served.get(name))} there, and {_told(counted.get(name))} on the sheet"


def _told(row: Row | None) -> str:
    return "no hands" if row is None else f"{row[0]} hands, {row[1]} won, {row[2]} points"


def _result(hand: SheetHand, number: int) -> dict[str, Any]:
    return {
        "cards_left": {str(seat): left for seat, left in enumerate(hand.cards_left, 1)},
        "winner": hand.winner,
        "liable": hand.liable,
        "played_at": f"{hand.played_on.isoformat()}T00:00:00Z",
        "number": number,
    }
