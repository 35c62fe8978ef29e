"""A dispute as its reader may see it: people's words only with the history, a ruling's reason always."""

from __future__ import annotations

from uuid import UUID

from msgspec import UNSET

from domain import dispute as disputes
from domain import hand as hands
from domain.dispute_events import (
    ActionsVoided,
    Appealed,
    Flagged,
    HandResult,
    PlayerRuled,
    Ruled,
    SubstituteRuled,
    TimeGiven,
)
from services.application import resources as shapes
from services.commands import Outcome


def disputed(outcome: Outcome[hands.Hand], command: UUID) -> shapes.Disputed:
    """How a command left its hand; nobody's words are in it."""
    hand = outcome.state
    assert hand is not None
    return shapes.Disputed(
        hand_id=hand.hand_id,
        command_id=command,
        state=hand.state.value,
        dispute=_shown(hand, words=False),
    )


def dispute_view(hand: hands.Hand, *, words: bool) -> shapes.Dispute | None:
    """The dispute about a hand; null where there never was one. `words` says that the reader may have the history."""
    if hand.dispute == disputes.Dispute():
        return None
    return _shown(hand, words=words and hand.state is not hands.State.RUNNING)


def _shown(hand: hands.Hand, *, words: bool) -> shapes.Dispute:
    dispute, open_ = hand.dispute, hand.state in (hands.State.RUNNING, hands.State.SETTLED)
    return shapes.Dispute(
        stage=dispute.stage.value,
        flags=[_flag(flag, words=words) for flag in dispute.flags],
        frozen=sorted(dispute.frozen) if open_ else [],
        rulings=[_ruling(ruled) for ruled in dispute.rulings],
        interim=[_interim(ruled) for ruled in dispute.interim],
        appeal=_flag(dispute.appeal, words=words) if dispute.appeal else None,
    )


def _flag(said: Flagged | Appealed, *, words: bool) -> shapes.Flag:
    if not words:
        return shapes.Flag(role=said.role.value)
    evidence = said.evidence if isinstance(said, Flagged) else UNSET
    return shapes.Flag(
        role=said.role.value, player_id=said.by.player_id, reason=said.reason, evidence=evidence
    )


def _ruling(ruled: Ruled) -> shapes.Ruling:
    return shapes.Ruling(
        number=ruled.number,
        ruling=ruled.ruling,
        reason=ruled.reason,
        as_ruled=_result(ruled.result) if ruled.result else None,
        penalties=[
            shapes.Penalty(seat=given.seat, penalty=given.penalty, amount=given.amount)
            for given in disputes.penalties_of(ruled)
        ],
        seat=ruled.seat if isinstance(ruled, PlayerRuled | SubstituteRuled) else UNSET,
        chips=ruled.chips if isinstance(ruled, PlayerRuled) else UNSET,
        player_id=ruled.player_id if isinstance(ruled, SubstituteRuled) else UNSET,
    )


def _interim(ruled: ActionsVoided | TimeGiven) -> shapes.InterimRuling:
    return shapes.InterimRuling(
        ruling="void_from" if isinstance(ruled, ActionsVoided) else "time",
        at=ruled.at,
        role=ruled.role.value,
        reason=ruled.reason,
        turn=ruled.turn,
        action=ruled.action if isinstance(ruled, ActionsVoided) else UNSET,
        last=ruled.last if isinstance(ruled, ActionsVoided) else UNSET,
        seconds=ruled.seconds if isinstance(ruled, TimeGiven) else UNSET,
    )


def _result(result: HandResult) -> shapes.HandResult:
    return shapes.HandResult(
        winner=result.winner,
        liable=result.liable,
        points={str(seat): points for seat, points in result.points.items()},
        net={str(seat): chips for seat, chips in result.net.items()},
    )
