"""The target's end of Serial Wire Debug, after the Arm Debug Interface (ADIv5.2): line, debug port, and the acknowledgements of access ports."""

READ, AP = 0x02, 0x01
# Requests: bit 0 access port, bit 1 read, bits 2 and 3 the register's address.
DPIDR, CTRL_STAT, RESEND, RDBUFF = READ | 0x0, READ | 0x4, READ | 0x8, READ | 0xC
ABORT, SELECT = 0x0, 0x8
ACK_OK, ACK_WAIT, ACK_FAULT, ACK_NONE = 1, 2, 4, 7
STICKYERR, READOK, STICKYCMP, STICKYORUN, WDATAERR = 1 << 5, 1 << 6, 1 << 4, 1 << 1, 1 << 7
POWER_UP = 0x50000000
# The minimum number of bits of a line reset; the 16 bits that select SWD or JTAG.
LINE_RESET, TO_SWD, TO_JTAG = 50, 0xE79E, 0xE73C


class AccessFault(Exception):
    """An access port cannot execute the access."""


class Wire:
    """`target` has `ports`, access ports by number with `read(address)` and `write(address, value)`, which may raise `AccessFault`; `id`, its DPIDR; `packet()` for
    each packet of the host, and `slice()`, which let its processor run for a time; and `reset_pin(is_high)`. Injected faults: the response to each `wait_every`th
    access to an access port is WAIT `wait_times` times; accesses whose numbers are in `fault_at` fail."""

    def __init__(self, target, wait_every=0, wait_times=1, fault_at=()):
        self.target = target
        self.wait_every, self.wait_times, self.fault_at = wait_every, wait_times, set(fault_at)
        self.waits_left = None
        self.transfers = 0
        self.accesses = 0
        self.ones = 0
        # Since the last line reset: the bits that followed it, how many, and whether DPIDR was read.
        self.after, self.after_count = 0, None
        self.is_swd, self.is_identified = True, False
        self.power_down()

    def power_down(self):
        self.control = 0
        self.select = 0
        self.buffer = 0

    def packet(self):
        self.target.packet()

    def slice(self):
        self.target.slice()

    def reset_pin(self, is_high):
        self.target.reset_pin(is_high)

    def bits(self, value, count):
        """Clocks bits from the host, the lowest first."""
        for place in range(count):
            bit = value >> place & 1
            if bit:
                self.ones += 1
                if self.ones == LINE_RESET:
                    self.is_identified, self.after_count = False, None
            else:
                if self.ones >= LINE_RESET:
                    self.after, self.after_count = 0, 0
                self.ones = 0
            if self.after_count is not None and self.after_count < 16:
                self.after |= bit << self.after_count
                self.after_count += 1
                if self.after_count == 16 and self.after in (TO_SWD, TO_JTAG):
                    self.is_swd = self.after == TO_SWD

    def transfer(self, request, value=0):
        """(acknowledgement, value read)."""
        self.transfers += 1
        line_was_reset, self.ones = self.ones >= LINE_RESET or self.after_count is not None or self.is_identified, 0
        self.after_count = None
        if not self.is_swd or not line_was_reset:
            return ACK_NONE, 0
        if request == DPIDR:
            self.is_identified = True
            return ACK_OK, self.target.id
        if not self.is_identified:
            return ACK_NONE, 0
        if request == CTRL_STAT:
            return ACK_OK, self.control | (self.control & POWER_UP) << 1 if self.select & 15 == 0 else 0x40
        if request == ABORT:
            for bit, flag in ((2, STICKYERR), (1, STICKYCMP), (3, WDATAERR), (4, STICKYORUN)):
                if value >> bit & 1:
                    self.control &= ~flag
            return ACK_OK, 0
        if self.control & STICKYERR:
            return ACK_FAULT, 0
        if request & AP:
            return self.access(request, value)
        if request == CTRL_STAT & ~READ:
            if self.select & 15 == 0:
                self.control = self.control & (STICKYERR | STICKYCMP | STICKYORUN | WDATAERR | READOK) | value & 0x54000F01
        elif request == SELECT:
            self.select = value
        elif request in (RDBUFF, RESEND):
            return ACK_OK, self.buffer
        return ACK_OK, 0

    def is_waiting(self):
        """Whether the response to this access is WAIT, as for all attempts except the last."""
        if self.waits_left is None:
            self.accesses += 1
            self.waits_left = self.wait_times if self.wait_every and self.accesses % self.wait_every == 0 else 0
        if self.waits_left:
            self.waits_left -= 1
            return True
        self.waits_left = None
        return False

    def access(self, request, value):
        if self.is_waiting():
            return ACK_WAIT, 0
        before = self.buffer
        try:
            if self.control & POWER_UP != POWER_UP or self.accesses in self.fault_at:
                raise AccessFault
            port = self.target.ports.get(self.select >> 24)
            address = self.select & 0xF0 | request & 0x0C
            if request & READ:
                self.control &= ~READOK
                self.buffer = port.read(address) if port else 0
                self.control |= READOK
            elif port:
                port.write(address, value)
        except AccessFault:
            self.control |= STICKYERR
        return ACK_OK, before
