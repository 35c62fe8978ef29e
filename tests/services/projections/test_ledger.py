"""`ledger`: double entry. Journals and books sum to zero, balances are the stacks, and every transfer stands there."""

from __future__ import annotations

from collections import Counter

from domain.hand_events import Settled
from domain.tournament import Placed
from services.application.standings import standings

BALANCES = """
SELECT account, player_id, sum(amount) AS balance FROM ledger_lines
WHERE tournament_id = %s AND book = 'chips' GROUP BY 1, 2
"""


def test_at_every_moment_each_book_sums_to_zero_and_balances_are_the_stacks(evening):
    def look(tables, world):
        books: dict = {}
        for row in tables["ledger_lines"]:
            if row["book"] == "money":
                continue
            account = row["player_id"] or row["account"]
            books.setdefault(row["tournament_id"], Counter())[account] += row["amount"]
        for t, tournament in world.tournaments.items():
            book = books.pop(t, Counter())
            assert sum(book.values()) == 0
            assert -book["issued"] == (tournament.structure.stack * seated_in(tournament) if book else 0)
            seats = [
                s for table in world.tables.values() if table.tournament_id == t for s in table.seats.values()
            ]
            if tournament.structure.for_points:
                assert {p: balance for p, balance in book.items() if balance} == won_in(world, t)
            elif tournament.state in ("running", "paused") and tournament.tables_drawn:
                assert {s.player_id: s.stack for s in seats} == {
                    p: book[p] for p in (s.player_id for s in seats)
                }
                assert sum(s.stack for s in seats) + book["void"] == -book["issued"]
        assert not books

    evening.walk(look)


def test_at_every_moment_money_is_what_wallets_and_tournaments_say(evening):
    """The book sums to 0, no wallet is below 0, escrow and pool are the tournament's, each last balance is the sum."""
    states = set()

    def look(tables, world):
        book, last = Counter(), {}
        for row in sorted(tables["ledger_lines"], key=lambda row: (row["position"], row["line"])):
            if row["book"] == "money":
                book[row["account"]] += row["amount"]
            last[row["scope"], row["account"]] = row["balance"]
        assert sum(book.values()) == 0
        assert {account: balance for (scope, account), balance in last.items() if scope == "EUR"} == dict(
            book
        )
        for wallet in world.wallets:
            assert book[f"wallet/{wallet.player_id}"] == wallet.balance >= 0
        for t, tournament in world.tournaments.items():
            buy_in = tournament.structure.buy_in
            if buy_in is None:
                assert not {f"escrow/{t}", f"pool/{t}"} & set(book)
                continue
            _, left = world.owed(t) or ((), ())
            unpaid = sum(payment.booking.amount for payment in left)
            formed = tournament.pool
            states.add((tournament.state, bool(left), formed is not None))
            if tournament.state == "finished":
                escrow, pool = 0, unpaid
            elif tournament.state == "cancelled":
                escrow, pool = sum(p.booking.others[f"escrow/{t}"] for p in left), 0
            else:
                escrow = 0 if formed else buy_in.amount * len(world.roster(t).paid)
                pool = formed.buy_ins + formed.overlay if formed else 0
            assert (book[f"escrow/{t}"], book[f"pool/{t}"]) == (escrow, pool)
        assert {(a["scope"], a["account"]) for a in tables["ledger_accounts"]} == set(last)

    evening.walk(look)
    assert {("open", False, False), ("running", False, True), ("finished", True, True)} <= states
    assert {("finished", False, True), ("cancelled", True, False), ("cancelled", False, False)} <= states


def seated_in(tournament):
    """How many stacks were issued: one for each entry that has got a seat."""
    return tournament.entry_count - len(tournament.coming)


def won_in(world, t):
    """What each player of a league has won or lost in all, in chips."""
    won = Counter()
    for table in world.tables.values():
        if table.tournament_id == t:
            for player, tally in table.tallies.items():
                won[player] += tally.points * world.tournaments[t].unit
    return {player: chips for player, chips in won.items() if chips}


def test_a_league_s_balances_are_its_points(evening):
    t = evening.ids["league"]
    page, _ = standings(evening.house.store.database, t, evening.log[-1].position, 0, 100)
    balances = {row["player_id"]: row["balance"] for row in evening.rows()(BALANCES, t)}
    assert {s.player_id: s.chips for s in page.items if s.chips} == {p: b for p, b in balances.items() if b}
    assert all(s.chips == 3 * s.points for s in page.items)


def test_each_journal_sums_to_zero(evening):
    for column in ("journal_id", "position"):
        uneven = f"SELECT {column} FROM ledger_lines GROUP BY {column} HAVING sum(amount) <> 0"
        assert evening.rows()(uneven) == []


def test_balances_are_the_standings_chips_and_nothing_is_lost(evening):
    for name in ("long", "quick", "rained off", "real cards", "real cards, rained off", "late"):
        t = evening.ids[name]
        balances = evening.rows()(BALANCES, t)
        page, _ = standings(evening.house.store.database, t, evening.log[-1].position, 0, 100)
        assert {s.player_id: s.chips for s in page.items} == {
            row["player_id"]: row["balance"] for row in balances if row["player_id"]
        }
        assert all(row["account"] == f"player/{row['player_id']}" for row in balances if row["player_id"])
        house = {row["account"]: row["balance"] for row in balances if not row["player_id"]}
        tournament = evening.house.tournament(t)
        assert -house["issued"] == tournament.structure.stack * tournament.entry_count
        assert sum(s.chips for s in page.items) + house.get("void", 0) == -house["issued"]


def test_a_no_show_s_chips_go_to_void(evening):
    [gone] = [r.event for r in evening.log if isinstance(r.event, Placed) and r.event.no_show]
    query = "SELECT account, amount FROM ledger_lines WHERE kind = 'no_show' ORDER BY line"
    assert [tuple(row.values()) for row in evening.rows()(query)] == [
        (f"player/{gone.player_id}", -gone.stack),
        ("void", gone.stack),
    ]


def test_a_hand_s_lines_are_its_transfers(evening):
    settled = [r for r in evening.log if isinstance(r.event, Settled)]
    for r in settled:
        lines = evening.rows()("SELECT * FROM ledger_lines WHERE hand_id = %s ORDER BY line", r.stream)
        hand = evening.house.hand(r.stream)
        who = {s.seat: s.player_id for s in hand.terms.seats}
        wanted = []
        for t in r.event.transfers:
            kind = "cover" if t.covers else "transfer"
            wanted += [(kind, who[t.payer], -t.paid), (kind, who[t.receiver], t.paid)] if t.paid else []
        assert [(row["kind"], row["player_id"], row["amount"]) for row in lines] == wanted
        assert all((row["position"], row["event"]) == (r.position, "hand.settled") for row in lines)
        nets = Counter()
        for row in lines:
            nets[row["player_id"]] += row["amount"]
        assert all(nets[who[seat]] == net for seat, net in r.event.net.items())
    assert settled
