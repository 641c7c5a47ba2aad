"""The image of the nRF52833 DK on a model of its chip meets phones on Bumble's air: by its UARTE, into its flash. Bumble lives in the chip's time."""

import asyncio
import unittest

import herald
from support import pages
from nrf52833.chip import Chip
from nrf52833.image import built, names
from nrf52833.virtual_time import Attached, play
from world import World, until

PAGE = 4096
OWN = herald.fixed_payload(826, 0, 1234567890)


class Meeting(unittest.TestCase):
    def setUp(self):
        self.chip = Chip(built())
        self.names = names()

    def records(self):
        start, size = self.names["log_start"], self.names["log_size"]
        found = pages(None, PAGE, bytes(self.chip.cells[start:start + size]))
        return [record for number in sorted(found) for record in found[number][1]]

    async def meet(self):
        async with World() as world:
            phones = await world.android(1), await world.ios(1)
            async with Attached(self.chip, world.port):
                for phone in phones:
                    await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 60)
                await asyncio.sleep(65)
        return phones

    def test_it_meets_an_android_phone_and_an_iphone(self):
        phones = play(self.chip, self.meet())
        records = self.records()
        for phone in phones:
            mine = [record for record in records if record.get("target") == phone.identity.replace(":", "")]
            events = [record["event"] for record in mine]
            self.assertEqual(events.count("detected"), 1, phone.name)
            self.assertEqual([record["payload"] for record in mine if record["event"] == "read"], [phone.payload.hex()])
            self.assertEqual({record["rssi"] for record in mine if record["event"] == "measured"}, {-60}, phone.name)
            self.assertGreater(events.count("measured"), 100, phone.name)
        times = [record["ms"] for record in records]
        self.assertEqual(times, sorted(times))
        # It was not reset, no byte was lost on the line, its light said that the controller was ready, and it slept.
        self.assertEqual((self.chip.resets, self.chip.uarte.lost), ([0], 0))
        self.assertFalse(self.chip.ports[0].is_high(14))
        awake = self.chip.processor.instructions / self.chip.cycles
        print(f"\n  awake {awake:.2%} of the time, {self.chip.processor.instructions} instructions in {self.chip.seconds:.0f} s")
        self.assertLess(awake, 0.05)


if __name__ == "__main__":
    unittest.main()
