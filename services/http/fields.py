"""Members of bodies and queries, taken strictly: what is not exactly of the type is said to be wrong."""

# ruff: noqa: ANN401 - marshmallow's own signatures
from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import marshmallow as ma
from marshmallow import ValidationError, validate

from big2.cards import Card, parse_card
from big2.errors import NotationError
from domain.currencies import CURRENCIES
from domain.journal import ACCOUNT_PATTERN, ACCOUNTS, is_account

MOST = 2**53 - 1
"""The greatest integer that every JSON reader holds exactly."""
_TIMES = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_CURRENCY = re.compile("[A-Z]{3}")
_SEATS = {"1", "2", "3", "4"}
NO_OBJECT = "must be an object"
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class Body(ma.Schema):
    """An object; members that it does not know are wrong."""

    class Meta:
        unknown = ma.RAISE

    error_messages = {  # noqa: RUF012 - marshmallow's way
        "type": NO_OBJECT,
        "unknown": "is not a member of this object",
    }


class Field(ma.fields.Field[Any]):
    """A field whose messages are ours."""

    default_error_messages = {"required": "is missing", "null": "may not be null"}  # noqa: RUF012


class Whole(Field, ma.fields.Integer):
    """A JSON integer: neither true, nor 1.0, nor "1"; `because` says why not others, where that needs a word."""

    def __init__(self, least: int = 0, most: int = MOST, *, because: str = "", **more: Any) -> None:
        error = f"must be from {least} to {most}" + (f": {because}" if because else "")
        super().__init__(validate=validate.Range(least, most, error=error), **more)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if type(value) is not int:
            raise ValidationError("must be an integer")
        return value


class YesNo(Field, ma.fields.Boolean):
    """A JSON boolean: neither 1 nor "true"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


class BySeat(Field, ma.fields.Dict):
    """An object of integers by seat, `{"1": 0, "3": 7}`: up to `most`, as the rules say, which judge them."""

    def __init__(self, most: int, **more: Any) -> None:
        value = {"type": "integer", "minimum": 0, "maximum": most}
        shown = {"patternProperties": {"^[1-4]$": value}, "additionalProperties": False}
        super().__init__(metadata=shown | more.pop("metadata", {}), **more)
        self.value = Whole(-MOST)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[int, int]:
        if not isinstance(value, dict):
            raise ValidationError("must be an object, by seat")
        wrong: dict[Any, Any] = {name: ["is no seat: 1 to 4"] for name in value if name not in _SEATS}
        right: dict[int, Any] = {}
        for name in sorted(_SEATS & value.keys()):
            try:
                right[int(name)] = self.value.deserialize(value[name])
            except ValidationError as error:
                wrong[name] = error.messages
        if wrong:
            raise ValidationError(wrong, valid_data=right)  # type: ignore[arg-type]
        return right


class Text(Field, ma.fields.String):
    """A text for people, in NFC, without control or format characters, and with something to see in it."""

    def __init__(self, longest: int, **more: Any) -> None:
        super().__init__(metadata={"minLength": 1, "maxLength": longest} | more.pop("metadata", {}), **more)
        self.longest = longest

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("must be a text")
        text = unicodedata.normalize("NFC", value).strip()
        if any(unicodedata.category(letter) in _HIDDEN for letter in text):
            raise ValidationError("has a control or format character, or one that is unassigned")
        if not any(unicodedata.category(letter)[0] in "LNPS" for letter in text):
            raise ValidationError("shows nothing")
        if len(text) > self.longest:
            raise ValidationError(f"must have at most {self.longest} characters")
        return text


class Raw(Field, ma.fields.String):
    """A text that is judged elsewhere; it can be written in UTF-8, without NUL."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("must be a text")
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValidationError("has a character that no text has")
        return value


class Name(Raw):
    """A name for programs: lower-case letters, digits and hyphens."""

    PATTERN = r"[a-z0-9]+(-[a-z0-9]+)*"

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata={"pattern": f"^{self.PATTERN}$", "maxLength": 64}, **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if len(text) > 64 or not re.fullmatch(self.PATTERN, text):
            raise ValidationError(
                "must be lower-case letters and digits, with single hyphens between, at most 64"
            )
        return text


class OneOf(Raw):
    """One of a few texts; `later` holds those that a later release will take."""

    def __init__(self, *choices: str, later: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(metadata={"enum": list(choices)} | more.pop("metadata", {}), **more)
        self.choices = choices
        self.later = later

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if text in self.later:
            raise ValidationError(f"{text} is not offered by this release: {', '.join(self.choices)}")
        if text not in self.choices:
            raise ValidationError(f"must be one of {', '.join(self.choices)}")
        return text


class Account(Raw):
    """The whole name of an account of the books."""

    def __init__(self, **more: Any) -> None:
        metadata = {"pattern": f"^({ACCOUNT_PATTERN})$"} | more.pop("metadata", {})
        super().__init__(metadata=metadata, **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if not is_account(text):
            raise ValidationError(f"must be one of {', '.join(ACCOUNTS)}, each id in lower case")
        return text


class AnyCurrency(Raw):
    """A currency that is or was in use: what the books once took they can be asked for, and give back."""

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata={"pattern": "^[A-Z]{3}$", "examples": ["EUR"]}, **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if not _CURRENCY.fullmatch(text):
            raise ValidationError("must be a currency's three capital letters, such as EUR or USD")
        return text


class Nonce(Raw):
    """Entropy: 1 to 64 visible ASCII characters."""

    PATTERN = r"[!-~]{1,64}"

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata={"pattern": f"^{self.PATTERN}$", "maxLength": 64}, **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if not re.fullmatch(self.PATTERN, text):
            raise ValidationError("must be 1 to 64 visible ASCII characters, without blanks")
        return text


class Currency(AnyCurrency):
    """A currency of ISO 4217 that is in use."""

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:
        text = super()._deserialize(value, *args, **more)
        if text not in CURRENCIES:
            raise ValidationError("must be a currency of ISO 4217 in use, such as EUR or USD")
        return text


class Later(Field):
    """A member that this release takes with its default only."""

    def __init__(self, default: object) -> None:
        shown = {None: "null", False: "false"}.get(default, str(default))  # type: ignore[call-overload]
        super().__init__(
            allow_none=True, metadata={"const": default, "description": "Not offered by this release."}
        )
        self.default = default
        self.shown = shown

    def deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if value is ma.missing:
            return ma.missing
        if type(value) is not type(self.default) or value != self.default:
            raise ValidationError(f"is not offered by this release: leave it out, or send {self.shown}")
        return value


class Instant(Field, ma.fields.AwareDateTime):
    """A time of RFC 3339 with its offset."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> datetime:
        if not isinstance(value, str) or not _TIMES.fullmatch(value):
            raise ValidationError("must be a time with an offset, such as 2027-01-31T19:00:00Z")
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValidationError("is no time that there is") from None


class Id(Field, ma.fields.UUID):
    """A UUID in its usual form."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> UUID:
        if not isinstance(value, str) or not _UUID.fullmatch(value):
            raise ValidationError("must be a UUID")
        return UUID(value)


class PlayingCard(Raw):
    """A card as people type it (R1.2): rank then suit, such as 3D, TC or 2S."""

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata={"examples": ["7D"]}, **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> Card:  # type: ignore[override]
        try:
            return parse_card(super()._deserialize(value, *args, **more))
        except NotationError as error:
            raise ValidationError(error.reason) from None


class CardList(Raw):
    """Cards in a query, with commas or blanks between; the name may stand there several times."""

    def __init__(self, most: int, **more: Any) -> None:
        described = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}
        super().__init__(metadata=described | more.pop("metadata", {}), **more)
        self.most = most

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> list[Card]:  # type: ignore[override]
        named = super()._deserialize(value, *args, **more).replace(",", " ").split()
        if not 1 <= len(named) <= self.most:
            raise ValidationError(f"must name from 1 to {self.most} cards, such as 7D,7S")
        cards: list[Card] = []
        wrong: dict[int, list[str]] = {}
        for place, text in enumerate(named):
            try:
                cards.append(parse_card(text))
            except NotationError as error:
                wrong[place] = [error.reason]
        if wrong:
            raise ValidationError(wrong)
        return cards


class Several(Field, ma.fields.List[Any]):
    """A list of so many items."""

    def __init__(self, item: ma.fields.Field[Any], least: int, most: int, **more: Any) -> None:
        many = f"must have from {least} to {most} items"
        super().__init__(item, validate=validate.Length(least, most, error=many), **more)

    default_error_messages = {"invalid": "must be a list"}  # noqa: RUF012


class Part(Field, ma.fields.Nested):
    """An object within another."""


class Parts(Field, ma.fields.List[Any]):
    """A list of so many objects; beside its errors `valid_data` has what could be read of each, in its place."""

    default_error_messages = {"invalid": "must be a list"}  # noqa: RUF012

    def __init__(self, schema: type[Body], least: int, most: int, **more: Any) -> None:
        many = f"must have from {least} to {most} items"
        super().__init__(Part(schema), validate=validate.Length(least, most, error=many), **more)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        wrong: dict[int, Any] = {}
        right: list[Any] = []
        for place, item in enumerate(value):
            try:
                right.append(self.inner.deserialize(item))
            except ValidationError as error:
                wrong[place] = error.messages
                right.append(error.valid_data if isinstance(error.valid_data, dict) else {})
        if wrong:
            raise ValidationError(wrong, valid_data=right)
        return right


class PrizeTable(Field):
    """`"standard"`, or basis points by place."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if value == "standard":
            return value
        if not isinstance(value, list) or not 1 <= len(value) <= 1_000:
            raise ValidationError('must be "standard" or a list of basis points by place')
        wrong: dict[int, list[str]] = {
            place: ["must be an integer from 1 to 10000"]
            for place, share in enumerate(value)
            if type(share) is not int or not 1 <= share <= 10_000
        }
        if wrong:
            raise ValidationError(wrong)
        return value


class Digits(Field, ma.fields.Integer):
    """An integer in a query: ASCII digits."""

    def __init__(self, least: int, most: int, **more: Any) -> None:
        metadata = {"minimum": least, "maximum": most} | more.pop("metadata", {})
        super().__init__(metadata=metadata, **more)
        self.least, self.most = least, most

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if not re.fullmatch(r"[0-9]{1,19}", str(value)) or not self.least <= int(value) <= self.most:
            raise ValidationError(f"must be an integer from {self.least} to {self.most}")
        return int(value)


class Switch(Field, ma.fields.Boolean):
    """`true` or `false` in a query."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError("must be true or false")
        return bool(value == "true")


def pointers(messages: Any, at: str = "") -> dict[str, str]:
    """marshmallow's messages as JSON pointers and what is wrong there.

    What is wrong with a whole object stands under `_schema` there, as does a member that somebody calls so.
    """
    found: dict[str, str] = {}
    if isinstance(messages, dict):
        for name, below in messages.items():
            whole = name == "_schema" and below == [NO_OBJECT]
            step = "" if whole else "/" + str(name).replace("~", "~0").replace("/", "~1")
            found |= pointers(below, at + step)
    elif isinstance(messages, list):
        found[at] = "; ".join(str(message) for message in messages)
    else:
        found[at] = str(messages)
    return found
