"""Identities: what is the same thing twice has one id, so that a second one is a conflict."""

from uuid import UUID

from domain import ids
from domain.ids import CommandId, CredentialId, HandId, PlayerId, TableId, TournamentId

COMMAND = CommandId(UUID(int=1))
CREDENTIAL = CredentialId(UUID(int=2))


def test_the_names_of_streams_are_a_contract():
    tournament = ids.tournament_id(COMMAND)
    table = ids.table_id(tournament, 7)
    assert [str(i) for i in (ids.NS, tournament, table, ids.hand_id(table, 3))] == [
        "017ce8d3-0cf7-50a5-9e44-abbb8de2ef53",
        "c07607b2-eb8e-5245-bcf2-1868cba465da",
        "f16b42a2-a752-589c-887f-acb403ae21e9",
        "8b0671f2-dd7b-5670-9d09-a12e5c82d8a4",
    ]


def test_a_repeated_request_is_the_same_command():
    request = ids.request_command(CREDENTIAL, "POST", "/v1/players", "key")
    assert request == ids.request_command(CREDENTIAL, "POST", "/v1/players", "key")
    assert request not in {
        ids.request_command(CredentialId(UUID(int=3)), "POST", "/v1/players", "key"),
        ids.request_command(CREDENTIAL, "PUT", "/v1/players", "key"),
        ids.request_command(CREDENTIAL, "POST", "/v1/tournaments", "key"),
        ids.request_command(CREDENTIAL, "POST", "/v1/players", "other"),
    }


def test_a_job_is_one_command_by_its_name():
    assert ids.job_command("deal-T-7") == ids.job_command("deal-T-7") != ids.job_command("deal-T-8")


def test_one_command_may_make_one_of_each_kind():
    made = {ids.player_id(COMMAND), ids.credential_id(COMMAND), ids.tournament_id(COMMAND)}
    assert len(made) == 3


def test_what_belongs_to_a_tournament_has_an_id_of_its_own():
    tournament, other = TournamentId(UUID(int=1)), TournamentId(UUID(int=2))
    player = PlayerId(UUID(int=3))
    found = {
        ids.roster_id(tournament),
        ids.roster_id(other),
        ids.entry_id(tournament, player),
        ids.entry_id(other, player),
        *(ids.re_entry_id(tournament, player, n) for n in (1, 2)),
        ids.re_entry_id(other, player, 2),
        *(ids.table_id(tournament, n) for n in range(1, 4)),
        *(ids.table_id(other, n) for n in range(1, 4)),
        *(ids.hand_id(TableId(UUID(int=4)), n) for n in range(1, 4)),
    }
    assert len(found) == 16


def test_a_rule_set_is_known_by_its_name():
    assert ids.ruleset_id("club") == ids.ruleset_id("club") != ids.ruleset_id("Club")
    assert (
        ids.stakes_id("club") == ids.stakes_id("club") not in (ids.stakes_id("Club"), ids.ruleset_id("club"))
    )


def test_ids_are_uuids_of_version_5():
    hand = ids.hand_id(ids.table_id(ids.tournament_id(COMMAND), 1), 1)
    assert isinstance(hand, UUID)
    assert hand.version == 5
    assert HandId(hand) == hand


def test_a_player_has_one_wallet_in_each_currency():
    player = PlayerId(UUID(int=3))
    assert ids.wallet_id(player, "EUR") == ids.wallet_id(player, "EUR") != ids.wallet_id(player, "USD")


def test_a_cause_makes_one_journal_of_each_name():
    assert ids.journal_id(COMMAND, "entry") == ids.journal_id(COMMAND, "entry")
    assert ids.journal_id(COMMAND, "entry") != ids.journal_id(COMMAND, "refund")
