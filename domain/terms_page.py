"""A tournament's published terms as a page for people: everything that its structure decides, in plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from big2.rulepage import Section, rule_page
from big2.rulesets import RuleSet
from domain.prizes import STANDARD
from domain.structure import Structure


def terms_page(terms: Structure, rules: RuleSet) -> tuple[Section, ...]:
    """The terms in the order in which an entrant meets them, then the rules of the game."""
    sections = (
        ("The tournament", _tournament(terms)),
        ("Entry", _entry(terms)),
        ("Stacks and levels", _levels(terms)),
        ("Who goes on", _advancement(terms)),
        ("Late and absent players", _absence(terms)),
        ("Where the money comes from", _funding(terms)),
        ("Prizes", _prizes(terms)),
        ("Ties", _ties(terms)),
        ("Disputes", _disputes(terms)),
    )
    told = tuple(Section(title, tuple(lines)) for title, lines in sections)
    return (*told, *(Section(f"The game: {each.title}", each.lines) for each in rule_page(rules)))


def _tournament(s: Structure) -> Iterator[str]:
    kinds = {
        "sit_and_go": "Sit and go: it starts when it is full, and is played until one player has all chips.",
        "freezeout": "Freezeout: it is played until one player has all chips.",
        "league": "League: a season of hands for points; nobody goes out.",
    }
    yield kinds[s.format]
    yield f"Big 2 by the rules of {s.rules}, at tables of up to {s.seats_per_table}."
    yield (
        "Real cards: each hand's result is recorded by the staff."
        if s.recorded
        else "Cards are dealt by the service, each deal committed to before it is made and revealed after it."
    )


def _entry(s: Structure) -> Iterator[str]:
    yield f"From {s.min_entrants} to {s.capacity} players."
    if s.buy_in:
        buy_in = s.buy_in
        parts = f"{buy_in.amount} and a fee of {buy_in.fee}"
        yield f"An entry costs {buy_in.price} minor units of {buy_in.currency}: {parts}."
    else:
        yield "An entry costs nothing."
    if s.starts_at:
        yield f"It starts at {s.starts_at:%Y-%m-%d %H:%M} UTC, with whoever is entered."
    elif s.format != "sit_and_go":
        yield "The staff starts it."
    yield "Until the start an entrant may withdraw, and gets back all that he paid."


def _levels(s: Structure) -> Iterator[str]:
    if s.for_points:
        yield f"There are no stacks: a card left is a point, and a point is worth {s.unit}."
        return
    yield f"Everybody starts with {s.stack} chips: {s.stack_points} points at the first unit."
    units = ", ".join(str(s.unit * factor) for factor in s.unit_levels)
    yield f"A point is worth, level by level: {units} chips; the last level stays."
    if s.minutes_per_level:
        yield f"A level lasts {s.minutes_per_level} minutes; a pause adds the time that it takes."
    else:
        yield f"The level rises when some table has played {s.hands_per_level} hands in it."
    yield "A new unit holds from each table's next deal."


def _advancement(s: Structure) -> Iterator[str]:
    if s.for_points:
        yield "The staff opens the tables and ends the season; places go by points."
        return
    yield "Who has no chips left after a hand is out."
    yield "Seats, moves and the final table are drawn from a seed, committed to at first and revealed at the end."
    yield "Tables are broken and balanced between hands; with players for one table the final table is drawn anew."
    yield "One place before the prizes all tables play hand for hand: hands of one round count as one."


def _absence(s: Structure) -> Iterator[str]:
    if s.late_entry_levels:
        yield f"Until level {s.late_entry_levels} is over players may enter with a full stack, also once they are out."
    else:
        yield "Players may enter until the season ends." if s.for_points else "Nobody enters after the start."
    if not s.recorded:
        yield f"A turn has {s.turn_seconds} seconds; then the clock passes, or leads the lowest single (R11.2)."
        yield f"Between two hands at a table there are {s.between_hands_seconds} seconds."
    if s.entropy_seconds:
        yield f"For {s.entropy_seconds} seconds before each deal players may send entropy of their own for it."
    if s.no_show_hands and not s.for_points:
        yield (
            f"Who never acts himself is removed after {s.no_show_hands} hands: his chips are void,"
            " and he ranks below everybody who played."
        )
    yield "A player who loses his connection plays on when he is back; that alone voids no hand (R11.1)."


def _funding(s: Structure) -> Iterator[str]:
    if s.buy_in is None:
        yield "Nobody pays, and no money is won: prizes are told in basis points of nothing."
        return
    yield "The prize pool is the sum of the buy-ins, those of players who enter again too; fees are the house's."
    if s.guarantee:
        yield f"The house guarantees {s.guarantee} minor units of {s.buy_in.currency}, and adds what the buy-ins lack."


def _prizes(s: Structure) -> Iterator[str]:
    if s.prizes_bp == "standard":
        yield "By the number of entries, in percent of the pool:"
        for least, table in reversed(STANDARD):
            yield f"from {max(least, 2)} entries: {', '.join(f'{share / 100:g}' for share in table)}."
    else:
        yield f"In percent of the pool, by place: {', '.join(f'{share / 100:g}' for share in s.prizes_bp)}."
    yield "Shares are rounded down, and the units left go to the largest remainders, of equal ones to the better place."
    yield "What a place would get that nobody took goes to the first."


def _ties(s: Structure) -> Iterator[str]:
    if s.for_points:
        yield "Of equal points more hands won rank higher, then fewer cards left; else the place is shared."
    else:
        yield "Of those who go out in one hand the larger stack before it ranks higher; equal stacks share the place."
    yield "Who shares a place shares its prizes; a unit that cannot be shared goes by lot, drawn from the seed."


def _disputes(s: Structure) -> Iterator[str]:
    if s.protest_seconds:
        window = f"{s.protest_seconds} seconds"
        yield f"A hand that nobody disputes is final {window} after its settlement, and prizes are paid no sooner."
        yield f"One that is flagged or frozen is not final until {window} after a director has ruled, or released it."
        yield "One appeal may be made against the ruling by then; what another director rules on it is final at once."
    else:
        yield "A hand that nobody disputes is final with its settlement."
        yield "One that is flagged or frozen while it runs is final once a director has ruled, or released it."
    if not s.recorded:
        yield "While a hand runs a director may void what was done in it from an action on, or give a turn more time."
    if s.for_points:
        yield "A ruling may also cancel the league: then everything is paid back."
    else:
        yield "A ruling may bring a player back who is out, let another take over his seat, or cancel the tournament."
        yield "Cancelled before the money, everything is paid back; in the money its prizes go by chips to who is left."
    lost = "points" if s.for_points else "chips"
    sat_out = "" if s.recorded else ", by hands that the clock plays for him"
    yield f"A director may punish a player by a warning, by {lost}{sat_out}, or by disqualification."
    yield "Who is disqualified is ranked last, and wins no prize."
    yield "Every hand can be replayed and checked by anybody from its history, which the rules decide alone."
