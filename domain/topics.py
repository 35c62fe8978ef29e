"""The names under which events are stored: a contract. Append only; a new shape is a new name with a new number."""

from __future__ import annotations

from domain import credential, player, roster, ruleset, wallet
from domain import hand_events as hand
from domain import table_events as table
from domain import tournament_events as tournament
from domain.events import Event

TOPICS: dict[str, type[Event]] = {
    "player.enrolled.1": player.Enrolled,
    "player.barred.1": player.Barred,
    "player.reinstated.1": player.Reinstated,
    "credential.issued.1": credential.Issued,
    "credential.revoked.1": credential.Revoked,
    "ruleset.published.1": ruleset.RuleSetPublished,
    "roster.registered.1": roster.Registered,
    "roster.withdrawn.1": roster.Withdrawn,
    "roster.closed.1": roster.RosterClosed,
    "tournament.seeds_committed.1": tournament.SeedsCommitted,
    "tournament.published.1": tournament.Published,
    "tournament.started.1": tournament.Started,
    "tournament.tables_drawn.1": tournament.TablesDrawn,
    "tournament.table_broken.1": tournament.TableBroken,
    "tournament.player_moved.1": tournament.PlayerMoved,
    "tournament.level_raised.1": tournament.LevelRaised,
    "tournament.placed.1": tournament.Placed,
    "tournament.paused.1": tournament.Paused,
    "tournament.resumed.1": tournament.Resumed,
    "tournament.prizes_awarded.1": tournament.PrizesAwarded,
    "tournament.finished.1": tournament.Finished,
    "tournament.cancelled.1": tournament.Cancelled,
    "table.opened.1": table.Opened,
    "table.seated.1": table.Seated,
    "table.vacated.1": table.Vacated,
    "table.hand_begun.1": table.HandBegun,
    "table.hand_ended.1": table.HandEnded,
    "table.paused.1": table.TablePaused,
    "table.resumed.1": table.TableResumed,
    "table.closed.1": table.Closed,
    "hand.committed.1": hand.Committed,
    "hand.dealt.1": hand.Dealt,
    "hand.played.1": hand.CardsPlayed,
    "hand.passed.1": hand.Passed,
    "hand.clock_stopped.1": hand.ClockStopped,
    "hand.clock_started.1": hand.ClockStarted,
    "hand.settled.1": hand.Settled,
    "hand.voided.1": hand.Voided,
    "hand.finalised.1": hand.Finalised,
    "hand.recorded.1": hand.HandRecorded,
    "hand.confirmed.1": hand.Confirmed,
    "table.opened.2": table.RecordedTableOpened,
    "table.hand_ended.2": table.RecordedHandEnded,
    "tournament.table_opened.1": tournament.TableOpened,
    "tournament.table_closed.1": tournament.TableClosed,
    "tournament.tables_held.1": tournament.TablesHeld,
    "wallet.credited.1": wallet.Credited,
    "wallet.debited.1": wallet.Debited,
    "hand.dealt.2": hand.ConnectedDealt,
}
