"""A bundle's tournament decided again: seats, moves, lots, places and prizes, as `big2 verify-draw` does from the log.

Its first event is withheld, for it holds the master of all deals. The seed of the draws is revealed at the end, so the
event can be put together again but for the master; the roots of coming hands, which follow from that, are taken as
they stand (`services.audit.rooted` leads each hand's commitment to one).
"""

from __future__ import annotations

from msgspec.structs import replace

from domain.coming_deals import root_from
from domain.draws import draw_commitment
from domain.events import Event
from domain.ids import TournamentId, roster_id
from domain.tournament_events import (
    Cancelled,
    DealsCommitted,
    Finished,
    LateSeated,
    Placed,
    PlayerMoved,
    SeedsCommitted,
    TablesDrawn,
)
from services.audit import verify
from services.audit.opened import Members, streams
from services.doctor.replay_tournaments import tournament_events
from services.envelope import Recorded

_MASTER = bytes(32)
"""In the place of the one that nobody is told."""


def redrawn(members: Members) -> str:
    """What of the tournament follows from its seed and its hands' results; `verify.Wrong` at the first place."""
    found = streams(members, "tournament")
    if not found:
        return "no tournament is in it: none to check"
    [(stream, events)] = found.items()
    ends = [r.event for r in events if isinstance(r.event, Finished | Cancelled)]
    if not ends:
        raise verify.Wrong(f"tournament {stream}: is not over, and its seed is not revealed")
    t, seed = TournamentId(stream), ends[0].draw_seed
    whole = [_first(members, t, seed, events[0]), *(_rooted(t, r) for r in events)]
    roster = streams(members, "roster").get(roster_id(t), [])
    wrong = next(tournament_events(whole, roster, list(streams(members, "table").values())), None)
    if wrong is not None:
        raise verify.Wrong(f"{wrong.where}: {wrong.what}")
    counted = _counted([r.event for r in events])
    return f"{counted} follow from the seed whose commitment is {draw_commitment(seed, t)}"


def _first(members: Members, t: TournamentId, seed: bytes, second: Recorded) -> Recorded:
    """The withheld event, which stands in the same append as the one behind it."""
    line = next(each for each in verify.read_events(members) if each["stream"] == str(t))
    event = SeedsCommitted(
        tournament_id=t, master=_MASTER, draw_seed=seed, draw_commitment=draw_commitment(seed, t)
    )
    return replace(second, version=1, position=line["position"], topic=line["topic"], event=event)


def _rooted(t: TournamentId, r: Recorded) -> Recorded:
    """The event, with the roots that our master leads to."""
    if not isinstance(r.event, DealsCommitted):
        return r
    roots = tuple(replace(each, root=root_from(_MASTER, str(t), each.table_id, 1)) for each in r.event.roots)
    return replace(r, event=replace(r.event, roots=roots))


def _counted(events: list[Event]) -> str:
    seats = sum(len(drawn.places) for e in events if isinstance(e, TablesDrawn) for drawn in e.tables)
    late, moves, places = (
        sum(isinstance(e, kind) for e in events) for kind in (LateSeated, PlayerMoved, Placed)
    )
    return f"{seats + late} seats, {moves} moves and {places} places"
