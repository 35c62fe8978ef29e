"""A table's coming deals are committed to before anybody knows who sits there: nobody can choose among seeds."""

import hashlib

import pytest
from msgspec.structs import replace

from domain.coming_deals import HANDS_A_ROOT, first_under_root, implied_root, inclusion, root_from
from domain.deal import commitment, hand_seed
from domain.hand_events import ProvenCommitted, ProvenRingCommitted
from domain.ids import hand_id, table_id
from domain.ring_events import RingDealsCommitted, RingHandBegun, RingOpened
from domain.ring_hands import begin as begin_at_ring
from domain.ring_hands import is_rooted as is_rooted_at_ring
from domain.ring_hands import next_deal as next_ring_deal
from domain.table import TABLE, begin, commit_next_deals, next_deal
from domain.table_events import NextDealsCommitted
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import commit_deals, is_rooted, publish, start
from domain.tournament_events import DealsCommitted, LateSeated, Started, TablesDrawn
from tests.big2.play import PRESETS
from tests.domain import given as g
from tests.domain import ringed
from tests.domain.given import (
    ACTIONPOKER,
    DRAW_SEED,
    MASTER,
    NOW,
    TOURNAMENT,
    fold,
    given,
    opened,
    players,
    terms,
)
from tests.domain.latecomers import Latecomers
from tests.domain.test_hand import deals

NAMES = (MASTER, str(TOURNAMENT), g.TABLE)


def test_64_hands_stand_under_a_root():
    assert HANDS_A_ROOT == 64
    assert [first_under_root(n) for n in (1, 2, 64, 65, 128, 129)] == [1, 1, 1, 65, 65, 129]


def leaf_by_hand(number):
    hand = str(hand_id(g.TABLE, number))
    committed = bytes.fromhex(commitment(hand_seed(MASTER, hand), str(TOURNAMENT), hand))
    return hashlib.sha256(b"\0b2deal/1/leaf\0" + number.to_bytes(4, "big") + committed).digest()


@pytest.mark.parametrize("first", [1, 65])
def test_a_root_is_the_tree_over_the_numbers_and_commitments_of_its_hands(first):
    level = [leaf_by_hand(number) for number in range(first, first + 64)]
    while len(level) > 1:
        level = [hashlib.sha256(b"\1" + a + b).digest() for a, b in zip(level[::2], level[1::2], strict=True)]
    assert root_from(*NAMES, first) == level[0].hex()


def committed(number):
    hand = str(hand_id(g.TABLE, number))
    return commitment(hand_seed(MASTER, hand), str(TOURNAMENT), hand)


@pytest.mark.parametrize("number", [1, 2, 33, 64, 65, 100, 128])
def test_each_hand_has_a_path_to_its_root_and_to_no_other(number):
    proof = inclusion(*NAMES, number)
    assert len(proof.path) == 6
    first = first_under_root(number)
    root = root_from(*NAMES, first)
    assert implied_root(number, committed(number), proof.first_hand, proof.path) == root
    assert implied_root(number, committed(number + 1), proof.first_hand, proof.path) != root
    assert implied_root(number, committed(number), first + 64, proof.path) is None
    assert implied_root(number, committed(number), first, proof.path[1:]) is None
    assert implied_root(number, committed(number), first, (*proof.path[:5], "no hash")) is None


def test_a_root_depends_on_the_master_the_tournament_and_the_table():
    others = {root_from(*NAMES, 1), root_from(DRAW_SEED, *NAMES[1:], 1), root_from(MASTER, "x", g.TABLE, 1)}
    assert len(others | {root_from(*NAMES[:2], table_id(TOURNAMENT, 2), 1), root_from(*NAMES, 65)}) == 5


# in a tournament


def published(**others):
    return given(AGGREGATE, *publish(TOURNAMENT, terms(**others), MASTER, DRAW_SEED))


@pytest.mark.parametrize(
    ("entrants", "others", "tables"),
    [(4, {}, [1]), (5, {}, [1, 2, 3]), (64, {}, [*range(1, 18)]), (4, {"late_entry_levels": 1}, [1, 2])],
)
def test_the_start_commits_to_the_tables_to_be_drawn_and_to_one_that_may_follow(entrants, others, tables):
    t = published(**others)
    roots = next(e for e in start(t, players(entrants), NOW) if isinstance(e, DealsCommitted)).roots
    assert [root.number for root in roots] == tables
    assert all(root.table_id == table_id(TOURNAMENT, root.number) for root in roots)
    assert all(root.root == root_from(MASTER, str(TOURNAMENT), root.table_id, 1) for root in roots)


def test_where_the_cards_are_real_nothing_is_committed_to():
    assert [type(e) for e in start(published(recorded=True), players(4), NOW)] == [Started]


def test_with_late_entry_the_root_of_the_next_table_always_stands_before_anybody_sits_there():
    structure = terms(late_entry_levels=2, stack_points=20, hands_per_level=2, seats_per_table=3)
    lived = Latecomers(structure, 6, eager=0.2, seed=4).play_on()
    rooted, seated = set(), set()
    for _, event in lived.log:
        match event:
            case DealsCommitted():
                rooted |= {root.number for root in event.roots}
                assert not rooted & seated or min(root.number for root in event.roots) > max(seated)
            case TablesDrawn():
                seated |= {table.number for table in event.tables}
            case LateSeated():
                seated.add(event.number)
        assert seated <= rooted
    assert len(lived.events(DealsCommitted)) > 1
    assert all(isinstance(event, ProvenCommitted) for event in lived.events(ProvenCommitted.__base__))


def test_a_tournament_that_began_without_roots_goes_on_without():
    t = given(
        AGGREGATE,
        *publish(TOURNAMENT, terms(), MASTER, DRAW_SEED),
        Started(entrants=players(4), level_ends_at=None),
    )
    table = given(TABLE, opened(50, 50))
    assert not is_rooted(t, table, 1)
    assert is_rooted(fold(AGGREGATE, [commit_deals(t, [1])], t), table, 1)


def at_hand(number):
    """A table that has begun so many hands less one, and the terms of the next."""
    table = replace(given(TABLE, opened(50, 50)), hands_begun=number - 1)
    return table, next_deal(table, ACTIONPOKER, 1, 1)


@pytest.mark.parametrize(("number", "first"), [(64, 65), (128, 129)])
def test_the_next_root_stands_with_the_last_hand_under_the_one_before(number, first):
    table, deal = at_hand(number)
    [event] = commit_next_deals(table, deal, MASTER)
    assert event == NextDealsCommitted(first_hand=first, root=root_from(*NAMES, first))
    after = fold(TABLE, [*begin(deal), event], table)
    assert after.first_rooted == first
    t = published()
    assert is_rooted(t, after, number + 1)
    assert is_rooted(t, after, number + 64)
    assert not is_rooted(t, after, number + 65)


@pytest.mark.parametrize("number", [1, 63, 65])
def test_with_any_other_hand_there_is_none(number):
    assert commit_next_deals(*at_hand(number), MASTER) == []


def test_a_rooted_hand_tells_its_path_and_deals_as_it_would_without():
    table = given(TABLE, opened(50, 50))
    plain, rooted = deals(table), deals(table, rooted=True)
    proof = inclusion(*NAMES, 1)
    assert isinstance(rooted[0], ProvenCommitted)
    assert (rooted[0].first_hand, rooted[0].path) == (1, proof.path)
    assert rooted[0].commitment == plain[0].commitment
    assert rooted[1] == plain[1]


# at a ring table


def test_a_ring_table_commits_to_its_first_hands_before_anybody_sits_down():
    opening, root = ringed.opened()
    assert isinstance(opening, RingOpened)
    assert root == RingDealsCommitted(first_hand=1, root=ring_root(opening.master, 1))


def ring_root(master, first):
    return root_from(master, str(ringed.RING_TABLE), ringed.RING_TABLE, first)


def test_a_hand_at_a_ring_table_tells_its_path():
    ring = ringed.seated(9000, 9000)
    after, hand = ringed.dealt(ring)
    assert isinstance(hand.proof, ProvenRingCommitted)
    assert implied_root(1, hand.commitment, hand.proof.first_hand, hand.proof.path) == ring_root(
        ring.master, 1
    )
    assert after.hand_id == hand.hand_id


def test_at_a_ring_table_too_the_next_root_stands_with_the_last_hand_before_it():
    ring = replace(ringed.seated(9000, 9000), hands_begun=63)
    deal = next_ring_deal(ring, PRESETS[ring.rules])
    begun, root = begin_at_ring(ring, deal)
    assert isinstance(begun, RingHandBegun)
    assert root == RingDealsCommitted(first_hand=65, root=ring_root(ring.master, 65))
    after = ringed.folded([begun, root], ring)
    assert is_rooted_at_ring(after, 65)
    assert not is_rooted_at_ring(after, 129)


def test_a_ring_table_opened_before_there_were_roots_deals_on_without():
    ring = replace(ringed.seated(9000, 9000), first_rooted=None)
    _, hand = ringed.dealt(ring)
    assert hand.proof is None
    assert hand.commitment
