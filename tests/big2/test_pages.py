"""Whole pages for people, word for word: a rule set's own, and hands told. A changed word is a changed line there."""

import pytest

from big2.rulepage import rule_page
from big2.telling import tell
from big2.told import Tone
from tests.big2.play import CASES, PRESETS, rules
from tests.big2.told_hands import HANDS

RULE_SETS = {
    "actionpoker": rules(),
    "otherwise": rules(
        "high-low", suits="CDHS", straights=[], flush="not_allowed", triples=False, quads_kicker=False,
        quads_beat_any=True, opening_card="3C", opening_play="it_alone", opening_scope="every_hand",
        pass_locks_trick=True, auto_pass=[], last_card="forced", point_tiers=[[8, 2], [13, 4]],
        twos="double_each", comparison="winner_takes", dragon=True,
    ),
    "no-duty": rules(
        "dealer-puck", last_card="off", opening_play="any_set", twos="add_factor", stake_cap="none"
    ),
}  # fmt: skip
TOLD = (
    "liable", "three-seats-counterclockwise", "three-and-four-of-a-kind", "dragon", "unfinished", "missing-pass",
    "illegal", "illegal-pass", "recorded",
)  # fmt: skip
"""Hands that have among them whatever is told; how a terminal shows each of `HANDS` is tested with the command."""

MARKS = {Tone.STRONG: "*", Tone.QUIET: "~", Tone.WRONG: "!"}


def on_record(kind, name):
    return (CASES / kind / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def page(rule_set):
    for section in rule_page(rule_set):
        yield section.title
        yield from (f"  {line}" for line in section.lines)


def telling(text):
    """Cells between bars, each piece between the marks of its tone; a block's head says how it is laid out."""
    found = tell(text, PRESETS)
    yield "accepted" if found.accepted else "not accepted"
    for block in found.blocks:
        numbers = f" (numbers: {sorted(block.numbers)})" if block.numbers else ""
        layout = f" (as {block.layout})" if block.layout else ""
        yield f"{marked(block.title)}{numbers}{layout}"
        yield from ("  " + "|".join(marked(cell) for cell in row) for row in block.rows)


def marked(cell):
    return "".join(MARKS.get(piece.tone, "") + piece.text + MARKS.get(piece.tone, "") for piece in cell)


@pytest.mark.parametrize("name", RULE_SETS)
def test_r12_the_page_of_a_rule_set_in_whole(name):
    assert list(page(RULE_SETS[name])) == on_record("pages", name)


@pytest.mark.parametrize("name", TOLD)
def test_a_hand_told_in_whole(name):
    assert list(telling(HANDS[name])) == on_record("tellings", name)


def write(kind, name, lines):
    (CASES / kind / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if (
    __name__ == "__main__"
):  # python -m tests.big2.test_pages, after a change of words; then read what git says differs
    for name, rule_set in RULE_SETS.items():
        write("pages", name, page(rule_set))
    for name in TOLD:
        write("tellings", name, telling(HANDS[name]))
