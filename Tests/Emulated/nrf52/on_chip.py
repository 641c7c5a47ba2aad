"""Common code of the tests of images on the model."""

import asyncio
import unittest

import figures
import herald
from emulator import PAINT
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
HCI_RESET = bytes.fromhex("01030c00")
# The PDU type of connectable advertisements.
ADV_IND = 0


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

    @property
    def has_controller(self):
        """Whether the image uses a controller on its line, and not the radio of the chip."""
        return self.role.endswith("-hci")

    def forget_radio(self):
        """Forgets what was sent to the controller, or transmitted."""
        self.chip.line.received.clear()
        self.chip.radio.air.sent.clear()

    def assertRadioStarted(self):
        """It has sent HCI_Reset to its controller first; without one, it advertises."""
        if self.has_controller:
            self.assertEqual(bytes(self.chip.line.received[:4]), HCI_RESET)
        else:
            self.assertEqual({pdu[0] & 15 for pdu in self.chip.radio.air.sent}, {ADV_IND})

    def assertRadioSilent(self):
        self.assertEqual((bytes(self.chip.line.received), self.chip.radio.air.sent), (b"", []))

    def assertStackRemains(self):
        """Enough of the stack was not used, by the pattern that start-up writes into it. Returns the maximum stack use."""
        bottom, top = self.names["stack_bottom"], self.names["stack_top"]
        unused = next(index for index, word in enumerate(self.chip.words(bottom, (top - bottom) // 4)) if word != PAINT)
        used = top - bottom - 4 * unused
        image = self.board if self.role == "wearable" else f"{self.board}.{self.role}"
        self.assertTrue(figures.stack(image, used, top - bottom), "the stack is nearly used up")
        return used

    async def meet(self, seconds):
        """An Android-like phone and an iPhone arrive, read it, and stay for a time."""
        async with World() as world:
            phones = await world.android(1), await world.ios(1)
            async with Attached(self.chip, world.port):
                for phone in phones:
                    await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 60)
                await asyncio.sleep(seconds)
        return phones
