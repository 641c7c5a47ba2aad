"""Stored settings and identity, and a factory reset that is completed after any interruption."""

import asyncio
import json
import random
import struct
import unittest

from support import PAGE, PATIENCE, SEED, EmulatedTest
from emulator import LOG_BYTES
from management import LOG_STATUS, Management, framed
from world import until

# The pages of the settings follow the log (linker/mps2-an386.ld).
SETTINGS_BYTES = 2 * PAGE
NOTE = b"HEraseAl"


def reset_request(epoch):
    """The line with a factory reset request (docs/wire-formats.md, group 72, command 3)."""
    body = b"\xa1\x65epoch\x1a" + struct.pack(">I", epoch)
    return framed(struct.pack(">BBHHBB", 0x0A, 0, len(body), 72, 0, 3) + body)


class Settings(EmulatedTest):
    def kept(self):
        """The pages of the settings in the file."""
        with open(self.flash, "rb") as file:
            file.seek(LOG_BYTES)
            return file.read(SETTINGS_BYTES)

    def write_kept(self, offset, data):
        with open(self.flash, "r+b") as file:
            file.seek(LOG_BYTES + offset)
            file.write(data)

    def key(self):
        """The address key: 16 bytes at byte 16 of the page that has settings."""
        for page in (0, PAGE):
            data = self.kept()[page:page + 40]
            if data[:4] == b"HSet":
                return data[16:32]
        return None

    def log(self):
        with open(self.flash, "rb") as file:
            return file.read(LOG_BYTES)

    async def until_started(self, emulator):
        """The status of the log, once the image responds."""
        async with Management(emulator.link_port) as management:
            return await management.ask(LOG_STATUS)

    async def test_what_is_kept_survives_restarts_and_its_damage_is_told(self):
        self.write_kept(0, b"\xff" * SETTINGS_BYTES)
        async with self.mps2() as emulator:
            await self.until_started(emulator)
            key = self.key()
            self.assertNotIn(key, (None, bytes(16)))
            await self.host(emulator, "config", "set", "log/keep-days", "365")
            self.assertNotIn("Settings", await self.host(emulator, "info"))
            await self.commit(emulator)
            await emulator.command("system_reset")
            self.assertEqual((await self.until_started(emulator))["keep"], 365)
            await self.commit(emulator)
        # Loss of power and restart.
        async with self.mps2() as emulator:
            self.assertEqual((await self.until_started(emulator))["keep"], 365)
            await self.commit(emulator)
            self.assertEqual((await self.host(emulator, "config", "get", "log/keep-days")).strip(), "365")
        self.assertEqual(self.key(), key)
        at = self.kept().index(b"HSet")
        self.write_kept(at + 20, bytes([self.kept()[at + 20] ^ 0x40]))
        async with self.mps2() as emulator:
            self.assertEqual((await self.until_started(emulator))["keep"], 14)
            text = await self.host(emulator, "info")
            info = await self.info(emulator)
            await self.commit(emulator)
        self.assertIn("1 page found damaged and erased", text)
        self.assertEqual(info["settings"], {"damaged_pages": 1, "flash_errors": 0})
        # It started as usual, and has another key.
        self.assertEqual(info["restart"]["mode"], 0)
        self.assertNotIn(self.key(), (None, key, bytes(16)))
        self.assertEqual(len(self.records("started")), 4)

    async def test_a_factory_reset_leaves_nothing_and_the_image_starts_as_a_new_one(self):
        self.write_kept(0, b"\xff" * SETTINGS_BYTES)
        async with self.mps2() as emulator:
            epoch = (await self.until_started(emulator))["epoch"]
            await self.host(emulator, "config", "set", "log/keep-days", "365")
            key = self.key()
            said = json.loads(await self.host(emulator, "factory-reset", "--yes", "--json", "--quiet"))
            self.assertEqual(said["failed"], 0)
            async with Management(emulator.link_port) as management:
                status = await management.ask_until(
                    LOG_STATUS, lambda status: status["epoch"] != epoch and status["first"] <= status["last"], "log of a new device")
            self.assertEqual((status["boot"], status["keep"]), (1, 14))
            self.assertEqual((await self.info(emulator))["restart"]["cause"], 2)
        self.assertNotIn(self.key(), (None, key, bytes(16)))
        self.assertNotIn(key, self.kept() + self.log())

    async def test_a_reset_that_is_killed_leaves_all_or_nothing(self):
        chance = random.Random(SEED)
        outcomes = {"untouched": 0, "reset": 0}
        for number in range(8):
            self.write_kept(0, b"\xff" * SETTINGS_BYTES)
            with open(self.flash, "r+b") as file:
                # A log with records: every page has to be erased.
                file.write(b"\x00" * LOG_BYTES)
            async with self.mps2() as emulator:
                async with Management(emulator.link_port) as management:
                    epoch = (await management.ask(LOG_STATUS))["epoch"]
                    key = self.key()
                    management.writer.write(reset_request(epoch))
                    # Some before the marker is written, some during the reset, some after it. If QEMU is scheduled late, all would be before it: therefore not all
                    # times are random.
                    if number % 4 == 3:
                        await until(lambda: NOTE in self.kept() or self.key() != key, "note of the reset", PATIENCE)
                    await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.02), chance.uniform(0, 0.3))))
                    await emulator.kill()
            isNoted = NOTE in self.kept()
            async with self.mps2() as emulator:
                async with Management(emulator.link_port) as management:
                    # The log has no pages during the reset and until the restart.
                    status = await management.ask_until(LOG_STATUS, lambda status: status["first"] <= status["last"], "page in the log")
            if status["epoch"] == epoch:
                self.assertFalse(isNoted, "it was noted, and did not happen")
                self.assertEqual((status["boot"], self.key()), (2, key))
                outcomes["untouched"] += 1
            else:
                self.assertEqual(status["boot"], 1)
                self.assertNotEqual(self.key(), key)
                self.assertNotIn(key, self.kept() + self.log())
                log = self.log()
                used = [page for page in range(0, LOG_BYTES, PAGE) if log[page:page + PAGE] != b"\xff" * PAGE]
                self.assertEqual(len(used), 1, "pages that are not erased")
                outcomes["reset"] += 1
        self.assertGreater(outcomes["reset"], 0)
        print(f"\n  {outcomes}, seed {SEED}")


if __name__ == "__main__":
    unittest.main()
