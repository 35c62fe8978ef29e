"""What a traceback could show: an event's repr is what everybody may see, a state's tells nothing."""

import pytest

from domain.credential import CREDENTIAL
from domain.hand import HAND
from domain.player import PLAYER
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import publish
from tests.domain.given import DRAW_SEED, MASTER, TOURNAMENT, dealt, given, terms

PUBLISHED = publish(TOURNAMENT, terms(), MASTER, DRAW_SEED)
DEALT = dealt({1: "3D 4C 5H", 2: "6S 7D 8C"})
STATES = {HAND: given(HAND, *DEALT), AGGREGATE: given(AGGREGATE, *PUBLISHED)}


def test_the_repr_of_an_event_hides_seeds_and_cards():
    committed, deal = DEALT[:2]
    text = repr([*PUBLISHED, *DEALT])
    assert committed.commitment in text
    for hidden in (MASTER, DRAW_SEED, committed.seed):
        assert repr(hidden) not in text
    for cards in deal.cards.values():
        assert cards not in text


def test_the_repr_of_a_state_tells_nothing():
    assert list(map(repr, STATES.values())) == ["<Hand>", "<Tournament>"]


@pytest.mark.parametrize("aggregate", [PLAYER, CREDENTIAL, HAND, AGGREGATE], ids=lambda a: a.name)
def test_an_event_of_another_kind_is_a_bug_that_tells_no_secret(aggregate):
    foreign = DEALT[0] if aggregate is AGGREGATE else PUBLISHED[0]
    with pytest.raises(AssertionError) as bug:
        aggregate.evolve(STATES.get(aggregate), foreign)
    assert str(bug.value).startswith(type(foreign).__name__)
    assert "b'" not in str(bug.value)
