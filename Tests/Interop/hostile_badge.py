"""A fake device on USB/IP, which answers as `HostileDevice` does."""

import collections
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Flash"))

import usbip
import usbip_messages
from hostile import HostileDevice

VENDOR, PRODUCT, KIND = 0x1209, 0x0001, (0xFF, 0x48, 0x01)
OUT, IN = 0x01, 0x81


class HostileBadge(HostileDevice):
    """With `stalls`, it answers no more requests than that."""

    def __init__(self, pages, *, stalls=None, **options):
        super().__init__(pages, **options)
        self.stalls = stalls
        self.speed = usbip_messages.FULL_SPEED
        self.interface_classes = [KIND]
        self.device_descriptor = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, 64, VENDOR, PRODUCT, 0x0200, 1, 2, 3, 1)
        interface = struct.pack("<9B", 9, 4, 0, 0, 2, *KIND, 0) + b"".join(
            struct.pack("<BBBBHB", 7, 5, address, 2, 64, 0) for address in (OUT, IN))
        self.configuration_descriptor = struct.pack("<BBHBBBBB", 9, 2, 9 + len(interface), 1, 1, 0, 0x80, 50) + interface
        self.unplugged()

    def answer(self, group, command, request):
        try:
            return super().answer(group, command, request)
        except IndexError:
            return {"err": {"group": 72, "rc": 2}}

    def plug(self):
        self.usb = usbip.Server(self)
        self.server = f"127.0.0.1:{self.usb.port}"
        return self

    def stop(self):
        self.usb.close()

    def unplugged(self):
        self.packet = b""
        self.outgoing = collections.deque()

    def control(self, setup, data):
        request_type, request, value, _, length = struct.unpack("<BBHHH", setup)
        if (request_type, request) != (0x80, 6):
            return b""
        kind, index = value >> 8, value & 0xFF
        if kind == 3:
            text = ["", "Herald Embedded", "Hostile", self.texts["n"]][index].encode("utf-16-le")
            return (struct.pack("<BBH", 4, 3, 0x0409) if index == 0 else bytes([2 + len(text), 3]) + text)[:length]
        return {1: self.device_descriptor, 2: self.configuration_descriptor}[kind][:length]

    def received(self, endpoint, data):
        self.packet += data
        while len(self.packet) >= 8 and len(self.packet) >= 8 + int.from_bytes(self.packet[2:4]):
            size = 8 + int.from_bytes(self.packet[2:4])
            whole, self.packet = self.packet[:size], self.packet[size:]
            if self.stalls is None or len(self.asked) < self.stalls:
                self.outgoing.extend(self.answers(whole))

    def take(self, endpoint):
        return self.outgoing.popleft() if self.outgoing else None
