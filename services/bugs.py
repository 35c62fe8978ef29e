"""What a log is told of a bug: types and places, never a message or a value, for either may hold a card."""

from __future__ import annotations

import traceback


def told(error: BaseException) -> str:
    """The types of an error and of what caused it, each with the lines of code that it came through."""
    parts = []
    seen: BaseException | None = error
    while seen is not None:
        frames = "".join(traceback.format_list(traceback.extract_tb(seen.__traceback__)))
        parts.append(f"{type(seen).__name__}\n{frames}".rstrip())
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "\ncaused by ".join(parts)
