"""Who is out is back by a ruling: with which chips, at which seat, for which place."""

from collections import Counter
from functools import cache
from uuid import UUID

import pytest

from domain.credential import Role
from domain.dispute_events import Person, PlayerRuled
from domain.errors import Conflicting, Refused
from domain.hand import HAND
from domain.hand_events import Settled
from domain.ids import hand_id
from domain.journal import ISSUED, VOID
from domain.ledger import Where, journals
from domain.roster import Roster
from domain.table_events import HandBegun, Opened, Seated
from domain.tournament import State, cancel, commit_deals
from domain.tournament_events import (
    Finished,
    LateSeated,
    Placed,
    PlayerReinstated,
    RulingLapsed,
)
from domain.tournament_rulings import follows, must_be_possible, must_fit
from tests.domain.given import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    TABLE,
    TOURNAMENT,
    dealt,
    given,
    players,
    refused,
    terms,
)
from tests.domain.memory import Memory
from tests.domain.test_director import Hall, at_table, place, told

DIRECTOR = Person(UUID(int=1), Role.DIRECTOR, None)
TINY = {"stack_points": 8, "hands_per_level": 2, "unit": 3}
SETTINGS = {
    "4 at a full table": (4, TINY, {}),
    "5 with absent players": (5, TINY | {"no_show_hands": 1}, {"absent": 3}),
    "7 of threes, a late director": (7, TINY | {"seats_per_table": 3}, {"patience": 40}),
    "12": (12, TINY, {}),
    "16 by a late director": (16, TINY, {"patience": 60}),
}
SEEDS = range(3)


def reinstate(hand, player, chips):
    """The ruling on a hand that he was dealt in."""
    return PlayerRuled(
        number=1,
        ruling="reinstate",
        by=DIRECTOR,
        reason="so",
        result=None,
        seat=hand.seat_of(player),
        chips=chips,
    )


class Pardoned(Memory):
    """Now and then somebody who is out is reinstated, in the hand in which he went out or the last that he was in."""

    pardons = 8

    def step(self) -> None:
        if self.tournament.outs and self.pardons and self.random.random() < 0.02:
            self.pardons -= 1
            self.pardon(self.random.choice(self.tournament.outs).player_id)
        super().step()

    def pardon(self, player) -> None:
        hand = [h for h in self.hands.values() if h.seat_of(player) is not None][-1]
        most = self.tournament.entry_count * self.tournament.structure.stack
        made = follows(
            self.tournament, Roster(), hand, reinstate(hand, player, self.random.randint(1, most // 2))
        )
        self.record({TOURNAMENT: made.tournament})


@cache
def course(name, seed):
    entrants, structure, others = SETTINGS[name]
    return Pardoned(terms(**structure), entrants, seed=seed, **others).play_on()


@pytest.fixture(params=[(name, seed) for name in SETTINGS for seed in SEEDS], ids=str)
def played(request):
    return course(*request.param)


def test_the_tournaments_have_seen_everything_that_is_tested_below():
    everything = [event for name in SETTINGS for seed in SEEDS for _, event in course(name, seed).log]
    back = [event for event in everything if isinstance(event, LateSeated)]
    assert len(back) > len(SEEDS)
    assert any(event.opens for event in back)
    assert any(event.from_void for event in back)
    assert any(event.from_void < event.place.stack for event in back)


def test_every_tournament_ends_with_everybody_placed_by_when_he_went_out_for_the_last_time(played):
    (finished,) = played.events(Finished)
    assert Counter(s.player_id for s in finished.standings) == Counter(
        players(played.tournament.entrant_count)
    )
    gone = {}
    for _, event in played.log:
        if isinstance(event, PlayerReinstated):
            del gone[event.player_id]
        elif isinstance(event, Placed):
            gone[event.player_id] = event.no_show
    winner = finished.standings[0].player_id
    assert winner not in gone
    ranks = [s.player_id for s in finished.standings[1:]]
    for shows in (False, True):
        order = [player for player in reversed(gone) if gone[player] is shows]
        tied = {s.player_id for s in finished.standings if s.tied}
        found = [player for player in ranks if player in order]
        assert [p for p in found if p not in tied] == [p for p in order if p not in tied]


def test_the_books_give_everybody_what_he_has_and_never_more_than_the_void_holds(played):
    accounts = Counter()
    for number, (stream, event) in enumerate(played.log, 1):
        seats = {}
        if isinstance(event, Settled):
            seats = {s.seat: s.player_id for s in played.hands[stream].terms.seats}
        where = Where(stream=stream, version=number, tournament_id=TOURNAMENT, hand_id=stream, seats=seats)
        for journal in journals(event, where):
            accounts.update({line.account: 0 for line in journal.lines})
            for line in journal.lines:
                accounts[line.account] += line.amount
        assert accounts[VOID] >= 0
    assert accounts[VOID] == played.tournament.void
    assert sum(accounts.values()) == 0
    winner = played.events(Finished)[0].standings[0].player_id
    assert accounts[f"player/{winner}"] == -accounts[ISSUED] - accounts[VOID]
    assert [a for a, amount in accounts.items() if amount and a.startswith("player/")] == [f"player/{winner}"]


def test_nobody_sits_twice_and_every_table_that_is_dealt_stands_under_a_root(played):
    numbers = {event.table_id: event.number for event in played.events(Opened)}
    for stream, event in played.log:
        if isinstance(event, HandBegun):
            assert numbers[stream] <= played.tournament.rooted_tables
    assert max(played.spreads) <= 1
    assert [c.player_id for c in played.tournament.coming] == []


# one by one


def hand():
    """ALICE, BOB, CAROL and DAVE were dealt in, at the seats from 1 on."""
    return given(HAND, *dealt({1: "3D", 2: "4D", 3: "5D", 4: "6D"}))


def out(player, stack=10, no_show=False):
    return Placed(
        player_id=player,
        table_id=TABLE,
        hand_id=None if no_show else hand_id(TABLE, 1),
        stack=stack,
        no_show=no_show,
        hand_for_hand=None,
        place=4,
    )


def back(t, player=DAVE, chips=30):
    return follows(t, Roster(), hand(), reinstate(hand(), player, chips)).tournament


THREE = [place(1, ALICE, 60), place(2, BOB, 60), place(3, CAROL, 80)]


def hall(*more, gone=None):
    """Four players at a table, of whom the last is out."""
    its = Hall([*THREE, place(4, DAVE)])
    its.tables[1] = Hall(THREE).tables[1]
    return its.happened(gone or out(DAVE), *more)


def test_he_is_in_play_again_and_the_places_of_the_others_are_as_if_he_had_not_gone():
    its = hall(out(CAROL))
    assert its.t.players_left == 2
    its.happened(*back(its.t))
    assert its.t.players_left == 3
    assert [gone.player_id for gone in its.t.outs] == [CAROL]
    assert [(c.player_id, c.chips) for c in its.t.coming] == [(DAVE, 30)]


def test_he_sits_down_between_hands_at_a_drawn_seat_with_what_the_ruling_gives_him():
    its = hall()
    its.happened(*back(its.t))
    assert told(its.begun(1).look(), LateSeated) == [], "a hand runs"
    agenda = its.hand(1).look()
    [seated] = told(agenda, LateSeated)
    assert (seated.place.player_id, seated.place.stack, seated.draw) == (DAVE, 30, "reinstated/1")
    assert (seated.hand_id, seated.from_void) == (hand().hand_id, 0)
    assert at_table(agenda, 1) == [Seated(place=seated.place)]


def test_what_is_in_the_void_is_given_first_and_only_the_rest_is_issued():
    its = hall(gone=out(DAVE, stack=20, no_show=True))
    assert its.t.void == 20
    its.happened(*back(its.t))
    agenda = its.look()
    [seated] = told(agenda, LateSeated)
    assert seated.from_void == 20
    assert agenda.state.void == 0
    [journal] = journals(seated, Where(stream=TOURNAMENT, version=9, hand_id=hand().hand_id))
    assert journal.kind == "ruling"
    assert [(line.account, line.amount) for line in journal.lines] == [
        (VOID, -20),
        (ISSUED, -10),
        (f"player/{DAVE}", 30),
    ]


def test_a_table_that_he_may_need_is_committed_to_before_he_is_seated():
    its = hall(commit_deals(hall().t, [1]))
    [_, roots] = back(its.t)
    assert [root.number for root in roots.roots] == [2]
    its.happened(roots)
    assert [type(event) for event in back(its.t)] == [PlayerReinstated]


@pytest.mark.parametrize(
    ("player", "chips", "wrong"),
    [(ALICE, 30, ["/seat"]), (DAVE, 201, ["/chips"]), (BOB, 201, ["/seat", "/chips"])],
)
def test_who_is_not_out_and_more_chips_than_there_are_are_refused(player, chips, wrong):
    t = hall().t
    with pytest.raises(Refused) as caught:
        must_be_possible(t, Roster(), hand(), reinstate(hand(), player, chips))
    assert list(caught.value.errors) == wrong
    must_be_possible(t, Roster(), hand(), reinstate(hand(), DAVE, 200))


def test_where_the_tournament_has_moved_on_by_then_nothing_follows_and_that_is_told():
    lapsed = [RulingLapsed(hand_id=hand().hand_id, ruling="reinstate")]
    its = hall()
    assert back(its.t, BOB) == lapsed
    over = its.happened(*cancel(its.t, "fire", 0)).t
    assert over.state is State.CANCELLED
    assert back(over) == lapsed
    with refused(Conflicting, "tournament-over"):
        must_be_possible(over, Roster(), hand(), reinstate(hand(), DAVE, 30))


@pytest.mark.parametrize(("seat", "stacks", "wrong"), [(4, True, ["/seat"]), (1, False, ["/ruling"])])
def test_it_is_of_a_seat_that_was_dealt_in_and_of_a_tournament_with_stacks(seat, stacks, wrong):
    two = given(HAND, *dealt({1: "3D", 2: "4D"}, stacks=(100, 100, 100, 100) if stacks else (None,) * 4))
    with pytest.raises(Refused) as caught:
        must_fit(two, "reinstate", seat)
    assert list(caught.value.errors) == wrong
