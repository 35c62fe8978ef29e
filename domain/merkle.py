"""Merkle trees as RFC 6962 has them (section 2.1), over leaves that are all at hand.

leaf = SHA256(0x00 ‖ entry)
node = SHA256(0x01 ‖ left ‖ right), where the left part is the largest power of two below the number of leaves
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def leaf_hash(entry: bytes) -> bytes:
    """What stands in the tree for an entry, 32 bytes."""
    return hashlib.sha256(b"\0" + entry).digest()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes; of none it is the hash of nothing."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    k = _split(len(leaves))
    return _node(tree_root(leaves[:k]), tree_root(leaves[k:]))


def inclusion_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from the leaf at `index`, from 0, up to the root: the lowest first."""
    if len(leaves) == 1:
        return []
    k = _split(len(leaves))
    if index < k:
        return [*inclusion_path(leaves[:k], index), tree_root(leaves[k:])]
    return [*inclusion_path(leaves[k:], index - k), tree_root(leaves[:k])]


def root_of_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that `path` leads to from the leaf at `index` of `size`; None if no such path is so long."""
    if size == 1:
        return None if path else leaf
    if not path:
        return None
    *lower, sibling = path
    k = _split(size)
    if index < k:
        left = root_of_path(leaf, index, k, lower)
        return left and _node(left, sibling)
    right = root_of_path(leaf, index - k, size - k, lower)
    return right and _node(sibling, right)


def _split(size: int) -> int:
    """The largest power of two below `size`, which is 2 at least."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
