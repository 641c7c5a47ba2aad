"""The init packet of Nordic's Secure DFU: protocol buffers, after dfu-cc.proto of nRF5 SDK 17, implemented from that description only."""

import struct

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
INIT, APPLICATION, SHA256, NRF52 = 1, 0, 3, 52


class Malformed(Exception):
    """Does not conform to dfu-cc.proto."""


def varint(data, place):
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise Malformed("a number that does not end")
        value |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if data[place - 1] < 128:
            return value, place


def fields(data):
    """(number, value) of a message's fields, in their order; values are numbers or bytes."""
    place, found = 0, []
    while place < len(data):
        key, place = varint(data, place)
        kind = key & 7
        if kind == VARINT:
            value, place = varint(data, place)
        elif kind == LENGTH:
            size, place = varint(data, place)
            if place + size > len(data):
                raise Malformed("a field that is longer than its message")
            value, place = data[place:place + size], place + size
        elif kind in (FIXED32, FIXED64):
            form = "<I" if kind == FIXED32 else "<Q"
            if place + struct.calcsize(form) > len(data):
                raise Malformed("a field that is longer than its message")
            value, place = struct.unpack_from(form, data, place)[0], place + struct.calcsize(form)
        else:
            raise Malformed(f"a field of kind {kind}")
        found.append((key >> 3, value))
    return found


class InitPacket:
    """`Packet`, with a `Command` or a `SignedCommand`, with an `InitCommand`."""

    def __init__(self, data):
        packet = dict(fields(data))
        self.is_signed = 2 in packet
        if self.is_signed:
            packet = dict(fields(packet[2])) | {"signature": dict(fields(packet[2])).get(3)}
        command = dict(fields(packet.get(1, b"")))
        if command.get(1) != INIT or 2 not in command:
            raise Malformed("no init command")
        listed = fields(command[2])
        found = dict(listed)
        self.firmware_version = found.get(1)
        self.hardware_version = found.get(2)
        self.soft_devices = []
        for number, value in listed:
            if number == 3 and isinstance(value, bytes):
                # Packed, as the description requires.
                place = 0
                while place < len(value):
                    one, place = varint(value, place)
                    self.soft_devices.append(one)
            elif number == 3:
                self.soft_devices.append(value)
        self.kind = found.get(4, APPLICATION)
        self.size = found.get(7)
        digest = dict(fields(found.get(8, b"")))
        self.hash_kind, self.hash = digest.get(1), digest.get(2, b"")
        self.is_debug = bool(found.get(9, 0))
