"""What must hold of a database, and of what its clients were told: I1 to I11, violations out.

    python -m tests.harness.invariants DATABASE_URL ACKS.jsonl

`big2 doctor` (`services.doctor`) examines the database by itself. A client's log of acknowledged commands adds:

    I1   repeats of a command were answered alike
    I8   what was acknowledged is in the log, as it was acknowledged
    I10  a command that was only ever refused left no event

The log is JSON Lines, written by the client: a line for each answer, and one for each request that got none.

    command   the command's id: `request_command(credential, method, path, key)` of `domain.ids`
    method    POST, PATCH, PUT, DELETE
    path      of the address, such as /v1/players
    digest    of the body: `services.http.strictjson.digest` of its value; of {} where there is none
    status    of the answer; null where none came, so that nobody knows what became of the request
    ids       of what the answer says was made or changed, such as the player's id or the entry's; [] by default
    position  the answer's `as_of`; null by default
    writes    false where a success leaves no event, such as a heartbeat's; true by default

A line is written once the answer is there, and flushed: what a client that is killed had not written it was not told.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import click
import msgspec

from domain.topics import TOPICS
from services.doctor.examination import Examination, Questions
from services.doctor.invariants import INVARIANTS
from services.doctor.reading import Log
from services.doctor.violation import Violation
from services.store import Store
from workers.doctor_cli import UNEXAMINED, WRONG, Bars, chosen, or_unexamined, print_summary, print_violations

OF_CLIENTS = {
    "I8": "what was acknowledged is in the log",
    "I10": "a command that was refused left no event",
}
COMMANDS = 1000
"""Commands that are looked up at once."""

_ROWS = """
SELECT convert_from(command_of(state), 'UTF8'), originator_id, state, notification_id FROM big2_events
WHERE command_of(state) = ANY(%s) ORDER BY notification_id
"""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one request was answered."""

    command: UUID
    method: str
    path: str
    digest: str
    status: int | None
    ids: tuple[str, ...] = ()
    position: int | None = None
    writes: bool = True

    @property
    def acknowledged(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def refused(self) -> bool:
        return self.status is not None and 400 <= self.status < 500

    @property
    def where(self) -> str:
        return f"command {self.command} ({self.method} {self.path})"


class Stored(NamedTuple):
    """An event of a command, byte for byte: an envelope's keys are sorted, and a quote within a text is escaped."""

    stream: UUID
    state: bytes
    position: int

    @property
    def digest(self) -> bytes:
        return self.state.partition(b',"digest":"')[2].partition(b'"')[0]


class UnreadableError(Exception):
    """A line of a client's log is no answer; the message names it."""


def answers(lines: Iterable[bytes]) -> Iterator[Answer]:
    """A client's log. A last line that was cut off was not told to anybody; UnreadableError for any other."""
    decoder = msgspec.json.Decoder(Answer)
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            return
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError as error:
            raise UnreadableError(f"line {number}: {error}") from error


def told_and_stored(log: Log, told: Iterable[Answer]) -> Iterator[Violation]:
    """I1, I8 and I10 by what clients were told."""
    by_command: dict[UUID, list[Answer]] = {}
    for answer in told:
        by_command.setdefault(answer.command, []).append(answer)
    commands = iter(by_command)
    while chunk := list(islice(commands, COMMANDS)):
        stored = _stored(log, chunk)
        for command in chunk:
            yield from _of_command(by_command[command], stored.get(command, []))


def _stored(log: Log, commands: list[UUID]) -> Mapping[UUID, list[Stored]]:
    found: dict[UUID, list[Stored]] = {}
    for command, *stored in log.fetch(_ROWS, [str(command).encode() for command in commands]):
        found.setdefault(UUID(command), []).append(Stored(*stored))
    return found


def _of_command(told: list[Answer], rows: list[Stored]) -> Iterator[Violation]:
    acknowledged = [answer for answer in told if answer.acknowledged]
    if len({(answer.ids, answer.position) for answer in acknowledged}) > 1:
        yield Violation(
            "I1", told[0].where, "its repeats were answered otherwise: it took effect more than once"
        )
    for answer in acknowledged:
        if problem := _not_as_told(answer, rows):
            yield Violation("I8", answer.where, problem)
            break
    if rows and all(answer.refused for answer in told):
        statuses = sorted({answer.status for answer in told if answer.status})
        positions = ", ".join(str(row.position) for row in rows)
        yield Violation("I10", told[0].where, f"was refused ({statuses}), and left events at {positions}")


def _not_as_told(answer: Answer, rows: list[Stored]) -> str | None:
    """What of an acknowledged command is not in the log as it was acknowledged."""
    if not rows:
        return "was acknowledged, and is not in the log" if answer.writes else None
    if any(row.digest != answer.digest.encode() for row in rows):
        return "was acknowledged with another body than is in the log"
    if answer.position not in (None, *(row.position for row in rows)):
        return f"was acknowledged at position {answer.position}, where none of its events stands"
    text = b"\n".join([*(str(row.stream).encode() for row in rows), *(row.state for row in rows)])
    missing = [named for named in answer.ids if named.encode() not in text]
    return f"was acknowledged as {', '.join(missing)}, of which its events know nothing" if missing else None


def violations(examination: Examination, told: Iterable[Answer]) -> Iterator[Violation]:
    """Everything that is wrong with a database and with what its clients were told."""
    yield from told_and_stored(examination.log, told)
    yield from examination.violations()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("url", metavar="DATABASE_URL")
@click.argument("acks", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="ACKS.jsonl")
@click.option("--only", callback=chosen, metavar="I1,I2", help="Of the database by itself, some.")
@click.option("--settled", is_flag=True, help="All play is over.")
@click.option("--idle", is_flag=True, help="The service runs.")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines.")
def main(url: str, acks: Path, **asked: Any) -> None:
    """Hold a database against its invariants, and against a client's log of what it was told.

    Exit status 0 when nothing is wrong, 1 when something is, 2 when it could not be examined.

    \b
    Examples:
      python -m tests.harness.invariants postgresql://… acks.jsonl --settled
      python -m tests.harness.invariants postgresql://… /dev/null --only I2,I6 --json
    """
    with or_unexamined(), Bars() as bars, acks.open("rb") as lines:
        store = Store(url, TOPICS)
        try:
            questions = Questions(asked["only"], settled=asked["settled"], idle=asked["idle"])
            examination = Examination(store, questions, bars)
            found = print_violations(violations(examination, answers(lines)), as_json=asked["as_json"])
            names = [name for name in (*INVARIANTS, *OF_CLIENTS) if name in (*asked["only"], *OF_CLIENTS)]
            print_summary(examination, names, found, as_json=asked["as_json"])
        except UnreadableError as error:
            click.echo(f"Error: {acks}: {error}", err=True)
            sys.exit(UNEXAMINED)
        finally:
            store.close()
    sys.exit(WRONG if found else 0)


if __name__ == "__main__":
    main()
