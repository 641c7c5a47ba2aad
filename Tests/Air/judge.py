"""Checks transmitted packets against the rules of the link layer: `judge.py [--lossless] [--device N]... RECORDS...`.

It prints each breach with its time, then counts; the exit status is 1 if there was a breach. It reads records only and shares no
code with the link layer that it checks. The rules are those of Bluetooth 4.x at 1 Mbit/s with channel selection algorithm #1:
CRC and lengths; order and distances of advertising channels; T_IFS; which PDU answers which; the fields of CONNECT_IND; and of a
connection the first anchor point, interval, channels, sequence numbers, instants and control PDUs.

Not checked: encrypted payloads, other PHYs, channel selection algorithm #2, and packets that were not transmitted although they
should have been.
"""

import argparse
import collections
import sys

import records
from judged_connection import JudgedConnection, TOLERANCE
from packets import (ADV_DIRECT_IND, ADV_IND, ADV_SCAN_IND, ADVERTISING_ADDRESS, ADVERTISING_CRC, CONNECT_IND, SCAN_REQ, SCAN_RSP,
                     T_IFS, TYPE_NAMES, channel_index, crc24, duration)

# The PDUs that a PDU may answer.
QUESTIONS = {SCAN_REQ: (ADV_IND, ADV_SCAN_IND), SCAN_RSP: (SCAN_REQ,), CONNECT_IND: (ADV_IND, ADV_DIRECT_IND)}
# The permitted lengths of payloads where they are not 6…37.
LENGTHS = {ADV_DIRECT_IND: (12, 12), SCAN_REQ: (12, 12), CONNECT_IND: (34, 34)}
# The maximum time in µs between two advertising PDUs of an event, and between two of high duty cycle on one channel.
SAME_EVENT, HIGH_DUTY = 10000, 3750
CHANNEL_SELECTION_2 = 0x20

Sent = collections.namedtuple("Sent", "end device kind pdu")


def connect_faults(it):
    """(whether it is present, description) of each fault that the fields of CONNECT_IND may have (2.1.2, 2.3.3.1, 4.5)."""
    bits = f"{it.address:032b}"
    changes = sum(one != other for one, other in zip(bits, bits[1:]))
    first = sum(one != other for one, other in zip(bits[:6], bits[1:6]))
    return [
        (not 6 <= it.interval <= 3200, f"interval {it.interval}"),
        (it.latency > 499, f"latency {it.latency}"),
        (not 10 <= it.timeout <= 3200, f"timeout {it.timeout}"),
        (it.timeout * 10000 <= (1 + it.latency) * it.interval * 1250 * 2, "a timeout that is too short for the latency"),
        (not 5 <= it.hop <= 16, f"hop {it.hop}"),
        (it.map >> 37 or it.map.bit_count() < 2, f"channel map {it.map:#x}"),
        (not 1 <= it.window_size <= min(8, it.interval - 1), f"window size {it.window_size}"),
        (it.window_offset > it.interval, f"window offset {it.window_offset}"),
        ("0000000" in bits or "1111111" in bits, "seven equal bits in the access address"),
        (changes > 24, f"{changes} transitions in the access address"),
        (first < 2, "fewer than two transitions in the first six bits of the access address"),
        (len({*it.address.to_bytes(4, "little")}) == 1, "four equal bytes in the access address"),
        ((it.address ^ ADVERTISING_ADDRESS).bit_count() < 2, "an access address too similar to that of advertising")]


class Judge:
    """`is_lossless`: every packet was received by its addressee, so that none has to be repeated. `devices`: the devices whose
    breaches are counted; by default all."""

    def __init__(self, is_lossless=False, devices=None):
        self.is_lossless, self.devices = is_lossless, devices
        self.breaches, self.kinds, self.controls = [], collections.Counter(), collections.Counter()
        self.connections = {}
        # All connections, also those whose access address was used again.
        self.created = []
        # Many devices may answer the same packet at once.
        self.recent = {channel: collections.deque(maxlen=64) for channel in range(40)}
        self.advertising = {}
        # Packets that were due T_IFS after another, and their greatest deviation in µs.
        self.answers, self.max_error = 0, 0

    def breach(self, record, what):
        if self.devices is None or record.device in self.devices:
            self.breaches.append((record.start, f"device {record.device}: {what}"))

    def answered(self, record, gap):
        if self.devices is None or record.device in self.devices:
            self.answers += 1
            self.max_error = max(self.max_error, abs(gap - T_IFS))

    def take(self, record):
        channel = channel_index(record.mhz)
        if record.end - record.start != duration(len(record.packet)):
            # Aborted by its sender: no receiver can have received it.
            self.kinds["aborted"] += 1
        elif record.address == ADVERTISING_ADDRESS:
            self.take_advertising(record, channel)
        else:
            connection = self.connections.get(record.address)
            if connection is None:
                self.kinds["no known connection"] += 1
            elif not connection.uses_algorithm_2:
                connection.take(record, channel)

    def take_advertising(self, record, channel):
        pdu = record.packet[:-3]
        kind = pdu[0] & 15
        name = TYPE_NAMES[kind] if kind < len(TYPE_NAMES) else f"type {kind}"
        self.kinds[name] += 1
        if channel < 37:
            self.breach(record, f"{name} on channel {channel}")
        if crc24(pdu, ADVERTISING_CRC) != record.packet[-3:]:
            self.breach(record, "CRC on an advertising channel")
            return
        if kind >= len(TYPE_NAMES):
            return
        length = pdu[1] & 0x3F
        least, most = LENGTHS.get(kind, (6, 37))
        if length != len(pdu) - 2 or not least <= length <= most:
            self.breach(record, f"{name} of length {length} with {len(pdu) - 2} bytes")
            return
        if kind in QUESTIONS:
            self.answer(record, channel, kind, pdu)
        else:
            self.advertise(record, channel, kind, pdu)
        self.recent[channel].append(Sent(record.end, record.device, kind, pdu))

    def advertise(self, record, channel, kind, pdu):
        # With another address, advertising has been enabled anew.
        advertiser = record.device, pdu[2:8]
        last = self.advertising.get(advertiser)
        if last and 0 < record.start - last[0] <= SAME_EVENT and last[1] >= channel:
            if not (kind == ADV_DIRECT_IND and record.start - last[0] <= HIGH_DUTY):
                gap = record.start - last[0]
                self.breach(record, f"{TYPE_NAMES[kind]} on channel {channel}, {gap} µs after channel {last[1]}")
        self.advertising[advertiser] = (record.start, channel)

    def answer(self, record, channel, kind, pdu):
        questions = [sent for sent in self.recent[channel] if sent.kind in QUESTIONS[kind] and sent.device != record.device
                     and abs(record.start - sent.end - T_IFS) <= TOLERANCE]
        if not questions:
            gap = record.start - self.recent[channel][-1].end if self.recent[channel] else None
            self.breach(record, f"{TYPE_NAMES[kind]} on channel {channel} answers nothing; {gap} µs after the last packet")
            return
        addressed = [sent for sent in questions if self.is_addressed(kind, pdu, sent.pdu)]
        if not addressed:
            self.breach(record, f"{TYPE_NAMES[kind]} for another device than the one that it answers")
        question = (addressed or questions)[-1]
        self.answered(record, record.start - question.end)
        if kind == CONNECT_IND:
            # The advertising event has ended. The advertiser's host may enable advertising again at once.
            self.advertising.pop((question.device, question.pdu[2:8]), None)
            uses_algorithm_2 = bool(question.pdu[0] & pdu[0] & CHANNEL_SELECTION_2)
            connection = JudgedConnection(self, record.end, record.device, pdu, uses_algorithm_2)
            faults = [what for is_present, what in connect_faults(connection.parameters) if is_present]
            for what in faults:
                self.breach(record, f"CONNECT_IND: {what}")
            if not faults:
                self.connections[connection.parameters.address] = connection
                self.created.append(connection)

    @staticmethod
    def is_addressed(kind, pdu, question):
        """Whether the addresses of an answer and their types are those of the question."""
        if kind == SCAN_RSP:
            return question[8:14] == pdu[2:8] and question[0] >> 7 & 1 == pdu[0] >> 6 & 1
        return question[2:8] == pdu[8:14] and question[0] >> 6 & 1 == pdu[0] >> 7 & 1


def judge(transmitted, is_lossless=False, devices=None):
    """The judgement of records in any order."""
    it = Judge(is_lossless, devices)
    for record in sorted(transmitted):
        it.take(record)
    return it


def main():
    parser = argparse.ArgumentParser(description="Checks transmitted packets against the rules of the link layer.")
    parser.add_argument("--lossless", action="store_true", help="every packet was received")
    parser.add_argument("--device", type=int, action="append", help="count the breaches of this device only")
    parser.add_argument("records", nargs="+")
    options = parser.parse_args()
    it = judge([record for path in options.records for record in records.read(path)], options.lossless, options.device)
    for start, what in it.breaches:
        print(f"{start / 1e6:.6f} {what}")
    print(dict(it.kinds))
    for connection in it.created:
        note = ", channel selection algorithm #2: not checked" if connection.uses_algorithm_2 else ""
        print(f"{connection.parameters.address:#010x}: {connection.events} events, {connection.packets} packets{note}")
    print({f"{role} {opcode:#04x}": count for (role, opcode), count in sorted(it.controls.items())})
    print(f"{it.answers} answers, T_IFS error at most {it.max_error} µs, {len(it.breaches)} breaches")
    sys.exit(bool(it.breaches))


if __name__ == "__main__":
    main()
