"""The prize pool: formed at the start, raised to what is guaranteed, awarded to the unit, or given back."""

from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.draws import draws_for
from domain.ending import conclude
from domain.journal import FEES, balanced, balances, escrow, pool, wallet
from domain.payments import Payment, entry, owed, refund
from domain.placing import Standing
from domain.pool import award
from domain.prizes import by_lot, promised
from domain.structure import BuyIn
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import cancel, publish, start
from domain.tournament_events import (
    Cancelled,
    MoneyPrizesAwarded,
    PoolDissolved,
    PoolFormed,
    PrizesAwarded,
)
from domain.wallet import WALLET, Wallet, give
from tests.domain.given import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    MASTER,
    NOW,
    TOURNAMENT,
    fold,
    given,
    players,
    steady,
    terms,
)
from tests.domain.test_wallet import journal

BUY_IN = {"amount": 1000, "fee": 100, "currency": "EUR"}


def opened(**others):
    return given(AGGREGATE, *publish(TOURNAMENT, terms(**{"buy_in": BUY_IN, **others}), MASTER, DRAW_SEED))


def started(entrants=4, **others):
    t = opened(**others)
    return fold(AGGREGATE, start(t, players(entrants), NOW), t)


def ended(entrants=4, places=None, **others):
    """The tournament after its end, with these places in order of the players."""
    places = places or range(1, entrants + 1)
    standings = tuple(
        Standing(place, list(places).count(place) > 1, player)
        for place, player in zip(places, players(entrants), strict=True)
    )
    t = started(entrants, **others)
    return fold(AGGREGATE, conclude(t, standings, entrants), t)


def amounts(t):
    return {prize.player_id: prize.amount for prize in t.prizes}


# formed


def test_the_start_forms_the_pool_of_the_buy_ins_without_the_fees():
    t = opened()
    _, _, formed = start(t, players(4), NOW)
    assert formed == PoolFormed(tournament_id=TOURNAMENT, entrants=4, buy_ins=4000, overlay=0, currency="EUR")
    assert fold(AGGREGATE, [formed], t).pool == formed


@pytest.mark.parametrize(("guarantee", "overlay"), [(4000, 0), (4001, 1), (10_000, 6000), (1, 0)])
def test_the_house_adds_what_is_missing_to_the_guarantee(guarantee, overlay):
    assert started(guarantee=guarantee).pool.overlay == overlay


def test_without_a_buy_in_there_is_no_pool_and_prizes_are_basis_points():
    t = started(buy_in=None)
    assert t.pool is None
    awarded, _ = conclude(t, (Standing(1, False, ALICE), Standing(2, False, BOB)), 2)
    assert type(awarded) is PrizesAwarded
    assert awarded.pool == 10_000


def test_a_league_s_pool_is_formed_at_its_end_for_it_takes_entries_until_then():
    assert started(format_="league", recorded=True).pool is None


# awarded


def test_prizes_are_money_and_are_all_of_the_pool():
    t = ended(guarantee=5001)
    assert amounts(t) == {ALICE: 3251, BOB: 1750}
    events = conclude(started(guarantee=5001), t.standings, 4)
    assert isinstance(events[0], MoneyPrizesAwarded)
    assert (events[0].pool, events[0].currency, events[0].draw) == (5001, "EUR", "prizes")


def test_who_of_a_shared_place_gets_the_odd_unit_is_drawn_from_the_seed():
    t = ended(places=(1, 2, 2, 4), guarantee=5001, prizes_bp=[6500, 3500])
    assert amounts(t)[ALICE] == 3251
    lot = draws_for(DRAW_SEED, TOURNAMENT, "prizes/2").shuffled([875, 875])
    assert [amounts(t)[BOB], amounts(t)[CAROL]] == lot
    odd = ended(places=(1, 1, 3, 4), guarantee=5001)
    assert [amounts(odd)[ALICE], amounts(odd)[BOB]] == draws_for(DRAW_SEED, TOURNAMENT, "prizes/1").shuffled(
        [2501, 2500]
    )
    assert DAVE not in amounts(odd)


def test_the_lot_changes_who_gets_the_odd_unit_and_nothing_else():
    asked = []

    def lot(place):
        asked.append(place)
        return draws_for(DRAW_SEED, TOURNAMENT, str(place))

    drawn = [by_lot([1, 2, 2, 2, 5, 5], [90, 4, 3, 3, 2, 2], lot) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert drawn[0][0] == 90
    assert sorted(drawn[0][1:4]) == [3, 3, 4]
    assert drawn[0][4:] == [2, 2]
    assert asked == [2, 2]


@settings(steady)
@for_all(st.integers(1, 10**6), st.integers(2, 40), st.data())
def test_the_pool_is_paid_out_to_the_unit_whatever_the_places(pool_, entrants, data):
    shares = data.draw(st.lists(st.integers(1, 10), min_size=entrants, max_size=entrants))
    places, place = [], 1
    for size in shares:
        group = min(size, entrants - len(places))
        places += [place] * group
        place += group
    standings = [Standing(p, False, who) for p, who in zip(places, players(entrants), strict=True)]
    formed = PoolFormed(tournament_id=TOURNAMENT, entrants=entrants, buy_ins=pool_, overlay=0, currency="EUR")
    table = (5000, 3000, 2000)[: min(3, entrants)]
    table = (table[0] + 10_000 - sum(table), *table[1:])
    awarded = award(formed, table, standings, lambda draw: draws_for(DRAW_SEED, TOURNAMENT, draw))
    assert sum(prize.amount for prize in awarded.prizes) == pool_
    by_place: dict[int, list[int]] = {}
    for prize in awarded.prizes:
        by_place.setdefault(prize.place, []).append(prize.amount)
    assert all(max(group) - min(group) <= 1 for group in by_place.values())


def test_what_is_promised_is_what_a_field_without_ties_gets():
    s = terms(buy_in=BUY_IN, guarantee=5001)
    assert promised(s, 4) == [3251, 1750]
    assert promised(terms(), 4) == [6500, 3500]
    assert (s.pool_of(4), s.pool_of(0), terms().pool_of(4)) == (5001, 5001, None)


# owed


def test_a_finished_tournament_owes_its_prizes_and_its_pool_ends_at_0():
    t = ended(guarantee=5001)
    payments = owed(t, ())
    assert [(p.player_id, p.currency, p.booking.amount) for p in payments] == [
        (ALICE, "EUR", 3251),
        (BOB, "EUR", 1750),
    ]
    found = balances(balanced(credited(p).journal) for p in payments)
    assert found == {pool(TOURNAMENT): -5001, wallet(ALICE): 3251, wallet(BOB): 1750}


def test_a_cancelled_tournament_owes_every_entrant_all_that_he_paid():
    t = opened()
    t = fold(AGGREGATE, cancel(t, "no light", 2), t)
    payments = owed(t, (ALICE, BOB))
    found = balances(balanced(credited(p).journal) for p in payments)
    assert found == {escrow(TOURNAMENT): -2000, FEES: -200, wallet(ALICE): 1100, wallet(BOB): 1100}


def test_a_payment_has_one_id_however_often_it_is_worked_out_and_is_made_once():
    [first, _] = owed(ended(), ())
    [again, _] = owed(ended(), ())
    assert first == again
    paid = fold(WALLET, [credited(first)])
    assert give(paid, again.booking) == []


def test_nothing_is_owed_without_a_buy_in_or_before_the_end():
    assert owed(ended(buy_in=None), (ALICE,)) == []
    assert owed(started(), (ALICE, BOB)) == []


def test_an_entry_that_is_withdrawn_is_reversed_to_the_unit():
    buy_in = BuyIn(**BUY_IN)
    paid, back = entry(TOURNAMENT, buy_in, journal(1)), refund(TOURNAMENT, buy_in, journal(2))
    assert (paid.others, paid.amount) == (back.others, buy_in.price)
    assert (paid.kind, back.kind, paid.tournament_id) == ("entry", "refund", TOURNAMENT)


def credited(payment: Payment):
    [event] = give(Wallet(payment.player_id, payment.currency), payment.booking)
    return event


# dissolved


def test_a_cancellation_after_the_start_puts_the_buy_ins_back_and_gives_the_house_its_overlay():
    t = started(guarantee=5001)
    dissolved, cancelled = cancel(t, "no light", 0)
    assert dissolved == PoolDissolved(tournament_id=TOURNAMENT, buy_ins=4000, overlay=1001, currency="EUR")
    assert isinstance(cancelled, Cancelled)
    assert fold(AGGREGATE, [dissolved, cancelled], t).pool is None


def test_before_the_start_there_is_nothing_to_dissolve():
    assert [type(event) for event in cancel(opened(), "no light", 3)] == [Cancelled]
