#!/usr/bin/env python3
"""MCUboot's serial recovery at a pseudo terminal (MCUboot's documentation, "Serial recovery"): SMP in its framing for serial lines, with one slot. Tests use it as
an object; it is also a program."""

import argparse
import base64
import hashlib
import json
import signal
import struct
import sys
import threading

import cbor
from terminal import Terminal

FIRST, NEXT, END = b"\x06\x09", b"\x04\x14", b"\n"
# Of a frame with its end; of the body of a packet.
LINE, PACKET = 128, 1024
HEADER = struct.Struct(">BBHHBB")
READ, WRITE = 0, 2
OS, IMAGE = 0, 1
ECHO, RESET, PARAMETERS = 0, 5, 6
STATE, UPLOAD = 0, 1
OK, UNKNOWN, NO_MEMORY, INVALID, NOT_SUPPORTED = 0, 1, 2, 3, 8
MAGIC = 0x96F3B83D
TRAILER_MAGIC, PROTECTED_MAGIC, HASH = 0x6907, 0x6908, 0x10


def crc16(data):
    """XMODEM's."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class Slot:
    """The contents of a slot: an image, if it is complete."""

    def __init__(self, size):
        self.size = size
        self.data = bytearray(b"\xFF" * size)

    def version(self):
        major, minor, revision, build = struct.unpack_from("<BBHI", self.data, 20)
        return f"{major}.{minor}.{revision}.{build}"

    def hash(self):
        """The image's SHA-256 if the one in its trailer is correct; nothing if it is wrong, or if there is no image."""
        magic, _, header, protected, size = struct.unpack_from("<IIHHI", self.data)
        end = header + size + protected
        if magic != MAGIC or end + 4 > self.size:
            return None
        found, total = struct.unpack_from("<HH", self.data, end)
        if found != TRAILER_MAGIC or end + total > self.size:
            return None
        place = end + 4
        while place + 4 <= end + total:
            kind, length = struct.unpack_from("<HH", self.data, place)
            if kind == HASH:
                said = bytes(self.data[place + 4:place + 4 + length])
                return said if said == hashlib.sha256(self.data[:end]).digest() else None
            place += 4 + length
        return None


class Recovery(Terminal):
    """A device in recovery: after a reset with a complete image it `is_running`, and the port disconnects. After `vanish_after` packets it disconnects without a
    response; `plug_in` reconnects it."""

    def __init__(self, slot_size=0x60000, vanish_after=None, tells_hash=True):
        super().__init__()
        self.slot = Slot(slot_size)
        self.tells_hash = tells_hash
        self.packets = 0
        self.plug_in(vanish_after)

    def plug_in(self, vanish_after=None):
        self.unplug()
        self.vanish_after = vanish_after
        self.is_running = False
        self.line, self.packet, self.wanted = bytearray(), bytearray(), 0
        self.offset = self.length = 0
        super().plug_in()

    def receive(self, data):
        for byte in data:
            self.line.append(byte)
            if byte == END[0]:
                line, self.line = bytes(self.line[:-1]), bytearray()
                if not self.take(line):
                    return False
        return True

    def take(self, line):
        """Processes a frame; whether the port is still connected afterwards. Invalid frames are dropped."""
        if len(line) + 1 > LINE or line[:2] not in (FIRST, NEXT):
            return True
        try:
            data = base64.b64decode(line[2:], validate=True)
        except ValueError:
            return True
        if line[:2] == FIRST:
            if len(data) < 2:
                return True
            self.wanted = struct.unpack_from(">H", data)[0]
            self.packet, data = bytearray(), data[2:]
        self.packet += data
        if len(self.packet) < self.wanted or not 2 <= self.wanted <= PACKET:
            return True
        packet, self.packet, self.wanted = bytes(self.packet), bytearray(), 0
        if crc16(packet) != 0:
            return True
        if self.vanish_after is not None:
            if self.vanish_after == 0:
                return False
            self.vanish_after -= 1
        self.packets += 1
        self.answer(packet[:-2])
        return not self.is_running

    def answer(self, packet):
        if len(packet) < HEADER.size:
            return
        first, _, length, group, sequence, command = HEADER.unpack_from(packet)
        try:
            request = cbor.decoded(packet[HEADER.size:]) if length else {}
        except cbor.Malformed:
            response = {"rc": INVALID}
        else:
            response = self.response(first & 7, group, command, request)
        body = cbor.encoded(response)
        self.say(HEADER.pack(first & 0xF8 | (first & 7) + 1, 0, len(body), group, sequence, command) + body)

    def say(self, packet):
        data = struct.pack(">H", len(packet) + 2) + packet + struct.pack(">H", crc16(packet))
        # Three bytes are four characters, in addition to the marker and the end.
        room = (LINE - 3) // 4 * 3
        for place in range(0, len(data), room):
            self.send((NEXT if place else FIRST) + base64.b64encode(data[place:place + room]) + END)

    def response(self, operation, group, command, request):
        if (group, command, operation) == (OS, ECHO, WRITE):
            return {"r": request.get("d", "")}
        if (group, command, operation) == (OS, PARAMETERS, READ):
            return {"buf_size": PACKET, "buf_count": 1}
        if (group, command, operation) == (OS, RESET, WRITE):
            self.is_running = self.slot.hash() is not None
            return {"rc": OK}
        if (group, command, operation) == (IMAGE, STATE, READ):
            return {"images": self.images()}
        if (group, command, operation) == (IMAGE, UPLOAD, WRITE):
            return self.upload(request)
        return {"rc": NOT_SUPPORTED}

    def images(self):
        image_hash = self.slot.hash()
        if image_hash is None:
            return []
        return [{"slot": 0, "version": self.slot.version()} | ({"hash": image_hash} if self.tells_hash else {})]

    def upload(self, request):
        offset, data = request.get("off"), request.get("data")
        if not isinstance(offset, int) or not isinstance(data, bytes) or request.get("image", 0) not in (0, 1):
            return {"rc": INVALID}
        if offset == 0:
            if not isinstance(length := request.get("len"), int) or length > self.slot.size:
                return {"rc": NO_MEMORY if isinstance(length, int) else INVALID}
            self.slot.data[:] = b"\xFF" * self.slot.size
            self.offset, self.length = 0, length
        if offset == self.offset and self.length:
            if offset + len(data) > self.length:
                return {"rc": INVALID}
            self.slot.data[offset:offset + len(data)] = data
            self.offset += len(data)
        # At another offset: the response states the expected one.
        return {"rc": OK, "off": self.offset}


def main():
    parser = argparse.ArgumentParser(description="MCUboot's serial recovery. Tells its serial port on standard output; at the end what is in the slot, as JSON.")
    parser.add_argument("--slot-size", type=lambda text: int(text, 0), default=0x60000)
    parser.add_argument("--vanish-after", type=int, metavar="N", help="gone after N packets; at SIGHUP it is back")
    words = parser.parse_args()
    with Recovery(words.slot_size, words.vanish_after) as recovery:
        is_over = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: is_over.set())
        signal.signal(signal.SIGHUP, lambda *_: recovery.plug_in())
        print(recovery.path, flush=True)
        is_over.wait()
        print(json.dumps({"is_running": recovery.is_running, "packets": recovery.packets, "images": [
            image | {"hash": image.get("hash", b"").hex()} for image in recovery.images()]}), file=sys.stderr)


if __name__ == "__main__":
    main()
