"""The log under loss of power: the emulator is killed at random times; its flash is kept in a file."""

import asyncio
import contextlib
import os
import random
import time
import unittest

from support import PAGE, SEED, EmulatedTest, pages
import air as air_module
import figures
from contact_rows import rows_of
from emulator import Emulator, blank_flash
from management import LOG_STATUS, WRITE, Management

KILLS = int(os.environ.get("HERALD_KILLS", 200))
LANES = 2


class Lane:
    """Runs images on the same flash, each of which is killed; holds the bytes acknowledged by then."""

    def __init__(self, test, number):
        self.test = test
        self.random = random.Random(SEED + number)
        self.folder = test.folder / f"lane-{number}"
        self.folder.mkdir()
        self.flash = self.folder / "flash.bin"
        blank_flash(self.flash)
        # Acknowledged bytes, by page: these must not change again.
        self.acknowledged = {}
        self.boots = 0
        self.kills = 0
        self.stack_used = self.stack_size = 0
        self.kinds = {"before anything was acknowledged": 0, "after": 0}

    def page(self, sequence):
        """The bytes of the page with this number, as they are in the file now; None if it is not there."""
        with open(self.flash, "rb") as file:
            file.seek((sequence - 1) * PAGE)
            return file.read(PAGE)

    def check(self):
        for sequence, data in self.acknowledged.items():
            now = self.page(sequence)
            self.test.assertEqual(now[:len(data)], data, f"page {sequence} of {self.folder.name}: what was committed has changed")

    async def open(self, port):
        """Configures the image to serve its log, and therefore commit it, without an access key; the setting is stored in its flash."""
        async with Emulator("mps2-an386", self.folder, ("127.0.0.1", port), flash=self.flash) as emulator:
            await self.test.open(emulator)
            await emulator.kill()

    async def run_until_killed(self, port, kills):
        await self.open(port)
        while self.kills < kills:
            # Some during start-up, including QEMU's, and some during writes: scanning begins after a second.
            starts = self.random.random() < 0.4
            life = self.random.uniform(0.05, 1.0 if starts else 2.5)
            self.answered = asyncio.Event()
            async with Emulator("mps2-an386", self.folder, ("127.0.0.1", port), flash=self.flash) as emulator:
                asking = asyncio.create_task(self.ask(emulator))
                if not starts:
                    await asyncio.wait([asking, asyncio.create_task(self.answered.wait())], return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(life)
                if not starts and self.answered.is_set():
                    used, self.stack_size = await emulator.stack()
                    self.stack_used = max(self.stack_used, used)
                await emulator.kill()
                asking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await asking
            self.kills += 1
            self.check()

    async def ask(self, emulator):
        """Makes the image commit repeatedly, and records the bytes that it reports as committed."""
        first = True
        self.kinds["before anything was acknowledged"] += 1
        try:
            async with Management(emulator.link_port) as management:
                while True:
                    status = await management.ask(LOG_STATUS, operation=WRITE)
                    if first:
                        self.kinds["before anything was acknowledged"] -= 1
                        self.kinds["after"] += 1
                        self.boots += 1
                        first = False
                        self.answered.set()
                        self.test.assertGreaterEqual(status["boot"], self.boots)
                    sequence, size = status["last"], status["open"]
                    if sequence and size:
                        data = self.page(sequence)[:size]
                        known = self.acknowledged.get(sequence, b"")
                        self.test.assertEqual(data[:len(known)], known)
                        self.acknowledged[sequence] = data
                    await asyncio.sleep(self.random.uniform(0, 0.05))
        except (ConnectionError, asyncio.IncompleteReadError):
            return


class Power(EmulatedTest):
    async def test_nothing_committed_is_lost_in_kills_at_random_moments(self):
        print(f"\n  seed {SEED} (HERALD_SEED)")
        start = time.monotonic()
        for number in range(2):
            await self.world.android(number, advertising_interval=20)
        lanes, servers = [], []
        for number in range(LANES):
            lanes.append(Lane(self, number))
            controller = air_module.add_controller(self.world.air, f"lane {number}", f"00:11:22:33:55:{number:02X}")
            servers.append(await air_module.serve(controller))
        await asyncio.gather(*(
            lane.run_until_killed(air_module.port_of(server), KILLS // LANES) for lane, server in zip(lanes, servers)))
        for server in servers:
            server.close()
        for lane in lanes:
            self.assertTrue(figures.stack("mps2-an386", lane.stack_used, lane.stack_size), "the stack is nearly used up")
        kills = sum(lane.kills for lane in lanes)
        records = 0
        for lane in lanes:
            found = pages(lane.flash)
            numbers = sorted(found)
            self.assertEqual(numbers, list(range(1, numbers[-1] + 1)), "pages are missing")
            boots = [head["boot"] for head, _ in found.values()]
            self.assertEqual(boots, sorted(boots))
            records += sum(len(page[1]) for page in found.values())
            # Every acknowledged record is still decoded by the independent decoder.
            for sequence, data in lane.acknowledged.items():
                before = pages(None, data=data + b"\xff" * (PAGE - len(data)))[sequence][1]
                now = found[sequence][1]
                self.assertEqual([record for record in before if record not in now], [])
        self.assertGreaterEqual(kills, KILLS // LANES * LANES)
        readings = sum(
            record["event"] == "measured" for lane in lanes for page in pages(lane.flash).values() for record in page[1])
        self.assertGreater(readings, 0)
        print(f"  {kills} kills in {time.monotonic() - start:.0f} s, {sum(lane.kinds['after'] for lane in lanes)} of them after something "
              f"had been acknowledged; {records} records, {readings} of them readings, in {sum(len(pages(lane.flash)) for lane in lanes)} pages, none lost")

    async def test_the_log_outlives_a_reset_of_the_machine(self):
        phone = await self.world.android(1)
        async with self.mps2() as emulator:
            before = await self.rows_when(emulator, lambda rows: len(rows_of(rows, phone, "measure")) >= 10, "readings")
            await emulator.command("system_reset")
            await self.rows_when(
                emulator, lambda rows: len(rows_of(rows, phone, "detect")) == 2, "detection after the reset")
            info = await self.info(emulator)
            after = await self.rows(emulator)
        self.assertEqual(info["restart"]["cause"], 1)
        kept = [row for row in after if row["id"]]
        self.assertEqual([row for row in before if row["id"]], kept[:len([row for row in before if row["id"]])])


if __name__ == "__main__":
    unittest.main()
