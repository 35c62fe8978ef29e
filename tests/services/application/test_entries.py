"""Entries and their charge, on the real store: what is decided holds in the moment in which it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from domain.errors import Rejected
from domain.player import PLAYER, bar
from services.application import tournaments
from services.envelope import Change
from tests.services.projections.ring_house import RingHouse

BUY_IN = {"amount": 1000, "fee": 100, "currency": "EUR"}


@pytest.fixture(scope="module")
def house(database_url) -> Iterator[RingHouse]:
    house = RingHouse(database_url)
    yield house
    house.close()


def refusal(house, t, player) -> str:
    with pytest.raises(Rejected) as refused:
        house.enter(t, player)
    return refused.value.code


def test_whoever_is_barred_while_he_is_charged_for_his_entry_does_not_enter(house, monkeypatch):
    t, [player] = house.publish(buy_in=BUY_IN), house.rich(1)
    charged = tournaments._charged

    def barred_meanwhile(*args):
        monkeypatch.setattr(tournaments, "_charged", charged)
        stream = house.store.load(PLAYER, player)
        house.store.append(house.command(), [Change(player, 1, bar(stream.state, "rude"))], stream.read_at)
        return charged(*args)

    monkeypatch.setattr(tournaments, "_charged", barred_meanwhile)
    assert refusal(house, t, player) == "player-barred"
    assert house.purses()[player] == 1100


def test_late_entry_ends_on_its_minute_though_no_worker_is_there_to_end_it(house):
    t = house.publish(buy_in=BUY_IN, minutes_per_level=10, late_entry_levels=1)
    *early, late = house.rich(5)
    house.enter(t, *early[:3])
    house.start(t)
    house.pass_time(timedelta(minutes=9))
    house.enter(t, early[3])
    house.pass_time(timedelta(minutes=1))
    assert refusal(house, t, late) == "registration-closed"
    assert house.tournament(t).entries_open, "nothing has closed them yet"
    assert house.purses()[late] == 1100
