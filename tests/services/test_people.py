"""Names: what can be one, and whose it is."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Conflicting, Refused
from domain.player import PLAYER, enrol
from services import people
from services.commands import Decision, execute, on
from services.envelope import Change, Command
from services.errors import IdempotencyKeyReuse
from services.people import NAME_LENGTH, clean_name, skeleton


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Alice", "Alice"),
        ("  鋤大弟\u3000", "鋤大弟"),
        ("e\u0301ric", "éric"),
        ("O'Brien-Smith (2)", "O'Brien-Smith (2)"),
        ("7", "7"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ('=HYPERLINK("http://x")', '=HYPERLINK("http://x")'),
        ("x" * NAME_LENGTH, "x" * NAME_LENGTH),
        ("e\u0301" * NAME_LENGTH, "é" * NAME_LENGTH),
        ("x\u0323\u0324\u0325", "x\u0323\u0324\u0325"),
        ("Łukasz Żółć 🂱", "Łukasz Żółć 🂱"),
    ],
)
def test_a_name_is_composed_and_stripped(text, name):
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "1 to 40"),
        ("   ", "1 to 40"),
        (" \u3000\u200b", "invisible"),
        ("\ud800", "surrogate"),
        ("a\x00b", "control"),
        ("a\nb", "control"),
        ("a\u202eb", "invisible"),
        ("a\u2028b", "line break"),
        ("a\ue000", "private"),
        ("a\u0378", "does not know"),
        ("\u3164", "invisible"),
        ("\u2800a", "invisible"),
        ("a\ufe0f", "invisible"),
        ("e\u0301" * 100, "1 to 40"),
        ("x" * 41, "1 to 40"),
        ("x\u0323\u0324\u0325\u0326", "marks"),
        ("!!!", "letter or a digit"),
    ],
)
def test_what_is_no_name_is_refused_with_a_reason(text, why):
    with pytest.raises(Refused) as refusal:
        clean_name(text)
    assert refusal.value.code == "validation"
    assert why in refusal.value.errors["/name"]


@given(st.text())
def test_whatever_is_accepted_can_be_stored_and_is_accepted_as_it_is(text):
    try:
        name = clean_name(text)
    except Refused:
        return
    name.encode()
    assert clean_name(name) == name == unicodedata.normalize("NFC", name)
    assert skeleton(name) == skeleton(name.upper().lower()) or not name.isascii()
    assert skeleton(skeleton(name)) == skeleton(name) or not name.isascii()


@pytest.mark.parametrize(
    "other",
    [
        "ALICE",
        "Аlice",
        "ａｌｉｃｅ",
        "AIice",
        "A1ice",
        "Alıce",
        "Αlice",
        "\u216cice".join(["A", ""]),
        "alicе",
    ],
)
def test_look_alikes_have_one_skeleton(other):
    assert skeleton(other) == skeleton("Alice")


@pytest.mark.parametrize(
    ("one", "other"),
    [("ΝΙΚΟΣ", "νικος"), ("Straße", "STRASSE"), ("Player 10", "Player lO"), ("a  b", "A b"), ("٣", "3")],
)
def test_case_digits_and_white_space_make_no_other_name(one, other):
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("Jose", "José"), ("Bob", "Rob"), ("Иван", "Нван"), ("王", "玉")])
def test_other_names_stay_other_names(one, other):
    assert skeleton(one) != skeleton(other)


def enrolment(store, player_id, name, command=None):
    def decide(stream, now):
        return Decision([on(stream, *enrol(player_id))], lambda cursor: people.claim(cursor, player_id, name))

    return execute(store, command or Command(uuid4(), "test", ""), (PLAYER, player_id), decide)


def test_a_player_and_his_name_come_into_being_together(store):
    alice, other, name = uuid4(), uuid4(), f"Alice {uuid4().hex[:8]}"
    enrolment(store, alice, name)
    with pytest.raises(Conflicting) as refusal:
        enrolment(store, other, name.upper().replace("A", "А"))
    assert refusal.value.code == "name-taken"
    assert store.load(PLAYER, other).version == 0
    assert people.names(store.database, [alice, other]) == {alice: name}


def test_a_name_is_not_taken_by_an_enrolment_that_failed(store):
    alice, name = uuid4(), f"Carol {uuid4().hex[:8]}"
    with pytest.raises(ZeroDivisionError):
        store.append(
            Command(uuid4(), "test", ""),
            [Change(alice, 0, enrol(alice))],
            datetime(2026, 1, 1, tzinfo=UTC),
            lambda cursor: (people.claim(cursor, alice, name), 1 / 0),
        )
    assert people.names(store.database, [alice]) == {}
    enrolment(store, uuid4(), name)


def test_of_many_who_want_a_name_at_once_one_gets_it(store):
    name = f"Dave {uuid4().hex[:8]}"

    def want(_):
        try:
            return enrolment(store, uuid4(), name).version
        except Conflicting:
            return 0

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(want, range(32))) == 1


def test_the_same_enrolment_sent_often_at_once_is_one_player(store):
    player, name, command = uuid4(), f"Erin {uuid4().hex[:8]}", Command(uuid4(), "test", "x")
    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(lambda _: enrolment(store, player, name, command), range(32)))
    assert {outcome.version for outcome in outcomes} == {1}
    assert sum(not outcome.repeat for outcome in outcomes) == 1
    with pytest.raises(IdempotencyKeyReuse):
        enrolment(store, player, "Other", Command(command.id, "test", "y"))


def test_an_erased_name_is_gone_and_free(store):
    player, name = uuid4(), f"Faye {uuid4().hex[:8]}"
    enrolment(store, player, name)
    people.erase(store.database, player)
    assert people.names(store.database, [player]) == {}
    assert store.load(PLAYER, player).version == 1
    enrolment(store, uuid4(), name)
