"""The messages that peers write to each other's signal characteristic, as the phones encode and decode them."""

import struct
from dataclasses import dataclass

PAYLOAD, RSSI, SHARING, IMMEDIATE = 1, 2, 3, 4


@dataclass(frozen=True)
class Message:
    """One message. `data` is the payload, the payloads shared, or what an application sends; `rssi` is of 2 and 3."""

    code: int
    data: bytes = b""
    rssi: int | None = None

    def encoded(self):
        """Its bytes."""
        if self.code == RSSI:
            return struct.pack("<Bh", self.code, self.rssi)
        if self.code == SHARING:
            return struct.pack("<BhH", self.code, self.rssi, len(self.data)) + self.data
        return struct.pack("<BH", self.code, len(self.data)) + self.data


def decoded(value, *, strict_rssi=True):
    """The message in these bytes; None if they are not a complete message. An iPhone ignores bytes after an RSSI."""
    if not value:
        return None
    code = value[0]
    if code == RSSI and (len(value) == 3 or len(value) > 3 and not strict_rssi):
        return Message(code, rssi=struct.unpack_from("<h", value, 1)[0])
    head = {PAYLOAD: 3, IMMEDIATE: 3, SHARING: 5}.get(code)
    if head is None or len(value) < head:
        return None
    length = struct.unpack_from("<H", value, head - 2)[0]
    if len(value) != head + length:
        return None
    rssi = struct.unpack_from("<h", value, 1)[0] if code == SHARING else None
    return Message(code, value[head:], rssi)


class AndroidAccumulator:
    """The buffer of an Android phone for the writes of one peer. Each write is appended, and the buffer is parsed as a message. Only a complete payload, or the end
    of the connection, clears it: after any other message the next one on the same connection cannot be parsed. This is the behaviour of the phones."""

    def __init__(self):
        self.bytes = b""

    def take(self, value):
        """Appends; returns the message if there is one now."""
        self.bytes += value
        message = self.decoded()
        if message and message.code == PAYLOAD:
            self.bytes = b""
        return message

    def decoded(self):
        # A length of 0 results in an empty message, whatever follows.
        for code, head in ((PAYLOAD, 3), (IMMEDIATE, 3), (SHARING, 5)):
            if self.bytes[:1] == bytes([code]) and len(self.bytes) >= head and self.bytes[head - 2:head] == b"\0\0":
                rssi = struct.unpack_from("<h", self.bytes, 1)[0] if code == SHARING else None
                return Message(code, rssi=rssi)
        return decoded(self.bytes)


def pieces(value, size=20):
    """The value in pieces, as an Android phone writes it to another one."""
    return [value[start:start + size] for start in range(0, len(value), size)]
