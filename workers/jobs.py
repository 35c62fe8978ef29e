"""What RQ runs: ids in, nothing out. A job may run twice, late, or on two machines."""

from __future__ import annotations

import logging
from functools import cache
from uuid import UUID

from domain.ids import HandId, TableId, TournamentId
from services import bootstrap
from services.application import director, hands, payments, ring_jobs, tournaments
from services.audit import checkpoints
from services.audit.checkpoints import ForkedLog
from services.audit.keys import NoKey
from services.bootstrap import Services

log = logging.getLogger(__name__)
JOBS = {
    "start": "workers.jobs.start",
    "draw": "workers.jobs.draw",
    "deal": "workers.jobs.deal",
    "ring": "workers.jobs.ring",
    "turn": "workers.jobs.turn",
    "level": "workers.jobs.level",
    "pause": "workers.jobs.pause",
    "close": "workers.jobs.close",
    "finalise": "workers.jobs.finalise",
    "pay": "workers.jobs.pay",
    "checkpoint": "workers.jobs.checkpoint",
}
"""The agenda's kinds of work, and the checkpoint's; and the function that does each."""


@cache
def services() -> Services:
    """This process's services; made at the first job, so after any fork."""
    return bootstrap.build(bootstrap.settings())


def start(tournament_id: str) -> None:
    """Start a tournament that is full, or whose time has come."""
    tournaments.start_when_due(services(), TournamentId(UUID(tournament_id)))


def draw(tournament_id: str) -> None:
    """Draw the tables of a tournament that has started."""
    director.draw(services().store, TournamentId(UUID(tournament_id)))


def deal(tournament_id: str) -> None:
    """Look at the tournament's tables between hands, and deal where a hand is due."""
    its = services()
    director.advance(
        its.store, its.rulesets.resolve, its.connections.at_tables, TournamentId(UUID(tournament_id))
    )


def ring(table_id: str) -> None:
    """Do what is due at a ring table between hands: deal, let players stand up, close."""
    ring_jobs.advance(services(), TableId(UUID(table_id)))


def turn(hand_id: str, number: int) -> None:
    """Act for a player whose turn is past its deadline (R11.2)."""
    hands.act_for_absent(services(), HandId(UUID(hand_id)), number)


def level(tournament_id: str, number: int) -> None:
    """Raise the level whose time has come."""
    director.raise_level(services().store, TournamentId(UUID(tournament_id)), number)


def pause(table_id: str) -> None:
    """Pause or resume a table after its tournament."""
    director.follow_pauses(services().store, TableId(UUID(table_id)))


def close(table_id: str) -> None:
    """Close a table of a cancelled tournament."""
    director.close_table(services().store, TableId(UUID(table_id)))


def finalise(hand_id: str) -> None:
    """Make a hand final whose protest window is over."""
    hands.finalise(services(), HandId(UUID(hand_id)))


def pay(tournament_id: str, number: int) -> None:
    """Pay a slice of the prizes or refunds that a tournament owes."""
    payments.pay(services(), TournamentId(UUID(tournament_id)), number)


def checkpoint() -> None:
    """Sign the log's head; what keeps it from being signed is for whoever runs the service, and no other try helps."""
    its = services()
    try:
        checkpoints.publish(its.store, its.settings.audit_key, its.settings.data)
    except (NoKey, ForkedLog) as error:
        log.critical("%s", error)
