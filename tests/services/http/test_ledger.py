"""The ledger over HTTP: every line with its twin and its event, any position, and each reader what is his."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from uuid import UUID, uuid4

import pytest

from domain.credential import Role
from domain.currencies import CURRENCIES
from domain.ids import TournamentId
from services.application import credentials
from services.application.credentials import Grant
from services.envelope import Command
from services.http import fields
from tests.services.http.banking import Casino, deposit, rich
from tests.services.http.driving import Api
from tests.services.http.test_entry_money import won


@pytest.fixture(scope="module")
def casino(operator):
    """A tournament that is over and paid, beside an open one with an entry that was withdrawn."""
    other = Casino(operator, 2, start=False, fee=0)
    operator.delete(f"{other.path}/entries/{other.players[0]}")
    casino = Casino(operator, 4, guarantee=4500, has=2000)
    won(casino)
    casino.paid()
    return casino


def every(api, path, **query):
    """All items of a list, over as many pages as it takes, and its position."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    page = api.read(f"{path}?{asked}")
    items = page["items"]
    while page["next"]:
        page = api.read(f"{path}?{asked}&cursor={page['next']}")
        items += page["items"]
    return items


def scope(item):
    return item["currency"] or item["tournament_id"]


def test_each_book_of_each_currency_and_tournament_is_balanced(casino, auditor):
    books = every(auditor, "/v1/ledger/trial-balance")
    assert [book["book"] for book in books] == sorted((b["book"] for b in books), reverse=True)
    assert all(book["balanced"] and book["balance"] == 0 for book in books)
    assert all(book["debit"] == book["credit"] > 0 for book in books)
    accounts = Counter(scope(account) for account in every(auditor, "/v1/ledger/accounts"))
    assert {scope(book): book["accounts"] for book in books} == accounts


def test_a_trial_balance_is_asked_for_by_book_and_currency(casino, auditor, operator):
    rich(operator, 5, "JPY")
    [book] = every(auditor, "/v1/ledger/trial-balance", book="money", currency="JPY")
    assert (book["currency"], book["credit"], book["accounts"]) == ("JPY", 5, 2)
    chips = every(auditor, "/v1/ledger/trial-balance", book="chips")
    assert casino.id in {book["tournament_id"] for book in chips}


def test_each_journal_sums_to_0_and_names_its_event(casino, auditor):
    journals = defaultdict(list)
    for line in every(auditor, "/v1/ledger/entries", limit=200):
        journals[line["journal_id"]].append(line)
    for lines in journals.values():
        assert sum(line["amount"] for line in lines) == 0
        assert len({(line["position"], line["event"], line["kind"], scope(line)) for line in lines}) == 1
    kinds = {lines[0]["kind"]: lines[0]["event"] for lines in journals.values()}
    assert kinds == {
        "deposit": "wallet.credited",
        "entry": "wallet.debited",
        "refund": "wallet.credited",
        "pool": "tournament.pool_formed",
        "issued": "tournament.tables_drawn",
        "transfer": "hand.settled",
        "prize": "wallet.credited",
    } | {kind: kinds[kind] for kind in kinds if kind in ("withdrawal", "cover")}


def test_balances_are_the_sums_of_lines_at_every_position(casino, auditor):
    lines = every(auditor, "/v1/ledger/entries", limit=200)
    sums = Counter()
    seen = {}
    for line in lines:
        sums[scope(line), line["account"]] += line["amount"]
        assert line["balance"] == sums[scope(line), line["account"]]
        seen[line["position"]] = dict(sums)
    for position in [*sorted(seen)[:: max(1, len(seen) // 12)], lines[-1]["position"]]:
        accounts = every(auditor, "/v1/ledger/accounts", as_of=position, limit=200)
        assert {(scope(a), a["account"]): a["balance"] for a in accounts} == seen[position]
        assert all(b["balanced"] for b in every(auditor, "/v1/ledger/trial-balance", as_of=position))


@pytest.mark.parametrize(
    "by", ["account", "player", "tournament", "table", "hand", "journal", "kind", "book"]
)
def test_lines_are_found_by_what_they_are_for(casino, auditor, by):
    names = {"player": "player_id", "tournament": "tournament_id", "table": "table_id", "hand": "hand_id"}
    column = names.get(by, "journal_id" if by == "journal" else by)
    lines = every(auditor, "/v1/ledger/entries", limit=200)
    wanted = next(line[column] for line in reversed(lines) if line[column])
    found = every(auditor, "/v1/ledger/entries", **{by: wanted})
    assert found == [line for line in lines if line[column] == wanted]


def test_lines_are_found_by_time_from_and_up_to(casino, auditor):
    lines = every(auditor, "/v1/ledger/entries", limit=200)
    middle = lines[len(lines) // 2]["at"]
    before = every(auditor, "/v1/ledger/entries", limit=200, to=middle)
    after = every(auditor, "/v1/ledger/entries", limit=200, **{"from": middle})
    assert (before, after) == (
        [line for line in lines if line["at"] < middle],
        [line for line in lines if line["at"] >= middle],
    )


def test_pages_stay_on_one_position_while_money_moves(casino, auditor, operator):
    first = auditor.read("/v1/ledger/entries?limit=3&kind=deposit")
    total = len(every(auditor, "/v1/ledger/entries", kind="deposit"))
    rich(operator, 5)
    found, page = list(first["items"]), first
    while page["next"]:
        page = auditor.read(f"/v1/ledger/entries?limit=3&kind=deposit&cursor={page['next']}")
        found += page["items"]
    assert len(found) == total


def test_what_lies_ahead_of_the_log_is_no_position(auditor):
    for path in ("entries", "accounts", "trial-balance"):
        answer = auditor.get(f"/v1/ledger/{path}?as_of={2**62}")
        assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/query/as_of")


def test_accounts_are_found_by_whose_they_are(casino, auditor):
    player = casino.players[0]
    names = {a["account"] for a in every(auditor, "/v1/ledger/accounts", player=player)}
    assert names == {f"wallet/{player}", f"player/{player}"}
    names = {a["account"] for a in every(auditor, "/v1/ledger/accounts", tournament=casino.id, book="money")}
    assert names == {f"escrow/{casino.id}", f"pool/{casino.id}"}
    [house] = every(auditor, "/v1/ledger/accounts", account="house", currency="EUR")
    assert house["balance"] < 0


def test_the_export_is_a_table_that_no_spreadsheet_runs(casino, auditor, operator):
    player = rich(operator, 0)
    body = {"amount": 5, "currency": "EUR", "reference": f"=cmd({uuid4()})"}
    operator.made(f"/v1/wallets/{player}/deposits", body)
    answer = auditor.get(f"/v1/ledger/entries?format=csv&player={player}")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.mimetype == "text/csv"
    assert [int(row["amount"]) for row in rows] == [-5, 5]
    assert {row["reference"] for row in rows} == {"'" + body["reference"]}
    lines = auditor.get(f"/v1/ledger/entries?format=ndjson&player={player}").text.splitlines()
    assert [json.loads(line)["amount"] for line in lines] == [-5, 5]
    for path in ("accounts", "trial-balance"):
        assert auditor.get(f"/v1/ledger/{path}?format=csv").mimetype == "text/csv"


def test_the_next_page_of_an_export_is_linked_whatever_was_asked_for(casino, auditor):
    query = "format=ndjson&limit=5&from=2020-01-01T00:00:00%2B01:00&kind=transfer"
    found, path = [], f"/v1/ledger/entries?{query}"
    while path:
        answer = auditor.get(path)
        assert answer.status_code == 200, answer.text
        found += answer.text.splitlines()
        path = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
    lines = every(auditor, "/v1/ledger/entries", kind="transfer", limit=200)
    assert [json.loads(line)["line"] for line in found] == [line["line"] for line in lines]
    assert len(found) > 5


# readers


@pytest.fixture
def himself(app, operator, casino):
    player = casino.players[0]
    return player, Api(app, operator.made(f"/v1/players/{player}/tokens")["token"])


def test_a_player_sees_his_own_lines_and_accounts_and_nobody_else_s(casino, himself):
    player, api = himself
    lines = every(api, "/v1/ledger/entries", limit=200)
    assert {line["player_id"] for line in lines} == {player}
    others = [p for p in casino.players if p != player]
    assert not any(other in json.dumps(lines) for other in others)
    assert {"deposit", "entry", "issued", "transfer"} <= {line["kind"] for line in lines}
    assert {a["player_id"] for a in every(api, "/v1/ledger/accounts")} == {player}
    assert every(api, "/v1/ledger/entries", player=others[0]) == []
    assert every(api, "/v1/ledger/accounts", account="house") == []


def test_a_player_is_told_no_balance_but_his_own(himself):
    player, api = himself
    for line in every(api, "/v1/ledger/entries", limit=200):
        assert (line["balance"] is not None) == (player in line["account"])


def test_a_player_reads_his_own_wallet_and_staff_anybody_s(himself, casino, auditor, operator, director_):
    player, api = himself
    mine = api.read(f"/v1/wallets/{player}")
    assert mine["player_id"] == player
    assert all(reader.read(f"/v1/wallets/{player}") == mine for reader in (auditor, operator, director_))
    assert api.get(f"/v1/wallets/{casino.players[1]}").status_code == 403
    assert auditor.get(f"/v1/wallets/{uuid4()}").status_code == 404


def test_a_wallet_tells_each_currency_and_any_position(operator):
    player = rich(operator, 500)
    first = operator.read(f"/v1/wallets/{player}")
    deposit(operator, player, 70, "USD")
    assert operator.read(f"/v1/wallets/{player}")["items"] == [
        {"currency": "EUR", "balance": 500, "held": 0},
        {"currency": "USD", "balance": 70, "held": 0},
    ]
    assert operator.read(f"/v1/wallets/{player}?as_of={first['as_of']}") == first
    assert operator.read(f"/v1/wallets/{rich(operator, 0)}")["items"] == []


def test_a_currency_that_went_out_of_use_is_read_and_paid_out_and_not_paid_in(operator, auditor, monkeypatch):
    player = rich(operator, 500, "ISK")
    monkeypatch.setattr(fields, "CURRENCIES", CURRENCIES - {"ISK"})
    for path in ("accounts", "entries", "trial-balance"):
        assert {item["currency"] for item in every(auditor, f"/v1/ledger/{path}", currency="ISK")} == {"ISK"}
    body = {"amount": 500, "currency": "ISK", "reference": str(uuid4())}
    refused = operator.post(f"/v1/wallets/{player}/deposits", body)
    assert [error["pointer"] for error in refused.json["errors"]] == ["/currency"]
    assert operator.made(f"/v1/wallets/{player}/withdrawals", body)["balance"] == 0


@pytest.mark.parametrize("code", ["eur", "EURO", "E%20R", "%C3%84%C3%96%C3%9C", ""])
def test_a_currency_is_asked_for_by_three_capital_letters(auditor, code):
    told = auditor.get(f"/v1/ledger/accounts?currency={code}")
    assert told.status_code == 422
    assert [error["pointer"] for error in told.json["errors"]] == ["/query/currency"]
    assert every(auditor, "/v1/ledger/accounts", currency="XXX") == []


def test_what_is_held_waits_for_the_refund_and_goes_with_the_pool(operator):
    casino = Casino(operator, 2, start=False)
    player = casino.players[0]
    held = operator.read(f"/v1/wallets/{player}")
    assert held["items"] == [{"currency": "EUR", "balance": 0, "held": 1000}]
    operator.made(f"{casino.path}/start")
    assert casino.purse(player) == (0, 0)
    assert operator.read(f"/v1/wallets/{player}?as_of={held['as_of']}") == held


def test_a_token_of_one_tournament_sees_that_one_s_lines_and_no_whole_book(app, services, casino):
    command = Command(uuid4(), "tests", "")
    grant = lambda: Grant(Role.AUDITOR, tournament_id=TournamentId(UUID(casino.id)))  # noqa: E731
    api = Api(app, credentials.issue(services.store, command, grant).text)
    lines = every(api, "/v1/ledger/entries", limit=200)
    assert {line["tournament_id"] for line in lines} == {casino.id}
    told = {line["account"].partition("/")[0] for line in lines if line["balance"] is not None}
    assert told == {"escrow", "pool", "issued", "player"}, (
        "what is in a wallet, or with the house, is not this tournament's"
    )
    assert {a["tournament_id"] for a in every(api, "/v1/ledger/accounts")} == {casino.id}
    assert api.get("/v1/ledger/trial-balance").status_code == 403
    assert api.get(f"/v1/wallets/{casino.players[0]}").status_code == 403


def test_a_player_s_token_of_one_tournament_reads_its_lines_and_no_wallet(app, services, operator, casino):
    player = casino.players[0]
    deposit(operator, player, 70, "USD")
    token = operator.made(f"/v1/players/{player}/tokens", {"tournament_id": casino.id})["token"]
    api = Api(app, token)
    assert {line["tournament_id"] for line in every(api, "/v1/ledger/entries", limit=200)} == {casino.id}
    assert {a["tournament_id"] for a in every(api, "/v1/ledger/accounts")} == {casino.id}
    refused = api.get(f"/v1/wallets/{player}")
    assert (refused.status_code, refused.json["type"]) == (403, "/problems/forbidden")
    assert api.get("/v1/ledger/trial-balance").status_code == 403


def test_money_is_in_no_public_place(casino, anybody):
    for path in ("/v1/ledger/entries?format=csv", "/v1/ledger/accounts", "/v1/ledger/trial-balance"):
        answer = anybody.get(path)
        assert (answer.status_code, answer.json["type"]) == (401, "/problems/unauthenticated")
    assert anybody.get(f"/v1/wallets/{casino.players[0]}").status_code == 401
