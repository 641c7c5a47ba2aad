"""A virtual Feather or XIAO in Adafruit's boot loader, with its drive and the flash of its chip. The rules are those of adafruit/Adafruit_nRF52_Bootloader at 48a149f
(src/usb/uf2/ghostfat.c, src/flash_nrf5x.c, bootloader.c of the SDK 11 in it): a page is programmed when a block of another page arrives, or with the last block; an
application is started if its first two words are not erased and the settings page says that it is valid. After a UF2 file that page has no CRC."""

import binascii
import struct

from drive import SECTOR, UF2Drive, UF2Loader
from legacy_dongle import APPLICATION_END, INFORMATION, MAGIC, MASTER_BOOT_RECORD_END, PAGE, SOFT_DEVICES
from power import Flash, PowerLost

SETTINGS = 0xFF000
# Of bank 0: a valid application. Its CRC is 0 if it is not checked. Of bank 1: no application.
VALID, INVALID = 0x01, 0xFF
# The settings: bank 0, its CRC, bank 1, size of bank 0, and four words for SoftDevices.
LAYOUT = struct.Struct("<HHHxxI16x")


class UF2Chip(UF2Loader):
    """The boot loader with the flash of its chip, as bytes by address."""

    def __init__(self, soft_device):
        self.start = SOFT_DEVICES[soft_device][1]
        super().__init__(first=MASTER_BOOT_RECORD_END, last=0xED000)
        self.range = range(MASTER_BOOT_RECORD_END, APPLICATION_END)
        self.flash = bytearray(b"\xFF" * 0x100000)
        self.memory = Flash(self.flash, PAGE)
        self.number = SOFT_DEVICES[soft_device][0]

    def put_soft_device(self):
        self.flash[MASTER_BOOT_RECORD_END:self.start] = bytes(self.start - MASTER_BOOT_RECORD_END)
        self.flash[INFORMATION:INFORMATION + 14] = struct.pack("<IIIH", 0x2C, MAGIC, self.start, self.number)

    def put_settings(self, crc=0, size=0):
        """Those of a valid application."""
        self.flash[SETTINGS:SETTINGS + PAGE] = LAYOUT.pack(VALID, crc, INVALID, size).ljust(PAGE, b"\xFF")

    def restart(self):
        super().restart()
        self.page, self.cache = None, None

    def take(self, sector):
        before = len(self.blocks)
        here, self.flash = self.flash, {}
        super().take(sector)
        found, self.flash = self.flash, here
        for address, data in found.items():
            self.write(address, data)
        if self.is_running and len(self.blocks) > before:
            self.end()

    def write(self, address, data):
        """Blocks here do not cross pages."""
        page = address // PAGE * PAGE
        if page != self.page:
            self.flush()
            self.page, self.cache = page, bytearray(self.flash[page:page + PAGE])
        self.cache[address - page:address - page + len(data)] = data

    def flush(self):
        if self.page is not None and self.cache != self.flash[self.page:self.page + PAGE]:
            self.memory.erase(self.page)
            self.memory.program(self.page, self.cache)
        self.page = None

    def end(self):
        """All blocks are there."""
        self.is_running = False
        self.flush()
        self.memory.erase(SETTINGS)
        self.memory.program(SETTINGS, LAYOUT.pack(VALID, 0, INVALID, 0))
        self.is_running = self.has_application

    @property
    def has_application(self):
        """Whether it starts what is there."""
        if self.flash[self.start:self.start + 8] == b"\xFF" * 8:
            return False
        bank, crc, _, size = LAYOUT.unpack_from(self.flash, SETTINGS)
        return bank == VALID and (crc == 0 or crc == binascii.crc_hqx(self.flash[self.start:self.start + size], 0xFFFF))


class UF2Board(UF2Drive):
    """The board with its drive, which is there from `power_on` until the application starts, power is lost, or `vanish_after` blocks have arrived."""

    def __init__(self, board, soft_device):
        self.is_on, self.done = False, 0
        super().__init__(name="UF2BOOT", board=board, model=board, soft_device=f"S140 {soft_device}")
        # Nothing uses it before.
        self.loader = UF2Chip(soft_device)

    def plug_in(self):
        if self.is_on:
            self.done = 0
            super().plug_in()

    def power_on(self, vanish_after=None):
        """The boot loader starts, as no application is complete, or as it was requested, or as the reset button is pressed twice."""
        self.is_on, self.vanish_after = True, vanish_after
        if not self.path.exists():
            self.plug_in()

    def look(self, path, data):
        """The file grows; each block is received once."""
        try:
            for place in range(self.done, len(data) - SECTOR + 1, SECTOR):
                if self.vanish_after is not None and place >= self.vanish_after * SECTOR:
                    return True
                self.done = place + SECTOR
                self.loader.take(data[place:place + SECTOR])
        except PowerLost:
            return True
        return self.loader.is_running
