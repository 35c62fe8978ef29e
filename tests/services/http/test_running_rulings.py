"""Rulings on a hand that runs, over HTTP: actions are void from one on, a turn gets time; and what is told of it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest

from big2.history import verify
from domain.hand import HAND
from domain.ids import HandId
from services.application import hands
from services.bootstrap import presets
from services.doctor.examination import Examination, Questions
from tests.services.http.driving import CLOCK, Api
from tests.services.http.playing import until
from tests.services.http.ringing import RingGame
from tests.services.http.test_disputes import REASON, Disputed, refused
from tests.services.http.test_looking_back import every


class Ruled(Disputed):
    """A hand that runs, of which some actions are taken."""

    def __init__(self, app, operator, actions: int = 6, **terms) -> None:
        super().__init__(app, operator, settled=False, **terms)
        for _ in range(actions):
            self.act(self.hand_in_question)

    def play_single(self) -> None:
        """The 2S if it may be played alone, else the lowest single card; a pass if there is none."""
        hand = self.now()
        legal = self.legal(hand)
        singles = [play["cards"] for play in legal["items"] if len(play["cards"]) == 1]
        if not singles:
            self.on_turn(hand).made(f"{self.at}/passes", {"turn": legal["turn"]})
            return
        cards = ["2S"] if ["2S"] in singles else singles[0]
        self.on_turn(hand).made(f"{self.at}/plays", {"turn": legal["turn"], "cards": cards})

    def now(self, reader: Api | None = None) -> dict:
        return self.hand(self.hand_in_question, reader)

    def taken(self) -> list[int]:
        """The numbers of the actions that seats took."""
        return [n for n, action in enumerate(self.now()["actions"], 1) if action["by"] != "rule"]

    def void_from(self, director: Api, action: int) -> dict:
        return director.made(f"{self.at}/rulings", {"ruling": "void_from", "action": action, **REASON})

    def give(self, director: Api, seconds: int) -> dict:
        return director.made(f"{self.at}/rulings", {"ruling": "time", "seconds": seconds, **REASON})

    def history(self, reader: Api) -> dict:
        return reader.read(f"{self.at}/history")


def all_is_right(services) -> None:
    questions = Questions(("I1", "I2", "I3", "I4", "I6", "I9", "I11"))
    assert list(Examination(services.store, questions).violations()) == []


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_actions_are_void_from_one_on_and_the_hand_goes_on_from_there(app, operator, director_, services):
    game = Ruled(app, operator, actions=0)
    seen = [game.now()]
    for _ in range(6):
        game.act(game.hand_in_question)
        seen.append(game.now())
    number = game.taken()[-3]
    then = next(hand for hand in seen if len(hand["actions"]) == number - 1)
    answer = game.void_from(director_, number)
    assert (answer["state"], answer["dispute"]["stage"]) == ("running", "none")
    [ruled] = answer["dispute"]["interim"]
    was = seen[-1]
    at = ruled["at"]
    assert ruled == {
        "at": at,
        "ruling": "void_from",
        "role": "director",
        "turn": was["turn"]["number"],
        "action": number,
        "last": len(was["actions"]),
        **REASON,
    }
    hand = game.now()
    for member in ("actions", "to_beat", "seats"):
        assert hand[member] == then[member]
    assert hand["voided_actions"] == [
        {"action": number, "at": at, "actions": was["actions"][number - 1 :], **REASON}
    ]
    assert (hand["turn"]["seat"], hand["turn"]["number"]) == (then["turn"]["seat"], was["turn"]["number"] + 1)
    assert hand["dispute"] == answer["dispute"]
    stale = {"turn": was["turn"]["number"]}
    refused(game.on_turn(hand).post(f"{game.at}/passes", stale), 409, "stale-turn")
    game.play_hand(game.hand_in_question)
    all_is_right(services)


def test_a_dry_run_shows_what_everybody_would_see_and_stores_nothing(app, operator, director_, services):
    game = Ruled(app, operator, actions=2)
    before = game.now()
    asked = {"ruling": "void_from", "action": 1, **REASON}
    [event] = director_.post(f"{game.at}/rulings?dry_run=true", asked).json["events"]
    assert (event["type"], event["action"], event["last"]) == (
        "hand.actions_voided",
        1,
        len(before["actions"]),
    )
    assert set(event["cards_left"].values()) == {13}
    assert "by" not in event
    [event] = director_.post(
        f"{game.at}/rulings?dry_run=true", {"ruling": "time", "seconds": 5, **REASON}
    ).json["events"]
    assert (event["type"], event["seconds"]) == ("hand.time_given", 5)
    assert game.now() == before


def test_it_is_told_alike_whenever_it_is_asked_again(app, operator, director_):
    game = Ruled(app, operator, actions=4)
    asked = {"ruling": "void_from", "action": 2, **REASON}
    first = director_.post(f"{game.at}/rulings", asked, key="once")
    game.act(game.hand_in_question)
    game.void_from(director_, 2)
    again = director_.post(f"{game.at}/rulings", asked, key="once")
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Hit"] == "true"
    assert len(game.now()["voided_actions"]) == 2


def test_the_feed_tells_it_at_once_and_who_ruled_to_nobody(app, operator, director_, services):
    game = Ruled(app, operator, actions=3)
    game.void_from(director_, 1)
    game.give(director_, 30)
    until(lambda: len(_told(services, game)) == 2)
    voided, given = _told(services, game)
    assert (voided["type"], voided["action"]) == ("hand.actions_voided", 1)
    assert voided["next_turn"]["number"] == game.now()["turn"]["number"]
    assert (given["type"], given["turn"]) == ("hand.time_given", voided["next_turn"]["number"])
    assert given["deadline"] == game.now()["turn"]["deadline"]
    assert all("credential" not in json.dumps(event) for event in (voided, given))


def _told(services, game: Ruled) -> list[dict]:
    query = (
        "SELECT data FROM projections.feed WHERE table_id = %s AND type = ANY(%s) ORDER BY position",
        (UUID(game.now()["table_id"]), ["hand.actions_voided", "hand.time_given"]),
    )
    with services.store.database.connection() as conn:
        return [json.loads(data) for (data,) in conn.execute(*query).fetchall()]


def test_history_and_steps_tell_what_stands_and_what_was_voided(app, operator, director_, auditor, services):
    game = Ruled(app, operator, actions=5)
    game.void_from(director_, game.taken()[2])
    for _ in range(3):
        game.act(game.hand_in_question, highest=True)
    game.give(director_, 60)
    game.void_from(director_, game.taken()[3])
    hand = game.play_hand(game.hand_in_question)
    history, steps = game.history(auditor), every(auditor, f"{game.at}/steps", limit=7)
    assert len(history["actions"]) == len(hand["actions"])
    voided = [len(each["actions"]) for each in history["voided_actions"]]
    assert voided == [len(each["actions"]) for each in hand["voided_actions"]]
    first = history["voided_actions"][0]
    assert {name: first[name] for name in ("action", "role", "reason")} == {
        "action": 3,
        "role": "director",
        **REASON,
    }
    assert {"seat", "by", "at"} <= first["actions"][0].keys()
    assert verify(history, presets())["verdict"] == "valid"
    assert [step["number"] for step in steps] == list(range(len(steps)))
    actions = [step for step in steps if step["action"]]
    standing = [step for step in actions if not step["voided"]]
    assert len(actions) - len(standing) == sum(voided)
    assert [step["action_number"] for step in standing] == list(range(1, len(standing) + 1))
    assert [step["action"]["seat"] for step in standing] == [a["seat"] for a in history["actions"]]
    rulings = [step for step in steps if step["voids_from"]]
    assert [step["voids_from"] for step in rulings] == [each["action"] for each in history["voided_actions"]]
    for ruling in rulings:
        assert (ruling["action"], ruling["decision"], ruling["action_number"]) == (None, None, None)
        before = [step for step in steps[: ruling["number"]] if not step["voids_from"]]
        same = next(s for s in reversed(before) if (s["action_number"] or 0) == ruling["voids_from"] - 1)
        assert ruling["holdings"] == same["holdings"]
        assert ruling["legal"] == same["legal"]
        assert ruling["turn"]["seat"] == same["turn"]["seat"]
    assert [change["deadline"] is None for step in steps for change in step["clock"]] == [False]
    for before, step in pairwise(steps):
        if step["action"] and before["turn"]:
            assert step["decision"]["plays"] == len(before["legal"])
    all_is_right(services)


def test_the_clock_waits_for_the_time_that_was_given_whatever_job_was_set_before(
    app, operator, director_, services, beside
):
    game = Ruled(app, operator, actions=1)
    before = game.now()["turn"]
    answer = game.give(director_, 900)
    assert answer["dispute"]["interim"][0] | {"at": None} == {
        "ruling": "time",
        "at": None,
        "role": "director",
        "turn": before["number"],
        "seconds": 900,
        **REASON,
    }
    after = game.now()["turn"]
    assert (after["number"], after["seat"]) == (before["number"], before["seat"])
    assert instant(after["deadline"]) - instant(before["deadline"]) == timedelta(seconds=900)
    with CLOCK.put_forward(seconds=601):
        hands.act_for_absent(services, HandId(UUID(game.hand_in_question)), before["number"])
        until(beside.rests)
        assert game.now()["turn"] == after
        CLOCK.go_on(seconds=900)
        until(lambda: game.now()["turn"]["number"] > before["number"])
    assert game.now()["actions"][-1]["by"] == "clock"
    all_is_right(services)


def test_the_clock_acts_for_a_turn_that_begins_anew_and_for_none_that_is_void(
    app, operator, director_, services, beside
):
    game = Ruled(app, operator, actions=2)
    old = game.now()["turn"]["number"]
    game.void_from(director_, 2)
    turn = game.now()["turn"]
    assert turn["number"] == old + 1
    with CLOCK.put_forward(seconds=601):
        for number in range(1, old + 1):
            with beside.paused():
                hands.act_for_absent(services, HandId(UUID(game.hand_in_question)), number)
        until(lambda: (game.now()["turn"] or {}).get("number") != turn["number"])
        assert game.now()["actions"][1]["by"] == "clock"
    all_is_right(services)


def test_a_frozen_hand_is_ruled_on_and_goes_on_when_it_is_released(app, operator, director_, services):
    game = Ruled(app, operator, actions=3)
    director_.made(f"{game.at}/freeze", {"scope": "hand", **REASON})
    game.void_from(director_, 2)
    answer = game.give(director_, 60)
    assert answer["dispute"]["stage"] == "open"
    assert game.now()["turn"]["deadline"] is None
    refused(game.on_turn(game.now()).post(f"{game.at}/passes", {"turn": 1}), 409, "hand-frozen")
    director_.made(f"{game.at}/release", {"scope": "hand", **REASON})
    left = instant(game.now()["turn"]["deadline"]) - services.store.now()
    assert timedelta(seconds=640) < left <= timedelta(seconds=660)
    hand = game.play_hand(game.hand_in_question)
    assert hand["dispute"]["stage"] == "none"
    assert [ruled["ruling"] for ruled in hand["dispute"]["interim"]] == ["void_from", "time"]
    all_is_right(services)


def test_a_flag_still_waits_for_a_ruling_and_a_pause_keeps_the_time_that_was_given(
    app, operator, director_, services
):
    game = Ruled(app, operator, actions=2)
    game.seated()[0].made(f"{game.at}/flags", REASON)
    assert game.give(director_, 3600)["dispute"]["stage"] == "open"
    director_.made(f"{game.path}/pause")
    until(lambda: game.now()["turn"]["deadline"] is None)
    director_.made(f"{game.path}/resume")
    until(lambda: game.now()["turn"]["deadline"])
    assert instant(game.now()["turn"]["deadline"]) - services.store.now() > timedelta(seconds=4000)
    game.play_hand(game.hand_in_question)
    ruled = director_.made(f"{game.at}/rulings", {"ruling": "void", **REASON})
    assert (ruled["dispute"]["stage"], len(ruled["dispute"]["interim"])) == ("ruled", 1)
    all_is_right(services)


def test_who_reads_a_hand_as_it_was_kept_reads_it_as_it_is_stored(app, operator, director_, services):
    game = Ruled(app, operator, actions=5)
    game.void_from(director_, 3)
    game.act(game.hand_in_question)
    game.void_from(director_, 1)
    game.act(game.hand_in_question)
    hand = HandId(UUID(game.hand_in_question))
    kept = services.store.load(HAND, hand)
    whole = services.store.load(HAND, hand, upto=kept.version)
    assert (kept.state, kept.recorded) == (whole.state, whole.recorded)


def test_players_read_their_cards_and_plays_as_the_hand_stands(app, operator, director_):
    game = Ruled(app, operator, actions=0)
    first = game.now()
    player, told = game.on_turn(first), game.legal(first)
    cards = game.hand(game.hand_in_question, player)["you"]["cards"]
    for _ in range(3):
        game.act(game.hand_in_question)
    game.void_from(director_, 1)
    assert game.hand(game.hand_in_question, player)["you"]["cards"] == cards
    again = game.legal(game.now())
    assert (again["items"], again["turn"] > told["turn"]) == (told["items"], True)
    assert "breach" not in json.dumps(game.now()["voided_actions"])


def test_at_a_ring_table_too(app, operator, director_, services):
    game = RingGame(app, operator)
    for seat in (1, 2):
        game.sit(seat)
    hand_id = game.hand_id()
    for _ in range(2):
        game.act(hand_id)
    at = f"/v1/hands/{hand_id}/rulings"
    director_.made(at, {"ruling": "void_from", "action": 1, **REASON})
    director_.made(at, {"ruling": "time", "seconds": 5, **REASON})
    assert game.hand(hand_id)["actions"] == []
    game.play_hand(hand_id)
    all_is_right(services)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"ruling": "void_from"}, "/action"),
        ({"ruling": "void_from", "action": 0}, "/action"),
        ({"ruling": "void_from", "action": 99}, "/action"),
        ({"ruling": "void_from", "action": "2"}, "/action"),
        ({"ruling": "void_from", "action": 1, "seconds": 5}, "/seconds"),
        ({"ruling": "time"}, "/seconds"),
        ({"ruling": "time", "seconds": 0}, "/seconds"),
        ({"ruling": "time", "seconds": 3601}, "/seconds"),
        ({"ruling": "time", "seconds": 5, "action": 1}, "/action"),
        ({"ruling": "void", "action": 1}, "/action"),
    ],
)
def test_what_is_wrong_with_it_is_told(asked, director_, body, pointer):
    before = asked.now()
    wrong = refused(director_.post(f"{asked.at}/rulings", body | REASON), 422, "validation")
    assert [error["pointer"] for error in wrong["errors"]] == [pointer]
    assert asked.now() == before


def test_an_automatic_pass_names_the_action_that_caused_it(app, operator, director_):
    """Single cards, until whoever has the 2S, which four are always dealt, plays it: the others pass (R6.1)."""
    game = Ruled(app, operator, actions=0)
    while not any(action["by"] == "rule" for action in game.now()["actions"]):
        game.play_single()
    actions = game.now()["actions"]
    number = next(n for n, action in enumerate(actions, 1) if action["by"] == "rule")
    asked = {"ruling": "void_from", "action": number, **REASON}
    wrong = refused(director_.post(f"{game.at}/rulings", asked), 422, "validation")
    assert wrong["errors"][0]["detail"].endswith(f"name the action that caused it, {number - 1}")
    game.void_from(director_, number - 1)
    assert game.now()["actions"] == actions[: number - 2]


def test_once_it_is_over_nothing_is_taken_back(app, operator, director_):
    game = Disputed(app, operator)
    for asked in ({"ruling": "void_from", "action": 1}, {"ruling": "time", "seconds": 5}):
        refused(director_.post(f"{game.at}/rulings", asked | REASON), 409, "hand-closed")


def test_before_the_deal_there_is_no_turn_and_no_action(app, operator, director_):
    game = Disputed(app, operator, settled=False, entropy_seconds=3600)
    for asked in ({"ruling": "void_from", "action": 1}, {"ruling": "time", "seconds": 5}):
        refused(director_.post(f"{game.at}/rulings", asked | REASON), 409, "hand-not-dealt")


def test_nobody_but_a_director_who_does_not_play_there_rules(asked, app, operator, auditor, admin):
    body = {"ruling": "void_from", "action": 1, **REASON}
    for reader in (operator, auditor, asked.seated()[0]):
        assert reader.post(f"{asked.at}/rulings", body).status_code == 403
    token = admin.made("/v1/tokens", {"role": "director", "player_id": next(iter(asked.players))})["token"]
    refused(Api(app, token).post(f"{asked.at}/rulings", body), 403, "forbidden")


@pytest.fixture(scope="module")
def asked(app, operator) -> Ruled:
    return Ruled(app, operator, actions=2)
