"""Stands between an image and its Bluetooth controller, and does what controllers should not."""

import asyncio
import contextlib


class Meddler:
    """Passes on what comes from each side. Offers a TCP port, for one host at a time."""

    def __init__(self, port):
        self.upstream = port
        self.is_deaf = False
        self.to_host = None
        self.commands = 0

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    def close(self):
        self.server.close()

    async def serve(self, reader, writer):
        upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        self.to_host = writer
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self.pass_on(reader, upstream_writer, True), self.pass_on(upstream_reader, writer, False))
        upstream_writer.close()
        writer.close()

    async def pass_on(self, reader, writer, is_from_host):
        while data := await reader.read(4096):
            if is_from_host:
                self.commands += 1
            if not self.is_deaf:
                writer.write(data)
        writer.close()

    def say(self, data):
        """Sends bytes to the host as if they came from the controller."""
        self.to_host.write(data)
