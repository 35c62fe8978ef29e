"""What a spreadsheet makes of our tables: texts stay texts, and every value is one cell."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from uuid import UUID

import pytest

from services.spreadsheet import csv_text, harmless

ID = UUID("748658cb-8825-5b6a-bf56-c22ef177bcd5")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\tx", "\rx"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert harmless(text) == f"'{text}"
    [_, [cell]] = csv.reader(io.StringIO(csv_text(["name"], [[text]]), newline=""))
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", ["", "Mei Ling", "1+1", "a=b", "'=1"])
def test_any_other_text_stays_as_it_is(text):
    assert harmless(text) == text


def test_a_negative_amount_is_a_number_and_no_formula():
    assert csv_text(["amount"], [[-1], [2**70]]) == f"amount\r\n-1\r\n{2**70}\r\n"


def test_truth_ids_times_and_nothing_have_each_their_text():
    at = datetime(2027, 1, 29, 19, tzinfo=UTC)
    told = csv_text(("open", "closed", "id", "at", "none"), [(True, False, ID, at, None)], line_end="\n")
    assert told == f"open,closed,id,at,none\ntrue,false,{ID},2027-01-29T19:00:00Z,\n"


def test_commas_quotes_and_line_breaks_stay_in_their_cell():
    row = ["a,b", 'a "b"', "a\nb"]
    [_, found] = csv.reader(io.StringIO(csv_text(["x", "y", "z"], [row]), newline=""))
    assert found == row
