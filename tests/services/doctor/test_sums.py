"""I3 of tournaments, ring tables and the money book; I4, the projections."""

from __future__ import annotations

import re

import pytest

from domain.ring_events import RingHandBegun, SatDown, StoodUp, ToppedUp
from domain.table_events import HandEnded, Vacated
from domain.tournament_events import MoneyPrizesAwarded, PoolFormed, TablesDrawn
from domain.wallet import Credited, Debited
from services.projections import ledger


def all_of(world, where, **asked):
    """What is told, all of it of I3, the first of it at this place."""
    found = world.examined(**asked)
    assert {v.invariant for v in found} == {"I3"}
    assert found[0].where.startswith(where)
    return [v.what for v in found]


def of_kind(kind):
    return lambda r: r.event.journal.kind == kind


# chips


def test_i3_chips_that_a_hand_makes_of_nothing(world):
    ended = world.of(HandEnded, lambda r: r.event.stacks)[0]
    seat = str(ended.event.winner)
    world.edit(ended, lambda e: e["stacks"].update({seat: e["stacks"][seat] + 7}))
    assert f"seat {seat} has " in all_of(world, f"table {ended.stream}, version {ended.version} ")[0]


def test_i3_nets_at_a_table_that_are_out_of_balance(world):
    ended = world.of(HandEnded, lambda r: r.event.stacks)[0]
    seat = str(ended.event.winner)

    def change(e):
        e["net"][seat] += 7
        e["stacks"][seat] += 7

    world.edit(ended, change)
    assert "the nets sum to 7, not to 0" in all_of(world, f"table {ended.stream}, version {ended.version} ")


def test_i3_a_player_who_leaves_with_other_chips_than_he_had(world):
    moved = world.of(Vacated, lambda r: r.event.reason in ("moved", "out"))[0]
    world.edit(moved, lambda e: e.update(stack=e["stack"] + 1))
    assert all_of(world, f"table {moved.stream}, version {moved.version} ")[0].startswith("seat ")


def test_i3_a_final_table_with_more_chips_than_were_issued(world):
    final = world.of(TablesDrawn, lambda r: r.event.final)[0]
    world.edit(final, lambda e: e["tables"][0]["places"][0].update(stack=999))
    [what] = all_of(world, f"tournament {final.stream}")
    assert what.endswith(f"where {5 * 12} were issued")


# money


def test_i3_a_journal_that_is_out_of_balance(world):
    deposit = world.of(Credited, of_kind("deposit"))[0]
    line = deposit.event.journal.lines.index(next(x for x in deposit.event.journal.lines if x.amount < 0))
    world.edit(deposit, lambda e: e["journal"]["lines"][line].update(amount=-1))
    what = all_of(world, f"wallet {deposit.stream}, version {deposit.version} ")
    assert what[0].startswith("its journal sums to ")
    assert what[1].startswith("its accounts sum to ")


def test_i3_a_wallet_that_pays_what_it_does_not_have(world):
    entry = world.of(Debited, of_kind("entry"))[0]
    deposit = world.of(Credited, lambda r: r.stream == entry.stream and r.version == 1)[0]

    def change(e):
        e["amount"] = 1
        for line in e["journal"]["lines"]:
            line["amount"] = 1 if line["amount"] > 0 else -1

    world.edit(deposit, change)
    assert all_of(world, f"wallet {entry.stream}, version {entry.version} ")[0].endswith("below 0")


def test_i3_a_journal_that_does_not_move_what_the_wallet_says(world):
    deposit = world.of(Credited, of_kind("deposit"))[0]
    world.edit(deposit, lambda e: e.update(amount=e["amount"] + 1))
    what = all_of(world, f"wallet {deposit.stream}, version {deposit.version} ")
    assert what == ["its journal does not move what the wallet gets or pays"]


def test_i3_a_journal_between_accounts_that_are_not_its_own(world):
    deposit = world.of(Credited, of_kind("deposit"))[0]
    world.edit(deposit, lambda e: e["journal"].update(kind="refund"))
    assert "a refund does not move outside" in all_of(world, f"wallet {deposit.stream}, version ")


def test_i3_prizes_of_more_than_the_pool(world):
    awarded = world.of(MoneyPrizesAwarded)[0]
    world.edit(awarded, lambda e: e["prizes"][0].update(amount=9999))
    assert all_of(world, f"tournament {awarded.stream}, version {awarded.version} ")[0].startswith(
        "prizes of "
    )


def test_i3_a_pool_of_more_than_was_paid_in(world):
    formed = world.of(PoolFormed)[0]
    world.edit(formed, lambda e: e.update(buy_ins=e["buy_ins"] + 500, overlay=e["overlay"] - 500))
    *sums, rule = world.examined()
    assert {(v.invariant, v.where) for v in sums} == {("I3", f"tournament {formed.stream}")}
    assert [v.what for v in sums] == [
        "its escrow holds -500 beside the pool",
        "has paid out 500 more than it held",
    ]
    assert (rule.invariant, rule.position) == ("I6", formed.position)


def moved(journal, by):
    for line in journal["lines"]:
        line["amount"] += (
            by if line["account"].startswith("wallet/") else -by if "pool/" in line["account"] else 0
        )


def test_i3_a_prize_that_is_not_paid_out_is_told_of_where_all_should_be(world):
    """I6 tells of it as well, for another amount was owed."""
    prize = world.of(Credited, of_kind("prize"))[0]

    def change(e):
        e["amount"] -= 3
        moved(e["journal"], -3)

    world.edit(prize, change)
    found = world.examined(settled=True)
    assert {v.invariant for v in found} == {"I3", "I6", "I7"}
    [owed] = [v for v in found if v.invariant == "I3"]
    assert owed.where == f"tournament {world.played.tournament}"
    assert owed.what == "is over, and 3 are not paid out"


def test_i3_an_entry_that_was_not_paid_for(world):
    """The fee alone went: prizes, refunds and fees are still receipts and overlay."""
    entry = world.of(Debited, of_kind("entry"))[0]

    def change(e):
        e["amount"] -= 100
        e["journal"]["lines"] = [
            {**line, "amount": line["amount"] + (100 if line["amount"] < 0 else 0)}
            for line in e["journal"]["lines"]
            if line["account"] != "fees"
        ]

    world.edit(entry, change)
    [what] = all_of(world, f"tournament {world.played.tournament}")
    assert what == "its entries cost 6600 EUR, and 6500 were paid for them"


# ring tables


@pytest.mark.parametrize(
    ("kind", "member"), [(SatDown, "buy_in"), (ToppedUp, "amount")], ids=["sat down", "topped up"]
)
def test_i3_money_at_a_ring_table_that_left_no_wallet(world, kind, member):
    brought = world.of(kind)[0]
    world.edit(brought, lambda e: e.update({member: e[member] + 5}))
    what = all_of(world, f"ring {brought.stream}")
    assert what[-1] == f"player {brought.event.player_id} has 5 at the table, and 0 in the books"


def test_i3_a_stack_that_is_not_what_was_brought_and_won(world):
    begun = world.of(RingHandBegun)[1]
    seat = next(iter(begun.event.stacks))
    world.edit(begun, lambda e: e["stacks"].update({str(seat): 1}))
    what = all_of(world, f"ring {begun.stream}, version {begun.version} ")
    assert what[0].startswith(f"seat {seat} is dealt in with 1, and has ")


def test_i3_a_stack_that_its_player_did_not_take_along(world):
    left = world.of(StoodUp, lambda r: r.event.stack)[0]
    world.edit(left, lambda e: e.update(stack=e["stack"] - 1))
    assert all_of(world, f"ring {left.stream}, version {left.version} ")[0].endswith(
        f"and had {left.event.stack}"
    )


# I4


def test_i4_projections_that_are_as_they_would_be_rebuilt(world):
    assert world.examined(["I4"]) == []


@pytest.mark.parametrize(
    ("statement", "table", "told"),
    [
        (
            "UPDATE projections.standings SET points = points + 1"
            " WHERE ctid = (SELECT min(ctid) FROM projections.standings)",
            "standings",
            "1 rows are not in its rebuild, 1 are only there",
        ),
        (
            "DELETE FROM projections.ledger_lines WHERE line = 2",
            "ledger_lines",
            "0 rows are not in its rebuild, ",
        ),
    ],
)
def test_i4_a_projection_that_was_changed(world, statement, table, told):
    world.sql(statement)
    [found] = world.examined(["I4"])
    assert (found.invariant, found.where) == ("I4", f"projection {table}")
    assert found.what.startswith(told)


def test_i4_projections_that_are_gone(world):
    world.sql("DROP SCHEMA projections CASCADE; SELECT 1")
    [found] = world.examined(["I4"])
    assert found.what == "is not there: `big2 rebuild` makes it"


def test_i4_an_event_that_cannot_be_projected(world, monkeypatch):
    def fails(*_):
        raise KeyError("3D")

    monkeypatch.setattr(ledger, "project", fails)
    [found] = world.examined(["I4"])
    assert found.where == "projection ledger"
    assert re.fullmatch(
        r"the event at position \d+ cannot be projected: ledger fails \(KeyError\)", found.what
    )
