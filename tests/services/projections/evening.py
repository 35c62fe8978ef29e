"""One evening of tournaments, with whatever can happen to them, and a way to walk through it moment by moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import cached_property
from random import Random
from typing import Any, TypeAlias
from uuid import uuid4

from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier

from domain.ids import WEBHOOKS, TournamentId, webhook_id
from domain.player import PLAYER, bar
from domain.webhook import WebhookDeleted, WebhookDisabled, register
from domain.webhooks import WEBHOOK_LIST, WebhookList, add
from services.application.rulesets import Wanted
from services.envelope import Change
from services.projections import Projector
from tests.services.projections.house import House
from tests.services.projections.world import World

WITHIN_HANDS = 60
"""At how many moments within hands the projections are looked at."""
TABLES = (
    "agenda",
    "agenda_payments",
    "entries",
    "hand_players",
    "hands",
    "leaderboard",
    "ledger_accounts",
    "ledger_lines",
    "players",
    "rings",
    "rulesets",
    "stakes",
    "table_seats",
    "tables",
    "tournaments",
    "webhooks",
)

Rows: TypeAlias = Callable[..., list[dict[str, Any]]]
"""The rows of a query with these values, in the schema that is looked at."""
Tables: TypeAlias = dict[str, list[dict[str, Any]]]
"""Each table's rows."""


class Evening:
    """What was played, and the ids of its tournaments by name."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.ids = {
            "long": _a_long_one(house),
            "quick": _one_with_levels_by_the_clock(house),
            "rained off": _one_that_is_cancelled_in_the_middle(house),
            "nobody came": _one_that_nobody_came_to(house),
            "open": _one_that_is_still_open(house),
            "not full": _one_that_was_full_for_a_moment(house),
            "league": _a_league(house),
            "real cards": _one_with_real_cards(house),
            "real cards, rained off": _one_with_real_cards_that_is_cancelled(house),
            "money": _one_for_money(house),
            "money, rained off": _one_for_money_that_is_cancelled(house),
            "late": _one_with_late_entries(house),
            "late, rained off": _one_with_late_entries_that_is_cancelled(house),
            "money league": _a_league_for_money(house),
        }
        _other_things(house)
        house.project()
        self.log = house.log()

    def walk(self, look: Callable[[Tables, World], None]) -> None:
        """Call `look` with the rows of each table, and with the truth, moment by moment up to the end."""
        world = World()
        for r in self.log:
            world.add(r)
            if r.position in self._moments:
                look(self._moments[r.position], world)

    @cached_property
    def world(self) -> World:
        """How it was in the end."""
        world = World()
        for r in self.log:
            world.add(r)
        return world

    @cached_property
    def _moments(self) -> dict[int, Tables]:
        """The rows of each table at many moments, as a projector that stops there has written them."""
        schema = f"walk_{uuid4().hex}"
        projector = Projector(self.house.store, schema)
        projector.create()
        found = {}
        for position in self._chosen():
            projector.catch_up(position)
            rows = self.rows(schema)
            found[position] = {name: rows(f"SELECT * FROM {name}") for name in TABLES}
        with self.house.store.database.connection() as conn:
            conn.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(schema)))
        return found

    def _chosen(self) -> list[int]:
        """Positions at which an append ends: of tournaments and tables all, within hands some."""
        following = [*(r.command for r in self.log[1:]), None]
        ends = [r for r, command in zip(self.log, following, strict=True) if command != r.command]
        of_hands = [r.position for r in ends if r.topic.startswith("hand")]
        others = [
            r.position
            for r in ends
            if r.topic.startswith(
                ("tournament", "table", "ruleset", "roster", "wallet", "ring", "stakes", "webhook")
            )
        ]
        return sorted({*Random(7).sample(of_hands, WITHIN_HANDS), *others, self.log[-1].position})

    def rows(self, schema: str = "projections") -> Rows:
        def rows(query: str, *values: Any) -> list[dict[str, Any]]:
            with self.house.store.database.transaction() as cursor:
                cursor.execute(SQL("SET LOCAL search_path = {}, public").format(Identifier(schema)))
                cursor.row_factory = dict_row  # type: ignore[assignment]
                return cursor.execute(query, values).fetchall()  # type: ignore[return-value]

        return rows


def _a_long_one(house: House) -> TournamentId:
    """Three tables, a no-show, a protest window, a pause in the middle of hands, tables that break, a final table."""
    t = house.started(
        8,
        seats_per_table=3,
        unit=2,
        stack_points=200,  # nobody is out after one hand, so the absent player is a no-show
        unit_levels=[1, 15, 40, 100],
        hands_per_level=1,
        between_hands_seconds=2,
        protest_seconds=60,
        no_show_hands=1,
    )
    house.absent = {house.tournament(t).entrants[3]}
    house.play_on(t, until=lambda: _hands_ended(house, t) >= 2 and house.running(t))
    house.pause(t)
    house.project()
    house.work()
    house.act(house.running(t)[0])
    house.project()
    house.resume(t)
    house.play_on(t)
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    return t


def _one_with_levels_by_the_clock(house: House) -> TournamentId:
    t = house.started(
        2, format="sit_and_go", capacity=2, seats_per_table=2, minutes_per_level=1, unit_levels=[1, 20, 60]
    )
    for _ in range(3):
        house.play_on(t, until=lambda: house.running(t))
        house.pass_time(timedelta(seconds=25))
        house.work()
    house.pause(t)
    house.work()
    house.resume(t)
    house.play_on(t)
    return t


def _one_that_is_cancelled_in_the_middle(house: House) -> TournamentId:
    t = house.started(6, rules="high-low")
    house.play_on(t, until=lambda: _hands_ended(house, t) >= 1 and len(house.running(t)) == 2)
    house.cancel(t)
    while house.work():
        pass
    return t


def _one_that_nobody_came_to(house: House) -> TournamentId:
    t = house.publish(starts_at=house.store.now() + timedelta(hours=1))
    house.enter(t, *house.enrol(1))
    house.pass_time(timedelta(hours=1))
    house.work()
    return t


def _one_that_is_still_open(house: House) -> TournamentId:
    t = house.publish(starts_at=house.store.now() + timedelta(days=1))
    who = house.enrol(3)
    house.enter(t, *who)
    house.withdraw(t, who[1])
    return t


def _one_that_was_full_for_a_moment(house: House) -> TournamentId:
    t = house.publish(format="sit_and_go", capacity=3)
    who = house.enrol(3)
    house.enter(t, *who)
    house.project()
    house.withdraw(t, who[0])
    return t


def _a_league(house: House) -> TournamentId:
    """Two tables at once, newcomers, one who withdraws and comes again, a pause, a protest window, an open table."""
    terms = {"stack_points": 0, "unit": 3, "protest_seconds": 60}
    t = house.publish(format="league", recorded=True, rules="high-low", **terms)
    a, b, c, d, e, f = house.enrol(6)
    house.enter(t, a, b, c, d)
    house.start(t)
    first = house.open_table(t, a, b, c)
    house.record(first, 0, 5, 2)
    house.enter(t, e, f)
    house.withdraw(t, f)
    second = house.open_table(t, d, e)
    house.record(second, 13, 0)
    house.record(first, 7, 0, 1)
    house.pause(t)
    house.project()
    house.work()
    house.resume(t)
    house.enter(t, f)
    house.close_table(first)
    third = house.open_table(t, a, f, b)
    house.record(third, 4, 4, 0, played_at=house.store.now() - timedelta(days=400))
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    house.finish(t)
    while house.work():
        pass
    return t


def _one_with_real_cards(house: House) -> TournamentId:
    """Three tables, of which one breaks and others wait, levels, a final table."""
    t = house.started(8, recorded=True, seats_per_table=3, hands_per_level=1)
    while house.work():
        pass
    house.record_on(t)
    return t


def _one_with_real_cards_that_is_cancelled(house: House) -> TournamentId:
    t = house.started(6, recorded=True, seats_per_table=3, stack_points=200, minutes_per_level=1)
    while house.work():
        pass
    house.record_on(t, until=lambda: _hands_ended(house, t) >= 3)
    house.pause(t)
    house.work()
    house.resume(t)
    house.pass_time(timedelta(seconds=61))
    house.work()
    house.cancel(t)
    while house.work():
        pass
    return t


BUY_IN = {"amount": 1000, "fee": 100, "currency": "EUR"}


def _one_for_money(house: House) -> TournamentId:
    """An entry that is withdrawn and made again, an overlay, prizes that wait for the protest window."""
    terms = {"recorded": True, "buy_in": BUY_IN, "guarantee": 4567, "protest_seconds": 60}
    t = house.publish(**terms)
    who = house.rich(4, 2000)
    house.enter(t, *who)
    house.withdraw(t, who[0])
    house.enter(t, who[0])
    house.start(t)
    while house.work():
        pass
    house.record_on(t)
    house.pass_time(timedelta(seconds=61))
    while house.work():
        pass
    return t


def _one_for_money_that_is_cancelled(house: House) -> TournamentId:
    t = house.publish(recorded=True, buy_in=BUY_IN, guarantee=9999, stack_points=200)
    house.enter(t, *house.rich(6))
    house.start(t)
    while house.work():
        pass
    house.record_on(t, until=lambda: _hands_ended(house, t) >= 2)
    house.cancel(t)
    while house.work():
        pass
    return t


def _one_with_late_entries(house: House) -> TournamentId:
    """A full table, for which a late entrant opens another; one who comes in a pause; two who enter again; prizes."""
    terms = {"late_entry_levels": 2, "minutes_per_level": 9, "unit_levels": [1, 4, 9, 20, 60]}
    t = house.publish(buy_in=BUY_IN, **terms)
    a, b, c, d, e, f, g = house.rich(7, 5000)
    house.enter(t, a, b, c, d)
    house.start(t)
    house.work()
    house.play_on(t, until=lambda: house.running(t))
    house.enter(t, e)
    house.work()
    house.enter(t, f)
    house.play_on(t, until=lambda: _hands_ended(house, t) >= 2)
    house.pause(t)
    house.enter(t, g)
    house.work()
    house.resume(t)
    for again in range(2):
        house.play_on(t, until=lambda: house.tournament(t).outs)
        if house.tournament(t).entries_open:
            house.enter(t, house.tournament(t).outs[0].player_id)
        house.pass_time(timedelta(minutes=4 * again))
    house.pass_time(timedelta(minutes=18))
    house.play_on(t)
    while house.work():
        pass
    return t


def _one_with_late_entries_that_is_cancelled(house: House) -> TournamentId:
    """Whoever entered twice gets both entries back."""
    t = house.publish(buy_in=BUY_IN, late_entry_levels=5, stack_points=10)
    who = house.rich(9, 5000)
    house.enter(t, *who[:7])
    house.start(t)
    house.play_on(t, until=lambda: house.tournament(t).outs)
    house.enter(t, house.tournament(t).outs[0].player_id, who[7], who[8])
    house.cancel(t)
    while house.work():
        pass
    return t


def _a_league_for_money(house: House) -> TournamentId:
    """Somebody enters while it runs, somebody withdraws after its start; it is cancelled."""
    t = house.publish(format="league", recorded=True, stack_points=0, buy_in={**BUY_IN, "fee": 0})
    who = house.rich(4)
    house.enter(t, *who[:3])
    house.start(t)
    house.enter(t, who[3])
    for player in who[:2]:
        house.withdraw(t, player)
    house.project()
    house.cancel(t)
    while house.work():
        pass
    return t


def _other_things(house: House) -> None:
    """A published rule set, a barred player, webhooks: one that is told, one disabled, one deleted."""
    wanted = {"base": "actionpoker", "last_card": "forced"}
    house.rulesets.publish(house.command(), Wanted("club", wanted))
    [player] = house.enrol(1)
    stream = house.store.load(PLAYER, player)
    house.store.append(house.command(), [Change(player, 1, bar(stream.state, "rude"))], stream.read_at)
    hopeless = WebhookDisabled(failures=20, since=stream.read_at, failure="answered 500")
    for end in ((), (hopeless,), (hopeless, WebhookDeleted())):
        made = webhook_id(house.command().id)
        events = [*register(made, "https://club.example/", "secret", topics=("hand.settled",)), *end]
        listed = house.store.load(WEBHOOK_LIST, WEBHOOKS)
        added = add(listed.state or WebhookList(), made)
        changes = [Change(made, 0, events), Change(WEBHOOKS, listed.version, added)]
        house.store.append(house.command(), changes, stream.read_at)


def _hands_ended(house: House, t: TournamentId) -> int:
    return sum(table.hands_ended for table in house.tables(house.tournament(t)))
