"""House players: ordinary HTTP clients that read the public feed and act for the seat whose turn it is."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from workers.client import Client, Refused
from workers.heartbeats import Heartbeats
from workers.strategy import choose
from workers.venues import Venue

THREADS = 8
SWEEP_SECONDS = 5.0
"""How often the running hands are looked at, in case a turn was missed."""
GONE = {"stale-turn", "not-your-turn", "hand-closed", "sits-out"}
"""Refusals that only say that somebody, or the clock, was faster, or that the clock alone acts for the seat."""

log = logging.getLogger(__name__)


class Bots:
    """Plays for everybody at a venue whose name begins with `prefix`, until it is over there."""

    def __init__(self, client: Client, venue: Venue, *, prefix: str = "", seed: int = 0) -> None:
        self._operator = client
        self._venue = venue
        self._prefix = prefix
        self._seed = seed
        self._players: dict[str, Client | None] = {}
        self._hands: dict[str, _Watched] = {}
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._heartbeats = Heartbeats(self._player)
        self.plays = 0

    def run(self) -> None:
        """Play until it is over; raises Refused if there is no such venue, or the token is not good."""
        if not any(map(self._is_ours, self._venue.names())):
            log.warning("nobody yet whose name begins with %r: waiting for one", self._prefix)
        with ThreadPoolExecutor(THREADS) as pool:
            threading.Thread(target=self._sweep_often, args=(pool,), daemon=True).start()
            beating = (self._done, self._logged)
            threading.Thread(target=self._heartbeats.run, args=beating, daemon=True).start()
            try:
                for kind, data in self._operator.feed(self._venue.query):
                    if self._done.is_set() or self._venue.ended_by(kind, data):
                        break
                    self._see(pool, kind, data)
            finally:
                self._done.set()

    def _see(self, pool: ThreadPoolExecutor, kind: str, event: dict[str, Any]) -> None:
        hand_id = event.get("hand_id")
        if kind == "connected":
            pool.submit(self._logged, self._sweep, pool)
        elif kind == "hand.dealt":
            self._heartbeats.seat(event["table_id"], event["seats"])
            self._watch(str(hand_id), {str(s["seat"]): s["player_id"] for s in event["seats"]})
        elif kind == "hand.played" and hand_id in self._hands:
            self._hands[hand_id].left[str(event["seat"])] -= len(event["cards"])
        elif kind == "hand.actions_voided" and hand_id in self._hands:
            self._hands[hand_id].left.update(event["cards_left"])
        elif kind in ("hand.settled", "hand.voided"):
            self._hands.pop(str(hand_id), None)
        if turn := event.get("next_turn"):
            pool.submit(self._logged, self._act, hand_id, turn["number"], turn["seat"])

    def _act(self, hand_id: str, turn: int, seat: int) -> None:
        """Take one turn, once; whoever was faster is welcome."""
        hand = self._hands.get(hand_id)
        player = self._player(hand.players[str(seat)]) if hand else None
        if hand is None or player is None or not hand.take(turn):
            return
        try:
            self._play(player, hand, hand_id, turn, str(seat))
        except BaseException as error:
            hand.release(turn)
            if not (isinstance(error, Refused) and error.code in GONE):
                raise

    def _play(self, player: Client, hand: _Watched, hand_id: str, turn: int, seat: str) -> None:
        legal = player.get(f"/v1/hands/{hand_id}/legal-plays")
        may_act = legal["items"] or legal["may_pass"]  # nothing for who sits out: the clock acts for him
        if legal["turn"] == turn and may_act:
            others = [left for other, left in hand.left.items() if other != seat]
            cards = choose(legal, hand.left[seat], min(others), self._random(hand_id, turn))
            self._send(player, hand_id, turn, cards)

    def _send(self, player: Client, hand_id: str, turn: int, cards: list[str] | None) -> None:
        if cards is None:
            player.post(f"/v1/hands/{hand_id}/passes", {"turn": turn})
        else:
            player.post(f"/v1/hands/{hand_id}/plays", {"turn": turn, "cards": cards})
        self.plays += 1

    def _random(self, hand_id: str, turn: int) -> Random:
        return Random(f"{self._seed}/{hand_id}/{turn}")  # noqa: S311 - a player's whim, no secret

    def _player(self, player_id: str) -> Client | None:
        """The player's own client, with a token made for him; None for somebody else's player."""
        with self._guard:
            if player_id not in self._players:
                name = self._operator.get(f"/v1/players/{player_id}")["name"]
                self._players[player_id] = self._enlist(player_id) if self._is_ours(name) else None
            return self._players[player_id]

    def _is_ours(self, name: str) -> bool:
        return name.startswith(self._prefix)

    def _enlist(self, player_id: str) -> Client:
        answer = self._operator.post(f"/v1/players/{player_id}/tokens")
        return self._operator.with_token(answer["token"])

    def _watch(self, hand_id: str, players: dict[str, str]) -> None:
        self._hands.setdefault(hand_id, _Watched(players, dict.fromkeys(players, 13)))

    def _sweep_often(self, pool: ThreadPoolExecutor) -> None:
        while not self._done.wait(SWEEP_SECONDS):
            self._logged(self._sweep, pool)

    def _sweep(self, pool: ThreadPoolExecutor) -> None:
        """Look at every running hand, and at whether it is over."""
        if self._venue.over():
            self._done.set()
        for hand_id in self._venue.hands():
            hand = self._operator.get(f"/v1/hands/{hand_id}")
            self._catch_up(hand)
            if turn := hand["turn"]:
                pool.submit(self._logged, self._act, hand_id, turn["number"], turn["seat"])

    def _catch_up(self, hand: dict[str, Any]) -> None:
        players = {str(s["seat"]): s["player_id"] for s in hand["seats"]}
        left = {str(s["seat"]): s["cards_left"] for s in hand["seats"]}
        self._heartbeats.seat(hand["table_id"], hand["seats"])
        self._hands.setdefault(hand["hand_id"], _Watched(players, left))

    def _logged(self, work: Any, *args: Any) -> None:  # noqa: ANN401 - any of the methods above
        """Run in the pool: an error is told at once, and the sweep takes the turn up again."""
        try:
            work(*args)
        except Refused as refusal:
            if not self._done.is_set():
                log.warning("%s", refusal)
                time.sleep(0.1)
        except Exception:  # in a pool nobody else would tell it
            if not self._done.is_set():
                log.exception("a bot has stumbled")


class _Watched:
    """A running hand: who sits where, how many cards each has left, which turns were taken."""

    def __init__(self, players: dict[str, str], left: dict[str, int]) -> None:
        self.players = players
        self.left = left
        self._taken: set[int] = set()
        self._guard = threading.Lock()

    def take(self, turn: int) -> bool:
        with self._guard:
            fresh = turn not in self._taken
            self._taken.add(turn)
            return fresh

    def release(self, turn: int) -> None:
        with self._guard:
            self._taken.discard(turn)
