"""GPIO and the port event of GPIOTE (nRF52833 and nRF52840 Product Specifications, "GPIO" and "GPIOTE")."""

from .peripheral import Peripheral


# Two bits each of a pin's configuration: PULL and SENSE.
PULL_UP, SENSE_HIGH, SENSE_LOW = 3, 2, 3


class GPIO(Peripheral):
    """A port. `levels` are the pins that are driven high from outside, `grounded` those that are connected to ground; the others have the level of their pull resistors, low
    without one. A function in `watchers` is told each new level of an output."""
    OUT, OUTSET, OUTCLR, IN, DIR, DIRSET, DIRCLR, CNF = 0x504, 0x508, 0x50C, 0x510, 0x514, 0x518, 0x51C, 0x700

    def __init__(self, chip, number, base, pins):
        self.number, self.name, self.base, self.pins = number, f"P{number}", base, pins
        self.levels = self.grounded = 0
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

    def ground(self, pin, is_grounded):
        """A button connects a pin to ground, or is released."""
        self.grounded = self.grounded | 1 << pin if is_grounded else self.grounded & ~(1 << pin)
        self.chip.port_event.follow()

    def level(self, pin):
        """That of an input."""
        if self.grounded >> pin & 1:
            return False
        return bool(self.levels >> pin & 1) or self.modes[pin] >> 2 & 3 == PULL_UP

    @property
    def is_detected(self):
        """Whether a connected input has the level that is sensed at it."""
        return any(not mode & 3 and mode >> 16 & 3 == (SENSE_HIGH if self.level(pin) else SENSE_LOW) for pin, mode in enumerate(self.modes) if mode >> 16)

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
        while changed:
            pin = (changed & -changed).bit_length() - 1
            changed &= changed - 1
            if self.is_output(pin):
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
            return sum(1 << pin for pin in range(self.pins) if not self.modes[pin] & 2 and self.level(pin))
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
            self.chip.port_event.follow()
        else:
            super().write(offset, value)


class PortEvent(Peripheral):
    """GPIOTE, of which only the port event is known: it occurs when DETECT, which all ports share, becomes set ("Pin sense mechanism")."""
    name, base, interrupt = "GPIOTE", 0x40006000, 6
    PORT = 0x17C
    events = {PORT: "PORT"}

    def reset(self):
        super().reset()
        self.is_set = False

    def follow(self):
        """A level or a configuration has changed."""
        was, self.is_set = self.is_set, any(port.is_detected for port in self.chip.ports)
        if self.is_set and not was:
            self.raise_event(self.PORT)
