"""Every wait that a table or a tournament is given in seconds: its least, its greatest, and nothing beyond (R11.2)."""

from __future__ import annotations

from typing import Any

import pytest

from services.http.schemas import NewRingTable, NewTournament
from tests.services.http.driving import Api
from tests.services.http.playing import until
from tests.services.http.recording import errors
from tests.services.http.ringing import TERMS

DAY = 86_400
EVENING = {"name": "Waits", "format": "freezeout"}
OPENED: dict[str, tuple[str, dict[str, Any]]] = {
    "table": ("/v1/tables", TERMS),
    "tournament": ("/v1/tournaments", EVENING),
}
LIMITS = [
    ("table", "turn_seconds", 1, DAY),
    ("table", "between_hands_seconds", 0, DAY),
    ("table", "protest_seconds", 0, 30 * DAY),
    ("tournament", "turn_seconds", 0, DAY),
    ("tournament", "between_hands_seconds", 0, DAY),
    ("tournament", "protest_seconds", 0, 30 * DAY),
    ("tournament", "time_bank_seconds", 0, 0),
    ("tournament", "entropy_seconds", 0, DAY),
]


def opened(operator: Api, what: str, wait: str, seconds: object):
    path, terms = OPENED[what]
    return operator.post(path, terms | {wait: seconds})


def test_every_wait_is_tested_here():
    taken = {"table": NewRingTable, "tournament": NewTournament}
    waits = {
        (what, name) for what, body in taken.items() for name in body().fields if name.endswith("_seconds")
    }
    assert waits == {(what, wait) for what, wait, _least, _most in LIMITS}


@pytest.mark.parametrize(("what", "wait", "least", "most"), LIMITS)
def test_a_wait_may_be_its_least_and_its_greatest(what, wait, least, most, operator):
    for seconds in {least, most}:
        answer = opened(operator, what, wait, seconds)
        assert answer.status_code == 201, answer.text
        shown = answer.json["ring"] if what == "table" else answer.json
        assert shown[wait] == seconds


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: "-".join(limits[:2]))
def test_a_wait_beyond_them_or_of_another_form_is_refused_and_nothing_is_stored(
    limits, operator, services, beside
):
    what, wait, least, most = limits
    until(beside.rests)
    before = services.store.head()
    for wrong in (least - 1, most + 1, 2**53, -(2**63), 1.5, "30", True, None):
        assert list(errors(opened(operator, what, wait, wrong))) == [f"/{wait}"], wrong
    assert services.store.head() == before


def test_r11_2_at_a_table_for_money_no_turn_is_over_before_it_begins(operator):
    answer = opened(operator, "table", "turn_seconds", 0)
    assert answer.json["clause"] == "R11.2"
    assert errors(answer)["/turn_seconds"].startswith("must be from 1 to 86400: ")
