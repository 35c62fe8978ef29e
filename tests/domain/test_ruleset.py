"""Published rule sets: versions that never change."""

import hashlib

import pytest

from big2.rulesets import ruleset_from_mapping, ruleset_to_mapping
from domain.ruleset import RULE_SET, evolve, publish, ruleset_digest
from domain.table import Closed
from tests.domain.given import ACTIONPOKER, given

WHOLE = ruleset_to_mapping(ACTIONPOKER)
STRICT = WHOLE | {"last_card": "forced"}


def test_the_first_publication_is_version_1():
    (published,) = publish(None, "club", WHOLE)
    assert (published.name, published.version, published.ruleset) == ("club", 1, WHOLE)
    assert published.digest == ruleset_digest(WHOLE)


def test_a_change_is_a_new_version_and_the_old_one_stands():
    first = publish(None, "club", WHOLE)
    second = publish(given(RULE_SET, *first), "club", STRICT)
    club = given(RULE_SET, *first, *second)
    assert club.name == "club"
    assert [(v.version, v.ruleset["last_card"]) for v in club.versions] == [(1, "liable"), (2, "forced")]


def test_the_digest_is_of_canonical_json():
    assert ruleset_digest({"b": [1, True], "a": "鋤"}) == ruleset_digest({"a": "鋤", "b": [1, True]})
    canonical = '{"a":"鋤","b":[1,true]}'.encode()
    assert ruleset_digest({"b": [1, True], "a": "鋤"}) == hashlib.sha256(canonical).hexdigest()


def test_a_published_rule_set_needs_no_preset_to_stand_on():
    (published,) = publish(None, "club", WHOLE)
    assert ruleset_from_mapping(published.ruleset, {}) == ACTIONPOKER


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(None, Closed())
