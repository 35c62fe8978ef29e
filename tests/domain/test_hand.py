"""A hand: committed, dealt, played, settled, final, or voided; and what its table records of it."""

import pytest

from big2.actions import PassReason
from big2.cards import cards_text, parse_cards
from big2.errors import IllegalPlay
from big2.rulesets import ruleset_to_mapping
from big2.table import Direction, deal_order
from domain.connection import Connection
from domain.deal import commitment, hand_seed, shuffled_deck
from domain.deal import dealt as dealt_cards
from domain.dealing import deal
from domain.errors import Conflicting, NotAllowed
from domain.hand import HAND, State, ended, evolve, finalise, pass_turn, play, void
from domain.hand_events import (
    CardsPlayed,
    Committed,
    ConnectedDealt,
    Finalised,
    Passed,
    SeatDealt,
    Settled,
    Timing,
    Transfer,
    Turn,
    Voided,
)
from domain.ids import hand_id
from domain.table import TABLE, Closed, HandEnded, begin, next_deal
from tests.big2.play import cards, rules
from tests.domain import given as g
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    ERIN,
    MASTER,
    NOW,
    PLAYERS,
    TOURNAMENT,
    dealt,
    fold,
    given,
    later,
    opened,
    refused,
)

TIMING = Timing(30, 3, 0)
THREE = {1: "3D 9C JS", 2: "4D TC QS", 3: "5D 6C KS"}


def deals(
    table, rule_set=ACTIONPOKER, level=1, unit=1, timing=TIMING, master=MASTER, *, connections=None, **others
):
    return deal(
        table,
        next_deal(table, rule_set, level, unit),
        rule_set,
        master=master,
        structure_hash="f00d",
        timing=timing,
        connections=connections or {},
        now=NOW,
        **{"rooted": False} | others,
    )


def played(hand, *moves, now=NOW):
    """`hand` after the moves of whoever is on turn: cards, or `pass`."""
    for move in moves:
        player = PLAYERS[hand.game.turn - 1]
        turn = hand.game.turn_number
        events = (
            pass_turn(hand, player, turn, now)
            if move == "pass"
            else play(hand, player, turn, cards(move), now)
        )
        hand = fold(HAND, events, hand)
    return hand


# the deal


@pytest.mark.parametrize("stacks", [(50, 40), (50, 40, 30), (50, 40, 30, 20)])
def test_the_commitment_comes_first_and_the_deal_follows_from_its_seed(stacks):
    table = given(TABLE, opened(*stacks, first_dealer=2))
    committed, event = deals(table, level=2, unit=4)
    names = (str(TOURNAMENT), str(g.HAND))
    seed = hand_seed(MASTER, names[1])
    assert committed == Committed(
        hand_id=g.HAND,
        table_id=g.TABLE,
        tournament_id=TOURNAMENT,
        number=1,
        commitment=commitment(seed, *names),
        seed=seed,
    )
    seats = range(1, len(stacks) + 1)
    order = deal_order(2, seats, Direction.CLOCKWISE)
    holdings, stub = dealt_cards(shuffled_deck(seed, *names), order)
    assert event.cards == {seat: cards_text(holdings[seat]) for seat in seats}
    assert event.stub == cards_text(stub)
    assert event.seats == tuple(SeatDealt(seat, PLAYERS[seat - 1], stacks[seat - 1]) for seat in seats)
    assert (event.rules, event.ruleset) == ("actionpoker", ruleset_to_mapping(ACTIONPOKER))
    assert (event.structure_hash, event.level, event.unit) == ("f00d", 2, 4)
    assert (event.dealer, event.direction, event.leader) == (2, Direction.CLOCKWISE, None)
    assert event.timing == TIMING


def test_a_deal_tells_how_each_seat_is_connected_at_that_moment_r11_1():
    table = given(TABLE, opened(50, 50, 50))
    known = {PLAYERS[0]: Connection.FAIR, PLAYERS[1]: Connection.POOR, PLAYERS[5]: Connection.GOOD}
    _, event = deals(table, connections=known)
    assert event.connections == {1: Connection.FAIR, 2: Connection.POOR, 3: Connection.NOT_CONNECTED}


def test_who_is_not_connected_is_dealt_in_like_everybody_r11_1():
    table = given(TABLE, opened(50, 50))
    known = dict.fromkeys(PLAYERS, Connection.GOOD)
    assert deals(table)[1].cards == deals(table, connections=known)[1].cards


def test_all_the_cards_dealt_and_the_stub_are_one_pack():
    _, event = deals(given(TABLE, opened(50, 50, 50)))
    every = " ".join([*event.cards.values(), event.stub])
    assert len(every.split()) == len(set(every.split())) == 52


def test_cards_are_written_in_the_rule_sets_order():
    _, event = deals(given(TABLE, opened(50, 50, 50, 50)), rules(suits="SHCD"))
    for text in event.cards.values():
        assert text == cards_text(parse_cards(text), "SHCD")
    assert any(text != cards_text(parse_cards(text)) for text in event.cards.values())


def test_whoever_was_dealt_the_lowest_card_has_the_first_turn():
    committed, event = deals(given(TABLE, opened(50, 50, 50, 50)))
    holder = next(seat for seat, text in event.cards.items() if "3D" in text)
    assert event.next_turn == Turn(1, holder, later(30))
    hand = given(HAND, committed, event)
    assert (hand.game.turn, hand.deadline, hand.state) == (holder, later(30), State.RUNNING)


def test_a_second_deal_of_the_same_hand_is_the_same_hand():
    table = given(TABLE, opened(50, 50, 50, 50))
    assert deals(table) == deals(table)


def test_the_next_hands_deal_turns_with_the_button_and_the_direction():
    table = given(TABLE, opened(50, 50, 50, 50))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    table = TABLE.evolve(table, g.hand_ended(table, winner=3))
    committed, event = deals(table)
    assert (committed.hand_id, committed.number) == (hand_id(g.TABLE, 2), 2)
    assert (event.dealer, event.direction, event.leader) == (2, Direction.COUNTERCLOCKWISE, 3)
    assert event.next_turn.seat == 3
    deck = shuffled_deck(committed.seed, str(TOURNAMENT), str(committed.hand_id))
    holdings, _ = dealt_cards(deck, (1, 4, 3, 2))
    assert event.cards == {seat: cards_text(holdings[seat]) for seat in (1, 2, 3, 4)}


DRAGON_TABLE = 128  # one hand in about 2,500 deals 13 ranks to a seat


def dragon_deal(protest_seconds=0):
    rule_set = rules(dragon=True)
    table = given(TABLE, opened(50, 50, 50, 50, number=DRAGON_TABLE))
    return deals(table, rule_set, timing=Timing(30, 3, protest_seconds))


def test_a_dragon_ends_the_hand_with_the_deal():
    _, event, settled, finalised = dragon_deal()
    (winner,) = [s for s, text in event.cards.items() if len({c[0] for c in text.split()}) == 13]
    assert event.next_turn is None
    assert settled.winner == winner
    assert settled.cards_left == {seat: 0 if seat == winner else 13 for seat in (1, 2, 3, 4)}
    assert isinstance(finalised, Finalised)
    hand = given(HAND, *dragon_deal())
    assert (hand.state, hand.game.turn, hand.deadline) == (State.FINAL, None, None)


def test_a_dragon_can_be_protested_against():
    assert [type(e) for e in dragon_deal(protest_seconds=60)] == [Committed, ConnectedDealt, Settled]


# who may act


def test_only_who_was_dealt_in_acts():
    hand = given(HAND, *dealt(THREE))
    for stranger in (DAVE, ERIN):
        with refused(NotAllowed, "forbidden"):
            play(hand, stranger, 1, cards("3D"), NOW)
        with refused(NotAllowed, "forbidden"):
            pass_turn(hand, stranger, 1, NOW)


def test_a_stranger_learns_nothing_more_of_a_hand_that_is_over():
    with refused(NotAllowed, "forbidden"):
        play(given(HAND, *dealt(THREE), Voided(reason="x")), DAVE, 1, cards("3D"), NOW)


def test_nobody_acts_out_of_turn():
    hand = given(HAND, *dealt(THREE))
    with refused(Conflicting, "not-your-turn"):
        play(hand, BOB, 1, cards("4D"), NOW)
    with refused(Conflicting, "not-your-turn"):
        pass_turn(hand, CAROL, 1, NOW)


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_nobody_acts_on_a_turn_that_does_not_run(turn):
    hand = played(given(HAND, *dealt(THREE)), "3D")
    with refused(Conflicting, "stale-turn"):
        play(hand, BOB, turn, cards("4D"), NOW)
    with refused(Conflicting, "stale-turn"):
        play(hand, CAROL, turn, cards("5D"), NOW)


@pytest.mark.parametrize(
    "end",
    [[Voided(reason="x")], [Voided(reason="x"), Finalised(seed=b"")]],
    ids=["voided", "voided and final"],
)
def test_nobody_acts_once_a_hand_is_voided(end):
    with refused(Conflicting, "hand-closed"):
        play(given(HAND, *dealt(THREE), *end), ALICE, 1, cards("3D"), NOW)


@pytest.mark.parametrize("protest_seconds", [0, 60])
def test_nobody_acts_once_a_hand_is_settled(protest_seconds):
    hand = played(given(HAND, *dealt({1: "3D", 2: "4D 5D"}, protest_seconds=protest_seconds)), "3D")
    with refused(Conflicting, "hand-closed"):
        play(hand, BOB, 2, cards("4D"), NOW)
    with refused(Conflicting, "hand-closed"):
        pass_turn(hand, ALICE, 1, NOW)


@pytest.mark.parametrize(
    ("moves", "move", "clause", "code"),
    [
        ((), "9C", "R5.2", "must-include-lowest"),
        ((), "pass", "R4.1", "leader-cannot-pass"),
        (("3D",), "5D", "R2.1", "card-not-held"),
        (("3D",), "4D 4D", "R2.1", "duplicate-card"),
        (("3D",), "4D TC", "R3.1", "not-a-card-set"),
        (("3D", "TC"), "5D", "R4.1", "does-not-beat"),
    ],
)
def test_a_play_against_the_rules_names_its_clause(moves, move, clause, code):
    hand = played(given(HAND, *dealt(THREE)), *moves)
    with pytest.raises(IllegalPlay) as caught:
        played(hand, move)
    assert (caught.value.clause, caught.value.code) == (clause, code)


def test_a_refused_play_leaves_the_hand_as_it_was():
    hand = given(HAND, *dealt(THREE))
    before = hand
    with pytest.raises(IllegalPlay):
        played(hand, "9C")
    assert hand == before == given(HAND, *dealt(THREE))


# plays and passes


def test_a_play_is_recorded_with_the_turn_that_follows():
    hand = given(HAND, *dealt(THREE))
    assert play(hand, ALICE, 1, cards("3D"), later(5)) == [
        CardsPlayed(turn=1, seat=1, cards="3D", by="player", breach=False, next_turn=Turn(2, 2, later(35)))
    ]


def test_a_pass_is_recorded_with_the_turn_that_follows():
    hand = played(given(HAND, *dealt(THREE)), "3D")
    assert pass_turn(hand, BOB, 2, later(5)) == [
        Passed(turn=2, seat=2, reason=PassReason.PLAYER, breach=False, next_turn=Turn(3, 3, later(35)))
    ]


def test_cards_are_stored_low_to_high_however_they_were_sent():
    hand = given(HAND, *dealt({1: "3D 3S 9C", 2: "4D 4C 5C"}))
    (event,) = play(hand, ALICE, 1, cards("3S 3D"), NOW)
    assert event.cards == "3D 3S"


def test_a_two_of_spades_makes_all_others_pass_in_the_same_breath():
    hand = given(HAND, *dealt({1: "3D 2S", 2: "4D 5C", 3: "6D 7C"}, leader=1))
    events = play(hand, ALICE, 1, cards("2S"), NOW)
    assert [(e.seat, e.next_turn) for e in events] == [(1, None), (2, None), (3, Turn(2, 1, later(30)))]
    assert [(e.turn, e.reason) for e in events[1:]] == [(None, PassReason.TWO_OF_SPADES)] * 2
    hand = fold(HAND, events, hand)
    assert (hand.game.turn, hand.game.to_beat, hand.game.turn_number) == (1, None, 2)


def test_too_few_cards_make_a_player_pass_by_rule_and_not_by_himself():
    hand = given(HAND, *dealt({1: "3D 3C 9C", 2: "4D", 3: "6D 6C 7C"}))
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D 3C"), NOW), hand)
    assert hand.game.turn == 3
    assert (hand.acted, hand.clocked) == (frozenset({1}), frozenset())


def test_an_automatic_pass_is_no_turn():
    hand = given(HAND, *dealt({1: "3D 3C 9C", 2: "4D", 3: "6D 6C 7C"}))
    played_event, passed = play(hand, ALICE, 1, cards("3D 3C"), NOW)
    assert played_event.next_turn is None
    assert passed.next_turn == Turn(2, 3, later(30))


def test_a_breach_is_allowed_and_marked():
    hand = given(HAND, *dealt({1: "3D 9C", 2: "4D 9D TC", 3: "5D"}))
    hand = played(hand, "3D")
    (event,) = play(hand, BOB, 2, cards("9D"), NOW)
    assert event.breach
    (event,) = pass_turn(hand, BOB, 2, NOW)
    assert event.breach
    (event,) = play(hand, BOB, 2, cards("TC"), NOW)
    assert not event.breach


# the end


def test_the_last_card_settles_the_hand():
    hand = given(HAND, *dealt({1: "3D", 2: "4D TC QS", 3: "6C KS"}, unit=10))
    played_event, settled, finalised = play(hand, ALICE, 1, cards("3D"), NOW)
    assert played_event.next_turn is None
    assert settled == Settled(
        winner=1,
        cards_left={1: 0, 2: 3, 3: 2},
        liable=None,
        transfers=(
            Transfer(2, 1, 3, 30, 30, False),
            Transfer(3, 1, 2, 20, 20, False),
            Transfer(2, 3, 1, 10, 10, False),
        ),
        net={1: 50, 2: -40, 3: -10},
    )
    assert finalised == Finalised(seed=hand.seed)


def test_with_a_protest_window_the_seed_waits():
    hand = given(HAND, *dealt({1: "3D", 2: "4D 5D"}, protest_seconds=60))
    events = play(hand, ALICE, 1, cards("3D"), NOW)
    assert [type(e) for e in events] == [CardsPlayed, Settled]
    settled = fold(HAND, events, hand)
    assert settled.state is State.SETTLED
    assert finalise(settled) == [Finalised(seed=hand.seed)]
    assert fold(HAND, finalise(settled), settled).state is State.FINAL


def test_only_a_settled_hand_becomes_final_and_only_once():
    hand = given(HAND, *dealt({1: "3D", 2: "4D 5D"}))
    assert finalise(hand) == []
    assert finalise(played(hand, "3D")) == []
    assert finalise(fold(HAND, void(hand, "x"), hand)) == []


def test_the_revealed_seed_opens_the_commitment():
    hand = played(given(HAND, *dealt({1: "3D", 2: "4D 5D"})), "3D")
    assert commitment(hand.seed, str(TOURNAMENT), str(g.HAND)) == hand.commitment


def test_who_let_the_next_player_go_out_pays_for_all():
    hand = given(HAND, *dealt({1: "3D 9C 9S", 2: "4D 9D", 3: "KD"}))
    hand = played(hand, "3D", "4D", "KD")
    assert hand.settlement.liable == 2
    assert hand.settlement.net == {1: 0, 2: -3, 3: 3}
    assert hand.settlement.transfers == (
        Transfer(1, 3, 2, 2, 2, False),
        Transfer(2, 3, 1, 1, 1, False),
        Transfer(2, 1, None, 2, 2, True),
    )


def test_table_stakes_cut_what_is_paid():
    hand = given(HAND, *dealt({1: "3D", 2: "4D TC QS"}, stacks=(9, 2, 0, 0), unit=1))
    hand = played(hand, "3D")
    assert [(t.due, t.paid) for t in hand.settlement.transfers] == [(3, 2)]
    assert hand.settlement.net == {1: 2, 2: -2}


# voiding


def test_a_voided_hand_has_no_result_and_reveals_its_seed():
    hand = played(given(HAND, *dealt(THREE)), "3D")
    assert void(hand, "a card fell") == [Voided(reason="a card fell"), Finalised(seed=hand.seed)]
    voided = fold(HAND, void(hand, "a card fell"), hand)
    assert (voided.state, voided.settlement, voided.deadline) == (State.VOIDED, None, None)


def test_what_is_over_is_not_voided():
    hand = given(HAND, *dealt({1: "3D", 2: "4D 5D"}))
    assert void(played(hand, "3D"), "x") == []
    assert void(fold(HAND, void(hand, "x"), hand), "x") == []


# what the table records


def at_table(hand, *stacks):
    table = given(TABLE, opened(*stacks))
    return fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)


def test_a_running_hand_has_not_ended():
    hand = given(HAND, *dealt(THREE))
    assert ended(hand, at_table(hand, 100, 100, 100), NOW) == []


def test_the_table_records_the_hands_result():
    hand = played(
        given(HAND, *dealt({1: "3D", 2: "4D TC QS", 3: "6C KS"}, stacks=(100, 3, 50, 0), unit=2)), "3D"
    )
    (event,) = ended(hand, at_table(hand, 100, 3, 50), NOW)
    assert event == HandEnded(
        hand_id=g.HAND,
        number=1,
        winner=1,
        net={1: 7, 2: -3, 3: -4},
        points={1: 5, 2: -4, 3: -1},
        stacks={1: 107, 2: 0, 3: 46},
        acted=(1,),
        absent=(),
        deal_at=later(3),
    )


def test_a_voided_hand_ends_without_a_winner_and_nobody_pays():
    hand = given(HAND, *dealt(THREE))
    hand = fold(HAND, void(hand, "x"), hand)
    (event,) = ended(hand, at_table(hand, 100, 100, 100), NOW)
    assert (event.winner, event.net, event.points) == (None, {1: 0, 2: 0, 3: 0}, {1: 0, 2: 0, 3: 0})
    assert event.stacks == {1: 100, 2: 100, 3: 100}


def test_a_hand_ends_at_its_table_once():
    hand = played(given(HAND, *dealt({1: "3D", 2: "4D 5D"})), "3D")
    table = at_table(hand, 100, 100)
    after = fold(TABLE, ended(hand, table, NOW), table)
    assert ended(hand, after, NOW) == []
    assert ended(hand, given(TABLE, opened(100, 100)), NOW) == []


def test_points_are_as_due_and_sum_to_nothing_even_with_a_liable_seat():
    hand = given(HAND, *dealt({1: "3D 9C 9S", 2: "4D 9D", 3: "KD"}, unit=7, stacks=(10, 10, 100, 0)))
    hand = played(hand, "3D", "4D", "KD")
    (event,) = ended(hand, at_table(hand, 100, 10, 100), NOW)
    assert sum(event.points.values()) == 0
    assert sum(event.net.values()) == 0


# the state


def test_a_hand_knows_who_was_dealt_in():
    hand = given(HAND, *dealt(THREE))
    assert [hand.seat_of(player) for player in (ALICE, CAROL, DAVE, None)] == [1, 3, None, None]


def test_a_commitment_alone_is_no_hand_to_play():
    committed, _ = dealt(THREE)
    hand = given(HAND, committed)
    with refused(Conflicting, "hand-not-dealt"):
        _ = hand.game
    with pytest.raises(AssertionError):
        _ = hand.terms


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(given(HAND, *dealt(THREE)), Closed())


def test_the_rules_come_from_the_deal_and_not_from_todays_presets():
    events = dealt(THREE, switches={"opening_play": "any_set"})
    hand = played(given(HAND, *events), "9C")
    assert hand.game.holdings[1].bit_count() == 2


def test_a_play_on_record_that_is_no_card_set_fails_loudly():
    hand = given(HAND, *dealt({1: "3D 4D 9C", 2: "5D 6D 7D"}))
    broken = CardsPlayed(turn=1, seat=1, cards="3D 4D", by="player", breach=False, next_turn=None)
    with pytest.raises(AssertionError, match="no card set"):
        evolve(hand, broken)
