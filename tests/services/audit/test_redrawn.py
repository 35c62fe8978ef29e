"""What a tournament drew is decided again from its bundle alone: the first thing that does not follow is named."""

from __future__ import annotations

import re

import pytest

from services.audit import bundling, verify
from services.audit.redrawn import redrawn
from services.audit.rooted import rooted
from tests.services.audit.bundles import events, opened, with_lines, written
from tests.services.projections.house import staff


@pytest.fixture(scope="module")
def members(house):
    return opened(bundling.of_tournament(house, house.over, staff()))


def with_changed(members, topic, change):
    """The bundle with the first event of a topic changed, and nothing made to fit."""
    changed, done = [], False
    for event in events(members):
        if event["topic"].startswith(topic) and not done:
            change(event["state"]["event"])
            done = True
        changed.append(written(event))
    assert done
    return with_lines(members, changed)


def test_seats_moves_and_places_follow_from_the_revealed_seed(members):
    told = redrawn(members)
    assert re.fullmatch(r"1[0-9] seats, [0-9]+ moves and 11 places follow from the seed whose .*", told)


@pytest.mark.parametrize(
    ("topic", "change"),
    [
        ("tournament.player_moved", lambda event: event.update(to_seat=event["to_seat"] % 4 + 1)),
        ("tournament.placed", lambda event: event.update(place=event["place"] - 1)),
        (
            "tournament.tables_drawn",
            lambda event: event["tables"][0].update(dealer=event["tables"][0]["dealer"] % 4 + 1),
        ),
        ("tournament.finished", lambda event: event["standings"].reverse()),
    ],
    ids=["a move", "a place", "a button", "the standings"],
)
def test_what_does_not_follow_is_named(members, topic, change):
    altered = with_changed(members, topic, change)
    with pytest.raises(verify.Wrong, match="tournament "):
        redrawn(altered)


def test_another_seed_has_another_commitment_and_other_seats(members):
    def other(event):
        event["draw_seed"] = "A" * 43 + "="

    with pytest.raises(verify.Wrong):
        redrawn(with_changed(members, "tournament.finished", other))


def test_a_hands_bundle_has_no_tournament_to_check(house):
    hand = house.rows("SELECT hand_id FROM projections.hands WHERE tournament_id = %s LIMIT 1", house.over)[0]
    members = opened(bundling.of_hand(house, hand["hand_id"], staff()))
    assert redrawn(members) == "no tournament is in it: none to check"


def test_each_commitment_is_under_a_root_from_before_the_seats(members, house):
    [hands] = house.rows("SELECT count(*) AS n FROM projections.hands WHERE tournament_id = %s", house.over)
    assert rooted(members) == f"{hands['n']} commitments are under roots that are older than the seats"


@pytest.mark.parametrize("change", ["root", "path", "commitment", "order"])
def test_a_commitment_that_was_not_fixed_before_the_seats_is_named(members, change):
    def altered(event):
        match change:
            case "root":
                event["roots"][0]["root"] = "0" * 64
            case "path":
                event["path"][3] = "0" * 64
            case "commitment":
                event["commitment"] = "0" * 64

    topic = "tournament.deals_committed" if change == "root" else "hand.committed"
    wrong = with_changed(members, topic, altered)
    if change == "order":
        late = [
            e | {"position": 10**6} if e["topic"].startswith("tournament.deals") else e
            for e in events(members)
        ]
        wrong = with_lines(members, [written(e) for e in late])
    with pytest.raises(verify.Wrong, match="under no root from before the seats"):
        rooted(wrong)
