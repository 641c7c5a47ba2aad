"""Hosts on herald-controller in place of Bumble's controllers: `PhyAir` has the interface of the interop tests' `Air`. The medium runs in real time, because the hosts' timers do."""

import asyncio
import time

from bumble.host import Host
from bumble.transport import open_transport


class PhyController:
    """A herald-controller with a host."""

    def __init__(self, link):
        self.link = link

    def silence(self):
        """The host has gone: the program ends, and with it all that the controller transmits."""


class PhyAir:
    """The controllers on these TCP ports, one for each host that arrives."""

    def __init__(self, ports):
        self.free_ports = list(ports)
        self.controllers = []

    async def attach(self, name):
        link = await self.open(self.free_ports.pop(0))
        self.controllers.append(PhyController(link))
        return self.controllers[-1], Host(link.source, link.sink)

    async def open(self, port):
        """The transport to a controller, which may not be listening yet."""
        for _ in range(100):
            try:
                return await open_transport(f"tcp-client:127.0.0.1:{port}")
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)
        raise TimeoutError(f"no controller on port {port}")

    def remove_controller(self, controller):
        self.controllers.remove(controller)
        asyncio.create_task(controller.link.close())

    async def close(self):
        """All hosts leave."""
        for controller in self.controllers:
            await controller.link.close()
        self.controllers = []


class Brake:
    """A device that keeps the medium from running ahead of real time until `is_done`, and ends it `rest` seconds later."""

    STEP = 5000

    def __init__(self, rest=0):
        self.is_done = False
        self.rest = rest

    def __call__(self, phy):
        start = time.monotonic()
        while not self.is_done:
            phy.wait(phy.now + self.STEP)
            time.sleep(max(0, start + phy.now / 1000000 - time.monotonic()))
        phy.wait(phy.now + round(self.rest * 1000000) + 1)
        phy.end()
