"""`big2 ledger`: the books of an evening, told to people, held against the streams, and refused in one line."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner

from domain.credential import Role
from domain.ids import CommandId, wallet_id
from domain.wallet import WALLET
from services import people
from services.application import credentials, wallets
from services.application.credentials import Grant
from services.application.statements import CHUNK
from services.envelope import Command
from tests.services.projections.ring_house import RingHouse
from workers import statements
from workers.cli import main

BUY_IN = {"amount": 500, "fee": 50, "currency": "EUR"}
NAMES = ("Mei Ling", "=Tom", "[red]Zoë")


class Books:
    """An evening for money: a tournament, one that is called off, a ring table; and who was there."""

    def __init__(self, house: RingHouse) -> None:
        self.house = house
        self.players = dict(zip(NAMES, house.rich(3, 1500), strict=True))
        for name, player in self.players.items():
            house.rows(
                "UPDATE people SET name = %s, skeleton = %s WHERE player_id = %s RETURNING 1",
                name,
                people.skeleton(name),
                player,
            )
        who = list(self.players.values())
        self._tournaments(who)
        self._ring_table(who)
        house.deposit(who[0], 700, "JPY")
        house.deposit(house.rich(1, 5)[0], 1, "KWD")
        house.project()

    def _tournaments(self, who) -> None:
        house = self.house
        t = house.publish(recorded=True, buy_in=BUY_IN, guarantee=2000, stack_points=10)
        house.enter(t, *who)
        house.withdraw(t, who[0])
        house.enter(t, who[0])
        house.start(t)
        while house.work():
            pass
        house.record_on(t)
        off = house.publish(name="Called off", recorded=True, buy_in=BUY_IN)
        house.enter(off, *who)
        house.start(off)
        while house.work():
            pass
        house.cancel(off)
        while house.work():
            pass

    def _ring_table(self, who) -> None:
        house = self.house
        table = house.open_ring(house.publish_stakes("cheap"), 1, "english-harbour")
        for seat, player in enumerate(who, 1):
            house.sit(table, seat, player, 300)  # more than three hands can cost
        house.play_ring(table, lambda: house.hands_ended(table) == 2 and house.ring(table).hand_id)
        house.wish(table, 1, buy_in=400)
        house.play_ring(table, lambda: house.hands_ended(table) == 3)
        house.close_ring(table)
        house.work()

    def lines(self, **wanted: object) -> list[dict]:
        """The lines of the projection."""
        rows = self.house.rows("SELECT * FROM projections.ledger_lines ORDER BY position, line")
        return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@pytest.fixture(scope="module")
def books(database_url: str) -> Iterator[Books]:
    house = RingHouse(database_url)
    yield Books(house)
    house.close()


@pytest.fixture
def big2(monkeypatch):
    """Run `big2 ledger …`; no environment of ours leaks into it."""
    for name in ("DATABASE_URL", "REDIS_URL", "BIG2_DATA", "PORT"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(main, ["ledger", *map(str, arguments)])


@pytest.fixture
def run(big2, books, database_url, monkeypatch):
    """The same beside the service whose evening this was."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    return big2


def told(result) -> dict:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows(result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout)))


@pytest.fixture
def spoilt(books):
    """A projection of which a wallet's line says one unit more than the log; mended afterwards."""
    change = "UPDATE projections.ledger_lines SET {what} WHERE position = %s AND line = %s RETURNING 1"
    [*_, line] = books.lines(account=f"wallet/{books.players['Mei Ling']}", currency="EUR")
    which = line["position"], line["line"]
    books.house.rows(change.format(what="amount = amount + 1, balance = balance + 1"), *which)
    yield line
    books.house.rows(change.format(what="amount = amount - 1, balance = balance - 1"), *which)


@pytest.mark.parametrize("command", ["trial-balance", "statement", "journal"])
def test_every_command_explains_itself_with_examples(big2, command):
    for flag in ("--help", "-h"):
        result = big2(command, flag)
        assert result.exit_code == 0
        assert "Example" in result.output


# trial balance


def test_the_trial_balance_has_every_book_by_groups_and_is_balanced(run, books):
    result = run("trial-balance")
    assert result.exit_code == 0
    pages = result.stdout.split("\n\n")
    heads = [page.splitlines()[0].partition(" (")[0] for page in pages]
    assert heads[:3] == ["money, EUR", "money, JPY", "money, KWD"]
    assert sorted(heads[3:5]) == ["chips, Called off", "chips, Friday"]
    assert result.stdout.count("balanced: what the accounts owe (debit) is what they have (credit)") == 5
    assert "outside (cash desk, bank)" in pages[0]
    assert "7.00" not in pages[1]  # JPY has no digits behind the point
    assert "700" in pages[1]
    assert "0.001" in pages[2]
    assert pages[-1].strip() == f"as of log position {books.house.projector.position}"


def test_its_groups_are_the_sums_of_their_accounts(run, books):
    found = told(run("trial-balance", "--json", "--book", "money"))
    assert [each["title"] for each in found["books"]] == ["EUR", "JPY", "KWD"]
    assert {each["difference"] for each in found["books"]} == {0}
    wallets = [
        books.house.store.load(WALLET, wallet_id(player, "EUR")).state.balance
        for player in {line["player_id"] for line in books.lines(currency="EUR") if line["player_id"]}
    ]
    [group] = [group for group in found["books"][0]["groups"] if group["kind"] == "wallet"]
    assert group == {"kind": "wallet", "accounts": len(wallets), "debit": 0, "credit": sum(wallets)}


def test_as_of_a_position_it_has_what_was_so_then(run, books):
    first = books.lines()[0]["position"]
    before = told(run("trial-balance", "--as-of", first - 1, "--json"))
    assert before == {"as_of": first - 1, "books": []}
    found = rows(run("trial-balance", "--as-of", first, "--csv"))
    assert [(row["group"], row["debit"], row["credit"]) for row in found] == [
        ("outside", "1500", "0"),
        ("wallet", "0", "1500"),
    ]
    ahead = run("trial-balance", "--as-of", books.house.projector.position + 1)
    assert ahead.exit_code == 2
    assert f"the books are written up to {books.house.projector.position}" in ahead.stderr


def test_chips_are_plain_and_by_tournament(run):
    found = [
        row for row in rows(run("trial-balance", "--book", "chips", "--csv")) if row["title"] == "Friday"
    ]
    assert [(row["group"], row["debit"], row["credit"]) for row in found] == [
        ("issued", "30", "0"),
        ("player", "0", "30"),
    ]


def test_books_that_do_not_balance_are_told_with_the_difference_and_status_one(run, spoilt):
    result = run("trial-balance")
    assert result.exit_code == 1
    assert "NOT BALANCED: credit less debit is 1 ¢. `big2 rebuild --compare`" in result.stdout
    found = run("trial-balance", "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["books"][0]["difference"] == 1


# statement


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_runs_from_nothing_to_what_the_wallet_s_stream_has(run, books, name):
    found = told(run("statement", name, "--currency", "eur", "--json"))
    [of] = found["statements"]
    stream = books.house.store.load(WALLET, wallet_id(books.players[name], "EUR")).state
    assert (of["opening_wallet"], of["opening_stacks"]) == (0, 0)
    assert (of["closing_wallet"], of["wallet_stream"]) == (stream.balance, stream.balance)
    assert of["closing_stacks"] == 0
    wallet, stacks = 0, 0
    for item in of["items"]:
        wallet, stacks = wallet + item["wallet_change"], stacks + item["stacks_change"]
        assert (item["wallet"], item["stacks"]) == (wallet, stacks)
    own = [line for line in books.lines(currency="EUR") if line["player_id"] == books.players[name]]
    mine = [line for line in own if line["account"].endswith(str(books.players[name]))]
    assert sum(line["amount"] for line in mine) == wallet + stacks


def test_it_has_each_line_in_words(run, books):
    result = run("statement", "Mei Ling")
    assert result.exit_code == 0
    lines = [line.split("  ")[1] for line in result.stdout.splitlines() if line.startswith("2")]
    texts = "\n".join(lines)
    [table] = {str(line["table_id"])[:8] for line in books.lines(kind="buy_in")}
    for words in (
        "deposit, reference ",
        "entry to Friday: buy-in 5.00 EUR, fee 50 ¢",
        "refund from Friday, an entry that was withdrawn: buy-in 5.00 EUR, fee 50 ¢",
        f"buy-in at ring table {table}",
        f"top-up at ring table {table}",
        f"ante of hand 1 at ring table {table} (R10.1)",
        f"hand 1 at ring table {table}: ",
        f"cash-out from ring table {table}",
    ):
        assert words in texts
    assert "Statement of Mei Ling in EUR" in result.stdout
    assert "Statement of Mei Ling in JPY" in result.stdout
    assert result.stdout.count("the closing wallet is what the wallet's own events come to") == 2


def test_a_prize_tells_its_place_and_a_cancelled_tournament_its_refund(run):
    texts = [
        item["text"]
        for name in NAMES
        for item in told(run("statement", name, "--json"))["statements"][0]["items"]
    ]
    assert "prize of Friday: place 1" in texts
    assert "refund from Called off, which was cancelled: buy-in 5.00 EUR, fee 50 ¢" in texts


def test_it_has_every_journal_of_his_in_the_order_of_the_log_whatever_is_read_at_once(
    run, books, monkeypatch
):
    whole = rows(run("statement", "Mei Ling", "--csv"))
    assert {row["currency"] for row in whole} == {"EUR", "JPY"}
    monkeypatch.setattr("services.application.statements.CHUNK", 3)
    assert rows(run("statement", "Mei Ling", "--csv")) == whole
    positions = [int(row["position"]) for row in whole]
    assert positions == sorted(positions)
    assert len(positions) < CHUNK


@pytest.fixture
def three_days(run, books):
    """Mei Ling's statement, of which the first line is a day earlier than the rest, and the last one a day later."""
    [whole] = told(run("statement", "Mei Ling", "--currency", "EUR", "--json"))["statements"]
    change = (
        "UPDATE projections.ledger_lines SET at = at + %s * interval '1 day' WHERE position = %s RETURNING 1"
    )
    first, last = whole["items"][0]["position"], whole["items"][-1]["position"]
    for position, days in ((first, -1), (last, 1)):
        books.house.rows(change, days, position)
    yield whole
    for position, days in ((first, 1), (last, -1)):
        books.house.rows(change, days, position)


def test_a_period_opens_with_what_was_before_and_closes_with_what_was_then(run, three_days):
    whole, day = three_days["items"], three_days["items"][1]["at"][:10]

    def of(*period: str) -> dict:
        [found] = told(run("statement", "Mei Ling", "--currency", "EUR", "--json", *period))["statements"]
        return found

    one = of("--from", day, "--to", day)
    assert one["items"] == whole[1:-1]
    assert (one["opening_wallet"], one["opening_stacks"]) == (whole[0]["wallet"], whole[0]["stacks"])
    assert (one["closing_wallet"], one["wallet_stream"]) == (whole[-2]["wallet"], whole[-2]["wallet"])
    assert [item["position"] for item in of("--from", day)["items"]] == [
        item["position"] for item in whole[1:]
    ]
    assert [item["position"] for item in of("--to", day)["items"]] == [
        item["position"] for item in whole[:-1]
    ]
    page = run("statement", "Mei Ling", "--from", day, "--to", day)
    assert f", from {day} to {day}, as of log position" in page.stdout
    assert f", from {day}, as of log position" in run("statement", "Mei Ling", "--from", day).stdout


def test_a_period_before_everything_is_empty(run):
    [of] = told(run("statement", "Mei Ling", "--currency", "EUR", "--to", "2001-01-01", "--json"))[
        "statements"
    ]
    assert (of["items"], of["opening_wallet"], of["closing_wallet"], of["wallet_stream"]) == ([], 0, 0, 0)


def test_a_period_that_ends_before_it_begins_is_refused(run):
    result = run("statement", "Mei Ling", "--from", "2027-01-02", "--to", "2027-01-01")
    assert result.exit_code == 2
    assert "ends before --from" in result.stderr


def test_a_period_up_to_the_last_day_there_is_is_one_without_an_end(run):
    result = run("statement", "Mei Ling", "--to", "9999-12-31")
    assert result.exit_code == 2
    assert "is the last day that there is: leave it out" in result.stderr
    assert run("statement", "Mei Ling", "--to", "9999-12-30").exit_code == 0


def test_a_closing_balance_that_is_not_the_wallet_s_own_has_status_one(run, spoilt):
    result = run("statement", "Mei Ling")
    assert result.exit_code == 1
    assert "WRONG: the wallet's own events come to " in result.stdout
    assert "`big2 rebuild` makes the books again from the log." in result.stdout


def test_a_player_is_found_by_id_even_when_his_name_was_erased(run, books):
    [player] = books.house.rich(1, 300)
    people.erase(books.house.store.database, player)
    books.house.project()
    result = run("statement", player)
    assert result.exit_code == 0
    assert result.stdout.startswith("Statement of (erased) in EUR\n")


def test_a_player_without_money_has_nothing_to_tell(run, books):
    [player] = books.house.enrol(1)
    books.house.project()
    result = run("statement", player)
    assert (result.exit_code, result.stdout.strip().partition(": ")[2]) == (0, "no money has ever moved")
    assert told(run("statement", player, "--currency", "USD", "--json"))["statements"][0]["items"] == []


def test_an_unknown_player_is_told_in_one_line_with_whom_he_may_mean(run):
    result = run("statement", "MEI LING")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: No player has the id or the exact name 'MEI LING': did you mean 'Mei Ling'?\n"
    )
    for nobody in (uuid4(), "Nobody", "\udcff"):
        result = run("statement", nobody)
        assert result.exit_code == 1
        assert result.stderr.endswith("GET /v1/players lists them all.\n")


def test_all_his_statements_are_as_of_one_position(run, books):
    found = told(run("statement", "Mei Ling", "--json"))["statements"]
    assert [of["currency"] for of in found] == ["EUR", "JPY"]
    assert {of["as_of"] for of in found} == {books.house.projector.position}


def test_a_currency_that_there_is_not_is_refused(run):
    result = run("statement", "Mei Ling", "--currency", "bitcoin")
    assert result.exit_code == 1
    assert "'BITCOIN' is no currency of ISO 4217, such as USD or EUR." in result.stderr


def test_a_spreadsheet_takes_nothing_for_a_formula(run, books):
    texts = [row["text"] for row in rows(run("statement", "Mei Ling", "--csv"))]
    assert any(text.endswith("=Tom") for text in texts)
    assert not any(text.startswith(("=", "+", "-", "@")) for text in texts)


# journal


def test_each_journal_is_told_with_its_cause_and_comes_to_nothing(run, books):
    by_kind = {line["kind"]: line["journal_id"] for line in books.lines()}
    assert {
        "deposit",
        "entry",
        "refund",
        "prize",
        "pool",
        "dissolution",
        "issued",
        "ante",
        "transfer",
    } <= set(by_kind)
    for kind, journal_id in by_kind.items():
        found = told(run("journal", journal_id, "--json"))
        stored = books.lines(journal_id=journal_id)
        assert (found["kind"], found["sum"]) == (kind, 0)
        assert [(line["account"], line["amount"]) for line in found["lines"]] == [
            (line["account"], line["amount"]) for line in stored
        ]
        [event] = books.house.store.events(UUID(found["stream"]), found["version"], found["version"])
        assert (event.position, event.topic) == (found["position"], found["topic"])
        assert (str(event.command), event.actor) == (found["command_id"], found["actor"])
        assert event.position == stored[0]["position"]
        page = run("journal", journal_id)
        assert page.exit_code == 0
        assert all(line["text"] in page.stdout and line["called"] in page.stdout for line in found["lines"])
        assert found["topic"] in page.stdout


@pytest.mark.parametrize("role", ["operator", "player"])
def test_a_journal_names_the_role_of_the_credential_behind_it_and_its_player(run, books, role):
    mei_ling = books.players["Mei Ling"]
    grant = Grant(Role(role), player_id=mei_ling if role == "player" else None)
    token = credentials.issue(books.house.store, books.house.command(), lambda: grant).token_id
    result = run("journal", deposited_by(books, token))
    assert f"credential/{token}, {role}{', Mei Ling' if role == 'player' else ''}\n" in result.stdout


def test_a_journal_by_a_credential_of_which_nothing_is_known_names_it_alone(run, books):
    token = uuid4()
    found = told(run("journal", deposited_by(books, token), "--json"))
    assert (found["actor"], found["role"], found["player"]) == (f"credential/{token}", None, None)


def deposited_by(books: Books, token: UUID) -> UUID:
    """The journal of a deposit for which this token was used."""
    command = Command(CommandId(uuid4()), f"credential/{token}", "")
    money = wallets.Money(42, uuid4().hex, None)
    asked = wallets.WalletRequest("EUR", money.reference, lambda: money)
    wallets.deposit(books.house, command, books.players["Mei Ling"], asked)
    books.house.project()
    return books.lines()[-1]["journal_id"]


def test_a_journal_that_does_not_come_to_nothing_has_status_one(run, spoilt):
    result = run("journal", spoilt["journal_id"])
    assert result.exit_code == 1
    assert "0.01" in result.stdout


def test_a_journal_that_there_is_not_is_told_in_one_line(run):
    result = run("journal", uuid4())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: No journal has the id ")
    assert "GET /v1/ledger/entries" in result.stderr
    assert run("journal", "17").exit_code == 2


# the look


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_nothing_is_wider_than_the_terminal(run, books, monkeypatch, columns):
    monkeypatch.setattr(statements, "_columns", lambda: columns)
    [journal_id, *_] = [line["journal_id"] for line in books.lines(kind="transfer")]
    for command in (["trial-balance"], ["statement", "Mei Ling"], ["journal", journal_id]):
        result = run(*command)
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= columns
        assert "…" not in result.stdout


def test_a_terminal_has_its_own_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "57")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert statements._columns() == 57


def test_where_an_encoding_has_no_cent_it_is_a_c(run, monkeypatch):
    result = CliRunner(charset="ascii").invoke(main, ["ledger", "statement", "Mei Ling"])
    assert result.exit_code == 0
    assert "fee 50 c" in result.stdout
    assert "x 1 c" in result.stdout


# what keeps the books closed


@pytest.mark.parametrize("command", ["trial-balance", "statement Tom", f"journal {UUID(int=7)}"])
def test_a_database_that_is_away_is_told_in_one_line(big2, monkeypatch, command):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr("services.database.WAIT_SECONDS", 0.1)
    result = big2(*command.split())
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert line.endswith("is the service running on this data directory (--data)?")


def test_a_database_without_books_says_how_they_are_made(big2, monkeypatch, empty_url):
    monkeypatch.setenv("DATABASE_URL", empty_url)
    result = big2("trial-balance")
    assert result.exit_code == 1
    assert result.stderr == "Error: this database has no books yet: `big2 serve` makes them when it starts\n"


def test_a_setting_that_cannot_be_used_is_named(big2, monkeypatch):
    monkeypatch.setenv("PORT", "eighty")
    result = big2("trial-balance")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: PORT must be a whole number")


def test_books_that_are_behind_the_log_are_waited_for(run, books):
    [player] = books.house.rich(1, 5)
    books.house.deposit(player, 900, "SEK")
    projecting = threading.Timer(0.3, books.house.project)
    projecting.start()
    result = run("statement", player, "--currency", "SEK", "--json")
    projecting.join()
    [of] = told(result)["statements"]
    assert (of["closing_wallet"], of["wallet_stream"], result.stderr) == (900, 900, "")


def test_books_that_stay_behind_the_log_say_so(run, books, monkeypatch):
    monkeypatch.setattr("services.application.ledger.BEHIND_SECONDS", 0.1)
    [player] = books.house.rich(1, 5)
    books.house.project()
    books.house.deposit(player, 900, "SEK")
    assert (
        run("trial-balance").stderr == "the books are 1 position behind the log: is the projector running?\n"
    )
    books.house.project()
    assert run("trial-balance").stderr == ""
