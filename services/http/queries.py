"""The queries that the API takes."""

from __future__ import annotations

from typing import Any, get_args

import marshmallow as ma

from domain.journal import Kind
from services.http.fields import (
    Account,
    AnyCurrency,
    Body,
    CardList,
    Digits,
    Id,
    Instant,
    OneOf,
    Raw,
    Switch,
)

PAGE = 50
LARGEST_PAGE = 200
DEALT_CARDS = 13
LAST_POSITION = 2**63 - 1
AHEAD = "lies ahead of the log"


class Query(Body):
    """A query's members; those that it does not know are wrong."""

    error_messages = {"unknown": "is not a parameter of this address"}  # noqa: RUF012


class WhoStandsUp(Query):
    player_id = Id(metadata={"description": "Whoever sits there; a player's token may leave it out."})


class DryRun(Query):
    dry_run = Switch(
        load_default=False, metadata={"description": "Tell what would be stored, and store nothing."}
    )


class Paged(Query):
    limit = Digits(1, LARGEST_PAGE, load_default=PAGE)
    cursor = Raw(metadata={"description": "`next` of the page before."})


class RingTables(Paged):
    closed = Switch(load_default=False, metadata={"description": "Those that are closed too."})


class PagedTable(Paged):
    format = OneOf("json", "csv", "ndjson", load_default="json")


class PagedAsOf(PagedTable):
    as_of = Digits(0, LAST_POSITION, metadata={"description": "A log position; now, if left out."})


class PagedBack(Paged):
    as_of = Digits(0, LAST_POSITION, metadata={"description": "A log position; now, if left out."})


class StandingsAsked(PagedAsOf):
    as_played = Switch(
        load_default=False, metadata={"description": "Without what rulings have corrected since."}
    )


class AsOfAsked(Query):
    as_of = Digits(0, LAST_POSITION, metadata={"description": "A log position; now, if left out."})


class TrialAsked(PagedAsOf):
    book = OneOf("money", "chips")
    currency = AnyCurrency()


class AccountsAsked(TrialAsked):
    account = Account(metadata={"description": "A whole name, such as `pool/TOURNAMENT`."})
    player = Id()
    tournament = Id()


class EntriesAsked(AccountsAsked):
    table = Id()
    hand = Id()
    journal = Id()
    kind = OneOf(*get_args(Kind), metadata={"description": "What the journal is."})
    to = Instant(metadata={"format": "date-time", "description": "Before this time."})
    vars()["from"] = Instant(metadata={"format": "date-time", "description": "This time and later."})


class CardsAsked(Query):
    cards = CardList(
        DEALT_CARDS,
        metadata={
            "description": "Cards to be explained, such as `7D,7S`; it may also stand there once for each card."
        },
    )
    vars()["pass"] = Switch(
        load_default=False, metadata={"description": "A pass is to be explained, instead of cards."}
    )

    @ma.validates_schema
    def _one(self, asked: dict[str, Any], **_: Any) -> None:  # noqa: ANN401 - marshmallow's own signature
        if asked["pass"] and "cards" in asked:
            raise ma.ValidationError({"pass": ["asks beside `cards`: ask for one of them"]})


class FeedQuery(Query):
    """Exactly one of the three."""

    tournament = Id()
    table = Id()
    player = Id()
    after = Digits(
        0, LAST_POSITION, metadata={"description": "As Last-Event-ID, for those who cannot send it."}
    )
