"""Entropy over HTTP: sent between a hand's commitment and its deal, seen by all, and checked from the history."""

from __future__ import annotations

import pytest

from big2.history import verify
from domain.coming_deals import implied_root
from services import bootstrap
from services.audit import deal_problem
from services.audit.proving import inclusion_problem
from tests.services.http.playing import Game, until

PAIR = {
    "format": "sit_and_go",
    "capacity": 2,
    "seats_per_table": 2,
    "stack_points": 8,
    "unit_levels": [1, 16],
}
LONG = 3600


def code(answer):
    return answer.status_code, answer.json["type"].removeprefix("/problems/")


class Window:
    """A hand that is committed to and takes entropy for an hour."""

    def __init__(self, app, operator) -> None:
        self.game = Game(app, operator, 2, entropy_seconds=LONG, **PAIR)
        self.hand_id = self.game.hand_id()
        self.path = f"/v1/hands/{self.hand_id}"
        self.first, self.second = self.game.players.values()

    def read(self, reader=None) -> dict:
        return self.game.hand(self.hand_id, reader)


@pytest.fixture
def window(app, operator) -> Window:
    return Window(app, operator)


def test_the_commitment_is_there_before_any_card_is(window):
    hand = window.read(window.first)
    assert len(hand["commitment"]) == 64
    assert (hand["state"], hand["turn"], hand["to_beat"], hand["actions"]) == ("running", None, None, [])
    assert [seat["cards_left"] for seat in hand["seats"]] == [0, 0]
    assert hand["you"]["cards"] == []
    assert hand["entropy"]["given"] == []
    assert hand["entropy"]["closes_at"]


def test_with_every_seats_nonce_the_hand_is_dealt_at_once_and_anybody_can_deal_it_again(
    window, anybody, services
):
    sent = window.first.post(f"{window.path}/entropy", {"nonce": "first!"}, key="k1")
    assert sent.status_code == 201
    assert sent.headers["Location"] == window.path
    assert sent.json["nonce"] == "first!"
    again = window.first.post(f"{window.path}/entropy", {"nonce": "first!"}, key="k1")
    assert again.headers["Idempotency-Hit"] == "true"
    assert again.json == sent.json
    assert window.read()["entropy"]["given"] == [sent.json["seat"]]
    window.second.made(f"{window.path}/entropy", {"nonce": "~second~"})
    hand = until(lambda: (found := window.read())["turn"] and found)
    assert hand["entropy"] is None
    assert hand["turn"]["number"] == 1
    assert code(window.first.post(f"{window.path}/entropy", {"nonce": "late"})) == (409, "entropy-closed")
    repeat = window.first.post(f"{window.path}/entropy", {"nonce": "first!"}, key="k1")
    assert repeat.json == sent.json
    while window.read()["state"] == "running":
        window.game.act(window.hand_id)
    history = window.first.read(f"{window.path}/history")
    shuffle = history["shuffle"]
    assert shuffle["server_only"] is False
    assert {sent["nonce"] for sent in shuffle["nonces"]} == {"first!", "~second~"}
    assert deal_problem(history) is None
    assert verify(history, bootstrap.presets())["verdict"] == "valid"
    shuffle["nonces"][0]["nonce"] += "?"
    assert deal_problem(history) == "the seed deals other cards"
    shuffle["server_only"] = True
    assert deal_problem(history) == "the entropy that is told fits no such hand"


def test_only_who_is_dealt_in_sends_entropy_for_himself_and_once(window, app, operator):
    stranger = next(iter(Game(app, operator).players.values()))
    assert code(stranger.post(f"{window.path}/entropy", {"nonce": "x"})) == (403, "forbidden")
    assert code(operator.post(f"{window.path}/entropy", {"nonce": "x"})) == (403, "forbidden")
    window.first.made(f"{window.path}/entropy", {"nonce": "x"})
    assert code(window.first.post(f"{window.path}/entropy", {"nonce": "y"})) == (409, "entropy-given")
    assert code(window.first.post(f"{window.path}/entropy", {})) == (409, "entropy-given")


@pytest.mark.parametrize("nonce", ["", "x" * 65, "a b", "é", 4, None])
def test_a_nonce_is_up_to_64_visible_characters(window, nonce):
    refused = window.first.post(f"{window.path}/entropy", {"nonce": nonce})
    assert code(refused) == (422, "validation")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/nonce"]


def test_nobody_plays_before_the_deal(window):
    for path, body in (("plays", {"turn": 1, "cards": ["3D"]}), ("passes", {"turn": 1}), ("plays", {})):
        assert code(window.first.post(f"{window.path}/{path}", body)) == (409, "hand-not-dealt")
    assert code(window.first.get(f"{window.path}/legal-plays")) == (409, "hand-not-dealt")
    assert code(window.first.get(f"{window.path}/history")) == (403, "hand-not-closed")


def test_a_hand_that_is_voided_before_its_deal_has_no_history_and_no_legal_plays(window, director_):
    assert director_.post(f"{window.game.path}/cancel", {"reason": "fire"}).status_code == 200
    hand = until(lambda: (found := window.read())["state"] == "voided" and found)
    assert (hand["entropy"], hand["turn"]) == (None, None)
    assert code(window.first.get(f"{window.path}/history")) == (409, "hand-not-dealt")
    assert code(window.first.post(f"{window.path}/entropy", {"nonce": "x"})) == (409, "hand-closed")
    assert code(window.first.get(f"{window.path}/legal-plays")) == (409, "hand-closed")


def test_where_a_tournament_takes_no_entropy_a_hand_is_dealt_at_once(app, operator):
    game = Game(app, operator, 2, **PAIR)
    hand_id = game.hand_id()
    hand = game.hand(hand_id)
    assert (hand["entropy"], hand["turn"]["number"]) == (None, 1)
    player = next(iter(game.players.values()))
    assert code(player.post(f"/v1/hands/{hand_id}/entropy", {"nonce": "x"})) == (409, "entropy-closed")


def test_each_history_leads_to_the_root_that_was_told_before_the_draw(app, operator, services):
    game = Game(app, operator, 2, turn_seconds=0, **PAIR)
    until(lambda: game.state() == "finished")
    events = [r.event for r in services.store.log(0, 100_000)]
    roots = {
        root.table_id: root.root for e in events if type(e).__name__ == "DealsCommitted" for root in e.roots
    }
    lines = game.anybody.read(f"{game.path}/hands")["items"]
    assert lines
    for line in lines:
        history = game.anybody.read(f"/v1/hands/{line['hand_id']}/history")
        told = history["shuffle"]["inclusion"]
        assert told["root"] in roots.values()
        assert deal_problem(history) is None
        assert inclusion_problem(history, told["root"]) is None
        other = "00" * 32
        assert inclusion_problem(history, other) == "its commitment does not stand under the root"
        assert implied_root(history["number"], other, told["first_hand"], told["path"]) != told["root"]
        del history["shuffle"]["inclusion"]
        assert inclusion_problem(history, told["root"]) == "no path leads from its commitment to a root"
        assert deal_problem(history) is None
