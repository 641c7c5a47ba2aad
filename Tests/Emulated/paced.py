"""Runs the micro:bit's image with advertisements that come by its own clock.

QEMU counts instructions, each of which takes 2^shift ns of the image's time; while the processor sleeps, time is real time. A peer that has to send at a certain
time of the image polls the image's clock. QEMU's UART accepts bytes at the rate of the image: the line has flow control."""

import asyncio

from emulator import Emulator
from registers import CLOCK, Registers, listener, options


class Paced(Emulator):
    """An asynchronous context manager. `peer` is the other end of the line: `peer.heard(bytes)` returns its response."""

    def __init__(self, folder, peer, shift):
        super().__init__("microbit", folder)
        self.peer = peer
        self.options = ["-icount", f"shift={shift}", "-accel", "tcg", "-seed", "1", *options(self.folder / "qtest")]
        self.writer = self.registers = None
        self.now = 0

    async def start(self):
        async def serve(reader, writer):
            self.writer = writer
            while data := await reader.read(4096):
                if answer := self.peer.heard(data):
                    writer.write(answer)

        self.server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.controller = self.server.sockets[0].getsockname()
        waiting = listener(self.folder / "qtest")
        await super().start()
        accepted, _ = await asyncio.to_thread(waiting.accept)
        waiting.close()
        self.registers = Registers(accepted)
        return self

    async def kill(self):
        await super().kill()
        if self.registers:
            self.registers.close()
        self.server.close()

    def say(self, data):
        self.writer.write(data)

    async def until(self, microsecond):
        """Waits until this time of the image's clock."""
        while (now := self.registers.do(CLOCK)[0]) < microsecond:
            await asyncio.sleep(0.0003)
        self.now = now

    async def eventually(self, condition, what):
        """Waits until the condition is true, which is checked every 300 ms of the image's time."""
        for _ in range(400):
            if condition():
                return
            await self.until(self.now + 300_000)
        raise AssertionError(f"no {what} in two minutes")
