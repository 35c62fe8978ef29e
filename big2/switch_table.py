"""R12: the table of all switches. Whatever reads, describes, compares or documents a rule set takes it from here."""

from dataclasses import dataclass
from typing import Final

from big2.switch_forms import (
    AUTO_PASSES,
    OPENING_CARD,
    POINT_TIERS,
    STRAIGHT_LIST,
    SUIT_ORDER,
    Form,
    one_of,
    yes_or_no,
)
from big2.switches import (
    Comparison,
    DirectionRule,
    DutyRule,
    FlushOrder,
    LastCard,
    Liability,
    OpeningPlay,
    OpeningScope,
    SettlementOrder,
    StakeCap,
    StraightFlushOrder,
    StraightTie,
    TwosRule,
)


@dataclass(frozen=True, slots=True)
class Switch:
    """One choice of a rule set: its clause, what it decides, how it is written; a default where it may be left out."""

    name: str
    clause: str
    meaning: str
    form: Form
    default: bool | None = None

    @property
    def required(self) -> bool:
        """Whether a rule set written in whole must name it."""
        return self.default is None


SWITCHES: Final = (
    Switch("suits", "R1.1", "the order of the suits", SUIT_ORDER),
    Switch("straights", "R3.5", "the straights that are played, and their order", STRAIGHT_LIST),
    Switch(
        "straight_tie",
        "R3.6",
        "what decides between equal straights",
        one_of(
            {
                StraightTie.HIGHEST_RANK: "the suit of the highest-ranked card",
                StraightTie.LAST_IN_SEQUENCE: "the suit of the sequence's last card",
                StraightTie.SUIT_FIRST: "the suit of the highest-ranked card, which goes before the sequence",
            }
        ),
    ),
    Switch(
        "flush",
        "R3.4",
        "what decides between flushes",
        one_of(
            {
                FlushOrder.RANKS_THEN_SUIT: "the ranks one by one from the highest, then the suit",
                FlushOrder.SUIT_THEN_RANKS: "the suit, then the ranks one by one from the highest",
                FlushOrder.TOP_CARD: "the highest card: its rank, then its suit",
                FlushOrder.NOT_ALLOWED: "nothing: a flush is no card set",
            }
        ),
    ),
    Switch(
        "straight_flush",
        "R3.6",
        "what decides between straight flushes",
        one_of(
            {
                StraightFlushOrder.SEQUENCE_THEN_SUIT: "the sequence, then the suit",
                StraightFlushOrder.SUIT_THEN_SEQUENCE: "the suit, then the sequence",
            }
        ),
    ),
    Switch(
        "triples",
        "R3.1",
        "whether three of a kind is played",
        yes_or_no("three of a kind is a card set", "three of a kind only within a full house"),
    ),
    Switch(
        "quads_kicker",
        "R3.1",
        "what four of a kind is",
        yes_or_no("four of a rank and any fifth card", "four cards of a rank, without a fifth"),
        default=True,
    ),
    Switch(
        "quads_beat_any",
        "R3.2",
        "what four of a kind beats",
        yes_or_no(
            "also every card set of another number of cards, so whoever may hold one is asked before he passes (R6)",
            "only card sets of as many cards, as all others do",
        ),
        default=False,
    ),
    Switch("opening_card", "R5.1", "the card whose holder leads the hand", OPENING_CARD),
    Switch(
        "opening_play",
        "R5.2",
        "what his first play must be",
        one_of(
            {
                OpeningPlay.INCLUDES_IT: "any card set that includes the opening card",
                OpeningPlay.ANY_SET: "any card set",
                OpeningPlay.IT_ALONE: "the opening card alone",
            }
        ),
    ),
    Switch(
        "opening_scope",
        "R5.3",
        "which hands of a tournament's table the opening card leads",
        one_of(
            {
                OpeningScope.FIRST_HAND: "the first; then the winner of the last hand leads with any card set",
                OpeningScope.EVERY_HAND: "every hand",
            }
        ),
    ),
    Switch(
        "direction",
        "R9.2",
        "the direction of play",
        one_of(
            {
                DirectionRule.CLOCKWISE: "always clockwise, to the left",
                DirectionRule.COUNTERCLOCKWISE: "always counter-clockwise, to the right",
                DirectionRule.ALTERNATE: "clockwise first, then it turns after every hand",
            }
        ),
    ),
    Switch(
        "pass_locks_trick",
        "R4.3",
        "whether a pass bars from the rest of the trick",
        yes_or_no(
            "who has passed is skipped until the trick ends",
            "who has passed may play later in the same trick",
        ),
    ),
    Switch("auto_pass", "R6", "when a player passes without being asked", AUTO_PASSES),
    Switch(
        "duty",
        "R7.2",
        "what a player owes while the next one has one card left",
        one_of(
            {
                DutyRule.MULTI_CARD_FIRST: "more than one card if he can, else his highest single",
                DutyRule.MULTI_CARD_OR_HIGHEST_SINGLE: "more than one card or his highest single, as he likes",
            }
        ),
    ),
    Switch(
        "last_card",
        "R7.3",
        "what becomes of a breach of that duty",
        one_of(
            {
                LastCard.LIABLE: "it is allowed; if the next player then goes out, its player is liable",
                LastCard.FORCED: "it is refused",
                LastCard.OFF: "nothing: there is no duty",
            }
        ),
    ),
    Switch(
        "liability",
        "R8.4",
        "what a liable player pays",
        one_of(
            {
                Liability.NET_LOSSES: "he wins nothing, and makes up everybody else's net loss",
                Liability.COMPARISONS: "he wins nothing, and pays each comparison that another loses",
                Liability.TAKES_ALL: "everybody's points become his before anything is compared",
            }
        ),
    ),
    Switch("point_tiers", "R8.1", "when cards left count several times", POINT_TIERS),
    Switch(
        "twos",
        "R8.1",
        "what a two that is left does to its holder's points",
        one_of(
            {
                TwosRule.NONE: "it counts as any other card",
                TwosRule.DOUBLE_EACH: "each doubles his points",
                TwosRule.ADD_FACTOR: "each adds one to his factor",
            }
        ),
    ),
    Switch(
        "comparison",
        "R8.1",
        "who pays whom",
        one_of(
            {
                Comparison.EVERY_PAIR: "of each two players the one with more points pays the difference",
                Comparison.WINNER_TAKES: "everybody pays the winner, and nobody else is paid",
            }
        ),
    ),
    Switch(
        "settlement_order",
        "R8.2",
        "where the comparisons begin",
        one_of(
            {
                SettlementOrder.WINNER_FIRST: "with the winner, on in the direction of play",
                SettlementOrder.RIGHT_OF_DEALER: "at the dealer's right, on to the right, the dealer last",
            }
        ),
    ),
    Switch(
        "stake_cap",
        "R8.3",
        "what a payment is cut to where players have stacks",
        one_of(
            {
                StakeCap.LOSS: "what the payer has at that moment",
                StakeCap.LOSS_AND_GAIN: "what the payer has, and what the receiver began with",
                StakeCap.NONE: "nothing: a stack may fall below zero",
            }
        ),
    ),
    Switch(
        "dragon",
        "R12",
        "what thirteen different ranks in one deal do",
        yes_or_no("they win at once", "nothing of their own"),
    ),
)
"""In the order in which a rule set is written."""

BY_NAME: Final = {switch.name: switch for switch in SWITCHES}
