"""Single questions about a rule set, for operators who write their own and for tests.

`classify` asks for a card set's kind, `beats` whether a play is higher than another, `legal_plays` for every card set
of a holding that may be played.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import chain
from typing import Final

from big2.card_sets import CardSet, beats, classify, legal_plays
from big2.cards import Card, mask_of, mask_text, parse_card, parse_cards
from big2.errors import MalformedError, NotationError
from big2.form import Node, parse_json
from big2.position import position_problems
from big2.record import Presets, Published, nothing_published, read_rules
from big2.rulesets import RuleSet

Answer = str | bool | list[str] | None


class QuestionKind(StrEnum):
    """What can be asked."""

    CLASSIFY = "classify"
    BEATS = "beats"
    LEGAL_PLAYS = "legal_plays"


MEMBERS: Final[Mapping[QuestionKind, tuple[str, ...]]] = {
    QuestionKind.CLASSIFY: ("cards",),
    QuestionKind.BEATS: ("play", "over"),
    QuestionKind.LEGAL_PLAYS: ("holding", "to_beat", "must_include"),
}
"""What each kind asks about."""


def answer(
    question: object,
    presets: Presets,
    published: Published = nothing_published,
    otherwise: RuleSet | None = None,
) -> Answer:
    """The answer to a question, given as the value of its JSON; or `MalformedError`.

    `otherwise` is the rule set of a question that names none.
    """
    node = Node(question)
    node.refuse_problem()
    if otherwise is not None and node.optional("rules") is None:
        rules = otherwise
    else:
        rules = read_rules(node.member("rules"), presets, published)
    kind = node.member("kind").choice(QuestionKind)
    _check_members(node, kind)
    return _ANSWERS[kind](node, rules)


def answer_lines(
    text: str,
    presets: Presets,
    published: Published = nothing_published,
    otherwise: RuleSet | None = None,
) -> Iterator[dict[str, object]]:
    """The answers to a file of questions, one JSON object a line.

    Each has `line`, counted from 1, blank lines included; `answer`; and `ok` where the question carries `expected`.
    A question that is out of form has `answer` null, `ok` false, `error` and `pointer`.
    """
    for line, written in enumerate(text.split("\n"), 1):
        if written.strip():
            yield {"line": line} | _answered(written, presets, published, otherwise)


def _answered(
    written: str, presets: Presets, published: Published, otherwise: RuleSet | None
) -> dict[str, object]:
    try:
        question = parse_json(written)
        found = answer(question, presets, published, otherwise)
    except MalformedError as error:
        return {"answer": None, "ok": False, "error": error.reason, "pointer": error.pointer}
    expected = Node(question).optional("expected")
    if expected is None:
        return {"answer": found}
    return {"answer": found, "ok": type(expected.value) is type(found) and expected.value == found}


def _check_members(node: Node, kind: QuestionKind) -> None:
    """A member of another kind is a slip; one that no kind knows, such as a source, is nobody's business."""
    for name in chain.from_iterable(MEMBERS.values()):
        if name in node.members() and name not in MEMBERS[kind]:
            raise node.member(name).wrong(f"is no member of {kind}: that has {', '.join(MEMBERS[kind])}")


def _classify(node: Node, rules: RuleSet) -> Answer:
    card_set = _card_set(node.member("cards"), rules)
    return None if card_set is None else card_set.kind.value


def _beats(node: Node, rules: RuleSet) -> Answer:
    play, over = (_card_set(node.member(name), rules) for name in ("play", "over"))
    return play is not None and over is not None and beats(play, over)


def _legal_plays(node: Node, rules: RuleSet) -> Answer:
    holding, to_beat, must_include = _holding(node), _to_beat(node, rules), _must_include(node)
    for name, reason in position_problems(holding, to_beat, must_include):
        raise node.member(name).wrong(reason)
    plays = legal_plays(rules, mask_of(holding), to_beat, must_include)
    return sorted(mask_text(play.mask, rules.suits) for play in plays)


_ANSWERS: Final[Mapping[QuestionKind, Callable[[Node, RuleSet], Answer]]] = {
    QuestionKind.CLASSIFY: _classify,
    QuestionKind.BEATS: _beats,
    QuestionKind.LEGAL_PLAYS: _legal_plays,
}


def _card_set(node: Node, rules: RuleSet) -> CardSet | None:
    """R3.1: the card set of a text; what is no card makes none."""
    try:
        return classify(rules, parse_cards(node.text()))
    except NotationError:
        return None


def _holding(node: Node) -> tuple[Card, ...]:
    holding = node.member("holding")
    try:
        return parse_cards(holding.text())
    except NotationError as error:
        raise holding.wrong(error.reason) from None


def _to_beat(node: Node, rules: RuleSet) -> CardSet | None:
    to_beat = node.optional("to_beat")
    if to_beat is None or to_beat.value is None:
        return None
    card_set = _card_set(to_beat, rules)
    if card_set is None:
        raise to_beat.wrong("is no card set")
    return card_set


def _must_include(node: Node) -> Card | None:
    card = node.optional("must_include")
    if card is None or card.value is None:
        return None
    try:
        return parse_card(card.text())
    except NotationError as error:
        raise card.wrong(error.reason) from None
