"""The shapes of what is read, exactly as the API shows them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType, field

from big2.ring import RingStep
from domain.connection import Advice
from domain.dispute_events import InterimKind, PenaltyKind, RulingKind
from domain.structure import Structure
from domain.tournament import Tournament as TournamentState

Connection = Literal["good", "fair", "poor", "not_connected"]
Kind = Literal[
    "single",
    "pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
]
Direction = Literal["clockwise", "counterclockwise"]
Duty = Literal["multi_card", "highest_single", "either"]
By = Literal["player", "clock", "rule"]
PassReason = Literal["player", "clock", "two_of_spades", "too_few_cards"]


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is read. `as_of` is the log position of its newest event; list items leave it out."""


class Player(Resource, frozen=True, kw_only=True):
    """A person who may enter tournaments."""

    player_id: UUID
    name: str
    created_at: datetime
    as_of: int | UnsetType = UNSET


class Entry(Resource, frozen=True, kw_only=True):
    """A player's entry in a tournament."""

    entry_id: UUID
    player_id: UUID
    name: str
    state: Literal["registered"]
    entered_at: datetime
    as_of: int | UnsetType = UNSET


class Token(Resource, frozen=True, kw_only=True):
    """A token that was made. `token` is shown once: a repeat of the request leaves it out."""

    token_id: UUID
    token: str | UnsetType = UNSET


class RuleSet(Resource, frozen=True, kw_only=True):
    """A preset, or a version of a published rule set; `reference` is what a structure's `rules` takes."""

    name: str
    version: int | None
    reference: str
    rules: dict[str, Any]
    digest: str
    published_at: datetime | None
    as_of: int | UnsetType = UNSET


class Stakes(Resource, frozen=True, kw_only=True):
    """A version of a schedule of ring stakes (R10.2), in minor units of `currency`; `reference` names it for good."""

    name: str
    version: int
    reference: str
    currency: str
    steps: list[RingStep]
    digest: str
    published_at: datetime | None
    as_of: int | UnsetType = UNSET


class Tournament(Structure, frozen=True, kw_only=True):
    """A tournament: its structure, and how it stands.

    `entrants` counts players, and `entries` also how often they entered again. `prize_pool` is what they play for, in
    minor units of the buy-in's currency: as if registration closed now, until it does. It is null without a buy-in, and
    after a cancellation, even in the money.
    """

    check_in: bool = False
    entropy_seconds: int = 0
    time_bank_seconds: int = 0
    bots: int = 0
    rounds: None = None
    hands_per_round: None = None
    advance: None = None
    carry_over: None = None
    tournament_id: UUID
    state: Literal["open", "running", "paused", "finished", "cancelled"]
    entrants: int
    entries: int
    players_left: int
    level: int
    current_unit: int
    structure_hash: str
    draw_commitment: str
    draw_seed: str | None
    prize_pool: int | None
    as_of: int


class TableSeat(Resource, frozen=True, kw_only=True):
    """A taken seat; `stack` is null in a league, which is played for points.

    At a ring table `buy_in` is what the player has brought so far, and one who is `leaving` stands up after the hand.
    In a tournament `sit_out` is how many hands he has still to sit out, by a penalty; it is there where he has any.
    """

    seat: int
    player_id: UUID
    name: str
    stack: int | None
    connection: Connection = "not_connected"
    buy_in: int | UnsetType = UNSET
    sitting_out: bool | UnsetType = UNSET
    leaving: bool | UnsetType = UNSET
    sit_out: int | UnsetType = UNSET


class Stake(Resource, frozen=True, kw_only=True):
    """What a ring table costs (R10.1), in minor units of `currency`; `schedule` is the version that it keeps."""

    schedule: str
    currency: str
    unit: int
    buy_in: int
    ante: int


class RingTable(Resource, frozen=True, kw_only=True):
    """What only a ring table has; one that is `closing` closes after its hand."""

    rules: str
    stake: Stake
    seats: int
    turn_seconds: int
    between_hands_seconds: int
    protest_seconds: int
    paused: bool
    closing: bool


class Table(Resource, frozen=True, kw_only=True):
    """A table; `hand_id` is the hand that runs there. One that is `held` waits for others before its next hand.

    One that a director has `frozen` deals no more until he releases it, or what is disputed there is final.
    A ring table belongs to no tournament, has no number, and `ring` tells its terms.
    """

    table_id: UUID
    tournament_id: UUID | None
    number: int | None
    state: Literal["open", "closed"]
    seats: list[TableSeat]
    hand_id: UUID | None
    last_hand_id: UUID | None
    hands_played: int
    dealer: int | None
    direction: Direction | None
    level: int
    unit: int
    held: bool
    frozen: bool
    ring: RingTable | UnsetType = UNSET
    as_of: int


class HandSeat(Resource, frozen=True, kw_only=True):
    """A seat dealt in; `stack` is what it had at the deal, null in a league, which is played for points.

    For one that `sits_out`, by a penalty, the clock acts at once.
    """

    seat: int
    player_id: UUID
    name: str
    stack: int | None
    cards_left: int
    connection: Connection = "not_connected"
    sits_out: bool | UnsetType = UNSET


class Heartbeat(Resource, frozen=True, kw_only=True):
    """What a player's client is told of his connection; `advice` is null while it is good (R11.3)."""

    server_time: datetime
    connection: Connection
    advice: Advice | None


class ConnectionChange(Resource, frozen=True, kw_only=True):
    """A seat's connection, as it became at that time; the first of each seat is that of the deal (R11.1)."""

    seat: int
    player_id: UUID
    connection: Connection
    at: datetime


class Turn(Resource, frozen=True, kw_only=True):
    """The running turn; `deadline` is null while the clock is stopped."""

    number: int
    seat: int
    deadline: datetime | None


class ToBeat(Resource, frozen=True, kw_only=True):
    seat: int
    cards: list[str]
    kind: Kind


class Action(Resource, frozen=True, kw_only=True):
    """A play (`cards`) or a pass (`pass`, its reason); `breach` is told once the hand is settled (R7.3)."""

    seat: int
    cards: list[str] | UnsetType = UNSET
    pass_: PassReason | UnsetType = field(default=UNSET, name="pass")
    by: By
    at: datetime
    breach: bool | UnsetType = UNSET


class Transfer(Resource, frozen=True, kw_only=True):
    """A payment of R8.2, or with `covers` one of R8.4, which has no points."""

    from_: int = field(name="from")
    to: int
    points: int | UnsetType = UNSET
    covers: bool | UnsetType = UNSET
    due: int
    paid: int


class Settlement(Resource, frozen=True, kw_only=True):
    """R8. Mappings are by seat."""

    winner: int
    cards_left: dict[str, int]
    liable: int | None
    transfers: list[Transfer]
    net: dict[str, int]


class Flag(Resource, frozen=True, kw_only=True):
    """Somebody wants the hand looked at; his words are for who may read the history, once the hand is over."""

    role: str
    player_id: UUID | UnsetType | None = UNSET
    reason: str | UnsetType = UNSET
    evidence: str | UnsetType | None = UNSET


class HandResult(Resource, frozen=True, kw_only=True):
    """What a hand comes to by a ruling, by seat; voided, nobody has won."""

    winner: int | None
    liable: int | None
    points: dict[str, int]
    net: dict[str, int]


class Penalty(Resource, frozen=True, kw_only=True):
    """A seat's penalty; `amount` is in points, chips or hands, null of a warning and a disqualification."""

    seat: int
    penalty: PenaltyKind
    amount: int | None


class Ruling(Resource, frozen=True, kw_only=True):
    """A ruling, or on appeal the second; `as_ruled` is null where the hand stands as played, or was voided running.

    Whom it reinstates sat at `seat` when the hand was dealt, and gets `chips`; or `player_id` takes over from him.
    """

    number: int
    ruling: RulingKind
    reason: str
    as_ruled: HandResult | None
    penalties: list[Penalty]
    seat: int | UnsetType = UNSET
    chips: int | UnsetType = UNSET
    player_id: UUID | UnsetType = UNSET


class InterimRuling(Resource, frozen=True, kw_only=True):
    """What was ruled while the hand ran, in effect at once, in the midst of `turn`.

    `void_from` voided the actions from number `action` to `last`, of those that stood; `time` gave the turn `seconds`.
    """

    ruling: InterimKind
    at: datetime
    role: str
    reason: str
    turn: int
    action: int | UnsetType = UNSET
    last: int | UnsetType = UNSET
    seconds: int | UnsetType = UNSET


class Dispute(Resource, frozen=True, kw_only=True):
    """Where the dispute about a hand stands. `open` and `appealed` wait for a ruling: until then it is not final.

    `interim` is what was ruled while the hand ran, and settles nothing.
    """

    stage: Literal["none", "open", "ruled", "appealed"]
    flags: list[Flag]
    frozen: list[Literal["hand", "table", "payouts"]]
    rulings: list[Ruling]
    interim: list[InterimRuling]
    appeal: Flag | None


class Disputed(Resource, frozen=True, kw_only=True):
    """What a command made of the dispute about its hand."""

    hand_id: UUID
    command_id: UUID
    state: Literal["running", "settled", "final", "voided"]
    dispute: Dispute


class VoidedActions(Resource, frozen=True, kw_only=True):
    """Actions that a ruling voided while the hand ran: from number `action` on, as they were counted then, from 1."""

    action: int
    at: datetime
    reason: str
    actions: list[Action]


class You(Resource, frozen=True, kw_only=True):
    """What the reader's own seat may see; `duty` is R7.2's, on his turn."""

    seat: int
    cards: list[str]
    duty: Duty | None


class EntropyWindow(Resource, frozen=True):
    """Until when players may send entropy for a hand that is not dealt yet, null while the clock is stopped; and the
    seats that have."""

    closes_at: datetime | None
    given: list[int]


class Hand(Resource, frozen=True, kw_only=True):
    """A hand as its reader may see it. At a ring table it has no tournament, and is played for money of `currency`.

    One that was played with real cards is `recorded`: it has no actions, no commitment, and `played_at`. `actions` are
    those that stand.
    """

    hand_id: UUID
    table_id: UUID
    tournament_id: UUID | None
    number: int
    state: Literal["running", "settled", "final", "voided"]
    rules: str
    unit: int
    currency: str | None
    dealer: int
    direction: Direction
    seats: list[HandSeat]
    turn: Turn | None
    to_beat: ToBeat | None
    actions: list[Action]
    voided_actions: list[VoidedActions]
    settlement: Settlement | None
    recorded: bool
    played_at: datetime | None
    commitment: str | None
    entropy: EntropyWindow | None
    dispute: Dispute | None
    as_of: int
    you: You | UnsetType = UNSET


class HandLine(Resource, frozen=True, kw_only=True):
    """A hand in a list; `disputed` as long as a flag, a freeze or an appeal keeps it from being final."""

    hand_id: UUID
    table_id: UUID
    number: int
    state: Literal["running", "settled", "final", "voided"]
    level: int | None
    unit: int | None
    dealer: int | None
    direction: Direction | None
    winner: int | None
    liable: int | None
    started_at: datetime
    ended_at: datetime | None
    recorded: bool
    played_at: datetime | None
    disputed: bool


class EntropyTaken(Resource, frozen=True, kw_only=True):
    """A seat's entropy for a hand; `closes_at` is when the hand is dealt as things stand."""

    hand_id: UUID
    command_id: UUID
    seat: int
    nonce: str
    closes_at: datetime | None


class Acted(Resource, frozen=True, kw_only=True):
    """What a play or a pass added to its hand, automatic passes included."""

    hand_id: UUID
    command_id: UUID
    actions: list[Action]
    settlement: Settlement | None


class LegalPlay(Resource, frozen=True, kw_only=True):
    """A card set that may be played; `breach` says that it would be one (R7.3)."""

    cards: list[str]
    kind: Kind
    breach: bool


class Explanation(Resource, frozen=True, kw_only=True):
    """What the cards asked about are, and whether they may be played now: by which clause not, and why.

    Of a pass the same is told, without cards and without a kind.
    `code` is the problem that the play would be; `reason` is a sentence in any case. `breach` says that the play is
    allowed and would be one (R7.3).
    """

    cards: list[str]
    kind: Kind | None
    playable: bool
    clause: str | None
    code: str | None
    reason: str
    breach: bool


class LegalPlays(Resource, frozen=True, kw_only=True):
    """Every legal play of the seat to act; off turn there is none. `turn` is null once the hand is over.

    `duty_reason` tells the duty as a sentence (R7.2); `explanation` is there where cards, or a pass, were asked about.
    """

    turn: int | None
    may_pass: bool
    duty: Duty | None
    duty_reason: str | None
    items: list[LegalPlay]
    explanation: Explanation | UnsetType = UNSET
    as_of: int


class Standing(Resource, frozen=True, kw_only=True):
    """A player's place as things stand; `table_id` is null once he is out."""

    place: int
    tied: bool
    player_id: UUID
    name: str
    points: int
    chips: int
    hands: int
    hands_won: int
    table_id: UUID | None


class Correction(Resource, frozen=True, kw_only=True):
    """What a ruling on a hand gave a player more than as played, at a log position; `unpaid` is what he lacked.

    Where there are stacks their chips follow, between hands, in a line of their own. A `penalty` has a line when the
    hand is final, with its `amount`, and one when chips are taken or hands begin to be sat out; it is null of results.
    """

    position: int
    hand_id: UUID
    player_id: UUID
    name: str
    points: int
    hands: int
    hands_won: int
    chips: int
    unpaid: int
    penalty: PenaltyKind | None
    amount: int | None


class Prize(Resource, frozen=True, kw_only=True):
    """A prize, in minor units of `currency`, or in basis points where that is null: then nobody paid a buy-in.

    The player is null until it is awarded.
    """

    place: int
    tied: bool
    player_id: UUID | None
    name: str | None
    amount: int
    currency: str | None


class Leader(Resource, frozen=True, kw_only=True):
    """A player over all tournaments of a season; `points_per_hand` to two decimals, null before his first hand."""

    place: int
    tied: bool
    player_id: UUID
    name: str
    points: int
    hands: int
    points_per_hand: Decimal | None
    hands_won: int
    tournaments: int
    first_places: int
    best_place: int | None


class Season(Resource, frozen=True, kw_only=True):
    """A leaderboard."""

    season: str
    players: int


class WalletJournal(Resource, frozen=True, kw_only=True):
    """A deposit or withdrawal as booked, in minor units; `balance` is the wallet's right after it."""

    journal_id: UUID
    player_id: UUID
    currency: str
    kind: str
    amount: int
    balance: int
    reference: str | None
    note: str | None
    at: datetime
    as_of: int


class Wallet(Resource, frozen=True, kw_only=True):
    """What a player has in one currency, in minor units.

    `balance` is what he may dispose of; `held` is what else is his: in open entries, and in his stacks at ring tables.
    """

    currency: str
    balance: int
    held: int


class Wallets(Resource, frozen=True, kw_only=True):
    """A player's money, by currency."""

    player_id: UUID
    items: list[Wallet]
    as_of: int


class Account(Resource, frozen=True, kw_only=True):
    """An account of the ledger: of a currency in the book of money, of a tournament in that of chips.

    `player_id` is whose it is; `balance` is in minor units or chips, and below 0 for what gives more than it gets.
    """

    book: Literal["money", "chips"]
    currency: str | None
    tournament_id: UUID | None
    account: str
    player_id: UUID | None
    balance: int


class LedgerEntry(Resource, frozen=True, kw_only=True):
    """A line of a journal: what one account gains, by the event at that position of the log.

    `balance` is the account's after it; a player is told that of his own accounts only.
    """

    position: int
    line: int
    at: datetime
    event: str
    journal_id: UUID
    kind: str
    reference: str | None
    book: Literal["money", "chips"]
    currency: str | None
    tournament_id: UUID | None
    table_id: UUID | None
    hand_id: UUID | None
    account: str
    player_id: UUID | None
    amount: int
    balance: int | None


class TrialBalance(Resource, frozen=True, kw_only=True):
    """The money of one currency, or the chips of one tournament: what its accounts owe (debit) and have (credit)."""

    book: Literal["money", "chips"]
    currency: str | None
    tournament_id: UUID | None
    accounts: int
    debit: int
    credit: int
    balance: int
    balanced: bool


class WebhookDelivery(Resource, frozen=True, kw_only=True):
    """How a webhook is told: all that it wants of the log up to `position`.

    `failures` are those in a row since it last worked; it is tried again at `next_try_at`.
    """

    position: int
    delivered: int
    last_delivered_at: datetime | None
    failures: int
    failing_since: datetime | None
    last_failure: str | None
    next_try_at: datetime | None


class Webhook(Resource, frozen=True, kw_only=True):
    """An address that is told of events; `topics` null are all of tournaments' life, `tournament_id` null is any one.

    `secret` is shown once: a repeat of the request leaves it out. The answer to its creation has no `delivery`.
    """

    webhook_id: UUID
    url: str
    topics: list[str] | None
    tournament_id: UUID | None
    state: Literal["active", "disabled"]
    created_at: datetime
    secret: str | UnsetType = UNSET
    delivery: WebhookDelivery | UnsetType = UNSET
    as_of: int | UnsetType = UNSET


class WouldBe(Resource, frozen=True, kw_only=True):
    """A dry run: the events that would be stored, with what everybody could see of them."""

    events: list[dict[str, Any]]


UNNAMED = "(erased)"
"""What stands for a name that was erased."""


def tournament_of(state: TournamentState, position: int) -> Tournament:
    """A tournament as its own stream tells it: entrants are counted from the start on."""
    return Tournament(
        **msgspec.structs.asdict(state.structure),
        tournament_id=state.tournament_id,
        state=state.state.value,
        entrants=state.entrant_count,
        entries=state.entry_count,
        players_left=state.players_left,
        level=state.level,
        current_unit=state.unit,
        structure_hash=state.structure_hash,
        draw_commitment=state.draw_commitment,
        draw_seed=state.draw_seed.hex() if state.over else None,
        prize_pool=prize_pool(state.structure, state.state, state.entry_count),
        as_of=position,
    )


def prize_pool(terms: Structure, state: str, entries: int) -> int | None:
    """What so many entries make to play for."""
    return None if state == "cancelled" else terms.pool_of(entries)


def as_json(value: object) -> Any:  # noqa: ANN401 - JSON
    """A shape or a time as JSON-ready values."""
    return msgspec.to_builtins(value)
