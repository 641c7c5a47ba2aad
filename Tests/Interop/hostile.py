"""A fake device: SMP over a TCP stream, with the responses that a test sets. It shares no code with the firmware."""

import asyncio
import base64
import binascii
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Flash"))

import cbor


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
        request = cbor.decoded(packet[8:]) if len(packet) > 8 else {}
        self.asked.append((group, command))
        body = cbor.encoded(self.answer(group, command, request))
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
