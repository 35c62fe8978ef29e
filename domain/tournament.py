"""A tournament: published, started, played level by level until one player is left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from domain import pool
from domain.aggregate import Aggregate
from domain.coming_deals import first_under_root, root_from
from domain.draws import draw_commitment, draws_for
from domain.errors import Conflicting
from domain.events import Event, Guarded
from domain.ids import HandId, PlayerId, TableId, TournamentId, table_id
from domain.placing import Out, Standing, Tally
from domain.prizes import prize_table, rewarded
from domain.seating import Move, draw_tables, tables_needed
from domain.structure import Structure, structure_hash
from domain.table import Table
from domain.table_events import Opened, Place, RecordedTableOpened
from domain.tournament_events import (
    Cancelled,
    DealsCommitted,
    Disqualified,
    DrawnTable,
    EntriesClosed,
    EntryTaken,
    Finished,
    Imposed,
    LateSeated,
    LevelRaised,
    Paused,
    PenaltiesImposed,
    PenaltyCarriedOut,
    Placed,
    PlayerMoved,
    PlayerReinstated,
    PlayerReplaced,
    PoolDissolved,
    PoolFormed,
    Prize,
    PrizesAwarded,
    Published,
    ReinstatedSeated,
    ReplacementOrdered,
    ResultCorrected,
    Resumed,
    RulingLapsed,
    SeedsCommitted,
    StacksCorrected,
    StandingsCorrected,
    Started,
    TableBroken,
    TableClosed,
    TableOpened,
    TableRoot,
    TablesDrawn,
    TablesHeld,
)

T = TypeVar("T")


class State(StrEnum):
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Coming(msgspec.Struct, frozen=True):
    """A late entrant who has no seat yet, by the number of his entry among all of the tournament.

    Or who was reinstated by the ruling on `hand_id` with `chips`, by the number of his reinstatement among all.
    """

    player_id: PlayerId
    number: int
    hand_id: HandId | None = None
    chips: int | None = None


class Tournament(Guarded, frozen=True):
    """`version` counts the events folded; `moved` counts each player's moves; `pauses` is when each began.

    Of a league `tables` has each table's id, and `sitting` the number of each seated player's. `held` are the numbers
    of the tables whose next hand waits. `entrant_count` counts players, and `coming` are those of them who have yet to
    get a seat, late entrants and who is reinstated. `replacements` wait for the end of a hand, and who was `replaced`
    is told with who took over. `void` are the chips that have left play. `rooted_tables` is how many tables' first
    hands stand under a root. `penalties` are to be carried out yet, by the hand that was ruled on. What is mutable is
    updated in place: the fold of a large field stays linear.
    """

    tournament_id: TournamentId
    master: bytes
    draw_seed: bytes
    draw_commitment: str
    structure: Structure = Structure(name="", format="freezeout")
    structure_hash: str = ""
    structure_version: int = 0
    version: int = 1
    state: State = State.OPEN
    entrants: tuple[PlayerId, ...] = ()
    entrant_count: int = 0
    re_entries: int = 0
    reinstated: int = 0
    replacements: dict[PlayerId, ReplacementOrdered] = msgspec.field(default_factory=dict)
    replaced: dict[PlayerId, PlayerId] = msgspec.field(default_factory=dict)
    void: int = 0
    entries_closed: bool = False
    coming: tuple[Coming, ...] = ()
    level: int = 1
    level_ends_at: datetime | None = None
    pauses: tuple[datetime, ...] = ()
    tables_drawn: int = 0
    rooted_tables: int = 0
    open_tables: tuple[int, ...] = ()
    moved: dict[PlayerId, int] = msgspec.field(default_factory=dict)
    outs: list[Out] = msgspec.field(default_factory=list)
    tables: dict[int, TableId] = msgspec.field(default_factory=dict)
    sitting: dict[PlayerId, int] = msgspec.field(default_factory=dict)
    held: tuple[int, ...] = ()
    corrections: dict[HandId, dict[PlayerId, int]] = msgspec.field(default_factory=dict)
    tallies: dict[PlayerId, Tally] = msgspec.field(default_factory=dict)
    penalties: dict[HandId, dict[PlayerId, Imposed]] = msgspec.field(default_factory=dict)
    disqualified: frozenset[PlayerId] = frozenset()
    pool: PoolFormed | None = None
    prizes: tuple[Prize, ...] = ()
    standings: tuple[Standing, ...] = ()

    @property
    def players_left(self) -> int:
        return self.entrant_count - len(self.outs)

    @property
    def rivals_left(self) -> int:
        """Of who is left, those who may still win a prize: who is disqualified wins none."""
        return self.entrant_count - len(self.disqualified.union(out.player_id for out in self.outs))

    @property
    def entry_count(self) -> int:
        """Entries in all: those of the entrants, and re-entries. Prizes follow from them."""
        return self.entrant_count + self.re_entries

    @property
    def entries_open(self) -> bool:
        """Whether late entry lasts."""
        late = self.structure.late_entry_levels > 0 and not self.entries_closed
        return late and self.state in (State.RUNNING, State.PAUSED)

    @property
    def unit(self) -> int:
        """Chips per point now."""
        return self.structure.unit_at(self.level)

    @property
    def paid_places(self) -> int:
        players = rewarded(self.entrant_count, self.disqualified)
        return len(prize_table(self.structure.prizes_bp, self.entry_count, players))

    @property
    def on_the_bubble(self) -> bool:
        """Whether the next player out is the last one without a prize: tables then play hand for hand.

        As long as somebody may enter nobody can tell.
        """
        return not self.entries_open and self.players_left == self.paid_places + 1

    @property
    def over(self) -> bool:
        return self.state in (State.FINISHED, State.CANCELLED)

    def playing_for(self, player: PlayerId) -> PlayerId:
        """Who plays now for a player: himself, or who took over from him."""
        while player in self.replaced:
            player = self.replaced[player]
        return player

    def table_id(self, number: int) -> TableId:
        return table_id(self.tournament_id, number)


def evolve(tournament: Tournament | None, event: Event) -> Tournament:
    if isinstance(event, SeedsCommitted):
        return Tournament(event.tournament_id, event.master, event.draw_seed, event.draw_commitment)
    assert tournament is not None
    return msgspec.structs.replace(tournament, version=tournament.version + 1, **_changes(tournament, event))


TOURNAMENT = Aggregate("tournament", evolve)


def _changes(t: Tournament, event: Event) -> dict[str, object]:  # noqa: C901, PLR0912 - one case an event
    match event:
        case Published():
            return {
                "structure": event.structure,
                "structure_hash": event.structure_hash,
                "structure_version": event.version,
            }
        case Started():
            return {
                "state": State.RUNNING,
                "entrants": event.entrants,
                "entrant_count": len(event.entrants),
                "level_ends_at": event.level_ends_at,
            }
        case DealsCommitted():
            return {"rooted_tables": event.roots[-1].number}
        case TablesDrawn():
            numbers = tuple(table.number for table in event.tables)
            return {"tables_drawn": t.tables_drawn + len(numbers), "open_tables": numbers}
        case EntryTaken():
            return _entry_taken(t, event)
        case LateSeated():
            return _late_seated(t, event)
        case EntriesClosed():
            return {"entries_closed": True}
        case TableBroken():
            return {"open_tables": tuple(n for n in t.open_tables if n != event.number)}
        case TableOpened() | TableClosed():
            return _league_table(t, event)
        case TablesHeld():
            return {"held": event.numbers}
        case PlayerMoved():
            t.moved[event.player_id] = t.moved.get(event.player_id, 0) + 1
            return {}
        case LevelRaised():
            return {"level": event.level, "level_ends_at": event.ends_at}
        case Placed():
            t.outs.append(_out(event))
            leaves_chips = event.no_show or isinstance(event, Disqualified)
            return {"void": t.void + event.stack} if leaves_chips else {}
        case ResultCorrected():
            return _result_corrected(t, event)
        case StacksCorrected():
            return _stacks_corrected(t, event)
        case PenaltiesImposed():
            return _penalties_imposed(t, event)
        case PenaltyCarriedOut():
            taken = event.amount if event.penalty == "chips" else 0
            left = _without(t.penalties, event.hand_id, [event.player_id])
            return {"penalties": left, "void": t.void + taken}
        case StandingsCorrected():
            return {"standings": event.standings}
        case Paused():
            return {"state": State.PAUSED, "pauses": (*t.pauses, event.at)}
        case Resumed():
            return {"state": State.RUNNING, "level_ends_at": event.level_ends_at}
        case PlayerReinstated():
            return _reinstated(t, event)
        case ReplacementOrdered():
            return {"replacements": t.replacements | {event.player_id: event}}
        case PlayerReplaced():
            return _replaced(t, event)
        case RulingLapsed():
            return {}
        case PoolFormed():
            return {"pool": event}
        case PoolDissolved():
            return {"pool": None}
        case PrizesAwarded():
            return {"prizes": event.prizes}
        case Finished():
            entrants = len(event.standings)
            return {
                "state": State.FINISHED,
                "standings": event.standings,
                "entrant_count": entrants,
                "open_tables": (),
            }
        case Cancelled():
            return {"state": State.CANCELLED, "entrant_count": event.entrants, "open_tables": ()}
    raise AssertionError(f"{type(event).__name__} is no event of a tournament")


def _entry_taken(t: Tournament, event: EntryTaken) -> dict[str, object]:
    coming = (*t.coming, Coming(event.player_id, event.number))
    if not event.re_entry:
        return {"coming": coming, "entrant_count": t.entrant_count + 1}
    t.outs[:] = [out for out in t.outs if out.player_id != event.player_id]
    return {"coming": coming, "re_entries": t.re_entries + 1}


def _reinstated(t: Tournament, event: PlayerReinstated) -> dict[str, object]:
    t.outs[:] = [out for out in t.outs if out.player_id != event.player_id]
    back = Coming(event.player_id, event.number, event.hand_id, event.chips)
    return {
        "coming": (*t.coming, back),
        "reinstated": event.number,
        "disqualified": t.disqualified - {event.player_id},
    }


def _replaced(t: Tournament, event: PlayerReplaced) -> dict[str, object]:
    """What waits for the one waits for the other now."""
    old, new = event.player_id, event.substitute_id
    if old in t.moved:
        t.moved[new] = t.moved.pop(old)
    coming = (replace(c, player_id=new) if c.player_id == old else c for c in t.coming)
    corrections = {
        hand: {new if player == old else player: chips for player, chips in owed.items()}
        for hand, owed in t.corrections.items()
    }
    waiting = {player: ordered for player, ordered in t.replacements.items() if player != old}
    return {
        "coming": tuple(coming),
        "corrections": corrections,
        "replacements": waiting,
        "replaced": t.replaced | {old: new},
        "penalties": {hand: _taken_over(due, old, new) for hand, due in t.penalties.items()},
        "disqualified": t.disqualified - {old},
    }


def _taken_over(due: Mapping[PlayerId, Imposed], old: PlayerId, new: PlayerId) -> dict[PlayerId, Imposed]:
    """A penalty is his who was punished; but chips are of the stack that another has now."""
    left = {player: each for player, each in due.items() if player != old}
    imposed = due.get(old)
    if imposed is None or imposed.penalty != "chips":
        return left
    return left | {new: replace(imposed, player_id=new)}


def _late_seated(t: Tournament, event: LateSeated) -> dict[str, object]:
    coming = tuple(c for c in t.coming if c.player_id != event.place.player_id)
    given = event.from_void if isinstance(event, ReinstatedSeated) else 0
    seated: dict[str, object] = {"coming": coming, "void": t.void - given}
    if not event.opens:
        return seated
    return seated | {"tables_drawn": event.number, "open_tables": (*t.open_tables, event.number)}


def _league_table(t: Tournament, event: TableOpened | TableClosed) -> dict[str, object]:
    if isinstance(event, TableClosed):
        for player in event.players:
            del t.sitting[player]
        return {"open_tables": tuple(n for n in t.open_tables if n != event.number)}
    table = event.table
    t.tables[table.number] = table.table_id
    t.sitting.update({place.player_id: table.number for place in table.places})
    return {"tables_drawn": table.number, "open_tables": (*t.open_tables, table.number)}


def _result_corrected(t: Tournament, event: ResultCorrected) -> dict[str, object]:
    if event.stacks:
        owed = {t.playing_for(change.player_id): change.chips for change in event.changes if change.chips}
        return {"corrections": {**t.corrections, event.hand_id: owed}}
    tallies = {
        change.player_id: t.tallies.get(change.player_id, Tally()).plus(change.tally)
        for change in event.changes
    }
    return {"tallies": {**t.tallies, **tallies}}


def _stacks_corrected(t: Tournament, event: StacksCorrected) -> dict[str, object]:
    taken = max(0, -sum(event.changes.values()))
    left = _without(t.corrections, event.hand_id, event.changes)
    return {"corrections": left, "void": t.void + taken}


def _penalties_imposed(t: Tournament, event: PenaltiesImposed) -> dict[str, object]:
    of = {imposed.player_id: imposed for imposed in event.penalties}
    at_table = {player: each for player, each in of.items() if each.penalty in ("chips", "sit_out")}
    for player in at_table.keys() & t.replaced.keys():
        at_table = _taken_over(at_table, player, t.playing_for(player))
    fined = {
        player: t.tallies.get(player, Tally()).minus(Tally(points=each.amount or 0))
        for player, each in of.items()
        if each.penalty == "points"
    }
    gone = {player for player, each in of.items() if each.penalty == "disqualification"} - t.replaced.keys()
    return {
        "penalties": t.penalties | ({event.hand_id: at_table} if at_table else {}),
        "tallies": t.tallies | fined,
        "disqualified": t.disqualified | gone,
    }


def _without(
    due: dict[HandId, dict[PlayerId, T]], of: HandId, players: Collection[PlayerId]
) -> dict[HandId, dict[PlayerId, T]]:
    """What is due by hand and player, but for these players'."""
    left = {player: each for player, each in due[of].items() if player not in players}
    others = {hand: each for hand, each in due.items() if hand != of}
    return others | ({of: left} if left else {})


def _out(event: Placed) -> Out:
    return Out(
        player_id=event.player_id,
        hand_id=event.hand_id,
        stack=event.stack,
        no_show=event.no_show,
        hand_for_hand=event.hand_for_hand,
        disqualified=isinstance(event, Disqualified),
    )


# decisions


def publish(tournament: TournamentId, structure: Structure, master: bytes, draw_seed: bytes) -> list[Event]:
    """A new tournament; `master` and `draw_seed` are 32 bytes each from the operating system."""
    committed = SeedsCommitted(
        tournament_id=tournament,
        master=master,
        draw_seed=draw_seed,
        draw_commitment=draw_commitment(draw_seed, tournament),
    )
    return [committed, _published(tournament, 1, structure)]


def republish(t: Tournament, structure: Structure, entries: int) -> list[Event]:
    """Another version of the structure, until the first entry."""
    if t.state is not State.OPEN or entries:
        raise Conflicting("structure-fixed", "The structure is fixed from the first entry on.")
    return [_published(t.tournament_id, t.structure_version + 1, structure)]


def start(t: Tournament, entrants: Sequence[PlayerId], now: datetime) -> list[Event]:
    if t.over:
        raise Conflicting("tournament-over", f"The tournament is {t.state}.")
    if t.state is not State.OPEN:
        raise Conflicting("already-started", "The tournament has started already.")
    least = max(t.structure.min_entrants, 2)
    if len(entrants) < least:
        raise Conflicting("not-enough-players", f"{len(entrants)} of at least {least} players are entered.")
    started = Started(entrants=tuple(entrants), level_ends_at=_level_ends_at(t.structure, t.level, now))
    deals = _first_deals(t, len(entrants))
    if t.structure.for_points or t.structure.late_entry_levels:  # the pool is formed when entries close
        return [started, *deals]
    return [started, *deals, *pool.form(t.tournament_id, t.structure, len(entrants))]


def _first_deals(t: Tournament, entrants: int) -> list[Event]:
    """Roots for the tables that are about to be drawn, and for the one that may follow them."""
    if t.structure.recorded:
        return []
    tables = tables_needed(entrants, t.structure.seats_per_table)
    others = tables > 1 or t.structure.late_entry_levels > 0
    return [commit_deals(t, range(1, tables + 1 + others))]


def commit_deals(t: Tournament, numbers: Iterable[int]) -> DealsCommitted:
    """What the first hands of these tables will be dealt from, before anybody sits there."""
    ids = [(number, t.table_id(number)) for number in numbers]
    roots = (TableRoot(n, table, root_from(t.master, str(t.tournament_id), table, 1)) for n, table in ids)
    return DealsCommitted(roots=tuple(roots))


def is_rooted(t: Tournament, table: Table, number: int) -> bool:
    """Whether a root over the table's hand `number` stands already."""
    first = first_under_root(number)
    return table.number <= t.rooted_tables if first == 1 else first == table.first_rooted


def draw(t: Tournament, now: datetime) -> tuple[TablesDrawn, list[Opened]]:
    """The first tables of a started tournament, all with full stacks."""
    assert t.state is State.RUNNING
    assert not t.tables_drawn
    purpose = "tables"
    draws = draws_for(t.draw_seed, t.tournament_id, purpose)
    drawn = []
    for number, players in enumerate(draw_tables(t.entrants, t.structure.seats_per_table, draws), 1):
        places = tuple(Place(seat, player, t.structure.stack) for seat, player in enumerate(players, 1))
        drawn.append(DrawnTable(number, t.table_id(number), 1 + draws.below(len(places)), places))
    return TablesDrawn(tables=tuple(drawn), final=False, draw=purpose), [open_table(t, d, now) for d in drawn]


def draw_final_table(t: Tournament, seated: Sequence[Place], deal_at: datetime) -> tuple[TablesDrawn, Opened]:
    """A new table with the next number, its seats drawn anew for all who are left."""
    number = t.tables_drawn + 1
    purpose = f"final/{number}"
    draws = draws_for(t.draw_seed, t.tournament_id, purpose)
    places = tuple(
        msgspec.structs.replace(place, seat=seat) for seat, place in enumerate(draws.shuffled(seated), 1)
    )
    drawn = DrawnTable(number, t.table_id(number), 1 + draws.below(len(places)), places)
    return TablesDrawn(tables=(drawn,), final=True, draw=purpose), open_table(t, drawn, deal_at)


def open_table(t: Tournament, drawn: DrawnTable, deal_at: datetime) -> Opened:
    opened: dict[str, Any] = {
        "table_id": drawn.table_id,
        "tournament_id": t.tournament_id,
        "number": drawn.number,
        "seats_per_table": t.structure.seats_per_table,
        "rules": t.structure.rules,
        "places": drawn.places,
        "first_dealer": drawn.dealer,
        "pauses": len(t.pauses),
        "deal_at": deal_at,
    }
    if t.structure.recorded:
        return RecordedTableOpened(**opened, points=t.structure.for_points)
    return Opened(**opened)


def move(move: Move, purpose: str) -> PlayerMoved:
    return PlayerMoved(
        player_id=move.player_id,
        from_table=move.from_table,
        from_seat=move.from_seat,
        to_table=move.to_table,
        to_seat=move.to_seat,
        draw=purpose,
    )


def raise_level(t: Tournament, now: datetime) -> list[Event]:
    """The next level; the last one stays."""
    if t.level >= len(t.structure.unit_levels):
        return []
    level = t.level + 1
    ends_at = _level_ends_at(t.structure, level, now)
    return [LevelRaised(level=level, unit=t.structure.unit_at(level), ends_at=ends_at)]


def place(out: Out, table: TableId, place: int) -> Placed:
    made = Disqualified if out.disqualified else Placed
    return made(
        player_id=out.player_id,
        table_id=table,
        hand_id=out.hand_id,
        stack=out.stack,
        no_show=out.no_show,
        hand_for_hand=out.hand_for_hand,
        place=place,
    )


def pause(t: Tournament, now: datetime) -> list[Event]:
    if t.state is State.PAUSED:
        raise Conflicting("already-paused", "The tournament is paused already.")
    must_be_running(t)
    return [Paused(number=len(t.pauses) + 1, at=now)]


def resume(t: Tournament, now: datetime) -> list[Event]:
    """Play goes on; the level gets back the time that the pause took."""
    if t.state is not State.PAUSED:
        raise Conflicting("not-paused", f"The tournament is {t.state}, not paused.")
    ends_at = t.level_ends_at and t.level_ends_at + (now - t.pauses[-1])
    return [Resumed(level_ends_at=ends_at)]


def cancel(t: Tournament, reason: str, entries: int, awarded: Sequence[Event] = ()) -> list[Event]:
    """The end of a tournament of so many `entries`: with the prizes that are `awarded`, or everything refunded."""
    if t.over:
        raise Conflicting("tournament-over", f"The tournament is {t.state} already.")
    entrants = entries if t.structure.for_points else max(t.entrant_count, entries)
    ends = awarded or pool.dissolve(t.pool)
    return [*ends, Cancelled(reason=reason, entrants=entrants, draw_seed=t.draw_seed)]


def must_be_running(t: Tournament) -> None:
    if t.state is not State.RUNNING:
        raise Conflicting("not-running", f"The tournament is {t.state}, not running.")


def _published(tournament: TournamentId, version: int, structure: Structure) -> Published:
    return Published(
        tournament_id=tournament,
        version=version,
        structure=structure,
        structure_hash=structure_hash(structure),
    )


def _level_ends_at(structure: Structure, level: int, now: datetime) -> datetime | None:
    """When `level`, which begins now, is over; the last one stays."""
    minutes = structure.minutes_per_level
    return now + timedelta(minutes=minutes) if minutes and level < len(structure.unit_levels) else None
