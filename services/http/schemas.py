"""The bodies that the API takes."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import marshmallow as ma

from big2.ring import MOST_MONEY, MOST_UNIT
from domain.dispute_events import PenaltyKind
from domain.running_rulings import MOST_SECONDS
from domain.structure import Structure
from services.application.webhooks import TOLD
from services.http.fields import (
    MOST,
    AnyCurrency,
    Body,
    BySeat,
    Currency,
    Id,
    Instant,
    Later,
    Name,
    Nonce,
    OneOf,
    Part,
    Parts,
    PlayingCard,
    PrizeTable,
    Raw,
    Several,
    Text,
    Whole,
    YesNo,
)
from services.outgoing import LONGEST_URL

LONGEST_WAIT_SECONDS = 86_400
MOST_LEVELS = 100
MOST_STEPS = 100
MOST_CARDS = 5
NAME_LETTERS = 100
REASON_LETTERS = 500
REFERENCE_LETTERS = 100
EVIDENCE_LETTERS = 2000
LONGEST_ROUND_TRIP_MS = 3_600_000
FORMATS = ("sit_and_go", "freezeout", "league")
RULES = "RuleSetSwitches"
"""How OpenAPI calls the JSON Schema of a rule set."""


class Members(NamedTuple):
    """What a ruling's body has beside its reason; of `may` any or none."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


MEMBERS_OF = {
    "stands": Members(may=("penalties",)),
    "void": Members(may=("penalties",)),
    "adjust": Members(needs=("points",), may=("penalties",)),
    "liability": Members(needs=("liable",), may=("penalties",)),
    "penalty": Members(needs=("penalties",)),
    "cancel": Members(),
    "void_from": Members(needs=("action",)),
    "time": Members(needs=("seconds",)),
    "reinstate": Members(needs=("seat", "chips")),
    "replace": Members(needs=("seat", "player_id")),
}
"""Each ruling that is offered: which members of the body go with it. None goes with one that does not name it."""
LATER_FORMATS = ("rounds", "swiss", "duplicate", "bracket")


class Empty(Body):
    """Nothing, or an empty object."""


class NewPlayer(Body):
    name = Raw(required=True, metadata={"minLength": 1, "maxLength": 200})


class NewPlayerToken(Body):
    tournament_id = Id(allow_none=True)
    expires_at = Instant(allow_none=True)


class NewToken(NewPlayerToken):
    role = OneOf("auditor", "operator", "director", "admin", required=True)
    player_id = Id(
        allow_none=True,
        metadata={"description": "The player that he is, if he plays: he rules at no table of his own."},
    )


class NewRuleSet(Body):
    name = Name(required=True)
    rules = ma.fields.Dict(
        keys=ma.fields.String(),
        required=True,
        error_messages={"required": "is missing", "null": "may not be null", "invalid": "must be an object"},
        metadata={
            "description": "A `base` preset and the switches of R12 that differ, or all switches.",
            "allOf": [{"$ref": f"#/components/schemas/{RULES}"}],
        },
    )


class NewBuyIn(Body):
    """In minor units of the currency."""

    amount = Whole(1, required=True)
    fee = Whole(load_default=0)
    currency = Currency(required=True)


class NewWithdrawal(Body):
    amount = Whole(1, required=True, metadata={"description": "Minor units of the currency, such as cents."})
    currency = AnyCurrency(required=True)
    reference = Text(
        REFERENCE_LETTERS,
        required=True,
        metadata={"description": "What it is called outside, such as the bank's reference; booked once."},
    )
    note = Text(REASON_LETTERS, allow_none=True)


class NewDeposit(NewWithdrawal):
    currency = Currency(required=True)


class TournamentChanges(Body):
    """Any of a structure's terms."""

    name = Text(NAME_LETTERS)
    format = OneOf(*FORMATS, later=LATER_FORMATS)
    rules = Raw(
        metadata={
            "description": "A preset, or a published rule set: `name` (its newest version) or `name@version`."
        }
    )
    seats_per_table = Whole(2, 4)
    capacity = Whole(2, 10_000)
    min_entrants = Whole(2, 10_000)
    starts_at = Instant(allow_none=True)
    unit = Whole(1)
    stack_points = Whole(0, 1_000_000)
    unit_levels = Several(Whole(1, 1_000_000), 1, MOST_LEVELS)
    hands_per_level = Whole(1, 10_000)
    minutes_per_level = Whole(1, 10_000, allow_none=True)
    turn_seconds = Whole(
        0,
        LONGEST_WAIT_SECONDS,
        metadata={
            "description": "Then the clock acts (R11.2); with 0 it does at once, and the tournament plays itself."
        },
    )
    between_hands_seconds = Whole(0, LONGEST_WAIT_SECONDS)
    protest_seconds = Whole(0, LONGEST_WAIT_SECONDS * 30)
    no_show_hands = Whole(0, 10_000)
    prizes_bp = PrizeTable(
        metadata={"oneOf": [{"const": "standard"}, {"type": "array", "items": {"type": "integer"}}]}
    )
    buy_in = Part(
        NewBuyIn,
        allow_none=True,
        metadata={
            "description": "Charged at the entry: `amount` goes to the prize pool, `fee` to the house."
        },
    )
    guarantee = Whole(
        metadata={"description": "What the prize pool holds at least: the house adds what is missing."}
    )
    recorded = YesNo(
        metadata={"description": "Real cards: nothing is dealt here, and each hand comes by `/results`."}
    )
    late_entry_levels = Whole(
        0,
        MOST_LEVELS,
        metadata={
            "description": "A freezeout's first levels, while which players may enter, and enter again once out."
        },
    )
    entropy_seconds = Whole(
        0,
        LONGEST_WAIT_SECONDS,
        metadata={
            "description": "So long before each deal players may send entropy for it, once its commitment stands."
        },
    )
    rounds = Later(None)
    hands_per_round = Later(None)
    advance = Later(None)
    carry_over = Later(None)
    time_bank_seconds = Later(0)
    check_in = Later(False)
    bots = Later(0)


class NewTournament(TournamentChanges):
    """A structure: `name` and `format`, and whatever differs from the defaults."""

    name = Text(NAME_LETTERS, required=True)
    format = OneOf(*FORMATS, later=LATER_FORMATS, required=True)


class NewEntry(Body):
    player_id = Id(required=True)


class Cancellation(Body):
    reason = Text(REASON_LETTERS)


class NewSeat(Body):
    seat = Whole(1, 4, required=True)
    player_id = Id(required=True)


class NewTable(Body):
    tournament_id = Id(required=True)
    seats = Parts(NewSeat, 2, 4, required=True)


class NewStake(Body):
    schedule = Raw(
        required=True,
        metadata={"description": "A schedule: `name` (its newest version) or `name@version`."},
    )
    unit = Whole(1, MOST_UNIT, required=True, metadata={"description": "One of the schedule's units."})


class NewRingTable(Body):
    """A ring table: what its `stake` costs follows from the schedule."""

    rules = Raw(load_default="actionpoker", metadata={"description": "As in a structure."})
    stake = Part(NewStake, required=True)
    currency = Currency()
    seats = Whole(2, 4, load_default=4)
    turn_seconds = Whole(
        1,
        LONGEST_WAIT_SECONDS,
        because="with 0 the clock would act at once, with everybody's money (R11.2)",
        load_default=30,
    )
    between_hands_seconds = Whole(0, LONGEST_WAIT_SECONDS, load_default=3)
    protest_seconds = Whole(0, LONGEST_WAIT_SECONDS * 30, load_default=0)


class AnyTable(Body):
    """A table of a league, or a ring table: that is one with a `stake`."""

    choices = (NewTable, NewRingTable)

    def load(self, data: Any, **more: Any) -> Any:  # noqa: ANN401 - marshmallow's own signature
        kind = NewRingTable if is_ring(data) else NewTable
        return kind().load(data, **more)


def is_ring(sent: object) -> bool:
    """Whether a body asks for a ring table."""
    return isinstance(sent, dict) and "stake" in sent


class SeatWish(Body):
    """How a seat at a ring table is to be; what is left out stays as it is."""

    player_id = Id(metadata={"description": "Whoever sits there; a player's token may leave it out."})
    buy_in = Whole(
        1,
        MOST_MONEY,
        metadata={"description": "All that he brings to this seat: a greater one than before tops up."},
    )
    sitting_out = YesNo()


class NewStep(Body):
    """What a table of this unit costs, in minor units (R10.1)."""

    unit = Whole(1, MOST_UNIT, required=True)
    buy_in = Whole(1, MOST_MONEY, required=True)
    ante = Whole(0, MOST_UNIT, required=True)


class NewStakes(Body):
    name = Name(required=True)
    currency = Currency(required=True)
    steps = Parts(NewStep, 1, MOST_STEPS, required=True)


class NewResult(Body):
    cards_left = BySeat(13, required=True)
    winner = Whole(1, 4, required=True)
    liable = Whole(1, 4, allow_none=True)
    twos_left = BySeat(
        4,
        allow_none=True,
        metadata={
            "description": "Wanted where the rule set counts twos, and only there; 0 where it names no seat."
        },
    )
    played_at = Instant(allow_none=True, metadata={"description": "Now, if left out."})
    number = Whole(
        1,
        allow_none=True,
        metadata={"description": "The number of the hand at its table: another one is `stale-hand`."},
    )


class NewFlag(Body):
    reason = Text(REASON_LETTERS, required=True)
    evidence = Text(
        EVIDENCE_LETTERS,
        allow_none=True,
        metadata={"description": "What the director should look at. No names: what is written stays."},
    )


class NewFreeze(Body):
    scope = OneOf("hand", "table", "payouts", required=True)
    reason = Text(REASON_LETTERS, required=True)


class NewPenalty(Body):
    seat = Whole(1, 4, required=True)
    penalty = OneOf(*get_args(PenaltyKind), required=True)
    amount = Whole(
        1,
        allow_none=True,
        metadata={
            "description": "Points of a league, chips, or hands to sit out (at most 20); of nothing else."
        },
    )


class NewRuling(Body):
    """`points` by seat go with `adjust`, `liable` (null for nobody) with `liability`, and with nothing else; so do
    `action` with `void_from` and `seconds` with `time`, `seat` and `chips` with `reinstate`,
    `seat` and `player_id` with `replace`. `penalties` are all of `penalty`, and go with any other ruling on what a
    settled hand comes to."""

    ruling = OneOf(*MEMBERS_OF, required=True)
    reason = Text(REASON_LETTERS, required=True)
    points = BySeat(
        MOST,
        metadata={
            "description": "What each seat wins, below 0 what it loses; a seat left out gets 0.",
            "patternProperties": {"^[1-4]$": {"type": "integer", "minimum": -MOST, "maximum": MOST}},
        },
    )
    liable = Whole(1, 4, allow_none=True)
    action = Whole(
        1,
        MOST,
        metadata={
            "description": "The number of the first action that is void, from 1 on, as `actions` of the hand has them."
        },
    )
    seconds = Whole(1, MOST_SECONDS, metadata={"description": "What the running turn is given."})
    seat = Whole(1, 4, metadata={"description": "Where the player sat whom the ruling is about."})
    chips = Whole(1, metadata={"description": "What he is back with."})
    player_id = Id(metadata={"description": "Who takes over from him."})
    penalties = Parts(NewPenalty, 1, 4, metadata={"description": "At most one a seat."})

    @ma.validates_schema
    def _fit(self, asked: dict[str, Any], **_: Any) -> None:  # noqa: ANN401 - marshmallow's own signature
        ruling = asked.get("ruling", "")
        if ruling not in MEMBERS_OF:
            return
        needs, may = MEMBERS_OF[ruling]
        given = asked.keys() - {"ruling", "reason"}
        wrong = {name: [f"is missing: {ruling} wants it"] for name in needs if name not in given}
        wrong |= {name: ["goes with another ruling"] for name in sorted(given - {*needs, *may})}
        if wrong:
            raise ma.ValidationError(wrong)


class NewAppeal(Body):
    reason = Text(REASON_LETTERS, required=True)


class NewWebhook(Body):
    url = Raw(
        required=True,
        metadata={
            "description": "`https` or `http`, to a host of the internet; asked by POST.",
            "format": "uri",
            "maxLength": LONGEST_URL,
        },
    )
    topics = Several(
        OneOf(*TOLD),
        1,
        len(TOLD),
        allow_none=True,
        metadata={"description": "Events by name; all of tournaments' life, if left out."},
    )
    tournament_id = Id(
        allow_none=True, metadata={"description": "Events of this tournament; of all, if left out."}
    )


class NewHeartbeat(Body):
    rtt_ms = Whole(
        0,
        LONGEST_ROUND_TRIP_MS,
        required=True,
        metadata={"description": "The round trip that the client measured last, in milliseconds."},
    )


class NewEntropy(Body):
    nonce = Nonce(required=True)


class NewPass(Body):
    turn = Whole(0, MOST, required=True)


class NewPlay(NewPass):
    cards = Several(PlayingCard(), 1, MOST_CARDS, required=True)


TERMS = frozenset(Structure.__struct_fields__)
"""The members of a structure that are stored."""
