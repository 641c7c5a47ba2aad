"""Hosts on herald-controller in place of Bumble's controllers: `PhyAir` has the interface of the interop tests' `Air`."""

import asyncio
import socket
import time

from bumble.host import Host
from bumble.transport.common import StreamPacketSink, StreamPacketSource, Transport


class PhyController:
    """A herald-controller with a host."""

    def __init__(self, link):
        self.link = link

    def silence(self):
        """The host has gone: the program ends, and with it all that the controller transmits."""


def connected(port):
    """A connection to a controller that may not be listening yet. It is made before simulated time begins, which is when all controllers have a host."""
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise TimeoutError(f"no controller on port {port}")


class PhyAir:
    """The controllers at the other ends of these sockets, one for each host that arrives."""

    def __init__(self, sockets):
        self.free = list(sockets)
        self.controllers = []

    async def attach(self, name):
        transport, source = await asyncio.get_running_loop().create_connection(StreamPacketSource, sock=self.free.pop(0))
        self.controllers.append(PhyController(Transport(source, StreamPacketSink(transport))))
        return self.controllers[-1], Host(source, self.controllers[-1].link.sink)

    def remove_controller(self, controller):
        self.controllers.remove(controller)
        asyncio.create_task(controller.link.close())

    async def close(self):
        """All hosts leave."""
        for controller in self.controllers:
            await controller.link.close()
        for unused in self.free:
            unused.close()
        self.controllers, self.free = [], []
