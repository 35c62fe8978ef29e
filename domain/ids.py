"""Identities. Most are derived (uuid5, RFC 9562), so that doing a thing twice is a conflict, not a second thing."""

from __future__ import annotations

from typing import NewType
from uuid import NAMESPACE_URL, UUID, uuid5

NS = uuid5(NAMESPACE_URL, "tag:big2-tournament,2026:")

CommandId = NewType("CommandId", UUID)
PlayerId = NewType("PlayerId", UUID)
CredentialId = NewType("CredentialId", UUID)
RuleSetId = NewType("RuleSetId", UUID)
StakesId = NewType("StakesId", UUID)
TournamentId = NewType("TournamentId", UUID)
RosterId = NewType("RosterId", UUID)
TableId = NewType("TableId", UUID)
HandId = NewType("HandId", UUID)
WalletId = NewType("WalletId", UUID)
JournalId = NewType("JournalId", UUID)
WebhookId = NewType("WebhookId", UUID)

WEBHOOKS = uuid5(NS, "webhooks")
"""The stream that lists them."""


def request_command(credential: CredentialId, method: str, path: str, key: str) -> CommandId:
    """The command of an HTTP request: the same credential, method, path and Idempotency-Key are the same command."""
    return CommandId(uuid5(credential, f"{method} {path} {key}"))


def job_command(name: str) -> CommandId:
    """The command of a job, by the job's own name (`deal-TABLE-7`): running it twice is one command."""
    return CommandId(uuid5(NS, f"job/{name}"))


def player_id(command: CommandId) -> PlayerId:
    return PlayerId(uuid5(command, "player"))


def credential_id(command: CommandId) -> CredentialId:
    return CredentialId(uuid5(command, "credential"))


def ruleset_id(name: str) -> RuleSetId:
    return RuleSetId(uuid5(NS, f"ruleset/{name}"))


def stakes_id(name: str) -> StakesId:
    return StakesId(uuid5(NS, f"stakes/{name}"))


def tournament_id(command: CommandId) -> TournamentId:
    return TournamentId(uuid5(command, "tournament"))


def roster_id(tournament: TournamentId) -> RosterId:
    return RosterId(uuid5(tournament, "roster"))


def entry_id(tournament: TournamentId, player: PlayerId) -> UUID:
    return uuid5(roster_id(tournament), f"entry/{player}")


def re_entry_id(tournament: TournamentId, player: PlayerId, number: int) -> UUID:
    """A further entry of a player, the tournament's entry `number`."""
    return uuid5(roster_id(tournament), f"entry/{player}/{number}")


def table_id(tournament: TournamentId, number: int) -> TableId:
    return TableId(uuid5(tournament, f"table/{number}"))


def opened_table_id(command: CommandId) -> TableId:
    """A table that somebody opened by himself, in a tournament that draws none."""
    return TableId(uuid5(command, "table"))


def wallet_id(player: PlayerId, currency: str) -> WalletId:
    return WalletId(uuid5(player, currency))


def journal_id(cause: UUID, name: str) -> JournalId:
    """The journal that `cause`, a command or a stream, makes under this name."""
    return JournalId(uuid5(cause, f"journal/{name}"))


def webhook_id(command: CommandId) -> WebhookId:
    return WebhookId(uuid5(command, "webhook"))


def hand_id(table: TableId, number: int) -> HandId:
    return HandId(uuid5(table, f"hand/{number}"))
