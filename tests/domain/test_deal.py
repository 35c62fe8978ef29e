"""The deal `b2deal/1`: its vectors, its draws, and its decks over thousands of deals."""

import hashlib
import hmac
from collections import Counter
from itertools import pairwise
from math import comb

import pytest

from big2.cards import PACK, Card, cards_text
from domain import deal
from domain.deal import Draws, be32, commitment, dealt, hand_seed, lp, shuffled_deck
from tests.big2.play import cards

ZERO, RISING, ONES = bytes(32), bytes(range(32)), b"\xff" * 32
DECKS = 5_000


@pytest.mark.parametrize(
    ("seed", "tournament", "hand", "entropy", "digest"),
    [
        (ZERO, "T", "H1", (), "55ff16f18f88fb3e969feb7e33392cf7afe24d8013c9e60b84183e47349659b4"),
        (
            RISING,
            "t-2026-01",
            "h-000001",
            (b"alice-nonce", b"bob-nonce"),
            "2c8526abe88275ad185dafdfbcc50e9b8589d5e01407275fc0ab2eb34071be32",
        ),
        (ONES, "鋤大弟", "h-2", (b"",), "41305f0d7727b61701e05aacd458637b6d239bc98f5e08c66260a530aac74f79"),
        (RISING, "t-rej", "h-209", (), "fbc2b7b80b5a86db42ee6adbc8f54caa6f6f2e7bf22f79ca8736180d01a8eabf"),
        (RISING, "t-rej", "h-3958", (), "23f9e29667deaf3486710a89f453613a5720341614920419096470e83110cbd0"),
    ],
    ids=["no entropy", "two nonces", "one empty nonce", "one rejection", "two rejections"],
)
def test_the_published_vectors(seed, tournament, hand, entropy, digest):
    deck = shuffled_deck(seed, tournament, hand, entropy)
    assert sorted(deck) == list(PACK)
    assert hashlib.sha256(bytes(deck)).hexdigest() == digest


def test_the_first_deck_as_published():
    deck = shuffled_deck(ZERO, "T", "H1")
    assert deck[:6] == list(cards("6H 4H 5H 3C KS 6C"))
    assert deck[-2:] == list(cards("9D AD"))


@pytest.mark.parametrize(
    ("hand", "rejections"), [("h-209", 1), ("h-3958", 2), ("h-1", 0)], ids=["one", "two", "none"]
)
def test_a_rejected_word_is_drawn_again(monkeypatch, hand, rejections):
    words = []
    word = Draws._word
    monkeypatch.setattr(Draws, "_word", lambda draws: words.append(word(draws)) or words[-1])
    shuffled_deck(RISING, "t-rej", hand)
    assert len(words) == 51 + rejections


def test_the_published_commitment():
    found = commitment(ZERO, "T", "H1")
    assert found == "c0eccfe0ee13a53d608cc21852709b69fb4bd4b01969d8208bbb779d8deb6bf1"


def test_a_commitment_binds_the_seed_the_tournament_and_the_hand():
    made = {commitment(ZERO, "T", "H1"), commitment(ONES, "T", "H1"), commitment(ZERO, "U", "H1")}
    assert len(made | {commitment(ZERO, "T", "H2"), commitment(ZERO, "TH", "1")}) == 5


def test_each_hand_has_a_seed_of_its_own_from_the_master():
    expected = hmac.new(RISING, b"b2deal/1/seed\0\0\0\0\x02H1", "sha256").digest()
    assert hand_seed(RISING, "H1") == expected != hand_seed(RISING, "H2")


def test_the_seed_0_is_a_seed_like_any_other():
    assert shuffled_deck(ZERO, "T", "H1") == shuffled_deck(ZERO, "T", "H1") != list(PACK)


def test_entropy_changes_the_deck_by_each_nonce_and_by_their_order():
    given = [(), (b"",), (b"a",), (b"a", b"b"), (b"b", b"a"), (b"ab",)]
    assert len({tuple(shuffled_deck(ZERO, "T", "H1", nonces)) for nonces in given}) == len(given)


def test_lengths_stand_before_what_they_measure():
    assert lp("鋤") == b"\0\0\0\x03\xe9\x8b\xa4"
    assert lp(b"") == be32(0) == b"\0\0\0\0"


# draws


class Words(Draws):
    """Draws from a list of words."""

    def __init__(self, words):
        super().__init__(b"", b"")
        self.words = iter(words)

    def _word(self):
        return next(self.words)


@pytest.mark.parametrize("n", range(1, 53))
def test_each_value_is_equally_likely_shown_on_all_8_bit_words(monkeypatch, n):
    monkeypatch.setattr(deal, "_WORD_VALUES", 256)
    drawn = Counter()
    rejected = 0
    for word in range(256):
        try:
            drawn[Words([word]).below(n)] += 1
        except StopIteration:
            rejected += 1
    assert drawn == dict.fromkeys(range(n), 256 // n)
    assert rejected == 256 % n


@pytest.mark.parametrize("n", [3, 7, 47, 52])
def test_each_value_is_equally_likely_shown_on_all_16_bit_words(n):
    everything = Words([*range(1 << 16), 0])  # the last is for the rejections at the end
    drawn = Counter(everything.below(n) for _ in range((1 << 16) // n * n))
    assert drawn == dict.fromkeys(range(n), (1 << 16) // n)


@pytest.mark.parametrize("n", [0, -1, (1 << 16) + 1])
def test_nothing_is_drawn_from_nothing_or_from_more_than_a_word_holds(n):
    with pytest.raises(ValueError, match=f"not {n}"):
        Draws(ZERO, b"").below(n)


def test_the_whole_word_can_be_drawn():
    assert Words([65_535]).below(1 << 16) == 65_535


def test_the_stream_is_blocks_of_16_big_endian_words():
    blocks = b"".join(hmac.digest(RISING, b"label" + be32(i), "sha256") for i in range(3))
    draws = Draws(RISING, b"label")
    assert [draws.below(1 << 16) for _ in range(48)] == [
        int.from_bytes(blocks[i : i + 2], "big") for i in range(0, 96, 2)
    ]


def test_a_shuffle_moves_whatever_it_is_given_and_keeps_the_original():
    items = ("a", "b", "c", "d")
    shuffled = Draws(RISING, b"").shuffled(items)
    assert sorted(shuffled) == list(items)
    assert items == ("a", "b", "c", "d")
    assert Draws(RISING, b"").shuffled([]) == []


# what is dealt


@pytest.mark.parametrize("order", [(2, 3, 4, 1), (1, 4, 3, 2), (2, 4, 1), (3, 1)])
def test_thirteen_cards_each_are_dealt_one_at_a_time_and_the_rest_is_the_stub(order):
    deck = shuffled_deck(ZERO, "T", "H1")
    holdings, stub = dealt(deck, order)
    assert list(holdings) == list(order)
    expected = {seat: [] for seat in order}
    for number in range(13 * len(order)):
        expected[order[number % len(order)]].append(deck[number])
    assert holdings == expected
    assert stub == deck[13 * len(order) :]


def test_a_deal_by_hand():
    holdings, stub = dealt(shuffled_deck(ZERO, "T", "H1"), (2, 1))
    assert cards_text(holdings[2][:3]) == "5H 6H KS"
    assert cards_text(holdings[1][:3]) == "3C 4H 6C"
    assert len(stub) == 26


# statistics of 5,000 decks; the seeds are fixed, so these say the same at each run


@pytest.fixture(scope="module")
def decks():
    return [shuffled_deck(RISING, "statistics", str(n)) for n in range(DECKS)]


def chi_square(observed, expected):
    return sum((count - expected) ** 2 / expected for count in observed)


def near(value, mean):
    """Whether a χ² is within four standard deviations of its mean, the sum of 1 - p over its cells."""
    return abs(value - mean) < 4 * (2 * mean) ** 0.5


def test_each_card_stands_at_each_place_equally_often(decks):
    at = Counter((place, card) for deck in decks for place, card in enumerate(deck))
    counts = [at[place, card] for place in range(52) for card in PACK]
    assert near(chi_square(counts, DECKS / 52), 52 * 51)


def test_no_deck_comes_twice(decks):
    assert len({tuple(deck) for deck in decks}) == DECKS


def test_neighbours_are_as_often_neighbours_as_any_others(decks):
    pairs = Counter(pair for deck in decks for pair in pairwise(deck))
    counts = [pairs[a, b] for a in PACK for b in PACK if a != b]
    assert near(chi_square(counts, DECKS / 52), 51 * 51)
    still_in_order = sum(pairs[Card(n), Card(n + 1)] for n in range(51))
    assert abs(still_in_order - DECKS * 51 / 52) < 4 * (DECKS * 51 / 52) ** 0.5


def test_suits_fall_as_chance_has_it(decks):
    """The number of spades among a seat's 13 cards, against the hypergeometric distribution."""
    spades = Counter(sum(card % 4 == 3 for card in deck[:52:4]) for deck in decks)
    expected = [DECKS * comb(13, n) * comb(39, 13 - n) / comb(52, 13) for n in range(14)]
    tail = 7  # seven and more together: each class is to hold at least five decks
    classes = [*((spades[n], expected[n]) for n in range(tail))]
    classes.append((sum(spades[n] for n in range(tail, 14)), sum(expected[tail:])))
    value = sum((seen - mean) ** 2 / mean for seen, mean in classes)
    assert all(mean >= 5 for _, mean in classes)
    assert near(value, tail)


def test_the_lowest_card_leads_from_each_seat_equally_often(decks):
    seats = Counter(deck.index(0) % 4 for deck in decks)
    assert near(chi_square(seats.values(), DECKS / 4), 3)
