"""A tournament's own draws `b2draw/1`."""

import hashlib
import hmac
from uuid import UUID

from domain.deal import Draws, lp
from domain.draws import draw_commitment, draws_for
from domain.ids import TournamentId
from tests.domain.given import DRAW_SEED, TOURNAMENT

OTHER = TournamentId(UUID(int=7))


def some(draws, n=1000):
    return [draws.below(n) for _ in range(40)]


def test_the_commitment_is_what_its_definition_says():
    text = b"b2draw/1/commit\0" + lp(DRAW_SEED) + lp(str(TOURNAMENT))
    assert draw_commitment(DRAW_SEED, TOURNAMENT) == hashlib.sha256(text).hexdigest()
    assert draw_commitment(DRAW_SEED, TOURNAMENT) != draw_commitment(DRAW_SEED, OTHER)
    assert draw_commitment(DRAW_SEED, TOURNAMENT) != draw_commitment(bytes(32), TOURNAMENT)


def test_the_stream_is_what_its_definition_says():
    text = b"b2draw/1/key\0" + lp(str(TOURNAMENT)) + lp("moves/41")
    key = hmac.new(DRAW_SEED, text, "sha256").digest()
    assert some(draws_for(DRAW_SEED, TOURNAMENT, "moves/41")) == some(Draws(key, b"b2draw/1/stream\0"))


def test_each_occasion_can_be_drawn_again_by_itself():
    first = some(draws_for(DRAW_SEED, TOURNAMENT, "tables"))
    some(draws_for(DRAW_SEED, TOURNAMENT, "final/9"))
    assert some(draws_for(DRAW_SEED, TOURNAMENT, "tables")) == first


def test_occasions_tournaments_and_seeds_have_draws_of_their_own():
    streams = [
        draws_for(DRAW_SEED, TOURNAMENT, "tables"),
        draws_for(DRAW_SEED, TOURNAMENT, "moves/1"),
        draws_for(DRAW_SEED, OTHER, "tables"),
        draws_for(bytes(32), TOURNAMENT, "tables"),
    ]
    assert len({tuple(some(draws)) for draws in streams}) == 4


def test_draws_share_nothing_with_the_deal():
    deal = Draws(hmac.digest(DRAW_SEED, b"b2deal/1/key\0", "sha256"), b"b2deal/1/stream\0")
    assert some(deal) != some(draws_for(DRAW_SEED, TOURNAMENT, "tables"))
