"""Bundles of whatever an evening has hold: leagues, real cards, money, late and again, cancelled, still running."""

from __future__ import annotations

from domain.errors import NotAllowed
from services.audit import bundling, checkpoints, keys
from services.audit.judging import verdicts
from services.bootstrap import presets
from tests.services.projections.evening import Evening
from tests.services.projections.house import House, staff


def test_everything_of_an_evening_is_found_right_by_the_engine_too(database_url, tmp_path):
    house, tried = House(database_url), []
    keys.first(house.store.database, None, tmp_path)
    evening = Evening(house)
    checkpoints.publish(house.store, None, tmp_path)
    file = tmp_path / "bundle.zip"
    for name, t in evening.ids.items():
        try:
            file.write_bytes(bundling.of_tournament(house, t, staff()))
        except NotAllowed:  # no hand of it is final
            continue
        wrong = [each for each in verdicts(str(file), presets()) if each.holds is False]
        assert not wrong, (name, wrong)
        tried.append(name)
    assert {"long", "rained off", "league", "real cards", "money", "money, rained off", "late"} <= {*tried}
    house.close()
