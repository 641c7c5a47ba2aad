"""SPIM2, and a serial NOR flash on it (nRF52833 and nRF52840 Product Specifications, "SPIM"; JEDEC JESD216; Macronix MX25R8035F data sheet, "Command description")."""

import dataclasses

from .clocks import MICROSECOND
from .peripheral import Misuse, Peripheral

READ, STATUS, WRITE_ENABLE, PROGRAM, ERASE, IDENTITY, RELEASE, POWER_DOWN = 0x03, 0x05, 0x06, 0x02, 0x20, 0x9F, 0xAB, 0xB9
PROGRAM_TAKES, ERASE_TAKES = 700 * MICROSECOND, 60000 * MICROSECOND


@dataclasses.dataclass(frozen=True)
class NORFacts:
    """A chip: its JEDEC identification, its pins as PSEL has them, and those that have to be high."""
    identity: bytes
    clock: int
    out: int
    input: int
    select: int
    held: tuple[int, ...] = ()
    # tDP or tDPDD, and tRES1 or tRDP: how long it must not be selected after the commands of deep power-down, in µs.
    enters: int = 30
    releases: int = 35

    @property
    def size(self):
        return 1 << self.identity[2]


class NOR:
    """The flash. It is selected by a pin of port 0."""

    def __init__(self, chip, facts):
        self.chip, self.facts = chip, facts
        self.cells = bytearray(b"\xFF" * facts.size)
        self.is_write_enabled = self.is_asleep = False
        self.busy_until = self.settled_at = 0
        # Cycles in which it was not in deep power-down, and since when it is not.
        self.awake, self.awake_since = 0, 0
        self.input = None

    def changed(self, is_high):
        """The level of CS has changed."""
        if is_high and self.input:
            self.execute()
        if not is_high and self.chip.cycles < self.settled_at:
            raise Misuse(f"the flash is selected {(self.settled_at - self.chip.cycles) / MICROSECOND} µs too early after a change of deep power-down")
        self.input = None if is_high else bytearray()

    @property
    def is_busy(self):
        return self.chip.cycles < self.busy_until

    @property
    def address(self):
        return int.from_bytes(self.input[1:4], "big") % self.facts.size

    def exchange(self, byte):
        """One byte in each direction."""
        self.input.append(byte)
        place, command = len(self.input) - 1, self.input[0]
        if self.is_asleep or place == 0:
            return 0xFF
        if command == STATUS:
            return self.is_busy | self.is_write_enabled << 1
        if self.is_busy:
            return 0xFF
        if command == IDENTITY and place <= 3:
            return self.facts.identity[place - 1]
        if command == READ and place >= 4:
            return self.cells[(self.address + place - 4) % self.facts.size]
        return 0xFF

    def execute(self):
        """CS goes high: the command is executed."""
        command = self.input[0]
        if command == RELEASE and self.is_asleep:
            self.is_asleep, self.awake_since = False, self.chip.cycles
            self.settled_at = self.chip.cycles + self.facts.releases * MICROSECOND
            return
        if self.is_busy or self.is_asleep:
            return
        if command == POWER_DOWN:
            self.is_asleep = True
            self.awake += self.chip.cycles - self.awake_since
            self.settled_at = self.chip.cycles + self.facts.enters * MICROSECOND
        elif command == WRITE_ENABLE:
            self.is_write_enabled = True
        elif command == PROGRAM and self.is_write_enabled and len(self.input) > 4:
            page = self.address & ~0xFF
            for number, byte in enumerate(self.input[4:]):
                self.cells[page | self.address + number & 0xFF] &= byte
            self.finish(PROGRAM_TAKES)
        elif command == ERASE and self.is_write_enabled and len(self.input) == 4:
            sector = self.address & ~0xFFF
            self.cells[sector:sector + 0x1000] = b"\xFF" * 0x1000
            self.finish(ERASE_TAKES)

    def finish(self, takes):
        self.is_write_enabled = False
        self.busy_until = self.chip.cycles + takes


class SPIM(Peripheral):
    """The master."""
    name, base, interrupt = "SPIM2", 0x40023000, 35
    START, STOP, STOPPED, END = 0x010, 0x014, 0x104, 0x118
    ENABLE, SCK, MOSI, MISO, FREQUENCY, RXPTR, RXCOUNT, TXPTR, TXCOUNT, CONFIG, ORC = 0x500, 0x508, 0x50C, 0x510, 0x524, 0x534, 0x538, 0x544, 0x548, 0x554, 0x5C0
    tasks = {START: "START", STOP: "STOP"}
    events = {STOPPED: "STOPPED", 0x110: "ENDRX", END: "END", 0x120: "ENDTX", 0x14C: "STARTED"}
    configuration = {ENABLE: 0, SCK: 0xFFFFFFFF, MOSI: 0xFFFFFFFF, MISO: 0xFFFFFFFF, FREQUENCY: 0x04000000, RXPTR: 0, RXCOUNT: 0, TXPTR: 0, TXCOUNT: 0, CONFIG: 0, ORC: 0}
    # At 8 MHz.
    BYTE = MICROSECOND

    def __init__(self, chip, memory):
        self.memory = memory
        super().__init__(chip)

    def trigger(self, task):
        registers, facts, ports = self.registers, self.memory.facts, self.chip.ports
        if task == self.STOP:
            return self.raise_event(self.STOPPED)
        if registers[self.ENABLE] != 7 or registers[self.FREQUENCY] != 0x80000000 or registers[self.CONFIG]:
            self.misuse("START while it is off, or not at 8 MHz in mode 0")
        if (registers[self.SCK], registers[self.MOSI], registers[self.MISO]) != (facts.clock, facts.out, facts.input):
            self.misuse("START with other pins than those of the flash")
        if self.memory.input is None:
            # Only time passes.
            if registers[self.TXCOUNT]:
                self.misuse("bytes are sent while the flash is not selected")
            return self.chip.after(registers[self.RXCOUNT] * self.BYTE, self, lambda: self.ended(b"\xFF" * registers[self.RXCOUNT]))
        if not (ports[facts.clock >> 5].is_output(facts.clock & 31) and ports[0].is_output(facts.out) and ports[0].is_input(facts.input)):
            self.misuse("START with pins that are not configured")
        if not all(ports[0].is_output(pin) and ports[0].is_high(pin) for pin in facts.held):
            self.misuse("WP or HOLD of the flash is not high")
        sent = self.chip.load_ram(registers[self.TXPTR], registers[self.TXCOUNT], self.name) if registers[self.TXCOUNT] else b""
        count = max(len(sent), registers[self.RXCOUNT])
        received = bytes(self.memory.exchange(byte) for byte in sent.ljust(count, bytes([registers[self.ORC] & 0xFF])))
        self.chip.after(count * self.BYTE, self, lambda: self.ended(received[:registers[self.RXCOUNT]]))

    def ended(self, received):
        if received:
            self.chip.store_ram(self.registers[self.RXPTR], received, self.name)
        for event in (0x110, 0x120, self.END):
            self.raise_event(event)
