"""While a hand runs no route shows a card that is not on the table, nor what would tell of one, to any role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

import pytest

from big2.cards import mask_text
from domain.hand import HAND
from domain.hand_events import Committed
from tests.services.http.driving import Api
from tests.services.http.playing import Game

CARD = re.compile(r"(?<![\w])([3-9TJQKA2][DCHS])(?![\w])")
TOKEN = re.compile("b2_[0-9a-f]{8}-")
OPENING = re.compile('"opening_card":"[3-9TJQKA2][DCHS]"')
"""A rule set's own words: whose lead it is, whatever is dealt."""
TELLING = ("breach", "prev", '"seed"', "stub", 'digest":"', "secret", "master")


class Table:
    """A running hand, some turns in, and everything that must not be seen of it."""

    def __init__(self, game: Game, services) -> None:
        self.game = game
        self.hand_id = game.hand_id()
        for _ in range(5):
            game.act(self.hand_id)
        stream = services.store.load(HAND, self.hand_id_uuid())
        self.seed = next(r.event.seed.hex() for r in stream.recorded if isinstance(r.event, Committed))
        hand = stream.state
        self.held = {str(s.player_id): self._cards(hand.game.holdings[s.seat]) for s in hand.terms.seats}

    def hand_id_uuid(self):
        return UUID(self.hand_id)

    @staticmethod
    def _cards(mask: int) -> set[str]:
        return set(mask_text(mask).split())

    def hidden_from(self, player: str | None) -> set[str]:
        """Every card in a holding but the reader's own."""
        return set().union(*(cards for owner, cards in self.held.items() if owner != player))

    def paths(self) -> list[str]:
        """Every GET there is, about this hand or not."""
        t, h = self.game.path, f"/v1/hands/{self.hand_id}"
        hand = self.game.hand(self.hand_id)
        lists = [f"{t}/{what}" for what in ("entries", "standings", "tables", "prizes", "hands")]
        tables = [path + "?format=csv" for path in lists if "tables" not in path]
        others = [
            "/v1/players",
            "/v1/tournaments",
            "/v1/rulesets",
            "/v1/leaderboards",
            "/v1/leaderboards/all",
        ]
        legal = f"{h}/legal-plays"
        hands = [
            h,
            legal,
            f"{legal}?cards=3D",
            f"{legal}?cards=4C,2S",
            f"{h}/history",
            f"/v1/tables/{hand['table_id']}",
        ]
        broken = [f"{h}/nothing", "/healthz", "/readyz", f"{t}/standings?as_of=x"]
        return [t, *lists, *tables, *others, *hands, *broken]


@pytest.fixture(scope="module")
def table(app, operator, services) -> Table:
    return Table(Game(app, operator), services)


@pytest.fixture(scope="module")
def readers(app, table, auditor, operator, director_, admin) -> list[tuple[str | None, Api]]:
    stranger = Game(app, operator)
    seated = list(table.game.players.items())
    others = [Api(app), auditor, operator, director_, admin, next(iter(stranger.players.values()))]
    return [*seated, *((None, reader) for reader in others)]


def shown(reader: Api, table: Table) -> Iterator[tuple[str, str]]:
    """What a reader is answered, by request."""
    for path in table.paths():
        yield path, reader.get(path).text
    turn = {"turn": table.game.hand(table.hand_id)["turn"]["number"]}
    for cards in (["3D", "3D"], ["3D", "4C"], ["3D"], ["2S", "2H"]):
        if reader.token and reader in table.game.players.values():
            continue  # a player's own play is a play
        answer = reader.post(f"/v1/hands/{table.hand_id}/plays", {**turn, "cards": cards})
        yield f"play {cards}", answer.text
    feed = reader.get(f"/v1/feed?tournament={table.game.id}&after=0")
    frames = iter(feed.response)
    yield "feed", "".join(next(frames).decode() for _ in range(2))
    feed.close()


def test_no_answer_to_anybody_has_a_hidden_card(table, readers):
    on_table = {c for a in table.game.hand(table.hand_id)["actions"] for c in a.get("cards", [])}
    named = {"3D", "4C", "2S", "2H"}  # by the plays above
    for player, reader in readers:
        hidden = table.hidden_from(player)
        for what, text in shown(reader, table):
            seen = (
                set(CARD.findall(OPENING.sub("", text)))
                - on_table
                - (named if what.startswith("play ") or "?cards=" in what else set())
            )
            assert not seen & hidden, (what, player, text)
            assert table.seed not in text, what


def test_no_answer_tells_of_a_breach_a_hash_or_a_secret(table, readers):
    for player, reader in readers:
        for what, text in shown(reader, table):
            own = "legal-plays" in what and player is not None
            telling = [word for word in TELLING if word in text and not (own and word == "breach")]
            if "rulesets" in what:
                telling = [word for word in telling if word != 'digest":"']
            assert not telling, (what, telling)
            assert not TOKEN.search(text), what


def test_a_seat_sees_its_own_cards_and_nobody_elses(table):
    for player, reader in table.game.players.items():
        you = table.game.hand(table.hand_id, reader)["you"]
        assert set(you["cards"]) == table.held[player]


def test_only_the_seat_on_turn_has_legal_plays(table):
    hand = table.game.hand(table.hand_id)
    for player, reader in table.game.players.items():
        legal = reader.read(f"/v1/hands/{table.hand_id}/legal-plays")
        on_turn = player == table.game.player_at(hand, hand["turn"]["seat"])
        assert bool(legal["items"] or legal["may_pass"]) == on_turn


def test_nobody_reads_the_history_of_a_running_hand(table, readers):
    for _, reader in readers:
        answer = reader.get(f"/v1/hands/{table.hand_id}/history")
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/hand-not-closed")


def test_after_the_settlement_whoever_was_dealt_in_and_the_staff_read_it(
    app, operator, auditor, director_, admin
):
    game = Game(app, operator, stack_points=500)
    hand_id = game.hand_id()
    game.play_hand(hand_id)
    path = f"/v1/hands/{hand_id}/history"
    for reader in [*game.players.values(), operator, auditor, director_, admin]:
        assert reader.get(path).status_code == 200
        assert "breach" in reader.get(f"/v1/hands/{hand_id}").text
    stranger = next(iter(Game(app, operator, entrants=1).players.values()))
    assert stranger.get(path).json["type"] == "/problems/forbidden"
    assert Api(app).get(path).json["type"] == "/problems/unauthenticated"
    assert "breach" not in Api(app).get(f"/v1/hands/{hand_id}").text


def test_the_logs_have_no_body_no_card_and_no_token(app, operator, caplog):
    game = Game(app, operator)
    caplog.set_level("DEBUG")
    hand_id = game.hand_id()
    for _ in range(3):
        game.act(hand_id)
    operator.post("/v1/players", {"name": 5})
    said = " ".join(record.getMessage() for record in caplog.records)
    assert not CARD.search(said)
    assert "b2_" not in said
