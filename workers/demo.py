"""A whole tournament on a service of its own, played by bots over HTTP, and proved at its end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from services.store import Store
from workers.client import Client
from workers.proving import judged, log_proved
from workers.showing import Show, Summary
from workers.stage import DemoFailed, Kept, staged

REFRESH_SECONDS = 0.5
DEFAULT_MINUTES = 30

TERMS = {"stack_points": 30, "hands_per_level": 2, "turn_seconds": 30, "between_hands_seconds": 0}
"""A turbo: about 25 hands for 64 entrants."""


class Wanted(msgspec.Struct, frozen=True):
    """What the demo plays."""

    entrants: int
    rules: str
    format: str
    seed: int
    minutes: float = DEFAULT_MINUTES


def run(wanted: Wanted, show: Show, data: Path | None = None) -> Summary:
    """Play and prove one tournament in a temporary directory, or in `data`, which is kept."""
    started = time.monotonic()
    with staged(show, data) as stage:
        tournament = _set_up(stage.admin, wanted, show)
        with stage.bots("--tournament", tournament, "--seed", str(wanted.seed)) as bots:
            _watch(stage.admin, tournament, wanted, show, bots)
        return _proved(stage.admin, tournament, stage.data, show, time.monotonic() - started)


def _set_up(admin: Client, wanted: Wanted, show: Show) -> str:
    terms: dict[str, Any] = {
        "name": f"Demo {wanted.format}",
        "format": wanted.format,
        "rules": wanted.rules,
        "capacity": wanted.entrants,
        **TERMS,
    }
    tournament = str(admin.post("/v1/tournaments", terms)["tournament_id"])
    for number in range(1, wanted.entrants + 1):
        name = f"House {number:03} {tournament[:4]}"  # so that a kept folder can have another demo
        player = admin.post("/v1/players", {"name": name})["player_id"]
        admin.post(f"/v1/tournaments/{tournament}/entries", {"player_id": player})
        show.entering(number, wanted.entrants)
    if wanted.format != "sit_and_go":  # which starts by itself when it is full
        admin.post(f"/v1/tournaments/{tournament}/start")
    return tournament


def _watch(admin: Client, tournament: str, wanted: Wanted, show: Show, bots: Kept) -> None:
    give_up = time.monotonic() + wanted.minutes * 60
    path = f"/v1/tournaments/{tournament}"
    while True:
        state = admin.get(path)
        show.standings(state, admin.get(f"{path}/standings?limit=10")["items"])
        if state["state"] == "finished":
            return
        if state["state"] == "cancelled":
            raise DemoFailed("the tournament was cancelled")
        if time.monotonic() > give_up:
            raise DemoFailed(f"the tournament is still {state['state']} after {wanted.minutes} minutes")
        bots.must_live()
        time.sleep(REFRESH_SECONDS)


def _proved(admin: Client, tournament: str, data: Path, show: Show, seconds: float) -> Summary:
    """Judge every hand again, follow every chain, rebuild every projection, count every chip."""
    path = f"/v1/tournaments/{tournament}"
    state = admin.get(path)
    standings = list(admin.pages(f"{path}/standings"))
    hands = list(admin.pages(f"{path}/hands"))
    log = log_proved(data, show, lambda store: _book(store, tournament), _Book(0, 0, 0, 0))
    book = log.books
    winners = [s["name"] for s in standings if s["place"] == 1]
    unclear = [] if len(winners) == 1 else [f"{len(winners)} players have the first place"]
    return Summary(
        entrants=state["entrants"],
        tables=sum(1 for _ in admin.pages(f"{path}/tables")),
        hands=len(hands),
        plays=log.count("hand.played.1"),
        events=log.proof.events,
        moves=log.count("tournament.player_moved.1"),
        seconds=round(seconds, 1),
        winner=", ".join(winners) or "nobody",
        chips_issued=book.issued,
        chips_end=book.at_players + book.void,
        problems=(
            *judged(admin, hands, show),
            *log.problems,
            *unclear,
            *_unbalanced(book, state, standings),
        ),
    )


class _Book(NamedTuple):
    """A tournament's chips by the ledger."""

    issued: int
    at_players: int
    void: int
    sum: int


def _book(store: Store, tournament: str) -> _Book:
    with store.database.transaction() as cur:
        cur.execute(
            "SELECT COALESCE(-sum(amount) FILTER (WHERE account = 'issued'), 0),"
            " COALESCE(sum(amount) FILTER (WHERE player_id IS NOT NULL), 0),"
            " COALESCE(sum(amount) FILTER (WHERE account = 'void'), 0), COALESCE(sum(amount), 0)"
            " FROM projections.ledger_lines WHERE tournament_id = %s",
            (tournament,),
        )
        row = cur.fetchone()
        assert row is not None
        return _Book(*map(int, row))


def _unbalanced(book: _Book, state: dict[str, Any], standings: list[dict[str, Any]]) -> Iterator[str]:
    """Where the ledger does not sum up, or says otherwise than the terms and the standings."""
    if book.sum:
        yield f"the chips' book sums to {book.sum}, not 0"
    if book.issued != state["entrants"] * state["stack_points"] * state["unit"]:
        yield f"{book.issued} chips were issued, not a stack for each entrant"
    if book.at_players != sum(s["chips"] for s in standings):
        yield "the standings show other chips than the ledger"
