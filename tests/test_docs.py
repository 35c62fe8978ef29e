"""Every module says what it is about, and the examples in the docstrings run."""

import doctest
import importlib
import pkgutil
import re

import pytest

import big2
import config
import domain
import services
import workers

PACKAGES = (big2, domain, services, workers, config)
MODULES = [
    module.name
    for package in PACKAGES
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith(("wsgi", "gunicorn_conf"))  # which start the service
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module, raise_on_error=False).failed == 0


def test_the_rules_name_all_their_modules_in_reading_order():
    named = set(re.findall(r"`(\w+)`", big2.__doc__))
    assert {module.name for module in pkgutil.iter_modules(big2.__path__)} <= named
