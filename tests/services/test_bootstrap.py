"""Settings come from the environment, and a wrong one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.connection import Limits
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
        ("BIG2_LOG", "xml"),
        ("BIG2_LOG_LEVEL", "loud"),
        ("BIG2_FEED_SECONDS", "0"),
        ("BIG2_METRICS_TOKEN", "short"),
        ("BIG2_METRICS_TOKEN", "with blanks in it, many"),
        ("BIG2_CONNECTION_FAIR_MS", "0"),
        ("BIG2_CONNECTION_POOR_MS", "250"),
        ("BIG2_CONNECTION_POOR_SECONDS", "15"),
        ("BIG2_CONNECTION_LOST_SECONDS", "5"),
        ("BIG2_WEBHOOK_HOSTS", "hooks.lan,,10.0.0.7"),
        ("BIG2_WEBHOOK_HOSTS", "http://hooks.lan/"),
    ],
)
def test_a_wrong_variable_is_named(variable, value):
    with pytest.raises(SettingsError, match=variable):
        settings({variable: value})


def test_hosts_of_one_s_own_network_are_a_list_that_a_child_process_reads_again():
    found = settings({"BIG2_WEBHOOK_HOSTS": "Hooks.lan, 10.0.0.7,fd00::1"})
    assert found.webhook_hosts == {"hooks.lan", "10.0.0.7", "fd00::1"}
    assert settings(variables(found)).webhook_hosts == found.webhook_hosts
    assert settings(variables(settings({}))).webhook_hosts == frozenset()


def test_thresholds_of_connections_that_do_not_rise_are_named_all_at_once_r11_3():
    environment = {"BIG2_CONNECTION_FAIR_MS": "1000", "BIG2_CONNECTION_LOST_SECONDS": "5"}
    with pytest.raises(SettingsError) as wrong:
        settings(environment)
    assert str(wrong.value) == (
        "BIG2_CONNECTION_POOR_MS must be greater than BIG2_CONNECTION_FAIR_MS;"
        " BIG2_CONNECTION_LOST_SECONDS must be greater than BIG2_CONNECTION_POOR_SECONDS"
    )


def test_the_thresholds_of_connections_are_settings_r11_3(database_url):
    given = {"FAIR_MS": "10", "POOR_MS": "20", "POOR_SECONDS": "3", "LOST_SECONDS": "4"}
    environment = {f"BIG2_CONNECTION_{name}": value for name, value in given.items()}
    services = bootstrap.build(settings(environment | {"DATABASE_URL": database_url}))
    assert services.connections.limits == Limits(10, 20, 3, 4)
    assert bootstrap.build(settings({"DATABASE_URL": database_url})).connections.limits == Limits()
    services.close()


def test_a_child_process_gets_the_same_settings(tmp_path):
    whole = with_urls(settings({"PORT": "81", "BIG2_DATA": str(tmp_path)}))
    assert settings(variables(whole)) == whole
    assert whole.database_url.startswith("postgresql://")
    assert whole.redis_url.startswith("unix://")


SECRETS = {
    "DATABASE_URL": "postgresql://big2:hidden@db/big2",
    "REDIS_URL": "redis://:hidden@cache",
    "BIG2_METRICS_TOKEN": "sixteen-or-more-characters",
}


@pytest.mark.parametrize("variable", SECRETS)
def test_a_secret_may_stand_in_a_file(tmp_path, variable):
    file = tmp_path / "secret"
    file.write_text(f"{SECRETS[variable]}\n")
    found = settings({f"{variable}_FILE": str(file)})
    assert found == settings({variable: SECRETS[variable]})
    child = {f"{variable}_FILE": str(file), **variables(found)}
    file.unlink()
    assert settings(child) == found


@pytest.mark.parametrize("variable", SECRETS)
def test_a_secret_s_file_that_will_not_do_is_named_and_the_secret_is_not(tmp_path, variable):
    file = tmp_path / "secret"
    environment = {f"{variable}_FILE": str(file)}
    with pytest.raises(SettingsError, match=f"{variable}_FILE: cannot read .*: No such file"):
        settings(environment)
    file.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="it is not UTF-8"):
        settings(environment)
    file.write_text(" \n")
    with pytest.raises(SettingsError, match="is empty"):
        settings(environment)
    file.write_text("hid den")
    with pytest.raises(SettingsError, match=f"^{variable} must") as wrong:
        settings(environment)
    assert "hid den" not in str(wrong.value)
    with pytest.raises(SettingsError, match=f"{variable} and {variable}_FILE are both set"):
        settings(environment | {variable: SECRETS[variable]})


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
