"""SMP over Bluetooth at the side of a central: a GATT client of Bumble's, in the place of a `smp_line.Line`."""

import asyncio
import contextlib

from bumble.core import UUID
from bumble.device import Peer

SERVICE = UUID("8D53DC1D-1DB7-4CD3-868B-8A527460AA84")
PACKETS = UUID("DA2E7828-FBCE-4E01-AE9E-261174997C48")
# The timeout of a packet in seconds.
PATIENCE = 180


class RadioLine:
    """A GATT client of the service, in the place of a `smp_line.Line`."""

    def __init__(self, connection):
        self.connection = connection
        self.peer = Peer(connection)
        self.parts = asyncio.Queue()

    @classmethod
    async def open(cls, connection, mtu=517):
        """Finds the service on a connection, and enables its notifications."""
        line = cls(connection)
        if mtu:
            await line.peer.request_mtu(mtu)
        await line.peer.discover_service(SERVICE)
        [service] = line.peer.services
        [line.packets] = await service.discover_characteristics([PACKETS])
        await line.peer.subscribe(line.packets, line.parts.put_nowait)
        return line

    async def write(self, packet, size=None):
        """A packet in writes of this many bytes, by default as many as fit."""
        size = size or self.connection.att_mtu - 3
        for place in range(0, len(packet), size):
            await self.peer.write_value(self.packets, packet[place:place + size])

    async def packet(self, seconds=PATIENCE):
        """The next packet."""
        content = b""
        async with asyncio.timeout(seconds):
            while len(content) < 8 or len(content) < 8 + int.from_bytes(content[2:4]):
                part = bytes(await self.parts.get())
                assert len(part) <= self.connection.att_mtu - 3, part
                content += part
        assert len(content) == 8 + int.from_bytes(content[2:4]), content
        return content

    async def ask(self, packet, size=None):
        await self.write(packet, size)
        return await self.packet()

    async def close(self):
        with contextlib.suppress(Exception):
            await self.connection.disconnect()
