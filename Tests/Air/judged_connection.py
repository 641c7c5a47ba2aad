"""The rules of the link layer for the packets of one connection (Core Specification, Vol 6, Part B, 4.5 and 5.1)."""

from packets import T_IFS, crc24

TOLERANCE = 2
# A first anchor point may be early by one tick of a 32 kHz clock, in µs: some controllers count in ticks.
EARLY = 31
# The latest start of a packet of the same event, in µs after the end of the other device's.
LATEST = T_IFS + TOLERANCE + 30
UNIT = 1250
CONTROL, START, RESERVED = 3, 2, 0
LL_CONNECTION_UPDATE_IND, LL_CHANNEL_MAP_IND = 0x00, 0x01
# The length of each control PDU, with its opcode.
CONTROL_LENGTHS = {
    0x00: 12, 0x01: 8, 0x02: 2, 0x03: 23, 0x04: 13, 0x05: 1, 0x06: 1, 0x07: 2, 0x08: 9, 0x09: 9, 0x0A: 1, 0x0B: 1, 0x0C: 6,
    0x0D: 2, 0x0E: 9, 0x0F: 24, 0x10: 24, 0x11: 3, 0x12: 1, 0x13: 1, 0x14: 9, 0x15: 9, 0x16: 3, 0x17: 3, 0x18: 5, 0x19: 3}
# The maximum deviation of the central's clock in ppm, by SCA; and the one assumed of the peripheral's.
PPM = (500, 250, 150, 100, 75, 50, 30, 20)
PERIPHERAL_PPM = 500


def number(data):
    return int.from_bytes(data, "little")


class Parameters:
    """The fields of LLData in CONNECT_IND (2.3.3.1)."""

    def __init__(self, pdu):
        self.address, self.crc_init = number(pdu[14:18]), number(pdu[18:21])
        self.window_size, self.window_offset = pdu[21], number(pdu[22:24])
        self.interval, self.latency, self.timeout = number(pdu[24:26]), number(pdu[26:28]), number(pdu[28:30])
        self.map, self.hop, self.sca = number(pdu[30:35]), pdu[35] & 31, pdu[35] >> 5


class Side:
    """The last packet of one device: its sequence number, acknowledgement and payload."""

    def __init__(self, sequence, expected, payload):
        self.sequence, self.expected, self.payload = sequence, expected, payload


class JudgedConnection:
    """A connection that `central` created with a CONNECT_IND that ended at `end`."""

    def __init__(self, judge, end, central, pdu, uses_algorithm_2):
        self.judge, self.created, self.central, self.uses_algorithm_2 = judge, end, central, uses_algorithm_2
        self.parameters = Parameters(pdu)
        self.interval, self.map = self.parameters.interval, self.parameters.map
        self.counter, self.unmapped, self.anchor, self.event_channel = -1, 0, None, None
        # What takes effect at an instant: new timing, and new channel map.
        self.updates, self.maps = {}, {}
        self.last = {True: None, False: None}
        # The device and the end of the last packet.
        self.previous = None
        self.peripheral = None
        self.events = self.packets = 0
        # Packets of the central to which the peripheral did not respond, in events before the last.
        self.unanswered = 0

    def breach(self, record, what):
        self.judge.breach(record, f"{self.parameters.address:#010x}: {what}")

    def take(self, record, channel):
        is_central = record.device == self.central
        self.packets += 1
        pdu = record.packet[:-3]
        is_correct = crc24(pdu, self.parameters.crc_init) == record.packet[-3:]
        if not is_correct:
            self.breach(record, "CRC")
        gap = record.start - self.previous[1] if self.previous else None
        is_answer = gap is not None and gap <= LATEST and self.previous[0] != record.device
        if is_answer:
            self.judge.answered(record, gap)
            if abs(gap - T_IFS) > TOLERANCE:
                self.breach(record, f"{gap} µs after the other device's packet")
            if channel != self.event_channel:
                self.breach(record, f"answer on channel {channel}")
        elif is_central:
            self.begin_event(record, channel)
        else:
            self.breach(record, f"the peripheral begins an event, {gap} µs after the last packet")
        if not is_central:
            self.peripheral = record.device if self.peripheral is None else self.peripheral
            if record.device != self.peripheral:
                self.breach(record, f"device {record.device} is no part of the connection")
        self.previous = (record.device, record.end)
        if is_correct and (is_answer or is_central):
            self.read(record, is_central, pdu)

    # Timing and channels of events.

    def steps(self):
        """For each event after the current one: its distance from the anchor point and the width of its window, in µs."""
        counter, interval, distance = self.counter, self.interval, 0
        while True:
            counter += 1
            distance += interval * UNIT
            width = 0
            update = self.updates.get(counter & 0xFFFF)
            if update:
                size, offset, interval, _, _ = update
                distance, width = distance + offset * UNIT, size * UNIT
            yield distance, width

    def advance(self, count):
        """Proceeds by a number of events."""
        for _ in range(count):
            self.counter += 1
            instant = self.counter & 0xFFFF
            self.map = self.maps.pop(instant, self.map)
            if instant in self.updates:
                self.interval = self.updates.pop(instant)[2]
        self.unmapped = (self.unmapped + count * self.parameters.hop) % 37

    @property
    def channel(self):
        """Channel selection algorithm #1 (4.5.8.2)."""
        if self.map >> self.unmapped & 1:
            return self.unmapped
        used = [channel for channel in range(37) if self.map >> channel & 1]
        return used[self.unmapped % len(used)]

    def begin_event(self, record, channel):
        self.events += 1
        if self.previous is not None and self.previous[0] == self.central:
            self.unanswered += 1
        if self.anchor is None:
            self.first_anchor(record)
        else:
            self.next_anchor(record)
        self.event_channel = channel
        if channel != self.channel:
            self.breach(record, f"event {self.counter} on channel {channel} in place of {self.channel}")
        self.anchor = record.start

    def first_anchor(self, record):
        # The transmit window begins 1.25 ms after CONNECT_IND and WinOffset (4.5.3). If the central missed it, the later
        # events have windows of the same width.
        late = record.start - (self.created + UNIT + self.parameters.window_offset * UNIT)
        width = self.parameters.window_size * UNIT + TOLERANCE
        skipped = max(0, -((width - late) // (self.interval * UNIT)))
        self.advance(1 + skipped)
        late -= skipped * self.interval * UNIT
        if not -EARLY <= late <= width:
            self.breach(record, f"first anchor point {late} µs into a window of {width - TOLERANCE}")

    def next_anchor(self, record):
        # The central may have skipped events: the nearest one is taken.
        elapsed = record.start - self.anchor
        best = None
        for count, (distance, width) in enumerate(self.steps(), 1):
            off = elapsed - distance
            error = off if off < 0 else max(0, off - width)
            if best is None or abs(error) < abs(best[0]):
                best = (error, count)
            if distance > elapsed + self.interval * UNIT:
                break
        error, count = best
        self.advance(count)
        permitted = (PPM[self.parameters.sca] + PERIPHERAL_PPM) * elapsed // 1000000 + 16 + TOLERANCE
        if abs(error) > permitted:
            self.breach(record, f"anchor point {error:+} µs off, {count} events after the last")

    # Acknowledgement and control PDUs.

    def read(self, record, is_central, pdu):
        role = "central" if is_central else "peripheral"
        kind, expected, sequence, length = pdu[0] & 3, pdu[0] >> 2 & 1, pdu[0] >> 3 & 1, pdu[1]
        if length != len(pdu) - 2:
            self.breach(record, f"length {length} with {len(pdu) - 2} bytes")
        if kind == RESERVED:
            self.breach(record, "LLID 0")
        if kind == START and length == 0:
            self.breach(record, "LLID 2 without a payload")
        own, other = self.last[is_central], self.last[not is_central]
        if own is None:
            if sequence or (is_central and expected):
                self.breach(record, f"the {role} begins with SN {sequence}, NESN {expected}")
        else:
            self.check_sequence(record, role, own, other, sequence, pdu[2:])
        self.last[is_central] = Side(sequence, expected, bytes(pdu[2:]))
        if kind == CONTROL:
            opcode = pdu[2] if length else None
            if opcode is None or CONTROL_LENGTHS.get(opcode, length) != length:
                self.breach(record, f"control PDU {opcode} with {length} bytes")
            elif own is None or sequence != own.sequence:
                self.judge.controls[role, opcode] += 1
                self.control(record, is_central, opcode, pdu[3:])

    def check_sequence(self, record, role, own, other, sequence, payload):
        is_acknowledged = other is not None and other.expected != own.sequence
        if sequence != own.sequence:
            if not is_acknowledged:
                self.breach(record, f"the {role} proceeds to SN {sequence} without an acknowledgement")
        elif is_acknowledged and self.judge.is_lossless:
            self.breach(record, f"the {role} repeats SN {sequence}, which was acknowledged")
        elif own.payload and own.payload != payload:
            self.breach(record, f"the {role} retransmits SN {sequence} with another payload")

    def control(self, record, is_central, opcode, body):
        if opcode not in (LL_CONNECTION_UPDATE_IND, LL_CHANNEL_MAP_IND):
            return
        instant = number(body[-2:])
        ahead = instant - self.counter & 0xFFFF
        if not is_central:
            self.breach(record, f"the peripheral transmits control PDU {opcode}")
        elif not 6 <= ahead < 0x8000:
            self.breach(record, f"an instant {ahead} events ahead")
        if opcode == LL_CHANNEL_MAP_IND:
            self.maps[instant] = number(body[:5])
        else:
            self.updates[instant] = (body[0], *(number(body[place:place + 2]) for place in (1, 3, 5, 7)))
