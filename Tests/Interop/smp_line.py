"""SMP packets in MCUmgr's serial framing over a TCP stream, at either end of it."""

import asyncio
import base64
import binascii
import struct


def framed(packet):
    """The lines of a packet."""
    frame = packet + struct.pack(">H", binascii.crc_hqx(packet, 0))
    text = base64.b64encode(struct.pack(">H", len(frame)) + frame)
    return b"".join(
        (b"\x06\x09" if place == 0 else b"\x04\x14") + text[place:place + 120] + b"\n" for place in range(0, len(text), 120))


async def packet(reader):
    """The next packet; `None` when the stream has ended."""
    content = b""
    while line := await reader.readline():
        start, line = line[:2], line[2:].rstrip()
        content = (b"" if start == b"\x06\x09" else content) + base64.b64decode(line)
        if len(content) >= 2 and len(content) >= 2 + int.from_bytes(content[:2]):
            return content[2:-2]
    return None


class Line:
    """A program at the other end of a device's serial link."""

    @classmethod
    async def open(cls, link):
        """To where herald-host reaches it as `serial:tcp:HOST:PORT`."""
        line = cls()
        host, port = link.removeprefix("serial:tcp:").rsplit(":", 1)
        line.reader, line.writer = await asyncio.open_connection(host, int(port))
        return line

    async def ask(self, request):
        """The packet that answers a packet."""
        self.writer.write(framed(request))
        await self.writer.drain()
        return await asyncio.wait_for(packet(self.reader), 60)

    def close(self):
        self.writer.close()
