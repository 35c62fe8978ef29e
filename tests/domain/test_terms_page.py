"""A tournament's terms in words: every one that its structure decides is on the page."""

from __future__ import annotations

from datetime import UTC, datetime

from domain.structure import structure
from domain.terms_page import terms_page
from services.bootstrap import presets

NOW = datetime(2027, 1, 1, tzinfo=UTC)


def page(**terms) -> dict[str, str]:
    found = structure({"name": "Friday", **terms}, NOW)
    return {section.title: "\n".join(section.lines) for section in terms_page(found, presets()[found.rules])}


def test_a_free_sit_and_go():
    told = page(format="sit_and_go", capacity=4, no_show_hands=0)
    assert "it starts when it is full" in told["The tournament"]
    assert "committed to before it is made" in told["The tournament"]
    assert told["Entry"].startswith("From 4 to 4 players.\nAn entry costs nothing.")
    assert "The staff starts it" not in told["Entry"]
    assert "Everybody starts with 50 chips" in told["Stacks and levels"]
    assert "1, 2, 4, 8, 12" in told["Stacks and levels"]
    assert "played 3 hands in it" in told["Stacks and levels"]
    assert "Nobody enters after the start." in told["Late and absent players"]
    assert "removed" not in told["Late and absent players"]
    assert "Nobody pays" in told["Where the money comes from"]
    assert "from 4 entries: 65, 35." in told["Prizes"]
    assert "from 2 entries: 100." in told["Prizes"]
    assert "equal stacks share the place" in told["Ties"]
    assert "A hand that nobody disputes is final with its settlement." in told["Disputes"]
    assert "frozen while it runs is final once a director has ruled, or released it." in told["Disputes"]


def test_a_freezeout_for_money_with_everything():
    told = page(
        format="freezeout",
        rules="high-low",
        starts_at=datetime(2027, 2, 3, 19, 30, tzinfo=UTC),
        buy_in={"amount": 1000, "fee": 100, "currency": "EUR"},
        guarantee=50_000,
        late_entry_levels=2,
        minutes_per_level=10,
        protest_seconds=600,
        entropy_seconds=5,
        prizes_bp=[6000, 4000],
        unit=5,
    )
    assert "until one player has all chips" in told["The tournament"]
    assert "by the rules of high-low, at tables of up to 4" in told["The tournament"]
    assert "1100 minor units of EUR: 1000 and a fee of 100" in told["Entry"]
    assert "It starts at 2027-02-03 19:30 UTC" in told["Entry"]
    assert "250 chips: 50 points" in told["Stacks and levels"]
    assert "A level lasts 10 minutes" in told["Stacks and levels"]
    assert "hand for hand" in told["Who goes on"]
    assert "Until level 2 is over" in told["Late and absent players"]
    assert "For 5 seconds before each deal" in told["Late and absent players"]
    assert "removed after 2 hands" in told["Late and absent players"]
    assert "guarantees 50000 minor units of EUR" in told["Where the money comes from"]
    assert "by place: 60, 40." in told["Prizes"]
    assert "A hand that nobody disputes is final 600 seconds after its settlement" in told["Disputes"]
    assert (
        "frozen is not final until 600 seconds after a director has ruled, or released it."
        in told["Disputes"]
    )
    assert "One appeal may be made" in told["Disputes"]
    assert "While a hand runs a director may void" in told["Disputes"]
    assert any(title.startswith("The game: ") for title in told)


def test_a_league_with_real_cards_and_money_but_no_guarantee():
    told = page(format="league", recorded=True, buy_in={"amount": 10, "fee": 0, "currency": "EUR"})
    assert "nobody goes out" in told["The tournament"]
    assert "Real cards" in told["The tournament"]
    assert "The staff starts it." in told["Entry"]
    assert "There are no stacks" in told["Stacks and levels"]
    assert "places go by points" in told["Who goes on"]
    assert "until the season ends" in told["Late and absent players"]
    assert "the clock passes" not in told["Late and absent players"]
    assert "guarantees" not in told["Where the money comes from"]
    assert "While a hand runs" not in told["Disputes"]
    assert "more hands won rank higher" in told["Ties"]
