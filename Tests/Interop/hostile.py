"""A device that is not one: it speaks SMP over a TCP stream and says of itself whatever a test wants. It shares no code with the firmware."""

import asyncio
import base64
import binascii
import struct


def encode(value):
    """CBOR (RFC 8949) of integers, text, bytes, booleans, lists and dictionaries."""
    def head(major, number):
        for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if number < 24:
                return bytes([major << 5 | number])
            if number < 1 << 8 * size:
                return bytes([major << 5 | code]) + number.to_bytes(size)
        raise ValueError(number)

    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(encode, value))
    return head(5, len(value)) + b"".join(encode(key) + encode(item) for key, item in value.items())


def decode(data):
    """The value at the front of some CBOR, and what is behind it."""
    major, low = data[0] >> 5, data[0] & 31
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    number = int.from_bytes(data[1:1 + size]) if size else low
    data = data[1 + size:]
    if major == 0:
        return number, data
    if major in (2, 3):
        content = data[:number]
        return (content if major == 2 else content.decode()), data[number:]
    if major == 7:
        return number == 21, data
    result = {} if major == 5 else []
    for _ in range(number):
        item, data = decode(data)
        if major == 5:
            result[item], data = decode(data)
        else:
            result.append(item)
    return result, data


class HostileDevice:
    """`texts` answers the formats of the information command, `status` overrides fields of the log's status; `pages` are the bytes of its pages, the last one open."""

    def __init__(self, pages, *, texts=None, status=None):
        self.texts = {"n": "ABC", "s": "hostile", **(texts or {})}
        self.pages = pages
        self.status = {"epoch": 0xDA1, "first": 1, "last": len(pages), "open": len(pages[-1]), "page": 4096, "boot": 2, "now": 60_000,
                       **(status or {})}
        self.asked = []

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.link = f"serial:tcp:127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    def stop(self):
        self.server.close()

    async def serve(self, reader, writer):
        packet = b""
        while line := await reader.readline():
            start, line = line[:2], line[2:].rstrip()
            packet = (b"" if start == b"\x06\x09" else packet) + base64.b64decode(line)
            if len(packet) < 2 or len(packet) < 2 + int.from_bytes(packet[:2]):
                continue
            for answer in self.answers(packet[2:-2]):
                frame = answer + struct.pack(">H", binascii.crc_hqx(answer, 0))
                text = base64.b64encode(struct.pack(">H", len(frame)) + frame)
                for place in range(0, len(text), 120):
                    writer.write((b"\x06\x09" if place == 0 else b"\x04\x14") + text[place:place + 120] + b"\n")
        writer.close()

    def answers(self, packet):
        operation, _, _, group, sequence, command = struct.unpack(">BBHHBB", packet[:8])
        request, _ = decode(packet[8:]) if len(packet) > 8 else ({}, b"")
        self.asked.append((group, command))
        body = encode(self.answer(group, command, request))
        return [struct.pack(">BBHHBB", operation + 1, packet[1] & 0x18, len(body), group, sequence, command) + body]

    def answer(self, group, command, request):
        if (group, command) == (0, 7):
            return {"output": self.texts.get(request.get("format", "s"), "")}
        if (group, command) == (72, 0):
            return self.status
        if (group, command) == (72, 1):
            page = self.pages[request["seq"] - 1]
            offset = request["off"]
            return {"seq": request["seq"], "off": offset, "len": len(page), "data": page[offset:offset + min(request.get("len", 512), 512)]}
        if (group, command) == (72, 8):
            # From there on, over the ends of pages.
            rest = self.pages[request["seq"] - 1][request.get("off", 0):] + b"".join(self.pages[request["seq"]:])
            return {"data": rest[:min(request.get("len", 512), 512)]}
        return {"rc": 8}
