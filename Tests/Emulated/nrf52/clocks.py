"""CLOCK and POWER, which share their addresses and interrupt (nRF52833 and nRF52840 Product Specifications, "CLOCK", "POWER")."""

from .peripheral import Peripheral

MHZ = 64
MICROSECOND, MILLISECOND, SECOND = MHZ, 1000 * MHZ, 1000000 * MHZ
HFCLKSTART, HFCLKSTOP, LFCLKSTART, LFCLKSTOP = 0x000, 0x004, 0x008, 0x00C
HFCLKSTARTED, LFCLKSTARTED = 0x100, 0x104
POFWARN = 0x108
USBDETECTED, USBREMOVED, USBPWRRDY = 0x11C, 0x120, 0x124
RESETREAS, HFCLKRUN, HFCLKSTAT, LFCLKRUN, LFCLKSTAT, LFCLKSRCCOPY, USBREGSTATUS = 0x400, 0x408, 0x40C, 0x414, 0x418, 0x41C, 0x438
POFCON, LFCLKSRC, GPREGRET, APPROTECT_FORCEPROTECT, APPROTECT_DISABLE, DCDCEN, MAINREGSTATUS = 0x510, 0x518, 0x51C, 0x550, 0x558, 0x578, 0x640
RUNNING = 1 << 16
OSCILLATOR, CRYSTAL, SYNTHESIZED = 0, 1, 2
# From LFCLKSTOP to the stop.
LOW_STOPS = 61 * MICROSECOND
# Start-up times of the electrical specifications.
LFRC_STARTS, LFXO_STARTS = 600 * MICROSECOND, 250 * MILLISECOND
# From VBUS to a regulator that has settled (t_USBPWRRDY).
REGULATOR_SETTLES = 1 * MILLISECOND
# A tick of 32,768 Hz is 15,625 eighths of a cycle of 64 MHz.
TICK_NUMERATOR, TICK_DENOMINATOR = 15625, 8


class Clocks(Peripheral):
    name, base, interrupt = "CLOCK and POWER", 0x40000000, 0
    tasks = {HFCLKSTART: "HFCLKSTART", HFCLKSTOP: "HFCLKSTOP", LFCLKSTART: "LFCLKSTART", LFCLKSTOP: "LFCLKSTOP", 0x078: "CONSTLAT", 0x07C: "LOWPWR"}
    events = {HFCLKSTARTED: "HFCLKSTARTED", LFCLKSTARTED: "LFCLKSTARTED", POFWARN: "POFWARN", 0x10C: "DONE", 0x110: "CTTO", 0x114: "SLEEPENTER", 0x118: "SLEEPEXIT",
              USBDETECTED: "USBDETECTED", USBREMOVED: "USBREMOVED", USBPWRRDY: "USBPWRRDY", 0x128: "CTSTARTED", 0x12C: "CTSTOPPED"}

    # Changed only by a loss of power.
    reasons = 0
    # Changed by a loss of power and a pin reset, too.
    retained = 0
    converter = 0
    has_bus_voltage = is_regulated = False
    # VDD in millivolts.
    supply = 3000
    # Whether the board supplies VDDH and not VDD.
    is_high_voltage = False

    def reset(self):
        super().reset()
        self.is_on_crystal = self.is_crystal_wanted = False
        # Cycles for which the crystal has run, up to its last stop.
        self.crystal_generation = self.crystal_time = self.crystal_began = 0
        self.source = self.running_source = OSCILLATOR
        self.low_started = self.low_stops = None
        self.is_low_stable = False
        self.debug_port = self.comparator = 0
        self.is_port_forced = False
        if self.has_bus_voltage and not self.is_regulated:
            self.chip.after(REGULATOR_SETTLES, self, self.regulated)

    def power_on(self):
        self.reasons = self.converter = self.retained = 0

    @property
    def is_low_running(self):
        """Whether the low-frequency clock runs, after LFCLKSTART."""
        return self.low_started is not None and self.chip.cycles >= self.low_started

    @property
    def ticks(self):
        """Ticks of the low-frequency clock since LFCLKSTART."""
        if not self.is_low_running:
            return 0
        return (self.chip.cycles - self.low_started) * TICK_DENOMINATOR // TICK_NUMERATOR

    def time_of(self, tick):
        """The time of a tick; None without a clock."""
        if self.low_started is None:
            return None
        return self.low_started - (-tick * TICK_NUMERATOR // TICK_DENOMINATOR)

    def trigger(self, task):
        if task == HFCLKSTART:
            if not self.is_crystal_wanted:
                self.is_crystal_wanted = True
                self.crystal_generation += 1
                self.chip.after(self.chip.kind.crystal_starts * MICROSECOND, self, lambda number=self.crystal_generation: self.crystal_runs(number))
        elif task == HFCLKSTOP:
            if self.is_on_crystal:
                self.crystal_time += self.chip.cycles - self.crystal_began
            self.is_crystal_wanted = self.is_on_crystal = False
        elif task == LFCLKSTART:
            if self.low_started is None:
                self.running_source = self.source
                # The RC oscillator is used until the crystal is stable, and may run already.
                self.low_started = self.chip.cycles + (0 if self.chip.watchdog.is_running else LFRC_STARTS)
                starts = LFXO_STARTS if self.source == CRYSTAL else LFRC_STARTS
                self.chip.after(starts, self, self.low_is_stable)
                for rtc in self.chip.rtcs:
                    rtc.schedule()
        elif task == LFCLKSTOP:
            if any(rtc.is_running for rtc in self.chip.rtcs):
                self.misuse("LFCLKSTOP, which would stop the image's clock")
            self.low_started, self.is_low_stable = None, False
            self.low_stops = self.chip.cycles + LOW_STOPS

    def crystal_runs(self, number):
        if self.is_crystal_wanted and number == self.crystal_generation:
            self.is_on_crystal = True
            self.crystal_began = self.chip.cycles
            self.raise_event(HFCLKSTARTED)

    def low_is_stable(self):
        if self.low_started is None:
            return
        self.is_low_stable = True
        self.raise_event(LFCLKSTARTED)

    @property
    def is_low_stopping(self):
        return self.low_stops is not None and self.chip.cycles < self.low_stops

    def low_status(self):
        if self.is_low_stopping:
            return RUNNING | self.running_source
        if self.is_low_running:
            return RUNNING | (self.running_source if self.is_low_stable else OSCILLATOR)
        # The watchdog has the oscillator run, over a reset that is not its own too ("WDT"); an RTC counts after LFCLKSTART nevertheless.
        return RUNNING | OSCILLATOR if self.chip.watchdog.is_running else 0

    def plug(self, is_plugged):
        """VBUS is connected or removed."""
        self.has_bus_voltage = is_plugged
        self.is_regulated = False
        if is_plugged:
            self.raise_event(USBDETECTED)
            self.chip.after(REGULATOR_SETTLES, self, self.regulated)
        else:
            self.raise_event(USBREMOVED)

    def regulated(self):
        if self.has_bus_voltage:
            self.is_regulated = True
            self.raise_event(USBPWRRDY)

    @property
    def threshold(self):
        """That of the power-fail comparator in millivolts; 0 while it is disabled."""
        if not self.comparator & 1:
            return 0
        number = self.comparator >> 1 & 15
        return 2100 + 200 * number if self.chip.kind.is_nrf51 else 1700 + 100 * (number - 4)

    def supply_changes(self, millivolts):
        """VDD rises or falls. The comparator warns when it falls below the threshold."""
        if millivolts < self.threshold <= self.supply:
            self.raise_event(POFWARN)
        self.supply = millivolts

    def read(self, offset):
        if offset == POFCON:
            return self.comparator
        if offset == RESETREAS:
            return self.reasons
        if offset == HFCLKRUN:
            return int(self.is_crystal_wanted)
        if offset == HFCLKSTAT:
            return RUNNING | int(self.is_on_crystal)
        if offset == LFCLKRUN:
            return int(self.low_started is not None)
        if offset == LFCLKSTAT:
            return self.low_status()
        if offset == LFCLKSRCCOPY:
            return self.running_source
        if offset == USBREGSTATUS:
            return int(self.has_bus_voltage) | int(self.is_regulated) << 1
        if offset == LFCLKSRC:
            return self.source
        if offset == GPREGRET:
            return self.retained
        if offset == DCDCEN:
            return self.converter
        if offset == MAINREGSTATUS:
            return int(self.is_high_voltage)
        return super().read(offset)

    def write(self, offset, value):
        if offset == RESETREAS:
            self.reasons &= ~value
        elif offset == LFCLKSRC:
            if self.low_started is not None or self.is_low_stopping:
                self.misuse("LFCLKSRC was written while the clock runs")
            if value not in (0, 1, 2):
                self.misuse(f"{value:#x} for LFCLKSRC")
            self.source = value
        elif offset == APPROTECT_DISABLE and self.chip.is_hardened:
            self.debug_port = value
        elif offset == APPROTECT_FORCEPROTECT and self.chip.is_hardened:
            if self.is_port_forced or value:
                self.misuse(f"{value:#x} for APPROTECT.FORCEPROTECT, which is 0 and is written once")
            self.is_port_forced = True
        elif offset == GPREGRET:
            self.retained = value & 0xFF
        elif offset == POFCON:
            # An enabled comparator that is already below its threshold does not warn: which of the two the chips do is not documented.
            first, last = (0, 3) if self.chip.kind.is_nrf51 else (4, 15)
            if value & 1 and not first <= value >> 1 & 15 <= last or value >> 5:
                self.misuse(f"{value:#x} for POFCON")
            self.comparator = value
        elif offset == DCDCEN:
            self.converter = value & 1
        else:
            super().write(offset, value)
