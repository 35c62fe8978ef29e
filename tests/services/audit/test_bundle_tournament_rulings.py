"""A real bundle of a tournament with penalties, who is back, and who took over: it holds, and nothing of it bends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from click.testing import CliRunner

from domain.dispute_events import Penalty
from domain.hand import State
from domain.rulings import Ruling
from services.audit import bundling, checkpoints, keys
from tests.services.audit.bundles import closed, events, opened
from tests.services.audit.cheating import complaints, signed_by_the_house, told, without
from tests.services.projections.house import House, staff
from workers.cli import main


@pytest.fixture(scope="module")
def members(database_url, tmp_path_factory):
    """Of five one is out and back, another plays on for one, and a third is punished."""
    house, data = House(database_url, seed=5), tmp_path_factory.mktemp("data")
    keys.first(house.store.database, None, data)
    t = house.started(5, seats_per_table=3, stack_points=12, protest_seconds=60)
    house.play_on(t, until=lambda: house.tournament(t).outs and len(punishable(house, t)) > 1)
    gone = house.tournament(t).outs[0]
    seat = house.hand(gone.hand_id).seat_of(gone.player_id)
    house.rule(gone.hand_id, Ruling("reinstate", "so", seat=seat, chips=12))
    other = next(hand for hand in settled(house, t) if hand != gone.hand_id)
    out = [each.player_id for each in house.tournament(t).outs]
    there = next(s.seat for s in house.hand(other).terms.seats if s.player_id not in out)
    house.rule(other, Ruling("replace", "so", seat=there, player_id=house.enrol(1)[0]))
    house.pass_time(timedelta(seconds=61))
    house.play_on(t, until=lambda: punishable(house, t))
    hand = punishable(house, t)[0]
    fined, warned, *_ = house.hand(hand).terms.seats
    penalties = (Penalty(fined.seat, "chips", 2), Penalty(warned.seat, "warning", None))
    house.rule(hand, Ruling("penalty", "he talked", penalties=penalties))
    house.pass_time(timedelta(seconds=61))
    house.play_on(t)
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    house.project()
    checkpoints.publish(house.store, None, data)
    yield opened(bundling.of_tournament(house, t, staff()))
    house.close()


def settled(house, t):
    ids = [
        row["hand_id"]
        for row in house.rows("SELECT hand_id FROM projections.hands WHERE tournament_id = %s", t)
    ]
    return [hand for hand in ids if house.hand(hand).state is State.SETTLED]


def punishable(house, t):
    """Hands that are settled, and that nobody has ruled on."""
    house.project()
    return [hand for hand in settled(house, t) if not house.hand(hand).dispute.rulings]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bundle.zip"


def test_it_is_found_right_and_has_all_three(members, file):
    key = members["manifest.json"].split(b'"verifier": "')[1].split(b'"')[0].decode()
    assert complaints(members, key, file) == ([], [])
    for topic in (b"penalties_imposed", b"penalty_carried_out", b"player_reinstated", b"player_replaced"):
        assert b'"tournament.' + topic in members["events.jsonl"], topic


@pytest.mark.parametrize("topic", ["penalties_imposed", "player_reinstated", "player_replaced"])
def test_what_a_ruling_orders_and_the_tournament_does_not_do_is_found(members, file, topic):
    dropped = lambda found: without(found, lambda e: e["topic"].startswith(f"tournament.{topic}"))  # noqa: E731
    own, more = complaints(*signed_by_the_house(members, dropped), file)
    assert own or more


def final_early(found):
    settled = next(e for e in found if e["topic"].startswith("hand.settled"))
    final = next(
        e for e in found if e["topic"].startswith("hand.finalised") and e["stream"] == settled["stream"]
    )
    final["state"]["at"] = settled["state"]["at"]


def by_a_player(found):
    told(found, "hand.ruled")["by"]["role"] = "player"


def other_rules(found):
    told(found, "hand.dealt")["ruleset"]["twos"] = "double_each"


def more_chips(found):
    told(found, "hand.ruled")["chips"] += 5


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (final_early, "is final before the time for protests is over"),
        (by_a_player, "is ruled by a player"),
        (more_chips, "does not follow from the rulings"),
        (other_rules, "is under other rules than those of actionpoker"),
    ],
)
def test_a_ruling_that_nobody_may_make_is_found(members, file, change, why):
    _, more = complaints(*signed_by_the_house(members, change), file)
    assert any(why in each for each in more), more


def test_the_story_tells_who_ruled_what_and_takes_the_beginning_of_an_id(members, file):
    file.write_bytes(closed(members))
    lines = CliRunner().invoke(main, ["audit", "story", str(file), "--hand", ""]).output.splitlines()
    assert len(lines) == 6
    ruled = next(e for e in events(members) if e["topic"].startswith("hand.ruled"))
    done = CliRunner().invoke(main, ["audit", "story", str(file), "--hand", ruled["stream"][:8].upper()])
    line = next(line for line in done.output.splitlines() if ": ruling 1, " in line)
    assert line.startswith(f"#{ruled['index']}  ")
    assert f"credential {ruled['state']['event']['by']['credential_id']}" in line
    assert "is back with 12 chips" in done.output or "takes over from" in done.output
