"""The examples in the docstrings run, and every module says what it is about."""

import doctest
import importlib
import pkgutil

import pytest

import big2

MODULES = [f"big2.{module.name}" for module in pkgutil.iter_modules(big2.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module, raise_on_error=False).failed == 0
