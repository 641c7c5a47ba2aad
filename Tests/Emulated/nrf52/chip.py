"""An nRF51822, nRF52833 or nRF52840 that runs an image: processor, memory, peripherals, and a time of its own.

Time is virtual: an instruction takes a cycle of 64 MHz, or five on the nRF51, an access to a peripheral four more, and a sleep lasts until the next thing that a peripheral
does. With the same input every run is the same.
"""

import ctypes
import functools
import hashlib
import re

import unicorn
from nonvolatile import UICR
from unicorn import arm_const as arm
from unicorn.unicorn_py3.unicorn import uclib

from .clocks import MHZ, Clocks
from .core import PERIPHERALS, Access, Reached, Region, function, library
from .factory import Factory, SleepTrim, USBTrim
from .flash import FlashController
from .gpio import GPIO, PortEvent
from .memory import RAM, Memory
from .nor import NOR, SPIM
from .peripheral import Misuse
from .ppi import PPI
from .processor import Processor
from .radio import Radio
from .rng import RNG
from .saadc import ADC, SAADC
from .schedule import Schedule
from .system_control import BASE as SYSTEM, SystemControl
from .timers import RTC, Timer, Watchdog
from .twim import Sensor, TWIM
from .uarte import UARTE, Line
from .usbd import USBD

# The regions with registers: FICR, the peripherals, GPIO and the system control space.
MAPPED = [(0x10000000, 0x1000), (0x40000000, 0x80000), (0x50000000, 0x1000), (SYSTEM, 0x1000)]
# Bits of RESETREAS.
PIN, WATCHDOG, REQUESTED, LOCKUP = 1, 2, 4, 8
CPSIE = b"\x62\xb6"
# UICR, and in it where PSELRESET is; the pin that the boards have their button on.
UICR_BYTES, PSELRESET, BUTTON = 0x1000, 0x200, bytes([18, 0, 0, 0])
# In UICR, the register that locks the debug port, and the value that leaves it open.
APPROTECT, OPEN = 0x208, 0x5A
SLICE = 1 << 20
# The limit of instructions without a sleep: the longest work of an image takes some hundred thousand.
LONGEST_AWAKE = 20_000_000
DEVICE = 0x0123456789ABCDEF


@functools.cache
def undefined(size):
    """The contents of RAM after power-on."""
    return hashlib.shake_128(b"RAM").digest(size)


class Chip(Schedule, Memory):
    """A chip with an image in its flash, switched on. `kind` is the chip (kinds.py), `line` what UARTE0 is connected to, `resets` counts the starts by
    their reasons. One that `is_new` has an empty UICR; on the others an image has run before. `is_hardened` is one of the revisions whose debug port is locked
    at each reset. The image is at `start`, behind the boot loader of `board` (boards.py) if it has one."""

    def __init__(self, image, kind, seed=1, device=DEVICE, is_new=False, is_hardened=True, start=0, board=None):
        self.kind = kind
        self.start = start
        self.boot_loader = board.boot_loader if board else None
        self.is_hardened = is_hardened
        flash = kind.memory.page_size * kind.memory.page_count
        self.cells = (ctypes.c_uint8 * flash).from_buffer_copy(image.rjust(start + len(image), b"\xFF").ljust(flash, b"\xFF"))
        self.uicr = (ctypes.c_uint8 * UICR_BYTES).from_buffer_copy(b"\xFF" * UICR_BYTES)
        if not is_new and (board is None or board.has_button):
            self.uicr[PSELRESET:PSELRESET + 8] = BUTTON * 2
        self.ram = (ctypes.c_uint8 * kind.memory.ram_size)()
        # Whether the instruction CPSIE occurs in it.
        self.unmasks = any(found.start() % 2 == 0 for found in re.finditer(CPSIE, image))
        self.failure = self.wanted_reset = None
        self.slept_at, self.longest_awake = 0, LONGEST_AWAKE
        # Until when the processor waits for the bus, and for how long it has waited or is to.
        self.halted_until = self.stalled = 0
        self.is_paused = False
        self.resets = []
        # Whether RAM is retained over a watchdog reset, which the manual does not guarantee.
        self.keeps_ram = True
        # Called when the boot loader is entered, which then has the chip until `leave_boot_loader`. Without it the image is started.
        self.on_boot_loader = None
        self.is_in_boot_loader = False
        self.processor = Processor(self.cells, kind.is_nrf51, kind.cycles)
        Schedule.__init__(self, self.processor.core)
        # Until when `run` runs.
        self.until = 0
        self.line = Line()
        self.peripherals = []
        # The serial NOR flash and the motion sensor, if the board has them.
        self.memory = self.sensor = None
        self.ppi = PPI(self)
        self.clocks = Clocks(self)
        self.watchdog = Watchdog(self)
        self.rtc = RTC(self, 0, 0x4000B000, 11)
        self.rtcs = [self.rtc, RTC(self, 1, 0x40011000, 17)]
        self.timer = Timer(self, 0, 0x40008000, 8, 4)
        self.radio = Radio(self)
        self.flash = FlashController(self, self.cells, self.uicr)
        self.random = RNG(self, seed)
        self.ports = [GPIO(self, number, 0x50000000 + 0x300 * number, pins) for number, pins in enumerate(kind.pins)]
        self.ports[0].reset_line = board.reset_line if board else None
        self.peripherals = [self.ppi, self.clocks, self.watchdog, *self.rtcs, self.timer, self.radio, self.flash, self.random]
        self.port_event = PortEvent(self)
        if not kind.is_nrf51:
            self.counter = Timer(self, 1, 0x40009000, 9, 4)
            self.converter = SAADC(self, dict(board.millivolts) if board else {9: 3000})
            self.clocks.supply = self.converter.millivolts[9]
            self.rtcs.append(RTC(self, 2, 0x40024000, 36))
            others = [self.rtcs[2], Timer(self, 2, 0x4000A000, 10, 4)]
            if board and board.memory:
                self.memory = NOR(self, board.memory)
                self.ports[0].watchers[board.memory.select] = self.memory.changed
                others.append(SPIM(self, self.memory))
            if board and board.sensor:
                self.sensor = Sensor(self, board.sensor)
                if board.sensor.power is not None:
                    self.ports[1].watchers[board.sensor.power] = self.sensor.power_changed
                others.append(TWIM(self, self.sensor))
            self.clocks.is_high_voltage = bool(board and board.is_high_voltage)
            self.uarte = UARTE(self, self.line)
            self.trim = USBTrim(self)
            self.sleep_trim = SleepTrim(self)
            self.usb = USBD(self)
            self.peripherals += [self.counter, self.converter, self.uarte, self.trim, self.sleep_trim, self.usb, self.port_event, *others]
        else:
            self.peripherals += [ADC(self), self.port_event]
        self.system = self.processor.system = SystemControl(self)
        factory = Factory(self, device, kind.locks_from - (not is_hardened))
        # By address / 256. The second port's registers are from 0x500 on; the first one's end at 0x780.
        self.blocks = {(block.base >> 8) + place: block for block in [*self.peripherals, self.system, factory] for place in range(16)} | {
            0x500000 + 8 * port.number + place: port for port in self.ports for place in range(8)}
        self.map()
        self.power_on()

    def map(self):
        engine = self.processor.engine
        for address, cells in ((0, self.cells), (UICR, self.uicr)):
            engine.mem_map_ptr(address, len(cells), unicorn.UC_PROT_ALL, cells)
            # Only this leaves a write to `programming`: memory mapped as read-only from the start is nevertheless written after the hook (Unicorn 2.1.4).
            engine.mem_protect(address, len(cells), unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        engine.mem_map_ptr(RAM, len(self.ram), unicorn.UC_PROT_ALL, self.ram)
        for block in self.peripherals:
            if block.base < PERIPHERALS + (len(self.core.events) << 12):
                self.core.events[(block.base - PERIPHERALS) >> 12] = ctypes.addressof(block.event_bits)
        self.core.reached, self.core.access = Reached(self.reached), Access(self.access)
        self.regions = [Region(ctypes.addressof(self.core), start) for start, _ in MAPPED]
        for region, (start, size) in zip(self.regions, MAPPED):
            # Unicorn's own functions for Python take several times as long.
            status = uclib.uc_mmio_map(
                engine._uch, start, size, function(library(), "core_read"), ctypes.byref(region), function(library(), "core_write"), ctypes.byref(region))
            assert status == unicorn.UC_ERR_OK, status
        engine.hook_add(unicorn.UC_HOOK_MEM_WRITE_PROT, self.programming)

    def supply(self, millivolts):
        """VDD rises or falls."""
        if not self.kind.is_nrf51:
            self.converter.millivolts[9] = millivolts
        self.clocks.supply_changes(millivolts)

    # Time.

    def stand_still(self, cycles):
        """The processor waits for the bus, from the end of its block of instructions on. The peripherals do not."""
        self.halted_until = max(self.halted_until, self.cycles) + cycles
        self.stalled += cycles
        self.processor.stop()

    def pause(self):
        """Makes `run` return soon, so that the caller can check the state."""
        self.is_paused = True
        self.processor.stop()

    @property
    def next_time(self):
        """The time of the next event if the processor sleeps or waits for the bus; else now."""
        if self.cycles < self.halted_until:
            return min([self.halted_until, *(place[0] for place in self.queue[:1])])
        if not (self.processor.is_asleep or self.is_in_boot_loader) or not self.queue:
            return self.cycles
        return max(self.queue[0][0], self.cycles)

    def run(self, until):
        """Runs until a time in cycles, or a pause."""
        self.is_paused, self.until, core = False, until, self.core
        while self.cycles < until and not self.is_paused:
            self.settle()
            if self.is_paused:
                break
            self.restart_if_wanted()
            next_time = min(until, core.due)
            if self.is_in_boot_loader:
                core.skipped += max(next_time - self.cycles, 0)
                continue
            if self.cycles < self.halted_until:
                core.skipped += max(min(next_time, self.halted_until) - self.cycles, 0)
                continue
            waiting, handler = self.system.wakes, self.system.next_handler
            if handler is not None and not self.processor.register(arm.UC_ARM_REG_PRIMASK):
                self.system.entered(handler)
                self.processor.enter(16 + handler)
                handler = None
            if self.processor.is_asleep:
                if waiting:
                    self.processor.is_asleep = False
                elif next_time > self.cycles:
                    if not self.kind.is_nrf51 and not self.sleep_trim.is_eased:
                        raise Misuse("it sleeps with 350 µA too much (anomaly 246)")
                    self.slept_at = self.processor.instructions
                    core.skipped += next_time - self.cycles
                continue
            # The emulator does not report that PRIMASK was cleared. While an interrupt is masked, it is therefore looked up before each block if the image can clear it.
            core.is_masked = handler is not None and self.unmasks
            self.processor.run(self.allowance)
            if self.failure:
                raise self.failure
            if self.processor.instructions - self.slept_at > self.longest_awake:
                raise Misuse(f"it has not slept for {self.longest_awake} instructions; PC {self.processor.pc:#010x}, at {self.seconds:.6f} s")
            if self.processor.is_locked_up:
                self.wanted_reset = LOCKUP

    @property
    def allowance(self):
        """For how many instructions the processor runs before something is due."""
        return min(max((min(self.until, self.core.due) - self.cycles) // self.kind.cycles, 1), SLICE)

    def reached(self):
        """The processor has executed these, and continues if nothing is in the way."""
        try:
            self.settle()
        except Exception as failure:
            return self.fail(failure)
        core = self.core
        if not core.limit or not core.is_masked and self.system.next_handler is not None:
            return
        instructions = core.instructions
        ahead = min(self.until, core.due) - instructions * core.cycles - core.skipped
        if ahead > 0 and instructions - self.slept_at <= self.longest_awake:
            core.limit = instructions + min(max(ahead // core.cycles, 1), SLICE)

    def fail(self, failure, what=""):
        """Exceptions must not be raised in Unicorn's callbacks."""
        failure.add_note(f"{what}PC {self.processor.pc:#010x}, at {self.seconds:.6f} s")
        self.failure = failure
        self.processor.abandon()

    def run_for(self, seconds):
        self.run(self.cycles + round(seconds * MHZ * 1000000))

    # Memory.

    def access(self, address, size, is_write, value, is_due):
        """The processor reads a register, or writes it; what core.c does not do."""
        try:
            if is_due:
                self.settle()
            block = self.blocks.get(address >> 8)
            if block is None or size != 4 or address % 4:
                raise Misuse(f"an access of {size} bytes to {address:#010x}, where no register is known")
            if not is_write:
                return block.read(address - block.base)
            block.write(address - block.base, value)
        except Exception as failure:
            self.fail(failure, f"{f'a write of {value:#x} to' if is_write else 'a read of'} {address:#010x}; ")
        return 0

    def trigger(self, address):
        """A task by its address, for PPI."""
        block = self.blocks.get(address >> 8)
        if block is None or address - block.base not in block.tasks:
            raise Misuse(f"PPI: a task at {address:#010x}, where there is none")
        block.trigger(address - block.base)

    def programming(self, engine, access, address, size, value, _):
        """A write of the processor to flash or UICR."""
        if not self.failure:
            try:
                self.settle()
                self.flash.program(address, size, value)
            except Exception as failure:
                self.fail(failure)
        return True

    def patch(self, address, data):
        """Replaces code, like a debugger."""
        self.cells[address:address + len(data)] = data
        self.processor.engine.ctl_flush_tb()

    def has_anomaly(self, number):
        """Whether the chip has this anomaly."""
        return number in self.kind.anomalies

    @property
    def is_debug_port_open(self):
        """Whether a debugger reaches memory ("Access port protection"): hardened chips ask UICR and the program."""
        word = int.from_bytes(bytes(self.uicr[APPROTECT:APPROTECT + 4]), "little")
        if not self.is_hardened:
            return word & 0xFF != 0
        return word & 0xFF == OPEN and self.clocks.debug_port == OPEN and not self.clocks.is_port_forced

    # Resets ("POWER", "Reset behavior").

    def power_on(self):
        """Power-on: the contents of RAM are undefined."""
        self.failure, self.core.is_abandoned = None, 0
        self.fill_ram()
        self.watchdog.reset()
        self.clocks.power_on()
        self.restart(0)

    def fill_ram(self):
        ctypes.memmove(self.ram, undefined(len(self.ram)), len(self.ram))

    def request_reset(self):
        self.wanted_reset = REQUESTED
        self.processor.stop()

    def watchdog_reset(self):
        self.wanted_reset = WATCHDOG
        self.processor.stop()

    def request_pin_reset(self):
        """By the image, which has a pin connected to the reset pin."""
        if self.has_button:
            self.wanted_reset = PIN
            self.processor.stop()

    def reset_pin(self):
        """The reset button, which has no effect unless the last reset found its pin in UICR."""
        if not self.has_button:
            return
        self.restart(PIN)

    def leave_boot_loader(self, data):
        """The boot loader has written these contents of the flash, and resets the chip."""
        self.cells[:] = data
        self.processor.engine.ctl_flush_tb()
        self.is_in_boot_loader = False
        self.restart(REQUESTED)

    def restart_if_wanted(self):
        if self.wanted_reset is not None:
            self.restart(self.wanted_reset)

    def restart(self, reason):
        """RAM, flash and part of POWER are retained. The watchdog continues after a reset by the program or by a lock-up."""
        self.wanted_reset = None
        self.halted_until = 0
        self.resets.append(reason)
        # "All PSELRESET registers have to contain the same value" ("Pin reset").
        self.has_button = bytes(self.uicr[PSELRESET:PSELRESET + 8]) == BUTTON * 2
        if reason == WATCHDOG and not self.keeps_ram:
            self.fill_ram()
        self.clocks.reasons |= reason
        if reason == PIN:
            # Anomaly 136: additional bits of the reset reason are set.
            self.clocks.reasons |= WATCHDOG | LOCKUP
        for block in [*self.peripherals, *self.ports, self.system]:
            if block is not self.watchdog or reason in (PIN, WATCHDOG):
                block.reset()
        retained, self.clocks.retained = self.clocks.retained, 0 if self.boot_loader or reason == PIN else self.clocks.retained
        if self.on_boot_loader and self.boot_loader.is_entered(reason, retained):
            self.is_in_boot_loader = True
            self.on_boot_loader()
        elif self.boot_loader:
            self.boot_loader.leave(self, self.start)
        self.processor.reset(self.start)
        self.slept_at = self.processor.instructions
