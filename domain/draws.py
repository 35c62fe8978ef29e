"""A tournament's own draws (`b2draw/1`): seats, moves, first dealers. Committed at first, revealed at the end.

    commit = SHA256("b2draw/1/commit\\0" ‖ lp(seed) ‖ lp(tournament_id))
    key    = HMAC-SHA256(seed, "b2draw/1/key\\0" ‖ lp(tournament_id) ‖ lp(purpose))
    block  = HMAC-SHA256(key, "b2draw/1/stream\\0" ‖ be32(i)), drawn from as in `b2deal/1`

A purpose names one occasion by what is drawn (`tables`, `moves/41`: those after the first 41 moves), so each draw can
be checked by itself, and nobody can have it drawn again.
"""

from __future__ import annotations

import hashlib
import hmac

from domain.deal import Draws, lp
from domain.ids import TournamentId


def draw_commitment(seed: bytes, tournament: TournamentId) -> str:
    """What is published before the first entry, as hexadecimal."""
    return hashlib.sha256(b"b2draw/1/commit\0" + lp(seed) + lp(str(tournament))).hexdigest()


def draws_for(seed: bytes, tournament: TournamentId, purpose: str) -> Draws:
    """The draws of one occasion."""
    key = hmac.digest(seed, b"b2draw/1/key\0" + lp(str(tournament)) + lp(purpose), "sha256")
    return Draws(key, b"b2draw/1/stream\0")
