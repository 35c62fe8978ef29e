"""A hundred requests of each kind of wrong: each is refused in our own form, and leaves nothing behind."""

from __future__ import annotations

import json
from random import Random
from uuid import uuid4

import pytest

from tests.services.http.playing import until
from tests.services.http.test_hidden_cards import CARD

VARIATIONS = 100
UNICODE = [
    "\u202e",
    "\u200b",
    "\ufeff",
    "\u0430",
    "\ufb01",
    "\u0661",
    "\u212a",
    "\uff13",
    "\U0001f0c1",
    "\u0000",
]


def _body(random: Random) -> bytes:
    return json.dumps(
        {"name": "x", "format": "freezeout", "unit": random.choice([0, -1, 1.5, "1", None, []])}
    ).encode()


def broken_json(random: Random) -> dict:
    whole = b'{"name":"x","format":"freezeout","unit":1}'
    cut = random.randrange(len(whole))
    return {"data": whole[:cut] + bytes([random.choice(b'{}[]",:\\x00\xff')]) * random.randrange(1, 4)}


def other_encodings(random: Random) -> dict:
    names = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp500"]
    return {"data": json.dumps({"name": f"é{random.random()}"}).encode(random.choice(names))}


def unicode_tricks(random: Random) -> dict:
    name = "".join(random.choices([*UNICODE, "\u0301", "\u034f"], k=random.randrange(1, 70)))
    return {
        "data": json.dumps({"name": name, "format": random.choice(["freezeout\u200b", "ＦＲＥＥＺＥＯＵＴ"])})
    }


def nesting(random: Random) -> dict:
    depth = random.choice([17, 18, 100, 5_000, 30_000])
    opened, closed = random.choice([("[", "]"), ('{"a":', "}")])
    return {"data": opened * depth + ("1" + closed * depth if random.random() < 0.5 else "")}


def duplicate_keys(random: Random) -> dict:
    inner = random.choice(['"unit":1,"unit":2', '"unit":1,"\\u0075nit":2', '"buy_in":{"fee":1,"fee":1}'])
    return {"data": '{"name":"x","format":"freezeout",' + inner + "}"}


def content_types(random: Random) -> dict:
    kinds = [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml",
        "application/json; charset=utf-16", "application/jsonx", "json", "*/*", "application/ld+json", ";",
    ]  # fmt: skip
    return {"data": _body(random), "content_type": random.choice(kinds)}


def huge_numbers(random: Random) -> dict:
    long = "9" * random.randrange(20, 5000)
    number = random.choice([long, f"-{long}", "1e400", "-1e999", "NaN", "-Infinity", "0x10", "1" + "0" * 30])
    member = random.choice(["unit", "capacity"])
    return {"data": f'{{"name":"x","format":"freezeout","{member}":{number}}}'}


def odd_headers(random: Random) -> dict:
    keys = ["", " ", "k" * 256, "a b", "\x7f", "é", "\t", "k" * 4000, "ключ".encode().decode("latin-1")]
    return {"data": _body(random), "headers": {"Idempotency-Key": random.choice(keys)}}


def odd_methods(random: Random) -> dict:
    return {"method": random.choice(["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "X", "CONNECT"])}


def odd_paths(random: Random) -> dict:
    tail = random.choice(
        ["/../", "//", "/%00", "/%2e%2e/", "/.", "%0d%0aX: 1", "/null", "/-1", "/'", "/{id}", "/%ff"]
    )
    return {"method": "GET", "path": f"/v1/tournaments{tail}{random.randrange(10**6)}"}


def odd_queries(random: Random) -> dict:
    values = ["-1", "0", "201", "9" * 40, "1e3", "٣", "1_0", "%00", "x", "[]", "1;limit=2", "%ff", "'--"]
    name = random.choice(["limit", "Limit", "limit[]", "cursor", "as_of", "format"])
    return {"method": "GET", "path": f"/v1/tournaments?{name}={random.choice(values)}"}


def wrong_ids(random: Random) -> dict:
    of = str(uuid4())
    shapes = [of, of.upper(), "{" + of + "}", of.replace("-", ""), f"urn:uuid:{of}", of[:-1], "0" * 32]
    where = random.choice(["tournaments/{}", "hands/{}", "hands/{}/history", "tables/{}/hands", "players/{}"])
    return {"method": "GET", "path": "/v1/" + where.format(random.choice(shapes))}


def macros(random: Random) -> dict:
    """What a template, a shell or a database might take for an order."""
    words = [
        "{{7*7}}",
        "${jndi:ldap://x}",
        "$(id)",
        "'; DROP TABLE x;--",
        "%s%n",
        "@repeat(x,9)",
        "../../etc",
    ]
    return {"data": json.dumps({"name": "x", "format": random.choice(words), random.choice(words): 1})}


KINDS = [
    broken_json, other_encodings, unicode_tricks, nesting, duplicate_keys, content_types, huge_numbers, odd_headers,
    odd_methods, odd_paths, odd_queries, wrong_ids, macros,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_hundred_wrong_requests_of_a_kind_are_refused_and_leave_nothing(kind, operator, services, beside):
    random = Random(kind.__name__)
    until(beside.rests)
    before = services.store.head()
    for _ in range(VARIATIONS):
        asked = {
            "method": "POST",
            "path": "/v1/tournaments",
            "content_type": "application/json",
            **kind(random),
        }
        method, path = asked.pop("method"), asked.pop("path")
        if method == "GET":
            asked.pop("content_type")
        answer = operator.request(method, path, **asked)
        what = (method, path, asked, answer.status_code)
        assert 400 <= answer.status_code < 500, what
        if answer.status_code >= 400:
            assert answer.mimetype == "application/problem+json", what
            assert answer.json["status"] == answer.status_code, what
        assert b"<html" not in answer.data.lower(), what
        assert b"Traceback" not in answer.data, what
        assert not CARD.search(answer.text), what
    assert services.store.head() == before
