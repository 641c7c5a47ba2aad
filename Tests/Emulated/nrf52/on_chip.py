"""What the tests of the image on its chip have in common."""

import asyncio
import unittest

import herald
from support import pages
from world import World, until

from .chip import Chip
from .image import built, kind, names
from .virtual_time import Attached

# What the image shows others of itself.
OWN = herald.fixed_payload(826, 0, 1234567890)
# What Swift traps with.
UDF = bytes.fromhex("fede")


class OnChip(unittest.TestCase):
    """Has a chip that was switched on, with the image of a board in it."""
    board = "nrf52833dk"
    role = "wearable"

    def setUp(self):
        self.names = names(self.board, self.role)
        self.chip = self.new_chip()

    def new_chip(self, **options):
        """Another one like it."""
        return Chip(built(self.board, self.role), kind(self.board), **options)

    def records(self, event=None):
        """What the flash holds, by a decoder that is not ours."""
        start, size = self.names["log_start"], self.names["log_size"]
        found = pages(None, self.chip.kind.memory.page_size, bytes(self.chip.cells[start:start + size]))
        records = [record for number in sorted(found) for record in found[number][1]]
        return [record for record in records if event in (None, record["event"])]

    def run_to_sleep(self, seconds=35):
        """Has it run until its log has been kept for the first time, and then until it sleeps."""
        self.chip.run_for(seconds)
        for _ in range(1000):
            if self.chip.processor.is_asleep:
                return
            self.chip.run_for(0.0001)
        self.fail("it does not sleep")

    def trap(self):
        """Has it run into what Swift traps with, and restart; where."""
        self.run_to_sleep(0.1)
        place, resets = self.chip.processor.pc, len(self.chip.resets)
        was = bytes(self.chip.cells[place:place + 2])
        self.chip.patch(place, UDF)
        while len(self.chip.resets) == resets:
            self.chip.run_for(0.01)
        self.chip.patch(place, was)
        return place

    def assertKept(self, before):
        """All that was in the log is in it; what there is now."""
        after = self.records()
        self.assertEqual(after[:len(before)], before)
        boots = [record["boot"] for record in after if record["event"] == "started"]
        self.assertEqual(boots, sorted(set(boots)))
        return after

    async def meet(self, seconds):
        """An Android-like phone and an iPhone come, read it, and stay for so long."""
        async with World() as world:
            phones = await world.android(1), await world.ios(1)
            async with Attached(self.chip, world.port):
                for phone in phones:
                    await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 60)
                await asyncio.sleep(seconds)
        return phones
