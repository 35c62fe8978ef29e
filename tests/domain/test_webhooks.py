"""The list of webhooks: never more than there may be."""

from __future__ import annotations

from uuid import uuid4

import pytest

from domain.errors import Conflicting
from domain.player import Enrolled
from domain.webhooks import MOST_WEBHOOKS, WEBHOOK_LIST, WebhookList, WebhooksListed, add, remove
from tests.domain.given import given

FULL = WebhookList(tuple(uuid4() for _ in range(MOST_WEBHOOKS)))


def test_it_has_what_was_added_and_not_removed():
    first, second = uuid4(), uuid4()
    events = add(WebhookList(), first)
    events += add(given(WEBHOOK_LIST, *events), second)
    assert given(WEBHOOK_LIST, *events).webhook_ids == (first, second)
    events += remove(given(WEBHOOK_LIST, *events), first)
    assert events[-1] == WebhooksListed(webhook_ids=(second,))


def test_there_are_32_at_most_and_one_more_after_one_is_deleted():
    with pytest.raises(Conflicting) as told:
        add(FULL, uuid4())
    assert told.value.code == "too-many-webhooks"
    less = given(WEBHOOK_LIST, *remove(FULL, FULL.webhook_ids[0]))
    assert len(given(WEBHOOK_LIST, *add(less, uuid4())).webhook_ids) == MOST_WEBHOOKS


def test_what_is_not_on_it_cannot_be_removed():
    assert remove(FULL, uuid4()) == []


def test_an_event_of_another_kind_is_a_bug():
    with pytest.raises(AssertionError, match="Enrolled"):
        WEBHOOK_LIST.evolve(None, Enrolled(player_id=uuid4()))
