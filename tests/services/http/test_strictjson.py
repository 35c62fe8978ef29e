"""A body has one reading, or none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.http.strictjson import NotJsonError, digest, loads

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_json_is_read_as_it_is(value):
    assert loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b'{"a":1,"a":2}', b"NaN", b"[-Infinity]", b"1e999", b"01", b"1" * 20,
     b"-" + b"1" * 20, b"[" * 17 + b"]" * 17, b'{"a":' * 17 + b"1" + b"}" * 17, b"{} {}",
     "{}".encode("utf-16"), b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_json_here_is_refused(raw):
    with pytest.raises(NotJsonError):
        loads(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 16 + b"]" * 16,
        b'"[[[[[[[[[[[[[[[[[[[["',
        b'["\\"[[[[[[[[[[[[[[[[[", 1]',
        b"9" * 19,
        b"-" + b"9" * 19,
    ],
)
def test_brackets_in_texts_are_no_depth_and_signs_no_digits(raw):
    loads(raw)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (b'{"unit": 1, "name": "X", "unit": 2}', '"unit"'),
        (b'{"b": 1, "a": 1, "a": 2, "b": 2, "a": 3}', '"b", "a"'),
        (b'{"a\\n\\u202e": 1, "a\\n\\u202e": 2}', r'"a\n\u202e"'),
        (b'{"\\ud800": 1, "\\ud800": 2}', r'"\ud800"'),
    ],
)
def test_members_that_stand_there_twice_are_named_and_their_names_do_nothing(raw, named):
    with pytest.raises(NotJsonError) as told:
        loads(raw)
    assert str(told.value) == f"The body names a member twice: {named}."


def test_the_digest_is_of_the_value_and_not_of_its_writing():
    assert digest(loads(b'{"a": 1, "b": [2]}')) == digest(loads(b'{"b":[2],"a":1}'))
    assert digest({"a": 1}) != digest({"a": "1"})
    assert digest("\ud800") != digest("\ud801")
