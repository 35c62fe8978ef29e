"""Merkle trees against RFC 6962's own definition, and against its published example."""

import hashlib

import pytest

from domain.merkle import inclusion_path, leaf_hash, root_of_path, tree_root

ENTRIES = [
    b"",
    b"\0",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    bytes(range(0x50, 0x58)),
    b"`abcdefghijklmno",
]
"""The entries of the tests of Google's certificate-transparency, whose roots many have published."""
ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
}


def leaves(size):
    return [leaf_hash(entry) for entry in ENTRIES[:size]]


@pytest.mark.parametrize("size", ROOTS)
def test_the_published_roots(size):
    assert tree_root(leaves(size)).hex() == ROOTS[size]


def test_the_root_of_nothing_is_the_hash_of_nothing():
    assert tree_root([]) == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_each_leaf_has_a_path_to_the_root(size):
    of = leaves(size)
    for index, leaf in enumerate(of):
        assert root_of_path(leaf, index, size, inclusion_path(of, index)) == tree_root(of)


@pytest.mark.parametrize("size", range(2, 9))
def test_no_other_leaf_place_or_path_leads_there(size):
    of = leaves(size)
    root = tree_root(of)
    for index, leaf in enumerate(of):
        path = inclusion_path(of, index)
        other = (index + 1) % size
        assert root_of_path(of[other], index, size, path) != root
        assert root_of_path(leaf, other, size, path) != root
        assert root_of_path(leaf, index, size, path[:-1]) is None
        assert root_of_path(leaf, index, size, [*path, root]) is None
        assert root_of_path(leaf, index, size, [root, *path[1:]]) != root
