"""Signed notes and checkpoints, as C2SP has them (`signed-note`, `tlog-checkpoint`, `tlog-proof`); Ed25519 alone.

    checkpoint = origin ⏎ size ⏎ base64(root) ⏎
    note       = text ⏎ "— " name " " base64(key id ‖ signature) ⏎          (an empty line stands before the signatures)
    key id     = the first 4 bytes of SHA-256(name ⏎ 0x01 ‖ public key)
    verifier   = name "+" hex(key id) "+" base64(0x01 ‖ public key)
    signer     = "PRIVATE+KEY+" name "+" hex(key id) "+" base64(0x01 ‖ seed)

The name of a log's key is the log's origin; a key that follows another has the same name.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.merkle import HASH_BYTES
from services.errors import StoreError

_ED25519 = b"\1"
_PRIVATE = "PRIVATE+KEY+"
_KEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)")
_SIGNATURE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+=*)")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_PROOF = "c2sp.org/tlog-proof@v1"


class NoteError(StoreError):
    """A key, a note or a checkpoint can't be read, or no known key has signed it; the message says which."""


class Verifier(NamedTuple):
    """A public key, and the name of whose it is."""

    name: str
    public: bytes

    @classmethod
    def parsed(cls, text: str) -> Verifier:
        """The key of a text; NoteError if it is none."""
        return cls(*_parsed(text))

    @property
    def id(self) -> bytes:
        """The key id: 4 bytes."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    def __str__(self) -> str:
        return _written(self.name, self.id, self.public)


class Signer(NamedTuple):
    """A private key, and the name of whose it is; its text is a secret."""

    name: str
    seed: bytes

    @classmethod
    def parsed(cls, text: str) -> Signer:
        """The key of a text; NoteError, which does not repeat it, if it is none."""
        if not text.startswith(_PRIVATE):
            raise NoteError(f"a signing key begins with {_PRIVATE}")
        name, seed, told = _parts(text.removeprefix(_PRIVATE))
        signer = cls(name, seed)
        if told != signer.verifier.id:
            raise NoteError("the signing key is damaged: its id is another one")
        return signer

    @classmethod
    def made(cls, name: str) -> Signer:
        """A new key."""
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @property
    def verifier(self) -> Verifier:
        """The public key."""
        return Verifier(self.name, self._key.public_key().public_bytes_raw())

    @property
    def secret(self) -> str:
        """Its text."""
        return _PRIVATE + _written(self.name, self.verifier.id, self.seed)

    def signed(self, text: str) -> str:
        """The note of a text, which ends with a line's end."""
        signature = self.verifier.id + self._key.sign(text.encode())
        return f"{text}\n— {self.name} {_base64(signature)}\n"

    def __repr__(self) -> str:
        return f"<Signer {self.verifier}>"

    @property
    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


class Checkpoint(NamedTuple):
    """A log's head: how many events it has, and the root of their tree."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def parsed(cls, text: str) -> Checkpoint:
        """The checkpoint of a note's text; NoteError if it is none. Extension lines are passed over."""
        origin, size, root, *_ = [*text.split("\n"), "", "", ""]
        if not origin or not _SIZE.fullmatch(size) or len(decoded(root)) != HASH_BYTES:
            raise NoteError("this is no checkpoint: it has an origin, a size and a root")
        return cls(origin, int(size), decoded(root))

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


def opened(note: str, keys: Iterable[Verifier]) -> str:
    """The text of a note; NoteError unless one of the keys has signed it, and each that is said to have, has."""
    text, known = _split(note), {(key.name, key.id): key for key in keys}
    good = 0
    for name, key_id, signature in signatures(note):
        if key := known.get((name, key_id)):
            _check(key, signature, text)
            good += 1
    if not good:
        raise NoteError("no key that is known has signed this note")
    return text


def signatures(note: str) -> list[tuple[str, bytes, bytes]]:
    """Who has signed a note: name, key id and signature, whether they are good or not."""
    lines = note[len(_split(note)) + 1 :].splitlines()
    found = []
    for line in lines:
        match = _SIGNATURE.fullmatch(line)
        raw = decoded(match[2]) if match else b""
        if match is None or len(raw) <= 4:
            raise NoteError("a line of the signatures is none")
        found.append((match[1], raw[:4], raw[4:]))
    return found


def proof_text(index: int, hashes: Sequence[bytes], note: str) -> str:
    """A `tlog-proof` of a leaf's inclusion: its index, the hashes beside its way to the root, the checkpoint."""
    return "\n".join([_PROOF, f"index {index}", *map(_base64, hashes), "", note])


def decoded(text: str) -> bytes:
    """The bytes of a base64 text; none if it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _split(note: str) -> str:
    text, found, _ = note.rpartition("\n\n")
    if not found:
        raise NoteError("this is no signed note: an empty line stands before the signatures")
    return text + "\n"


def _check(key: Verifier, signature: bytes, text: str) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, text.encode())
    except InvalidSignature as error:
        raise NoteError(f"the signature of {key.name} ({key.id.hex()}) is forged") from error


def _parsed(text: str) -> tuple[str, bytes]:
    name, public, told = _parts(text)
    if told != Verifier(name, public).id:
        raise NoteError("the verifier key is damaged: its id is another one")
    return name, public


def _parts(text: str) -> tuple[str, bytes, bytes]:
    match = _KEY.fullmatch(text.strip())
    raw = decoded(match[3]) if match else b""
    if match is None or raw[:1] != _ED25519 or len(raw) != 33:
        raise NoteError("this is no key of a signed note: NAME+ID+KEY, Ed25519")
    return match[1], raw[1:], bytes.fromhex(match[2])


def _written(name: str, key_id: bytes, key: bytes) -> str:
    return f"{name}+{key_id.hex()}+{_base64(_ED25519 + key)}"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
