"""What a decision was taken on is decided again from the hand: legal plays, duty, deadline, and who decided."""

import hashlib

from big2.cards import mask_text
from big2.hand import Duty, may_pass, options
from domain.decisions import Decision, decision, legal
from domain.hand import HAND, act_for_absent, pass_turn, play
from domain.hand_events import CardsPlayed, Passed
from tests.big2.play import cards
from tests.domain.given import ALICE, BOB, NOW, dealt, fold, given, later

THREE = {1: "3D 9C JS", 2: "4D TC QS", 3: "5D 6C KS"}


def decisions(hand, events):
    """Each action's decision, and the hand after them."""
    found = []
    for event in events:
        if isinstance(event, CardsPlayed | Passed):
            found.append(decision(hand, event))
        hand = fold(HAND, [event], hand)
    return found, hand


def test_a_players_decision_has_his_legal_plays_and_his_deadline():
    hand = given(HAND, *dealt(THREE))
    [found], _ = decisions(hand, play(hand, ALICE, 1, cards("3D"), NOW))
    assert (found.turn, found.seat, found.by, found.breach) == (1, 1, "player", False)
    assert found.deadline == later(30)
    assert found.duty is None
    assert (found.legal.plays, found.legal.may_pass) == (1, False)  # R5.2: the lowest card is in it
    assert found.legal.digest == hashlib.sha256(b'[["3D",false]]').hexdigest()


def test_a_pass_is_a_decision_too():
    hand = given(HAND, *dealt(THREE))
    hand = fold(HAND, play(hand, ALICE, 1, cards("3D"), NOW), hand)
    [found], _ = decisions(hand, pass_turn(hand, BOB, 2, later(1)))
    assert (found.by, found.legal.plays, found.legal.may_pass) == ("player", 3, True)
    assert found.legal.digest == hashlib.sha256(b'[["4D",false],["QS",false],["TC",false]]').hexdigest()


def test_the_clocks_decision_is_the_clocks():
    hand = given(HAND, *dealt(THREE))
    [led], hand = decisions(hand, act_for_absent(hand, 1, later(30)))
    [passed], _ = decisions(hand, act_for_absent(hand, 2, later(60)))
    assert (led.by, passed.by) == ("clock", "clock")
    assert (led.deadline, passed.deadline) == (later(30), later(60))


def test_an_automatic_pass_took_no_turn():
    hand = given(HAND, *dealt({1: "3D 2S 4C", 2: "4D TC QS"}, leader=1))
    [_, found], _ = decisions(hand, play(hand, ALICE, 1, cards("2S"), NOW))
    assert found == Decision(None, 2, "rule", None, None, None, False)


def test_an_assistants_duty_and_his_breach_are_told():
    """R7.2: he must play a set of more than one card; R7.3: doing otherwise is a breach, and allowed."""
    hand = given(HAND, *dealt({1: "3D 3C 9C", 2: "4D", 3: "5D 6C KS"}, leader=1))
    [found], _ = decisions(hand, play(hand, ALICE, 1, cards("9C"), NOW))
    assert (found.duty, found.breach) == (Duty.MULTI_CARD, True)
    listed = b'[["3C",true],["3D",true],["3D 3C",false],["9C",true]]'
    assert found.legal.digest == hashlib.sha256(listed).hexdigest()


def test_legal_plays_are_those_that_the_rules_offer():
    game = given(HAND, *dealt(THREE)).game
    told = legal(game)
    offered = [mask_text(option.mask, game.rules.suits) for option, _ in options(game)]
    assert (told.plays, told.may_pass) == (len(offered), may_pass(game))
