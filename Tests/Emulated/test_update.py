"""The update of a device without a button: herald-flash has the image on the model of the chip start its boot loader, over USB/IP; the virtual boot loaders of Tests/Flash then have the
contents of its flash, and its power is cut at each of their flash operations."""

import asyncio
import json
import unittest

import figures
from nrf52.chip import PIN, REQUESTED
from nrf52.usb_server import USBServer
from nrf52.virtual_time import play
from support import ANSWER, PATIENCE
from test_nrf52_usb import Asked

# These are found by additions of those above to the path.
from dongle import Dongle
from legacy_dongle import LegacyDongle
from node import run


class Update(Asked):
    role = "wearable"
    # The reasons of the last resets: into the boot loader, out of it.
    resets = []
    # Whether the boot loader acknowledges the last operation. Otherwise a loss of power in it cannot be distinguished from the start of the application, except by the device.
    is_end_reported = True

    def new_loader(self):
        """The boot loader of the board at a serial port, which is not there yet."""
        raise NotImplementedError

    def setUp(self):
        super().setUp()
        self.loader = self.new_loader()
        self.addCleanup(self.loader.close)
        self.loader.unplug()
        self.start = self.names["startup_vectors"]
        self.old = (self.image_folder() / "wearable.bin").read_bytes()
        self.path = self.folder / "new.bin"

    def image_folder(self):
        return figures.ROOT / ".build" / "boards" / self.board

    def write_new(self, version):
        """The image with another version."""
        mark = version.encode()
        self.assertGreaterEqual(self.old.count(mark), 1)
        self.new = self.old.replace(mark, bytes([mark[0] + 1]) + mark[1:])
        self.path.write_bytes(self.new)
        return self.new[self.old.index(mark):][:len(mark)].decode()

    async def flash(self, *words):
        status, out, err = await run(
            "herald-flash", "write", self.path, "--base", hex(self.start), "--yes", "--json", "--timeout", ANSWER, *words, seconds=PATIENCE)
        return status, json.loads(out), err

    async def info(self, server, *words):
        status, out, err = await run("herald-host", *words, "--json", "--device", server.link, "--timeout", ANSWER, seconds=PATIENCE)
        self.assertEqual(status, 0, err or out)
        return json.loads(out)

    def enter(self):
        """The boot loader runs from now on."""
        loader = self.loader.loader
        self.snapshot = bytes(self.chip.cells)
        loader.flash[:] = self.snapshot
        loader.memory.operations, loader.memory.cut_at = 0, None
        self.assume_application(loader)
        self.loader.power_on()

    async def leave(self):
        """The chip is reset when the boot loader has an application."""
        while not self.loader.loader.is_running:
            await asyncio.sleep(0.05)
        self.chip.leave_boot_loader(bytes(self.loader.loader.flash))

    def assertBeside(self, flash, what):
        """Nothing outside of the image's pages was changed."""
        end = -(-(self.start + len(self.new)) // 4096) * 4096
        self.assertEqual(flash[:self.start], self.snapshot[:self.start], what)
        self.assertEqual(flash[end:], self.snapshot[end:], what)

    def test_it_is_updated_and_keeps_log_and_settings(self):
        self.run_to_sleep()
        before = self.records()
        self.assertGreater(len(before), 0)
        self.chip.on_boot_loader = self.enter

        async def update():
            async with USBServer(self.chip) as server:
                was = await self.info(server, "info")
                version = self.write_new(was["device"]["release"])
                leaving = asyncio.create_task(self.leave())
                status, found, err = await self.flash("--device", server.link, "--to", f"serial-dfu:{self.loader.path}")
                self.assertEqual(status, 0, (found, err))
                await leaving
                return was, version, found, await self.info(server, "info")
        was, version, found, now = play(self.chip, update(), follows_wall=True, seconds=PATIENCE)
        self.assertEqual((found["device"], found["board"]), (was["device"]["serial"], self.board))
        self.assertIn(version, found["firmware"])
        self.assertEqual(now["device"]["release"], version)
        self.assertEqual(self.chip.resets[-2:], self.resets)
        self.assertKept(before)
        self.assertBeside(bytes(self.loader.loader.flash), "the update")
        self.cut_everywhere()

    def cut_everywhere(self):
        """The same update, interrupted at each flash operation, and repeated."""
        loader = self.loader.loader
        operations = loader.memory.operations
        self.assertGreater(operations, 2 * len(self.new) // 4096)
        to = ("--board", self.board, "--to", f"serial-dfu:{self.loader.path}")

        async def power_returns(number):
            """After the loss of power, with the state that it leaves checked."""
            while loader.memory.operations < number or self.loader.path.exists():
                await asyncio.sleep(0.02)
            self.assertEqual(loader.memory.operations, number)
            self.assertBeside(bytes(loader.flash), number)
            application = bytes(loader.flash[self.start:self.start + len(self.new)])
            # What is not whole is not started.
            self.assertTrue(not loader.has_application or application == self.snapshot[self.start:self.start + len(self.new)], number)
            loader.memory.cut_at = None
            self.loader.power_on()

        async def cut(number):
            loader.flash[:] = self.snapshot
            loader.memory.operations, loader.memory.cut_at = 0, number
            self.assume_application(loader)
            self.loader.power_on()
            returning = asyncio.create_task(power_returns(number))
            status, found, err = await self.flash(*to)
            await asyncio.wait_for(returning, PATIENCE)
            if status == 0 and not loader.has_application:
                self.assertEqual((number, self.is_end_reported), (operations, False))
            if status != 0 or not loader.has_application:
                status, found, err = await self.flash(*to)
            self.assertEqual(status, 0, (number, found, err))
            self.assertEqual(bytes(loader.flash[self.start:self.start + len(self.new)]), self.new)
            self.assertTrue(loader.has_application)
            self.assertBeside(bytes(loader.flash), number)

        async def everywhere():
            for number in range(1, operations + 1):
                await cut(number)
        asyncio.run(everywhere())
        print(f"\n  {figures.add_to('update_cuts_survived', operations)} in all, {operations} here")


class Nordics(Update):
    board, resets = "nrf52840-dongle", [PIN, REQUESTED]

    def new_loader(self):
        return Dongle()

    def assume_application(self, loader):
        loader.has_application = True


class Adafruits(Update):
    board, resets, is_end_reported = "xiao-nrf52840", [REQUESTED, REQUESTED], False

    def new_loader(self):
        return LegacyDongle(soft_device="7.3.0")

    def assume_application(self, loader):
        # The SoftDevice in front of the image, which is not in the model of the chip.
        loader.put_soft_device()
        self.snapshot = bytes(loader.flash)
        loader.is_valid = True


# It is no test itself.
del Update

if __name__ == "__main__":
    unittest.main()
