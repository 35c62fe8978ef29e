"""R12: the values that the switches of a rule set may take."""

from enum import StrEnum


class StraightTie(StrEnum):
    """R3.6: what decides between equal straights."""

    HIGHEST_RANK = "highest_rank"
    LAST_IN_SEQUENCE = "last_in_sequence"
    SUIT_FIRST = "suit_first"


class FlushOrder(StrEnum):
    """R3.4: what decides between flushes."""

    RANKS_THEN_SUIT = "ranks_then_suit"
    SUIT_THEN_RANKS = "suit_then_ranks"
    TOP_CARD = "top_card"
    NOT_ALLOWED = "not_allowed"


class StraightFlushOrder(StrEnum):
    """R3.6: what decides between straight flushes."""

    SEQUENCE_THEN_SUIT = "sequence_then_suit"
    SUIT_THEN_SEQUENCE = "suit_then_sequence"


class OpeningPlay(StrEnum):
    """R5.2: what the first play of a hand led under R5.1 must be."""

    INCLUDES_IT = "includes_it"
    ANY_SET = "any_set"
    IT_ALONE = "it_alone"


class OpeningScope(StrEnum):
    """R5.3: which hands the lowest card leads."""

    FIRST_HAND = "first_hand"
    EVERY_HAND = "every_hand"


class DirectionRule(StrEnum):
    """R9.2: the direction of play."""

    CLOCKWISE = "clockwise"
    COUNTERCLOCKWISE = "counterclockwise"
    ALTERNATE = "alternate"


class DutyRule(StrEnum):
    """R7.2: what the assistant owes."""

    MULTI_CARD_FIRST = "multi_card_first"
    MULTI_CARD_OR_HIGHEST_SINGLE = "multi_card_or_highest_single"


class LastCard(StrEnum):
    """R7.3: what becomes of a breach."""

    LIABLE = "liable"
    FORCED = "forced"
    OFF = "off"


class Liability(StrEnum):
    """R8.4: what a liable assistant pays."""

    NET_LOSSES = "net_losses"
    COMPARISONS = "comparisons"
    TAKES_ALL = "takes_all"


class TwosRule(StrEnum):
    """What a two left in a holding does to its points."""

    NONE = "none"
    DOUBLE_EACH = "double_each"
    ADD_FACTOR = "add_factor"


class Comparison(StrEnum):
    """R8.1: which players are compared."""

    EVERY_PAIR = "every_pair"
    WINNER_TAKES = "winner_takes"


class SettlementOrder(StrEnum):
    """R8.2: where the comparisons begin."""

    WINNER_FIRST = "winner_first"
    RIGHT_OF_DEALER = "right_of_dealer"


class StakeCap(StrEnum):
    """R8.3: what a payment is cut to."""

    LOSS = "loss"
    LOSS_AND_GAIN = "loss_and_gain"
    NONE = "none"
