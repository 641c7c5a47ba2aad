"""Common code of the tests of updates through a boot loader: herald-flash has the image on the model of the chip start its boot loader, over USB/IP; a virtual boot loader of
Tests/Flash then has the contents of its flash, and its power is cut at each of its flash operations."""

import asyncio
import json

import figures
from nrf52.usb_server import USBServer
from nrf52.virtual_time import play
from support import ANSWER, PATIENCE
from test_nrf52_usb import Asked

# Found by additions of those above to the path.
from node import run

PAGE = 4096


class Update(Asked):
    role = "wearable"
    # The reasons of the last resets: into the boot loader, out of it.
    resets = []
    # The number of the last operations whose end the boot loader does not report. A loss of power in them cannot be distinguished from the start of the application, except by
    # the device.
    unreported = 0
    # How herald-flash reaches it.
    kind = "serial-dfu"

    def new_loader(self):
        """The boot loader of the board, which is not there yet."""
        raise NotImplementedError

    @property
    def place(self):
        """Its location for herald-flash."""
        return f"{self.kind}:{self.loader.path}"

    def setUp(self):
        super().setUp()
        self.loader = self.new_loader()
        self.addCleanup(self.loader.close)
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
            "herald-flash", "write", self.path, "--base", hex(self.start), "--yes", "--unsigned", "--json", "--timeout", ANSWER, *words, seconds=PATIENCE)
        return status, json.loads(out), err

    async def refuse_wrong(self, server):
        """The image of another board, and one of this board without its vector table, are refused: the device does not restart."""
        other = figures.ROOT / ".build" / "boards" / ("feather-nrf52840" if self.board == "xiao-nrf52840" else "xiao-nrf52840") / "wearable.elf"
        headless = self.folder / "headless.bin"
        headless.write_bytes(self.old[PAGE:])
        for path, base in ((other, ()), (headless, ("--base", hex(self.start + PAGE)))):
            status, out, err = await run(
                "herald-flash", "write", path, *base, "--yes", "--unsigned", "--json", "--timeout", ANSWER, "--device", server.link, "--to", self.place, seconds=PATIENCE)
            self.assertEqual((status, json.loads(out)["board_state"]), (12, "untouched"), (path, out, err))
        self.assertFalse(self.chip.is_in_boot_loader)

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
        end = -(-(self.start + len(self.new)) // PAGE) * PAGE
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
                await self.refuse_wrong(server)
                version = self.write_new(was["device"]["release"])
                leaving = asyncio.create_task(self.leave())
                status, found, err = await self.flash("--device", server.link, "--to", self.place)
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

    def application(self, flash):
        return bytes(flash[self.start:self.start + len(self.new)])

    def is_updated(self):
        """Whether the boot loader starts the new image, and it is whole."""
        return self.loader.loader.has_application and self.application(self.loader.loader.flash) == self.new

    def assertStartable(self, flash, what):
        """What the boot loader starts is whole."""
        self.assertIn(self.application(flash), (self.application(self.snapshot), self.new), what)

    def cut_everywhere(self):
        """The same update, interrupted at each flash operation, and repeated."""
        loader = self.loader.loader
        operations = loader.memory.operations
        self.assertGreater(operations, 2 * len(self.new) // PAGE)
        to = ("--board", self.board, "--to", self.place)

        async def power_returns(number):
            """After the loss of power, with the state that it leaves checked."""
            while loader.memory.operations < number or self.loader.path.exists():
                await asyncio.sleep(0.02)
            self.assertEqual(loader.memory.operations, number)
            self.assertBeside(bytes(loader.flash), number)
            if loader.has_application:
                self.assertStartable(bytes(loader.flash), number)
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
            if status == 0 and not self.is_updated():
                self.assertGreater(number, operations - self.unreported)
            if status != 0 or not self.is_updated():
                status, found, err = await self.flash(*to)
            self.assertEqual(status, 0, (number, found, err))
            self.assertTrue(self.is_updated(), number)
            self.assertBeside(bytes(loader.flash), number)

        async def everywhere():
            for number in range(1, operations + 1):
                await cut(number)
        asyncio.run(everywhere())
        print(f"\n  {figures.add_to('update_cuts_survived', operations)} in all, {operations} here")
