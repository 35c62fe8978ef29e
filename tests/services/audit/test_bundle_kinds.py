"""Bundles of tournaments for money and of cancelled ones are found right as well."""

from __future__ import annotations

from services.audit import bundling, checkpoints, keys, verify
from tests.services.projections.house import House, staff

TERMS = {"stack_points": 10, "buy_in": {"amount": 1000, "fee": 100, "currency": "EUR"}, "guarantee": 4001}


def test_one_for_money_and_one_that_was_cancelled_in_the_middle(database_url, tmp_path):
    house = House(database_url)
    keys.first(house.store.database, None, tmp_path)
    money = house.publish(**TERMS)
    house.enter(money, *house.rich(5))
    house.start(money)
    house.play_on(money)
    cancelled = house.started(6)
    house.play_on(cancelled, lambda: len(house.running(cancelled)) == 2)
    house.cancel(cancelled)
    for _ in range(4):
        house.work()
    checkpoints.publish(house.store, None, tmp_path)
    file = tmp_path / "bundle.zip"
    for of, told in ((money, "2 prizes, 5000 in all"), (cancelled, "none were awarded")):
        file.write_bytes(bundling.of_tournament(house, of, staff()))
        found = {name: (holds, what) for name, holds, what in verify.checks(str(file))}
        assert all(holds for holds, _ in found.values()), found
        assert found["prizes"][1].startswith(told)
    house.close()
