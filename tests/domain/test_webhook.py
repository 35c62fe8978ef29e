"""Webhooks: what ends one, and how a delivery is signed."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from domain.player import Enrolled
from domain.webhook import (
    MOST_FAILURES,
    PATIENCE,
    WEBHOOK,
    Failing,
    WebhookDeleted,
    WebhookDisabled,
    delete,
    disable,
    register,
    signature,
)
from tests.domain.given import given

NOW = datetime(2027, 1, 29, 19, tzinfo=UTC)
REGISTERED = register(uuid4(), "https://club.example/?key=private", "secret", topics=("hand.settled",) * 2)
HOPELESS = Failing(MOST_FAILURES, NOW - PATIENCE, "answered 500")


def test_a_topic_that_is_named_twice_is_told_once():
    assert given(WEBHOOK, *REGISTERED).topics == ("hand.settled",)


def test_it_is_disabled_after_many_failures_over_a_day():
    webhook = given(WEBHOOK, *REGISTERED)
    events = disable(webhook, HOPELESS, NOW)
    assert events == [WebhookDisabled(failures=MOST_FAILURES, since=NOW - PATIENCE, failure="answered 500")]
    assert given(WEBHOOK, *REGISTERED, *events).state == "disabled"


@pytest.mark.parametrize(
    "failing",
    [
        HOPELESS._replace(failures=MOST_FAILURES - 1),
        HOPELESS._replace(since=NOW - PATIENCE + timedelta(seconds=1)),
    ],
)
def test_it_is_not_disabled_for_few_failures_or_for_an_hour_s(failing):
    assert disable(given(WEBHOOK, *REGISTERED), failing, NOW) == []


def test_it_ends_once():
    deleted = [*REGISTERED, *delete(given(WEBHOOK, *REGISTERED))]
    assert deleted[-1] == WebhookDeleted()
    webhook = given(WEBHOOK, *deleted)
    assert webhook.state == "deleted"
    assert delete(webhook) == disable(webhook, HOPELESS, NOW) == []


def test_one_that_is_disabled_can_be_deleted():
    disabled = [*REGISTERED, *disable(given(WEBHOOK, *REGISTERED), HOPELESS, NOW)]
    assert delete(given(WEBHOOK, *disabled)) == [WebhookDeleted()]


def test_neither_the_event_nor_the_state_tells_the_secret_or_the_address():
    told = repr([*REGISTERED, given(WEBHOOK, *REGISTERED)])
    assert "secret" not in told
    assert "private" not in told


def test_an_event_of_another_kind_is_a_bug():
    with pytest.raises(AssertionError, match="Enrolled"):
        WEBHOOK.evolve(None, Enrolled(player_id=uuid4()))


def test_a_signature_is_of_the_time_and_the_body_by_the_secret():
    expected = hmac.new(b"key", b'12.{"a":1}', hashlib.sha256).hexdigest()
    assert signature("key", 12, b'{"a":1}') == f"t=12,v1={expected}"
