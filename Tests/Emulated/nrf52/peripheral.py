"""Common code of the peripherals: tasks, events, interrupts, shortcuts (nRF52833 and nRF52840 Product Specifications, "Peripheral interface")."""

from .core import Events

TASKS, EVENTS, CONFIGURATION = range(0x000, 0x100, 4), range(0x100, 0x200, 4), range(0x500, 0x1000, 4)
SHORTS, INTEN, INTENSET, INTENCLR = 0x200, 0x300, 0x304, 0x308


def bit(event):
    """That of an event in INTEN: its index."""
    return 1 << (event - 0x100 >> 2)


class Misuse(AssertionError):
    """An access that the product specification does not define, or forbids."""


class Peripheral:
    """A block of registers. `tasks` and `events` map offsets to names, `configuration` maps the offsets of plain registers to their reset values. An access to any
    other offset is a misuse."""
    name = ""
    base = 0
    interrupt = None
    tasks = {}
    events = {}
    configuration = {}
    shortcuts = {}
    # Not all peripherals have the register INTEN.
    has_inten = False
    # Whether `read` and `write` do nothing with the registers of events than what this class does: then core.c does.
    has_plain_events = True
    # Scheduled actions are dropped when this changes.
    generation = 0

    def __init__(self, chip):
        self.chip = chip
        # The bits of all events in INTEN.
        self.interrupts = sum(map(bit, self.events))
        self.event_bits = Events(known=self.interrupts if self.has_plain_events else 0)
        self.reset()

    def reset(self):
        self.generation += 1
        self.event_bits.happened = 0
        self.enabled = 0
        self.shorts = 0
        self.registers = dict(self.configuration)

    def misuse(self, what):
        raise Misuse(f"{self.name}: {what}")

    # Events.

    def raise_event(self, offset):
        assert offset in self.events, hex(offset)
        self.event_bits.happened |= bit(offset)
        self.signal()
        if self.shorts:
            for number, (event, task) in self.shortcuts.items():
                if event == offset and self.shorts >> number & 1:
                    self.trigger(task)
        self.chip.ppi.event(self.base + offset)

    @property
    def line(self):
        """Whether the interrupt line is up."""
        return self.enabled & self.event_bits.happened != 0

    def has_happened(self, event):
        """Whether an event has occurred since it was last cleared."""
        return self.event_bits.happened & bit(event) != 0

    def signal(self):
        if self.interrupt is not None and self.line:
            self.chip.system.pend(self.interrupt)

    def trigger(self, task):
        """A task, by the image, a shortcut or PPI."""
        raise NotImplementedError

    # Registers.

    def is_interrupt_register(self, offset):
        return bool(self.events) and (offset in (INTENSET, INTENCLR) or offset == INTEN and self.has_inten)

    def read(self, offset):
        if offset in self.registers:
            return self.registers[offset]
        if offset in self.events:
            return int(self.has_happened(offset))
        if self.is_interrupt_register(offset):
            return self.enabled
        if offset == SHORTS and self.shortcuts:
            return self.shorts
        self.misuse(f"a read of {offset:#05x}, where no register is known")

    def write(self, offset, value):
        if offset in self.registers:
            self.configure(offset, value)
        elif offset in self.tasks:
            if value == 1:
                self.trigger(offset)
            elif value:
                self.misuse(f"{value:#x} for task {self.tasks[offset]}")
        elif offset in self.events:
            if value:
                self.misuse(f"event {self.events[offset]} was set by the image")
            self.event_bits.happened &= ~bit(offset)
        elif self.is_interrupt_register(offset):
            if value & ~self.interrupts:
                self.misuse(f"interrupts {value & ~self.interrupts:#x}, which there are not")
            self.enabled = value if offset == INTEN else self.enabled | value if offset == INTENSET else self.enabled & ~value
            self.signal()
        elif offset == SHORTS and self.shortcuts:
            if value & ~sum(1 << bit for bit in self.shortcuts):
                self.misuse(f"shortcuts {value:#x}")
            self.shorts = value
        else:
            self.misuse(f"a write of {value:#x} to {offset:#05x}, where no register is known")

    def configure(self, offset, value):
        """A write to one of `configuration`."""
        self.registers[offset] = value
