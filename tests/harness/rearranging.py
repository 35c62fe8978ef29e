"""Another deal under the same public history: what a hand might be, for all that an observer may know of it.

The cards that nobody has seen are dealt anew, the rules are asked again for every action on record, and the answer
stands only if all that everybody may see of it is the same. What follows from the cards, such as a breach, is theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from big2.cards import card_text, cards_in, cards_text, mask_of, parse_stored_cards
from big2.errors import IllegalPlay
from domain import hand as decide_on
from domain.errors import Rejected
from domain.events import Audience, Event, audiences, public_fields
from domain.hand import Hand, folded, rule_set_of
from domain.hand_events import CardsPlayed, Dealt, Passed, Settled
from services.envelope import Recorded

TRIES = 200
MOST_SWAPS = 64
STUB = 0
"""Who has the cards that were dealt to no seat."""


class Step(NamedTuple):
    """What the seat on turn does next in every world; no cards for a pass."""

    mask: int | None

    def cards(self) -> list[str]:
        """As a client sends them."""
        return [card_text(card) for card in cards_in(self.mask)] if self.mask else []

    def of(self, hand: Hand, now: datetime) -> list[Event]:
        """Its events; refused as a player's would be."""
        game = hand.game
        player = next(s.player_id for s in hand.terms.seats if s.seat == game.turn)
        if self.mask is None:
            return decide_on.pass_turn(hand, player, game.turn_number, now)
        return decide_on.play(hand, player, game.turn_number, cards_in(self.mask), now)


def another(
    recorded: Sequence[Recorded], keep: Collection[int], following: Step | None, random: Random
) -> list[Event] | None:
    """The hand's events in another world, where the seats `keep` hold what they held; None if there is no other."""
    committed, deal = recorded[0].event, recorded[1].event
    assert isinstance(deal, Dealt)
    known = [mask_of(parse_stored_cards(r.event.cards)) for r in recorded if isinstance(r.event, CardsPlayed)]
    fixed = sum(known) | (following.mask or 0 if following else 0)
    told = folded([r.event for r in recorded])
    for attempt in range(TRIES):
        other = _dealt_anew(deal, fixed, keep, max(1, MOST_SWAPS >> attempt // 8), random)
        if other.cards == deal.cards and other.stub == deal.stub:
            continue
        try:
            events = _told_anew([sealed_anew(committed), other], recorded)
            if events and following:
                now = recorded[-1].at
                same = _seen(following.of(folded(events), now)) == _seen(following.of(told, now))
                events = events if same else None
        except (IllegalPlay, Rejected):
            continue
        if events:
            return events
    return None


def sealed_anew(event: Event) -> Event:
    """The event with other secrets in the place of those that nobody ever sees."""
    secret = [name for name, audience in audiences(type(event)).items() if audience is Audience.SEALED]
    values = {name: getattr(event, name) for name in secret}
    return replace(
        event, **{n: hashlib.sha256(v).digest() for n, v in values.items() if isinstance(v, bytes)}
    )


def _dealt_anew(deal: Dealt, fixed: int, keep: Collection[int], swaps: int, random: Random) -> Dealt:
    """So many swaps of two cards that are neither fixed nor held by `keep`."""
    owners = {card: seat for seat, text in deal.cards.items() for card in parse_stored_cards(text)}
    owners |= dict.fromkeys(parse_stored_cards(deal.stub) if deal.stub else (), STUB)
    free = [card for card, owner in owners.items() if owner not in keep and not fixed >> card & 1]
    for _ in range(swaps if len(free) > 1 else 0):
        one, two = random.sample(free, 2)
        owners[one], owners[two] = owners[two], owners[one]
    suits = rule_set_of(deal).suits

    def text(seat: int) -> str:
        return cards_text([card for card, owner in owners.items() if owner == seat], suits)

    return replace(deal, cards={seat: text(seat) for seat in deal.cards}, stub=text(STUB))


def _told_anew(begun: list[Event], recorded: Sequence[Recorded]) -> list[Event] | None:
    """What the rules make of the actions on record after another deal; None if anybody could tell."""
    events = list(begun)
    if folded(events).game.turn != folded([r.event for r in recorded[:2]]).game.turn:
        return None
    while len(events) < len(recorded):
        r = recorded[len(events)]
        if not isinstance(r.event, CardsPlayed | Passed):
            assert not isinstance(r.event, Settled), "a settlement follows from an action"
            events.append(r.event)
            continue
        events += _acted_anew(folded(events), r)
    return events if _seen(events) == _seen([r.event for r in recorded]) else None


def _acted_anew(hand: Hand, r: Recorded) -> list[Event]:
    event, game = r.event, hand.game
    assert isinstance(event, CardsPlayed | Passed)
    if (event.by if isinstance(event, CardsPlayed) else event.reason) == "clock":
        return decide_on.act_for_absent(hand, game.turn_number, r.at)
    player = next(s.player_id for s in hand.terms.seats if s.seat == event.seat)
    if isinstance(event, Passed):
        return decide_on.pass_turn(hand, player, game.turn_number, r.at)
    return decide_on.play(hand, player, game.turn_number, parse_stored_cards(event.cards), r.at)


def _seen(events: Sequence[Event]) -> list[tuple[str, object]]:
    return [(type(event).__name__, public_fields(event)) for event in events]
