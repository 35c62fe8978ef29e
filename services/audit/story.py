"""A bundle told in lines, for people: what happened to one player, or in one hand, when, by when, why, and who paid.

Each line names the event's index in the signed log, under which the bundle proves it. Whether it is right is for
`big2 verify` to say; nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from big2.actions import WHY_AUTOMATIC
from domain import dispute_events as disputes
from domain import hand as hands
from domain import tournament_events as own
from domain.dispute import penalties_of
from domain.events import Event
from domain.hand import HAND, Hand
from domain.hand_events import CardsPlayed, Dealt, Finalised, HandRecorded, Passed, Settled, Transfer, Voided
from domain.ids import PlayerId
from services.application.decisions import Step, steps
from services.audit import verify
from services.audit.opened import Members, folded, recorded, streams
from services.envelope import Recorded


class Line(NamedTuple):
    """One thing that happened: its event's position in the log, its time in UTC, and what it was."""

    position: int
    at: datetime
    told: str


def players(members: Members) -> dict[PlayerId, int]:
    """Who was dealt in, each in how many hands of the bundle."""
    found: dict[PlayerId, int] = {}
    for stream in folded(members, HAND):
        assert stream.state is not None
        for seat in stream.state.terms.seats:
            found[seat.player_id] = found.get(seat.player_id, 0) + 1
    return found


def of_player(members: Members, player: PlayerId) -> list[Line]:
    """What the tournament did with a player, and his hands, in the order of the log."""
    lines = list(_in_tournament(list(recorded(members, "tournament")), player))
    for events in streams(members, "hand").values():
        seat = _folded(events).seat_of(player)
        if seat is not None:
            lines += _in_hand(events, [seat])
    return sorted(lines, key=lambda line: line.position)


def places(members: Members) -> dict[int, int]:
    """By its position, the index under which the bundle proves an event; a position itself is proved by nothing."""
    return {event["position"]: event["index"] for event in verify.read_events(members)}


def hands_like(members: Members, begin: str) -> list[UUID]:
    """The hands whose ids begin so."""
    return [hand for hand in streams(members, "hand") if str(hand).startswith(begin.lower())]


def of_hand(members: Members, hand: UUID) -> list[Line]:
    """All of a hand; none if the bundle does not have it."""
    events = streams(members, "hand").get(hand, [])
    return list(_in_hand(events, [s.seat for s in _folded(events).terms.seats])) if events else []


# a player's way through the tournament


def _in_tournament(events: Sequence[Recorded], player: PlayerId) -> Iterator[Line]:
    broken: set[int] = set()
    for number, r in enumerate(events):
        if number == 0 or events[number - 1].command != r.command:  # what is decided at once
            together = [e.event for e in events[number:] if e.command == r.command]
            broken = {e.number for e in together if isinstance(e, own.TableBroken)}
        for told in (
            *_seated(r.event, player, broken),
            *_come_to(r.event, player),
            *_punished(r.event, player),
        ):
            yield Line(r.position, r.at, told)


def _seated(event: Event, player: PlayerId, broken: set[int]) -> Iterator[str]:
    match event:
        case own.TablesDrawn():
            which = "the final table, drawn anew: " if event.final else ""
            for table in event.tables:
                seats = [place.seat for place in table.places if place.player_id == player]
                yield from (
                    f"{which}seat {s} of table {table.number}, by the draw {event.draw}" for s in seats
                )
        case own.LateSeated() if event.place.player_id == player:
            how = "reinstated" if isinstance(event, own.ReinstatedSeated) else "as a late entrant"
            yield f"seat {event.place.seat} of table {event.number}, {how}, by the draw {event.draw}"
        case own.PlayerMoved() if event.player_id == player:
            way = f"moves from table {event.from_table}, seat {event.from_seat}, to table {event.to_table}"
            yield f"{way}, seat {event.to_seat}: {_why_moved(event, broken)}; by the draw {event.draw}"


def _come_to(event: Event, player: PlayerId) -> Iterator[str]:
    match event:
        case own.Placed() if event.player_id == player:
            yield f"is out, {_why_out(event)}: place {event.place} as things stand"
        case own.ResultCorrected():
            for change in (each for each in event.changes if each.player_id == player):
                yield f"hand {event.hand_id} as ruled gives {change.chips:+} chips against as played"
        case own.StacksCorrected() if player in event.changes:
            yield f"{event.changes[player]:+} chips by the ruling on hand {event.hand_id}"
        case own.PlayerReinstated() if event.player_id == player:
            yield f"is back with {event.chips} chips by the ruling on hand {event.hand_id}"
        case own.PlayerReplaced() if player in (event.player_id, event.substitute_id):
            who = f"{event.substitute_id} takes over from {event.player_id}"
            yield f"{who}, with {event.chips} chips, by the ruling on hand {event.hand_id}"
        case own.PrizesAwarded():
            unit = event.currency if isinstance(event, own.MoneyPrizesAwarded) else "basis points"
            for prize in (each for each in event.prizes if each.player_id == player):
                yield f"prize {prize.amount} of {event.pool} {unit}, for place {prize.place}"
        case own.Finished() | own.StandingsCorrected():
            for standing in (each for each in event.standings if each.player_id == player):
                yield f"ends at place {standing.place}{', shared' if standing.tied else ''}"
        case own.Cancelled():
            yield f"the tournament is cancelled: {event.reason}"


def _punished(event: Event, player: PlayerId) -> Iterator[str]:
    match event:
        case own.PenaltiesImposed():
            for each in (each for each in event.penalties if each.player_id == player):
                yield f"penalty by the ruling on hand {event.hand_id}: {_penalty(each)}"
        case own.PenaltyCarriedOut() if event.player_id == player and event.penalty == "chips":
            lacked = f", of {event.amount + event.unpaid} for which he had too few" if event.unpaid else ""
            yield f"{-event.amount:+} chips by the penalty of hand {event.hand_id}{lacked}"
        case own.PenaltyCarriedOut() if event.player_id == player:
            yield f"sits out his next {event.amount} hands: the clock acts for him at once"


def _why_out(event: own.Placed) -> str:
    if isinstance(event, own.Disqualified):
        return f"disqualified, with {event.stack} chips that go to the void"
    return "never seen to act" if event.no_show else f"with {event.stack} chips before hand {event.hand_id}"


def _penalty(given: disputes.Penalty | own.Imposed) -> str:
    counted = {"points": "points", "chips": "chips", "sit_out": "hands"}.get(given.penalty)
    return given.penalty if counted is None else f"{given.penalty}, {given.amount} {counted}"


def _why_moved(event: own.PlayerMoved, broken: set[int]) -> str:
    if event.from_table in broken:
        return f"table {event.from_table} is broken, for all fit at one table fewer"
    return f"table {event.from_table} had two players more than table {event.to_table}"


# a hand


def _in_hand(events: Sequence[Recorded], seats: Sequence[int]) -> Iterator[Line]:
    by_version = {step.version: step for step in steps(events)} if _is_dealt(events) else {}
    hand = _folded(events)
    first = f"is number {hand.number} at table {hand.table_id}"
    committed = (
        "" if hand.commitment is None else f"; the seed of its deal is committed to as {hand.commitment}"
    )
    yield Line(events[0].position, events[0].at, f"hand {hand.hand_id} {first}{committed}")
    for r in events:
        for told in _of_hand(r.event, by_version.get(r.version), seats):
            yield Line(r.position, r.at, f"hand {str(hand.hand_id)[:8]}: {told}")


def _of_hand(event: Event, step: Step | None, seats: Sequence[int]) -> Iterator[str]:
    match event:
        case Dealt():
            held = (
                f"seat {s.seat} ({s.player_id}) is dealt {event.cards[s.seat]}"
                for s in event.seats
                if s.seat in seats
            )
            yield f"button at seat {event.dealer}, {event.unit} chips a point; {'; '.join(held)}"
        case HandRecorded():
            yield f"played with real cards until {event.played_at:%H:%M:%S}, {event.unit} chips a point"
        case CardsPlayed() | Passed() if event.seat in seats and step:
            yield _decided(event, step)
        case Settled():
            left = ", ".join(f"seat {seat} {cards}" for seat, cards in sorted(event.cards_left.items()))
            liable = f"; seat {event.liable} is liable (R7.4)" if event.liable else ""
            yield f"seat {event.winner} wins; cards left: {left}{liable}"
            yield from (_paid(t) for t in event.transfers if t.payer in seats or t.receiver in seats)
        case Finalised():
            yield "is final; its seed is revealed"
        case Voided():
            yield f"is void: {event.reason}"
        case disputes.Ruled():
            yield from _ruled(event)
        case disputes.ActionsVoided():
            yield f"actions {event.action} to {event.last} are void, by {_person(event.by)}: {event.reason}"
        case disputes.TimeGiven():
            yield f"turn {event.turn} has {event.seconds} s more, by {_person(event.by)}: {event.reason}"
        case disputes.Flagged() | disputes.Appealed():
            what = "flagged" if isinstance(event, disputes.Flagged) else "appealed"
            yield f"{what} by {_person(event.by)}: {event.reason}"
        case disputes.Frozen() | disputes.Released():
            what = "frozen" if isinstance(event, disputes.Frozen) else "released"
            yield f"{event.scope} {what} by {_person(event.by)}: {event.reason}"


def _ruled(event: disputes.Ruled) -> Iterator[str]:
    yield f"ruling {event.number}, {event.ruling}, by {_person(event.by)}: {event.reason}"
    if event.result is not None:
        yield f"as ruled, points are {_by_seat(event.result.points)}, and chips {_by_seat(event.result.net)}"
    match event:
        case disputes.PlayerRuled():
            yield f"as ruled, who sat at seat {event.seat} is back with {event.chips} chips"
        case disputes.SubstituteRuled():
            yield f"as ruled, {event.player_id} takes over from who sat at seat {event.seat}"
    for given in penalties_of(event):
        yield f"penalty of seat {given.seat}: {_penalty(given)}"


def _person(by: disputes.Person) -> str:
    """Who speaks, by the credential, for nobody's name is in a bundle."""
    himself = f", who is player {by.player_id}" if by.player_id else ""
    return f"a {by.role} (credential {by.credential_id}{himself})"


def _by_seat(numbers: Mapping[int, int]) -> str:
    return ", ".join(f"seat {seat} {number:+}" for seat, number in sorted(numbers.items()))


def _decided(event: CardsPlayed | Passed, step: Step) -> str:
    """An action, with what it was decided on."""
    what = f"plays {event.cards}" if isinstance(event, CardsPlayed) else "passes"
    made = step.decision
    if made.legal is None and isinstance(event, Passed):
        clause, why = WHY_AUTOMATIC[event.reason]
        return f"seat {event.seat} passes by itself: {why} ({clause})"
    who = "the clock acts for " if made.by == "clock" else ""
    open_to = f"legal plays: {made.legal.plays if made.legal else 0}"
    bound = f", bound by the duty {made.duty} (R7.2)" if made.duty else ""
    breach = ": a breach (R7.3)" if made.breach else ""
    return f"turn {made.turn}, {who}seat {event.seat} {what}{_in_time(step)}; {open_to}{bound}{breach}"


def _in_time(step: Step) -> str:
    if step.left_ms is None:
        return ""
    when = "before" if step.left_ms >= 0 else "after"
    return f", {abs(step.left_ms) / 1000:.3f} s {when} the deadline {step.decision.deadline:%H:%M:%S.%f}"


def _paid(transfer: Transfer) -> str:
    cut = f" of {transfer.due} due, for there was no more (R8.3)" if transfer.paid != transfer.due else ""
    why = (
        "as the liable assistant (R8.4)"
        if transfer.points is None
        else f"a difference of {transfer.points} (R8.1)"
    )
    return f"seat {transfer.payer} pays seat {transfer.receiver} {transfer.paid} chips{cut}: {why}"


def _is_dealt(events: Sequence[Recorded]) -> bool:
    return any(isinstance(r.event, Dealt) for r in events)


def _folded(events: Sequence[Recorded]) -> Hand:
    return hands.folded([r.event for r in events])
