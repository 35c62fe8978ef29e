"""A bundle's tournament decided again: seats, moves, lots, places and prizes, as `big2 verify-draw` does from the log.

Its first event is withheld, for it holds the master of all deals. The seed of the draws is revealed at the end, so the
event can be put together again but for the master; the roots of coming hands, which follow from that, are taken as
they stand (`services.audit.rooted` leads each hand's commitment to one).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from domain.coming_deals import root_from
from domain.draws import draw_commitment
from domain.events import Event
from domain.ids import TableId, TournamentId, roster_id
from domain.table_events import NextDealsCommitted
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
    whole = put_together(members)
    if not whole:
        return "no tournament is in it: none to check"
    t, first = TournamentId(whole[0].stream), whole[0].event
    assert isinstance(first, SeedsCommitted)
    roster = streams(members, "roster").get(roster_id(t), [])
    at_tables = [rooted_anew(t, events) for events in streams(members, "table").values()]
    wrong = next(tournament_events(whole, roster, at_tables), None)
    if wrong is not None:
        raise verify.Wrong(f"{wrong.where}: {wrong.what}")
    counted = _counted([r.event for r in whole])
    return f"{counted} follow from the seed whose commitment is {first.draw_commitment}"


def put_together(members: Members) -> list[Recorded]:
    """The tournament's events, the withheld one among them but for its master; none where it is not in the bundle."""
    found = streams(members, "tournament")
    if not found:
        return []
    [(stream, events)] = found.items()
    ends = [r.event for r in events if isinstance(r.event, Finished | Cancelled)]
    if not ends:
        raise verify.Wrong(f"tournament {stream}: is not over, and its seed is not revealed")
    t, seed = TournamentId(stream), ends[0].draw_seed
    return [_first(members, t, seed, events[0]), *rooted_anew(t, events)]


def rooted_anew(t: TournamentId, events: Sequence[Recorded]) -> list[Recorded]:
    """A tournament's or a table's events, with the roots that our master leads to."""
    return [_rooted(t, r) for r in events]


def _first(members: Members, t: TournamentId, seed: bytes, second: Recorded) -> Recorded:
    """The withheld event, which stands in the same append as the one behind it."""
    line = next(each for each in verify.read_events(members) if each["stream"] == str(t))
    event = SeedsCommitted(
        tournament_id=t, master=_MASTER, draw_seed=seed, draw_commitment=draw_commitment(seed, t)
    )
    return replace(second, version=1, position=line["position"], topic=line["topic"], event=event)


def _rooted(t: TournamentId, r: Recorded) -> Recorded:
    if isinstance(r.event, NextDealsCommitted):
        root = root_from(_MASTER, str(t), TableId(r.stream), r.event.first_hand)
        return replace(r, event=replace(r.event, root=root))
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
