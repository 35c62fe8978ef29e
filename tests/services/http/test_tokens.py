"""Tokens: made, limited, ended; and who is told what."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.services.http.driving import CLOCK, Api
from tests.services.http.playing import Game, name


def test_a_token_names_its_credential_and_its_secret_is_long(operator):
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    made = operator.made(f"/v1/players/{player}/tokens")
    prefix, credential, secret = made["token"].split("_", 2)
    assert (prefix, credential) == ("b2", made["token_id"])
    assert len(secret) >= 43  # 256 bits in base64


def test_a_revoked_token_is_good_for_nothing(app, admin):
    made = admin.made("/v1/tokens", {"role": "auditor"})
    auditor = Api(app, made["token"])
    assert auditor.get("/v1/tournaments").status_code == 200
    assert admin.delete(f"/v1/tokens/{made['token_id']}", key="revoke").status_code == 204
    refused = auditor.get("/v1/tournaments")
    assert (refused.status_code, refused.json["type"]) == (401, "/problems/unauthenticated")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    again = admin.delete(f"/v1/tokens/{made['token_id']}", key="revoke")
    assert (again.status_code, again.headers["Idempotency-Hit"]) == (204, "true")
    assert admin.delete(f"/v1/tokens/{made['token_id']}").json["type"] == "/problems/token-revoked"
    assert admin.delete(f"/v1/tokens/{uuid4()}").status_code == 404


def test_a_token_ends_with_its_time(app, admin, operator):
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    auditor = Api(app, admin.made("/v1/tokens", {"role": "auditor", "expires_at": soon})["token"])
    with CLOCK.put_forward(minutes=50):
        assert auditor.get("/v1/tournaments").status_code == 200
    with CLOCK.put_forward(minutes=61):
        assert auditor.get("/v1/tournaments").status_code == 401
    past = admin.post("/v1/tokens", {"role": "auditor", "expires_at": "2001-01-01T00:00:00Z"})
    assert past.json["errors"] == [{"pointer": "/expires_at", "detail": "lies in the past"}]


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer x",
        "Basic abc",
        "Bearer b2_x_y",
        "Bearer b2__",
        "Bearer b2_00000000-0000-5000-8000-000000000000_secret",
        "b2",
    ],
)
def test_whatever_is_no_token_is_refused_on_every_route(header, anybody):
    response = anybody.get("/v1/tournaments", headers={"Authorization": header})
    assert response.status_code in (401, 429)


def test_a_token_is_good_in_the_one_spelling_that_was_issued(app, admin):
    token = admin.made("/v1/tokens", {"role": "auditor"})["token"]
    prefix, credential, secret = token.split("_", 2)
    assert Api(app, token).get("/v1/players").status_code == 200
    for other in (
        credential.upper(),
        credential.replace("-", ""),
        f"{{{credential}}}",
        f"urn:uuid:{credential}",
        f"{credential[:4]}-{credential[4:]}",
    ):
        assert Api(app, f"{prefix}_{other}_{secret}").get("/v1/players").status_code in (401, 429)


def test_an_operator_makes_and_ends_the_tokens_of_players_only(admin, operator):
    assert operator.post("/v1/tokens", {"role": "operator"}).status_code == 403
    made = admin.made("/v1/tokens", {"role": "director"})["token_id"]
    assert operator.delete(f"/v1/tokens/{made}").status_code == 403
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    token = operator.made(f"/v1/players/{player}/tokens")["token_id"]
    assert operator.delete(f"/v1/tokens/{token}").status_code == 204
    assert operator.post(f"/v1/players/{uuid4()}/tokens").status_code == 404


def test_a_players_token_is_made_for_a_player(admin):
    refused = admin.post("/v1/tokens", {"role": "player"})
    assert refused.json["errors"][0]["pointer"] == "/role"


def test_a_token_of_one_tournament_is_good_there_only(app, admin, operator):
    here, elsewhere = (Game(app, operator, entrants=0) for _ in range(2))
    made = admin.made("/v1/tokens", {"role": "operator", "tournament_id": here.id})
    limited = Api(app, made["token"])
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    assert limited.post(f"{here.path}/entries", {"player_id": player}).status_code == 201
    assert limited.post(f"{elsewhere.path}/entries", {"player_id": player}).status_code == 403
    assert limited.post("/v1/tournaments", {"name": "X", "format": "freezeout"}).status_code == 403
    assert limited.post("/v1/players", {"name": name()}).status_code == 403
    assert limited.get(elsewhere.path).status_code == 200
    nowhere = admin.post("/v1/tokens", {"role": "operator", "tournament_id": str(uuid4())})
    assert nowhere.json["errors"][0]["pointer"] == "/tournament_id"


def test_a_players_token_of_one_tournament_plays_in_no_other(app, operator):
    here, elsewhere = Game(app, operator, entrants=1), Game(app, operator)
    hand = elsewhere.hand(elsewhere.hand_id())
    player = elsewhere.player_at(hand, hand["turn"]["seat"])
    made = operator.made(f"/v1/players/{player}/tokens", {"tournament_id": here.id})
    limited = Api(app, made["token"])
    assert "you" not in elsewhere.hand(hand["hand_id"], limited)
    assert limited.get(f"/v1/hands/{hand['hand_id']}/legal-plays").status_code == 403
    body = {"turn": hand["turn"]["number"]}
    assert limited.post(f"/v1/hands/{hand['hand_id']}/passes", body).status_code == 403


def test_a_player_enters_and_withdraws_himself_only(app, operator):
    game = Game(app, operator, entrants=1)
    other = operator.made("/v1/players", {"name": name()})["player_id"]
    token = operator.made(f"/v1/players/{other}/tokens")["token"]
    himself = Api(app, token)
    entered = next(iter(game.players))
    assert himself.delete(f"{game.path}/entries/{entered}").status_code == 403
    assert himself.post(f"{game.path}/entries", {"player_id": entered}).status_code == 403
    assert himself.post(f"{game.path}/entries", {"player_id": other}).status_code == 201
    assert himself.delete(f"{game.path}/entries/{other}").status_code == 204
    assert himself.delete(f"{game.path}/entries/{other}").status_code == 404
