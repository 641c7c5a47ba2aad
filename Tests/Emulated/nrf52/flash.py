"""The flash and its controller (nRF52833 and nRF52840 Product Specifications, "NVMC"), by the model of the virtual probe in Tests/Flash. Code in flash is stalled
during a write or an erasure, so that it never reads a busy controller."""

import random

import nonvolatile

from .clocks import MICROSECOND
from .peripheral import Peripheral

# t_WRITE and t_ERASEPAGE, at the most.
WORD_TAKES, PAGE_TAKES = 42 * MICROSECOND, 87500 * MICROSECOND
# t_ERASEPAGE in ms, rounded up, and the time of a partial erasure of 1 ms: t_ERASEPAGEPARTIAL,acc.
ERASURE_TIME, PART_TAKES = 88, 1050 * MICROSECOND
# Those of an nRF51, which has no partial erasure.
SMALL_WORD_TAKES, SMALL_PAGE_TAKES = 46.3 * MICROSECOND, 22300 * MICROSECOND
REGISTERS = {nonvolatile.READY, nonvolatile.READYNEXT, nonvolatile.CONFIG, nonvolatile.ERASEPAGE}
PARTIAL_REGISTERS = {nonvolatile.ERASEPAGEPARTIAL, nonvolatile.ERASEPAGEPARTIALCFG}


class PowerCut(Exception):
    """Loss of power during a write or an erasure."""


class FlashController(Peripheral):
    """`cells` is the flash as an array of bytes, `uicr` UICR."""
    name, base = "NVMC", 0x4001E000

    def __init__(self, chip, cells, uicr):
        self.cells, self.uicr = cells, uicr
        self.operations_left, self.chance = None, None
        is_small = chip.kind.is_nrf51
        self.word_takes, self.page_takes = (round(SMALL_WORD_TAKES), SMALL_PAGE_TAKES) if is_small else (WORD_TAKES, PAGE_TAKES)
        self.registers_known = REGISTERS if is_small else REGISTERS | PARTIAL_REGISTERS
        self.memory = nonvolatile.Nonvolatile(
            self, chip.kind.memory.page_size, chip.kind.memory.page_count, len(uicr), takes_time=False, erasure_time=None if is_small else ERASURE_TIME)
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.memory.reset()

    def place(self, address):
        """The array that contains an address, and the offset in it."""
        return (self.uicr, address - nonvolatile.UICR) if address >= nonvolatile.UICR else (self.cells, address)

    def load(self, address, size):
        cells, place = self.place(address)
        return bytes(cells[place:place + size])

    def cut(self, operations, seed):
        """Interrupts the power during a write or an erasure, after a number of others."""
        self.operations_left, self.chance = operations, random.Random(seed)

    def store(self, address, data):
        if self.operations_left == 0:
            # Any of the bits that were to change may have changed.
            old, new = int.from_bytes(self.load(address, len(data)), "little"), int.from_bytes(data, "little")
            mask = self.chance.getrandbits(8 * len(data))
            data = (new & mask | old & ~mask).to_bytes(len(data), "little")
        cells, place = self.place(address)
        cells[place:place + len(data)] = data

    def take(self, time):
        """Adds the time in which the processor was stalled; a violation of the rules fails the test."""
        if self.memory.violations:
            found = self.memory.violations[0]
            self.misuse(f"{found.what} at {found.address:#x}")
        if time and self.operations_left is not None:
            self.operations_left -= 1
            if self.operations_left < 0:
                self.operations_left = None
                raise PowerCut
        self.chip.stand_still(time)

    def guard(self, address):
        """Refuses an operation on what a boot loader has protected, and one with a supply that is too low, or with the comparator enabled: with this, a supply that falls
        during the operation stops the processor (anomaly 242 of the nRF52833 and nRF52840)."""
        clocks, minimum = self.chip.clocks, 1800 if self.chip.kind.is_nrf51 else 1700
        if clocks.supply < minimum:
            self.misuse(f"an operation at {address:#x} with {clocks.supply} mV")
        if clocks.comparator & 1:
            self.misuse(f"an operation at {address:#x} with the power-fail comparator enabled")
        if self.chip.boot_loader and self.chip.boot_loader.is_protected(address, self.chip):
            self.misuse(f"an operation at {address:#x}, which the boot loader has protected")

    def program(self, address, size, value):
        """A write of the image to the flash or to UICR."""
        self.guard(address)
        self.memory.program(address, size, value & (1 << 8 * size) - 1)
        self.take(self.word_takes)

    def read(self, offset):
        if offset not in self.registers_known:
            return super().read(offset)
        return self.memory.read(offset)

    def write(self, offset, value):
        if offset not in self.registers_known:
            return super().write(offset, value)
        if offset == nonvolatile.ERASEPAGE:
            self.guard(value)
        self.memory.write(offset, value)
        if offset == nonvolatile.ERASEPAGE:
            self.take(self.page_takes)
        else:
            self.take(PART_TAKES * self.memory.part_time if offset == nonvolatile.ERASEPAGEPARTIAL else 0)
