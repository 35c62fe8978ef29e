"""R8 and R10 in money at real tables: the worked examples, the whole schedule, short stacks under each preset."""

from __future__ import annotations

import pytest

from big2.history import verify
from services.bootstrap import presets, stakes
from tests.services.http.lines import play_to
from tests.services.http.playing import until
from tests.services.http.recording import errors
from tests.services.http.ringing import RingGame

ACTIONPOKER = stakes()["actionpoker"].steps
SHORT = {"name": "short", "currency": "USD", "steps": [{"unit": 100, "buy_in": 130, "ante": 30}]}
"""Who buys in for the least has a single point."""


def seat_four(ring: RingGame, *buy_ins: int) -> list[str]:
    """Everybody sits down before the first deal."""
    ring.operator.made(f"{ring.path}/pause")
    players = [ring.sit(seat, buy_in=buy_in) for seat, buy_in in enumerate(buy_ins, 1)]
    ring.operator.made(f"{ring.path}/resume")
    return players


@pytest.mark.parametrize(
    ("left", "liable", "net"),
    [
        ((3, 0, 1, 4), None, (-400, 800, 400, -800)),
        ((5, 0, 3, 8), None, (-400, 1600, 400, -1600)),
        ((3, 0, 5, 9), 1, (-1700, 1700, 0, 0)),  # R8.4: he covers everyone's losses
    ],
)
def test_r8_s0s_worked_examples_in_dollars(left, liable, net, app, operator, services):
    ring = RingGame(app, operator)
    players = seat_four(ring, 5000, 5000, 5000, 5000)
    hand_id = ring.hand_id()
    operator.made(f"{ring.path}/close")
    hand = play_to(services, ring, hand_id, dict(enumerate(left, 1)), liable)
    settlement = hand["settlement"]
    assert tuple(settlement["net"].values()) == net
    assert (settlement["winner"], settlement["liable"]) == (2, liable)
    until(lambda: ring.table()["state"] == "closed")
    assert [ring.purse(player) for player in players] == [99_970 + won for won in net]
    lines = operator.read(f"/v1/ledger/entries?hand={hand_id}&kind=transfer&limit=200")["items"]
    covers = operator.read(f"/v1/ledger/entries?hand={hand_id}&kind=cover&limit=200")["items"]
    paid = [t["paid"] for t in settlement["transfers"] if t["paid"]]
    assert sorted(line["amount"] for line in (*lines, *covers) if line["amount"] > 0) == sorted(paid)
    assert {line["account"] for line in lines} <= {f"stack/{ring.id}/{player}" for player in players}


def test_r8_2_s0s_order_of_payments(app, operator, services):
    """B wins and A has the button: B–C, B–D, B–A, C–D, C–A, D–A."""
    ring = RingGame(app, operator)
    seat_four(ring, 5000, 5000, 5000, 5000)
    hand_id = ring.hand_id()
    operator.made(f"{ring.path}/pause")
    hand = play_to(services, ring, hand_id, {1: 5, 2: 0, 3: 3, 4: 8})
    pairs = [{t["from"], t["to"]} for t in hand["settlement"]["transfers"]]
    assert (hand["dealer"], hand["direction"]) == (1, "clockwise")
    assert pairs == [{2, 3}, {2, 4}, {2, 1}, {3, 4}, {3, 1}, {4, 1}]


@pytest.mark.parametrize("step", ACTIONPOKER, ids=lambda step: str(step.unit))
def test_r10_2_every_table_of_the_schedule_takes_its_ante_at_the_deal(step, app, operator):
    ring = RingGame(app, operator, stake={"schedule": "actionpoker@1", "unit": step.unit}, seats=2)
    stake = ring.opened["ring"]["stake"]
    assert (stake["unit"], stake["buy_in"], stake["ante"]) == (step.unit, step.buy_in, step.ante)
    assert list(errors(ring.put(1, {"player_id": ring.player(), "buy_in": step.buy_in - 1}))) == ["/buy_in"]
    before = ring.balance("rake")
    players = [ring.sit(seat, buy_in=step.buy_in) for seat in (1, 2)]
    hand = ring.hand(ring.hand_id())
    operator.made(f"{ring.path}/pause")
    assert hand["unit"] == step.unit
    assert [s["stack"] for s in hand["seats"]] == [step.buy_in - step.ante] * 2
    assert ring.balance("rake") == before + 2 * step.ante
    assert [ring.stack_of(player) for player in players] == [step.buy_in - step.ante] * 2


@pytest.fixture(scope="module")
def short(operator) -> str:
    return operator.made("/v1/stakes", SHORT)["reference"]


@pytest.mark.parametrize("preset", sorted(presets()))
def test_r8_3_short_stacks_pay_what_they_have_and_are_sat_out(preset, short, app, operator, services):
    ring = RingGame(app, operator, rules=preset, stake={"schedule": short, "unit": 100})
    players = seat_four(ring, 2030, 330, 5030, 130)
    hand_id = ring.hand_id()
    operator.made(f"{ring.path}/pause")
    stacks = {s["seat"]: s["stack"] for s in ring.hand(hand_id)["seats"]}
    assert stacks == {1: 2000, 2: 300, 3: 5000, 4: 100}
    net = play_to(services, ring, hand_id, {1: 3, 2: 0, 3: 5, 4: 9})["settlement"]["net"]
    history = operator.read(f"/v1/hands/{hand_id}/history")
    assert verify(history, presets())["verdict"] == "valid"
    assert sum(net.values()) == 0
    assert net["4"] == -100
    capped = presets()[preset].stake_cap == "loss_and_gain"
    assert (net["2"] <= 300) == capped
    after = {seat: stacks[seat] + net[str(seat)] for seat in stacks}
    assert [ring.stack_of(player) for player in players] == list(after.values())
    seats = {s["seat"]: s for s in ring.table()["seats"]}
    assert {n for n, s in seats.items() if s["sitting_out"]} == {n for n, s in after.items() if s < 130}
    told = errors(ring.put(4, {"sitting_out": False}))
    assert "R10.4" in told["/sitting_out"]
    assert not ring.put(4, {"buy_in": 1000, "sitting_out": False}).json["seats"][3]["sitting_out"]


def test_whoever_has_lost_all_stands_up_with_nothing(short, app, operator, services):
    ring = RingGame(app, operator, stake={"schedule": short, "unit": 100}, seats=2)
    first = ring.sit(1, ring.player(130), buy_in=130)
    ring.sit(2, buy_in=5000)
    play_to(services, ring, ring.hand_id(), {1: 5, 2: 0})
    assert ring.stacks() == {1: 0, 2: 4970 + 100}
    assert ring.leave(1).status_code == 204
    assert ring.purse(first) == 0
