"""The access ports of Nordic's chips: a memory access port for the AHB (ADIv5.2, part C), and the control access port (nRF52840 product specification, CTRL-AP)."""

from swd import AccessFault

CSW, TAR, DRW, BASE, IDR = 0x00, 0x04, 0x0C, 0xF8, 0xFC
BANKED = range(0x10, 0x20, 4)
DEVICE_ENABLED = 1 << 6
INCREMENT_SINGLE = 1
CONTROL_IDR = 0x02880000
RESET, ERASEALL, ERASEALLSTATUS, APPROTECTSTATUS = 0x00, 0x04, 0x08, 0x0C
# The number of requests during which an erasure is in progress.
BUSY = 5


class BusFault(Exception):
    """No response at this address, or not to this kind of access."""


class MemoryPort:
    """Bytes, halfwords and words at the address TAR, which can increase by itself within `wrap` bytes: 1024 by the specification, 4096 in a Cortex-M4's. Packed
    transfers are not implemented.

    `chip` has `read(address, size)` and `write(address, size, value)`, which may raise `BusFault`, and `is_locked`."""

    def __init__(self, chip, idr, base, wrap):
        self.chip, self.idr, self.base, self.wrap = chip, idr, base, wrap
        self.size, self.increment, self.protection = 2, 0, 0x23
        self.address = 0

    def read(self, register):
        if register == CSW:
            return self.protection << 24 | (0 if self.chip.is_locked else DEVICE_ENABLED) | self.increment << 4 | self.size
        if register == TAR:
            return self.address
        if register == DRW:
            return self.transfer(self.address, None, True)
        if register in BANKED:
            return self.transfer(self.address & ~15 | register & 15, None, False)
        return {BASE: self.base, IDR: self.idr}.get(register, 0)

    def write(self, register, value):
        if register == CSW:
            self.protection = value >> 24 & 0x7F
            self.size = value & 7 if value & 7 <= 2 else 2
            self.increment = INCREMENT_SINGLE if value >> 4 & 3 == INCREMENT_SINGLE else 0
        elif register == TAR:
            self.address = value
        elif register == DRW:
            self.transfer(self.address, value, True)
        elif register in BANKED:
            self.transfer(self.address & ~15 | register & 15, value, False)

    def transfer(self, address, value, moves):
        # Banked registers are words, whatever the size is.
        size = 1 << self.size if moves else 4
        if self.chip.is_locked or address % size:
            raise AccessFault
        lane = 8 * (address % 4)
        mask = (1 << 8 * size) - 1
        try:
            if value is None:
                read = self.chip.read(address, size) << lane
            else:
                read = 0
                self.chip.write(address, size, value >> lane & mask)
        except BusFault as fault:
            raise AccessFault from fault
        if moves and self.increment:
            self.address = address & -self.wrap | address + size & self.wrap - 1
        return read


class ControlPort:
    """Resets, erases everything, and reports whether the chip is locked, also while it is locked. The first `lost` erasures have no effect."""

    def __init__(self, chip):
        self.chip = chip
        self.lost = 0
        self.is_erasing = False
        self.is_reset = False
        self.busy = 0

    def read(self, register):
        if register == ERASEALLSTATUS:
            self.busy = max(self.busy - 1, 0)
            return 1 if self.busy else 0
        return {RESET: int(self.is_reset), ERASEALL: int(self.is_erasing), APPROTECTSTATUS: 0 if self.chip.is_locked else 1, IDR: CONTROL_IDR}.get(register, 0)

    def write(self, register, value):
        if register == ERASEALL:
            if value & 1 and not self.is_erasing:
                self.busy = BUSY
                if self.lost:
                    self.lost -= 1
                else:
                    self.chip.erase_and_unlock()
            self.is_erasing = bool(value & 1)
        elif register == RESET:
            if self.is_reset and not value & 1:
                self.chip.reset()
            self.is_reset = bool(value & 1)
            self.chip.hold(self.is_reset)
