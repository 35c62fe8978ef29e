"""The real application on the real PostgreSQL, with a projector and the director's jobs in a thread beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from config.settings import Settings
from domain.credential import Role
from domain.topics import TOPICS
from services import bootstrap
from services.application.rulesets import RuleSets
from services.bootstrap import Services
from services.http.app import create_app
from services.http.calls import EXTENSION
from services.store import Store
from tests.services.http.driving import Api, Beside, ClockedRows, make_token


@pytest.fixture(scope="module")
def services(database_url: str) -> Iterator[Services]:
    store = Store(database_url, TOPICS)
    store._rows = ClockedRows(store._rows)
    settings = Settings(
        database_url=database_url,
        data=Path("/tmp"),
        web_threads=64,
        requests_per_second=100_000,
        failures_per_minute=20,
    )
    yield Services(settings, store, RuleSets(store, bootstrap.presets()))
    store.close()


@pytest.fixture(scope="module")
def beside(services: Services) -> Iterator[Beside]:
    beside = Beside(services)
    yield beside
    beside.stop()


@pytest.fixture(scope="module")
def app(services: Services, beside: Beside) -> Iterator[Flask]:
    app = create_app(services)
    yield app
    app.extensions[EXTENSION].listener.stop()


@pytest.fixture(scope="module")
def anybody(app: Flask) -> Api:
    return Api(app)


@pytest.fixture(scope="module")
def admin(app: Flask, services: Services) -> Api:
    return Api(app, make_token(services, Role.ADMIN))


@pytest.fixture(scope="module")
def operator(app: Flask, services: Services) -> Api:
    return Api(app, make_token(services, Role.OPERATOR))


@pytest.fixture(scope="module")
def director_(app: Flask, services: Services) -> Api:
    return Api(app, make_token(services, Role.DIRECTOR))


@pytest.fixture(scope="module")
def auditor(app: Flask, services: Services) -> Api:
    return Api(app, make_token(services, Role.AUDITOR))
