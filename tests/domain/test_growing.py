"""A set that grows and is yet a value."""

from math import log2

from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.growing import GrowingSet
from tests.domain.given import steady


def grown(items):
    found = GrowingSet()
    for item in items:
        found = found.with_(item)
    return found


@steady
@for_all(st.lists(st.integers(0, 40)), st.integers(0, 40))
def test_it_has_what_came_into_it_and_nothing_else(items, other):
    assert (other in grown(items)) == (other in items)


def test_the_set_before_stays_as_it_was():
    before = grown(range(7))
    after = before.with_(7)
    assert 7 in after
    assert 7 not in before


def test_what_is_there_already_changes_nothing():
    before = grown(range(7))
    assert before.with_(3) is before


def test_neither_a_look_nor_an_addition_goes_through_all_of_it():
    found, copied = GrowingSet(), 0
    for n in range(4096):
        known, found = found.parts, found.with_(n)
        copied += sum(len(part) for part in found.parts if part not in known)
        assert len(found.parts) <= 13
    assert copied <= 4096 * (log2(4096) + 1)
