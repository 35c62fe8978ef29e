"""Keys, notes and checkpoints, as C2SP writes them."""

from __future__ import annotations

import pytest

from services.audit.notes import Checkpoint, NoteError, Signer, Verifier, opened, proof_text, signatures

GO_VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
"""Those of the documentation of Go's `note`, which the format comes from."""

ONE, OTHER = Signer("example.org/log", bytes(32)), Signer("example.org/log", bytes(range(32)))
TEXT = str(Checkpoint("example.org/log", 5, bytes(range(32))))


def test_a_note_that_another_program_has_signed_is_read():
    assert opened(GO_NOTE, [Verifier.parsed(GO_VERIFIER)]).startswith("If you think")


def test_a_key_reads_as_it_is_written():
    assert str(Verifier.parsed(GO_VERIFIER)) == GO_VERIFIER
    assert Signer.parsed(ONE.secret) == ONE
    assert Verifier.parsed(str(ONE.verifier)) == ONE.verifier
    assert Signer.made("a").seed != Signer.made("a").seed


def test_a_secret_is_not_shown():
    assert ONE.secret.rpartition("+")[2] not in repr(ONE)


def test_what_is_signed_is_opened_by_whoever_knows_the_key():
    note = ONE.signed(TEXT)
    assert opened(note, [OTHER.verifier, ONE.verifier]) == TEXT
    assert Checkpoint.parsed(TEXT) == Checkpoint("example.org/log", 5, bytes(range(32)))
    assert [(name, key) for name, key, _ in signatures(note)] == [("example.org/log", ONE.verifier.id)]


@pytest.mark.parametrize(
    ("note", "told"),
    [
        (ONE.signed(TEXT).replace("\n5\n", "\n6\n"), "is forged"),
        (OTHER.signed(TEXT), "no key that is known"),
        (TEXT, "no signed note"),
        (TEXT + "\n- nobody\n", "a line of the signatures is none"),
        (TEXT + "\n— a !!!\n", "a line of the signatures is none"),
        (TEXT + "\n— a AAAA\n", "a line of the signatures is none"),
    ],
)
def test_what_is_not_is_not(note, told):
    with pytest.raises(NoteError, match=told):
        opened(note, [ONE.verifier])


@pytest.mark.parametrize("text", ["", "a\n5\n", "a\n05\nAAAA\n", "a\nx\nAAAA\n", "\n5\nAAAA\n", "a\n5\n!\n"])
def test_what_is_no_checkpoint_is_refused(text):
    with pytest.raises(NoteError, match="no checkpoint"):
        Checkpoint.parsed(text)


@pytest.mark.parametrize(
    ("key", "told"),
    [("", "no key"), ("a+00000000+AQ==", "no key"), (GO_VERIFIER.replace("c74f", "c74e"), "damaged")],
)
def test_what_is_no_key_is_refused(key, told):
    with pytest.raises(NoteError, match=told):
        Verifier.parsed(key)


def test_what_is_no_signing_key_is_refused_without_repeating_it():
    with pytest.raises(NoteError, match="begins with PRIVATE"):
        Signer.parsed(str(ONE.verifier))
    with pytest.raises(NoteError, match="damaged") as refused:
        Signer.parsed(ONE.secret.replace("+AQ", "+AQB"[:3] + "", 1).replace("AAAA", "AAAB", 1))
    assert "AAAB" not in str(refused.value)


def test_a_proof_has_its_index_its_hashes_and_the_checkpoint():
    assert proof_text(3, [bytes(32)], "the note\n").split("\n") == [
        "c2sp.org/tlog-proof@v1", "index 3", "A" * 43 + "=", "", "the note", "",
    ]  # fmt: skip
