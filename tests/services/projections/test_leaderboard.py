"""`leaderboard`: each player's hands, wins, points and places, over all tournaments."""

from __future__ import annotations

from domain.hand_events import Dealt, HandRecorded
from domain.table import HandEnded
from domain.tournament import Finished


def test_it_is_the_sum_of_all_hands_and_places(evening):
    def look(tables, world):
        shown = newest(tables["leaderboard"])
        assert shown == {player: line | {"player_id": player} for player, line in expected(world).items()}

    evening.walk(look)


def test_a_row_stays_as_it_was_so_that_any_position_can_be_read(evening):
    rows: list = []

    def look(tables, _world):
        assert [row for row in tables["leaderboard"] if row in rows] == rows
        rows[:] = tables["leaderboard"]

    evening.walk(look)
    assert len(rows) > len(newest(rows))


def newest(rows):
    return {row["player_id"]: row for row in sorted(rows, key=lambda row: row["position"])}


def expected(world):
    lines: dict = {}

    def line(player, r):
        blank = {"season": "all", "hands": 0, "wins": 0, "points": 0, "tournaments": 0, "first_places": 0}
        found = lines.setdefault(player, {**blank, "best_place": None})
        found["position"] = r.position
        return found

    for r in world.of(HandEnded, Finished):
        if isinstance(r.event, Finished):
            for standing in r.event.standings:
                mine = line(standing.player_id, r)
                mine["tournaments"] += 1
                mine["first_places"] += standing.place == 1
                mine["best_place"] = min(standing.place, mine["best_place"] or standing.place)
        elif r.event.winner is not None:
            hand = world.stream(r.event.hand_id)
            dealt = next(d.event for d in hand if isinstance(d.event, Dealt | HandRecorded))
            for seat in dealt.seats:
                mine = line(seat.player_id, r)
                mine["hands"] += 1
                mine["wins"] += seat.seat == r.event.winner
                mine["points"] += r.event.points[seat.seat]
    return lines


def test_points_sum_to_zero_and_each_finished_tournament_has_one_first_place(evening):
    rows = newest(evening.rows()("SELECT * FROM leaderboard")).values()
    assert (sum(row["points"] for row in rows), sum(row["first_places"] for row in rows)) == (0, 6)


def test_each_further_tournament_adds_to_those_before(house):
    who = house.enrol(2)
    places: list[dict] = []
    while len({place for had in places for player, place in had.items() if player == who[0]}) < 2:
        t = house.publish(format="sit_and_go", capacity=2, seats_per_table=2, stack_points=1)
        house.enter(t, *who)
        house.play_on(t)
        places.append({s.player_id: s.place for s in house.tournament(t).standings})
        assert len(places) < 50
    for player in who:
        row = newest(house.rows("SELECT * FROM projections.leaderboard WHERE player_id = %s", player))[player]
        assert row["tournaments"] == len(places)
        assert row["best_place"] == 1
        assert row["first_places"] == sum(had[player] == 1 for had in places)
