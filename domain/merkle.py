"""The Merkle tree of RFC 6962 over a growing list: its hashes, and which of them a proof is made of.

    leaf = SHA-256(0x00 ‖ data)      node = SHA-256(0x01 ‖ left ‖ right)      the empty tree = SHA-256()

A *full subtree* (level, number) has the 2^level leaves from number · 2^level on; nothing that is added changes it. A
*range* is some leaves `first … end-1` that RFC 6962 gives one hash; it is made of full subtrees, larger ones first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

HASH_BYTES = 32
EMPTY = hashlib.sha256().digest()
"""The root of a tree without leaves."""

Subtree: TypeAlias = tuple[int, int]
"""Level and number of a full subtree."""
Hashes: TypeAlias = Mapping[Subtree, bytes]


class Range(NamedTuple):
    """Leaves from `first` up to, but without, `end`."""

    first: int
    end: int

    @property
    def subtrees(self) -> list[Subtree]:
        """The full subtrees that it is made of, from left to right."""
        found, first = [], self.first
        while first < self.end:
            level = (self.end - first).bit_length() - 1
            found.append((level, first >> level))
            first += 1 << level
        return found


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees, side by side."""
    return hashlib.sha256(b"\1" + left + right).digest()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes that are all at hand; of none it is `EMPTY`."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY
    middle = _split(len(leaves))
    return node_hash(tree_root(leaves[:middle]), tree_root(leaves[middle:]))


def inclusion_path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The proof that `inclusion_ranges` tell of, from leaf hashes that are all at hand."""
    return [tree_root(leaves[of.first : of.end]) for of in inclusion_ranges(index, len(leaves))]


def completed(size: int, peaks: Sequence[bytes], leaf: bytes) -> list[bytes]:
    """The hashes of all full subtrees that a leaf completes in a tree of `size`, itself first.

    `peaks` are the hashes of the full subtrees of that tree, from left to right.
    """
    done = [leaf]
    for left in reversed(peaks):
        if not size & 1:
            break
        done.append(node_hash(left, done[-1]))
        size >>= 1
    return done


def peaks_after(size: int, peaks: Sequence[bytes], done: Sequence[bytes]) -> list[bytes]:
    """The full subtrees of the tree once a leaf has completed `done`."""
    return [*peaks[: size.bit_count() - len(done) + 1], done[-1]]


def subtrees_of(ranges: Iterable[Range]) -> set[Subtree]:
    """All full subtrees that the ranges are made of."""
    return {subtree for of in ranges for subtree in of.subtrees}


def range_hash(of: Range, hashes: Hashes) -> bytes:
    """The hash of a range, from those of its full subtrees."""
    if of.first == of.end:
        return EMPTY
    *before, last = (hashes[subtree] for subtree in of.subtrees)
    for left in reversed(before):
        last = node_hash(left, last)
    return last


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """The ranges whose hashes prove the leaf `index` to be in the tree of `size`, in the order of RFC 6962, 2.1.1."""
    if not 0 <= index < size:
        raise ValueError(f"there is no leaf {index} in a tree of {size}")
    path, first, end = [], 0, size
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            path.append(Range(middle, end))
            end = middle
        else:
            path.append(Range(first, middle))
            first = middle
    return path[::-1]


def consistency_ranges(old: int, new: int) -> list[Range]:
    """The ranges whose hashes prove that the tree of `new` leaves begins with that of `old`; RFC 6962, 2.1.2."""
    if not 0 < old <= new:
        raise ValueError(f"a tree of {new} does not grow from one of {old}")
    path, first, end, whole = [], 0, new, True
    while old < end:
        middle = first + _split(end - first)
        if old <= middle:
            path.append(Range(middle, end))
            end = middle
        else:
            path.append(Range(first, middle))
            first, whole = middle, False
    return [*([] if whole else [Range(first, end)]), *path[::-1]]


def root_by_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root that a proof leads to; ValueError if it has another length than such a proof."""
    ranges = inclusion_ranges(index, size)
    if len(ranges) != len(proof):
        raise ValueError(f"the proof has {len(proof)} hashes instead of {len(ranges)}")
    for beside, of in zip(proof, ranges, strict=True):
        leaf = node_hash(leaf, beside) if of.first > index else node_hash(beside, leaf)
    return leaf


def is_consistent(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a proof shows that the tree of `new` leaves begins with that of `old` leaves."""
    if old in (0, new):
        return not proof and old_root == (new_root if old else EMPTY)
    ranges = consistency_ranges(old, new)
    whole = old & (old - 1) == 0  # then the old tree is one full subtree, and its root needs no hash
    known = [old_root, *proof] if whole else list(proof)
    if len(proof) != len(ranges):
        return False
    left = right = known[0]
    for beside, of in zip(known[1:], ranges if whole else ranges[1:], strict=True):
        if of.first >= old:
            right = node_hash(right, beside)
        else:
            left, right = node_hash(beside, left), node_hash(beside, right)
    return (left, right) == (old_root, new_root)


def _split(size: int) -> int:
    """The largest power of two below a size of at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
