"""Updates of a device without a button through the drives of UF2 boot loaders, interrupted at each flash operation and between blocks."""

import asyncio
import unittest

import updating
from nrf52.boards import facts
from nrf52.chip import REQUESTED, Chip
from nrf52.image import kind

# These are found by additions of those above to the path.
from uf2_board import UF2Board


class Drives(updating.Update):
    # The folder that is the drive takes a whole file at once: herald-flash may have written it all before the drive disappears, which then is the start of the application.
    kind, unreported, resets = "drive", 1 << 32, [REQUESTED, REQUESTED]

    def new_loader(self):
        return UF2Board(*self.loader_facts)

    def assume_application(self, loader):
        # Besides the SoftDevice the settings page of the boot loader, which are not in the model of the chip. The image was written as a UF2 file: it has no CRC.
        loader.put_soft_device()
        loader.put_settings()
        self.snapshot = bytes(loader.flash)

    def assertBeside(self, flash, what):
        """Nor the settings page."""
        page = slice(0xFF000, 0x100000)
        flash = bytearray(flash)
        flash[page] = self.snapshot[page]
        super().assertBeside(bytes(flash), what)

    def started(self, flash):
        """A chip that starts the image in `flash`, and runs for a short time."""
        chip = Chip(flash[self.start:], kind(self.board), start=self.start, board=facts(self.board))
        chip.on_boot_loader = lambda: None
        chip.run_for(0.2)
        return chip

    def assertStartable(self, flash, what):
        """It is whole, or starts the boot loader before it changes anything."""
        if self.application(flash) in (self.application(self.snapshot), self.new):
            return
        chip = self.started(flash)
        self.assertEqual((chip.is_in_boot_loader, chip.resets[1:]), (True, [REQUESTED]), what)
        self.assertEqual(bytes(chip.cells[self.start:]), flash[self.start:], what)
        self.assertEqual(bytes(chip.memory.cells).strip(b"\xFF"), b"", what)

    def cut_everywhere(self):
        # The boot loader does not program a page that is equal: in the former image a byte of each page is another one.
        former = bytearray(self.snapshot)
        for page in range(self.start, self.start + len(self.new), updating.PAGE):
            former[min(page + updating.PAGE, self.start + len(self.new)) - 1] ^= 0xFF
        self.snapshot = bytes(former)
        asyncio.run(self.count_operations())
        super().cut_everywhere()
        self.table_everywhere()
        asyncio.run(self.vanish())

    async def count_operations(self):
        """Those of an update without an interruption."""
        loader = self.loader.loader
        loader.flash[:] = self.snapshot
        loader.memory.operations = 0
        self.loader.power_on()
        status, found, err = await self.flash("--board", self.board, "--to", self.place)
        self.assertEqual(status, 0, (found, err))
        # The first page is erased twice; each page and the settings page are erased and programmed.
        pages = -(-len(self.new) // updating.PAGE)
        self.assertEqual(loader.memory.operations, 2 * (pages + 2))

    def table_everywhere(self):
        """The page with the vector table is programmed last, word by word."""
        flash, mark = bytearray(self.loader.loader.flash), self.names["startup_table_mark"]
        for end in [self.start + 8, self.start + 12, self.start + 64, mark - 4, mark]:
            cut = bytes(flash[:end]) + b"\xFF" * (self.start + updating.PAGE - end) + bytes(flash[self.start + updating.PAGE:])
            self.assertStartable(cut, hex(end))
        # With the mark it is whole: what is behind it in the page is empty.
        self.assertEqual(flash[mark + 4:self.start + updating.PAGE].strip(b"\xFF"), b"")
        self.assertFalse(self.started(bytes(flash)).is_in_boot_loader)

    async def vanish(self):
        """The drive disappears between two blocks; the boot loader is then reset."""
        loader, to = self.loader.loader, ("--board", self.board, "--to", self.place)
        count = -(-len(self.new) // 256) + 1
        for blocks in (0, 1, 2, 65, count // 2, count - 16, count - 1):
            loader.flash[:] = self.snapshot
            self.assume_application(loader)
            self.loader.power_on(vanish_after=blocks)
            status, found, err = await self.flash(*to)
            self.assertTrue(status == 0 or found["board_state"] == "unknown", (blocks, found, err))
            # One block alone changes nothing; with the second one the application is invalid.
            self.assertEqual(loader.has_application, blocks < 2, blocks)
            self.assertBeside(loader.flash, blocks)
            self.loader.power_on()
            status, found, err = await self.flash(*to)
            self.assertEqual(status, 0, (blocks, found, err))
            self.assertTrue(self.is_updated(), blocks)


class XIAO(Drives):
    board, loader_facts = "xiao-nrf52840", ("nRF52840-SeeedXiao-v1", "7.3.0")


class Feather(Drives):
    board, loader_facts = "feather-nrf52840", ("nRF52840-Feather-revE", "6.1.1")


# It is no test itself.
del Drives

if __name__ == "__main__":
    unittest.main()
