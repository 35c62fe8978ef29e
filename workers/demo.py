"""A whole tournament on a service of its own, played by bots over HTTP, and proved at its end.

The driver here keeps the service and the bots alive: kill any of their processes and it goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from big2.history import verify
from services import bootstrap
from services.audit import LogProof, deal_problem, verify_log
from services.errors import BrokenChain, Unavailable
from services.processes import spawn
from services.projections.rebuild import compare
from services.store import Store
from workers.client import Client, Refused
from workers.own_service import end, free_port
from workers.serving import SAFE_IMPORTS
from workers.showing import Show, Summary

READY_SECONDS = 60.0
REFRESH_SECONDS = 0.5
RESTART_SECONDS = 0.2
DEFAULT_MINUTES = 10

TERMS = {"stack_points": 30, "hands_per_level": 2, "turn_seconds": 30, "between_hands_seconds": 0}
"""A turbo: about 25 hands for 64 entrants."""


class DemoFailed(Exception):  # noqa: N818 - what happened
    """The demo did not end as it must; the message says where."""


class Wanted(msgspec.Struct, frozen=True):
    """What the demo plays."""

    entrants: int
    rules: str
    format: str
    seed: int
    minutes: float = DEFAULT_MINUTES


def run(wanted: Wanted, show: Show, data: Path | None = None) -> Summary:
    """Play and prove one tournament in a temporary directory, or in `data`, which is kept."""
    if data is not None:
        data.mkdir(parents=True, exist_ok=True)
        return _run(wanted, show, data)
    with tempfile.TemporaryDirectory(prefix="big2-demo-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's own user must pass through it
        return _run(wanted, show, Path(folder))


def _run(wanted: Wanted, show: Show, data: Path) -> Summary:
    inside = data / "data"
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    started = time.monotonic()
    with _log_file(data) as log:
        serve = ["serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(inside)]
        with _kept_alive("service", serve, log, show):
            admin = Client(url, _admin_token(inside, url))
            show.say(f"serving on {url}, data in {inside}")
            tournament = _set_up(admin, wanted, show)
            bots = [
                "bots",
                "--url",
                url,
                "--token-file",
                str(inside / "admin-token"),
                "--tournament",
                tournament,
            ]
            with _kept_alive("bots", [*bots, "--seed", str(wanted.seed)], log, show):
                _watch(admin, tournament, wanted, show)
            seconds = time.monotonic() - started
            return _proved(admin, tournament, inside, show, seconds)


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


def _watch(admin: Client, tournament: str, wanted: Wanted, show: Show) -> None:
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
        time.sleep(REFRESH_SECONDS)


def _proved(admin: Client, tournament: str, data: Path, show: Show, seconds: float) -> Summary:
    """Judge every hand again, follow every chain, rebuild every projection, count every chip."""
    path = f"/v1/tournaments/{tournament}"
    state = admin.get(path)
    standings = list(admin.pages(f"{path}/standings"))
    hands = list(admin.pages(f"{path}/hands"))
    log = _until_available(lambda: _log_proved(data, tournament, show))
    book = log.book
    winners = [s["name"] for s in standings if s["place"] == 1]
    unclear = [] if len(winners) == 1 else [f"{len(winners)} players have the first place"]
    return Summary(
        entrants=state["entrants"],
        tables=sum(1 for _ in admin.pages(f"{path}/tables")),
        hands=len(hands),
        plays=_count(log.proof, "hand.played.1"),
        events=log.proof.events,
        moves=_count(log.proof, "tournament.player_moved.1"),
        seconds=round(seconds, 1),
        winner=", ".join(winners) or "nobody",
        chips_issued=book.issued,
        chips_end=book.at_players + book.void,
        problems=(
            *_judged(admin, hands, show),
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


class _LogProved(NamedTuple):
    proof: LogProof
    book: _Book
    problems: list[str]


def _log_proved(data: Path, tournament: str, show: Show) -> _LogProved:
    """Straight from the database, not through the service that is to be proved."""
    store = bootstrap.store_in(data, _own_environment())
    try:
        try:
            proof = verify_log(store, show.progress("chain"))
        except BrokenChain as broken:  # there is nothing to compare with
            return _LogProved(LogProof(0, 0, {}), _Book(0, 0, 0, 0), [str(broken)])
        differences = compare(store, show.progress("rebuild"))
        problems = [f"projection {d.table} differs from its rebuild" for d in differences]
        return _LogProved(proof, _book(store, tournament), problems)
    finally:
        store.close()


def _until_available(prove: Callable[[], _LogProved]) -> _LogProved:
    """Begin again when the database goes away meanwhile; the supervisor brings it back."""
    give_up = time.monotonic() + READY_SECONDS
    while True:
        try:
            return prove()
        except Unavailable:
            if time.monotonic() > give_up:
                raise
            time.sleep(RESTART_SECONDS)


def _judged(admin: Client, hands: list[dict[str, Any]], show: Show) -> Iterator[str]:
    """What is wrong with the hands: nothing, if the rules accept every one."""
    progress = show.progress("hands")
    presets = bootstrap.presets()
    for done, hand in enumerate(hands, 1):
        history = admin.get(f"/v1/hands/{hand['hand_id']}/history")
        verdict = verify(history, presets)
        if verdict["verdict"] != "valid":
            yield f"hand {hand['hand_id']}: {verdict}"
        if problem := deal_problem(history):
            yield f"hand {hand['hand_id']}: {problem}"
        progress(done, len(hands))


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


def _count(proof: LogProof, topic: str) -> int:
    return proof.by_topic.get(topic, 0)


def _admin_token(data: Path, url: str) -> str:
    """The first start's token, once the service is ready."""
    give_up = time.monotonic() + READY_SECONDS
    anybody = Client(url)
    while time.monotonic() < give_up:
        try:
            anybody.get("/readyz")
            return (data / "admin-token").read_text().strip()
        except (Refused, OSError):
            time.sleep(RESTART_SECONDS)
    raise DemoFailed(f"the service was not ready after {READY_SECONDS:.0f} s")


@contextmanager
def _kept_alive(name: str, arguments: list[str], log: IO[bytes], show: Show) -> Iterator[None]:
    """Run `big2` with these arguments, and again whenever it fails, until the block is left."""
    over = threading.Event()

    def keep() -> None:
        while True:
            # This thread outlives the child, so the child's end with its parent is its end with the demo.
            child = spawn(
                [sys.executable, *SAFE_IMPORTS, "workers.cli", *arguments],
                env=_own_environment(),
                on_death=signal.SIGTERM,
                output=log,
            )
            while child.poll() is None and not over.wait(RESTART_SECONDS):
                pass
            if over.is_set():
                return end(child)
            if child.returncode == 0:
                return None
            show.say(f"{name} ended ({child.returncode}): starting it again")

    keeper = threading.Thread(target=keep)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def _own_environment() -> dict[str, str]:
    """Ours without what would lead the demo to somebody's real service."""
    return {name: value for name, value in os.environ.items() if name not in bootstrap.VARIABLES}


@contextmanager
def _log_file(data: Path) -> Iterator[IO[bytes]]:
    with (data / "demo.log").open("ab") as log:
        yield log
