"""RTC, TIMER and the watchdog (nRF52833 and nRF52840 Product Specifications, "RTC", "TIMER", "WDT")."""

from .clocks import TICK_DENOMINATOR, TICK_NUMERATOR
from .peripheral import Peripheral

START, STOP, CLEAR = 0x000, 0x004, 0x008
OVERFLOW, COMPARE = 0x104, 0x140
TURN = 1 << 24


class RTC(Peripheral):
    """A real-time counter. The delay of its tasks of up to two ticks is not modelled."""
    tasks = {START: "START", STOP: "STOP", CLEAR: "CLEAR", 0x00C: "TRIGOVRFLW"}
    events = {0x100: "TICK", OVERFLOW: "OVRFLW", **{COMPARE + 4 * number: f"COMPARE{number}" for number in range(4)}}
    EVTEN, EVTENSET, EVTENCLR, COUNTER, PRESCALER, CC = 0x340, 0x344, 0x348, 0x504, 0x508, 0x540
    configuration = dict.fromkeys([PRESCALER, *range(CC, CC + 16, 4)], 0)

    def __init__(self, chip, number, base, interrupt):
        self.name, self.base, self.interrupt = f"RTC{number}", base, interrupt
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.is_running = False
        self.counted, self.since = 0, 0
        self.routed = 0
        # The counter when each compare value was written.
        self.written_at = {}

    @property
    def total(self):
        """The counter extended beyond 24 bits."""
        if not self.is_running:
            return self.counted
        return self.counted + (self.chip.clocks.ticks - self.since) // (self.registers[self.PRESCALER] + 1)

    def trigger(self, task):
        if task == START and not self.is_running:
            self.is_running, self.since = True, self.chip.clocks.ticks
        elif task == STOP and self.is_running:
            self.counted, self.is_running = self.total, False
        elif task == CLEAR:
            self.counted, self.since = 0, self.chip.clocks.ticks
            self.written_at = {}
        elif task == 0x00C:
            self.misuse("TRIGOVRFLW, which the model does not know")
        self.schedule()

    def schedule(self):
        """The next match of a compare value, or overflow."""
        self.generation += 1
        if not self.is_running or self.chip.clocks.low_started is None:
            return
        total, next_match, action = self.total, None, None
        for number, written in self.written_at.items():
            # With the counter at N, a value of N + 2 or more is sure to be met ("Compare feature").
            earliest = max(total + 1, written + 2)
            match = earliest + (self.registers[self.CC + 4 * number] - earliest) % TURN
            if next_match is None or match < next_match:
                next_match, action = match, lambda number=number: self.matched(number)
        turn = (total // TURN + 1) * TURN
        if next_match is None or turn < next_match:
            next_match, action = turn, self.turned
        tick = self.since + (next_match - self.counted) * (self.registers[self.PRESCALER] + 1)
        self.chip.at(self.chip.clocks.time_of(tick), self, action)

    def turned(self):
        if (self.enabled | self.routed) >> 1 & 1:
            self.raise_event(OVERFLOW)
        self.schedule()

    def last_tick(self):
        """The time of its last tick; None if TICK is not routed."""
        if not self.routed & 1 or not self.is_running:
            return None
        ticks = self.chip.clocks.ticks
        return self.chip.clocks.time_of(ticks - (ticks - self.since) % (self.registers[self.PRESCALER] + 1))

    def matched(self, number):
        # No event without its interrupt or its route ("Event control").
        if (self.enabled | self.routed) >> 16 + number & 1:
            self.raise_event(COMPARE + 4 * number)
        self.schedule()

    def read(self, offset):
        clocks = self.chip.clocks
        if offset >= 0x500 and not clocks.is_low_running:
            self.misuse(f"{offset:#x} was read before its clock ran (anomaly 20)")
        if offset == self.COUNTER:
            return self.total % TURN
        if offset in (self.EVTEN, self.EVTENSET, self.EVTENCLR):
            return self.routed
        return super().read(offset)

    def write(self, offset, value):
        if offset in (self.EVTEN, self.EVTENSET, self.EVTENCLR):
            self.routed = value if offset == self.EVTEN else self.routed | value if offset == self.EVTENSET else self.routed & ~value
        else:
            super().write(offset, value)

    def configure(self, offset, value):
        if offset == self.PRESCALER:
            if self.is_running:
                self.misuse("PRESCALER was written while it runs")
            self.registers[offset] = value & 0xFFF
            return
        if value >= TURN:
            self.misuse(f"a compare value of {value:#x}, which has 24 bits")
        self.registers[offset] = value
        self.written_at[(offset - self.CC) // 4] = self.total
        self.schedule()


class Timer(Peripheral):
    """A TIMER that counts events, or time. Captures at the ticks of an RTC are computed when their register is read."""
    COUNT, CLEAR, SHUTDOWN, CAPTURE, MODE, BITMODE, PRESCALER, CC = 0x008, 0x00C, 0x010, 0x040, 0x504, 0x508, 0x510, 0x540
    # The register of anomaly 73.
    CLOCK = 0xC0C

    def __init__(self, chip, number, base, interrupt, compares=6):
        self.name, self.base, self.interrupt, self.compares = f"TIMER{number}", base, interrupt, compares
        places = range(compares)
        self.values = range(self.CC, self.CC + 4 * compares, 4)
        self.tasks = {START: "START", STOP: "STOP", self.COUNT: "COUNT", self.CLEAR: "CLEAR", self.SHUTDOWN: "SHUTDOWN",
                      **{self.CAPTURE + 4 * place: f"CAPTURE{place}" for place in places}}
        self.events = {COMPARE + 4 * place: f"COMPARE{place}" for place in places}
        self.shortcuts = {place: (COMPARE + 4 * place, self.CLEAR) for place in places} | {8 + place: (COMPARE + 4 * place, STOP) for place in places}
        self.configuration = {self.MODE: 0, self.BITMODE: 0, self.PRESCALER: 4, **dict.fromkeys(range(self.CC, self.CC + 4 * compares, 4), 0)}
        if chip.has_anomaly(73):
            self.configuration[self.CLOCK] = 0
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.is_running, self.count, self.since = False, 0, 0

    @property
    def is_counter(self):
        return self.registers[self.MODE] != 0

    @property
    def tick(self):
        """Cycles for each count of time."""
        return 4 << self.registers[self.PRESCALER]

    @property
    def mask(self):
        return (1 << (16, 8, 24, 32)[self.registers[self.BITMODE]]) - 1

    def value(self, time=None):
        """The counter, now or at another time since it was started."""
        if self.is_counter or not self.is_running:
            return self.count
        return self.count + max((time or self.chip.cycles) - self.since, 0) // self.tick & self.mask

    def trigger(self, task):
        value = self.value()
        if task == START and not self.is_running:
            if self.chip.has_anomaly(73) and self.chip.processor.is_asleep and not self.registers[self.CLOCK]:
                self.misuse("START through PPI in a sleep (anomaly 73)")
            self.is_running, self.since = True, self.chip.cycles
        elif task in (STOP, self.SHUTDOWN):
            self.count, self.is_running = value, False
        elif task == self.CLEAR:
            self.count, self.since = 0, self.chip.cycles
        elif task == self.COUNT:
            if self.is_running and self.is_counter:
                self.count = self.count + 1 & self.mask
        elif task >= self.CAPTURE:
            self.registers[self.CC + task - self.CAPTURE] = value
        self.schedule()

    def read(self, offset):
        if self.CC <= offset < self.CC + 4 * self.compares:
            time = self.chip.ppi.last_tick(self.base + self.CAPTURE + offset - self.CC)
            if time is not None:
                self.registers[offset] = self.value(time)
        return super().read(offset)

    def configure(self, offset, value):
        if offset in (self.MODE, self.BITMODE, self.PRESCALER) and self.is_running:
            self.misuse(f"{offset:#x} was written while it runs")
        super().configure(offset, value)
        self.schedule()

    def schedule(self):
        """The next match of a compare value."""
        self.generation += 1
        if self.is_counter or not self.is_running:
            return
        tick, mask = self.tick, self.mask
        counts = (self.chip.cycles - self.since) // tick
        passed = self.count + counts + 1
        ahead, number = min((value - passed & mask, number) for number, value in enumerate(map(self.registers.__getitem__, self.values)))
        self.chip.at(self.since + (counts + ahead + 1) * tick, self, lambda: self.matched(number))

    def matched(self, number):
        self.raise_event(COMPARE + 4 * number)
        self.schedule()


class Watchdog(Peripheral):
    name, base, interrupt = "WDT", 0x40010000, 16
    RUNSTATUS, REQSTATUS, CRV, RREN, CONFIG, RR = 0x400, 0x404, 0x504, 0x508, 0x50C, 0x600
    RELOAD = 0x6E524635
    tasks = {START: "START"}
    events = {0x100: "TIMEOUT"}
    configuration = {CRV: 0xFFFFFFFF, RREN: 1, CONFIG: 1}

    def reset(self):
        super().reset()
        self.is_running = False
        self.requested = 0

    def trigger(self, task):
        if not self.registers[self.CONFIG] & 1:
            self.misuse("START of one that stands still in a sleep, which the model does not know")
        if not self.is_running:
            self.is_running = True
            self.reload()

    def reload(self):
        self.requested = self.registers[self.RREN]
        self.generation += 1
        ticks = self.registers[self.CRV] + 1
        self.chip.after(ticks * TICK_NUMERATOR // TICK_DENOMINATOR, self, self.bite)

    def bite(self):
        self.raise_event(0x100)
        # The reset follows TIMEOUT after two ticks, in which its interrupt could run; the image does not use it.
        self.chip.after(2 * TICK_NUMERATOR // TICK_DENOMINATOR, self, self.chip.watchdog_reset)

    def read(self, offset):
        if offset == self.RUNSTATUS:
            return int(self.is_running)
        if offset == self.REQSTATUS:
            return self.requested
        return super().read(offset)

    def write(self, offset, value):
        place = (offset - self.RR) // 4
        if 0 <= place < 8:
            if value != self.RELOAD:
                self.misuse(f"fed with {value:#x}")
            if not self.registers[self.RREN] >> place & 1:
                self.misuse(f"fed at place {place}, which does not count")
            self.requested &= ~(1 << place)
            if self.is_running and not self.requested:
                self.reload()
            return
        super().write(offset, value)

    def configure(self, offset, value):
        if self.is_running:
            self.misuse(f"{offset:#x} was written while it runs")
        if offset == self.CRV and value < 15:
            self.misuse(f"a time of {value} ticks, of which 15 are the least")
        super().configure(offset, value)
