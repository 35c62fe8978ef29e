"""A bundle's hands and tables decided again, by the doctor's own replay (`services.doctor`).

Of a hand alone: its plays, times and deadlines, who acted for whom, its rulings and appeals, and that it was final when
its window was over. Where its tournament is there: its terms by the table and the structure, who sat there with which
stack, and what its rulings brought about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import reduce
from itertools import pairwise
from uuid import UUID

from big2.rulesets import RuleSet
from domain.credential import Role
from domain.dispute_events import ActionsVoided, Released, Ruled, TimeGiven
from domain.hand import folded, rule_set_of
from domain.hand_events import Confirmed, Dealt, EntropyOpened, Finalised, HandRecorded, Settled
from domain.ids import TournamentId
from domain.table_events import HandBegun
from domain.tournament import TOURNAMENT
from domain.waits import over
from services.audit import verify
from services.audit.opened import Members, streams
from services.audit.redrawn import put_together, rooted_anew
from services.doctor import chips, hands, replay_disputes, replay_hands, replay_tournament_rulings
from services.doctor.replay_tables import Hands, hands_of
from services.doctor.violation import Violation, at, stream
from services.envelope import Recorded

ALONE = (
    hands.cards_add_up,
    hands.nets_sum_up,
    replay_hands.actions,
    hands.clock_names_its_turn,
)
"""What is asked of each hand, whatever else is in the bundle."""


RULING = (Role.DIRECTOR, Role.ADMIN)
"""Who may rule on a hand."""


def replayed(members: Members, presets: Mapping[str, RuleSet]) -> str:
    """How many hands are as the rules and their tables have them; `verify.Wrong` at the first event that is not."""
    found = streams(members, "hand")
    wrong = next(_violations(members, found, presets), None)
    if wrong is not None:
        raise verify.Wrong(f"{wrong.where}: {wrong.what}")
    tables = len(streams(members, "table")) if streams(members, "tournament") else 0
    return f"{len(found)} hands, with their times and rulings, and {tables} tables were decided again"


def _violations(
    members: Members, found: Mapping[UUID, list[Recorded]], presets: Mapping[str, RuleSet]
) -> Iterator[Violation]:
    known = dict(presets)
    for events in found.values():
        for judge in ALONE:
            yield from judge(events)
        yield from _by_its_rules(events, known)
        yield from _ruled_by_directors(events)
        yield from _final_in_time(events)
    whole = put_together(members)
    if whole:
        yield from _of_tournament(_Bundled(members, whole), whole, found)


def _by_its_rules(events: Sequence[Recorded], known: dict[str, RuleSet]) -> Iterator[Violation]:
    """A rule set's name means the same in all hands, and that of a preset what it means in this release."""
    for r in events:
        if isinstance(r.event, Dealt | EntropyOpened | HandRecorded):
            rules = rule_set_of(r.event)
            if known.setdefault(r.event.rules, rules) != rules:
                yield at("I6", r, f"is under other rules than those of {r.event.rules}")


def _ruled_by_directors(events: Sequence[Recorded]) -> Iterator[Violation]:
    for r in events:
        if isinstance(r.event, Ruled | ActionsVoided | TimeGiven) and r.event.by.role not in RULING:
            yield at("I6", r, f"is ruled by a {r.event.by.role}")


def _final_in_time(events: Sequence[Recorded]) -> Iterator[Violation]:
    """Whoever may protest has his whole time: from the settlement, a ruling, or the end of the last freeze on."""
    for before, r in pairwise(events):
        if not isinstance(r.event, Finalised | Confirmed) or r.command == before.command:
            continue
        begun = [e.at for e in events if isinstance(e.event, Settled | Released | Ruled)]
        seconds = folded([e.event for e in events]).terms.timing.protest_seconds
        if not begun or not over(begun[-1] + timedelta(seconds=seconds), seconds, r.at):
            yield at("I6", r, "is final before the time for protests is over")


class _Bundled:
    """The streams of a bundle, as the log has them, but for what the tournament's master leads to."""

    def __init__(self, members: Members, whole: list[Recorded]) -> None:
        t = TournamentId(whole[0].stream)
        tables = {table: rooted_anew(t, events) for table, events in streams(members, "table").items()}
        self.tables = list(tables.values())
        self._streams = {t: whole, **tables, **streams(members, "roster"), **streams(members, "hand")}

    def streams(self, ids: Sequence[UUID]) -> dict[UUID, list[Recorded]]:
        """Some streams' events, as far as there are any."""
        return {each: self._streams[each] for each in ids if each in self._streams}


def _of_tournament(
    bundled: _Bundled, whole: list[Recorded], found: Mapping[UUID, list[Recorded]]
) -> Iterator[Violation]:
    tournament = reduce(TOURNAMENT.evolve, (r.event for r in whole), None)
    assert tournament is not None
    begun: set[UUID] = set()
    for table in bundled.tables:
        ids = [r.event.hand_id for r in table if isinstance(r.event, HandBegun)]
        begun.update(ids)
        left_out = set(ids) - set(found)
        yield from hands_of(Hands(bundled, ids), tournament, whole, table, left_out, master=None)
    yield from chips.chips_add_up(whole, bundled.streams(chips.tables_of(whole)))
    yield from replay_disputes.corrections(bundled, whole)
    yield from replay_tournament_rulings.followed(bundled, whole)
    for hand, events in found.items():
        if hand not in begun:
            yield Violation("I6", stream("hand", hand), "no table of the tournament has begun it")
        yield from replay_disputes.made(bundled, events)
        yield from replay_tournament_rulings.brought_about(bundled, events)
