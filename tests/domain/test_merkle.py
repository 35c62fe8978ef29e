"""The tree of RFC 6962 against its own definition, written down plainly: roots, proofs, and what they refuse."""

from __future__ import annotations

import pytest

from domain.merkle import (
    EMPTY,
    Range,
    completed,
    consistency_ranges,
    inclusion_path,
    inclusion_ranges,
    is_consistent,
    leaf_hash,
    node_hash,
    peaks_after,
    range_hash,
    root_by_inclusion,
    subtrees_of,
    tree_root,
)

DATA = [bytes([n]) * n for n in range(40)]


def plain_root(data):
    """RFC 6962, 2.1, as it stands there."""
    if not data:
        return EMPTY
    if len(data) == 1:
        return leaf_hash(data[0])
    k = max(1 << n for n in range(8) if 1 << n < len(data))
    return node_hash(plain_root(data[:k]), plain_root(data[k:]))


@pytest.fixture(scope="module")
def hashes():
    """All full subtrees, as a tree that grows leaf by leaf keeps them."""
    kept, peaks = {}, []
    for index, data in enumerate(DATA):
        done = completed(index, peaks, leaf_hash(data))
        kept |= {(level, index >> level): hash_ for level, hash_ in enumerate(done)}
        peaks = peaks_after(index, peaks, done)
        assert peaks == [kept[subtree] for subtree in Range(0, index + 1).subtrees]
    return kept


def test_published_roots_come_out():
    """The test vectors of Certificate Transparency's reference code."""
    leaves = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ]
    roots = {
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }
    data = [bytes.fromhex(leaf) for leaf in leaves]
    assert {size: plain_root(data[:size]).hex() for size in roots} == roots


@pytest.mark.parametrize("size", range(len(DATA) + 1))
def test_every_root_is_that_of_the_definition(hashes, size):
    leaves = [leaf_hash(data) for data in DATA[:size]]
    assert range_hash(Range(0, size), hashes) == tree_root(leaves) == plain_root(DATA[:size])


def test_ranges_are_made_of_full_subtrees():
    assert subtrees_of([Range(0, 7), Range(4, 6), Range(8, 8)]) == {(2, 0), (1, 2), (0, 6)}


@pytest.mark.parametrize("size", range(1, len(DATA) + 1))
def test_every_leaf_is_proved_in_every_tree_and_no_other_in_its_place(hashes, size):
    root = plain_root(DATA[:size])
    for index in range(size):
        proof = [range_hash(of, hashes) for of in inclusion_ranges(index, size)]
        assert proof == inclusion_path([leaf_hash(data) for data in DATA[:size]], index)
        assert root_by_inclusion(leaf_hash(DATA[index]), index, size, proof) == root
        assert root_by_inclusion(leaf_hash(b"other"), index, size, proof) != root


@pytest.mark.parametrize("new", range(1, len(DATA) + 1))
def test_every_tree_is_proved_to_grow_from_every_smaller_one(hashes, new):
    root = plain_root(DATA[:new])
    for old in range(new + 1):
        proof = [range_hash(of, hashes) for of in consistency_ranges(old, new)] if 0 < old < new else []
        before = plain_root(DATA[:old])
        assert is_consistent(old, before, new, root, proof)
        assert not is_consistent(old, leaf_hash(b"forked"), new, root, proof)
        assert not is_consistent(old, before, new, root, [*proof, EMPTY])
        if proof:
            assert not is_consistent(old, before, new, root, [EMPTY, *proof[1:]])


def test_there_is_no_proof_of_what_is_not_there(hashes):
    with pytest.raises(ValueError, match="no leaf 3"):
        inclusion_ranges(3, 3)
    with pytest.raises(ValueError, match="does not grow"):
        consistency_ranges(4, 3)
    with pytest.raises(ValueError, match="2 hashes instead of 3"):
        root_by_inclusion(EMPTY, 0, 5, [EMPTY, EMPTY])
