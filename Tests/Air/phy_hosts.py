"""Hosts on herald-controller in place of Bumble's controllers: `PhyAir` has the interface of the interop tests' `Air`."""

import asyncio
import socket
import time

from bumble.host import Host
from bumble.transport.common import StreamPacketSink, StreamPacketSource, Transport


RESET = b"\x01\x03\x0c\x00"


class PhyController:
    """A herald-controller that a host uses."""

    def __init__(self, link):
        self.link = link
        self.is_reset = None

    def silence(self):
        """The host has gone: a reset ends all that the controller transmits."""
        self.is_reset = asyncio.get_running_loop().create_future()
        self.link.source.set_packet_sink(self)
        self.link.sink.on_packet(RESET)

    def on_packet(self, packet):
        """Discards what is for the host that has gone, until the controller has been reset."""
        if packet[:2] == b"\x04\x0e" and packet[4:6] == RESET[1:3] and not self.is_reset.done():
            self.is_reset.set_result(None)

    def on_transport_lost(self):
        """The simulation has ended."""


def connected(port):
    """A connection to a controller that may not be listening yet. It is made before simulated time begins, which is when all controllers have a host."""
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise TimeoutError(f"no controller on port {port}")


class PhyAir:
    """The controllers at the other ends of these sockets, of which each is used by one host at a time."""

    def __init__(self, sockets):
        self.sockets = list(sockets)
        self.free = asyncio.Queue()
        self.links = []
        self.controllers = []

    async def open(self):
        """Takes the connections into use."""
        for each in self.sockets:
            transport, source = await asyncio.get_running_loop().create_connection(StreamPacketSource, sock=each)
            self.links.append(Transport(source, StreamPacketSink(transport)))
            self.free.put_nowait(self.links[-1])
        self.sockets = []

    async def attach(self, name):
        await self.open()
        link = await self.free.get()
        self.controllers.append(PhyController(link))
        return self.controllers[-1], Host(link.source, link.sink)

    def remove_controller(self, controller):
        self.controllers.remove(controller)
        controller.is_reset.add_done_callback(lambda _: self.free.put_nowait(controller.link))

    async def close(self):
        """All hosts leave, and their controllers end."""
        for link in self.links:
            await link.close()
        self.links, self.controllers = [], []


class Brake:
    """A device that keeps the medium from running ahead of real time until `is_done`, and ends it `rest` seconds later."""

    STEP = 5000

    def __init__(self, rest=0):
        self.is_done = False
        self.rest = rest
        # The simulated time in µs.
        self.now = 0

    def __call__(self, phy):
        start = time.monotonic()
        while not self.is_done:
            phy.wait(phy.now + self.STEP)
            self.now = phy.now
            time.sleep(max(0, start + phy.now / 1000000 - time.monotonic()))
        phy.wait(phy.now + round(self.rest * 1000000) + 1)
        phy.end()


class BrakedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is that of a simulation while it runs, so that the timeouts of hosts do not expire early when the medium is slower than real time."""

    def __init__(self, brake):
        self.brake = brake
        # The real time minus the loop's time, in seconds.
        self.lag = 0
        # The loop's time at the start of the simulation.
        self.start = None
        super().__init__()

    def time(self):
        now, real = self.brake.now / 1000000, super().time()
        if now == 0 or self.brake.is_done:
            return real - self.lag
        if self.start is None:
            self.start = real - now
        self.lag = real - self.start - now
        return self.start + now
