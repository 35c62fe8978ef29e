#!/usr/bin/env python3
"""Check a bundle of Big 2 hands without trusting whoever made it: `python3 -I verify.py bundle.zip [--key VERIFIER]`.

One file, Python's standard library alone; docs/audit.md of the service tells each format and what each check proves.
Without --key the signature is checked with the key that the bundle names: then compare that with the one that the
house has published. Prints a line for each check; exit status 0 if all hold, 1 if one does not, 2 if nothing is read.
What is judged are the events; `big2 verify` judges times, terms, rulings, places and hands.jsonl, made from them, too.
"""

# fmt: off
from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import struct
import sys
import uuid
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, count

RANKS, SUITS, AUTOMATIC = "3456789TJQKA2", "DCHS", ("two_of_spades", "too_few_cards")
LARGEST = 1 << 30  # bytes that it may unpack to
UNREADABLE = (ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, StopIteration, TypeError,
              ValueError, struct.error, zipfile.BadZipFile, zlib.error)
MEMBERS = "README.txt verify.py manifest.json checkpoint.txt events.jsonl tree.txt hands.jsonl structure.json".split()
HEAD = {"index": int, "position": int, "stream": str, "version": int, "topic": str}  # of an event, beside state or link
class Wrong(Exception):  # noqa: N818
    """The first place where a check does not hold, and what is wrong there."""
def demand(holds, where, what):
    if not holds:
        raise Wrong(f"{where}: {what}")
def expect(told, found, where, what):
    demand(told == found, where, f"{what} should be {found}")
def read_bundle(path: str) -> tuple[dict[str, bytes], dict]:
    """The members of the zip, and its manifest; OSError if it is none."""
    with open(path, "rb") as file:  # noqa: PTH123
        if not zipfile.is_zipfile(file):
            raise OSError(0, "is no zip file")
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        demand(sum(i.file_size for i in infos) <= LARGEST, "the zip", "unpacks to more than is read")
        demand(all(i.compress_type in (0, 8) for i in infos), "the zip", "is packed otherwise than by deflate")
        files = {name: archive.read(name) for name in archive.namelist()}
        demand(len(files) == len(infos), "the zip", "has a member twice")
    manifest = json.loads(files["manifest.json"])
    demand(manifest["format"] == "big2-bundle/1", "manifest.json", f"its format is {manifest['format']!r}")
    texts = [manifest["of"]["kind"], manifest["of"]["id"], *manifest["left_out"]]
    listed = type(manifest["left_out"]) is list and {*map(type, texts)} == {str}
    demand(listed, "manifest.json", "does not say of what it is, or what is left out")
    return files, manifest
def read_events(files: Mapping[str, bytes]) -> list[dict]:
    events = []
    for number, line in enumerate(files["events.jsonl"].splitlines(), 1):
        where = f"events.jsonl line {number}"
        try:
            event = json.loads(line)
            stored = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
            demand(line == stored, where, "has a key twice, or white space (RFC 8785)")
            heads = [type(event[name]) is kind for name, kind in HEAD.items()]
            demand(all(heads) and len(event) == 6 and "." in event["topic"], where, "is no event")
            event["where"] = f"{event['topic']} {event['stream']} version {event['version']} ({where})"
            if "state" in event:  # the last member: its bytes are the stored ones
                state = line[line.index(b',"state":') + 9 : -1]
                demand(type(event["state"]["event"]) is dict, where, "is no event")
                head = "{stream}\n{version}\n{topic}\n".format(**event).encode()
                event["bytes"], event["link"] = state, hashlib.sha256(head + state).hexdigest()
            event["leaf"] = bytes.fromhex(event["link"])
        except UNREADABLE as error:
            raise Wrong(f"{where}: is no event ({type(error).__name__}: {error})") from error
        events.append(event)
    demand(events, "events.jsonl", "has no event")
    return events
# Ed25519 (RFC 8032), slow and plain: 2^255 - 19, points as (X : Y : Z : T)
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
def add(a, b):
    u, v = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = v - u, d - c, d + c, v + u
    return e * f % P, g * h % P, f * g % P, e * h % P
def times(k, point):
    total = (0, 1, 1, 0)
    while k:
        total, point, k = add(total, point) if k & 1 else total, add(point, point), k >> 1
    return total
def point_of(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P
BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
def ed25519_signed(public, message, signature):
    a, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    one, other = times(s, BASE), add(r, times(h, a))
    return all((one[i] * other[2] - other[i] * one[2]) % P == 0 for i in (0, 1))
# notes, checkpoints, the tree (C2SP signed-note, tlog-checkpoint, tlog-proof; RFC 6962)
def key_of(verifier):
    """Name, key id and public key of a C2SP verifier key."""
    name, told, raw = verifier.split("+", 2)
    raw = base64.b64decode(raw, validate=True)
    found = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    demand(raw[:1] == b"\1" and len(raw) == 33 and found.hex() == told, "key", f"{verifier} is none, or damaged")
    return name, found, raw[1:]
def signed_text(note, verifiers, where):
    """The text of a note that one of the keys has signed, and that key."""
    text, _, lines = note.rpartition("\n\n")
    for line in lines.splitlines():
        dash, signed_by, raw = line.split(" ")
        demand(dash == "—", where, "a line of the signatures is none")
        raw = base64.b64decode(raw)
        for verifier in verifiers:
            name, key_id, public = key_of(verifier)
            if (name, key_id) == (signed_by, raw[:4]):
                good = ed25519_signed(public, (text + "\n").encode(), raw[4:])
                demand(good, where, f"the signature of {name} ({key_id.hex()}) is forged")
                return text + "\n", verifier
    raise Wrong(f"{where}: none of the keys {', '.join(verifiers)} has signed it")
def check_signature(files, manifest, trusted):
    """The checkpoint is signed by a trusted key, or by one that follows from it by announcements."""
    told = manifest["keys"]
    known = [trusted or told[0]["verifier"]]
    for key in told:
        if key["announcement"] and key["verifier"] not in known:
            text = f"big2 audit key\n{key['verifier']}\n"
            with suppress(Wrong):  # announced by a key that is not trusted: neither is this one
                announced = signed_text(key["announcement"], known, "manifest.json")[0]
                known += [key["verifier"]] if announced == text else []
    text, signer = signed_text(files["checkpoint.txt"].decode(), known, "checkpoint.txt")
    origin, size, root = text.split("\n")[:3]
    demand(all(key_of(key)[0] == origin for key in known), "checkpoint.txt", "is of another log than its key")
    demand(int(size) == manifest["size"], "manifest.json", "names another size than the checkpoint")
    source = "" if trusted else " (as the bundle says: compare the key)"
    return int(size), base64.b64decode(root), f"{size} events, signed by {signer}{source}"
def way_up(index, size):
    """The ranges of leaves beside the way from a leaf to the root, the lowest first (RFC 6962, 2.1.1)."""
    first, end, ranges = 0, size, []
    while end - first > 1:
        middle = first + (1 << (end - first - 1).bit_length() - 1)
        ranges.append((middle, end) if index < middle else (first, middle))
        first, end = (first, middle) if index < middle else (middle, end)
    return ranges[::-1]
def climbed(leaf, index, size, hashes):
    """The root that a leaf leads to with the hashes of those ranges."""
    found = hashlib.sha256(b"\0" + leaf).digest()
    for (first, _), beside in zip(way_up(index, size), hashes):
        found = hashlib.sha256(b"\1" + (found + beside if first > index else beside + found)).digest()
    return found
def check_inclusion(files, events, size, root):
    """Each event stands in the signed log, at the place that it names."""
    tree, last = tree_in(files), (-1, 0)
    for event in events:
        index, where = event["index"], event["where"]
        demand(0 <= index < size, where, f"the signed log has no event {index}")
        ranges = way_up(index, size)
        demand(all(of in tree for of in ranges), where, "tree.txt has no proof of it")
        found = climbed(event["leaf"], index, size, [tree[of] for of in ranges])
        demand(found == root, where, f"is not the event {index} of the signed log")
        demand(last[0] < index and last[1] < event["position"], where, "does not stand behind the event before it")
        last = index, event["position"]
    return f"{len(events)} events stand in the signed log, each at its place"
def tree_in(files: Mapping[str, bytes]) -> dict[tuple[int, int], bytes]:
    split = [line.split(" ") for line in files["tree.txt"].decode().splitlines()]
    return {(int(first), int(end)): base64.b64decode(raw, validate=True) for first, end, raw in split}
ENDS = {"hand": {"finalised", "confirmed"}, "table": {"closed"}, "ring": {"closed"}, "roster": {"closed"},
        "tournament": {"finished", "cancelled"}}
def check_chain(events, manifest):
    """Each stream is whole, event by event, up to its end; what the bundle is of is there, and all that this names."""
    heads, kinds = {}, {}
    for event in events:
        stream, where = event["stream"], event["where"]
        version, link = heads.get(stream, (0, "0" * 64))
        kind, name = event["topic"].split(".")[:2]
        demand(event["version"] == version + 1, where, f"version {version + 1} of its stream is missing")
        if "state" in event:
            demand(event["state"]["prev"] == link, where, "does not follow from the event before it")
        else:
            secret = version == 0 and (kind, name) in (("tournament", "seeds_committed"), ("ring", "opened"))
            demand(secret, where, "only a first event that holds a secret may be withheld")
        heads[stream] = (version + 1, event["link"])
        expect(kind, kinds.setdefault(stream, (kind, set()))[0], where, "its kind")
        kinds[stream][1].add(name)
    for stream, (kind, names) in kinds.items():
        demand(names & ENDS.get(kind, set()), f"{kind} {stream}", f"breaks off after version {heads[stream][0]}")
    check_contents(events, kinds, manifest["of"], set(manifest["left_out"]))
    return f"{len(heads)} streams are whole, from their first event to their end; every table and hand is there"
def check_contents(events, kinds, of, out):
    """What the bundle is of is there, and all that this names; or hands of it alone."""
    where, (kind, names) = f"{of['kind']} {of['id']}", kinds.get(of["id"], (None, ()))
    fits = kind in {"hand": ("hand",), "table": ("table", "ring", None), "tournament": ("tournament", None)}[of["kind"]]
    demand(fits, where, "is not in the bundle")
    demand(not out & set(kinds), "manifest.json", "leaves out what is there")
    demand(not (out and "finished" in names), "manifest.json", "leaves out what is final: the tournament is finished")
    if kind == "tournament":
        demand(str(uuid.uuid5(uuid.UUID(of["id"]), "roster")) in kinds, where, "its roster is not in the bundle")
    for event in events:
        told, name = event.get("state", {}).get("event", {}), event["topic"].rsplit(".", 1)[0]
        hands = [told["hand_id"]] if name in ("table.hand_begun", "ring.hand_begun") else []
        tables = [t["table_id"] for t in told["tables"]] if name == "tournament.tables_drawn" else []
        tables += [told["table"]["table_id"]] if name == "tournament.table_opened" else []
        tables += [told["table_id"]] if name == "tournament.late_seated" else []
        for each in hands + tables:
            there = each in kinds or (each in out and each in hands)
            demand(there, event["where"], f"names {each}, which is not in the bundle")
        if name.startswith("hand.") and event["version"] == 1:
            expect(told["hand_id"], event["stream"], event["where"], "its hand")
            demand(told.get(of["kind"] + "_id") == of["id"], event["where"], f"does not belong to {where}")
def of_kind(events, kind):
    return [event for event in events if event["topic"].split(".")[0] == kind]
def hands_of(events):
    found = {}
    for event in of_kind(events, "hand"):
        found.setdefault(event["stream"], []).append(event)
    return found
def named(events, *names):
    """The events of a hand or a tournament with these names, whatever their topics' numbers are."""
    return [(e, e["state"]["event"]) for e in events if "state" in e and e["topic"].split(".")[1] in names]
# the deal, b2deal/1
def lp(value):
    raw = value.encode() if isinstance(value, str) else value
    return len(raw).to_bytes(4, "big") + raw
def deck_of(key):
    """The cards after the shuffle, drawn by 16-bit words without bias."""
    blocks = (hmac.digest(key, b"b2deal/1/stream\0" + i.to_bytes(4, "big"), "sha256") for i in count())
    words = (int.from_bytes(block[i : i + 2], "big") for block in blocks for i in range(0, 32, 2))
    deck = list(range(52))
    for i in range(51, 0, -1):
        j = next(word for word in words if word < 65536 // (i + 1) * (i + 1)) % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
def check_deals(hands):
    """The revealed seed is the one that was committed to, and it deals these cards."""
    done = 0
    for stream, events in hands.items():
        pair, deals = named(events, "committed", "finalised"), named(events, "dealt", "recorded")
        once = [event["topic"].split(".")[1] for event, _ in pair] == ["committed", "finalised"]
        holds = once or not named(events, "committed", "dealt")
        demand(holds, f"hand {stream}", "is not committed to once, before it is dealt, and finalised once")
        once_each = (0 if named(events, "voided") else 1) <= len(named(events, "settled")) <= len(deals) < 2
        demand(once_each, f"hand {stream}", "is not dealt or recorded once, and then settled once, or voided")
        for (at, committed), (end, final) in [pair] if once else ():
            seed = base64.b64decode(final["seed"])
            names = (committed.get("tournament_id") or committed["table_id"], committed["hand_id"])
            bound = hashlib.sha256(b"b2deal/1/commit\0" + lp(seed) + lp(names[0]) + lp(names[1])).hexdigest()
            demand(committed["seed"] == final["seed"], end["where"], "reveals another seed than the stored one")
            demand(bound == committed["commitment"], at["where"], "the seed is not the one that was committed to")
            for event, deal in named(events, "dealt"):
                check_deal(seed, names, deal, event["where"])
                done += 1
    return f"{done} deals follow from their seeds, which were committed to before"
def check_deal(seed, names, deal, where):
    nonces = [nonce for _, nonce in sorted((int(seat), nonce) for seat, nonce in deal.get("nonces", {}).items())]
    key = b"b2deal/1/key\0" + lp(names[0]) + lp(names[1]) + len(nonces).to_bytes(4, "big") + b"".join(map(lp, nonces))
    deck = deck_of(hmac.digest(seed, key, "sha256"))
    order = around(deal["dealer"], [seat["seat"] for seat in deal["seats"]], step_of(deal))
    used = 13 * len(order)
    for place, seat in enumerate(order):
        told = sorted(map(card, deal["cards"][str(seat)].split()))
        demand(sorted(deck[place : used : len(order)]) == told, where, f"the seed deals other cards to seat {seat}")
    demand(sorted(deck[used:]) == sorted(map(card, deal["stub"].split())), where, "the seed leaves another stub")
# the rules; a card is 4 · rank + suit
def card(text):
    return RANKS.index(text[0]) * 4 + SUITS.index(text[1])
def step_of(deal):
    return 1 if deal["direction"] == "clockwise" else -1
def around(seat, seats, step):
    """The seats in the direction of play, from the one after `seat` on; itself last, if it is one of them."""
    return [each for each in ((seat - 1 + step * n) % 4 + 1 for n in range(1, 5)) if each in seats]
class Rules:
    """R3 by the switches of a rule set (R12)."""
    def __init__(self, switches):
        self.__dict__.update(switches)
        self.known = {}
    def height(self, one):
        return one // 4, self.suits.index(SUITS[one % 4])
    def rank(self, cards):
        """Kind and key of a card set, or None if it is none; sets of equally many cards compare by key (R3)."""
        cards = tuple(sorted(cards, key=self.height))
        self.known[cards] = self.known[cards] if cards in self.known else self._rank(cards)
        return self.known[cards]
    def _rank(self, cards):
        size, ranks = len(cards), [each // 4 for each in cards]
        counts, top = sorted(map(ranks.count, set(ranks))), self.height(cards[-1])
        if size < 3 and len(counts) == 1:
            return ("single" if size == 1 else "pair"), top
        if size == 3 and counts == [3] and self.triples:
            return "three_of_a_kind", top[:1]
        if size == 4 and counts == [4] and not self.quads_kicker:
            return "four_of_a_kind", top[:1]
        return self._five(cards, ranks, counts, top) if size == 5 else None
    def _five(self, cards, ranks, counts, top):
        one_suit, suit = len({each % 4 for each in cards}) == 1, top[1]
        place = next((n for n, text in enumerate(self.straights) if set(text) == {RANKS[r] for r in ranks}), None)
        if place is not None and one_suit:
            return "straight_flush", (4, *(suit, place)[:: 1 if self.straight_flush == "suit_then_sequence" else -1])
        if place is not None:
            last = next(each for each in cards if RANKS[each // 4] == self.straights[place][-1])
            suit = self.height(last)[1] if self.straight_tie == "last_in_sequence" else suit
            return "straight", (0, *(suit, place)[:: 1 if self.straight_tie == "suit_first" else -1])
        if one_suit and self.flush != "not_allowed":
            keys = {"suit_then_ranks": (suit, *ranks[::-1]), "top_card": top}
            return "flush", (1, *keys.get(self.flush, (*ranks[::-1], suit)))
        if counts == [2, 3]:
            return "full_house", (2, ranks[2])
        return ("four_of_a_kind", (3, ranks[2])) if counts == [1, 4] and self.quads_kicker else None
    def beats(self, cards, over):
        one, other = self.rank(cards), self.rank(over)
        if one and len(cards) != len(over):
            return self.quads_beat_any and one[0] == "four_of_a_kind"
        return bool(one) and one[1] > other[1]
class Table:
    """A hand as people play it: who holds what, whose turn it is, what lies there (R4–R7)."""
    def __init__(self, rules, deal):
        self.rules, self.deal, self.step = rules, deal, step_of(deal)
        self.holds = {int(seat): set(map(card, text.split())) for seat, text in deal["cards"].items()}
        dealt = set().union(*self.holds.values())
        opening = None if rules.opening_card == "lowest_dealt" else card(rules.opening_card)
        opening = opening if opening in dealt else min(dealt, key=rules.height)
        self.turn = deal["leader"] or next(seat for seat, cards in self.holds.items() if opening in cards)
        self.must = opening if deal["leader"] is None and rules.opening_play != "any_set" else None
        self.lying, self.by, self.locked, self.breach, self.winner, self.liable = None, None, set(), None, None, None
        self.taken = []
        for seat in around(deal["dealer"], self.holds, self.step) if rules.dragon else ():
            if self.winner is None and len({each // 4 for each in self.holds[seat]}) == 13:
                self.holds[seat], self.winner, self.turn = set(), seat, None
    def after(self, seat):
        return around(seat, self.holds, self.step)[0]
    def legal(self, cards):
        """By R3–R5, but for the duty."""
        fits = self.rules.rank(cards) and (self.lying is None or self.rules.beats(cards, self.lying))
        alone = self.rules.opening_play == "it_alone"
        return bool(fits) and (self.must is None or (self.must in cards and not (alone and len(cards) > 1)))
    def owed(self):
        """What the assistant must play (R7.2), or None where nothing binds him."""
        if self.rules.last_card == "off" or len(self.holds) == 2 or len(self.holds[self.after(self.turn)]) != 1:
            return None
        sets = [c for n in range(1, 6) for c in combinations(sorted(self.holds[self.turn]), n) if self.legal(c)]
        singles = [cards for cards in sets if len(cards) == 1]
        highest = [max(singles, key=lambda cards: self.rules.height(cards[0]))] if singles else []
        several = [cards for cards in sets if len(cards) > 1]
        either = self.rules.duty == "multi_card_or_highest_single"
        return (several + highest if either else several or highest) or None
    def automatic(self):
        """The pass that the seat to act makes by itself (R6), or None."""
        held, rules = len(self.holds.get(self.turn, ())), self.rules
        if self.turn is None or self.lying is None or (rules.quads_beat_any and held >= 4 + rules.quads_kicker):
            return None
        top = max(range(52), key=rules.height)
        if "two_of_spades" in rules.auto_pass and top in self.lying and len(self.lying) <= 3:
            return "two_of_spades"
        return "too_few_cards" if "too_few_cards" in rules.auto_pass and held < len(self.lying) else None
    def clock(self, owed):
        """R11.2: what the clock plays; nothing for a pass."""
        if self.lying is not None and not owed:
            return ()
        sets = owed or [(each,) for each in self.holds[self.turn] if self.legal((each,))]
        several = [cards for cards in sets if len(cards) > 1]
        return min(several or sets, key=lambda c: (len(c), self.rules.rank(c)[1], sorted(map(self.rules.height, c))))
    def act(self, told, where):
        """Follow an event, `played` with cards or `passed` with a reason; Wrong names the clause that it offends."""
        due, cards = self.automatic(), tuple(sorted(map(card, told.get("cards", "").split())))
        demand(self.turn is not None, where, "the hand is over (R4.4)")
        demand(told["seat"] == self.turn, where, f"it is the turn of seat {self.turn} (R4.1)")
        fits = told.get("reason") == due or not (due or told.get("reason") in AUTOMATIC)
        demand(fits, where, f"seat {self.turn} passes by itself: {due} (R6)")
        owed = None if due else self.owed()
        breach = owed is not None and cards not in owed
        demand(not (breach and self.rules.last_card == "forced"), where, "the assistant's duty forbids it (R7.2)")
        demand(told["breach"] == breach, where, f"it is {'a' if breach else 'no'} breach (R7.3)")
        if "clock" in (told.get("by"), told.get("reason")):
            demand(cards == tuple(sorted(self.clock(owed))), where, "the clock would have acted otherwise (R11.2)")
        self.taken.append((told, where))
        if cards:
            held = len(set(cards)) == len(cards) and set(cards) <= self.holds[self.turn]
            demand(held, where, "he has other cards (R2.1)")
            demand(self.legal(cards), where, "the cards may not be played (R3, R4.1, R5.2)")
            return self.played(cards, breach)
        demand(self.lying is not None, where, "the leader may not pass (R4.1)")
        self.breach = self.turn if breach else None
        if self.rules.pass_locks_trick:
            self.locked.add(self.turn)
        return self.go_on()
    def played(self, cards, breach):
        seat, assistant = self.turn, self.breach
        self.holds[seat] -= set(cards)
        self.breach, self.must, self.lying, self.by = seat if breach else None, None, cards, seat
        if self.holds[seat]:
            return self.go_on()
        self.winner, self.turn = seat, None
        self.liable = assistant if assistant and self.after(assistant) == seat else None
    def go_on(self):
        last, self.turn = self.turn, self.after(self.turn)
        while self.turn in self.locked and self.turn != last:
            self.turn = self.after(self.turn)
        if self.turn == self.by and last != self.by:
            self.lying, self.by, self.locked = None, None, set()
    def left(self):
        return {str(seat): len(cards) for seat, cards in self.holds.items()}
    def before(self, told, where):
        """The table as it stood before the first of the last actions, which a ruling has voided."""
        first, turn, many = told["action"], told["next_turn"], len(self.taken)
        demand(0 < first <= many == told["last"], where, f"{many} actions stand, the last of which it does not void")
        demand(self.taken[first - 1][0].get("reason") not in AUTOMATIC, where, "voids an automatic pass alone (R6.4)")
        table = Table(self.rules, self.deal)
        for each in self.taken[: first - 1]:
            table.act(*each)
        facts = (turn["seat"], told["cards_left"], turn["number"])
        expect(facts, (table.turn, table.left(), told["turn"] + 1), where, f"before action {first} all")
        return table
def check_play(hands):
    """Every action is one that the rules allow, and the end is where they see it."""
    done = 0
    for events in hands.values():
        for at, deal in named(events, "dealt"):
            many = [len(text.split()) for text in deal["cards"].values()]
            demand(many in ([13] * 2, [13] * 3, [13] * 4), at["where"], "does not deal 13 cards a seat (R2)")
            table = Table(Rules(deal["ruleset"]), deal)
            for event, told in named(events, "played", "passed", "actions_voided"):
                if "action" in told:
                    table = table.before(told, event["where"])
                    continue
                table.act(told, event["where"])
                done += 1
            demand(named(events, "voided") or table.winner, at["where"], "the hand is settled, and nobody is out")
            for event, told in named(events, "settled"):
                facts = (told["winner"], told["cards_left"], told["liable"])
                expect(facts, (table.winner, table.left(), table.liable), event["where"], "winner, cards left, liable")
                twos = {seat: sum(each // 4 == 12 for each in cards) for seat, cards in table.holds.items()}
                check_settlement(deal, told, twos, event["where"])
        for at, told in named(events, "recorded"):
            left, cards = {int(seat): twos for seat, twos in told["twos_left"].items()}, told["cards_left"]
            few = {*left.values()} <= {*range(5)} and {*cards.values()} <= {*range(14)}
            demand(few, at["where"], "more than 13 cards, or 4 twos, are left to somebody (R2)")
            for event, settled in named(events, "settled"):
                same = all(settled[name] == told[name] for name in ("winner", "cards_left", "liable"))
                demand(same, event["where"], "it settles another result than was recorded")
                check_settlement(told, settled, left, event["where"])
    return f"{done} actions are legal, and every settlement follows from them"
def check_settlement(deal, told, twos, where):
    """R8 as a whole, transfer by transfer."""
    rules, unit, liable = Rules(deal["ruleset"]), deal["unit"], told["liable"]
    stacks = {seat["seat"]: seat["stack"] for seat in deal["seats"]}
    points = {int(seat): worth(rules, left, twos.get(int(seat), 0)) for seat, left in told["cards_left"].items()}
    if liable and rules.liability == "takes_all":
        points = {seat: sum(points.values()) if seat == liable else 0 for seat in points}
    winner_first = [told["winner"], *around(told["winner"], stacks, step_of(deal))[:-1]]
    order = winner_first if rules.settlement_order == "winner_first" else around(deal["dealer"], stacks, -1)
    net, transfers = dict.fromkeys(stacks, 0), []
    def pay(payer, receiver, worth_points, due):
        caps = [due]
        caps += [stacks[payer] + net[payer]] if stacks[payer] is not None and rules.stake_cap != "none" else []
        gain = stacks[receiver] is not None and rules.stake_cap == "loss_and_gain"
        paid = min(caps + [stacks[receiver] - net[receiver]] if gain else caps)
        net[payer], net[receiver] = net[payer] - paid, net[receiver] + paid
        told_so = (payer, receiver, worth_points, due, paid, worth_points is None)
        transfers.append(dict(zip(("payer", "receiver", "points", "due", "paid", "covers"), told_so)))
    for one, other in combinations(order, 2):
        payer, receiver = (one, other) if points[one] > points[other] else (other, one)
        difference = points[payer] - points[receiver]
        kept = rules.comparison == "every_pair" or told["winner"] in (one, other)
        if difference and kept and receiver != liable:
            payer = liable if liable and rules.liability == "comparisons" else payer
            pay(payer, receiver, difference, difference * unit)
    for seat in order if liable and rules.liability == "net_losses" else ():
        if seat != liable and net[seat] < 0:
            pay(liable, seat, None, -net[seat])
    expect(told["transfers"], transfers, where, "by R8 the transfers")
    expect(told["net"], {str(seat): chips for seat, chips in net.items()}, where, "by R8.5 the net")
def worth(rules, cards, twos):
    factor = 1
    for least, times_so in rules.point_tiers:
        factor = times_so if cards >= least else factor
    factor += twos if rules.twos == "add_factor" else 0
    return cards * factor * (2**twos if rules.twos == "double_each" else 1)
# the tournament
def check_places(events, hands):
    """Stacks follow from the settlements, places from who went out when, and with how much."""
    stacks, seated = {}, {}
    for event, told in named(of_kind(events, "table"), "hand_ended", "stacks_adjusted"):
        if "changes" in told:  # by a ruling, between hands
            last, of_seat = seated.get(event["stream"], ({}, {}))
            for player, chips in ((of_seat.get(seat), chips) for seat, chips in told["changes"].items()):
                last |= {player: (last[player][0], last[player][1] + chips)} if player in last else {}
            continue
        hand = hands.get(told["hand_id"], ())
        deals, settled = named(hand, "dealt", "recorded", "entropy_opened"), named(hand, "settled")
        players, of_seat = stacks.setdefault(told["hand_id"], {}), {}
        seated[event["stream"]] = (players, of_seat)
        for each in deals[-1][1]["seats"] if deals else ():
            seat = str(each["seat"])
            of_seat[seat] = each["player_id"]
            players[each["player_id"]] = (each["stack"], told["stacks"].get(seat))
            right = None if each["stack"] is None else each["stack"] + (settled[0][1]["net"][seat] if settled else 0)
            expect(told["stacks"].get(seat), right, event["where"], f"the stack of seat {seat}")
    own = of_kind(events, "tournament")
    if not (ends := named(own, "finished", "standings_corrected")):
        return "no tournament was finished: none to check"
    if named(own, "published")[-1][1]["structure"]["format"] == "league":
        return "a league's places are for `big2 verify`: this file does not judge them"
    (at, end), outs, gone = ends[-1], {}, set()
    ins = ("entry_taken", "player_reinstated", "player_replaced")
    for here, told in named(own, *ins, "placed", "disqualified", "penalties_imposed"):
        gone |= {each["player_id"] for each in told.get("penalties", ()) if each["penalty"] == "disqualification"}
        if (player := told.get("player_id")) and "place" not in told:
            gone, outs = gone - {player}, {other: out for other, out in outs.items() if other != player}
        elif player:
            before, after = stacks.get(told["hand_id"], {}).get(player, (told["stack"], 0))
            ruled = told["no_show"] or ("disqualified" in here["topic"] and player in gone)
            demand(ruled or (before == told["stack"] and after <= 0), here["where"], "he was not out then")
            outs[player] = (not told["no_show"], here["index"])
    standings = [player["player_id"] for player in end["standings"]]
    order = [(player not in gone, *outs.get(player, (True, at["index"]))) for player in standings]
    expect(order, sorted(order, reverse=True), at["where"], "the order of the standings, by who went out when,")
    return f"{len(standings)} places follow from the hands"
def check_prizes(events):
    """The prizes go to the places, the first most, and come to the pool."""
    own = of_kind(events, "tournament")
    awards, finished = named(own, "prizes_awarded"), named(own, "finished", "standings_corrected")
    if not awards:
        demand(not finished, "tournament.finished", "no prizes were awarded before it")
        return "none were awarded"
    (at, told), formed = awards[-1], [pool["buy_ins"] + pool["overlay"] for _, pool in named(own, "pool_formed")]
    amounts = [(prize["place"], prize["amount"]) for prize in told["prizes"]]
    total = sum(amount for _, amount in amounts)
    demand(total == told["pool"] == (formed or [10000])[0], at["where"], f"{total} is awarded of a pool of {formed}")
    if not finished:
        return f"{len(amounts)} prizes, {total} in all, by chips (not checked): it was cancelled in the money"
    end = finished[-1][1]["standings"]
    demand(all(any(p.items() >= s.items() for s in end) for p in told["prizes"]), at["where"], "a prize is misplaced")
    for (place, amount), (other, less) in zip(sorted(amounts), sorted(amounts)[1:]):
        fits = abs(amount - less) < 2 if place == other else amount >= less
        demand(fits, at["where"], f"place {other} has {less}, place {place} {amount}")
    return f"{len(amounts)} prizes, {total} in all, come to the pool; how much a place has is for `big2 verify`"
def checks(path: str, trusted: str | None = None) -> Iterator[tuple[str, bool | None, str]]:
    """Each check's name with what holds, what is wrong first, or what is to be known: (name, True/False/None, told)."""
    try:
        files, manifest = read_bundle(path)
        events = read_events(files)
        streams = {event["stream"] for event in events}
        strange = set(files) - set(MEMBERS) - {f"proofs/{stream}.tlog-proof" for stream in streams}
        demand(not strange, "the zip", f"has members that no bundle has: {sorted(strange)[:3]}")
    except (Wrong, *UNREADABLE) as error:
        yield "format", False, str(error) if isinstance(error, Wrong) else f"is no bundle: {error!r}"
        return
    hands, head = hands_of(events), []
    for name, check in (
        ("signature", lambda: head.extend(check_signature(files, manifest, trusted)) or head.pop()),
        ("inclusion", lambda: check_inclusion(files, events, *head)),
        ("chain", lambda: check_chain(events, manifest)),
        ("deal", lambda: check_deals(hands)),
        ("play", lambda: check_play(hands)),
        ("places", lambda: check_places(events, hands)),
        ("prizes", lambda: check_prizes(events)),
    ):
        try:
            demand(head or name != "inclusion", name, "there is no signed log to stand in")
            yield name, True, check()
        except (Wrong, *UNREADABLE) as error:
            yield name, False, str(error) if isinstance(error, Wrong) else f"cannot be read: {error!r}"
    if manifest["of"]["id"] not in streams:
        yield "left out", None, f"the {manifest['of']['kind']} itself is not in it: hands may be missing"
    if manifest["left_out"]:
        yield "left out", None, f"{len(manifest['left_out'])} hands, which were not final: ask for another bundle"
WORDS = {True: "holds", False: "WRONG", None: "note "}
def shown(text: str) -> str:
    """Text from outside on one line: what is no sign is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--key", help="the verifier key that the house has published")
    asked, wrong = parser.parse_args(arguments), False
    sys.stdout.reconfigure(errors="backslashreplace")
    if asked.key is not None and not asked.key.split():
        parser.error("--key is blank")
    try:
        for name, holds, told in checks(asked.bundle, asked.key and asked.key.split()[0]):  # a date may follow it
            print(f"{WORDS[holds]}  {name:10}  {shown(told)}")
            wrong |= holds is False
    except OSError as error:
        parser.error(f"{asked.bundle}: {error.strerror}")
    return wrong
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
