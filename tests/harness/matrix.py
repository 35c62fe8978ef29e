"""What each role may do, route by route: `ok` is 200, 201 or 204; any other status is that of the refusal.

The columns are those of `ROLES`. The objects are those of one running tournament, of a player who is dealt in there:
`player` is he, `another` plays elsewhere. `limited` tokens are good for one tournament: for this one, or for another.
A 409 or 404 says that the role may, but that there is nothing to be done. Bodies and paths that a route wants stand
below the table.
"""

from __future__ import annotations

from collections.abc import Mapping

NOBODY = "00000000-0000-5000-8000-000000000000"
ROLES = (
    "nobody",
    "player",
    "another",
    "player limited elsewhere",
    "auditor",
    "operator",
    "director",
    "admin",
    "auditor limited here",
    "auditor limited elsewhere",
    "operator limited here",
    "operator limited elsewhere",
    "director limited here",
    "director limited elsewhere",
)
TABLE = """
#                                                             player-----                 limited to this one or another
#                                                         nob own ano ltd aud ope dir adm aud   - ope   - dir   -
GET    /players                                             ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /players                                            401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
GET    /players/{player_id}                                 ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
DELETE /players/{player_id}/name                           401 403 403 403 403 403 403  ok 403 403 403 403 403 403
POST   /players/{player_id}/tokens                         401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
POST   /tokens                                             401 403 403 403 403 403 403  ok 403 403 403 403 403 403
DELETE /tokens/{token_id}                                  401 403 403 403 403 404 403 404 403 403 403 403 403 403
GET    /rulesets                                            ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /rulesets/{name}                                     ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /rulesets                                           401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
GET    /tournaments                                         ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /tournaments                                        401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
GET    /tournaments/{tournament_id}                         ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
PATCH  /tournaments/{tournament_id}                        401 403 403 403 403 409 403 409 403 403 409 403 403 403
GET    /tournaments/{tournament_id}/entries                 ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /tournaments/{tournament_id}/entries                401 409 403 403 403 409 409 409 403 403 409 403 409 403
DELETE /tournaments/{tournament_id}/entries/{player_id}    401 409 403 403 403 409 409 409 403 403 409 403 409 403
POST   /tournaments/{tournament_id}/start                  401 403 403 403 403 409 403 409 403 403 409 403 403 403
POST   /tournaments/{tournament_id}/pause                  401 403 403 403 403 409 409 409 403 403 409 403 409 403
POST   /tournaments/{tournament_id}/resume                 401 403 403 403 403 409 409 409 403 403 409 403 409 403
POST   /tournaments/{tournament_id}/finish                 401 403 403 403 403 409 403 409 403 403 409 403 403 403
POST   /tournaments/{tournament_id}/cancel                 401 403 403 403 403 409 409 409 403 403 409 403 409 403
GET    /tournaments/{tournament_id}/standings               ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tournaments/{tournament_id}/terms                   ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tournaments/{tournament_id}/corrections             ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tournaments/{tournament_id}/tables                  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tournaments/{tournament_id}/prizes                  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tournaments/{tournament_id}/hands                   ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tables/{table_id}                                   ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /tables                                             401 403 403 403 403 409 403 409 403 403 409 403 403 403
POST   /tables/{table_id}/results                          401 403 403 403 403 409 409 409 403 403 409 403 409 403
POST   /tables/{table_id}/close                            401 403 403 403 403 409 409 409 403 403 409 403 409 403
GET    /tables                                              ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /tables/{table_id}/hands                             ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
PUT    /tables/{table_id}/seats/{seat}                     401 404 404 403 403 404 403 404 403 403 403 403 403 403
DELETE /tables/{table_id}/seats/{seat}                     401 404 404 403 403 404 403 404 403 403 403 403 403 403
POST   /tables/{table_id}/pause                            401 403 403 403 403 404 404 404 403 403 403 403 403 403
POST   /tables/{table_id}/resume                           401 403 403 403 403 404 404 404 403 403 403 403 403 403
GET    /stakes                                              ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /stakes/{name}                                       ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
POST   /stakes                                             401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
GET    /hands/{hand_id}                                     ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /hands/{hand_id}/legal-plays                        401  ok 403 403 403 403 403 403 403 403 403 403 403 403
POST   /hands/{hand_id}/plays                              401 409 403 403 403 403 403 403 403 403 403 403 403 403
POST   /hands/{hand_id}/passes                             401 409 403 403 403 403 403 403 403 403 403 403 403 403
POST   /hands/{hand_id}/entropy                            401 409 403 403 403 403 403 403 403 403 403 403 403 403
GET    /hands/{hand_id}/history                            403 403 403 403 403 403 403 403 403 403 403 403 403 403
GET    /hands/{hand_id}/steps                              403 403 403 403 403 403 403 403 403 403 403 403 403 403
POST   /hands/{hand_id}/flags                              401  ok 403 403  ok  ok  ok  ok  ok 403  ok 403  ok 403
POST   /hands/{hand_id}/freeze                             401 403 403 403 403 403 422 422 403 403 403 403 422 403
POST   /hands/{hand_id}/release                            401 403 403 403 403 403 409 409 403 403 403 403 409 403
POST   /hands/{hand_id}/rulings                            401 403 403 403 403 403 409 409 403 403 403 403 409 403
POST   /hands/{hand_id}/appeals                            401 409 403 403 409 409 409 409 409 403 409 403 409 403
POST   /tables/{table_id}/heartbeat                        401  ok 403 403 403 403 403 403 403 403 403 403 403 403
GET    /hands/{hand_id}/connections                        401 403 403 403  ok 403  ok  ok  ok 403 403 403  ok 403
POST   /wallets/{player_id}/deposits                       401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
POST   /wallets/{player_id}/withdrawals                    401 403 403 403 403  ok 403  ok 403 403 403 403 403 403
GET    /wallets/{player_id}                                401  ok 403 403  ok  ok  ok  ok 403 403 403 403 403 403
GET    /ledger/accounts                                    401  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /ledger/entries                                     401  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /ledger/trial-balance                               401 403 403 403  ok  ok  ok  ok 403 403 403 403 403 403
GET    /leaderboards                                        ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /leaderboards/{season}                               ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
GET    /audit/checkpoints                                  401 403 403 403  ok 403  ok  ok 403 403 403 403 403 403
GET    /audit/checkpoints/newest                           401 403 403 403 404 403 404 404 403 403 403 403 403 403
GET    /audit/keys                                         401 403 403 403  ok 403  ok  ok 403 403 403 403 403 403
GET    /audit/proofs                                       401 403 403 403 404 403 404 404 403 403 403 403 403 403
GET    /hands/{hand_id}/bundle                             403 403 403 403 403 403 403 403 403 403 403 403 403 403
GET    /tables/{table_id}/bundle                           403 403 403 403 403 403 403 403 403 403 403 403 403 403
GET    /tournaments/{tournament_id}/bundle                 403 403 403 403 403 403 403 403 403 403 403 403 403 403
GET    /audit/events                                       401 403 403 403  ok 403  ok  ok  ok  ok 403 403  ok  ok
GET    /audit/access-log                                   401 403 403 403  ok 403  ok  ok  ok  ok 403 403  ok  ok
GET    /webhooks                                            401 403 403 403 403  ok 403  ok 403 403  ok  ok 403 403
POST   /webhooks                                           401 403 403 403 403  ok 403  ok 403 403  ok 403 403 403
GET    /webhooks/{webhook_id}                              401 403 403 403 403 404 403 404 403 403 404 404 403 403
DELETE /webhooks/{webhook_id}                              401 403 403 403 403 404 403 404 403 403 404 404 403 403
GET    /feed                                                ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok  ok
"""
CLOSED = ("pause", "resume", "cancel")
"""What is asked of a tournament that is cancelled already, so that the running one goes on."""
QUERIES: Mapping[str, str] = {
    "/feed": "?tournament={tournament}",
    "/ledger/entries": "?format=csv",
    "/audit/proofs": "?position=1",
}
OBJECTS: Mapping[str, str] = {
    "tournament_id": "{tournament}",
    "player_id": "{player}",
    "hand_id": "{hand}",
    "table_id": "{table}",
    "token_id": NOBODY,
    "webhook_id": NOBODY,
    "name": "actionpoker",
    "season": "all",
    "seat": "1",
}
BODIES: Mapping[tuple[str, str], Mapping[str, object]] = {
    ("POST", "/players"): {"name": "{name}"},
    ("POST", "/tokens"): {"role": "auditor"},
    ("POST", "/rulesets"): {"name": "club", "rules": {"base": "high-low"}},
    ("POST", "/tournaments"): {"name": "M", "format": "freezeout"},
    ("PATCH", "/tournaments/{tournament_id}"): {"unit": 2},
    ("POST", "/tournaments/{tournament_id}/entries"): {"player_id": "{player}"},
    ("POST", "/tables"): {"tournament_id": "{tournament}"},
    ("POST", "/tables/{table_id}/results"): {"winner": 1},
    ("PUT", "/tables/{table_id}/seats/{seat}"): {"sitting_out": True},
    ("POST", "/tables/{table_id}/heartbeat"): {"rtt_ms": 40},
    ("POST", "/stakes"): {
        "name": "friday",
        "currency": "USD",
        "steps": [{"unit": 1, "buy_in": 50, "ante": 0}],
    },
    ("POST", "/hands/{hand_id}/plays"): {"turn": 10_000, "cards": ["3D"]},
    ("POST", "/hands/{hand_id}/passes"): {"turn": 10_000},
    ("POST", "/hands/{hand_id}/entropy"): {"nonce": "dice"},
    ("POST", "/hands/{hand_id}/flags"): {"reason": "look"},
    ("POST", "/hands/{hand_id}/freeze"): {"scope": "everything", "reason": "look"},
    ("POST", "/hands/{hand_id}/release"): {"scope": "hand", "reason": "look"},
    ("POST", "/hands/{hand_id}/rulings"): {"ruling": "stands", "reason": "look"},
    ("POST", "/hands/{hand_id}/appeals"): {"reason": "look"},
    ("POST", "/webhooks"): {"url": "http://8.8.8.8/", "tournament_id": "{tournament}"},
    ("POST", "/wallets/{player_id}/deposits"): {"amount": 1, "currency": "EUR", "reference": "{name}"},
    ("POST", "/wallets/{player_id}/withdrawals"): {"amount": 1, "currency": "EUR", "reference": "{name}"},
}

Route = tuple[str, str]
"""A method and the path of a route as OpenAPI has it, without its `/v1`."""


def matrix() -> dict[Route, dict[str, str]]:
    """For each route the status that each role is answered with."""
    rows = (line.split() for line in TABLE.strip().splitlines() if not line.startswith("#"))
    return {(method, rule): dict(zip(ROLES, statuses, strict=True)) for method, rule, *statuses in rows}


def filled(text: str, ids: Mapping[str, str]) -> str:
    """A path or a member of a body with the ids in it."""
    for name, value in ids.items():
        text = text.replace("{" + name + "}", value)
    return text


def path_of(rule: str, ids: Mapping[str, str], **others: str) -> str:
    """A route's path about these ids; `others` stand in for some of its parameters."""
    of = dict(ids) | ({"tournament": ids["closed"]} if rule.endswith(CLOSED) and "closed" in ids else {})
    path = filled(rule, {**OBJECTS, **others})
    return "/v1" + filled(path, of) + filled(QUERIES.get(rule, ""), of)


def body_of(method: str, rule: str, ids: Mapping[str, str]) -> dict[str, object] | None:
    """The body that a route is sent."""
    body = BODIES.get((method, rule))
    if body is None:
        return None
    return {key: filled(value, ids) if isinstance(value, str) else value for key, value in body.items()}
