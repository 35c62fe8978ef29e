"""How a telling looks: aligned, in colours on a terminal, and as plain text where there are none."""

import io

import pytest
from rich.console import Console

from big2.told import Block, Piece, Tone, cell, cells
from workers.telling import print_blocks

BLOCKS = (
    Block(cell("Seats", Tone.STRONG), (cells("seat", "player"), cells("1", "Ann"), cells("2", "鋤大弟", ""))),
    Block(cell("Net"), (cells("Ann", "+7"), cells("Bob", "-113")), frozenset({1})),
    Block(cell("The end")),
)


class Sink(io.StringIO):
    """A file with an encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:
        return self._encoding


def printed(*blocks: Block, encoding: str = "utf-8", **console: object) -> str:
    sink = Sink(encoding)
    print_blocks(blocks, Console(file=sink, width=20, _environ={}, **console))
    return sink.getvalue()


def test_columns_stand_below_each_other_and_numbers_to_the_right():
    assert printed(*BLOCKS).splitlines() == [
        "Seats",
        "seat  player",
        "1     Ann",
        "2     鋤大弟",
        "",
        "Net",
        "Ann    +7",
        "Bob  -113",
        "",
        "The end",
        "",
    ]


def test_blocks_of_one_layout_have_their_columns_at_the_same_places():
    blocks = [Block(cell("T"), (cells(text, "x"),), layout="trick") for text in ("a", "aaaa")]
    assert printed(*blocks).splitlines() == ["T", "a     x", "", "T", "aaaa  x", ""]


def test_a_line_is_as_long_as_it_is():
    assert printed(Block(cell("x" * 100))).splitlines()[0] == "x" * 100


@pytest.mark.parametrize(
    ("tone", "code"),
    [(Tone.HEARTS, "91"), (Tone.DIAMONDS, "91"), (Tone.STRONG, "1"), (Tone.WRONG, "1;31"), (Tone.QUIET, "2")],
)
def test_a_terminal_has_colours(tone, code):
    text = printed(Block((Piece("7", tone),)), force_terminal=True, color_system="standard")
    assert text.startswith(f"\x1b[{code}m7\x1b[0m")


def test_what_looks_like_markup_is_none():
    for console in ({}, {"force_terminal": True, "color_system": "standard"}):
        assert "[bold]Bob[/bold] :smile:" in printed(Block(cell("[bold]Bob[/bold] :smile:")), **console)


def test_without_colours_there_are_no_codes_at_all():
    text = printed(Block((Piece("7♥", Tone.HEARTS),)), force_terminal=True, no_color=True)
    assert text == "7♥\n\n"


def test_where_glyphs_cannot_be_written_letters_stand_for_them():
    block = Block((Piece("7♥", Tone.HEARTS), Piece(" T♠ Zoë")))
    assert printed(block, encoding="ascii") == "7H TS Zo\\xeb\n\n"
    assert printed(block, encoding="ascii", force_terminal=True) == "7H TS Zo\\xeb\n\n"
