"""How what is told looks: in colours on a terminal, as plain text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
_LETTERS = str.maketrans(GLYPHS, SUITS)


def print_blocks(blocks: Sequence[Block], console: Console) -> None:
    """Print on a console; without glyphs where its encoding has none."""
    text = Text("\n").join(line for block in blocks for line in _lines(block, _rows_like(block, blocks)))
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
