"""How what is told looks: in colours on a terminal, as plain text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from big2.cards import GLYPHS, SUITS
from big2.told import Block, Cell, Row, Tone

STYLES = {
    Tone.PLAIN: "",
    Tone.STRONG: "bold",
    Tone.QUIET: "dim",
    Tone.WRONG: "bold red",
    Tone.DIAMONDS: "bright_red",
    Tone.CLUBS: "",
    Tone.HEARTS: "bright_red",
    Tone.SPADES: "",
}
GAP = "  "
LEAST_WIDTH = 20
"""Columns; a narrower terminal breaks the lines itself."""
_LETTERS = str.maketrans(GLYPHS, SUITS)


def print_blocks(blocks: Sequence[Block], console: Console) -> None:
    """Print on a console; without glyphs where its encoding has none."""
    _print([line for block in blocks for line in _lines(block, _rows_like(block, blocks))], console)


def print_page(sections: Sequence[tuple[str, Sequence[str]]], console: Console) -> None:
    """Print titles with their lines below, which are wrapped where the console is a terminal."""
    width = max(console.width, LEAST_WIDTH) if console.is_terminal else None
    _print([line for title, lines in sections for line in _section(title, lines, width)], console)


def _section(title: str, lines: Sequence[str], width: int | None) -> Iterator[Text]:
    for line in _wrapped(title, width, "", "  "):
        yield Text(line, STYLES[Tone.STRONG])
    for each in lines:
        yield from map(Text, _wrapped(each, width, "  ", "    "))


def _wrapped(text: str, width: int | None, first: str, others: str) -> list[str]:
    if width is None:
        return [first + text]
    return wrap(text, width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def _print(lines: Sequence[Text], console: Console) -> None:
    text = Text("\n").join(lines)
    if console.is_terminal and not console.no_color and _can_say(text.plain, console.encoding):
        console.print(text, soft_wrap=True, highlight=False)
    else:
        console.file.write(f"{_sayable(text.plain, console.encoding)}\n")


def _rows_like(block: Block, blocks: Sequence[Block]) -> list[Row]:
    alike = [each for each in blocks if block.layout and each.layout == block.layout] or [block]
    return [row for each in alike for row in each.rows]


def _lines(block: Block, alike: Sequence[Row]) -> Iterator[Text]:
    """The title, the rows with their columns where those of the rows like them are, and an empty line."""
    yield _text(block.title)
    widths = _widths(alike)
    for row in block.rows:
        yield _row(row, widths, block.numbers)
    yield Text()


def _text(cell: Cell) -> Text:
    return Text.assemble(*((piece.text, STYLES[piece.tone]) for piece in cell))


def _widths(rows: Sequence[Row]) -> list[int]:
    columns = max(map(len, rows), default=0)
    return [max(_width(row[column]) for row in rows if column < len(row)) for column in range(columns)]


def _width(cell: Cell) -> int:
    return sum(cell_len(piece.text) for piece in cell)


def _row(row: Row, widths: Sequence[int], numbers: frozenset[int]) -> Text:
    line = Text()
    for column, cell in enumerate(row):
        gap = " " * (widths[column] - _width(cell))
        line.append(GAP if column else "")
        line.append_text(Text(gap) + _text(cell) if column in numbers else _text(cell) + Text(gap))
    line.rstrip()
    return line


def _can_say(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _sayable(text: str, encoding: str) -> str:
    if _can_say(text, encoding):
        return text
    return text.translate(_LETTERS).encode(encoding, "backslashreplace").decode(encoding)
