"""A deterministic Bluetooth controller with phones near it: they respond at once, and advertise when a test requires it."""

import struct

import herald

# Handles of a phone's attributes.
SERVICE, SIGNAL, PAYLOAD, END = 1, 3, 5, 5


def advertisement(address, data, rssi):
    """An LE Advertising Report (Vol 4, Part E, 7.7.65.2) of one ADV_IND from a random address."""
    report = bytes([0x02, 1, 0x00, 0x01]) + address + bytes([len(data)]) + data + struct.pack("b", rssi)
    return b"\x04\x3e" + bytes([len(report)]) + report


class Phone:
    """An Android phone: another address for each number, a pseudo device address, a payload."""

    def __init__(self, number):
        self.address = bytes([number, 0x5A, 0xA5, 0x33, 0x44, 0x5F])
        shown = bytes([number, 0, 0, 0xC0, 0xFF, 0xEE])
        # The identity under which it is logged.
        self.identity = shown[::-1].hex().upper()
        self.data = herald.flags() + herald.uuid16_list() + herald.pseudo_address(shown)
        self.payload = herald.test_payload(number, 21)
        self.reads = 0

    def advertisement(self, rssi):
        return advertisement(self.address, self.data, rssi)

    def answer(self, pdu):
        """The response of its attribute server to a request (Vol 3, Part F, 3.4); None to other PDUs."""
        kind = pdu[0]
        if kind == 0x02:
            return struct.pack("<BH", 0x03, 247)
        if kind == 0x06:
            start, _, _ = struct.unpack_from("<HHH", pdu, 1)
            if start <= SERVICE and pdu[7:] == bytes(herald.SERVICE_16):
                return struct.pack("<BHH", 0x07, SERVICE, END)
        elif kind == 0x08:
            start, _, uuid = struct.unpack_from("<HHH", pdu, 1)
            found = [(SIGNAL, 0x08, herald.ANDROID_SIGNAL), (PAYLOAD, 0x02, herald.PAYLOAD)]
            found = [struct.pack("<HBH", at - 1, properties, at) + bytes(name) for at, properties, name in found if at - 1 >= start]
            if uuid == 0x2803 and found:
                return bytes([0x09, len(found[0])]) + b"".join(found)
        elif kind in (0x0A, 0x0C):
            self.reads += kind == 0x0A
            offset = struct.unpack_from("<H", pdu, 3)[0] if kind == 0x0C else 0
            return bytes([kind + 1]) + self.payload[offset:offset + 246]
        elif kind == 0x12:
            return b"\x13"
        elif kind in (0x52, 0xD2) or kind & 1:
            return None
        return struct.pack("<BBHB", 0x01, kind, struct.unpack_from("<H", pdu, 1)[0] if len(pdu) >= 3 else 0, 0x0A)


class ScriptedController:
    """Speaks H4. Takes every command; connects to the phone that the host names."""

    HANDLE = 0x0040

    def __init__(self, phones):
        self.phones = phones
        self.rest = b""
        self.connected = None
        self.commands = []

    def heard(self, data):
        """Responses to what the host has sent."""
        self.rest += data
        said = b""
        while len(self.rest) >= 4:
            kind = self.rest[0]
            size = 4 + self.rest[3] if kind == 0x01 else 5 + struct.unpack_from("<H", self.rest, 3)[0]
            if len(self.rest) < size:
                break
            packet, self.rest = self.rest[:size], self.rest[size:]
            said += self.command(packet) if kind == 0x01 else self.acl(packet)
        return said

    def command(self, packet):
        opcode, parameters = struct.unpack_from("<H", packet, 1)[0], packet[4:]
        self.commands.append(opcode)
        results = {
            0x1001: struct.pack("<BHBHH", 9, 0, 9, 0xFFFF, 0),
            0x1002: b"\xff" * 35 + bytes(29),
            0x1003: bytes([0, 0, 0, 0, 0x60, 0, 0, 0]),
            0x1009: bytes.fromhex("554433221100"),
            0x2002: struct.pack("<HB", 251, 4),
            0x2003: bytes(8),
            0x201C: b"\xff" * 5 + bytes(3),
        }
        if opcode == 0x200D:
            kind, address = parameters[5], parameters[6:12]
            [self.connected] = [phone for phone in self.phones if phone.address == address]
            opened = struct.pack("<BBHBB", 0x01, 0, self.HANDLE, 0, kind) + address + struct.pack("<HHHB", 24, 0, 400, 0)
            return self.status(opcode) + self.event(0x3E, opened)
        if opcode == 0x0406:
            self.connected = None
            return self.status(opcode) + self.event(0x05, struct.pack("<BHB", 0, self.HANDLE, 0x16))
        handle = parameters[:2] if opcode in (0x1405, 0x2022) else b""
        return self.event(0x0E, struct.pack("<BHB", 1, opcode, 0) + handle + results.get(opcode, b"\xc5" if handle else b""))

    def status(self, opcode):
        return self.event(0x0F, struct.pack("<BBH", 0, 1, opcode))

    @staticmethod
    def event(code, parameters):
        return bytes([0x04, code, len(parameters)]) + parameters

    def acl(self, packet):
        said = self.event(0x13, struct.pack("<BHH", 1, self.HANDLE, 1))
        channel = struct.unpack_from("<H", packet, 7)[0]
        answer = self.connected.answer(packet[9:]) if self.connected and channel == 4 else None
        if answer:
            said += struct.pack("<BHHHH", 0x02, self.HANDLE | 0x2000, len(answer) + 4, len(answer), 4) + answer
        return said
