"""TWIM0, and motion sensors on it (nRF52833 and nRF52840 Product Specifications, "TWIM"; data sheets of LIS2DE12, LSM303AGR and LSM6DS3TR-C, "Register description")."""

import dataclasses

from .clocks import MICROSECOND
from .peripheral import Peripheral


@dataclasses.dataclass(frozen=True)
class SensorFacts:
    """A sensor: its pins of port 0, its address, and registers. `writable` has for each register the bits that may be set and the value at power on. `enabled` has the bits
    of registers with which motion is detected, `source` the register and the bit that show it, which reading clears. `increment` is the bit of a register's number, if any,
    without which a transfer stays at the register. `power` is the pin of port 1 with its supply, if it is switched."""
    clock: int
    data: int
    address: int = 0
    identity: int = 0
    writable: dict = dataclasses.field(default_factory=dict)
    enabled: dict = dataclasses.field(default_factory=dict)
    source: tuple = (0, 0)
    increment: int = 0
    read_only: tuple = ()
    power: int | None = None


def lis2de12(clock, data, control4=0xB7):
    writable = {0x20: (0xFF, 7), 0x21: (0xFF, 0), 0x22: (0xF6, 0), 0x23: (control4, 0), 0x24: (0xCF, 0), 0x25: (0xFA, 0), 0x30: (0xFF, 0), 0x32: (0x7F, 0), 0x33: (0x7F, 0)}
    # A rate of 10 Hz in low-power mode, all axes; the high-pass filter; the latch; events on each axis.
    enabled = {0x20: 0x2F, 0x21: 0x01, 0x24: 0x08, 0x30: 0x2A}
    return SensorFacts(clock, data, 0x19, 0x33, writable, enabled, (0x31, 0x40), 0x80, (0x0F, 0x26, 0x31))


def lsm6ds3trc(clock, data, power):
    writable = {0x10: (0xFF, 0), 0x11: (0xFE, 0), 0x12: (0xFF, 4), 0x15: (0xFB, 0), 0x58: (0xFF, 0), 0x5B: (0xBF, 0), 0x5C: (0xFF, 0), 0x5E: (0xFF, 0)}
    return SensorFacts(clock, data, 0x6A, 0x6A, writable, {0x10: 0x10, 0x58: 0x81, 0x5E: 0x20}, (0x1B, 0x08), 0, (0x0F, 0x1B), power)


class Sensor:
    """A sensor. It is there if it has an address."""
    BOOT = 5000 * MICROSECOND

    def __init__(self, chip, facts):
        self.chip, self.facts = chip, facts
        self.responds = True
        # What the sensor returns for every byte, as one that is damaged; None if it works.
        self.nonsense = None
        self.power_on()

    def power_on(self):
        self.registers = {number: value for number, (_, value) in self.facts.writable.items()}
        self.is_latched = False
        self.ready_at = self.chip.cycles + self.BOOT

    def power_changed(self, is_high):
        if is_high:
            self.power_on()

    def move(self):
        """The board is moved."""
        if all(self.registers[number] & bits == bits for number, bits in self.facts.enabled.items()):
            self.is_latched = True

    def acknowledges(self, address):
        facts = self.facts
        if not facts.address or address != facts.address or not self.responds:
            return False
        if facts.power is not None and not (self.chip.ports[1].is_output(facts.power) and self.chip.ports[1].is_high(facts.power)):
            return False
        return self.chip.cycles >= self.ready_at

    def numbers(self, first, count):
        """The registers of a transfer."""
        step = 1 if first & self.facts.increment or not self.facts.increment else 0
        return [(first & ~self.facts.increment) + step * place for place in range(count)]

    def write(self, misuse, first, data):
        for number, value in zip(self.numbers(first, len(data)), data):
            if number not in self.facts.writable:
                misuse(f"register {number:#04x} of the sensor is written")
            mask, initial = self.facts.writable[number]
            if (value ^ initial) & ~mask & 0xFF:
                misuse(f"reserved bits of register {number:#04x} of the sensor are changed")
            self.registers[number] = value

    def read(self, misuse, first, count):
        if self.nonsense is not None:
            return bytes([self.nonsense] * count)
        return bytes(self.value(misuse, number) for number in self.numbers(first, count))

    def value(self, misuse, number):
        if number in self.registers:
            return self.registers[number]
        if number not in self.facts.read_only:
            misuse(f"register {number:#04x} of the sensor is read")
        source, bit = self.facts.source
        if number == source:
            was, self.is_latched = self.is_latched, False
            return bit if was else 0
        return self.facts.identity if number == 0x0F else 0


class TWIM(Peripheral):
    """The master, at 100 kHz."""
    name, base, interrupt = "TWIM0", 0x40003000, 3
    BEGIN, STOP, STOPPED, ERROR, LASTRX, LASTTX = 0x008, 0x014, 0x104, 0x124, 0x15C, 0x160
    ENABLE, SCL, SDA, FREQUENCY, RXPTR, RXCOUNT, RXAMOUNT, TXPTR, TXCOUNT, TXAMOUNT, ADDRESS, ERRORSRC = (
        0x500, 0x508, 0x50C, 0x524, 0x534, 0x538, 0x53C, 0x544, 0x548, 0x54C, 0x588, 0x4C4)
    tasks = {BEGIN: "STARTTX", STOP: "STOP"}
    events = {STOPPED: "STOPPED", ERROR: "ERROR", 0x148: "SUSPENDED", 0x14C: "RXSTARTED", 0x150: "TXSTARTED", LASTRX: "LASTRX", LASTTX: "LASTTX"}
    configuration = {ENABLE: 0, SCL: 0xFFFFFFFF, SDA: 0xFFFFFFFF, FREQUENCY: 0x04000000, RXPTR: 0, RXCOUNT: 0, RXAMOUNT: 0, TXPTR: 0, TXCOUNT: 0, TXAMOUNT: 0, ADDRESS: 0,
                     ERRORSRC: 0}
    # LASTTX to STARTRX, LASTTX to STOP, LASTRX to STOP. A transfer is modelled as a whole, so that they have no effect of their own here.
    shortcuts = {7: (LASTTX, 0x000), 9: (LASTTX, STOP), 12: (LASTRX, STOP)}
    # Nine bits.
    BYTE = 90 * MICROSECOND

    def __init__(self, chip, sensor):
        self.sensor = sensor
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.is_busy = False
        # The resistors of the chip or of the board.
        facts = self.sensor.facts
        self.chip.ports[0].levels |= 1 << facts.clock | 1 << facts.data

    def configure(self, offset, value):
        if offset == self.ERRORSRC:
            value = self.registers[offset] & ~value
        elif offset != self.ENABLE and self.is_busy:
            self.misuse(f"{offset:#05x} is written during a transfer")
        elif offset in (self.SCL, self.SDA, self.FREQUENCY) and self.registers[self.ENABLE]:
            self.misuse(f"{offset:#05x} is written while it is on")
        super().configure(offset, value)

    def trigger(self, task):
        registers, facts, port = self.registers, self.sensor.facts, self.chip.ports[0]
        if task == self.STOP:
            self.generation += 1
            self.is_busy = False
            return self.chip.after(self.BYTE // 9, self, lambda: self.raise_event(self.STOPPED))
        if registers[self.ENABLE] != 6 or registers[self.FREQUENCY] != 0x01980000 or self.is_busy:
            self.misuse("STARTTX while it is off, not at 100 kHz, or during a transfer")
        if (registers[self.SCL], registers[self.SDA]) != (facts.clock, facts.data):
            self.misuse("STARTTX with other pins than those of the sensor")
        # Inputs with drive S0D1 and a resistor to the supply.
        if any(port.modes[pin] != 0x60C for pin in (facts.clock, facts.data)):
            self.misuse("STARTTX with pins that are not configured")
        self.is_busy = True
        sent = self.chip.load_ram(registers[self.TXPTR], registers[self.TXCOUNT], self.name)
        if not self.sensor.acknowledges(registers[self.ADDRESS]):
            return self.chip.after(self.BYTE, self, self.refused)
        receiving = registers[self.RXCOUNT] if self.shorts >> 7 & 1 else 0
        if not self.shorts >> (12 if receiving else 9) & 1:
            self.misuse("no stop condition after the transfer")
        self.chip.after((1 + len(sent) + (receiving and receiving + 1)) * self.BYTE, self, lambda: self.ended(sent, receiving))

    def refused(self):
        self.registers[self.ERRORSRC] |= 2
        self.raise_event(self.ERROR)

    def ended(self, sent, receiving):
        self.sensor.write(self.misuse, sent[0], sent[1:])
        self.registers[self.TXAMOUNT] = len(sent)
        if receiving:
            self.chip.store_ram(self.registers[self.RXPTR], self.sensor.read(self.misuse, sent[0], receiving), self.name)
            self.registers[self.RXAMOUNT] = receiving
        self.is_busy = False
        self.raise_event(self.STOPPED)
