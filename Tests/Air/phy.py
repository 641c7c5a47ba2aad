"""The device side of the packet interface, version 1, of a 2.4 GHz phy: blocking requests over two FIFOs.

    phy = Phy("run1", 2)            # simulation, device number; blocks until the phy has opened the FIFOs
    phy.wait(5000)                  # until this microsecond
    phy.transmit(20000, 37, pdu)    # first bit at 20000 µs; returns the time of the last bit
    packet = phy.receive(30000, 37, 10000)      # None, or Packet(start, end, pdu, crc_ok, rssi)
    phy.leave()                     # or phy.end(), which ends the simulation for all devices

All structures are packed and little-endian. Times are microseconds of the simulation. README.md describes the interface.
"""

import collections
import os
import pwd
import struct

from packets import ADDRESS_TIME, ADVERTISING_ADDRESS, ADVERTISING_CRC, crc24, duration, megahertz

NEVER = 0xFFFFFFFFFFFFFFFF
# Requests of a device.
WAIT, TX, RX, RX_CONTINUE, RX_STOP, NEW_ABORT, DISCONNECT, TERMINATE = 0x01, 0x02, 0x11, 0x12, 0x13, 0x15, 0xFFFF, 0xFFFE
# Responses of the phy.
WAIT_END, TX_END, RECHECK, ADDRESS_FOUND, RX_END = 0x81, 0x100, 0x101, 0x102, 0x103
# Status of a reception.
OK, CRC_ERROR, HEADER_ERROR, NO_SYNC, IN_PROGRESS = 1, 2, 3, 4, 5
# The modulation: 1 Mbit/s.
ONE_MBIT = 0x10
# A scan duration without limit.
UNLIMITED = 0xFFFFFFFF
# Abort time, recheck time.
ABORT = struct.Struct("<QQ")
# Start, end, abort, recheck, access address, modulation, frequency, power in dBm * 256, bytes.
TX_REQUEST = struct.Struct("<QQQQIHhhH")
# End.
TX_DONE = struct.Struct("<Q")
# Start, scan duration, access address, modulation, frequency, antenna gain, permitted errors in the access address and in
# the header, µs of preamble and access address, µs of the header, bit/s, abort, recheck.
RX_REQUEST = struct.Struct("<QIIHhhHHHHIQQ")
# Status, bytes, time of the last bit of the access address, end, RSSI in dBm * 65536.
RX_DONE = struct.Struct("<HHQQi")

Packet = collections.namedtuple("Packet", "start end pdu crc_ok rssi")


class Ended(Exception):
    """The simulation has ended."""


def frequency(channel):
    """The frequency of a channel index, in MHz over 2400 with 8 fractional bits."""
    return megahertz(channel) << 8


def folder(simulation):
    """The folder of the FIFOs of a simulation."""
    return f"/tmp/bs_{pwd.getpwuid(os.geteuid()).pw_name}/{simulation}"


def fifos(simulation, number):
    """The paths of the FIFOs of a device, phy to device and device to phy, which are created if they are missing."""
    os.makedirs(folder(simulation), mode=0o770, exist_ok=True)
    paths = [f"{folder(simulation)}/2G4.d{number}.{direction}" for direction in ("ptd", "dtp")]
    for path in paths:
        try:
            os.mkfifo(path, 0o770)
        except FileExistsError:
            pass
    return paths


def remove(paths):
    """Removes the FIFOs of a device, and their folder if no other device uses it."""
    for path in paths:
        try:
            os.remove(path)
        except FileNotFoundError:
            pass
    try:
        os.rmdir(os.path.dirname(paths[0]))
    except OSError:
        pass


class Phy:
    def __init__(self, simulation, number):
        self.paths = fifos(simulation, number)
        # The phy opens them in this order, too.
        self.source = open(self.paths[0], "rb", buffering=0)
        self.sink = open(self.paths[1], "wb", buffering=0)
        self.now, self.is_closed = 0, False

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.source.read(count - len(data))
            if not more:
                raise Ended
            data += more
        return data

    def answer(self):
        header = struct.unpack("<I", self.take(4))[0]
        if header == DISCONNECT:
            raise Ended
        return header

    def ask(self, header, *parts):
        try:
            self.sink.write(struct.pack("<I", header) + b"".join(parts))
        except BrokenPipeError:
            raise Ended from None

    def wait(self, until):
        self.ask(WAIT, struct.pack("<Q", until))
        assert self.answer() == WAIT_END
        self.now = until

    def transmit(self, start, channel, pdu, address=ADVERTISING_ADDRESS, crc_start=ADVERTISING_CRC, power=0, crc=None):
        """Transmits a PDU and its CRC, or `crc` in place of it. Returns the time of the last bit."""
        packet = pdu + (crc24(pdu, crc_start) if crc is None else crc)
        request = TX_REQUEST.pack(start, start + duration(len(packet)), NEVER, NEVER, address, ONE_MBIT, frequency(channel),
                                  power << 8, len(packet))
        self.ask(TX, request, packet)
        assert self.answer() == TX_END
        self.now, = TX_DONE.unpack(self.take(TX_DONE.size))
        return self.now

    def receive(self, start, channel, window, address=ADVERTISING_ADDRESS, crc_start=ADVERTISING_CRC):
        """Receives the first packet from `start` on whose access address is complete within `window` µs."""
        self.ask(RX, RX_REQUEST.pack(start, window, address, ONE_MBIT, frequency(channel), 0, 2, 0, ADDRESS_TIME, 16, 1000000,
                                     NEVER, NEVER))
        header, packet = self.answer(), b""
        if header == ADDRESS_FOUND:
            _, count, _, _, _ = RX_DONE.unpack(self.take(RX_DONE.size))
            packet = self.take(count)
            self.ask(RX_CONTINUE)
            header = self.answer()
        assert header == RX_END, header
        status, _, stamp, self.now, rssi = RX_DONE.unpack(self.take(RX_DONE.size))
        if status == NO_SYNC:
            return None
        # The bytes of a damaged packet came undamaged with ADDRESS_FOUND and are not used. With a damaged header, the reception
        # has ended before the packet.
        pdu = packet[:-3] if status == OK else b""
        is_correct = status == OK and crc24(pdu, crc_start) == packet[-3:]
        return Packet(stamp - ADDRESS_TIME + 1, self.now, pdu, is_correct, rssi / 65536)

    def close(self):
        self.is_closed = True
        self.sink.close()
        self.source.close()
        remove(self.paths)

    def leave(self):
        self.finish(DISCONNECT)

    def end(self):
        self.finish(TERMINATE)

    def finish(self, request):
        if not self.is_closed:
            try:
                self.ask(request)
            finally:
                self.close()
