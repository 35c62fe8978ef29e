"""What can go wrong in the rules.

    Big2Error
    ├── Refusal            the rules forbid it; carries the clause
    │   └── IllegalPlay    a play or a pass; `code` names the kind of refusal
    ├── NotationError      a text that is no card, or no list of cards (R1.2)
    ├── RuleSetError       a rule set that cannot be; carries the switch (R12)
    ├── MalformedError     a hand history or question out of form; carries a JSON pointer
    ├── NoSuchStepError    a unit that a ring schedule does not offer (R10)
    └── NoSuchTurnError    a turn that a hand on record does not have

A refusal is the player's doing, the others are the writer's of a text. A bug is an `assert`.
"""

from enum import StrEnum


class Big2Error(Exception):
    """Anything that this package raises on purpose."""


class Refusal(Big2Error):  # noqa: N818 - it is no error of the program
    """The rules forbid it: `clause` is the rulebook's, `reason` a sentence for people."""

    def __init__(self, clause: str, reason: str) -> None:
        super().__init__(f"{clause}: {reason}")
        self.clause = clause
        self.reason = reason


class RefusalCode(StrEnum):
    """The kinds of refusal, in the order in which a play is checked."""

    HAND_OVER = "hand-over"
    NOT_YOUR_TURN = "not-your-turn"
    DUPLICATE_CARD = "duplicate-card"
    CARD_NOT_HELD = "card-not-held"
    NOT_A_CARD_SET = "not-a-card-set"
    WRONG_CARD_COUNT = "wrong-card-count"
    DOES_NOT_BEAT = "does-not-beat"
    MUST_INCLUDE_LOWEST = "must-include-lowest"
    LEADER_CANNOT_PASS = "leader-cannot-pass"  # noqa: S105 - a pass at cards, no password
    ASSISTANT_RULE = "assistant-rule"


class IllegalPlay(Refusal):
    """A play or a pass that the rules forbid.

    >>> IllegalPlay("R4.1", RefusalCode.DOES_NOT_BEAT, "4D does not beat 5D").code.value
    'does-not-beat'
    """

    def __init__(self, clause: str, code: RefusalCode, reason: str) -> None:
        super().__init__(clause, reason)
        self.code = code


class NotationError(Big2Error):
    """A text that is not a card, or not a list of cards (R1.2)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RuleSetError(Big2Error):
    """A rule set that cannot be: `field` is the switch at fault (R12)."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class MalformedError(Big2Error):
    """A hand history or a question that is out of form, at a JSON pointer ("" is the whole)."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class NoSuchStepError(Big2Error):
    """A ring schedule has no table of this unit (R10.2)."""

    def __init__(self, unit: int) -> None:
        super().__init__(f"the schedule has no table of unit {unit}")
        self.unit = unit


class NoSuchTurnError(Big2Error):
    """A hand on record has no such turn: the hand is over, or goes wrong before it, or has no turns at all."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
