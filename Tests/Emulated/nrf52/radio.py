"""RADIO in Bluetooth LE mode at 1 Mbit/s with logical address 0 (nRF51 Series Reference Manual, "RADIO"; nRF52833 and nRF52840 Product Specifications, "RADIO"). Every
other configuration is a misuse."""

import math

from .clocks import MICROSECOND
from .peripheral import Peripheral, SHORTS

POLYNOMIAL, CRC_BYTES, SKIPS_ADDRESS = 0x00065B, 3, 1 << 8
# States.
OFF, RX_RAMP, RX_IDLE, RX_ON, RX_DISABLE, TX_RAMP, TX_IDLE, TX_ON, TX_DISABLE = 0, 1, 2, 3, 4, 9, 10, 11, 12


def channel_of(megahertz):
    """The channel index of a frequency in MHz over 2400; None if there is no channel."""
    channels = {2: 37, 26: 38, 80: 39} | {4 + 2 * number: number for number in range(11)} | {6 + 2 * number: number for number in range(11, 37)}
    return channels.get(megahertz)


class Silence:
    """The air of a chip that is alone: its PDUs are only noted in `sent`, and it receives none."""
    receives = False

    def __init__(self):
        self.sent = []

    def transmit(self, start, megahertz, address, pdu, crc_init):
        self.sent.append(pdu)
        # Preamble, access address and CRC take 64 µs.
        return start + 64 + 8 * len(pdu)


class Radio(Peripheral):
    """`air` transmits and receives the packets (air.py)."""
    name, base, interrupt = "RADIO", 0x40001000, 1
    TXEN, RXEN, BEGIN, HALT, DISABLE = 0x000, 0x004, 0x008, 0x00C, 0x010
    READY, ADDRESS, PAYLOAD, END, DISABLED, RSSIEND, CRCOK, CRCERROR = 0x100, 0x104, 0x108, 0x10C, 0x110, 0x11C, 0x130, 0x134
    tasks = {0x000: "TXEN", 0x004: "RXEN", 0x008: "START", 0x00C: "STOP", 0x010: "DISABLE", 0x014: "RSSISTART", 0x018: "RSSISTOP"}
    events = {0x100: "READY", 0x104: "ADDRESS", 0x108: "PAYLOAD", 0x10C: "END", 0x110: "DISABLED", 0x11C: "RSSIEND", 0x130: "CRCOK", 0x134: "CRCERROR"}
    shortcuts = {0: (READY, BEGIN), 1: (END, DISABLE), 2: (DISABLED, TXEN), 3: (DISABLED, RXEN), 4: (ADDRESS, 0x014), 5: (END, BEGIN), 8: (DISABLED, 0x018)}
    CRCSTATUS, RXMATCH, PACKETPTR, FREQUENCY, TXPOWER, MODE, PCNF0, PCNF1, BASE0, PREFIX0 = 0x400, 0x408, 0x504, 0x508, 0x50C, 0x510, 0x514, 0x518, 0x51C, 0x524
    TXADDRESS, RXADDRESSES, CRCCNF, CRCPOLY, CRCINIT, TIFS, RSSISAMPLE, STATE, DATAWHITEIV, MODECNF0, OVERRIDE, POWER = (
        0x52C, 0x530, 0x534, 0x538, 0x53C, 0x544, 0x548, 0x550, 0x554, 0x650, 0x724, 0xFFC)
    # Which of the registers may change while the radio is in use.
    VARIABLE = {PACKETPTR, TIFS}

    def __init__(self, chip):
        self.air = Silence()
        kept = [self.PACKETPTR, self.TXPOWER, self.MODE, self.PCNF0, self.PCNF1, self.BASE0, 0x520, self.PREFIX0, 0x528, self.TXADDRESS, self.RXADDRESSES, self.CRCCNF,
                self.CRCPOLY, self.CRCINIT, self.TIFS]
        own = dict.fromkeys(range(self.OVERRIDE, self.OVERRIDE + 20, 4), 0) if chip.kind.is_nrf51 else {self.MODECNF0: 0x200}
        self.configuration = dict.fromkeys(kept, 0) | {self.FREQUENCY: 2, self.DATAWHITEIV: 0x40, self.POWER: 1} | own
        self.delays = chip.kind.radio
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.state = OFF
        self.crc_ok = self.rssi = 0
        # The start of a reception that `air` has not taken over yet, and whether and when the receiver was disabled after it, in µs.
        self.listens_from, self.was_disabled, self.disabled_at = None, True, 0

    # Time.

    def after(self, microseconds, action):
        self.chip.after(round(microseconds * MICROSECOND), self, action)

    def at(self, microsecond, action):
        self.chip.at(max(round(microsecond * MICROSECOND), self.chip.cycles), self, action)

    @property
    def now(self):
        """In µs."""
        return self.chip.cycles / MICROSECOND

    # Tasks.

    def trigger(self, task):
        if task in (self.TXEN, self.RXEN):
            self.ramp_up(task)
        elif task == self.BEGIN:
            self.begin()
        elif task == self.DISABLE:
            self.disable()
        elif task == self.HALT:
            self.misuse("STOP, which the model does not implement")

    def ramp_up(self, task):
        if self.state != OFF:
            self.misuse(f"{self.tasks[task]} in state {self.state}")
        if not self.chip.clocks.is_on_crystal:
            self.misuse(f"{self.tasks[task]} without the crystal oscillator")
        is_fast = self.registers.get(self.MODECNF0, 0) & 1
        transmits = task == self.TXEN
        self.state = TX_RAMP if transmits else RX_RAMP
        self.after((self.delays.transmit_ramp if transmits else self.delays.receive_ramp)[is_fast], self.ready)

    def ready(self):
        self.state = TX_IDLE if self.state == TX_RAMP else RX_IDLE
        self.raise_event(self.READY)

    def begin(self):
        if self.state == TX_IDLE:
            self.state = TX_ON
            self.transmit()
        elif self.state == RX_IDLE:
            self.state = RX_ON
            self.check()
            if self.air.receives:
                self.listens_from, self.was_disabled = math.ceil(self.now), False
                self.chip.pause()
                # A sleeping processor notices the pause at the next event only.
                self.chip.after(1, self, lambda: None)
        else:
            self.misuse(f"START in state {self.state}")

    def disable(self):
        if self.state == TX_ON:
            self.misuse("DISABLE during a transmission")
        if self.state in (OFF, RX_DISABLE, TX_DISABLE):
            return
        # Scheduled events are dropped.
        self.generation += 1
        self.listens_from, self.was_disabled, self.disabled_at = None, True, math.ceil(self.now)
        transmits = self.state in (TX_RAMP, TX_IDLE)
        self.state = TX_DISABLE if transmits else RX_DISABLE
        self.after(self.delays.transmit_disable if transmits else 0, self.disabled)

    def disabled(self):
        self.state = OFF
        self.raise_event(self.DISABLED)

    # Configuration.

    def configure(self, offset, value):
        if offset not in self.VARIABLE and self.state in (RX_ON, TX_ON):
            self.misuse(f"{offset:#x} was written in state {self.state}")
        super().configure(offset, value)

    def check(self):
        """Checks what the medium does not model: packet format, CRC, whitening."""
        given = self.registers
        expected = {self.MODE: 3, self.PCNF0: 0x00000108, self.CRCCNF: CRC_BYTES | SKIPS_ADDRESS, self.CRCPOLY: POLYNOMIAL}
        expected[self.TXADDRESS if self.state == TX_ON else self.RXADDRESSES] = 0 if self.state == TX_ON else 1
        for offset, value in expected.items():
            if given[offset] != value:
                self.misuse(f"{given[offset]:#x} at {offset:#x}, not {value:#x}")
        if given[self.PCNF1] & 0xFFFFFF00 != 0x02030000 or not 27 <= given[self.PCNF1] & 0xFF <= 37:
            self.misuse(f"PCNF1 {given[self.PCNF1]:#x}")
        channel = channel_of(given[self.FREQUENCY])
        if given[self.DATAWHITEIV] & 0x3F != channel:
            self.misuse(f"whitening for channel {given[self.DATAWHITEIV] & 0x3F} on channel {channel}")
        self.chip.ram_range(given[self.PACKETPTR], 2 + (given[self.PCNF1] & 0xFF), self.name)

    @property
    def frequency(self):
        """In MHz over 2400."""
        return self.registers[self.FREQUENCY]

    @property
    def access_address(self):
        return (self.registers[self.PREFIX0] & 0xFF) << 24 | self.registers[self.BASE0] >> 8

    @property
    def longest(self):
        return self.registers[self.PCNF1] & 0xFF

    # Packets.

    def transmit(self):
        self.check()
        pointer = self.registers[self.PACKETPTR]
        length = self.chip.load_ram(pointer, 2, self.name)[1]
        if length > self.longest:
            self.misuse(f"a length of {length}")
        start = round(self.now + self.delays.transmit_chain)
        end = self.air.transmit(start, self.frequency, self.access_address, self.chip.load_ram(pointer, 2 + length, self.name), self.registers[self.CRCINIT])
        self.at(start + 40, lambda: self.raise_event(self.ADDRESS))
        self.at(end - 24, lambda: self.raise_event(self.PAYLOAD))
        self.at(end, self.transmitted)

    def transmitted(self):
        self.state = TX_IDLE
        self.raise_event(self.END)

    def found(self, stamp, rssi):
        """The last bit of an access address has arrived."""
        def occur():
            self.rssi = rssi
            self.raise_event(self.ADDRESS)
            self.raise_event(self.RSSIEND)

        self.at(stamp + 1 + self.delays.receive_chain, occur)

    def received(self, end, pdu, is_correct):
        """The last bit of a packet has arrived. A damaged one is empty."""
        def occur():
            self.crc_ok = int(is_correct and len(pdu) <= 2 + self.longest)
            self.chip.store_ram(self.registers[self.PACKETPTR], (pdu or bytes(2))[:2 + self.longest], self.name)
            self.state = RX_IDLE
            self.raise_event(self.PAYLOAD)
            self.raise_event(self.END)
            self.raise_event(self.CRCOK if self.crc_ok else self.CRCERROR)

        self.at(end + self.delays.receive_chain, occur)

    def read(self, offset):
        known = {self.CRCSTATUS: self.crc_ok, self.RXMATCH: 0, self.RSSISAMPLE: self.rssi & 0x7F, self.STATE: self.state}
        return known[offset] if offset in known else super().read(offset)

    def write(self, offset, value):
        if offset == SHORTS and value & 0b1100 == 0b1100:
            self.misuse("shortcuts from DISABLED to TXEN and to RXEN")
        super().write(offset, value)
