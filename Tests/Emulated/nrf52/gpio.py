"""GPIO (nRF52833 and nRF52840 Product Specifications, "GPIO")."""

from .peripheral import Peripheral


class GPIO(Peripheral):
    """A port. `levels` are the external levels of its pins; a function in `watchers` is told each new level of an output."""
    OUT, OUTSET, OUTCLR, IN, DIR, DIRSET, DIRCLR, CNF = 0x504, 0x508, 0x50C, 0x510, 0x514, 0x518, 0x51C, 0x700

    def __init__(self, chip, number, base, pins):
        self.name, self.base, self.pins = f"P{number}", base, pins
        self.levels = 0
        self.watchers = {}
        # The pin that is connected to the reset pin.
        self.reset_line = None
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.out = 0
        # As after reset: input buffer off.
        self.modes = [2] * self.pins
        self.changes = []

    def is_output(self, pin):
        return bool(self.modes[pin] & 1)

    def is_input(self, pin):
        """Whether it is one that is read."""
        return not self.modes[pin] & 3

    def is_high(self, pin):
        """Of an output."""
        return bool(self.out >> pin & 1)

    def drive(self, out):
        changed, self.out = self.out ^ out, out
        for pin in range(self.pins):
            if changed >> pin & 1 and self.is_output(pin):
                self.changes.append((self.chip.cycles, pin, self.is_high(pin)))
                if pin in self.watchers:
                    self.watchers[pin](self.is_high(pin))
        self.check_reset_line()

    def check_reset_line(self):
        if self.reset_line is not None and self.is_output(self.reset_line) and not self.is_high(self.reset_line):
            self.chip.request_pin_reset()

    def read(self, offset):
        if self.CNF <= offset < self.CNF + 4 * self.pins:
            return self.modes[(offset - self.CNF) // 4]
        if offset in (self.OUT, self.OUTSET, self.OUTCLR):
            return self.out
        if offset in (self.DIR, self.DIRSET, self.DIRCLR):
            return sum(1 << pin for pin in range(self.pins) if self.is_output(pin))
        if offset == self.IN:
            return sum(1 << pin for pin in range(self.pins) if not self.modes[pin] & 2 and self.levels >> pin & 1)
        return super().read(offset)

    def write(self, offset, value):
        if offset in (self.OUT, self.OUTSET, self.OUTCLR):
            if value >> self.pins:
                self.misuse(f"pins {value:#x}, of which there are {self.pins}")
            self.drive(value if offset == self.OUT else self.out | value if offset == self.OUTSET else self.out & ~value)
        elif self.CNF <= offset < self.CNF + 4 * self.pins:
            # Bits of DIR, INPUT, PULL, DRIVE and SENSE.
            if value & ~0x3070F:
                self.misuse(f"{value:#x} for a pin's configuration")
            self.modes[(offset - self.CNF) // 4] = value
            self.check_reset_line()
        else:
            super().write(offset, value)
