"""A proxy between an image and its Bluetooth controller that drops and inserts packets."""

import asyncio
import contextlib

# Puts the interop tests' folder on the path.
import emulator
from h4_rssi_proxy import packet_length


class ControllerProxy:
    """Forwards packets in both directions. Serves one host at a time on a TCP port."""

    def __init__(self, port):
        self.upstream = port
        self.drops_packets = False
        self.to_host = None

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    def close(self):
        self.server.close()

    async def serve(self, reader, writer):
        upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        self.to_host = writer
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self.pass_on(reader, upstream_writer), self.pass_on(upstream_reader, writer))
        upstream_writer.close()
        writer.close()

    async def pass_on(self, reader, writer):
        # Packets are forwarded as a whole or not at all: QEMU sends a command in pieces, and a controller that received only the end of one would close its
        # connection, which QEMU does not reopen.
        buffered = b""
        while data := await reader.read(4096):
            buffered += data
            while buffered and (length := packet_length(buffered)) and len(buffered) >= length:
                if not self.drops_packets:
                    writer.write(buffered[:length])
                buffered = buffered[length:]
        writer.close()

    def send_to_host(self, data):
        """Sends bytes to the host as if they came from the controller."""
        self.to_host.write(data)
