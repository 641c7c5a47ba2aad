"""SAADC (nRF52833 and nRF52840 Product Specifications, "SAADC")."""

from .clocks import MICROSECOND
from .peripheral import Peripheral


class ADC(Peripheral):
    """The converter of the nRF51 (nRF51 Series Reference Manual, "ADC"), for VDD."""
    name, base, interrupt = "ADC", 0x40007000, 7
    START, STOP, END, BUSY, ENABLE, CONFIG, RESULT = 0x000, 0x004, 0x100, 0x400, 0x500, 0x504, 0x508
    tasks = {START: "START", STOP: "STOP"}
    events = {END: "END"}
    configuration = {ENABLE: 0, CONFIG: 0x18, RESULT: 0}
    # A conversion of 10 bits.
    TAKES = 68 * MICROSECOND
    # 10 bits, a third of VDD, the reference of 1.2 V.
    SUPPLY = 0x1A

    def trigger(self, task):
        if not self.registers[self.ENABLE]:
            self.misuse(f"{self.tasks[task]} while it is off")
        if task == self.START:
            if self.registers[self.CONFIG] != self.SUPPLY:
                self.misuse(f"a conversion with {self.registers[self.CONFIG]:#x}")
            self.chip.after(self.TAKES, self, self.converted)

    def converted(self):
        self.registers[self.RESULT] = min(self.chip.clocks.supply * 1024 // 3600, 1023)
        self.raise_event(self.END)


class SAADC(Peripheral):
    """The converter. `millivolts` has the voltages of its inputs, by PSELP."""
    name, base, interrupt = "SAADC", 0x40007000, 7
    has_inten = True
    START, SAMPLE, STOP = 0x000, 0x004, 0x008
    STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED = range(0x100, 0x118, 4)
    STATUS, ENABLE, PSELP, PSELN, CONFIG, RESOLUTION, OVERSAMPLE, PTR, MAXCNT, AMOUNT = 0x400, 0x500, 0x510, 0x514, 0x518, 0x5F0, 0x5F4, 0x62C, 0x630, 0x634
    tasks = {START: "START", SAMPLE: "SAMPLE", STOP: "STOP"}
    events = {STARTED: "STARTED", END: "END", DONE: "DONE", RESULTDONE: "RESULTDONE", CALIBRATEDONE: "CALIBRATEDONE", STOPPED: "STOPPED"}
    configuration = {ENABLE: 0, PSELP: 0, PSELN: 0, CONFIG: 0x20000, RESOLUTION: 1, OVERSAMPLE: 0, PTR: 0, MAXCNT: 0}
    GAINS = (1 / 6, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1, 2, 4)
    SAMPLING = (3, 5, 10, 15, 20, 40)
    CONVERSION = 2 * MICROSECOND

    def __init__(self, chip, millivolts):
        self.millivolts = millivolts
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.is_started = self.is_busy = False
        self.amount = 0

    def trigger(self, task):
        if not self.registers[self.ENABLE]:
            self.misuse(f"{self.tasks[task]} while it is off")
        if task == self.START:
            self.chip.ram_range(self.registers[self.PTR], 2 * self.registers[self.MAXCNT], self.name)
            self.amount = 0
            self.chip.after(MICROSECOND, self, self.started)
        elif task == self.SAMPLE:
            if not self.is_started:
                self.misuse("SAMPLE before STARTED")
            self.is_busy = True
            time = self.SAMPLING[self.registers[self.CONFIG] >> 16 & 7] * MICROSECOND + self.CONVERSION
            self.chip.after(time, self, self.sampled)
        else:
            self.is_started = False
            self.chip.after(MICROSECOND, self, lambda: self.raise_event(self.STOPPED))

    def started(self):
        self.is_started = True
        self.raise_event(self.STARTED)

    def sampled(self):
        self.is_busy = False
        config = self.registers[self.CONFIG]
        reference = 0.6 if not config >> 12 & 1 else self.millivolts[9] / 4000
        bits = 8 + 2 * self.registers[self.RESOLUTION]
        volts = self.millivolts.get(self.registers[self.PSELP], 0) / 1000
        result = min(int(volts * self.GAINS[config >> 8 & 7] / reference * (1 << bits)), (1 << bits) - 1)
        self.chip.store_ram(self.registers[self.PTR] + 2 * self.amount, result.to_bytes(2, "little"), self.name)
        self.amount += 1
        self.raise_event(self.DONE)
        self.raise_event(self.RESULTDONE)
        if self.amount == self.registers[self.MAXCNT]:
            self.is_started = False
            self.raise_event(self.END)

    def read(self, offset):
        if offset == self.STATUS:
            return int(self.is_busy)
        return self.amount if offset == self.AMOUNT else super().read(offset)

    def configure(self, offset, value):
        if self.is_busy or self.is_started and offset != self.ENABLE:
            self.misuse(f"{offset:#x} was written while it converts")
        super().configure(offset, value)
