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
# Seconds to wait for what must come, however busy this machine is.
PATIENCE = 240
# Seconds for a response of an image. herald-host's own timeout is that for a device: some things it asks once only, and QEMU may not get its turn for two seconds.
ANSWER = 20


class MPS2(Emulator):
    """The twin of the nRF52833. What went wrong in it its counters may tell."""

    async def state(self):
        found = [await super().state()]
        for word in ("info", "stats"):
            if self.process is not None and self.process.returncode is None:
                status, out, err = await run("herald-host", word, "--device", self.link, "--timeout", "5", seconds=PATIENCE)
                found.append(out if status == 0 else f"herald-host {word} ended with {status}: {err.strip()}")
        return "\n".join(found)


class EmulatedTest(unittest.IsolatedAsyncioTestCase):
    """Has an air with a controller on it for an image, and a folder."""

    async def asyncSetUp(self):
        self.world = await World().__aenter__()
        self.folder = Path(tempfile.mkdtemp(prefix="herald-emulated-"))
        self.flash = self.folder / "flash.bin"
        blank_flash(self.flash)

    async def asyncTearDown(self):
        await self.world.__aexit__(None, None, None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mps2(self, port=None, *, folder="mps2", **settings):
        """The twin of the nRF52833, with its controller on the air."""
        return MPS2(
            "mps2-an386", self.folder / folder, ("127.0.0.1", port or self.world.port), flash=self.flash, **settings)

    async def host(self, emulator, *words):
        """What herald-host says when asked about an image."""
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
        """Tells an image without an access key that it serves its log nevertheless."""
        await self.host(emulator, "config", "set", "access/stay-open", "yes")

    async def commit(self, emulator):
        """Has an image without an access key commit its log."""
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
        """The counters once that is so of them."""
        deadline = time.monotonic() + PATIENCE
        while not condition(stats := await self.stats(emulator)):
            self.assertLess(time.monotonic(), deadline, f"no {what} within {PATIENCE} s; the counters: {stats}")
            await asyncio.sleep(0.5)
        return stats

    async def rows_when(self, emulator, condition, what, seconds=90):
        """The same once there are such rows."""
        rows = []
        for _ in range(seconds):
            rows = await self.rows(emulator)
            if condition(rows):
                return rows
            await asyncio.sleep(1)
        self.fail(f"no {what} within {seconds} tries; the last rows: {rows[-3:]}")

    def records(self, event=None):
        """What the flash holds, page by page in their order, by a decoder that is not ours."""
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
