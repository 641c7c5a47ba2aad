"""The command packets of CMSIS-DAP (version 2.1 of its description), for Serial Wire Debug."""

import collections
import struct

from swd import ACK_NONE, ACK_OK, ACK_WAIT, AP, READ, RDBUFF

INFO, HOST_STATUS, CONNECT, DISCONNECT, TRANSFER_CONFIGURE, TRANSFER, TRANSFER_BLOCK, TRANSFER_ABORT, WRITE_ABORT, DELAY, RESET_TARGET = range(0x0B)
SWJ_PINS, SWJ_CLOCK, SWJ_SEQUENCE, SWD_CONFIGURE = 0x10, 0x11, 0x12, 0x13
SWD_SEQUENCE, QUEUE_COMMANDS, EXECUTE_COMMANDS = 0x1D, 0x7E, 0x7F
OK, ERROR = 0x00, 0xFF
SWD_PORT = 1
MATCH_VALUE, MATCH_MASK, TIMESTAMP = 0x10, 0x20, 0x80
# In the acknowledgement of a Transfer.
MISMATCH = 0x10
PACKETS = 4
# In the response to Info, capabilities.
CAPABLE_OF_SWD, CAPABLE_OF_ATOMIC_COMMANDS = 0x01, 0x10
PIN_CLOCK, PIN_DATA, PIN_RESET = 0x01, 0x02, 0x80


class Malformed(Exception):
    """A packet that is shorter than its contents require."""


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, form):
        size = struct.calcsize(form)
        if self.place + size > len(self.data):
            raise Malformed
        values = struct.unpack_from(form, self.data, self.place)
        self.place += size
        return values if len(values) > 1 else values[0]

    def bytes(self, count):
        if self.place + count > len(self.data):
            raise Malformed
        self.place += count
        return self.data[self.place - count:self.place]


class CMSISDAP:
    """`wire` is the target's end of SWD. Without `is_atomic` there are no ExecuteCommands and QueueCommands; the responses to the packets whose numbers are in `cut_at`
    lack their last byte. The traffic with the host is counted: `packets` commands, an equal number of responses except to TransferAbort, `bytes_out` and
    `bytes_in`, and `commands` by their numbers. `malformed` is the number of malformed packets."""

    def __init__(self, wire, serial, is_atomic=True, cut_at=()):
        self.wire = wire
        self.serial = serial
        self.is_atomic, self.cut_at = is_atomic, set(cut_at)
        self.reset_counts()
        self.connected = False
        self.wait_retries, self.match_retries = 0, 0
        self.match_mask = 0
        self.pins = PIN_RESET | PIN_DATA
        self.queued = []

    def reset_counts(self):
        self.packets = self.bytes_out = self.bytes_in = 0
        self.commands = collections.Counter()
        self.malformed = []

    def answer(self, packet, room):
        """The responses to a command packet, each of at most `room` bytes: none to TransferAbort, and those to queued packets with that to the next that is not."""
        self.packets += 1
        self.bytes_out += len(packet)
        self.room = room
        self.queued.append(packet)
        if packet[0] == QUEUE_COMMANDS and self.is_atomic:
            return []
        packets, self.queued = self.queued, []
        responses = [response for packet in packets if (response := self.response(packet)) is not None]
        if self.packets in self.cut_at and responses:
            responses[-1] = responses[-1][:-1]
        self.bytes_in += sum(map(len, responses))
        return responses

    def response(self, packet):
        self.wire.packet()
        reader = Reader(packet)
        try:
            if packet[0] == QUEUE_COMMANDS and self.is_atomic:
                self.commands[reader.take("<B")] += 1
                response = self.several(reader)
            else:
                response = self.command(reader)
        except Malformed:
            self.malformed.append(packet)
            return bytes([packet[0], ERROR])
        if response is not None and len(response) > self.room:
            self.malformed.append(packet)
        return response

    def several(self, reader):
        count = reader.take("<B")
        return bytes([EXECUTE_COMMANDS, count]) + b"".join(self.command(reader) or b"" for _ in range(count))

    def command(self, reader):
        code = reader.take("<B")
        self.commands[code] += 1
        if code == EXECUTE_COMMANDS and self.is_atomic:
            return self.several(reader)
        name = NAMES.get(code)
        if name is None:
            return bytes([ERROR])
        body = getattr(self, name)(reader)
        return None if body is None else bytes([code]) + body

    def info(self, reader):
        texts = {0x01: "Herald Tests", 0x02: "Virtual CMSIS-DAP", 0x03: self.serial, 0x04: "2.1.1", 0x09: "1.0"}
        capabilities = CAPABLE_OF_SWD | (CAPABLE_OF_ATOMIC_COMMANDS if self.is_atomic else 0)
        numbers = {0xF0: struct.pack("<B", capabilities), 0xFE: struct.pack("<B", PACKETS), 0xFF: struct.pack("<H", self.room)}
        wanted = reader.take("<B")
        data = numbers.get(wanted, texts[wanted].encode() + b"\0" if wanted in texts else b"")
        return bytes([len(data)]) + data

    def host_status(self, reader):
        reader.take("<BB")
        return bytes([OK])

    def connect(self, reader):
        port = reader.take("<B")
        self.connected = port in (0, SWD_PORT)
        return bytes([SWD_PORT if self.connected else 0])

    def disconnect(self, reader):
        self.connected = False
        return bytes([OK])

    def transfer_configure(self, reader):
        _, self.wait_retries, self.match_retries = reader.take("<BHH")
        return bytes([OK])

    def write_abort(self, reader):
        _, value = reader.take("<BI")
        ack, _ = self.wire.transfer(0, value)
        return bytes([OK if ack == ACK_OK else ERROR])

    def delay(self, reader):
        reader.take("<H")
        return bytes([OK])

    def reset_target(self, reader):
        return bytes([OK, 0])

    def swj_pins(self, reader):
        output, select, _ = reader.take("<BBI")
        self.pins = (self.pins & ~select) | (output & select)
        self.wire.reset_pin(bool(self.pins & PIN_RESET))
        return bytes([self.pins & (PIN_CLOCK | PIN_DATA | PIN_RESET)])

    def swj_clock(self, reader):
        return bytes([OK if reader.take("<I") else ERROR])

    def swj_sequence(self, reader):
        count = reader.take("<B") or 256
        self.bits(reader.bytes((count + 7) // 8), count)
        return bytes([OK])

    def swd_configure(self, reader):
        reader.take("<B")
        return bytes([OK])

    def swd_sequence(self, reader):
        read = b""
        for _ in range(reader.take("<B")):
            kind = reader.take("<B")
            count = kind & 63 or 64
            if kind & 0x80:
                # The line is not driven, and pulled up.
                read += ((1 << count) - 1).to_bytes((count + 7) // 8, "little")
            else:
                self.bits(reader.bytes((count + 7) // 8), count)
        return bytes([OK]) + read

    def bits(self, data, count):
        self.wire.bits(int.from_bytes(data, "little"), count)

    def transfer_abort(self, reader):
        return None

    def swd(self, request, value=0):
        """One transfer, repeated on WAIT until the host's timeout."""
        if not self.connected:
            return ACK_NONE, 0
        for _ in range(self.wait_retries + 1):
            ack, read = self.wire.transfer(request & 0x0F, value)
            if ack != ACK_WAIT:
                break
        return ack, read

    def transfer(self, reader):
        _, count = reader.take("<BB")
        done, ack, data, is_posted = 0, ACK_OK, b"", False
        check_write = False
        for _ in range(count):
            request = reader.take("<B")
            if request & TIMESTAMP:
                raise Malformed
            is_read, is_port = request & READ, request & AP
            value = reader.take("<I") if not is_read or request & MATCH_VALUE else 0
            if ack != ACK_OK:
                # The rest of a packet whose execution stopped is skipped.
                continue
            if is_posted:
                # The result of the previous read is returned with this one if it is also of the access port; otherwise it is read from RDBUFF.
                follows = is_read and is_port and not request & MATCH_VALUE
                ack, read = self.swd(request if follows else RDBUFF)
                is_posted = bool(follows)
                if ack != ACK_OK:
                    continue
                data += struct.pack("<I", read)
                if follows:
                    done += 1
                    continue
            if not is_read:
                if request & MATCH_MASK:
                    self.match_mask = value
                else:
                    ack, _ = self.swd(request, value)
                    check_write = True
            elif request & MATCH_VALUE:
                ack = self.match(request, value)
                check_write = False
            elif is_port:
                ack, _ = self.swd(request)
                is_posted = ack == ACK_OK
                check_write = False
            else:
                ack, read = self.swd(request)
                check_write = False
                if ack == ACK_OK:
                    data += struct.pack("<I", read)
            if ack == ACK_OK:
                done += 1
        if ack == ACK_OK and (is_posted or check_write):
            ack, read = self.swd(RDBUFF)
            if is_posted and ack == ACK_OK:
                data += struct.pack("<I", read)
        return bytes([done, ack]) + data

    def match(self, request, value):
        """Reads until the masked value matches, or until the host's timeout."""
        if request & AP:
            ack, _ = self.swd(request)
            if ack != ACK_OK:
                return ack
        for attempt in range(self.match_retries + 1):
            if attempt:
                self.wire.slice()
            ack, read = self.swd(request)
            if ack != ACK_OK or (read & self.match_mask) == value:
                return ack
        return ack | MISMATCH

    def transfer_block(self, reader):
        _, count, request = reader.take("<BHB")
        done, ack, data = 0, ACK_OK, b""
        if request & READ and request & AP and count:
            ack, _ = self.swd(request)
            while ack == ACK_OK and done < count:
                ack, read = self.swd(request if done + 1 < count else RDBUFF)
                if ack == ACK_OK:
                    data += struct.pack("<I", read)
                    done += 1
        elif request & READ:
            while ack == ACK_OK and done < count:
                ack, read = self.swd(request)
                if ack == ACK_OK:
                    data += struct.pack("<I", read)
                    done += 1
        else:
            values = [reader.take("<I") for _ in range(count)]
            while ack == ACK_OK and done < count:
                ack, _ = self.swd(request, values[done])
                done += ack == ACK_OK
            if ack == ACK_OK:
                ack, _ = self.swd(RDBUFF)
        return struct.pack("<HB", done, ack) + data


NAMES = {
    INFO: "info", HOST_STATUS: "host_status", CONNECT: "connect", DISCONNECT: "disconnect", TRANSFER_CONFIGURE: "transfer_configure", TRANSFER: "transfer",
    TRANSFER_BLOCK: "transfer_block", TRANSFER_ABORT: "transfer_abort", WRITE_ABORT: "write_abort", DELAY: "delay", RESET_TARGET: "reset_target", SWJ_PINS: "swj_pins",
    SWJ_CLOCK: "swj_clock", SWJ_SEQUENCE: "swj_sequence", SWD_CONFIGURE: "swd_configure", SWD_SEQUENCE: "swd_sequence"}
