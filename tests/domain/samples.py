"""Values of any event's fields, drawn from their types alone: a new event has samples at once."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec
from hypothesis import strategies as st

from domain.structure import LARGEST_AMOUNT

WHOLE_NUMBERS = st.integers(-LARGEST_AMOUNT, LARGEST_AMOUNT)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE_NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ATOMS: dict[Any, st.SearchStrategy[Any]] = {
    int: WHOLE_NUMBERS,
    str: st.text(max_size=12),
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    UUID: st.uuids(),
    datetime: st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(fold=0)),
    NoneType: st.none(),
    Any: JSON_VALUES,
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type as events use them."""
    hint = getattr(hint, "__supertype__", hint)
    if hint in ATOMS:
        return ATOMS[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        hints = get_type_hints(hint, include_extras=True)
        return st.builds(hint, **{name: values(hints[name]) for name in hint.__struct_fields__})
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: values(hints[field.name]) for field in fields(hint)})
    return _of_many(get_origin(hint), get_args(hint))


def _of_many(origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin is Annotated:
        return values(args[0])
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(*map(values, args))
    if origin is tuple:
        assert args[1:] == (...,)
        return st.lists(values(args[0]), max_size=4).map(tuple)
    assert origin is dict, origin
    return st.dictionaries(values(args[0]), values(args[1]), max_size=4)
