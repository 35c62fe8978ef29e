"""Wallets: money in and out, and what a player has."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from domain.ids import PlayerId
from services.application import resources as shapes
from services.application import wallets
from services.application.wallets import Money, WalletRequest
from services.http import schemas
from services.http.access import Who
from services.http.answers import written
from services.http.calls import Call
from services.http.routing import Register, Routes, command

blueprint = Routes("wallets", "Players' money, per currency in its minor units")
ONE = "/wallets/<uuid:player_id>"


def _moving(what: str, body: schemas.NewWithdrawal, *problems: str) -> Register:
    """A route that books money in or out."""
    return command(
        blueprint,
        "POST",
        f"{ONE}/{what}",
        shapes.WalletJournal,
        who=Who.OPERATING,
        body=body,
        problems=("duplicate-reference", *problems),
        whole_service=True,
        example={"amount": 2500, "currency": "EUR", "reference": "transfer 2027-01-29/17"},
    )


@_moving("deposits", schemas.NewDeposit())
def deposit(call: Call, player_id: UUID) -> Response:
    """Book money that a player has paid in"""
    outcome = wallets.deposit(call.services, call.command, PlayerId(player_id), _asked(call))
    return written(201, wallets.booked(outcome), repeat=outcome.repeat)


@_moving("withdrawals", schemas.NewWithdrawal(), "insufficient-funds")
def withdraw_money(call: Call, player_id: UUID) -> Response:
    """Book money that a player is paid out, as far as he has it"""
    outcome = wallets.withdraw(call.services, call.command, PlayerId(player_id), _asked(call))
    return written(201, wallets.booked(outcome), repeat=outcome.repeat)


def _asked(call: Call) -> WalletRequest:
    def read() -> Money:
        body = call.body.read()
        return Money(body["amount"], body["reference"], body.get("note"))

    valid = call.body.valid
    return WalletRequest(valid.get("currency"), valid.get("reference"), read)
