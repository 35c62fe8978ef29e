"""Settings come from the environment, and a wrong one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from services import bootstrap
from services.bootstrap import SettingsError, settings, variables, with_urls


def test_without_an_environment_everything_has_a_default():
    found = settings({})
    assert (found.host, found.port, found.data, found.database_url) == ("127.0.0.1", 8000, Path("data"), None)


def test_the_environment_counts_and_a_command_s_options_come_first():
    environment = {"PORT": "80", "BIG2_HOST": "::1", "BIG2_DATA": "/srv/b2", "REDIS_URL": ""}
    found = settings(environment, port=81, host=None)
    assert (found.host, found.port, found.data, found.redis_url) == ("::1", 81, Path("/srv/b2"), None)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "８０"),
        ("BIG2_POOL_SIZE", "-1"),
        ("DATABASE_URL", "mysql://x"),
        ("REDIS_URL", "localhost:6379"),
    ],
)
def test_a_wrong_variable_is_named(variable, value):
    with pytest.raises(SettingsError, match=variable):
        settings({variable: value})


def test_a_child_process_gets_the_same_settings(tmp_path):
    whole = with_urls(settings({"PORT": "81", "BIG2_DATA": str(tmp_path)}))
    assert settings(variables(whole)) == whole
    assert whole.database_url.startswith("postgresql://")
    assert whole.redis_url.startswith("unix://")


def test_urls_of_yours_are_kept():
    mine = {"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://r"}
    whole = with_urls(settings(mine))
    assert (whole.database_url, whole.redis_url) == ("postgresql://db/x", "redis://r")


def test_the_presets_are_the_rule_files():
    assert "actionpoker" in bootstrap.presets()
    assert list(bootstrap.presets()) == sorted(bootstrap.presets())


def test_services_are_built_on_a_database(database_url):
    services = bootstrap.build(settings({"DATABASE_URL": database_url}))
    assert services.store.head() == 0
    assert services.rulesets.presets == bootstrap.presets()
    services.close()
