"""What pytest must know under mutmut: a mutant starts from nothing, quick tests go first, chance is the same each time.

PYTEST_DONT_REWRITE
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from mutmut.state import state

IMPORTED_ANEW = ("big2", "tests.big2", "tests.proof")
KEPT = "big2.book."
"""What is built once and kept: who calls it first says nothing of who relies on it. R3 has the tests of all of it."""

TESTS_OF_KEPT = ("tests/big2/test_r03_card_sets.py", "tests/big2/test_five_cards.py")
COLLECTING = "stats"
ENDLESS = 24
"""The exit status that mutmut calls a timeout."""

SECONDS = 30
"""What any test may take of the processor beside ten times its usual time: where nothing is kept, books are written."""


settings.register_profile(
    "mutation",
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutation")


class AtImport:
    """While mutmut learns which test calls what: the functions that run when modules are imported.

    They belong to no test in particular. Those that no test calls by itself are held against all of them.
    """

    def __init__(self) -> None:
        self.called: set[str] = set()
        self.only: set[str] = set()

    def pytest_collection_finish(self) -> None:
        self.called = set(state()._stats)
        state()._stats.clear()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        tests_of, tests = state().tests_by_mangled_function_name, {item.nodeid for item in session.items}
        self.only = {function for function in self.called if not tests_of.get(function)}
        for function in self.called | set(tests_of):
            if function.startswith(KEPT):
                called_by = tests_of.get(function, set()) | tests
                tests_of[function] = {test for test in called_by if test.startswith(TESTS_OF_KEPT)}
            elif function in self.only:
                tests_of[function] = tests


AT_IMPORT = AtImport()


def pytest_configure(config: pytest.Config) -> None:
    """A mutant's process is forked from one that has imported everything and filled all caches, without it."""
    under_test = os.environ.get("MUTANT_UNDER_TEST", "")
    if under_test == COLLECTING:
        config.pluginmanager.register(AT_IMPORT)
    function, _, _ = under_test.rpartition("__mutmut_")
    if function in AT_IMPORT.only or function.startswith(KEPT):
        for name in _within(IMPORTED_ANEW, list(sys.modules)):
            del sys.modules[name]


def _within(packages: Iterable[str], names: Iterable[str]) -> list[str]:
    return [name for name in names if any(f"{name}.".startswith(f"{package}.") for package in packages)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first failure ends a mutant's run, so the slowest tests come last."""
    items.sort(key=lambda item: state().duration_by_test.get(item.nodeid, 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A mutant that never ends is told by the processor's time of one test, not by the clock's of all its tests."""
    if "__mutmut_" in os.environ.get("MUTANT_UNDER_TEST", ""):
        signal.signal(signal.SIGVTALRM, lambda *_: os._exit(ENDLESS))
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS + 10 * state().duration_by_test.get(item.nodeid, 0.0))
    return (yield)
