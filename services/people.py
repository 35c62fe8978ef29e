"""People's names, in a table outside the log so that they can be erased; events know player ids only.

A name is taken when its skeleton is: the name without the differences that readers overlook, such as case,
full-width letters, or a Cyrillic letter that looks like a Latin one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from uuid import UUID

from domain.errors import Conflicting, Refused
from services.database import Cursor, Database

NAME_LENGTH = 40
"""The most characters of a name, composed (NFC) and without white space around it."""
STACKED_MARKS = 3
"""The most marks, such as accents, on one character."""

_REFUSED = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Cn": "a character that Unicode does not know",
    "Co": "a private character",
    "Cs": "half a character (a lone surrogate)",
    "Zl": "a line break",
    "Zp": "a line break",
}
# Letters, marks and a symbol that show nothing: joiners, fillers, variation selectors, an empty braille cell.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# What looks like a Latin letter once its case is folded. Where a script's two cases look like different letters the
# capital decides. The letters i and l and the digit 1 are one, since I and l are; so are o and 0.
_LOOK_ALIKES = str.maketrans(
    "0" "1i|ıɩɪǀ" "ɑɡʙʀʟʜɴʏ" "ᴀᴄᴅᴇɢᴊᴋᴍᴏᴘꜱᴛᴜᴠᴡᴢ"
    "авсԁеһіјкӏмнорԛѕтуԝхѵьё" "αβεζηικμνορτυχω" "օոսհզց" "ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ",
    "o" "lllllll" "agbrlhny" "acdegjkmopstuvwz"
    "abcdehljklmhopqstywxvbë" "abezhlkmnoptyxw" "onuhqg" "abcdehjklmprstvwz",
)  # fmt: skip


def clean_name(text: str) -> str:
    """The name as it is kept: composed, without white space around it; Refused at `/name` if it is none."""
    if wrong := _wrong(text):
        raise Refused("validation", "This cannot be a name.", {"/name": wrong})
    return unicodedata.normalize("NFC", text).strip()


def _wrong(text: str) -> str | None:
    kinds = [unicodedata.category(character) for character in text]
    if refused := next((_REFUSED[kind] for kind in kinds if kind in _REFUSED), None):
        return f"contains {refused}"
    if _INVISIBLE.search(text):
        return f"contains {_REFUSED['Cf']}"
    name = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(name) <= NAME_LENGTH:
        return f"must have 1 to {NAME_LENGTH} characters"
    shapes = "".join(unicodedata.category(character)[0] for character in name)
    if "M" * (STACKED_MARKS + 1) in shapes:
        return f"has more than {STACKED_MARKS} marks on one character"
    if not {"L", "N"} & set(shapes):
        return "needs a letter or a digit"
    return None


def skeleton(name: str) -> str:
    """What two names have in common that a reader could take for one another.

    >>> skeleton("\N{CYRILLIC CAPITAL LETTER A}lice") == skeleton("ALICE")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    plain = "".join(str(unicodedata.decimal(character, character)) for character in folded)
    return " ".join(plain.translate(_LOOK_ALIKES).split())


def claim(cursor: Cursor, player_id: UUID, name: str) -> None:
    """Take a clean name for a player, within the transaction of his `Enrolled`; Conflicting if another has it.

    The same command, sent twice at once, is no conflict here: its player is the same.
    """
    bones = skeleton(name)
    cursor.execute(
        "INSERT INTO people (player_id, name, skeleton) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (player_id, name, bones),
    )
    if cursor.rowcount == 0:
        holder = cursor.execute("SELECT player_id FROM people WHERE skeleton = %s", (bones,)).fetchone()
        if holder and holder[0] != player_id:
            raise Conflicting(
                "name-taken", "Somebody has this name, or one that looks like it: choose another."
            )


def names(database: Database, player_ids: Iterable[UUID]) -> dict[UUID, str]:
    """The names of these players; one whose name was erased is not in it."""
    with database.connection() as conn:
        found = conn.execute(
            "SELECT player_id, name FROM people WHERE player_id = ANY(%s)", (list(player_ids),)
        )
        return dict(found.fetchall())


def erase(database: Database, player_id: UUID) -> None:
    """Forget a player's name for good; it is free again, and the events about him stay."""
    with database.connection() as conn:
        conn.execute("DELETE FROM people WHERE player_id = %s", (player_id,))
