"""Ring tables over HTTP: opened, taken, played for money, left."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest

from big2.history import verify
from domain.hand import HAND
from domain.ring import RING
from services.audit import deal_problem, verify_log
from services.bootstrap import presets
from services.projections import rebuild
from tests.services.http.driving import CLOCK, Api
from tests.services.http.playing import Game, until
from tests.services.http.recording import code, errors
from tests.services.http.ringing import TERMS, RingGame, barred


@pytest.fixture
def ring(app, operator) -> RingGame:
    return RingGame(app, operator)


def together(times, what):
    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(what, range(times)))


# opened


def test_a_table_is_opened_at_a_stake_of_the_schedule_and_reads_its_terms(ring):
    table = ring.table()
    assert (table["tournament_id"], table["number"], table["state"], table["seats"]) == (
        None,
        None,
        "open",
        [],
    )
    assert table["ring"] == {
        "rules": "actionpoker",
        "stake": {"schedule": "actionpoker@1", "currency": "USD", "unit": 100, "buy_in": 5000, "ante": 30},
        "seats": 4,
        "turn_seconds": 600,
        "between_hands_seconds": 0,
        "protest_seconds": 0,
        "paused": False,
        "closing": False,
    }
    assert ring.opened == {**table, "as_of": ring.opened["as_of"]}


def test_whatever_is_left_out_has_a_default(operator):
    answer = operator.post("/v1/tables", {"stake": {"schedule": "actionpoker", "unit": 25}})
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/tables/{answer.json['table_id']}"
    ring = answer.json["ring"]
    assert (ring["rules"], ring["seats"], ring["turn_seconds"]) == ("actionpoker", 4, 30)
    assert (ring["between_hands_seconds"], ring["protest_seconds"]) == (3, 0)
    assert (ring["stake"]["schedule"], ring["stake"]["currency"]) == ("actionpoker@1", "USD")


@pytest.mark.parametrize(
    ("changed", "pointers"),
    [
        ({"stake": {"schedule": "nobodys", "unit": 100}}, ["/stake/schedule"]),
        ({"stake": {"schedule": "actionpoker@2", "unit": 100}}, ["/stake/schedule"]),
        ({"stake": {"schedule": "actionpoker@1", "unit": 40}}, ["/stake/unit"]),
        ({"stake": {"schedule": "actionpoker@1"}}, ["/stake/unit"]),
        ({"stake": "actionpoker@1"}, ["/stake"]),
        ({"currency": "EUR"}, ["/currency"]),
        ({"currency": "XXX"}, ["/currency"]),
        ({"rules": "nobodys"}, ["/rules"]),
        ({"seats": 5}, ["/seats"]),
        ({"unit": 100, "turn_seconds": -1}, ["/turn_seconds", "/unit"]),
        (
            {"seats": 1, "rules": "x", "stake": {"schedule": "y", "unit": 0}},
            ["/rules", "/seats", "/stake/schedule", "/stake/unit"],
        ),
        (
            {"rules": "x", "currency": "EUR", "stake": {"schedule": "actionpoker", "unit": 1}},
            ["/currency", "/rules", "/stake/unit"],
        ),
    ],
    ids=str,
)
def test_everything_that_is_wrong_with_a_table_is_told_at_once_and_nothing_is_stored(
    changed, pointers, operator, services
):
    before = services.store.head()
    assert sorted(errors(operator.post("/v1/tables", TERMS | changed))) == pointers
    assert services.store.head() == before


def test_r8_3_a_ring_table_needs_table_stakes(operator):
    body = {"name": "no-stakes", "rules": {"base": "actionpoker", "stake_cap": "none"}}
    operator.made("/v1/rulesets", body)
    told = errors(operator.post("/v1/tables", TERMS | {"rules": "no-stakes"}))
    assert "R8.3" in told["/rules"]


def test_a_published_rule_set_is_kept_with_its_version(operator, app):
    operator.made("/v1/rulesets", {"name": "forced", "rules": {"base": "actionpoker", "last_card": "forced"}})
    ring = RingGame(app, operator, rules="forced")
    assert ring.opened["ring"]["rules"] == "forced@1"
    ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    assert ring.hand(hand_id)["rules"] == "forced@1"
    ring.play_hand(hand_id)
    history = operator.read(f"/v1/hands/{hand_id}/history")
    assert verify(history, presets())["verdict"] == "valid"


def test_a_table_opened_many_times_with_one_key_is_one_table(operator):
    sent = together(8, lambda _: operator.post("/v1/tables", TERMS, key="one-table"))
    assert {answer.status_code for answer in sent} == {201}
    assert len({answer.data for answer in sent}) == 1
    assert sum("Idempotency-Hit" not in answer.headers for answer in sent) == 1


def test_open_tables_are_listed_and_closed_ones_where_asked_for(app, operator, anybody):
    ring, other = RingGame(app, operator), RingGame(app, operator, seats=2)
    ring.sit(3)
    operator.made(f"{other.path}/close")
    listed = {t["table_id"]: t for t in pages(anybody, "/v1/tables?limit=3")}
    assert listed[ring.id] == ring.table()
    assert other.id not in listed
    whole = {t["table_id"]: t for t in pages(anybody, "/v1/tables?limit=3&closed=true")}
    assert whole[other.id] == other.table()
    assert list(whole).index(ring.id) < list(whole).index(other.id)


def pages(api: Api, path: str) -> list[dict]:
    found, cursor = [], ""
    while cursor is not None:
        page = api.read(path + (f"&cursor={cursor}" if cursor else ""))
        found += page["items"]
        cursor = page["next"]
    return found


# who


def test_a_player_sits_down_himself_with_his_own_token_and_for_nobody_else(ring):
    me, other = ring.player(), ring.player()
    seat = ring.put(1, {"buy_in": 5000}, by=me).json["seats"][0]
    assert (seat["player_id"], seat["stack"], seat["buy_in"], seat["sitting_out"]) == (me, 5000, 5000, False)
    assert code(ring.put(2, {"player_id": other, "buy_in": 5000}, by=me)) == (403, "forbidden")
    assert code(ring.put(1, {"sitting_out": True}, by=other)) == (409, "seat-taken")
    assert code(ring.leave(1, by=other)) == (403, "forbidden")
    assert ring.put(1, {"player_id": me, "sitting_out": True}, by=me).json["seats"][0]["sitting_out"]
    assert ring.leave(1, by=me).status_code == 204


def test_a_token_of_a_tournament_is_good_for_no_ring_table(app, operator, admin, ring):
    game = Game(app, operator, entrants=0)
    limited = Api(app, admin.made("/v1/tokens", {"role": "operator", "tournament_id": game.id})["token"])
    player = ring.player()
    body = {"player_id": player, "buy_in": 5000}
    assert code(limited.post("/v1/tables", TERMS)) == (403, "forbidden")
    assert code(limited.request("PUT", f"{ring.path}/seats/1", body)) == (403, "forbidden")
    assert code(limited.delete(f"{ring.path}/seats/1")) == (403, "forbidden")
    for step in ("close", "pause", "resume"):
        assert code(limited.post(f"{ring.path}/{step}")) == (403, "forbidden")
    of_game = operator.made(f"/v1/players/{player}/tokens", {"tournament_id": game.id})["token"]
    ring.sit(1, player)
    ring.sit(2)
    hand = ring.hand(ring.hand_id())
    theirs = Api(app, of_game)
    assert "you" not in theirs.read(f"/v1/hands/{hand['hand_id']}")
    for path, ask in (("legal-plays", theirs.get), ("passes", theirs.post)):
        body = {} if ask == theirs.get else {"body": {"turn": 1}}
        assert code(ask(f"/v1/hands/{hand['hand_id']}/{path}", **body)) == (403, "forbidden")


def test_a_director_pauses_a_ring_table_and_closes_none(ring, director_):
    director_.made(f"{ring.path}/pause")
    assert code(director_.post(f"{ring.path}/close")) == (403, "forbidden")
    director_.made(f"{ring.path}/resume")


def test_who_is_no_player_or_barred_does_not_sit_down(ring, services):
    nobody = ring.put(1, {"player_id": str(uuid4()), "buy_in": 5000})
    assert errors(nobody) == {"/player_id": "is no player"}
    player = ring.player()
    barred(services, player)
    assert code(ring.put(1, {"player_id": player, "buy_in": 5000})) == (409, "player-barred")


# seats


@pytest.mark.parametrize("seat", [0, 3, 5, 10**30])
def test_a_seat_that_the_table_has_not_is_not_found(seat, app, operator):
    ring = RingGame(app, operator, seats=2)
    assert code(ring.put(seat, {"player_id": ring.player(), "buy_in": 5000})) == (404, "not-found")
    assert code(ring.leave(seat)) == (404, "not-found")


def test_nobody_stands_up_from_a_free_seat(ring):
    assert code(ring.leave(1)) == (404, "not-found")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/buy_in", "/player_id"]),
        ({"buy_in": 0, "sitting_out": "no"}, ["/buy_in", "/player_id", "/sitting_out"]),
        ({"buy_in": 2**53, "player_id": "me"}, ["/buy_in", "/player_id"]),
        ({"top_up": 100}, ["/buy_in", "/player_id", "/top_up"]),
        ({"buy_in": 4999, "sitting_out": 1}, ["/buy_in", "/player_id", "/sitting_out"]),
        ({"player_id": "00000000-0000-5000-8000-000000000000", "top_up": 1}, ["/player_id", "/top_up"]),
    ],
    ids=str,
)
def test_everything_that_is_wrong_with_a_wish_is_told_at_once(body, pointers, ring):
    assert sorted(errors(ring.put(1, body))) == pointers


def test_r10_1_less_than_the_buy_in_is_refused(ring):
    told = errors(ring.put(1, {"player_id": ring.player(), "buy_in": 4999}))
    assert told == {"/buy_in": "must be 5000 at least (R10.1)"}


def test_conflicts_are_told_before_what_is_wrong(ring):
    first = ring.sit(1)
    other = ring.player()
    assert code(ring.put(1, {"player_id": other, "buy_in": "much"})) == (409, "seat-taken")
    assert code(ring.put(2, {"player_id": first, "buy_in": "much"})) == (409, "already-seated")
    ring.operator.made(f"{ring.path}/close")
    assert code(ring.put(2, {"player_id": other, "buy_in": "much"})) == (409, "table-closed")
    assert code(ring.operator.post(f"{ring.path}/close", {"why": 1})) == (409, "table-closed")


def test_whoever_has_too_little_does_not_sit_down_and_nothing_moves(ring):
    poor = ring.player(4000)
    refused = ring.put(1, {"player_id": poor, "buy_in": 5000})
    assert code(refused) == (422, "insufficient-funds")
    assert (refused.json["missing"], refused.json["currency"]) == (1000, "USD")
    assert ring.table()["seats"] == []
    assert ring.purse(poor) == 4000


def test_of_two_who_want_a_seat_at_once_one_gets_it_and_the_other_keeps_his_money(ring):
    players = [ring.player() for _ in range(6)]
    sent = together(6, lambda n: ring.put(1, {"player_id": players[n], "buy_in": 5000}))
    assert sorted(answer.status_code for answer in sent) == [200, *[409] * 5]
    assert {code(a)[1] for a in sent if a.status_code == 409} == {"seat-taken"}
    assert sorted(map(ring.purse, players)) == [95_000, *[100_000] * 5]


def test_a_wallet_that_lasts_for_one_table_is_taken_by_one(app, operator):
    first, second = RingGame(app, operator), RingGame(app, operator)
    player = first.player(5000)
    body = {"player_id": player, "buy_in": 5000}
    sent = together(2, lambda n: (first, second)[n].put(1, body))
    assert sorted(answer.status_code for answer in sent) == [200, 422]
    assert first.purse(player) == 0


def test_a_player_has_one_seat_of_a_table_however_often_he_asks_at_once(ring):
    player = ring.player()
    sent = together(4, lambda n: ring.put(n + 1, {"player_id": player, "buy_in": 5000}))
    assert sorted(answer.status_code for answer in sent) == [200, 409, 409, 409]
    assert {code(a)[1] for a in sent if a.status_code == 409} == {"already-seated"}
    assert ring.purse(player) == 95_000


def test_a_buy_in_sent_many_times_with_one_key_is_taken_once_with_one_answer(ring):
    player = ring.player()
    body = {"player_id": player, "buy_in": 5000}
    sent = together(8, lambda _: ring.put(1, body, key="sit-down"))
    assert len({answer.data for answer in sent}) == 1
    ring.wish(1, {"buy_in": 6000})
    again = ring.put(1, body, key="sit-down")
    assert (again.data, again.headers["Idempotency-Hit"]) == (sent[0].data, "true")
    assert code(ring.wish(1, {"buy_in": 6000}, key="sit-down")) == (422, "idempotency-key-reuse")
    assert ring.purse(player) == 94_000


def test_a_buy_in_without_a_key_is_taken_once_too(ring):
    player = ring.player()
    for _ in range(3):
        assert ring.put(1, {"player_id": player, "buy_in": 7000}).status_code == 200
    assert (ring.purse(player), ring.stacks()) == (93_000, {1: 7000})


def test_a_wish_that_changed_nothing_is_known_by_its_key(ring):
    ring.sit(1)
    first = ring.wish(1, {"sitting_out": False}, key="stay")
    ring.wish(1, {"sitting_out": True})
    again = ring.wish(1, {"sitting_out": False}, key="stay")
    assert (again.data, again.headers["Idempotency-Hit"]) == (first.data, "true")
    assert ring.table()["seats"][0]["sitting_out"]


def test_money_leaves_a_table_with_its_player_only(ring):
    ring.sit(1, buy_in=6000)
    assert "leaves a table with its player" in errors(ring.wish(1, {"buy_in": 5000}))["/buy_in"]
    assert ring.stacks() == {1: 6000}


# a hand


def test_two_sit_down_play_and_stand_up_and_the_book_says_the_same(ring, operator):
    first, second = ring.sit(1), ring.sit(3)
    hand_id = ring.hand_id()
    hand = ring.hand(hand_id)
    assert (hand["tournament_id"], hand["currency"], hand["unit"], hand["number"]) == (None, "USD", 100, 1)
    assert [s["stack"] for s in hand["seats"]] == [4970, 4970]  # R10.1: the ante is paid, R8.3
    assert ring.stacks() == {1: 4970, 3: 4970}
    operator.made(f"{ring.path}/pause")
    net = ring.play_hand(hand_id)["settlement"]["net"]
    assert sum(net.values()) == 0
    stacks = {1: 4970 + net["1"], 3: 4970 + net["3"]}
    assert ring.stacks() == stacks
    assert (ring.stack_of(first), ring.stack_of(second)) == (stacks[1], stacks[3])
    assert ring.table()["last_hand_id"] == hand_id
    assert ring.leave(1).status_code == 204
    assert ring.leave(3, by=second).status_code == 204
    assert (ring.purse(first), ring.purse(second)) == (95_000 + stacks[1], 95_000 + stacks[3])
    assert (ring.stack_of(first), ring.stack_of(second)) == (0, 0)
    [trial] = operator.read("/v1/ledger/trial-balance?currency=USD")["items"]
    assert trial["balanced"]


def test_whoever_was_dealt_in_stands_up_after_the_hand_and_plays_on_until_then(ring):
    first, _ = ring.sit(1), ring.sit(2)
    hand_id = ring.hand_id()
    assert ring.leave(1, player=first, key="bye").status_code == 204
    seat = ring.table()["seats"][0]
    assert (seat["player_id"], seat["leaving"]) == (first, True)
    assert ring.leave(1).status_code == 204
    assert code(ring.put(1, {"player_id": first, "buy_in": 9000})) == (409, "standing-up")
    assert code(ring.put(1, {"player_id": ring.player(), "buy_in": 5000})) == (409, "seat-taken")
    net = ring.play_hand(hand_id)["settlement"]["net"]
    until(lambda: list(ring.stacks()) == [2])
    assert ring.purse(first) == 95_000 + 4970 + net["1"]
    again = ring.leave(1, player=first, key="bye")
    assert (again.status_code, again.headers["Idempotency-Hit"]) == (204, "true")


def test_a_newcomer_waits_for_the_next_hand_and_may_leave_before_it(ring):
    ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    newcomer = ring.sit(3)
    assert {s["seat"] for s in ring.hand(hand_id)["seats"]} == {1, 2}
    assert ring.leave(3).status_code == 204
    assert ring.purse(newcomer) == 100_000
    ring.sit(3, newcomer)
    ring.play_hand(hand_id)
    assert {s["seat"] for s in ring.hand(next_hand(ring, hand_id))["seats"]} == {1, 2, 3}


def next_hand(ring, before: str) -> str:
    return until(lambda: (found := ring.table()["hand_id"]) != before and found)


def test_r10_4_a_top_up_during_a_hand_counts_from_the_next_one_on(ring):
    player = ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    assert ring.put(1, {"buy_in": 8000}, by=player).json["seats"][0]["stack"] == 7970
    assert ring.hand(hand_id)["seats"][0]["stack"] == 4970
    net = ring.play_hand(hand_id)["settlement"]["net"]
    following = ring.hand(next_hand(ring, hand_id))
    assert following["seats"][0]["stack"] == 7970 + net["1"] - 30
    assert ring.purse(player) == 92_000


def test_whoever_sits_out_is_not_dealt_in_until_he_sits_in_again(ring):
    for seat in (1, 2, 3):
        ring.sit(seat)
    ring.wish(2, {"sitting_out": True})
    hand_id = ring.hand_id()
    ring.play_hand(hand_id)
    hand_id = next_hand(ring, hand_id)
    assert {s["seat"] for s in ring.hand(hand_id)["seats"]} == {1, 3}
    ring.wish(2, {"sitting_out": False})
    ring.play_hand(hand_id)
    assert {s["seat"] for s in ring.hand(next_hand(ring, hand_id))["seats"]} == {1, 2, 3}


def test_r9_and_r5_4_hand_after_hand(ring, services):
    for seat in (2, 3, 4):
        ring.sit(seat)
    seen, hand_id = [], None
    for _ in range(4):
        hand_id = next_hand(ring, hand_id)
        hand = ring.hand(hand_id)
        seen.append((hand["dealer"], hand["direction"]))
        history_led_by_the_lowest_card(services, hand_id, hand)
        ring.play_hand(hand_id)
    assert seen == [
        (2, "clockwise"), (3, "counterclockwise"), (4, "clockwise"), (2, "counterclockwise"),
    ]  # fmt: skip


def history_led_by_the_lowest_card(services, hand_id, hand):
    state = services.store.load(HAND, UUID(hand_id)).state
    assert state.terms.leader is None
    cards = {seat: text.split()[0] for seat, text in state.terms.cards.items()}
    order = "3456789TJQKA2", "DCHS"
    lowest = min(cards, key=lambda seat: (order[0].index(cards[seat][0]), order[1].index(cards[seat][1])))
    assert hand["turn"]["seat"] == lowest


def test_a_clock_that_plays_two_hands_sits_a_player_out(app, operator):
    ring = RingGame(app, operator, turn_seconds=1)
    ring.sit(1)
    ring.sit(2)

    def all_rest() -> bool:
        CLOCK.go_on(seconds=1)
        return all(s["sitting_out"] for s in ring.table()["seats"])

    with CLOCK.put_forward():
        until(all_rest)
    assert (ring.table()["hand_id"], ring.table()["hands_played"]) == (None, 2)


def test_a_pause_keeps_the_turns_time_and_deals_nothing(ring, operator, beside, services):
    ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    table = operator.made(f"{ring.path}/pause")
    assert table["ring"]["paused"]
    assert ring.hand(hand_id)["turn"]["deadline"] is None
    assert code(operator.post(f"{ring.path}/pause")) == (409, "already-paused")
    operator.made(f"{ring.path}/resume")
    assert ring.hand(hand_id)["turn"]["deadline"] is not None
    operator.made(f"{ring.path}/pause")
    ring.play_hand(hand_id)
    until(beside.rests)
    assert ring.table()["hand_id"] is None
    operator.made(f"{ring.path}/resume")
    assert next_hand(ring, hand_id) != hand_id
    assert code(operator.post(f"{ring.path}/resume")) == (409, "not-paused")


# the end


def test_a_table_that_is_closed_during_a_hand_closes_after_it_and_cashes_everybody_out(ring, operator):
    first, second = ring.sit(1), ring.sit(2)
    hand_id = ring.hand_id()
    table = operator.made(f"{ring.path}/close", key="close")
    assert (table["state"], table["ring"]["closing"]) == ("open", True)
    assert code(ring.put(3, {"player_id": ring.player(), "buy_in": 5000})) == (409, "table-closed")
    net = ring.play_hand(hand_id)["settlement"]["net"]
    until(lambda: ring.table()["state"] == "closed")
    assert (ring.table()["seats"], ring.table()["ring"]["closing"]) == ([], False)
    assert (ring.purse(first), ring.purse(second)) == (99_970 + net["1"], 99_970 + net["2"])
    again = operator.post(f"{ring.path}/close", key="close")
    assert (again.json, again.headers["Idempotency-Hit"]) == (table, "true")
    assert code(operator.post(f"{ring.path}/close")) == (409, "table-closed")


def test_a_history_is_whose_hand_it_was_and_everybodys_once_the_table_is_closed(
    ring, operator, anybody, beside
):
    first = ring.sit(1)
    ring.sit(2)
    outsider = ring.player()
    hand_id = ring.hand_id()
    path = f"/v1/hands/{hand_id}/history"
    operator.made(f"{ring.path}/close")
    assert code(ring.players[first].get(path)) == (403, "hand-not-closed")
    ring.play_hand(hand_id)
    until(lambda: ring.table()["state"] == "closed")
    until(beside.rests)
    history = anybody.read(path)
    assert history == ring.players[outsider].read(path)
    assert "tournament_id" not in history
    assert (history["table_id"], history["currency"]) == (ring.id, "USD")
    assert verify(history, presets())["verdict"] == "valid"
    assert deal_problem(history) is None


def test_until_the_table_is_closed_only_who_was_dealt_in_reads_a_history(ring, anybody, auditor):
    first = ring.sit(1)
    ring.sit(2)
    outsider = ring.player()
    hand_id = ring.hand_id()
    ring.play_hand(hand_id)
    path = f"/v1/hands/{hand_id}/history"
    assert code(anybody.get(path)) == (401, "unauthenticated")
    refused = ring.players[outsider].get(path)
    assert code(refused) == (403, "forbidden")
    assert "table is closed" in refused.json["detail"]
    assert ring.players[first].read(path) == auditor.read(path)


def test_a_protest_window_is_the_tables(app, operator, anybody):
    ring = RingGame(app, operator, protest_seconds=3600, between_hands_seconds=7200)
    ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    assert ring.play_hand(hand_id)["state"] == "settled"
    with CLOCK.put_forward(minutes=61):
        until(lambda: ring.hand(hand_id)["state"] == "final")


def test_the_feed_tells_a_tables_story_and_its_own_seat_its_cards(ring):
    first = ring.sit(1)
    ring.sit(2)
    hand_id = ring.hand_id()
    ring.play_hand(hand_id)
    after = ring.opened["as_of"]
    told = events(ring.players[first], f"/v1/feed?table={ring.id}&after={after}", "hand.settled")
    kinds = [kind for kind, _ in told]
    assert kinds[:5] == ["ring.sat_down", "ring.sat_down", "ring.hand_begun", "hand.committed", "hand.dealt"]
    dealt = dict(told)["hand.dealt"]
    assert '"you":{"seat":1' in dealt
    assert '"tournament_id":null' in dealt
    of_player = events(ring.anybody, f"/v1/feed?player={first}&after={after}", "hand.settled")
    assert "ring.sat_down" in [kind for kind, _ in of_player]
    assert '"you"' not in str(of_player)


def events(reader: Api, path: str, until_kind: str) -> list[tuple[str, str]]:
    """Events of a feed, up to the first of this kind."""
    response = reader.request("GET", path, buffered=False)
    found, buffer = [], ""
    for chunk in response.response:
        buffer += chunk.decode()
        while "\n\n" in buffer:
            frame, _, buffer = buffer.partition("\n\n")
            lines = dict(line.split(": ", 1) for line in frame.splitlines() if not line.startswith(":"))
            if "event" in lines and "data" in lines:
                found.append((lines["event"], lines["data"]))
            if lines.get("event") == until_kind:
                response.close()
                return found
    raise AssertionError("the feed ended")


# audit


def test_the_log_of_ring_tables_is_whole_and_can_be_projected_again(ring, operator, services, beside):
    ring.sit(1)
    ring.sit(2)
    ring.play_hand(ring.hand_id())
    operator.made(f"{ring.path}/close")
    until(beside.rests)
    proof = verify_log(services.store)
    assert proof.by_topic["ring.hand_begun.1"] >= 1
    with beside.paused():
        assert rebuild.compare(services.store) == []


def test_a_repeat_reads_the_table_as_it_was_after_the_command(ring, services):
    player = ring.sit(1)
    answer = ring.wish(1, {"buy_in": 6000}, key="more")
    ring.sit(2)
    ring.play_hand(ring.hand_id())
    assert ring.wish(1, {"buy_in": 6000}, key="more").data == answer.data
    assert services.store.load(RING, UUID(ring.id)).state.seats[1].player_id == UUID(player)


def test_r11_a_connection_at_a_ring_table_is_shown_there_and_stored_with_the_deal(ring, auditor):
    first = ring.sit(1)
    ring.players[first].made(f"{ring.path}/heartbeat", {"rtt_ms": 40})
    assert ring.table()["seats"][0]["connection"] == "good"
    ring.sit(2)
    hand_id = ring.hand_id()
    assert [s["connection"] for s in ring.hand(hand_id)["seats"]] == ["good", "not_connected"]
    ring.play_hand(hand_id)
    history = auditor.read(f"/v1/hands/{hand_id}/history")
    assert [s["connection"] for s in history["seats"]] == ["good", "not_connected"]


def test_the_hands_of_a_table_are_listed_in_the_order_of_their_deals(ring, anybody):
    ring.sit(1)
    ring.sit(2)
    played, hand_id = [], None
    for _ in range(3):
        hand_id = next_hand(ring, hand_id)
        played.append(hand_id)
        ring.play_hand(hand_id)
    ring.operator.made(f"{ring.path}/pause")
    listed = pages(anybody, f"{ring.path}/hands?limit=2")
    assert [hand["hand_id"] for hand in listed][:3] == played
    assert {hand["table_id"] for hand in listed} == {ring.id}
    text = anybody.get(f"{ring.path}/hands?format=csv").text
    assert text.startswith("hand_id,table_id,number,state")
    nowhere = "00000000-0000-5000-8000-000000000000"
    assert code(anybody.get(f"/v1/tables/{nowhere}/hands")) == (404, "not-found")
