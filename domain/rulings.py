"""Disputes about a hand: who flags, freezes and releases, rules and appeals; and what a ruling corrects in the end.

The events stand in the hand's stream. A ruling takes effect when the hand is final: nothing is booked that an appeal
could turn, and so nothing is ever corrected twice (`void_from` and `time` are for a hand that runs, and in effect at
once). What it corrects is one event of the tournament, the difference
between the hand as ruled and as played; whatever was played since stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from big2.settlement import most_points, outcome_of, settle_outcome
from domain import hand as hands
from domain import running_rulings
from domain.credential import Role
from domain.dispute import Stage, penalties_of
from domain.dispute_events import (
    ActionsVoided,
    Appealed,
    Flagged,
    Frozen,
    HandResult,
    InterimKind,
    Penalty,
    Person,
    PlayerRuled,
    Released,
    Ruled,
    RuledWithPenalties,
    RulingKind,
    Scope,
    SubstituteRuled,
    TimeGiven,
)
from domain.errors import Conflicting, NotAllowed, Refused
from domain.events import Event
from domain.hand import Hand, State, points_due, rule_set_of
from domain.hand_events import Settled
from domain.ids import PlayerId
from domain.penalties import problems
from domain.placing import Tally
from domain.results import settlement_of
from domain.tournament_events import Correction, ResultCorrected
from domain.tournament_rulings import OF_TOURNAMENTS, must_fit


class Ruling(msgspec.Struct, frozen=True):
    """What a director rules; `points` by seat go with `adjust`, `liable` (null: nobody) with `liability`.

    `action` goes with `void_from`, `seconds` with `time`, `seat` and `chips` with `reinstate`, `seat` and
    `player_id` with `replace`. `penalties` go with rulings on what a settled hand comes to, or are all of one.
    """

    ruling: RulingKind | InterimKind
    reason: str
    points: Mapping[int, int] | None = None
    liable: int | None = None
    action: int | None = None
    seconds: int | None = None
    seat: int | None = None
    chips: int | None = None
    player_id: PlayerId | None = None
    penalties: tuple[Penalty, ...] = ()


# who may what, and when: told before what is wrong with the words


def may_flag(hand: Hand, by: Person) -> None:
    """Raises NotAllowed to a player not dealt in; Conflicting of a hand that is final, ruled, or flagged by him."""
    _must_be_concerned(hand, by)
    _must_not_be_final(hand)
    if hand.dispute.rulings:
        raise Conflicting("already-ruled", "The hand is ruled: an appeal can be made against that.")
    if any(flag.by.is_the_same(by) for flag in hand.dispute.flags):
        raise Conflicting("already-flagged", "You have flagged this hand: a director will rule.")


def may_freeze(hand: Hand, by: Person, *, sits_there: bool) -> None:
    """Raises NotAllowed to who plays at that table; Conflicting once the hand is final."""
    _must_be_neutral(hand, by, sits_there=sits_there)
    _must_not_be_final(hand)


def may_rule(hand: Hand, by: Person, *, sits_there: bool) -> None:
    """Raises as `may_freeze`; Conflicting where nothing is left to rule; on appeal NotAllowed to who ruled first."""
    may_freeze(hand, by, sits_there=sits_there)
    if hand.dispute.stage is Stage.RULED:
        raise Conflicting("already-ruled", "The hand is ruled: only an appeal opens it again, and only once.")
    if hand.dispute.stage is Stage.APPEALED and hand.dispute.rulings[0].by.is_the_same(by):
        raise NotAllowed("forbidden", "Another director rules on the appeal against your ruling.")


def may_appeal(hand: Hand, by: Person) -> None:
    """Raises NotAllowed to a player who was not dealt in; Conflicting unless the hand is ruled for the first time."""
    _must_be_concerned(hand, by)
    _must_not_be_final(hand)
    if not hand.dispute.rulings:
        raise Conflicting("not-ruled", "Nobody has ruled on the hand yet: flag it instead.")
    if hand.dispute.appeal:
        raise Conflicting("already-appealed", "There is one appeal, and it was made.")


# decisions


def flag(hand: Hand, by: Person, reason: str, evidence: str | None) -> list[Event]:
    may_flag(hand, by)
    return [Flagged(role=by.role, by=by, reason=reason, evidence=evidence)]


def freeze(hand: Hand, by: Person, scope: Scope, reason: str, now: datetime) -> list[Event]:
    """Stops a running hand and its clock; keeps any hand from being final, and so the prizes; or its table's deals.

    Raises Conflicting where that is frozen, or ruled; Refused where the table does not deal by itself.
    """
    if scope in hand.dispute.frozen:
        raise Conflicting("already-frozen", f"The {scope} of this dispute is frozen already.")
    if hand.dispute.rulings and scope != "table":
        raise Conflicting(
            "already-ruled", "The hand is ruled: only its table can be frozen until it is final."
        )
    if scope == "table" and (hand.tournament_id is None or hand.recorded):
        instead = "pause the tournament" if hand.recorded else "pause the table"
        raise Refused("validation", "This table cannot be frozen.", {"/scope": f"cannot be table: {instead}"})
    stopped = hands.stop_clock(hand, now) if scope == "hand" else []
    keeps_open = hand.dispute.stage is not Stage.RULED
    return [Frozen(scope=scope, by=by, reason=reason, open=keeps_open), *stopped]


def release(
    hand: Hand, by: Person, scope: Scope, reason: str, now: datetime, *, clock_runs: bool
) -> list[Event]:
    """Ends a freeze; the running turn gets back the time that it had left, unless a pause holds it (`clock_runs`).

    Raises Conflicting where nothing of that scope is frozen.
    """
    if scope not in hand.dispute.frozen:
        raise Conflicting("not-frozen", f"The {scope} of this dispute is not frozen.")
    released = Released(scope=scope, by=by, reason=reason, open=False)
    after = hands.evolve(hand, released)
    released = msgspec.structs.replace(released, open=after.dispute.keeps_open)
    return [released, *(hands.start_clock(after, now) if clock_runs else ()), *_final_at_once(after)]


def rule(hand: Hand, by: Person, ruling: Ruling, now: datetime) -> list[Event]:
    """The ruling; the end of a hand that it voids while it runs; the end of all dispute on appeal, or without a window.

    Raises Conflicting for a ruling that is not for the hand's state; Refused with what is wrong with the ruling.
    """
    match ruling.ruling:
        case "void_from":
            return running_rulings.void_from(hand, by, ruling.reason, ruling.action or 0, now)
        case "time":
            return running_rulings.give_time(hand, by, ruling.reason, ruling.seconds or 0, now)
        case kind:
            return _settling(hand, by, ruling, kind)


def _settling(hand: Hand, by: Person, ruling: Ruling, kind: RulingKind) -> list[Event]:
    """A ruling that settles the dispute."""
    if kind in OF_TOURNAMENTS:
        must_fit(hand, kind, ruling.seat)
    if hand.state is State.RUNNING:
        if kind not in ("void", "cancel") or ruling.penalties:
            raise Conflicting(
                "hand-not-settled",
                "A running hand can be voided, in whole or from an action on, or its turn be given time; else rule once"
                " it is settled, and so give penalties.",
            )
        ruled = _ruled(hand, by, ruling, kind, None)
        return [ruled, *hands.void(hand, ruling.reason)]
    ruled = _ruled(hand, by, ruling, kind, _checked(hand, ruling))
    return [ruled, *_final_at_once(hands.evolve(hand, ruled))]


def appeal(hand: Hand, by: Person, reason: str) -> list[Event]:
    may_appeal(hand, by)
    return [Appealed(role=by.role, by=by, reason=reason)]


def asked(ruled: Ruled | ActionsVoided | TimeGiven) -> Ruling:
    """What was asked for, of a ruling that was made."""
    match ruled:
        case ActionsVoided():
            return Ruling("void_from", ruled.reason, action=ruled.action)
        case TimeGiven():
            return Ruling("time", ruled.reason, seconds=ruled.seconds)
        case PlayerRuled():
            return Ruling(ruled.ruling, ruled.reason, seat=ruled.seat, chips=ruled.chips)
        case SubstituteRuled():
            return Ruling(ruled.ruling, ruled.reason, seat=ruled.seat, player_id=ruled.player_id)
    made = ruled.result
    points = made.points if made and ruled.ruling == "adjust" else None
    liable = made.liable if made and ruled.ruling == "liability" else None
    return Ruling(ruled.ruling, ruled.reason, points, liable, penalties=penalties_of(ruled))


# what it comes to


def as_played(hand: Hand) -> HandResult:
    """What a settled hand came to by itself."""
    played = hand.settlement
    assert played is not None
    return HandResult(played.winner, played.liable, played.cards_left, points_due(hand), played.net)


def correction(hand: Hand) -> ResultCorrected | None:
    """What a final hand's ruling changes for whom; null where it stands as played."""
    result = hand.dispute.result
    if hand.state is not State.FINAL or result is None or hand.tournament_id is None:
        return None
    played = as_played(hand)
    changes = [
        Correction(
            player_id=seat.player_id,
            tally=_tally(hand, seat.seat, result).minus(_tally(hand, seat.seat, played)),
            chips=result.net[seat.seat] - played.net[seat.seat],
        )
        for seat in hand.terms.seats
    ]
    stacks = any(seat.stack is not None for seat in hand.terms.seats)
    return ResultCorrected(
        hand_id=hand.hand_id, table_id=hand.table_id, changes=tuple(changes), stacks=stacks
    )


def _tally(hand: Hand, seat: int, result: HandResult) -> Tally:
    """What the hand adds to its player's tally. Cards left count where they break ties: of real cards."""
    if result.winner is None:
        return Tally()
    left = result.cards_left[seat] if hand.recorded else 0
    return Tally(result.points[seat], 1, int(seat == result.winner), left)


def _checked(hand: Hand, ruling: Ruling) -> HandResult | None:
    """The result, of a ruling whose penalties can be given; Refused with all that is wrong with both."""
    wrong = problems(hand, ruling.penalties)
    try:
        result = _result(hand, ruling)
    except Refused as refused:
        raise Refused(refused.code, refused.detail, refused.errors | wrong) from refused
    if wrong:
        raise Refused("validation", "These penalties cannot be given.", wrong)
    return result


def _result(hand: Hand, ruling: Ruling) -> HandResult | None:
    match ruling.ruling:
        case "stands" | "cancel" | "reinstate" | "replace" | "penalty":
            return None
        case _ if hand.tournament_id is None:
            why = "cannot change a settled hand at a ring table: its money may have left the table. Rule `stands`"
            raise Refused("validation", "This cannot be ruled here.", {"/ruling": why})
        case "void":
            nothing = {s.seat: 0 for s in hand.terms.seats}
            return HandResult(None, None, nothing, nothing, nothing)
        case "adjust":
            return _adjusted(hand, ruling.points or {})
    return _with_liable(hand, ruling.liable)


def _adjusted(hand: Hand, points: Mapping[int, int]) -> HandResult:
    """The points that a director gives each seat; nobody loses more than he had (R8.3)."""
    seats = {s.seat: s.stack for s in hand.terms.seats}
    errors = {f"/points/{seat}": "was not dealt in" for seat in points if seat not in seats}
    by_seat = {seat: points.get(seat, 0) for seat in seats}
    if sum(points.values()):
        errors["/points"] = f"must sum to 0, and make {sum(points.values())} (R8.5)"
    most = most_points(rule_set_of(hand.terms))
    for seat, given in by_seat.items():
        if abs(given) > most:
            errors[f"/points/{seat}"] = f"no hand comes to more than {most} points by its rules (R8.1)"
    net = {seat: given * hand.terms.unit for seat, given in by_seat.items()}
    for seat, stack in seats.items():
        if stack is not None and net[seat] < -stack:
            errors[f"/points/{seat}"] = (
                f"comes to {-net[seat]} chips, of the {stack} that the seat had (R8.3)"
            )
    if errors:
        raise Refused("validation", "No hand can come to this.", errors)
    played = as_played(hand)
    return msgspec.structs.replace(played, points=by_seat, net=net)


def _with_liable(hand: Hand, liable: int | None) -> HandResult:
    """R8 anew, with that seat liable (R8.4), or nobody."""
    played = as_played(hand)
    seats = [s.seat for s in hand.terms.seats]
    if liable is not None and (liable not in seats or liable == played.winner or len(seats) < 3):
        why = "must be a seat dealt in, of three at least, that has not won (R7.1, R8.4)"
        raise Refused("validation", "This seat cannot be liable.", {"/liable": why})
    settlement = _settled_again(hand, liable)
    return as_played(msgspec.structs.replace(hand, settlement=settlement))


def _settled_again(hand: Hand, liable: int | None) -> Settled:
    if hand.recorded:
        return settlement_of(msgspec.structs.replace(hand.recorded, liable=liable))
    outcome = replace(outcome_of(hand.game), liable=liable)
    stacks = {s.seat: s.stack for s in hand.terms.seats}
    return hands.settled(settle_outcome(hand.game.rules, outcome, hand.terms.unit, stacks))


def _ruled(hand: Hand, by: Person, ruling: Ruling, kind: RulingKind, result: HandResult | None) -> Ruled:
    told: dict[str, Any] = {
        "number": len(hand.dispute.rulings) + 1,
        "ruling": kind,
        "by": by,
        "reason": ruling.reason,
        "result": result,
    }
    seat, chips, player = ruling.seat, ruling.chips, ruling.player_id
    match kind:
        case "reinstate":
            assert seat is not None
            assert chips is not None
            return PlayerRuled(**told, seat=seat, chips=chips)
        case "replace":
            assert seat is not None
            assert player is not None
            return SubstituteRuled(**told, seat=seat, player_id=player)
    if ruling.penalties:
        return RuledWithPenalties(**told, penalties=ruling.penalties)
    return Ruled(**told)


def _final_at_once(hand: Hand) -> list[Event]:
    """Where nobody may protest, or appeal any more, a settled hand is final as soon as nothing keeps it open."""
    window = hand.terms.timing.protest_seconds > 0 and len(hand.dispute.rulings) < 2
    return [] if window else hands.finalise(hand)


def _must_be_concerned(hand: Hand, by: Person) -> None:
    if by.role is Role.PLAYER and hand.seat_of(by.player_id) is None:
        raise NotAllowed("forbidden", "A player disputes the hands that he was dealt in.")


def _must_be_neutral(hand: Hand, by: Person, *, sits_there: bool) -> None:
    if sits_there or (by.player_id is not None and hand.seat_of(by.player_id) is not None):
        raise NotAllowed("forbidden", "Who plays at that table does not rule there: ask another director.")


def _must_not_be_final(hand: Hand) -> None:
    if hand.state not in (State.RUNNING, State.SETTLED):
        raise Conflicting("hand-final", f"The hand is {hand.state}: nothing can change it.")
