"""Flash and UICR behind Nordic's NVMC, with the rules of its chapters in the nRF51 reference manual and the nRF52833 and nRF52840 product specifications."""

import collections
import random

READY, READYNEXT, CONFIG, ERASEPAGE, ERASEPCR0, ERASEALL, ERASEUICR, ERASEPAGEPARTIAL, ERASEPAGEPARTIALCFG = (
    0x400, 0x408, 0x504, 0x508, 0x510, 0x50C, 0x514, 0x518, 0x51C)
READ_ONLY, WRITE, ERASE = 0, 1, 2
UICR = 0x10001000
# The permitted number of writes of a word between two erasures.
WRITES = 2
# The number of requests with the response "busy" after a word, a page, everything.
BUSY_WORD, BUSY_PAGE, BUSY_ALL = 1, 3, 6

Violation = collections.namedtuple("Violation", "what address")


class Nonvolatile:
    """`memory` has `load(address, size)` and `store(address, bytes)`. Unless it `takes_time` it is never busy. Operations on flash and UICR that violate the rules
    are listed in `violations` and not executed; `writes` and `erased` count the executed ones: words, and pages by their addresses.

    A chip with partial erasure has an `erasure_time` in ms: a page is erased when the parts since its last write have reached it. Until then its content is undefined:
    `chance` determines it."""

    def __init__(self, memory, page_size, page_count, uicr_size, takes_time, erasure_time=None):
        self.memory = memory
        self.takes_time = takes_time
        self.page_size, self.flash_size, self.uicr_size = page_size, page_size * page_count, uicr_size
        self.config = READ_ONLY
        self.busy = 0
        self.violations = []
        self.writes = 0
        self.erased = collections.Counter()
        self.since_erasure = collections.Counter()
        self.erasure_time, self.chance = erasure_time, random.Random(1)
        self.part_time, self.was_closed = 10, True
        self.parts = collections.Counter()

    def holds(self, address):
        return address < self.flash_size or UICR <= address < UICR + self.uicr_size

    def violate(self, what, address):
        self.violations.append(Violation(what, address))

    def reset(self):
        self.config = READ_ONLY
        self.busy = 0
        self.part_time, self.was_closed = 10, True

    def begin(self, questions):
        self.busy = questions if self.takes_time else 0

    def packet(self):
        """The next packet has arrived: this takes longer than the write of a word."""
        if self.busy == BUSY_WORD:
            self.busy = 0

    def program(self, address, size, value):
        """A write to an address of flash or UICR; whether it was permitted."""
        if self.config != WRITE:
            self.violate("a write without write enable", address)
            return False
        if size != 4 or address % 4:
            self.violate("a write of less than a word", address)
            return False
        # While it is busy the bus waits.
        self.busy = 0
        old = int.from_bytes(self.memory.load(address, 4), "little")
        if value & ~old:
            self.violate("a write that would set bits", address)
        self.parts.pop(address - address % self.page_size, None)
        self.since_erasure[address] += 1
        if self.since_erasure[address] > WRITES:
            self.violate("one write too many since the erasure", address)
            return False
        self.memory.store(address, (old & value).to_bytes(4, "little"))
        self.writes += 1
        self.begin(BUSY_WORD)
        return True

    def read(self, register):
        if register in (READY, READYNEXT):
            is_busy = self.busy > 0
            self.busy -= is_busy
            return 0 if is_busy else 1
        return self.config if register == CONFIG else 0

    def write(self, register, value):
        if register in (READY, READYNEXT):
            return
        if self.busy:
            self.violate("a register written while busy", register)
            # The bus waits, as for words.
            self.busy = 0
        if register == CONFIG:
            if value not in (READ_ONLY, WRITE, ERASE):
                self.violate("an unknown mode", value)
            self.config = value
            self.was_closed = self.was_closed or value == READ_ONLY
        elif register in (ERASEPAGE, ERASEPCR0):
            self.erase_page(value)
        elif register in (ERASEALL, ERASEUICR):
            if value == 1 and self.may_erase(register):
                self.erase_uicr()
                if register == ERASEALL:
                    self.erase_all()
        elif register in (ERASEPAGEPARTIAL, ERASEPAGEPARTIALCFG):
            if self.erasure_time is None:
                self.violate("a partial erasure, which this chip does not do", register)
            elif register == ERASEPAGEPARTIALCFG:
                if not 1 <= value <= 127:
                    self.violate("a duration that the register does not have", value)
                self.part_time = value
            else:
                self.erase_part(value)

    def may_erase(self, address):
        if self.config != ERASE:
            self.violate("an erasure without erase enable", address)
        return self.config == ERASE

    def erase_page(self, address):
        if not self.may_erase(address):
            return
        if address >= self.flash_size or address % self.page_size:
            self.violate("an erasure of what is no page", address)
            return
        self.clear(address, self.page_size)
        self.parts.pop(address, None)
        self.erased[address] += 1
        self.begin(BUSY_PAGE)

    def erase_part(self, address):
        if not self.may_erase(address):
            return
        if address >= self.flash_size or address % self.page_size:
            self.violate("an erasure of what is no page", address)
            return
        if not self.was_closed:
            self.violate("a partial erasure without read-only access after the last one", address)
        self.was_closed = False
        before = self.parts[address]
        self.parts[address] += self.part_time
        if self.parts[address] < self.erasure_time:
            self.memory.store(address, self.chance.randbytes(self.page_size))
        elif before < self.erasure_time:
            self.clear(address, self.page_size)
            self.erased[address] += 1
        self.begin(BUSY_PAGE)

    def erase_all(self):
        self.clear(0, self.flash_size)
        for address in range(0, self.flash_size, self.page_size):
            self.erased[address] += 1
        self.begin(BUSY_ALL)

    def erase_uicr(self):
        self.clear(UICR, self.uicr_size)
        self.erased[UICR] += 1
        self.begin(BUSY_PAGE)

    def clear(self, address, size):
        self.memory.store(address, b"\xFF" * size)
        for place in [place for place in self.since_erasure if address <= place < address + size]:
            del self.since_erasure[place]
