# Each target works in a fresh clone: it makes .venv first, quickly when that is up to date.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
MUTATION_STAMP := .venv/.mutation

.PHONY: help setup demo serve test check lint prove decks mutants sim bench lock clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

setup: $(STAMP)  ## the virtual environment; quick when it is up to date

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Big 2 needs Python 3.11 or later; set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "setting up .venv (once; about a minute)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup  ## a whole 64-entrant tournament on a temporary server, verified at its end
	@$(BIN)/big2 demo

serve: setup  ## everything on http://127.0.0.1:8000, kept in ./data
	@$(BIN)/big2 serve

test: setup  ## every test, against real PostgreSQL, Valkey and processes
	@$(BIN)/python -m pytest

lint: setup  ## ruff, import contracts, mypy strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy

check: lint  ## everything that CI and a reviewer want: the lint above, the tests, and how much they cover
	@$(BIN)/python -m pytest --cov --cov-report=
	@$(BIN)/coverage report --include='big2/*,domain/*' --fail-under=100
	@$(BIN)/coverage report --fail-under=95

prove: setup  ## all 2,598,960 sets of five cards against a slow reference; some minutes
	@$(BIN)/python -m tests.proof.five_cards

decks: setup  ## a million shuffled decks against chance; some minutes, DECKS=5000 shuffles so many
	@$(BIN)/python -m tests.proof.decks $(DECKS)

mutants: setup $(MUTATION_STAMP)  ## how many changes of the rules the tests notice, 90 of 100 at least; half an hour
	@$(BIN)/python -m tests.mutation.run

$(MUTATION_STAMP): requirements-mutation.lock | $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-mutation.lock
	@touch $@

sim: setup  ## tournaments from seeds, under fire; SEEDS=1000 plays so many
	@$(BIN)/python -m tests.harness.sim --seeds $(or $(SEEDS),200)

bench: setup  ## how fast it is, as ratios within one run; only=rules, append, api, replay, feeds or scale
	@$(BIN)/python -m tests.bench $(if $(only),--only $(only))

lock:  ## after a change of pyproject.toml's dependencies (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --all-extras --no-header --no-annotate --output-file requirements.lock pyproject.toml
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --group mutation --constraint requirements.lock --no-header --no-annotate --output-file requirements-mutation.lock

clean:
	@rm -rf .venv .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache mutants
