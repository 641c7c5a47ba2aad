"""A proxy between a USB/IP client and a server that closes the connection after a number of transfer requests and responses."""

import asyncio
import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Flash"))

import usbip_messages as usbip


class USBIPProxy:
    """An asynchronous context manager; `port` is its near end, `messages` the number of forwarded messages: the request of a transfer is one, its response another."""

    def __init__(self, server_port, cut_after=None):
        self.server_port = server_port
        self.cut_after = cut_after
        self.messages = 0
        # Bytes out and in, of all endpoints except the control endpoint.
        self.carried = [0, 0]
        self.reads = {}
        self.writers = []
        self.tasks = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error):
        self.server.close()
        self.pull()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def pull(self):
        for writer in self.writers:
            writer.transport.abort()

    async def connected(self, reader, writer):
        self.tasks.append(asyncio.current_task())
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.server_port)
        self.writers += [writer, far_writer]
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            # OP_REQ_IMPORT and its reply.
            far_writer.write(await reader.readexactly(usbip.OPERATION.size + usbip.BUS_ID_SIZE))
            writer.write(await far_reader.readexactly(usbip.OPERATION.size + usbip.DEVICE.size))
            way_out = asyncio.create_task(self.carry(reader, far_writer, self.asked))
            way_in = asyncio.create_task(self.carry(far_reader, writer, self.answered))
            self.tasks += [way_out, way_in]
            await asyncio.wait([way_out, way_in], return_when=asyncio.FIRST_COMPLETED)
        self.pull()

    def asked(self, header):
        """The number of bytes that follow."""
        command, sequence, _, direction, endpoint, rest = usbip.HEADER.unpack(header)
        length = usbip.length(rest)
        if command == usbip.SUBMIT and direction == 1:
            self.reads[sequence] = endpoint
        if command != usbip.SUBMIT or direction == 1:
            return 0
        if endpoint and length:
            self.carried[0] += length
        return length

    def answered(self, header):
        command, sequence, *_, rest = usbip.HEADER.unpack(header)
        length = usbip.length(rest)
        if command != usbip.RET_SUBMIT or sequence not in self.reads:
            return 0
        if self.reads[sequence] and length:
            self.carried[1] += length
        return length

    async def carry(self, reader, writer, following):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                header = await reader.readexactly(usbip.HEADER.size)
                data = await reader.readexactly(following(header))
                if self.messages == self.cut_after:
                    return
                self.messages += 1
                writer.write(header + data)
                await writer.drain()
