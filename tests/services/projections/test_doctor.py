"""The doctor finds nothing wrong with an evening in which whatever can happen did."""

from __future__ import annotations

from services.doctor.examination import Examination, Questions
from services.doctor.invariants import INVARIANTS


def test_nothing_is_wrong_with_an_evening(evening):
    by_the_log = [name for name in INVARIANTS if name != "I4"]  # which `test_rebuild` shows
    examination = Examination(evening.house.store, Questions(by_the_log))
    assert list(examination.violations()) == []
    assert examination.events == len(evening.log)
    assert examination.unused_positions == 0
