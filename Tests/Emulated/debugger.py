"""A client of QEMU's gdb socket: registers and memory of a halted processor (GDB Remote Serial Protocol)."""

import asyncio

from emulator import PATIENCE

SP, LR, PC = 13, 14, 15


class Debugger:
    """An asynchronous context manager: the machine is halted inside it and continues afterwards."""

    def __init__(self, emulator):
        self.emulator = emulator

    async def __aenter__(self):
        self.reader, self.writer = await self.emulator.connected(self.emulator.debug_path)
        # QEMU serves single registers only after a query for the target description.
        await self.ask("qXfer:features:read:target.xml:0,ffb")
        await self.ask("?")
        return self

    async def __aexit__(self, kind, error, trace):
        await self.ask("D")
        self.writer.close()

    async def ask(self, text):
        """The response to one packet."""
        data = text.encode()
        self.writer.write(b"+$" + data + b"#%02x" % (sum(data) & 255))
        async with asyncio.timeout(PATIENCE):
            while True:
                await self.reader.readuntil(b"$")
                answer = (await self.reader.readuntil(b"#"))[:-1]
                await self.reader.readexactly(2)
                self.writer.write(b"+")
                # A stop reply is also sent without a request.
                if text == "?" or answer[:1] not in (b"T", b"S"):
                    break
        assert not answer.startswith(b"E"), f"{text}: {answer}"
        return answer.decode()

    async def register(self, number):
        return int.from_bytes(bytes.fromhex(await self.ask(f"p{number:x}")), "little")

    async def set_register(self, number, value):
        assert await self.ask(f"P{number:x}={value.to_bytes(4, 'little').hex()}") == "OK"

    async def read(self, address, count):
        return bytes.fromhex(await self.ask(f"m{address:x},{count:x}"))

    async def write(self, address, data):
        assert await self.ask(f"M{address:x},{len(data):x}:{data.hex()}") == "OK"
