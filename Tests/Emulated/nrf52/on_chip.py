"""Common code of the tests of images on the model."""

import asyncio
import unittest

import herald
from support import pages
from world import World, until

from .boards import facts
from .chip import Chip
from .image import built, kind, names
from .virtual_time import Attached

# The payload of the image.
OWN = herald.fixed_payload(826, 0, 1234567890)
# The instruction of Swift's traps.
UDF = bytes.fromhex("fede")


class OnChip(unittest.TestCase):
    """A chip with the image of a board, after power-on."""
    board = "nrf52833dk"
    role = "wearable-hci"

    def setUp(self):
        self.names = names(self.board, self.role)
        self.chip = self.new_chip()

    def new_chip(self, **options):
        """Another one like it."""
        return Chip(built(self.board, self.role), kind(self.board), start=self.names["startup_vectors"], board=facts(self.board), **options)

    def records(self, event=None):
        """The contents of the flash, by the independent decoder."""
        start, size = self.names["log_start"], self.names["log_size"]
        memory = self.chip.memory
        data = bytes(memory.cells) if memory else bytes(self.chip.cells[start:start + size])
        found = pages(None, self.chip.kind.memory.page_size, data)
        records = [record for number in sorted(found) for record in found[number][1]]
        return [record for record in records if event in (None, record["event"])]

    def run_to_sleep(self, seconds=35):
        """Runs it until its log has been committed for the first time, and then until it sleeps."""
        self.chip.run_for(seconds)
        for _ in range(1000):
            if self.chip.processor.is_asleep:
                return
            self.chip.run_for(0.0001)
        self.fail("it does not sleep")

    def trap(self):
        """Makes it execute a trap and restart; returns the address."""
        self.run_to_sleep(0.1)
        place, resets = self.chip.processor.pc, len(self.chip.resets)
        was = bytes(self.chip.cells[place:place + 2])
        self.chip.patch(place, UDF)
        while len(self.chip.resets) == resets:
            self.chip.run_for(0.01)
        self.chip.patch(place, was)
        return place

    def assertKept(self, before):
        """Checks that all former records are in the log; returns its contents."""
        after = self.records()
        self.assertEqual(after[:len(before)], before)
        boots = [record["boot"] for record in after if record["event"] == "started"]
        self.assertEqual(boots, sorted(set(boots)))
        return after

    async def meet(self, seconds):
        """An Android-like phone and an iPhone arrive, read it, and stay for a time."""
        async with World() as world:
            phones = await world.android(1), await world.ios(1)
            async with Attached(self.chip, world.port):
                for phone in phones:
                    await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 60)
                await asyncio.sleep(seconds)
        return phones
