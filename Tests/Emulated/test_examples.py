"""Example firmware, and the micro:bit's image that no other test runs: each communicates with a phone."""

import asyncio
import time
import unittest

from support import PATIENCE, EmulatedTest
from emulator import Emulator
from h4_rssi_proxy import Walk
from world import until

# FPGAIO's first register: bit 0 is the first of the two LEDs on the MPS2 board.
LAMPS = 0x4002_8000


class Examples(EmulatedTest):
    async def lamp(self, emulator):
        return (await emulator.words(LAMPS, 1))[0] & 1

    async def is_lit(self, emulator):
        """Waits until the LED is on."""
        deadline = time.monotonic() + PATIENCE
        while not await self.lamp(emulator):
            self.assertLess(time.monotonic(), deadline, "the lamp stays dark")
            await asyncio.sleep(0.1)

    async def test_the_badge_shows_its_number_and_lights_its_lamp_for_somebody_close(self):
        phone = await self.world.android(1)
        self.world.rssi_values.walks = {phone.address: Walk.parse("-75")}
        async with self.mps2(role="Badge") as emulator:
            await until(lambda: phone.address_of(bytes.fromhex("004452415767120000")), "badge read by the phone", PATIENCE)
            await self.rows_when(
                emulator, lambda rows: sum(row["measure"] == "3" for row in rows) >= 10 and any(row["read"] == "2" for row in rows),
                "payload and readings of the phone")
            self.assertEqual(await self.lamp(emulator), 0, "it is dark while nobody is close")
            self.world.rssi_values.walks = {phone.address: Walk.parse("-48")}
            await self.is_lit(emulator)

    async def test_the_venue_beacon_says_where_it_is_and_that_it_works(self):
        phone = await self.world.android(1)
        async with self.mps2(role="VenueBeacon") as emulator:
            await until(
                lambda: phone.address_of(bytes.fromhex("303a030400515100001010") + "Café Zum Löwen".encode()),
                "venue read by the phone", PATIENCE)
            await self.is_lit(emulator)

    async def test_the_beacon_of_the_microbit_is_read(self):
        phone = await self.world.android(1)
        async with Emulator("microbit", self.folder / "microbit", ("127.0.0.1", self.world.port), role="beacon-hci"):
            await until(lambda: phone.address_of(bytes.fromhex("303a03040040e20100")), "venue read by the phone", PATIENCE)
        self.assertEqual(phone.served, [])


if __name__ == "__main__":
    unittest.main()
