"""The system control space: interrupts, faults, reset, and the memory protection unit (Armv7-M Architecture Reference Manual, B3)."""

from .peripheral import Misuse

BASE = 0xE000E000
SET_ENABLE, CLEAR_ENABLE, SET_PENDING, CLEAR_PENDING, PRIORITY = 0x100, 0x180, 0x200, 0x280, 0x400
SYST_CSR = 0x010
CPUID, ICSR, VTOR, AIRCR, SCR, SHCSR, CFSR, HFSR, MMFAR, BFAR = 0xD00, 0xD04, 0xD08, 0xD0C, 0xD10, 0xD24, 0xD28, 0xD2C, 0xD34, 0xD38
MPU_TYPE, MPU_CTRL, MPU_RNR, MPU_RBAR, MPU_RASR = range(0xD90, 0xDA4, 4)
# 48 interrupts, so two words (nRF52833 and nRF52840 Product Specifications, "Core components").
WORDS, INTERRUPTS = 2, 48
REGIONS = 8


class SystemControl:
    name = "SCS"
    base = BASE

    def __init__(self, chip):
        self.chip, self.core = chip, chip.core
        self.reset()

    def reset(self):
        self.enabled = self.pending = 0
        # VTOR; SysTick's control register.
        self.table = self.tick = 0
        self.priorities = [0] * INTERRUPTS
        # The interrupts that are being handled, in the order of preemption.
        self.active = []
        self.fault_status = self.memory_address = self.bus_address = 0
        self.protection, self.region = 0, 0
        self.regions = [[0, 0] for _ in range(REGIONS)]

    # Interrupts.

    @property
    def enabled(self):
        return self.core.enabled

    @enabled.setter
    def enabled(self, bits):
        self.core.enabled = bits

    @property
    def pending(self):
        return self.core.pending

    @pending.setter
    def pending(self, bits):
        self.core.pending = bits

    def pend(self, number):
        """An interrupt line is up."""
        self.core.pending |= 1 << number
        self.interrupt()

    def interrupt(self):
        """Has the processor stop for a handler, which it does by itself while it looks up PRIMASK before each block."""
        if not self.core.is_masked and self.next_handler is not None:
            self.chip.processor.stop()

    @property
    def wakes(self):
        """Whether something ends a sleep: an enabled interrupt, also if PRIMASK masks it (B1.5.19)."""
        return self.core.pending & self.core.enabled

    @property
    def next_handler(self):
        """The interrupt that is handled next, if PRIMASK permits: that of the highest priority, which must be higher than the one in progress (B1.5.4)."""
        wakes = self.wakes
        if not wakes:
            return None
        if wakes & wakes - 1:
            waiting = [number for number in range(INTERRUPTS) if wakes >> number & 1]
            first = min(waiting, key=lambda number: (self.priorities[number], number))
        else:
            first = wakes.bit_length() - 1
        if self.active and self.priorities[first] >= min(self.priorities[number] for number in self.active):
            return None
        return first

    def entered(self, number):
        self.pending &= ~(1 << number)
        self.active.append(number)

    def left(self):
        """The last handler has returned. An interrupt whose line is still active becomes pending again."""
        if self.active:
            self.pending |= self.lines() & 1 << self.active.pop()

    def lines(self):
        """The interrupts whose lines are up."""
        return sum({1 << peripheral.interrupt for peripheral in self.chip.peripherals if peripheral.interrupt is not None and peripheral.line})

    # Memory protection.

    def guards(self, address):
        """Whether a region without access holds the address."""
        if not self.protection & 1:
            return False
        found = False
        for base, attributes in self.regions:
            size = 2 << (attributes >> 1 & 31)
            if attributes & 1 and base & -size <= address < (base & -size) + size:
                found = attributes >> 24 & 7 == 0
        return found

    # Registers.

    def read(self, offset):
        for first, value in ((SET_ENABLE, self.enabled), (CLEAR_ENABLE, self.enabled), (SET_PENDING, self.pending), (CLEAR_PENDING, self.pending)):
            if first <= offset < first + 4 * WORDS:
                return value >> 8 * (offset - first) & 0xFFFFFFFF
        if PRIORITY <= offset < PRIORITY + INTERRUPTS:
            return int.from_bytes(bytes(self.priorities[offset - PRIORITY:offset - PRIORITY + 4]), "little")
        known = {CPUID: 0x410FC241, AIRCR: 0xFA050000, SHCSR: 0, CFSR: self.fault_status, HFSR: 1 << 30 if self.fault_status else 0, MMFAR: self.memory_address,
                 BFAR: self.bus_address, MPU_TYPE: REGIONS << 8, MPU_CTRL: self.protection, MPU_RNR: self.region, MPU_RBAR: self.regions[self.region][0],
                 MPU_RASR: self.regions[self.region][1]}
        if offset not in known:
            raise Misuse(f"{self.name}: a read of {offset:#05x}, where no register is known")
        return known[offset]

    def write(self, offset, value):
        for first in (SET_ENABLE, CLEAR_ENABLE, SET_PENDING, CLEAR_PENDING):
            if first <= offset < first + 4 * WORDS:
                mask = value << 8 * (offset - first)
                if mask >> INTERRUPTS:
                    raise Misuse(f"{self.name}: interrupts {mask:#x}, of which there are {INTERRUPTS}")
                return self.change(first, mask)
        if PRIORITY <= offset < PRIORITY + INTERRUPTS:
            # Three bits of each byte exist on the nRF52, two on the nRF51.
            implemented = 0xC0 if self.chip.kind.is_nrf51 else 0xE0
            self.priorities[offset - PRIORITY:offset - PRIORITY + 4] = [byte & implemented for byte in value.to_bytes(4, "little")]
        elif offset == VTOR and not self.chip.kind.is_nrf51:
            # 64 vectors: a multiple of 64 words (B3.2.5).
            if value & 0xFF:
                raise Misuse(f"{self.name}: {value:#x} for VTOR")
            self.table = value
        elif offset == SYST_CSR and value == 0:
            self.tick = 0
        elif offset == ICSR and not value & ~(1 << 27 | 1 << 25):
            # PENDSVCLR and PENDSTCLR: neither becomes pending in the model.
            pass
        elif offset == AIRCR:
            if value >> 16 != 0x05FA or value & 0xFFFF != 4:
                raise Misuse(f"{self.name}: {value:#x} for AIRCR")
            self.chip.request_reset()
        elif offset == CFSR:
            self.fault_status &= ~value
        elif offset == MPU_CTRL:
            # Without the usual map for the rest (PRIVDEFENA), nothing else could be reached.
            if value not in (0, 5):
                raise Misuse(f"{self.name}: {value:#x} for MPU_CTRL")
            self.protection = value
        elif offset == MPU_RNR:
            if value >= REGIONS:
                raise Misuse(f"{self.name}: region {value}")
            self.region = value
        elif offset == MPU_RBAR:
            if value & 0x10:
                self.region = value & 7
            self.regions[self.region][0] = value & ~31
        elif offset == MPU_RASR:
            self.regions[self.region][1] = value
            size = 2 << (value >> 1 & 31)
            if value & 1 and (size < 32 or self.regions[self.region][0] % size):
                raise Misuse(f"{self.name}: a region of {size} bytes at {self.regions[self.region][0]:#x}")
        else:
            raise Misuse(f"{self.name}: a write of {value:#x} to {offset:#05x}, where no register is known")

    def change(self, kind, mask):
        if kind == SET_ENABLE:
            self.enabled |= mask
        elif kind == CLEAR_ENABLE:
            self.enabled &= ~mask
        elif kind == SET_PENDING:
            self.pending |= mask
        else:
            # An interrupt whose line is still active becomes pending again at once (B3.4.1).
            self.pending = self.pending & ~mask | self.lines()
        self.interrupt()
