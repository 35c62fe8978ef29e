"""Schemathesis reads our OpenAPI, and asks what it allows and what it does not, alone and one thing after the other.

There is no failure of ours, and no answer but what OpenAPI promises.

Not asked is whether all that OpenAPI allows is accepted: the rules of the game are not written in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import msgspec
import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from services.bootstrap import Services
from services.http import feed
from services.http.app import create_app
from services.http.calls import EXTENSION
from tests.harness.matrix import matrix
from tests.services.http.driving import Api
from tests.services.http.playing import Game
from tests.services.http.ringing import RingGame

SOME = settings(max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck))
CHAINS = settings(SOME, max_examples=12, stateful_step_count=6)
ANY_NAME = {"GET /rulesets/{name}", "GET /stakes/{name}"}
"""What is wrong with these Schemathesis cannot say: every text may be a name."""
ASKED = [
    pytest.param(route, mode, id=f"{' '.join(route)}-{mode.value}")
    for route in matrix()
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or " ".join(route) not in ANY_NAME
]


@pytest.fixture(scope="module")
def app(services, beside) -> Iterator[Flask]:
    """One that does not mind many who may not come in."""
    patient = msgspec.structs.replace(services.settings, failures_per_minute=1_000_000)
    app = create_app(Services(patient, services.store, services.rulesets))
    yield app
    app.extensions[EXTENSION].listener.stop()


@pytest.fixture(scope="module")
def api(app):
    return schemathesis.openapi.from_wsgi("/openapi.json", app)


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    return Game(app, operator)


@pytest.fixture(scope="module")
def readers(app, operator, director_, auditor, admin, game) -> list[Api]:
    return [Api(app), *game.players.values(), operator, director_, auditor, admin]


@pytest.fixture(scope="module")
def known(app, operator, game) -> dict[str, list[str]]:
    """Names and ids that there are, by the parameter that takes them; and some that there are not."""
    hand = game.hand(game.hand_id())
    ring = RingGame(app, operator)
    ring.sit(1)
    ring.sit(2)
    found = {
        "tournament_id": [game.id, Game(app, operator, entrants=1).id],
        "player_id": list(game.players),
        "hand_id": [hand["hand_id"], ring.hand_id()],
        "table_id": [hand["table_id"], ring.id],
        "token_id": [],
        "name": ["actionpoker"],
        "season": ["all"],
        "seat": ["1", "4"],
    }
    return {name: [*values, str(uuid4())] for name, values in found.items()}


@pytest.fixture(autouse=True)
def _feeds_end_soon(monkeypatch):
    monkeypatch.setattr(feed, "HEARTBEAT_SECONDS", 0.0)


@pytest.mark.parametrize(("route", "mode"), ASKED)
@SOME
@given(data=st.data())
def test_every_answer_is_one_that_openapi_promises(route, mode, data, api, readers, known):
    method, path = route
    case = data.draw(api[f"/v1{path}"][method.lower()].as_strategy(generation_mode=mode))
    if mode is GenerationMode.POSITIVE:
        names = [name for name in case.path_parameters or {} if name in known]
        case.path_parameters |= {name: data.draw(st.sampled_from(known[name])) for name in names}
    ask(case, data.draw(st.sampled_from(readers)), mode)


def test_what_is_made_is_asked_for_changed_and_taken_away(api, admin):
    class Chain(api.as_state_machine()):
        def before_call(self, case):
            case.headers["Authorization"] = f"Bearer {admin.token}"

        def validate_response(self, response, case, **kwargs):
            case.validate_response(response, **kwargs, excluded_checks=[positive_data_acceptance])

    Chain.run(settings=CHAINS)


def ask(case: Case, reader: Api, mode: GenerationMode) -> None:
    """As a reader; where Schemathesis had made a token that is none, it does not know that this one took its place."""
    if reader.token:
        case.headers["Authorization"] = f"Bearer {reader.token}"
    unknown = [ignored_auth] if mode is GenerationMode.NEGATIVE else []
    case.call_and_validate(excluded_checks=[positive_data_acceptance, *unknown])
