"""The chips behind the virtual probe: nRF51822, nRF52833 and nRF52840, with their memories, factory information, and ROM tables of debug components."""

import dataclasses
import struct

import unicorn
from unicorn import arm_const as arm

from access_ports import BusFault, ControlPort, MemoryPort
from core import Core
from nonvolatile import UICR, Nonvolatile

RAM, FICR, NVMC, SYSTEM = 0x20000000, 0x10000000, 0x4001E000, 0xE000E000
PERIPHERALS, GPIO, PRIVATE = 0x40000000, 0x50000000, 0xE0000000
APPROTECT = UICR + 0x208
# The register value that opens a chip that is locked by default.
HARDWARE_DISABLED = 0x5A
CPUID, MVFR0, MVFR1 = 0xE000ED00, 0xE000EF40, 0xE000EF44
DWT_CTRL = 0xE0001000
ROM_TABLE, NORDIC_TABLE = 0xE00FF000, 0xF0000000
# Bank and number in JEP106.
ARM, NORDIC = (4, 0x3B), (2, 0x44)
PAGE = 0x1000
# Bytes for translated instructions; Unicorn would take a gigabyte.
TRANSLATIONS = 16 << 20


@dataclasses.dataclass(frozen=True)
class Facts:
    """The differences between the chips. Sizes in bytes; `part` and `variant` as in FICR, `hardened` the first variant that is locked after each reset."""
    name: str
    page_size: int
    page_count: int
    ram_size: int
    is_big: bool
    debug_port: int
    memory_port: int
    part: int = 0
    variant: bytes = b""
    hardened: bytes = b""
    package: int = 0
    table_part: int = 1
    errata: int = 0


FACTS = {facts.name: facts for facts in [
    Facts("nrf51822", 1024, 256, 0x4000, False, 0x0BB11477, 0x04770021),
    Facts("nrf52833", 4096, 128, 0x20000, True, 0x2BA01477, 0x24770011, 0x52833, b"AAA0", b"AAB0", 0x2004, 0x00D, 0x0D),
    Facts("nrf52840", 4096, 256, 0x40000, True, 0x2BA01477, 0x24770011, 0x52840, b"AAD0", b"AAF0", 0x2004, 0x008, 0x08)]}


def identification(part, designer, component_class):
    """The registers from 0xFD0 to 0xFFC of a debug component."""
    bank, number = designer
    peripheral = [bank, 0, 0, 0, part & 255, (number & 15) << 4 | part >> 8, 8 | number >> 4, 0]
    return dict(zip(range(0xFD0, 0x1000, 4), [*peripheral, 0x0D, component_class << 4, 0x05, 0xB1]))


class Chip:
    """A chip as it comes from the factory: erased and open, or `is_locked`. `is_hardened` is one of the revisions that are locked after each reset unless UICR opens
    them. If it `takes_time`, it is busy after each write and erasure. `others` replace facts of the chip."""

    def __init__(self, name, is_hardened=False, is_locked=False, takes_time=True, device_id=0x0123456789ABCDEF, **others):
        self.facts = facts = dataclasses.replace(FACTS[name], **others)
        self.id = facts.debug_port
        self.is_hardened = is_hardened and bool(facts.hardened)
        self.engine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
        self.engine.ctl_set_tcg_buffer_size(TRANSLATIONS)
        self.engine.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M4 if facts.is_big else arm.UC_CPU_ARM_CORTEX_M0)
        uicr_size = PAGE if facts.is_big else 0x100
        self.nonvolatile = Nonvolatile(self, facts.page_size, facts.page_count, uicr_size, takes_time)
        self.violations = self.nonvolatile.violations
        self.core = Core(self.engine, facts.is_big, self.reset)
        readable = unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC
        self.regions = [(0, self.nonvolatile.flash_size, readable), (FICR, PAGE, readable), (UICR, PAGE, readable), (RAM, facts.ram_size, unicorn.UC_PROT_ALL),
                        (PERIPHERALS, NVMC - PERIPHERALS, unicorn.UC_PROT_ALL), (NVMC + PAGE, 0x21000, unicorn.UC_PROT_ALL), (GPIO, PAGE, unicorn.UC_PROT_ALL)]
        for address, size, rights in self.regions:
            self.engine.mem_map(address, size, rights)
        self.engine.mmio_map(NVMC, PAGE, self.read_controller, None, self.write_controller, None)
        self.engine.mmio_map(SYSTEM, PAGE, lambda _, offset, *rest: self.core.read(SYSTEM + offset), None,
                             lambda _, offset, size, value, data: self.core.write(SYSTEM + offset, value), None)
        self.engine.hook_add(unicorn.UC_HOOK_MEM_WRITE_PROT, self.program_writes)
        self.ports = {0: MemoryPort(self, facts.memory_port, (ROM_TABLE if facts.is_big else NORDIC_TABLE) | 3, 4096 if facts.is_big else 1024)}
        if facts.is_big:
            self.ports[1] = ControlPort(self)
        self.nonvolatile.clear(0, self.nonvolatile.flash_size)
        self.nonvolatile.clear(UICR, PAGE)
        self.write_factory(device_id)
        self.write_debug_components()
        if is_locked:
            # The nRF51's is RBPCONF.
            self.store(APPROTECT if facts.is_big else UICR + 4, bytes(4))
        self.is_locked = False
        self.reset()

    # Memory.

    def load(self, address, size):
        return bytes(self.engine.mem_read(address, size))

    def store(self, address, data):
        self.engine.mem_write(address, data)
        self.core.is_stale = True

    def flash(self, address=0, size=None):
        return self.load(address, self.nonvolatile.flash_size - address if size is None else size)

    def is_mapped(self, address, size):
        return any(start <= address and address + size <= start + length for start, length, _ in self.regions)

    def read(self, address, size):
        """A read over the memory access port."""
        if address >= PRIVATE:
            if size != 4 or not (PRIVATE <= address < PRIVATE + 0x100000 or address >= NORDIC_TABLE and (address - NORDIC_TABLE) < PAGE):
                raise BusFault
            return self.core.read(address)
        if NVMC <= address < NVMC + PAGE:
            return self.nonvolatile.read(address - NVMC)
        if not self.is_mapped(address, size):
            raise BusFault
        return int.from_bytes(self.load(address, size), "little")

    def write(self, address, size, value):
        """A write over the memory access port."""
        if address >= PRIVATE:
            if size != 4 or address >= ROM_TABLE:
                raise BusFault
            self.core.write(address, value)
        elif NVMC <= address < NVMC + PAGE:
            self.nonvolatile.write(address - NVMC, value)
        elif self.nonvolatile.holds(address):
            is_writing = self.nonvolatile.config == 1
            if not self.nonvolatile.program(address, size, value) and is_writing and size != 4:
                raise BusFault
        elif not self.is_mapped(address, size) or FICR <= address < FICR + PAGE:
            raise BusFault
        else:
            self.store(address, value.to_bytes(size, "little"))

    def read_controller(self, _, offset, size, data):
        return self.nonvolatile.read(offset)

    def write_controller(self, _, offset, size, value, data):
        self.nonvolatile.write(offset, value)

    def program_writes(self, engine, access, address, size, value, data):
        """The program's write to flash or UICR. Unicorn does not overwrite data written by other means."""
        return self.nonvolatile.program(address, size, value & (1 << 8 * size) - 1)

    # Debugging.

    def packet(self):
        self.nonvolatile.packet()
        self.core.slice()

    def slice(self):
        self.core.slice()

    def hold(self, is_held):
        self.core.is_held = is_held

    def reset_pin(self, is_high):
        if self.core.is_held and is_high:
            self.reset()
        self.core.is_held = not is_high

    def reset(self):
        self.nonvolatile.reset()
        word = int.from_bytes(self.load(APPROTECT, 4), "little")
        if not self.facts.is_big:
            self.is_locked = False
        elif self.is_hardened:
            self.is_locked = word & 255 != HARDWARE_DISABLED
        else:
            self.is_locked = word & 255 == 0
        self.core.reset()

    def erase_and_unlock(self):
        """The operation of the control access port's ERASEALL."""
        for address, size in ((0, self.nonvolatile.flash_size), (UICR, PAGE)):
            self.nonvolatile.clear(address, size)
        self.store(RAM, bytes(self.facts.ram_size))
        self.is_locked = False

    # The factory.

    def write_factory(self, device_id):
        facts = self.facts
        self.engine.mem_write(FICR, b"\xFF" * PAGE)
        words = {0x10: facts.page_size, 0x14: facts.page_count, 0x60: device_id & 0xFFFFFFFF, 0x64: device_id >> 32, 0xA0: 0xFFFFFFFF, 0xA4: 0x11223344, 0xA8: 0x5566}
        if facts.is_big:
            variant = int.from_bytes(facts.hardened if self.is_hardened else facts.variant, "big")
            words |= {0x100: facts.part, 0x104: variant, 0x108: facts.package, 0x10C: facts.ram_size // 1024, 0x110: facts.page_size * facts.page_count // 1024,
                      0x130: facts.errata, 0x134: 2}
        else:
            # PPFC, NUMRAMBLOCK, SIZERAMBLOCK, CONFIGID of an nRF51822-QFAA of the third revision.
            words |= {0x2C: 0xFF, 0x34: 2, 0x38: facts.ram_size // 2, 0x3C: facts.ram_size // 2, 0x5C: 0xFFFF0072}
        for offset, value in words.items():
            self.engine.mem_write(FICR + offset, struct.pack("<I", value))

    def write_debug_components(self):
        """ROM tables and the identification of the components in them; trace components are marked as absent."""
        others = self.core.others
        others |= {CPUID: 0x410FC241 if self.facts.is_big else 0x410CC200, DWT_CTRL: 0x40000000 if self.facts.is_big else 0x20000000}
        if self.facts.is_big:
            others |= {MVFR0: 0x10110021, MVFR1: 0x11000011}
            parts = {0xE000E000: 0x00C, 0xE0001000: 0x002, 0xE0002000: 0x003, 0xE0000000: 0x001}
            entries = [0xFFF0F003, 0xFFF02003, 0xFFF03003, 0xFFF01003, 0xFFF41002, 0xFFF42002]
            table = (self.facts.table_part, NORDIC)
        else:
            parts = {0xE000E000: 0x008, 0xE0001000: 0x00A, 0xE0002000: 0x00B}
            entries = [0xFFF0F003, 0xFFF02003, 0xFFF03003]
            table = (0x471, ARM)
            self.describe(NORDIC_TABLE, identification(self.facts.table_part, NORDIC, 1) | {0: ROM_TABLE - NORDIC_TABLE & 0xFFFFFFFF | 3, 0xFCC: 1})
        for address, part in parts.items():
            self.describe(address, identification(part, ARM, 0xE))
        self.describe(ROM_TABLE, identification(*table, 1) | dict(zip(range(0, 0xF00, 4), entries)) | {0xFCC: 1})

    def describe(self, address, registers):
        self.core.others |= {address + offset: value for offset, value in registers.items()}
