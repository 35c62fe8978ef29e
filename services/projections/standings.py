"""`standings`: each player's chips, points and hands. A change is a new row, so any position can be read.

A player's row as of a position is his newest one at or below it. It is as ruled; `corrections` has what rulings made of
it, event by event: without them it is as played. So `out_place` is the place that a player had when he went
out, whatever came of it, and `out_at` where the log says that he did.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from domain import roster
from domain import table_events as table
from domain import tournament_events as tournament
from domain.ids import PlayerId
from domain.placing import Tally
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE standings (
    tournament_id uuid NOT NULL,
    player_id uuid NOT NULL,
    position bigint NOT NULL,
    chips numeric NOT NULL,
    points bigint NOT NULL DEFAULT 0,
    hands bigint NOT NULL DEFAULT 0,
    hands_won bigint NOT NULL DEFAULT 0,
    cards_left bigint NOT NULL DEFAULT 0,
    table_id uuid,
    place integer,
    tied boolean NOT NULL DEFAULT false,
    no_show boolean NOT NULL DEFAULT false,
    withdrawn boolean NOT NULL DEFAULT false,
    disqualified boolean NOT NULL DEFAULT false,
    out_place integer,
    out_at bigint,
    PRIMARY KEY (tournament_id, player_id, position)
);
CREATE TABLE corrections (
    tournament_id uuid NOT NULL,
    position bigint NOT NULL,
    player_id uuid NOT NULL,
    hand_id uuid NOT NULL,
    points bigint NOT NULL,
    hands bigint NOT NULL,
    hands_won bigint NOT NULL,
    cards_left bigint NOT NULL,
    chips numeric NOT NULL,
    unpaid numeric NOT NULL,
    penalty text,
    amount bigint,
    PRIMARY KEY (tournament_id, position, player_id)
);
"""

_NEWEST = """
SELECT chips, points, hands, hands_won, cards_left, table_id, place, tied, no_show, withdrawn, disqualified,
       out_place, out_at
FROM standings WHERE tournament_id = %s AND player_id = %s ORDER BY position DESC LIMIT 1
"""
_OUT = """
SELECT player_id, chips, points, hands, hands_won, cards_left, table_id, place, tied, no_show, withdrawn,
       disqualified, out_place, out_at
FROM (SELECT DISTINCT ON (player_id) * FROM standings WHERE tournament_id = %s
      ORDER BY player_id, position DESC) AS newest
WHERE place IS NOT NULL
"""
_STACK = """
SELECT (structure->>'unit')::bigint * (structure->>'stack_points')::bigint, state IN ('running', 'paused')
FROM tournaments WHERE tournament_id = %s
"""


_CARRIED = """
INSERT INTO corrections
SELECT tournament_id, %(position)s, %(player)s, %(hand)s, %(sign)s * sum(points), %(sign)s * sum(hands),
       %(sign)s * sum(hands_won), %(sign)s * sum(cards_left), %(sign)s * sum(chips), 0, NULL, NULL
FROM corrections WHERE tournament_id = %(tournament)s AND player_id = %(from)s AND position < %(position)s
GROUP BY tournament_id
"""


class Standing(NamedTuple):
    """How a player stands."""

    chips: int
    points: int = 0
    hands: int = 0
    hands_won: int = 0
    cards_left: int = 0
    table_id: UUID | None = None
    place: int | None = None
    tied: bool = False
    no_show: bool = False
    withdrawn: bool = False
    disqualified: bool = False
    out_place: int | None = None
    out_at: int | None = None


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the new rows of those whom `r` concerns."""
    match r.topic.partition(".")[0]:
        case "tournament":
            _tournament(cur, r, context)
        case "roster":
            _roster(cur, r, context)
        case "table":
            _table(cur, r, context)


def _tournament(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: C901, PLR0912 - one case an event
    match r.event:
        case tournament.Started():
            _begin(cur, r, context, r.stream, r.event.entrants)
        case tournament.EntryTaken():
            _late(cur, r, context, r.event)
        case tournament.PlayerReinstated():
            _reinstated(cur, r, context, r.event)
        case tournament.PlayerReplaced():
            _replaced(cur, r, context, r.event)
        case tournament.LateSeated():
            _next(cur, r, context, r.stream, r.event.place.player_id, table_id=r.event.table_id)
        case tournament.TablesDrawn():
            for drawn in r.event.tables:
                _sit(cur, r, context, drawn)
        case tournament.TableOpened():
            _sit(cur, r, context, r.event.table)
        case tournament.TableClosed():
            for player in r.event.players:
                _next(cur, r, context, r.stream, player, table_id=None)
        case tournament.ResultCorrected() | tournament.StacksCorrected():
            _rulings(cur, r, context, r.event)
        case tournament.PenaltiesImposed():
            for imposed in r.event.penalties:
                _imposed(cur, r, context, imposed)
        case tournament.PenaltyCarriedOut():
            _carried_out(cur, r, context, r.event)
        case tournament.Placed():
            _placed(cur, r, context, r.event)
        case tournament.Finished() | tournament.StandingsCorrected():
            for s in r.event.standings:
                _next(cur, r, context, r.stream, s.player_id, place=s.place, tied=s.tied, table_id=None)


def _placed(cur: Cursor, r: Recorded, context: Context, e: tournament.Placed) -> None:
    if before := _newest(cur, context, r.stream, e.player_id):
        out = {"chips": 0, "place": e.place, "no_show": before.no_show or e.no_show, "table_id": None}
        _next(cur, r, context, r.stream, e.player_id, **out, out_place=e.place, out_at=r.position)


def _roster(cur: Cursor, r: Recorded, context: Context) -> None:
    """Entries after the start."""
    match r.event:
        case roster.Registered():
            _begin(cur, r, context, r.event.tournament_id, [r.event.player_id])
        case roster.Withdrawn():
            _next(cur, r, context, r.event.tournament_id, r.event.player_id, withdrawn=True)


def _table(cur: Cursor, r: Recorded, context: Context) -> None:
    match r.event:
        case table.Seated():
            _seated(cur, r, context, r.event.place.player_id)
        case table.HandEnded():
            _hand_ended(cur, r, r.event, context)


def _seated(cur: Cursor, r: Recorded, context: Context, player: PlayerId) -> None:
    """Who sits down where the tournament is at its end by that stands in its places already."""
    tournament_id = context.tournament_of(cur, r.stream)
    before = _newest(cur, context, tournament_id, player)
    if before and before.place is None:
        _next(cur, r, context, tournament_id, player, table_id=r.stream)


def _rulings(
    cur: Cursor, r: Recorded, context: Context, e: tournament.ResultCorrected | tournament.StacksCorrected
) -> None:
    if isinstance(e, tournament.ResultCorrected):
        for change in e.changes:
            _corrected(
                cur, r, context, (e.hand_id, change.player_id), change.tally, 0 if e.stacks else change.chips
            )
        return
    for player, chips in e.changes.items():
        _corrected(cur, r, context, (e.hand_id, player), Tally(), chips, unpaid=e.unpaid.get(player, 0))


def _imposed(cur: Cursor, r: Recorded, context: Context, imposed: tournament.Imposed) -> None:
    assert isinstance(r.event, tournament.PenaltiesImposed)
    lost = (imposed.amount or 0) if imposed.penalty == "points" else 0
    of = (r.event.hand_id, imposed.player_id)
    told = (imposed.penalty, imposed.amount)
    _corrected(cur, r, context, of, Tally(points=-lost), 0, penalty=told)
    before = _newest(cur, context, r.stream, imposed.player_id)
    if imposed.penalty == "disqualification" and before and not before.withdrawn:
        _next(cur, r, context, r.stream, imposed.player_id, disqualified=True)


def _carried_out(cur: Cursor, r: Recorded, context: Context, e: tournament.PenaltyCarriedOut) -> None:
    chips = e.amount if e.penalty == "chips" else 0
    told = (e.penalty, e.amount)
    _corrected(cur, r, context, (e.hand_id, e.player_id), Tally(), -chips, unpaid=e.unpaid, penalty=told)


def _corrected(
    cur: Cursor,
    r: Recorded,
    context: Context,
    of: tuple[UUID, UUID],
    tally: Tally,
    chips: int,
    *,
    unpaid: int = 0,
    penalty: tuple[str | None, int | None] = (None, None),
) -> None:
    """What a ruling on a hand gives a player more than he had as played; by a `penalty`, that and its amount.

    Whom it gives and takes nothing has no line.
    """
    hand, player = of
    what = (tally.points, tally.hands, tally.hands_won, tally.cards_left, chips, unpaid, *penalty)
    if not any(what):
        return
    cur.execute(
        "INSERT INTO corrections VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (r.stream, r.position, player, hand, *what),
    )
    if before := _newest(cur, context, r.stream, player):
        _next(
            cur,
            r,
            context,
            r.stream,
            player,
            chips=before.chips + chips,
            points=before.points + tally.points,
            hands=before.hands + tally.hands,
            hands_won=before.hands_won + tally.hands_won,
            cards_left=before.cards_left + tally.cards_left,
            withdrawn=before.withdrawn,
        )


def _sit(cur: Cursor, r: Recorded, context: Context, drawn: tournament.DrawnTable) -> None:
    for place in drawn.places:
        _next(cur, r, context, r.stream, place.player_id, table_id=drawn.table_id)


def _begin(
    cur: Cursor, r: Recorded, context: Context, tournament_id: UUID, players: Sequence[PlayerId]
) -> None:
    """Each player's first row, with his stack; before the start there is none."""
    stack, running = _stack(cur, tournament_id)
    for player in players if running else ():
        _write(r, context, tournament_id, player, Standing(stack))


def _late(cur: Cursor, r: Recorded, context: Context, e: tournament.EntryTaken) -> None:
    _one_more(cur, r, context, e.player_id)
    if e.re_entry:
        stack, _ = _stack(cur, r.stream)
        _back(cur, r, context, e.player_id, stack)


def _reinstated(cur: Cursor, r: Recorded, context: Context, e: tournament.PlayerReinstated) -> None:
    """As played he has nothing, and stands behind everybody else who is in play."""
    _one_more(cur, r, context, e.player_id)
    _back(cur, r, context, e.player_id, 0)
    _corrected(cur, r, context, (e.hand_id, e.player_id), Tally(), e.chips)


def _replaced(cur: Cursor, r: Recorded, context: Context, e: tournament.PlayerReplaced) -> None:
    """The other has all that he had come to, with what rulings have made of it; he himself is ranked no more."""
    before = _newest(cur, context, r.stream, e.player_id)
    if before is None:
        return
    _write(r, context, r.stream, e.substitute_id, before._replace(disqualified=False))
    _write(r, context, r.stream, e.player_id, before._replace(chips=0, table_id=None, withdrawn=True))
    made = (e.substitute_id, 1), (e.player_id, -1)
    for player, sign in made:
        cur.execute(_CARRIED, {"player": player, "sign": sign, **_of(r, e)})


def _of(r: Recorded, e: tournament.PlayerReplaced) -> dict[str, object]:
    return {"tournament": r.stream, "position": r.position, "from": e.player_id, "hand": e.hand_id}


def _one_more(cur: Cursor, r: Recorded, context: Context, back: UUID) -> None:
    """Whoever else is out stands one place lower: below those, that is, who go out from now on."""
    for player, *row in cur.execute(_OUT, (r.stream,)).fetchall():
        context.standings.get((r.stream, player), partial(Standing._make, row))
    for (of, player), standing in context.standings.items():
        if of == r.stream and player != back and standing and standing.place is not None:
            _one_lower(cur, r, context, player, standing)


def _back(cur: Cursor, r: Recorded, context: Context, player: UUID, chips: int) -> None:
    """Who was out is in play again, whatever he was out for."""
    if before := _newest(cur, context, r.stream, player):
        back = before._replace(place=None, table_id=None, tied=False, no_show=False, withdrawn=False)
        back = back._replace(disqualified=False, out_place=None, out_at=None)
        _write(r, context, r.stream, player, back._replace(chips=chips))


def _one_lower(cur: Cursor, r: Recorded, context: Context, player: UUID, out: Standing) -> None:
    assert out.place is not None
    assert out.out_place is not None
    places = {"place": out.place + 1, "out_place": out.out_place + 1}
    _next(cur, r, context, r.stream, player, **places, withdrawn=out.withdrawn)


def _hand_ended(cur: Cursor, r: Recorded, e: table.HandEnded, context: Context) -> None:
    hand = context.hand(cur, e.hand_id)
    assert hand.tournament_id is not None
    if e.winner is None:
        return
    left = e.cards_left if isinstance(e, table.RecordedHandEnded) else {}
    for seat, player in hand.seats.items():
        if before := _newest(cur, context, hand.tournament_id, player):
            _next(
                cur,
                r,
                context,
                hand.tournament_id,
                player,
                chips=before.chips + e.net[seat],
                points=before.points + e.points[seat],
                hands=before.hands + 1,
                hands_won=before.hands_won + (seat == e.winner),
                cards_left=before.cards_left + left.get(seat, 0),
            )


def _next(
    cur: Cursor,
    r: Recorded,
    context: Context,
    tournament_id: UUID,
    player: UUID,
    **changes: Any,  # noqa: ANN401
) -> None:
    """His next row, if he has one: what else has happened since, he has not withdrawn."""
    if before := _newest(cur, context, tournament_id, player):
        _write(r, context, tournament_id, player, before._replace(**({"withdrawn": False} | changes)))


def _write(r: Recorded, context: Context, tournament_id: UUID, player: UUID, standing: Standing) -> None:
    context.standings.put((tournament_id, player), standing)
    context.standings_rows.add((tournament_id, player, r.position, *standing))


def _newest(cur: Cursor, context: Context, tournament_id: UUID, player: UUID) -> Standing | None:
    return context.standings.get((tournament_id, player), lambda: _read(cur, tournament_id, player))


def _read(cur: Cursor, tournament_id: UUID, player: UUID) -> Standing | None:
    row = cur.execute(_NEWEST, (tournament_id, player)).fetchone()
    return Standing._make(row) if row else None


def _stack(cur: Cursor, tournament_id: UUID) -> tuple[int, bool]:
    """What everybody begins with, and whether the tournament has begun and is not over."""
    row = cur.execute(_STACK, (tournament_id,)).fetchone()
    assert row is not None, f"tournament {tournament_id} was never published"
    return row[0], row[1]
