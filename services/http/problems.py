"""Every problem that the API answers with (RFC 9457): one table, and a page for each at its own address."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from flask import Response

MEDIA_TYPE = "application/problem+json"
BASE = "/problems/"
_CLAUSE = re.compile(r"\((R\d+(?:\.\d+)?)\b[^()]*\)")


class ProblemType(NamedTuple):
    """A kind of problem: its HTTP status, its title, and what to do about it."""

    status: int
    title: str
    advice: str


PROBLEMS: Mapping[str, ProblemType] = {
    "malformed-json": ProblemType(
        400,
        "The body is not JSON",
        "Send one JSON object in UTF-8: no duplicate keys, no NaN, at most 16 levels deep, integers"
        " of at most 19 digits.",
    ),
    "bad-request": ProblemType(
        400, "The request cannot be read", "Check the request line, its headers and its path."
    ),
    "missing-idempotency-key": ProblemType(
        400,
        "An Idempotency-Key is missing",
        "Every POST carries an Idempotency-Key header of your own, new for each command; send the "
        "same one again to repeat a command.",
    ),
    "bad-idempotency-key": ProblemType(
        400,
        "The Idempotency-Key has another form",
        "Use 1 to 255 visible ASCII characters without blanks, such as a UUID.",
    ),
    "unauthenticated": ProblemType(
        401,
        "A good token is needed",
        "Send Authorization: Bearer b2_… with a token that is neither revoked nor expired.",
    ),
    "forbidden": ProblemType(
        403,
        "This token may not do that",
        "Use a token of another role, or one that is not limited to another tournament.",
    ),
    "hand-not-closed": ProblemType(
        403,
        "The hand still runs",
        "Nobody reads the history of a running hand. Try again once it is settled.",
    ),
    "not-found": ProblemType(404, "There is nothing here", "Check the address and the ids in it."),
    "method-not-allowed": ProblemType(
        405, "This address does not take that method", "The Allow header names the methods that it takes."
    ),
    "name-taken": ProblemType(
        409, "The name is taken", "Names that look alike count as one. Choose another."
    ),
    "player-barred": ProblemType(409, "The player is barred", "An operator can reinstate him."),
    "token-revoked": ProblemType(409, "The token is revoked already", "There is nothing left to do."),
    "registration-closed": ProblemType(
        409, "Registration is closed", "The tournament has started, or is over."
    ),
    "tournament-full": ProblemType(
        409, "All places are taken", "Wait for a withdrawal, or enter another tournament."
    ),
    "already-registered": ProblemType(409, "The player is entered already", "There is nothing left to do."),
    "not-registered": ProblemType(409, "The player is not entered", "There is nothing to withdraw."),
    "structure-fixed": ProblemType(
        409, "The structure is fixed", "A structure can change until the first entry only."
    ),
    "not-enough-players": ProblemType(
        409, "Too few players are entered", "The structure's min_entrants says how many must be."
    ),
    "already-started": ProblemType(409, "The tournament has started already", "There is nothing left to do."),
    "already-paused": ProblemType(409, "It is paused already", "Resume it to go on."),
    "not-paused": ProblemType(409, "It is not paused", "There is nothing to resume."),
    "not-running": ProblemType(409, "The tournament does not run", "Start it first, or resume it."),
    "not-a-league": ProblemType(
        409, "The tournament is no league", "Its tables and its end come by themselves."
    ),
    "no-hands": ProblemType(
        409, "No hand has been recorded", "There is no result to give. Cancel the league instead."
    ),
    "hands-not-final": ProblemType(
        409,
        "Some hands are not final",
        "Wait until their protest windows are over, and rule on those that are in dispute. Then finish it.",
    ),
    "already-played": ProblemType(
        409, "The player has played", "Only a player without a hand in the league withdraws from it."
    ),
    "player-seated": ProblemType(
        409, "The player sits at another table", "Close that table first; then he can sit down elsewhere."
    ),
    "seat-taken": ProblemType(409, "The seat is taken", "Read the table, and take a free one."),
    "already-seated": ProblemType(409, "The player has a seat there", "Nobody has two seats of one table."),
    "standing-up": ProblemType(
        409, "The player is about to stand up", "After the running hand the seat is free again."
    ),
    "not-recorded": ProblemType(
        409, "The table's cards are dealt here", "Results are taken where a tournament is `recorded`."
    ),
    "table-closed": ProblemType(409, "The table is closed", "No hand can be played there any more."),
    "table-paused": ProblemType(409, "The tournament is paused", "Resume it to go on."),
    "table-held": ProblemType(
        409,
        "The table waits for others",
        "It gives or gets a player, breaks, or waits for the final table or the bubble. Read it again: it goes on "
        "once it is no longer `held`.",
    ),
    "stale-hand": ProblemType(
        409, "That hand is recorded already", "Read the table: its next hand is `hands_played` plus one."
    ),
    "tournament-over": ProblemType(
        409, "The tournament is over", "It is finished or cancelled: nothing can change it."
    ),
    "hand-closed": ProblemType(
        409,
        "The hand is over",
        "Nothing can be played or taken back any more. The table's next hand has another id.",
    ),
    "hand-not-dealt": ProblemType(
        409,
        "The hand is not dealt yet",
        "Its `entropy` says until when players may send some. It is dealt after that, unless a director has frozen it: "
        "read it again then.",
    ),
    "entropy-closed": ProblemType(
        409,
        "No more entropy is taken for this hand",
        "Send it for the next hand, between its commitment and its deal, where the tournament has `entropy_seconds`.",
    ),
    "entropy-given": ProblemType(
        409,
        "The seat has sent its entropy",
        "One nonce a seat goes into a deal. The next hand takes another.",
    ),
    "sits-out": ProblemType(
        409,
        "The player sits the hand out",
        "A director has given him a penalty: the clock acts for him at once. The table says how many hands are left.",
    ),
    "disqualified": ProblemType(
        409, "The player is disqualified", "A director has ruled so: he enters this tournament no more."
    ),
    "hand-frozen": ProblemType(
        409, "The hand is frozen", "A director looks at it: nobody acts before he releases it, or rules."
    ),
    "hand-final": ProblemType(
        409, "The hand is final", "Its protest window is over: nothing about it can be changed."
    ),
    "hand-not-settled": ProblemType(
        409,
        "The hand still runs",
        "It can be voided, in whole or from an action on, or its turn be given time. Any other ruling waits.",
    ),
    "already-flagged": ProblemType(409, "You have flagged the hand already", "A director will rule on it."),
    "already-frozen": ProblemType(409, "It is frozen already", "Release it, or rule, to go on."),
    "not-frozen": ProblemType(409, "It is not frozen", "There is nothing to release."),
    "already-ruled": ProblemType(
        409, "The hand is ruled", "Until it is final one appeal can be made, on which another director rules."
    ),
    "not-ruled": ProblemType(409, "The hand is not ruled", "There is nothing to appeal against: flag it."),
    "already-appealed": ProblemType(409, "There was an appeal already", "There is one to each hand."),
    "table-frozen": ProblemType(
        409, "The table is frozen", "A director looks at one of its hands: it deals again once he is done."
    ),
    "stale-turn": ProblemType(
        409, "That turn is over", "Read the hand, and send the number of the running turn."
    ),
    "not-your-turn": ProblemType(409, "It is another seat's turn", "Wait for yours."),
    "duplicate-reference": ProblemType(
        409,
        "The reference is booked already",
        "Each deposit and each withdrawal of a wallet has a reference of its own, such as the bank's. To repeat a"
        " request send its Idempotency-Key again.",
    ),
    "not-signed-yet": ProblemType(
        409,
        "No checkpoint covers it yet",
        "One is signed every minute while there are new events, and at each tournament's end. Ask again then.",
    ),
    "bundle-too-large": ProblemType(
        409, "The bundle would be too large", "Ask for the bundles of its tables, or of single hands."
    ),
    "too-many-webhooks": ProblemType(
        409, "There are as many webhooks as there may be", "Delete one first, such as one that is disabled."
    ),
    "conflict": ProblemType(
        409, "Others were faster each time", "Send the same request again, with the same Idempotency-Key."
    ),
    "length-required": ProblemType(411, "The length of the body is missing", "Send a Content-Length header."),
    "body-too-large": ProblemType(413, "The body is too large", "At most 64 KiB are taken."),
    "uri-too-long": ProblemType(414, "The address is too long", "Send less in the query."),
    "unsupported-media-type": ProblemType(
        415, "The body is of another type", "Send Content-Type: application/json, in UTF-8."
    ),
    "validation": ProblemType(
        422,
        "Something in the request is not right",
        "Each of `errors` points to a member and says what would do. Pointers into the query begin "
        "with /query, into the headers with /headers.",
    ),
    "forbidden-url": ProblemType(
        422,
        "Nothing is sent to that address",
        "A webhook's URL is https or http, without a user, and its host and all its addresses are public ones of the"
        " internet. For a host of its own network whoever runs the service sets BIG2_WEBHOOK_HOSTS.",
    ),
    "insufficient-funds": ProblemType(
        422,
        "The wallet has less than that",
        "`missing` says how much in minor units of `currency`. Pay in at least that, or ask for less.",
    ),
    "idempotency-key-reuse": ProblemType(
        422, "The Idempotency-Key was used for another body", "Send a new key for a new command."
    ),
    "duplicate-card": ProblemType(422, "A card is named twice", "There is one of each card (R2.1)."),
    "card-not-held": ProblemType(
        422, "The seat does not hold that card", "Play cards of your own holding (R2.1)."
    ),
    "not-a-card-set": ProblemType(
        422,
        "The cards make no card set",
        "R3.1 lists the card sets: single, pair, three of a kind and those of five cards.",
    ),
    "wrong-card-count": ProblemType(
        422, "Another number of cards must be played", "A play has as many cards as the set to beat (R4.1)."
    ),
    "does-not-beat": ProblemType(
        422, "The play is not higher", "A play must beat the set to beat (R4.1, R3)."
    ),
    "must-include-lowest": ProblemType(
        422,
        "The first play must include the opening card",
        "It binds a hand that the lowest card leads (R5.2).",
    ),
    "leader-cannot-pass": ProblemType(
        422, "The leader may not pass", "Whoever leads a trick plays any card set (R4.1)."
    ),
    "assistant-rule": ProblemType(
        422,
        "The assistant's duty forbids it",
        "The next seat has one card: play as R7.2 says. This rule set forces it.",
    ),
    "too-many-requests": ProblemType(429, "Too many requests", "Wait as long as Retry-After says."),
    "headers-too-large": ProblemType(431, "The headers are too large", "Send fewer or shorter headers."),
    "internal": ProblemType(
        500,
        "Something went wrong here",
        "It is our fault and was logged. Sending the same request again, with the same "
        "Idempotency-Key, is safe.",
    ),
    "unavailable": ProblemType(
        503,
        "The service cannot answer now",
        "Send the same request again, with the same Idempotency-Key, after Retry-After.",
    ),
    "too-many-feeds": ProblemType(503, "All places for feeds are taken", "Connect again after Retry-After."),
}


class Problem(Exception):  # noqa: N818 - it is what is answered
    """A request that is answered with a problem document."""

    def __init__(
        self,
        slug: str,
        detail: str = "",
        *,
        clause: str | None = None,
        errors: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(slug)
        self.slug = slug
        self.detail = detail
        self.clause = clause
        self.errors = errors or {}
        self.headers = headers or {}
        self.members = members or {}


def document_of(slug: str, detail: str = "") -> dict[str, object]:
    """A problem's members; its advice stands in where there is no more to say."""
    kind = PROBLEMS[slug]
    return {"type": BASE + slug, "title": kind.title, "status": kind.status, "detail": detail or kind.advice}


def response_of(problem: Problem) -> Response:
    """The problem document."""
    kind = PROBLEMS[problem.slug]
    document = document_of(problem.slug, problem.detail)
    errors = [_error(at, what) for at, what in _told(problem.errors).items()]
    clauses = {error.get("clause") for error in errors}
    if clause := problem.clause or (clauses.pop() if len(clauses) == 1 else None):
        document["clause"] = clause
    if errors:
        document["errors"] = errors
    document |= problem.members
    # ASCII only: a pointer may hold whatever a client calls a member, lone surrogates included
    response = Response(json.dumps(document), kind.status, content_type=MEDIA_TYPE)
    response.headers.extend(dict(problem.headers))
    response.headers["Cache-Control"] = "no-store"
    return response


def _told(errors: Mapping[str, str]) -> Mapping[str, str]:
    """Of a body that is no object nothing more is told: it has no members that could be missing, or wrong."""
    return {"": errors[""]} if "" in errors else errors


def _error(pointer: str, detail: str) -> dict[str, str]:
    """With the clause that the detail gives as its reason, `… (R4.4)`, where a rule is one."""
    cited = _CLAUSE.search(detail)
    return {"pointer": pointer, "detail": detail} | ({"clause": cited[1]} if cited else {})


def page_of(slug: str) -> str:
    """What a reader finds at a problem's address."""
    kind = PROBLEMS[slug]
    return f"{slug} ({kind.status})\n\n{kind.title}.\n\n{kind.advice}\n"
