"""Who may see what: the table of every field of every event. A new field must be decided here too."""

import inspect
from dataclasses import is_dataclass
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from big2.ring import RingStep
from domain import (
    dispute_events,
    hand_events,
    journal,
    placing,
    structure,
    table,
    tournament,
    tournament_events,
)
from domain.events import Audience, Event, Public, audiences, public_fields, seat_fields
from domain.ring_events import RingTerms
from domain.topics import TOPICS
from tests.domain.given import dealt, steady
from tests.domain.samples import values


class Seen(NamedTuple):
    """Fields by audience; `sealed` are sealed on purpose, by their type or by having no audience."""

    public: str = ""
    own_seat: str = ""
    after_hand: str = ""
    books: str = ""
    operating: str = ""
    sealed: str = ""


FIELDS = {
    "player.enrolled.1": Seen("player_id"),
    "player.barred.1": Seen(sealed="reason"),
    "player.reinstated.1": Seen(sealed="reason"),
    "credential.issued.1": Seen(
        "credential_id role", sealed="secret_hash player_id tournament_id expires_at"
    ),
    "credential.revoked.1": Seen(),
    "ruleset.published.1": Seen("name version ruleset digest"),
    "stakes.published.1": Seen("name version currency steps digest"),
    "ring.opened.1": Seen("table_id terms terms_hash", sealed="master"),
    "ring.sat_down.1": Seen("seat player_id buy_in"),
    "ring.topped_up.1": Seen("seat player_id amount"),
    "ring.sat_out.1": Seen("seat player_id reason"),
    "ring.sat_in.1": Seen("seat player_id"),
    "ring.seat_kept.1": Seen("seat player_id"),
    "ring.leave_asked.1": Seen("seat player_id"),
    "ring.stood_up.1": Seen("seat player_id stack"),
    "ring.hand_begun.1": Seen("hand_id number dealer direction unit ante currency players stacks"),
    "ring.hand_ended.1": Seen("hand_id number winner net acted absent deal_at"),
    "ring.paused.1": Seen(),
    "ring.resumed.1": Seen(),
    "ring.close_asked.1": Seen(),
    "ring.closed.1": Seen(),
    "roster.registered.1": Seen("tournament_id entry_id player_id"),
    "roster.re_entered.1": Seen("tournament_id entry_id player_id"),
    "roster.withdrawn.1": Seen("tournament_id player_id"),
    "roster.closed.1": Seen("tournament_id"),
    "tournament.seeds_committed.1": Seen("tournament_id draw_commitment", sealed="master draw_seed"),
    "tournament.published.1": Seen("tournament_id version structure structure_hash"),
    "tournament.started.1": Seen("entrants level_ends_at"),
    "tournament.tables_drawn.1": Seen("tables final draw"),
    "tournament.entry_taken.1": Seen("player_id entry_id number re_entry"),
    "tournament.late_seated.1": Seen("number table_id place opens draw"),
    "tournament.late_seated.2": Seen("number table_id place opens draw hand_id from_void"),
    "tournament.entries_closed.1": Seen("entries entrants"),
    "tournament.table_broken.1": Seen("number table_id"),
    "tournament.table_opened.1": Seen("table draw"),
    "tournament.table_closed.1": Seen("number table_id players"),
    "tournament.tables_held.1": Seen("numbers"),
    "tournament.player_moved.1": Seen("player_id from_table from_seat to_table to_seat draw"),
    "tournament.level_raised.1": Seen("level unit ends_at"),
    "tournament.placed.1": Seen("player_id table_id hand_id stack no_show hand_for_hand place"),
    "tournament.disqualified.1": Seen("player_id table_id hand_id stack no_show hand_for_hand place"),
    "tournament.paused.1": Seen("number at"),
    "tournament.resumed.1": Seen("level_ends_at"),
    "tournament.prizes_awarded.1": Seen("pool prizes"),
    "tournament.prizes_awarded.2": Seen("pool prizes currency draw"),
    "tournament.pool_formed.1": Seen("tournament_id entrants buy_ins overlay currency"),
    "tournament.pool_dissolved.1": Seen("tournament_id buy_ins overlay currency"),
    "tournament.finished.1": Seen("standings draw_seed"),
    "tournament.cancelled.1": Seen("reason entrants draw_seed"),
    "table.opened.1": Seen(
        "table_id tournament_id number seats_per_table rules places first_dealer pauses deal_at"
    ),
    "table.opened.2": Seen(
        "table_id tournament_id number seats_per_table rules places first_dealer pauses deal_at points"
    ),
    "table.seated.1": Seen("place"),
    "table.vacated.1": Seen("seat player_id stack reason"),
    "table.hand_begun.1": Seen("hand_id number dealer direction level unit"),
    "table.hand_ended.1": Seen("hand_id number winner net points stacks acted absent deal_at"),
    "table.hand_ended.2": Seen("hand_id number winner net points stacks acted absent deal_at cards_left"),
    "table.paused.1": Seen("number"),
    "table.resumed.1": Seen(),
    "table.closed.1": Seen(),
    "hand.committed.1": Seen("hand_id table_id tournament_id number commitment", sealed="seed"),
    "hand.committed.2": Seen("hand_id table_id number currency commitment", sealed="seed"),
    "hand.dealt.1": Seen(
        "rules structure_hash level unit dealer direction leader seats timing next_turn",
        own_seat="cards",
        after_hand="ruleset stub",
    ),
    "hand.dealt.2": Seen(
        "rules structure_hash level unit dealer direction leader seats timing next_turn connections",
        own_seat="cards",
        after_hand="ruleset stub",
    ),
    "hand.played.1": Seen("turn seat cards by next_turn", after_hand="breach"),
    "hand.passed.1": Seen("turn seat reason next_turn", after_hand="breach"),
    "hand.clock_stopped.1": Seen("turn remaining_ms"),
    "hand.clock_started.1": Seen("turn deadline"),
    "hand.settled.1": Seen("winner cards_left liable transfers net"),
    "hand.voided.1": Seen("reason"),
    "hand.finalised.1": Seen("seed"),
    "hand.recorded.1": Seen(
        "hand_id table_id tournament_id number rules structure_hash level unit dealer direction leader seats winner"
        " cards_left liable twos_left played_at timing",
        after_hand="ruleset",
    ),
    "hand.confirmed.1": Seen(),
    "hand.committed.3": Seen(
        "hand_id table_id tournament_id number commitment first_hand path", sealed="seed"
    ),
    "hand.committed.4": Seen("hand_id table_id number currency commitment first_hand path", sealed="seed"),
    "hand.entropy_opened.1": Seen(
        "rules structure_hash level unit dealer direction leader seats timing entropy_seconds closes_at",
        after_hand="ruleset",
    ),
    "hand.entropy_given.1": Seen("seat nonce closes_at"),
    "hand.dealt.3": Seen(
        "rules structure_hash level unit dealer direction leader seats timing next_turn connections nonces",
        own_seat="cards",
        after_hand="ruleset stub",
    ),
    "tournament.deals_committed.1": Seen("roots"),
    "table.deals_committed.1": Seen("first_hand root"),
    "ring.deals_committed.1": Seen("first_hand root"),
    "hand.flagged.1": Seen("role", after_hand="by reason evidence"),
    "hand.frozen.1": Seen("scope open", after_hand="by reason"),
    "hand.released.1": Seen("scope open", after_hand="by reason"),
    "hand.ruled.1": Seen("number ruling reason result", after_hand="by"),
    "hand.ruled.2": Seen("number ruling reason result seat chips", after_hand="by"),
    "hand.ruled.4": Seen("number ruling reason result penalties", after_hand="by"),
    "hand.appealed.1": Seen("role", after_hand="by reason"),
    "hand.actions_voided.1": Seen("at role reason turn action last cards_left next_turn", after_hand="by"),
    "hand.time_given.1": Seen("at role reason turn seconds deadline remaining_ms", after_hand="by"),
    "table.frozen.1": Seen("hand_id"),
    "table.released.1": Seen("hand_id"),
    "table.stacks_adjusted.1": Seen("hand_id changes"),
    "tournament.result_corrected.1": Seen("hand_id table_id changes stacks"),
    "tournament.stacks_corrected.1": Seen("hand_id changes unpaid"),
    "hand.ruled.3": Seen("number ruling reason result seat player_id", after_hand="by"),
    "roster.substituted.1": Seen("tournament_id player_id substitute_id"),
    "table.seat_taken_over.1": Seen("hand_id seat player_id"),
    "tournament.replacement_ordered.1": Seen("player_id substitute_id hand_id"),
    "tournament.player_replaced.1": Seen("player_id substitute_id hand_id chips"),
    "tournament.player_reinstated.1": Seen("player_id hand_id number chips"),
    "tournament.ruling_lapsed.1": Seen("hand_id ruling"),
    "tournament.penalties_imposed.1": Seen("hand_id table_id penalties"),
    "tournament.penalty_carried_out.1": Seen("hand_id player_id penalty amount unpaid"),
    "tournament.standings_corrected.1": Seen("hand_id standings"),
    "table.sit_out_given.1": Seen("hand_id seat hands"),
    "wallet.credited.1": Seen(books="player_id currency amount journal reference note"),
    "wallet.debited.1": Seen(books="player_id currency amount journal reference note"),
    "webhook.registered.1": Seen("webhook_id topics tournament_id", operating="url", sealed="secret"),
    "webhook.disabled.1": Seen("failures since failure"),
    "webhook.deleted.1": Seen(),
    "webhooks.listed.1": Seen("webhook_ids"),
}

VALUES = {  # a value's fields are seen with the field that holds it
    table.Place: "seat player_id stack seen absent_hands sit_out",
    RingStep: "unit buy_in ante",
    RingTerms: "rules schedule currency unit buy_in ante seats_per_table timing",
    tournament.DrawnTable: "number table_id dealer places",
    tournament.TableRoot: "number table_id root",
    tournament.Prize: "place tied player_id amount",
    placing.Standing: "place tied player_id",
    dispute_events.Penalty: "seat penalty amount",
    tournament.Imposed: "player_id penalty amount",
    dispute_events.Person: "credential_id role player_id",
    dispute_events.HandResult: "winner liable cards_left points net",
    tournament_events.Correction: "player_id tally chips",
    placing.Tally: "points hands hands_won cards_left",
    hand_events.SeatDealt: "seat player_id stack sits_out",
    hand_events.SeatRecorded: "seat player_id stack",
    hand_events.Timing: "turn_seconds between_hands_seconds protest_seconds",
    hand_events.Turn: "number seat deadline",
    hand_events.Transfer: "payer receiver points due paid covers",
    journal.Journal: "journal_id book currency kind lines tournament_id table_id hand_id",
    journal.Line: "account amount player_id",
    structure.BuyIn: "amount fee currency",
    structure.Structure: (
        "name format rules seats_per_table capacity min_entrants starts_at unit stack_points unit_levels"
        " hands_per_level minutes_per_level turn_seconds between_hands_seconds protest_seconds no_show_hands"
        " prizes_bp recorded buy_in guarantee late_entry_levels entropy_seconds"
    ),
}


def test_every_event_is_in_the_table():
    assert sorted(FIELDS) == sorted(TOPICS)


@pytest.mark.parametrize(("topic", "seen"), FIELDS.items(), ids=FIELDS)
def test_each_field_is_seen_by_whom_the_table_says(topic, seen):
    found = {audience: [] for audience in Audience}
    for name, audience in audiences(TOPICS[topic]).items():
        found[audience].append(name)
    assert found == {
        Audience.PUBLIC: seen.public.split(),
        Audience.OWN_SEAT: seen.own_seat.split(),
        Audience.AFTER_HAND: seen.after_hand.split(),
        Audience.BOOKS: seen.books.split(),
        Audience.OPERATING: seen.operating.split(),
        Audience.SEALED: seen.sealed.split(),
    }


@pytest.mark.parametrize("topic", TOPICS)
@settings(steady, max_examples=5)
@for_all(st.data())
def test_everybody_sees_the_public_fields_and_no_others(topic, data):
    event = data.draw(values(TOPICS[topic]))
    assert sorted(public_fields(event)) == sorted(FIELDS[topic].public.split())
    assert sorted(seat_fields(event)) == sorted(FIELDS[topic].own_seat.split())
    json_ready(public_fields(event))


def json_ready(value: Any) -> None:
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        json_ready(list(value.values()))
    elif isinstance(value, list | tuple):
        for inner in value:
            json_ready(inner)
    else:
        assert value is None or type(value) in (bool, int, str), value


def inner_structs(hint: Any) -> set[type]:
    is_value = isinstance(hint, type) and (issubclass(hint, msgspec.Struct) or is_dataclass(hint))
    found = {hint} if is_value else set()
    for struct in tuple(found):
        for inner in get_type_hints(struct, include_extras=True).values():
            found |= inner_structs(inner)
    return found.union(*map(inner_structs, get_args(hint)))


def test_each_value_inside_an_event_is_in_the_table_with_its_fields():
    found = set().union(*map(inner_structs, TOPICS.values())) - set(TOPICS.values())
    assert {kind: " ".join(inspect.signature(kind).parameters) for kind in found} == VALUES


def test_what_is_secret_while_a_hand_runs_is_public_nowhere():
    secret = {"seed", "stub", "breach", "master", "draw_seed", "secret_hash", "secret", "ruleset"}
    revealed = {"hand.finalised.1": {"seed"}, "tournament.finished.1": {"draw_seed"}}
    revealed |= {"tournament.cancelled.1": {"draw_seed"}, "ruleset.published.1": {"ruleset"}}
    for topic, seen in FIELDS.items():
        assert secret & set(seen.public.split()) == revealed.get(topic, set())


def test_a_deal_shows_nobody_but_its_seat_a_card():
    committed, event = dealt({1: "3D 9C", 2: "4D 5C"})
    told = str([public_fields(committed), public_fields(event)])
    assert not any(card in told for card in ("3D", "9C", "4D", "5C"))
    assert committed.seed.hex() not in told
    assert seat_fields(event) == {"cards": {"1": "3D 9C", "2": "4D 5C"}}
    assert seat_fields(committed) == {}


def test_a_field_without_an_audience_is_shown_to_nobody():
    class Undecided(Event, frozen=True, kw_only=True):
        decided: Public[int]
        undecided: int
        annotated: Annotated[int, "a note"]

    event = Undecided(decided=1, undecided=2, annotated=3)
    assert public_fields(event) == {"decided": 1}
    assert seat_fields(event) == {}
