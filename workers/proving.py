"""What every demo proves at its end: the log's chains, the projections, each hand by the rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from big2.history import verify
from services import bootstrap
from services.audit import LogProof, deal_problem, verify_log
from services.errors import BrokenChain, Unavailable
from services.projections.rebuild import compare
from services.store import Store
from workers.client import Client
from workers.own_service import READY_SECONDS
from workers.showing import Show
from workers.stage import RESTART_SECONDS, own_environment

T = TypeVar("T")


class LogProved(NamedTuple, Generic[T]):
    """A proven log, what was read from the books beside it, and what is wrong with either."""

    proof: LogProof
    books: T
    problems: list[str]

    def count(self, topic: str) -> int:
        """How many events of a topic the log holds."""
        return self.proof.by_topic.get(topic, 0)


def log_proved(data: Path, show: Show, read: Callable[[Store], T], nothing: T) -> LogProved[T]:
    """Follow every chain, rebuild every projection, and `read` the books; `nothing` stands for those of a broken log.

    Straight from the database, not through the service that is to be proved. Begins again when the database goes away
    meanwhile; the supervisor brings it back.
    """
    return until_available(lambda: _proved(data, show, read, nothing))


def _proved(data: Path, show: Show, read: Callable[[Store], T], nothing: T) -> LogProved[T]:
    store = bootstrap.store_in(data, own_environment())
    try:
        try:
            proof = verify_log(store, show.progress("chains of the log"))
        except BrokenChain as broken:  # there is nothing to compare with
            return LogProved(LogProof(0, 0, {}), nothing, [str(broken)])
        differences = compare(store, show.progress("projections by the log"))
        problems = [f"projection {d.table} differs from its rebuild" for d in differences]
        return LogProved(proof, read(store), problems)
    finally:
        store.close()


def until_available(prove: Callable[[], T]) -> T:
    """What `prove` finds, tried again while the database is away."""
    give_up = time.monotonic() + READY_SECONDS
    while True:
        try:
            return prove()
        except Unavailable:
            if time.monotonic() > give_up:
                raise
            time.sleep(RESTART_SECONDS)


def judged(admin: Client, hands: Iterable[dict[str, Any]], show: Show) -> Iterator[str]:
    """What is wrong with the hands: nothing, if the rules accept every one and its seed deals its cards."""
    progress = show.progress("hands by the rules")
    presets, everything = bootstrap.presets(), list(hands)
    for done, hand in enumerate(everything, 1):
        history = admin.get(f"/v1/hands/{hand['hand_id']}/history")
        verdict = verify(history, presets)
        if verdict["verdict"] != "valid":
            yield f"hand {hand['hand_id']}: {verdict}"
        if problem := deal_problem(history):
            yield f"hand {hand['hand_id']}: {problem}"
        progress(done, len(everything))
