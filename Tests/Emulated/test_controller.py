"""Faulty controllers: the image recovers by itself, and its counters show it."""

import asyncio
import random
import unittest

from controller_proxy import ControllerProxy
from support import SEED, EmulatedTest


class Controllers(EmulatedTest):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.phone = await self.world.android(1)
        self.proxy = ControllerProxy(self.world.port)
        self.port = await self.proxy.start()

    async def asyncTearDown(self):
        self.proxy.close()
        await super().asyncTearDown()

    async def heard(self, emulator, more_than=0):
        """The counters, once more advertisements than that have been received."""
        return await self.stats_when(emulator, lambda stats: stats["hci"]["advertising_reports"] > more_than, "advertisements heard")

    async def recovers(self, disturb, counter):
        """Waits until the image receives phones, disturbs the controller, and waits until the counter has increased and phones are received again."""
        async with self.mps2(self.port) as emulator:
            before = await self.heard(emulator)
            await disturb()
            during = await self.stats_when(emulator, lambda stats: stats["hci"][counter] > before["hci"][counter], f"{counter} counted")
            after = await self.heard(emulator, during["hci"]["advertising_reports"] + 20)
            info = await self.info(emulator)
        self.assertGreater(after["hci"]["failures"], before["hci"]["failures"])
        # The image was not restarted.
        self.assertEqual((info["restart"]["cause"], after["firmware"]["faults"]), (0, 0))
        return after

    async def test_garbage_at_line_speed(self):
        print(f"\n  seed {SEED} (HERALD_SEED)")

        async def garbage():
            source = random.Random(SEED)
            # 1 Mbit/s for one second, in pieces.
            for _ in range(100):
                self.proxy.send_to_host(source.randbytes(1000))
                await asyncio.sleep(0.01)

        await self.recovers(garbage, "sync_lost")

    async def test_a_controller_that_resets_itself(self):
        async def reset():
            # Unsolicited Command Complete of an HCI_Reset.
            self.proxy.send_to_host(bytes.fromhex("040e0401030c00"))

        await self.recovers(reset, "failures")

    async def test_a_controller_that_reports_a_hardware_error(self):
        async def fail():
            self.proxy.send_to_host(bytes.fromhex("04100142"))

        await self.recovers(fail, "hardware_errors")

    async def test_a_controller_that_stops_answering(self):
        async def stop():
            self.proxy.drops_packets = True
            # Long enough that a reset by command has no effect, and the reset line is asserted.
            await self.stats_when(self.emulator, lambda stats: stats["firmware"]["controller_resets"], "reset of the controller")
            self.proxy.drops_packets = False

        async with self.mps2(self.port) as self.emulator:
            before = await self.heard(self.emulator)
            await stop()
            after = await self.heard(self.emulator, before["hci"]["advertising_reports"] + 20)
        self.assertGreater(after["hci"]["command_timeouts"], 1)
        self.assertGreater(after["firmware"]["controller_resets"], 0)


if __name__ == "__main__":
    unittest.main()
