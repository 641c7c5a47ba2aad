"""Shared setup of the tests."""

import asyncio
import json
import os
import random
import shutil
import tempfile
import time
import unittest
from pathlib import Path

# Puts the interop tests' folder on the path.
from emulator import Emulator, LOG_BYTES, blank_flash
import log_decoder
from management import LOG_STATUS, WRITE, Management
from node import contacts, run
from world import World

PAGE = 4096
# Printed by each run; HERALD_SEED repeats one.
SEED = int(os.environ.get("HERALD_SEED", random.SystemRandom().randrange(1 << 32)))
# Timeout in seconds for expected events, also on a busy machine.
PATIENCE = 240
# Seconds for a response of an image. herald-host's default timeout is that for a device: some requests are not repeated, and QEMU may not be scheduled for two seconds.
ANSWER = 20


class MPS2(Emulator):
    """The mps2-an386, with the capacities of the nRF52833 DK. Its counters are part of the report of a failure."""

    async def state(self):
        found = [await super().state()]
        for word in ("info", "stats"):
            if self.process is not None and self.process.returncode is None:
                status, out, err = await run("herald-host", word, "--device", self.link, "--timeout", "5", seconds=PATIENCE)
                found.append(out if status == 0 else f"herald-host {word} ended with {status}: {err.strip()}")
        return "\n".join(found)


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    """Its event loop does not note the origin of each callback, as unittest has it do: with Bumble this takes a quarter of the time."""

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)


class EmulatedTest(AsyncTest):
    """A simulated radio medium with a controller for an image, and a folder."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.world = await World().__aenter__()
        self.folder = Path(tempfile.mkdtemp(prefix="herald-emulated-"))
        self.flash = self.folder / "flash.bin"
        blank_flash(self.flash)

    async def asyncTearDown(self):
        await self.world.__aexit__(None, None, None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mps2(self, port=None, *, folder="mps2", **settings):
        """The mps2-an386, with its controller on the medium."""
        return MPS2(
            "mps2-an386", self.folder / folder, ("127.0.0.1", port or self.world.port), flash=self.flash, **settings)

    async def host(self, emulator, *words):
        """The output of herald-host for an image."""
        status, out, err = await self.said(emulator, *words)
        self.assertEqual(status, 0, err or out)
        return out

    async def said(self, emulator, *words):
        """The same with its exit status: status, standard output, standard error."""
        await emulator.listening()
        return await run("herald-host", *words, "--device", emulator.link, "--timeout", ANSWER, seconds=PATIENCE)

    async def info(self, emulator):
        return json.loads(await self.host(emulator, "info", "--json"))

    async def stats(self, emulator):
        return json.loads(await self.host(emulator, "stats", "--json"))

    async def open(self, emulator):
        """Configures an image without an access key to serve its log."""
        await self.host(emulator, "config", "set", "access/stay-open", "yes")

    async def commit(self, emulator):
        """Makes an image without an access key commit its log."""
        await self.open(emulator)
        async with Management(emulator.link_port) as management:
            await management.ask(LOG_STATUS, operation=WRITE)

    async def rows(self, emulator, output="out"):
        """The rows of contacts.csv after a pull."""
        output = self.folder / output
        await self.open(emulator)
        await self.host(emulator, "log", "pull", "--output", str(output))
        return contacts(output)

    async def stats_when(self, emulator, condition, what):
        """The counters, once the condition is true."""
        deadline = time.monotonic() + PATIENCE
        while not condition(stats := await self.stats(emulator)):
            self.assertLess(time.monotonic(), deadline, f"no {what} within {PATIENCE} s; the counters: {stats}")
            await asyncio.sleep(0.5)
        return stats

    async def rows_when(self, emulator, condition, what, seconds=90):
        """The same, once there are such rows."""
        rows = []
        for _ in range(seconds):
            rows = await self.rows(emulator)
            if condition(rows):
                return rows
            await asyncio.sleep(1)
        self.fail(f"no {what} within {seconds} tries; the last rows: {rows[-3:]}")

    def records(self, event=None):
        """The contents of the flash, page by page in their order, by the independent decoder."""
        found = []
        for page in sorted(pages(self.flash).values(), key=lambda page: page[0]["sequence"]):
            found += page[1]
        return [record for record in found if event in (None, record["event"])]


def pages(path, page_bytes=PAGE, data=None):
    """The decoded pages of a flash file, by their sequence numbers."""
    data = data if data is not None else Path(path).read_bytes()[:LOG_BYTES]
    found = {}
    for start in range(0, len(data), page_bytes):
        decoded = log_decoder.decode(data[start:start + page_bytes])
        if decoded:
            found[decoded[0]["sequence"]] = decoded
    return found
