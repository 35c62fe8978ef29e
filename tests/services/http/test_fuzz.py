"""Whatever is sent, the answer is never a failure of ours."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.http.playing import Game

QUICK = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NAMES = [
    "name", "format", "rules", "capacity", "min_entrants", "starts_at", "unit", "stack_points", "unit_levels",
    "minutes_per_level", "prizes_bp", "rounds", "bots", "check_in", "player_id", "turn", "cards", "role",
    "expires_at", "tournament_id", "reason", "base", "suits", "straights", "point_tiers", "opening_card",
]  # fmt: skip
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        ["sit_and_go", "freezeout", "actionpoker", "x@1", "\ud800", "a\0b", "3D", "standard", "admin"]
    ),
    st.sampled_from(
        ["2099-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "00000000-0000-5000-8000-000000000000"]
    ),
)
NESTED = st.recursive(
    VALUES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), NESTED, max_size=6) | NESTED


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    return Game(app, operator)


@pytest.fixture(scope="module")
def closed(app, operator) -> Game:
    game = Game(app, operator, entrants=0)
    operator.made(f"{game.path}/cancel")
    return game


WRITES = [
    "players",
    "rulesets",
    "tournaments",
    "tokens",
    "{t}/entries",
    "{t}/cancel",
    "hands/{h}/plays",
    "hands/{h}/passes",
]


@pytest.mark.parametrize("path", WRITES)
@QUICK
@given(body=BODIES)
def test_no_body_breaks_a_command(path, body, game, closed, admin):
    hand = game.hand_id()
    sender = next(iter(game.players.values())) if "{h}" in path else admin
    target = "/v1/" + path.format(t=f"tournaments/{closed.id}", h=hand)
    answer = sender.post(target, data=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code < 500
    if answer.status_code >= 400:
        assert json.loads(answer.data)["type"].startswith("/problems/")


@QUICK
@given(body=BODIES)
def test_no_body_breaks_a_change(body, app, operator, game):
    answer = operator.request(
        "PATCH", game.path, data=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code < 500


@QUICK
@given(raw=st.binary(max_size=60))
def test_no_bytes_break_the_reading(raw, operator):
    answer = operator.post("/v1/players", data=raw, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


READS = [
    "players",
    "tournaments",
    "rulesets",
    "{t}/standings",
    "{t}/entries",
    "{t}/hands",
    "{t}/prizes",
    "leaderboards/all",
]
QUERIES = st.dictionaries(
    st.sampled_from(["limit", "cursor", "format", "as_of", "x"]),
    st.text(max_size=12)
    | st.sampled_from(
        ["1", "-1", "W10", "WzFd", "csv", "9" * 30, "WzEsMV0", "WyJcdWQ4MDAiLDFd", "WyJhIiwgMV0"]
    ),
)


@pytest.mark.parametrize("path", READS)
@QUICK
@given(query=QUERIES)
def test_no_query_breaks_a_read(path, query, game, anybody):
    answer = anybody.get("/v1/" + path.format(t=f"tournaments/{game.id}"), query_string=query)
    assert answer.status_code < 500
