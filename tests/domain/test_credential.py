"""A credential: what proves it, and what no longer does."""

import hashlib
from datetime import timedelta
from uuid import UUID

import pytest

from domain.credential import CREDENTIAL, Issued, Revoked, Role, evolve, issue, proves, revoke, secret_hash
from domain.errors import Conflicting
from domain.ids import CredentialId
from domain.table import Closed
from tests.domain.given import ALICE, NOW, TOURNAMENT, given, later, refused

CREDENTIAL_ID = CredentialId(UUID(int=9))


def issued(role=Role.AUDITOR, **others):
    return issue(CREDENTIAL_ID, role, "s3cret", **others)


def test_only_the_hash_of_the_secret_is_recorded():
    assert issued(tournament_id=TOURNAMENT, expires_at=NOW) == [
        Issued(
            credential_id=CREDENTIAL_ID,
            role=Role.AUDITOR,
            secret_hash=hashlib.sha256(b"s3cret").hexdigest(),
            player_id=None,
            tournament_id=TOURNAMENT,
            expires_at=NOW,
        )
    ]
    assert secret_hash("s3cret") != "s3cret"


@pytest.mark.parametrize("role", Role)
def test_a_players_credential_names_its_player_and_any_other_may(role):
    assert given(CREDENTIAL, *issued(role, player_id=ALICE)).player_id == ALICE
    with pytest.raises(AssertionError):
        issued(Role.PLAYER)


def test_its_secret_proves_it_and_no_other_does():
    credential = given(CREDENTIAL, *issued())
    assert proves(credential, "s3cret", NOW)
    assert not proves(credential, "S3cret", NOW)
    assert not proves(credential, credential.secret_hash, NOW)


def test_it_proves_nothing_from_its_expiry_on():
    credential = given(CREDENTIAL, *issued(expires_at=later(60)))
    assert proves(credential, "s3cret", later(60) - timedelta(microseconds=1))
    assert not proves(credential, "s3cret", later(60))


def test_a_revoked_one_proves_nothing():
    assert revoke(given(CREDENTIAL, *issued())) == [Revoked()]
    assert not proves(given(CREDENTIAL, *issued(), Revoked()), "s3cret", NOW)


def test_none_is_revoked_twice():
    with refused(Conflicting, "token-revoked"):
        revoke(given(CREDENTIAL, *issued(), Revoked()))


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(given(CREDENTIAL, *issued()), Closed())
