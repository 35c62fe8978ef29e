"""`feed`: each event of a tournament once, in order, as everybody may see it; each seat's own cards for that seat."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import Audience, audiences, public_fields
from domain.hand_events import CardsPlayed, Committed, Dealt, Finalised, HandRecorded
from domain.topics import TOPICS
from domain.tournament import Cancelled, Finished, SeedsCommitted
from services.projections.feed import concerned
from tests.domain.samples import values

NAMES_PLAYERS = ("player_id", "substitute_id", "players", "entrants")
CARD = re.compile(r'"([2-9TJQKA][DCHS])"')


def feed(evening):
    return evening.rows()("SELECT * FROM feed ORDER BY position")


def test_each_event_of_a_tournament_stands_there_once_and_in_order(evening):
    world = evening.world
    wanted = [(r.position, world.tournament_of(r), r.topic.rpartition(".")[0]) for r in evening.log]
    assert [(row["position"], row["tournament_id"], row["type"]) for row in feed(evening)] == [
        item for item in wanted if item[1] is not None
    ]


def test_its_data_is_the_event_s_public_fields_and_where_it_belongs(evening):
    by_position = {r.position: r for r in evening.log}
    for row in feed(evening):
        r, data = by_position[row["position"]], msgspec.json.decode(row["data"])
        ids = {"tournament_id": str(row["tournament_id"])}
        if row["table_id"]:
            ids["table_id"] = str(row["table_id"])
        if row["type"].startswith("hand."):
            ids["hand_id"] = str(r.stream)
        at = r.at.isoformat().replace("+00:00", "Z")
        assert {name: data.get(name) for name in ids} == ids
        assert (data["position"], data["type"]) == (r.position, row["type"])
        assert data["at"].rstrip("Z") == at.rstrip("Z")
        public = {name for name, who in audiences(type(r.event)).items() if who is Audience.PUBLIC}
        assert set(data) == {"position", "type", "at", *ids, *public}


def test_it_never_has_a_card_that_does_not_lie_on_the_table(evening):
    on_table: dict = {}
    for row in feed(evening):
        data = msgspec.json.decode(row["data"])
        hand = data.get("hand_id")
        if row["type"] == "hand.played":
            on_table.setdefault(hand, set()).update(data["cards"])
            assert 1 <= len(data["cards"]) <= 5
        assert set(CARD.findall(row["data"])) <= on_table.get(hand, set())


@pytest.mark.parametrize(
    ("kind", "secrets", "told_by"),
    [
        (Committed, ["seed"], Finalised),
        (SeedsCommitted, ["draw_seed"], (Finished, Cancelled)),
        (SeedsCommitted, ["master"], ()),
    ],
)
def test_a_seed_is_told_only_when_it_is_of_no_use_any_more(evening, kind, secrets, told_by):
    kept = {}
    for r in evening.log:
        if isinstance(r.event, kind):
            kept[r.stream] = [getattr(r.event, name) for name in secrets]
    told = {r.position for r in evening.log if isinstance(r.event, told_by)} if told_by else set()
    texts = {row["position"]: row["data"] + str(row["seats"]) for row in feed(evening)}
    before = "".join(text for position, text in texts.items() if position not in told)
    for seeds in kept.values():
        for seed in seeds:
            assert seed.hex() not in before
            assert base64.b64encode(seed).decode() not in before
    assert kept


def test_a_breach_and_the_chain_are_told_nobody(evening):
    for row in feed(evening):
        data = msgspec.json.decode(row["data"])
        assert not {"breach", "prev", "ruleset", "stub", "master", "digest", "command"} & set(data)
    assert any(isinstance(r.event, CardsPlayed) for r in evening.log)


def test_own_cards_stand_apart_for_their_seat_alone(evening):
    dealt = {r.position: r for r in evening.log if isinstance(r.event, Dealt)}
    for row in feed(evening):
        if row["position"] not in dealt:
            assert row["seats"] is None
            continue
        e = dealt[row["position"]].event
        assert row["seats"] == {
            str(s.player_id): {"seat": s.seat, "cards": e.cards[s.seat].split()} for s in e.seats
        }
        assert all(len(own["cards"]) == 13 for own in row["seats"].values())


def test_a_player_s_feed_is_what_concerns_him(evening):
    hands = {
        r.stream: {s.player_id for s in r.event.seats}
        for r in evening.log
        if isinstance(r.event, Dealt | HandRecorded)
    }
    by_position = {r.position: r for r in evening.log}
    for row in feed(evening):
        r = by_position[row["position"]]
        if row["type"] == "hand.committed":
            continue  # the seats are told with the deal
        if row["type"].startswith("hand."):
            assert set(row["players"]) == hands[r.stream]
        else:
            assert sorted(map(str, row["players"])) == sorted(set(told(msgspec.json.decode(row["data"]))))


@pytest.mark.parametrize("kind", TOPICS.values(), ids=TOPICS)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_an_event_concerns_everybody_whom_its_public_fields_name_each_once(kind, data):
    event = data.draw(values(kind))
    assert sorted(map(str, concerned(event))) == sorted(set(told(public_fields(event))))


def told(shown: Any, key: str = "") -> Iterator[str]:
    """The players whom a feed's data names, by the names of its members."""
    if isinstance(shown, dict):
        for name, inner in shown.items():
            yield from told(inner, key if key in NAMES_PLAYERS else name)
    elif isinstance(shown, list | tuple):
        for inner in shown:
            yield from told(inner, key)
    elif key in NAMES_PLAYERS and isinstance(shown, str):
        yield shown
