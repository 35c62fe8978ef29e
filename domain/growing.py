"""A set that grows, and is yet a value: so a long stream's state may be kept, and folded on later."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class GrowingSet(msgspec.Struct, Generic[T], frozen=True):
    """A set that is never changed in place; `with_` gives the next one.

    Its parts fall in size, and parts of one size are united, as a binary counter carries: n items are copied about
    n·log n times in all, where a frozenset copies n²/2, and to find one takes log n looks.
    """

    parts: tuple[frozenset[T], ...] = ()

    def with_(self, item: T) -> GrowingSet[T]:
        """The set with one item more.

        >>> 7 in GrowingSet().with_(7)
        True
        """
        if item in self:
            return self
        parts, newest = self.parts, frozenset((item,))
        while parts and len(parts[-1]) <= len(newest):
            parts, newest = parts[:-1], newest | parts[-1]
        return GrowingSet((*parts, newest))

    def __contains__(self, item: object) -> bool:
        return any(item in part for part in self.parts)
