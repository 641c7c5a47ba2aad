"""A scripted central for a peripheral under test. It executes connection events by its script, including faults of real centrals.

    central = Central(Phy("run1", 1))
    central.connect()
    central.ask(0x08, bytes(8))      # LL_FEATURE_REQ: the control PDU that is received next, or None
    central.run(10)                  # ten events; the received payloads, as a list of (LLID, payload)
    central.update(interval=40)      # LL_CONNECTION_UPDATE_IND, executed at its instant
    central.terminate()
"""

from packets import ADV_DIRECT_IND, ADV_IND, CONNECT_IND, T_IFS, crc24

UNIT = 1250
CONTROL, START, CONTINUATION = 3, 2, 1
LL_CONNECTION_UPDATE_IND, LL_CHANNEL_MAP_IND, LL_TERMINATE_IND = 0x00, 0x01, 0x02
ALL_CHANNELS = (1 << 37) - 1


class Lost(Exception):
    """The supervision timeout has passed without a packet from the peripheral."""


class Central:
    """`ppm` is the frequency deviation of its clock; `sca` is the sleep clock accuracy that it declares."""

    def __init__(self, phy, address=bytes.fromhex("0cf0f0f0f0f0"), is_random=True, ppm=0, sca=5):
        self.phy, self.address, self.is_random, self.ppm, self.sca = phy, address, is_random, ppm, sca
        self.queue = []
        # (time, event counter, channel) of each transmitted packet.
        self.trace = []
        self.answers = self.missed = 0

    def find(self, wanted=None, seconds=10, channel=37):
        """The next connectable advertising PDU, of the device with the address `wanted` if it is given."""
        end = self.phy.now + seconds * 1000000
        while self.phy.now < end:
            packet = self.phy.receive(self.phy.now + 1, channel, 1000000)
            if (packet and packet.crc_ok and packet.pdu[0] & 15 in (ADV_IND, ADV_DIRECT_IND) and
                    wanted in (None, packet.pdu[2:8])):
                return packet
        raise Lost

    def connect(self, wanted=None, interval=24, latency=0, timeout=100, window_size=2, window_offset=0, late=0, hop=7,
                channels=ALL_CHANNELS, access=0x50655DA3, crc=0x1B7F2C, answer_after=T_IFS):
        """Transmits CONNECT_IND. `late` is the position of the first anchor point in the transmit window, in µs."""
        found = self.find(wanted)
        self.access, self.crc, self.interval, self.timeout = access, crc, interval, timeout
        self.hop, self.channels = hop, channels
        fields = [(access, 4), (crc, 3), (window_size, 1), (window_offset, 2), (interval, 2), (latency, 2), (timeout, 2),
                  (channels, 5), (hop | self.sca << 5, 1)]
        data = b"".join(value.to_bytes(count, "little") for value, count in fields)
        header = CONNECT_IND | self.is_random << 6 | (found.pdu[0] >> 6 & 1) << 7
        pdu = bytes([header, 34]) + self.address + found.pdu[2:8] + data
        end = self.phy.transmit(found.end + answer_after, 37, pdu)
        self.peer = found.pdu[2:8]
        self.anchor = end + UNIT + window_offset * UNIT + late
        self.counter, self.unmapped = 0, hop % 37
        self.sequence = self.expected = 0
        self.received_at, self.pending, self.current = end, [], None
        return self.peer

    @property
    def channel(self):
        """Channel selection algorithm #1."""
        if self.channels >> self.unmapped & 1:
            return self.unmapped
        used = [channel for channel in range(37) if self.channels >> channel & 1]
        # A CONNECT_IND under test may have no channel at all.
        return used[self.unmapped % len(used)] if used else self.unmapped

    def send(self, llid, payload):
        self.queue.append((llid, bytes(payload)))

    def event(self, is_silent=False, spoil=(), deaf=(), pairs=8):
        """Executes one connection event and returns the new payloads. `spoil`: the numbers of packets that are transmitted with
        a wrong CRC; `deaf`: those whose answer is not received; `pairs`: the maximum number of packets."""
        received, time, number = [], self.anchor, 0
        while not is_silent and number < pairs:
            end = self.transmit(round(time), number in spoil)
            if number in deaf:
                break
            answer = self.phy.receive(end + T_IFS - 5, self.channel, 5 + 40 + 5, self.access, self.crc)
            if answer is None:
                self.missed += 1
                break
            self.answers += 1
            assert abs(answer.start - end - T_IFS) <= 2, f"an answer after {answer.start - end} µs"
            time, number = answer.end + T_IFS, number + 1
            if not answer.crc_ok:
                break
            self.received_at = answer.end
            received += self.acknowledge(answer.pdu)
            has_more = answer.pdu[0] >> 4 & 1
            if not has_more and not self.queue and self.current is None:
                break
        self.next()
        if self.anchor - self.received_at > self.timeout * 10000:
            raise Lost
        return received

    def transmit(self, time, is_spoiled):
        if self.current is None:
            self.current = self.queue.pop(0) if self.queue else (CONTINUATION, b"")
        llid, payload = self.current
        header = llid | self.expected << 2 | self.sequence << 3 | bool(self.queue) << 4
        pdu = bytes([header, len(payload)]) + payload
        crc = bytes(byte ^ 0x55 for byte in crc24(pdu, self.crc)) if is_spoiled else None
        self.trace.append((time, self.counter, self.channel))
        return self.phy.transmit(time, self.channel, pdu, self.access, self.crc, crc=crc)

    def acknowledge(self, pdu):
        """Processes the acknowledgement of a PDU, and returns its payload in a list if it is a new one."""
        if pdu[0] >> 2 & 1 != self.sequence:
            self.sequence ^= 1
            self.current = None
        if pdu[0] >> 3 & 1 != self.expected:
            return []
        self.expected ^= 1
        return [(pdu[0] & 3, pdu[2:])] if pdu[1] else []

    def next(self):
        """Proceeds to the next event."""
        self.counter = self.counter + 1 & 0xFFFF
        step = self.interval * UNIT
        for change in [change for change in self.pending if change[0] == self.counter]:
            self.pending.remove(change)
            _, timing, channels = change
            if timing is None:
                self.channels = channels
            else:
                self.interval, self.timeout, offset, late = timing
                step += offset * UNIT + late
        self.unmapped = (self.unmapped + self.hop) % 37
        self.anchor += step * (1 - self.ppm / 1e6)

    def run(self, events, **how):
        return [payload for _ in range(events) for payload in self.event(**how)]

    def ask(self, opcode, body, events=20):
        """Sends a control PDU and returns the one that is received next."""
        self.send(CONTROL, bytes([opcode]) + body)
        for _ in range(events):
            for llid, payload in self.event():
                if llid == CONTROL:
                    return payload
        return None

    def update(self, interval, latency=0, timeout=100, window_size=1, window_offset=0, late=0, ahead=6):
        """Updates the connection parameters at an instant `ahead` events later."""
        instant = self.counter + ahead & 0xFFFF
        values = b"".join(value.to_bytes(2, "little") for value in (window_offset, interval, latency, timeout, instant))
        self.send(CONTROL, bytes([LL_CONNECTION_UPDATE_IND, window_size]) + values)
        self.pending.append((instant, (interval, timeout, window_offset, late), None))
        return self.run(ahead + 2)

    def remap(self, channels, ahead=6):
        """Updates the channel map at an instant `ahead` events later."""
        instant = self.counter + ahead & 0xFFFF
        self.send(CONTROL, bytes([LL_CHANNEL_MAP_IND]) + channels.to_bytes(5, "little") + instant.to_bytes(2, "little"))
        self.pending.append((instant, None, channels))
        return self.run(ahead + 2)

    def terminate(self, reason=0x13):
        self.send(CONTROL, bytes([LL_TERMINATE_IND, reason]))
        return self.run(2)
