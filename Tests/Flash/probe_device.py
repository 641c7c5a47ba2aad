"""The USB side of the virtual probe: descriptors and endpoints of CMSIS-DAP version 2 (bulk) and version 1 (HID), over any handler of command packets."""

import collections
import struct

import usbip
import usbip_messages

# One of pid.codes' identifiers for private tests.
VENDOR, PRODUCT = 0x1209, 0x0004
BULK_OUT, BULK_IN, HID_OUT, HID_IN = 0x01, 0x81, 0x02, 0x82
REPORT = 64
# One report of 64 bytes each way, on a page of the vendor's.
REPORT_DESCRIPTOR = bytes.fromhex("0600ff 0901 a101 1500 26ff00 7508 9540 0901 8102 9540 0901 9102 c0")
STRING_VENDOR, STRING_PRODUCT, STRING_SERIAL, STRING_BULK, STRING_HID = 1, 2, 3, 4, 5
IN, OUT = 0x80, 0x00


def endpoint(address, kind, size, interval):
    return struct.pack("<BBBBHB", 7, 5, address, kind, size, interval)


class ProbeDevice:
    """`answer(packet, room)` gives the responses to a command packet. With `bulk` and `hid` the interfaces are chosen; packets on the former have up to
    `packet_size` bytes, which is also the size of the endpoints."""

    def __init__(self, answer, serial, bulk=True, hid=True, packet_size=512):
        self.answer = answer
        self.bulk, self.hid = bulk, hid
        self.speed = usbip_messages.HIGH_SPEED if packet_size == 512 else usbip_messages.FULL_SPEED
        self.packet_size = packet_size
        self.outgoing = collections.defaultdict(collections.deque)
        self.strings = {STRING_VENDOR: "Herald Tests", STRING_PRODUCT: "Virtual CMSIS-DAP", STRING_SERIAL: serial, STRING_BULK: "CMSIS-DAP v2", STRING_HID: "CMSIS-DAP v1"}
        self.device_descriptor = struct.pack(
            "<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, 64, VENDOR, PRODUCT, 0x0100, STRING_VENDOR, STRING_PRODUCT, STRING_SERIAL, 1)
        interfaces, number = b"", 0
        self.interface_classes = []
        self.hid_number = None
        if bulk:
            size = 512 if self.speed == usbip_messages.HIGH_SPEED else 64
            interfaces += struct.pack("<9B", 9, 4, number, 0, 2, 0xFF, 0, 0, STRING_BULK) + endpoint(BULK_OUT, 2, size, 0) + endpoint(BULK_IN, 2, size, 0)
            self.interface_classes.append((0xFF, 0, 0))
            number += 1
        if hid:
            self.hid_number = number
            self.hid_descriptor = struct.pack("<BBHBBBH", 9, 0x21, 0x0111, 0, 1, 0x22, len(REPORT_DESCRIPTOR))
            # At high speed, 2^(4-1) microframes; at full speed, 1 ms.
            interval = 4 if self.speed == usbip_messages.HIGH_SPEED else 1
            interfaces += struct.pack("<9B", 9, 4, number, 0, 2, 3, 0, 0, STRING_HID) + self.hid_descriptor
            interfaces += endpoint(HID_IN, 3, REPORT, interval) + endpoint(HID_OUT, 3, REPORT, interval)
            self.interface_classes.append((3, 0, 0))
            number += 1
        self.configuration_descriptor = struct.pack("<BBHBBBBB", 9, 2, 9 + len(interfaces), number, 1, 0, 0x80, 50) + interfaces

    def descriptor(self, kind, index):
        if kind == 3 and index == 0:
            return struct.pack("<BBH", 4, 3, 0x0409)
        if kind == 3 and index in self.strings:
            text = self.strings[index].encode("utf-16-le")
            return bytes([2 + len(text), 3]) + text
        if kind == 6 and self.speed == usbip_messages.HIGH_SPEED:
            # The device qualifier: at full speed it would be the same.
            return struct.pack("<BBHBBBBBB", 10, 6, 0x0200, 0, 0, 0, 64, 1, 0)
        if kind == 0x22 and self.hid:
            return REPORT_DESCRIPTOR
        if kind == 0x21 and self.hid:
            return self.hid_descriptor
        found = {1: self.device_descriptor, 2: self.configuration_descriptor}.get(kind)
        if found is None:
            raise usbip.Stall
        return found

    def control(self, setup, data):
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        if request == 6 and kind in (IN, IN | 1):
            return self.descriptor(value >> 8, value & 255)[:length]
        if kind in (IN, IN | 1, IN | 2) and request == 0:
            return bytes(2)
        if kind == IN and request == 8:
            return b"\x01"
        # Clear and set feature, set configuration, set interface; for HID, set idle.
        if kind in (OUT, OUT | 1, OUT | 2) and request in (1, 3, 9, 11) or (kind, request) == (0x21, 0x0A):
            return b""
        if (kind, request) == (0x21, 9) and self.hid and index == self.hid_number:
            self.received(HID_OUT, data)
            return b""
        raise usbip.Stall

    def received(self, number, data):
        if number == BULK_OUT and self.bulk:
            # A packet of no bytes ends a transfer of whole packets.
            if data:
                self.outgoing[BULK_IN] += self.answer(data, self.packet_size)
        elif number == HID_OUT & 15 and self.hid:
            self.outgoing[HID_IN] += [response.ljust(REPORT, b"\0") for response in self.answer(data, REPORT)]
        else:
            raise usbip.Stall

    def take(self, number):
        waiting = self.outgoing[number | IN]
        return waiting.popleft() if waiting else None

    def unplugged(self):
        self.outgoing.clear()
