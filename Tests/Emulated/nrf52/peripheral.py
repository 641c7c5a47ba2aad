"""Common code of the peripherals: tasks, events, interrupts, shortcuts (nRF52833 and nRF52840 Product Specifications, "Peripheral interface")."""

TASKS, EVENTS, CONFIGURATION = range(0x000, 0x100, 4), range(0x100, 0x200, 4), range(0x500, 0x1000, 4)
SHORTS, INTEN, INTENSET, INTENCLR = 0x200, 0x300, 0x304, 0x308


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
    # Scheduled actions are dropped when this changes.
    generation = 0

    def __init__(self, chip):
        self.chip = chip
        # The bits of all events in INTEN.
        self.interrupts = sum(1 << (event - 0x100) // 4 for event in self.events)
        self.reset()

    def reset(self):
        self.generation += 1
        self.happened = set()
        self.enabled = 0
        self.shorts = 0
        self.registers = dict(self.configuration)

    def misuse(self, what):
        raise Misuse(f"{self.name}: {what}")

    # Events.

    def raise_event(self, offset):
        assert offset in self.events, hex(offset)
        self.happened.add(offset)
        self.signal()
        for bit, (event, task) in self.shortcuts.items():
            if event == offset and self.shorts >> bit & 1:
                self.trigger(task)
        self.chip.ppi.event(self.base + offset)

    @property
    def line(self):
        """Whether the interrupt line is up. The bit of an event in INTEN is its index."""
        return self.enabled != 0 and any(self.enabled >> (event - 0x100) // 4 & 1 for event in self.happened)

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
        if offset in self.events:
            return int(offset in self.happened)
        if self.is_interrupt_register(offset):
            return self.enabled
        if offset == SHORTS and self.shortcuts:
            return self.shorts
        if offset in self.registers:
            return self.registers[offset]
        self.misuse(f"a read of {offset:#05x}, where no register is known")

    def write(self, offset, value):
        if offset in self.tasks:
            if value == 1:
                self.trigger(offset)
            elif value:
                self.misuse(f"{value:#x} for task {self.tasks[offset]}")
        elif offset in self.events:
            if value:
                self.misuse(f"event {self.events[offset]} was set by the image")
            self.happened.discard(offset)
        elif self.is_interrupt_register(offset):
            if value & ~self.interrupts:
                self.misuse(f"interrupts {value & ~self.interrupts:#x}, which there are not")
            self.enabled = value if offset == INTEN else self.enabled | value if offset == INTENSET else self.enabled & ~value
            self.signal()
        elif offset == SHORTS and self.shortcuts:
            if value & ~sum(1 << bit for bit in self.shortcuts):
                self.misuse(f"shortcuts {value:#x}")
            self.shorts = value
        elif offset in self.registers:
            self.configure(offset, value)
        else:
            self.misuse(f"a write of {value:#x} to {offset:#05x}, where no register is known")

    def configure(self, offset, value):
        """A write to one of `configuration`."""
        self.registers[offset] = value
