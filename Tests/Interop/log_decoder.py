#!/usr/bin/env python3
"""Decodes pages of the flash log, written from docs/log-format.md alone, with the standard library only.

As a program: log_decoder.py PAGEFILE… prints a line of JSON per record.
"""

import json
import sys
import zlib

KINDS = {
    1: "measured", 2: "detected", 3: "read", 4: "shared", 5: "heraldDetected", 6: "lost", 7: "txPower",
    8: "ownPayload", 9: "battery", 10: "started", 11: "clockSet", 12: "dropped", 13: "targetBytes", 14: "ownBytes",
    15: "visited",
}
# The meaning of the bytes of kinds 13 and 14.
BYTES = {
    (13, 0): ("received", None), (13, 1): ("model", None), (14, 3): ("motion", "worn"), (14, 4): ("motion", "lying"), (14, 5): ("motion", "unknown"), (14, 2): ("restarted", None),
}
# The code of an additional service, whose number is the type less 16.
BYTES |= {(kind, 16 + service): (name, service) for kind, name in ((13, "observed"), (14, "ownCode")) for service in range(240)}
HAVE_BYTES = ("read", "shared", "ownPayload", "received", "model", "observed", "ownCode", "restarted")
SHIFTS = (1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5)
# The first half; the second is its mirror image, negated.
STRETCH = (
    -66, -53, -47, -43, -40, -37, -35, -33, -32, -30, -29, -28, -27, -26, -25, -24,
    -23, -22, -21, -21, -20, -19, -19, -18, -17, -17, -16, -16, -15, -14, -14, -13,
    -13, -12, -12, -11, -11, -11, -10, -10, -9, -9, -8, -8, -8, -7, -7, -6,
    -6, -6, -5, -5, -4, -4, -4, -3, -3, -2, -2, -2, -1, -1, -1, 0,
)
STRETCH += tuple(-number for number in reversed(STRETCH))
SQUASH = (
    2048, 2133, 2218, 2303, 2386, 2469, 2550, 2629, 2706, 2782, 2855, 2926, 2994, 3060, 3123, 3184,
    3242, 3297, 3349, 3398, 3445, 3490, 3531, 3571, 3608, 3642, 3675, 3705, 3734, 3760, 3785, 3808,
    3830, 3850, 3868, 3886, 3902, 3917, 3930, 3943, 3955, 3966, 3976, 3985, 3994, 4002, 4009, 4016,
    4022, 4028, 4033, 4038, 4043, 4047, 4051, 4055, 4058, 4061, 4064, 4066, 4069, 4071, 4073, 4075,
)
HEADER = 40
# In the first segment of a page; half as many in each further one, down to the other.
MOST_RECORDS, LEAST_LIMIT = 8192, 64


class Damaged(Exception):
    """The records contradict the format."""


class Starved(Exception):
    """A byte was needed that was never committed."""


def number(data):
    return int.from_bytes(data, "little")


def crc16(seed, data):
    crc = seed
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def header(data):
    """The header at the start of `data`, or None."""
    if len(data) < HEADER or data[:4] != b"HLog" or data[4] not in (2, 3):
        return None
    found = {
        "version": data[4], "word": data[5], "dictionary": data[6], "source": data[7] & (0x7F if data[4] > 2 else 0xFF),
        "sealed": data[4] > 2 and data[7] >= 0x80, "epoch": number(data[8:12]),
        "sequence": number(data[12:16]), "boot": number(data[16:20]), "uptime": number(data[20:28]),
        "unix": number(data[28:36]), "crc": number(data[36:40]),
    }
    valid = (
        found["word"] in (1, 2, 4, 8) and 1 <= found["dictionary"] <= 64 and found["source"] <= 2
        and 1 <= found["sequence"] < 2**31 and found["crc"] == zlib.crc32(data[:36])
    )
    return found if valid else None


class Blocks:
    """The valid blocks of one segment."""

    def __init__(self, page, offset, head):
        self.page, self.position = page, offset + HEADER
        self.word, self.seed = head["word"], head["crc"] & 0xFFFF

    def next(self):
        """("open" | "final" | "payload", content), or None at the end of the segment."""
        page, at = self.page, self.position
        if at >= len(page) or page[at] in (0xFF, 0x80):
            return None
        if page[at] == 0:
            if at + 1 >= len(page) or not 1 <= page[at + 1] <= 124:
                return None
            kind, start, count = "payload", at + 2, page[at + 1]
        else:
            kind, start, count = "final" if page[at] & 0x80 else "open", at + 1, page[at] & 0x7F
            if count > 125:
                return None
        end = start + count
        if end + 2 > len(page):
            return None
        crc = crc16(self.seed, page[at:end])
        if crc != number(page[end:end + 2]):
            return None
        self.seed = crc
        self.position = at + -(-(end + 2 - at) // self.word) * self.word
        return kind, page[start:end]


class Coder:
    """The arithmetic decoder of one codeword."""

    def __init__(self, blocks, first):
        self.blocks = blocks
        self.final, self.rest = first[0] == "final", list(first[1])
        self.padding = 0
        self.low, self.high, self.value = 0, 0xFFFFFFFF, 0
        for _ in range(4):
            self.value = self.value << 8 | self.byte()

    def byte(self):
        if not self.rest:
            if self.final:
                self.padding += 1
                if self.padding > 4:
                    raise Damaged
                return 0
            block = self.blocks.next()
            if block is None:
                raise Starved
            if block[0] == "payload":
                raise Damaged
            self.final, self.rest = block[0] == "final", list(block[1])
        return self.rest.pop(0)

    def decide(self, chance):
        span = self.high - self.low
        split = self.low + (span >> 12) * chance + ((span & 0xFFF) * chance >> 12)
        bit = 1 if self.value <= split else 0
        if bit:
            self.high = split
        else:
            self.low = split + 1
        while self.low >> 24 == self.high >> 24:
            self.low = self.low << 8 & 0xFFFFFFFF
            self.high = (self.high << 8 & 0xFFFFFFFF) + 255
            self.value = (self.value << 8 & 0xFFFFFFFF) + self.byte()
        return bit


def signed_byte(value):
    return (value + 128) % 256 - 128


def unfold(folded):
    return -(folded + 1) // 2 if folded % 2 else folded // 2


class Segment:
    """Probabilities and memory of one segment."""

    def __init__(self, head):
        self.head = head
        self.contexts = {}
        self.targets = []
        self.before = None
        self.now = 0
        self.last_of_all = 0
        self.direct = False
        self.coder = None
        self.long_step = 0
        # The last two payloads that were in records, the later one first.
        self.payloads = [b"", b""]

    def probability(self, context):
        return self.contexts.get(context, (2048, 0))

    def learn(self, context, bit):
        chance, age = self.probability(context)
        chance += (4096 - chance) >> SHIFTS[age] if bit else -(chance >> SHIFTS[age])
        self.contexts[context] = chance, min(age + 1, 15)

    def bit(self, *context):
        bit = self.coder.decide(self.probability(context)[0])
        self.learn(context, bit)
        return bit

    def mixed(self, one, other):
        """A decision in two contexts."""
        total = sum(
            weight * STRETCH[self.probability(context)[0] >> 5] for weight, context in ((3, one), (2, other)))
        chance = SQUASH[min((abs(total) + 2) >> 2, 63)]
        bit = self.coder.decide(4096 - chance if total < 0 else chance)
        self.learn(one, bit)
        self.learn(other, bit)
        return bit

    def tree(self, context, bits):
        node = 1
        for _ in range(bits):
            node = 2 * node + self.bit(context, node)
        return node - 2**bits

    def plain(self, bits):
        value = 0
        for _ in range(bits):
            value = 2 * value + self.coder.decide(2048)
        return value

    def long(self, context, bits):
        length = self.tree(context, bits)
        return 2**length + self.plain(length) - 1

    def record(self, blocks):
        """The next record, or None at the end of the codeword. `blocks` are payload bytes that came before it."""
        before = self.before if self.before in (1, 2) else 0
        kind = 1
        if self.bit("reading", before):
            kind = self.tree("K", 4)
            if kind == 1:
                raise Damaged
        self.before, was_detection = kind, self.before == 2
        if kind == 0:
            return None
        self.now += self.step()
        if self.now >= 2**32:
            raise Damaged
        record = {"event": KINDS[kind], "ms": self.head["uptime"] + 10 * self.now, "boot": self.head["boot"]}
        if 1 <= kind <= 7 or kind in (13, 15):
            target = self.target(kind, was_detection)
            record["target"] = "%012X" % target["address"]
            record["kind"] = target["kind"]
            if kind == 1:
                record["rssi"] = self.strength(target)
            target["seen"] = self.now
        self.fields(kind, record)
        if record["event"] in HAVE_BYTES or kind in (13, 14):
            payload = self.payload(blocks)
            if record["event"] in HAVE_BYTES:
                record["payload"] = payload.hex()
        return record

    def step(self):
        step = self.tree("S", 5)
        if step == 29:
            return self.long_step
        if step == 30:
            return 29 + self.tree("M", 4)
        if step == 31:
            length = self.tree("L", 4)
            step = 44 + 2**length + self.plain(length) if length < 15 else self.plain(32)
            self.long_step = step
        return step

    def payload(self, blocks):
        if self.bit("repeated"):
            if self.bit("second"):
                self.payloads.reverse()
            if not self.payloads[0]:
                raise Damaged
            return self.payloads[0]
        count = self.plain(5)
        if count == 31:
            return blocks
        if count > 21:
            raise Damaged
        found = bytes(self.plain(8) for _ in range(count))
        if found:
            self.payloads = [found, self.payloads[0]]
        return found

    def fields(self, kind, record):
        """The plain fields."""
        if kind == 7:
            record["power"] = signed_byte(self.plain(8))
        elif kind == 9:
            value = self.plain(8)
            record["level"], record["external"] = value & 0x7F, value >= 128
        elif kind == 10:
            record["reason"] = self.plain(8)
        elif kind == 11:
            record["source"] = self.plain(2)
            record["unix"] = self.plain(32) + (self.plain(32) << 32)
            if record["source"] > 2:
                raise Damaged
        elif kind == 12:
            record["count"] = self.plain(32)
        elif kind in (13, 14):
            what = kind, self.plain(8)
            if what not in BYTES:
                raise Damaged
            record["event"], meaning = BYTES[what]
            if meaning is not None:
                record["state" if record["event"] == "motion" else "service"] = meaning
        elif kind == 15:
            record["first"], record["last"] = self.plain(32), self.plain(32)

    def silence(self, target):
        return (self.now - target["seen"]) % 65536

    def target(self, kind, was_detection):
        if kind == 1:
            context = "after detection" if was_detection else self.direct
        else:
            context = "detected" if kind == 2 else "other"
        self.direct = bool(self.bit("direct", context))
        if not self.direct:
            return self.first(self.search_from_end() if kind == 6 else self.search(was_detection))
        if self.bit("known", context if kind != 1 else "reading"):
            return self.first(self.plain(6))
        kind, top = self.tree("address kind", 2), self.tree("address top", 2)
        address = top << 46 | self.plain(14) << 32
        address += self.plain(32)
        target = {
            "kind": kind, "address": address, "seen": self.now, "rhythm": 0, "last": None, "follower": None, "place": len(self.targets)}
        if len(self.targets) == self.head["dictionary"]:
            target["place"] = self.targets.pop()["place"]
        return self.front(target)

    def first(self, rank):
        """Makes the target at a place of the list the first."""
        if rank >= len(self.targets):
            raise Damaged
        return self.front(self.targets.pop(rank))

    def front(self, target):
        if self.targets and self.targets[0]["place"] != target["place"]:
            self.targets[0]["follower"] = target["place"]
        self.targets.insert(0, target)
        return target

    def search(self, was_detection):
        """The index in the list of a target named by search."""
        candidates = list(range(len(self.targets)))
        if self.targets:
            after = [rank for rank in candidates[1:] if self.targets[rank]["place"] == self.targets[0]["follower"]]
            candidates = after + [rank for rank in candidates if rank not in after]
        for number, rank in enumerate(candidates[:-1]):
            target = self.targets[rank]
            context = ("detection",) if rank == 0 and was_detection else ("silence", target["rhythm"], self.silence_class(target))
            if self.mixed(context, ("place", number == 0, min(rank, 23))):
                return rank
        return candidates[-1] if candidates else 0

    def search_from_end(self):
        for number, rank in enumerate(reversed(range(1, len(self.targets)))):
            if self.bit("lost", min(number, 3)):
                return rank
        return 0

    def silence_class(self, target):
        silence = self.silence(target)
        if silence < 40:
            return silence
        if silence < 64:
            return 40 + (silence - 40) // 6
        if silence >= 768:
            return 51
        length = silence.bit_length()
        return 44 + 2 * (length - 7) + (silence >> (length - 2) & 1)

    def rhythm(self, target):
        silence = self.silence(target)
        if 1 <= silence <= 14:
            target["rhythm"] = 3
        elif 16 <= silence <= 20:
            target["rhythm"] = 1
        elif 25 <= silence <= 29:
            target["rhythm"] = 2

    def strength(self, target):
        self.rhythm(target)
        if target["last"] is None:
            rssi = signed_byte(self.last_of_all + unfold(self.long("F", 4)))
            target["spread"], target["offset"] = 6, 0
        else:
            side = 0 if target["offset"] >= 8 else 2 if target["offset"] < -8 else 1
            width = 0 if target["spread"] < 3 else 1 if target["spread"] < 9 else 2
            folded = self.tree(("J", side, width), 4)
            if folded == 15:
                folded += self.long("X", 3)
            difference = signed_byte(unfold(folded % 256))
            rssi = signed_byte(target["last"] + difference)
            distance = max(min(16 * difference - target["offset"], 144), -144)
            target["offset"] = (distance >> 3) - distance
            target["spread"] += (min(abs(distance), 62) - target["spread"]) >> 2
        target["last"] = self.last_of_all = rssi
        return rssi


class Version2(Segment):
    """The same of a segment of version 2."""

    def payload(self, blocks):
        return blocks

    def step(self):
        step = self.tree("S", 5)
        if step == 30:
            step = 30 + self.tree("M", 5)
        elif step == 31:
            step = 62 + self.long("L", 5)
        return step

    def target(self, kind, was_detection):
        self.direct = bool(self.bit("direct", "detection" if was_detection else self.direct))
        if not self.direct:
            return self.first(self.search(was_detection))
        if self.bit("known"):
            return self.first(self.plain(6))
        kind = self.plain(2)
        address = self.plain(16) << 32
        address += self.plain(32)
        target = {"kind": kind, "address": address, "seen": self.now, "rhythm": 0, "last": None, "jump": 0}
        if len(self.targets) == self.head["dictionary"]:
            self.targets.pop()
        return self.front(target)

    def front(self, target):
        self.targets.insert(0, target)
        return target

    def search(self, was_detection):
        for rank, target in enumerate(self.targets):
            context = ("detection",) if rank == 0 and was_detection else ("silence", target["rhythm"], self.silence_class(target))
            if self.bit(*context):
                return rank
        raise Damaged

    def silence_class(self, target):
        silence = self.silence(target)
        if silence < 40:
            return silence
        if silence < 64:
            return 40 + (silence - 40) // 3
        if silence >= 768:
            return 55
        length = silence.bit_length()
        return 48 + 2 * (length - 7) + (silence >> (length - 2) & 1)

    def strength(self, target):
        self.rhythm(target)
        if target["last"] is None:
            rssi = signed_byte(self.last_of_all + unfold(self.long("F", 4)))
            target["jump"] = 3
        else:
            folded = self.tree(("J", target["jump"]), 4)
            if folded == 15:
                folded += self.long("X", 3)
            rssi = signed_byte(target["last"] + unfold(folded))
            target["jump"] = min(abs(unfold(folded)), 3)
        target["last"] = self.last_of_all = rssi
        return rssi


def segment_records(page, offset, head, most, kind):
    """The records of one segment, and the end of its valid blocks."""
    blocks, segment = kind(page, offset, head), (Version2 if head["version"] == 2 else Segment)(head)
    records, payload = [], b""
    try:
        while (block := blocks.next()) is not None:
            if block[0] == "payload":
                payload += block[1]
                continue
            segment.coder = Coder(blocks, block)
            while (record := segment.record(payload)) is not None:
                if len(records) == most:
                    raise Damaged
                payload = b""
                records.append(record)
            if segment.coder.rest or not segment.coder.final:
                raise Damaged
    except (Starved, Damaged):
        pass
    return records, blocks.position


def decode(page, blocks=None):
    """(header, records) of a page, or None if it has no valid header. A sealed page needs its kind of `blocks`."""
    first = head = header(page)
    if head is None or head["sealed"] != (blocks is not None):
        return None
    records, offset, most = [], 0, MOST_RECORDS
    while True:
        found, end = segment_records(page, offset, head, most, blocks or Blocks)
        records += found
        most = max(most // 2, LEAST_LIMIT)
        offset = -(-end // 64) * 64
        while offset + HEADER <= len(page):
            head = header(page[offset:offset + HEADER])
            if head and all(head[key] == first[key] for key in ("sequence", "epoch", "sealed")):
                break
            offset += 64
        else:
            return first, records


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            decoded = decode(file.read())
        if decoded is None:
            sys.exit(f"{path}: no log page")
        for record in decoded[1]:
            print(json.dumps(record))


if __name__ == "__main__":
    main()
