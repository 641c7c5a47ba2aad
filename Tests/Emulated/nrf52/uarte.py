"""UARTE0 and the other end of its line (nRF52833 and nRF52840 Product Specifications, "UARTE")."""

import collections

from .clocks import MHZ
from .peripheral import Peripheral

STARTRX, STOPRX, STARTTX, STOPTX, FLUSHRX = 0x000, 0x004, 0x008, 0x00C, 0x02C
CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX, ERROR, RXTO, RXSTARTED, TXSTARTED, TXSTOPPED = 0x100, 0x104, 0x108, 0x110, 0x11C, 0x120, 0x124, 0x144, 0x14C, 0x150, 0x158
ERRORSRC, ENABLE, PSEL_RTS, PSEL_TXD, PSEL_CTS, PSEL_RXD, BAUDRATE = 0x480, 0x500, 0x508, 0x50C, 0x510, 0x514, 0x524
RX_PTR, RX_MAXCNT, RX_AMOUNT, TX_PTR, TX_MAXCNT, TX_AMOUNT, CONFIG = 0x534, 0x538, 0x53C, 0x544, 0x548, 0x54C, 0x56C
BAUD = {0x00275000: 9600, 0x00EB0000: 57600, 0x01D60000: 115200, 0x03B00000: 230400, 0x07400000: 460800, 0x0F000000: 921600, 0x10000000: 1000000}
NOT_CONNECTED = 1 << 31
FIFO = 6
# "RTS is deactivated when the receiver is only able to receive four more bytes."
FIFO_HOLDS_BACK = FIFO - 4
# The transfer of a byte from the FIFO to RAM, and the start of a task: six and four cycles of the 16 MHz bus. Not specified in the manual.
MOVE, STARTS = 24, 16


class Line:
    """What the UARTE is connected to. `send` are bytes to be transmitted to it; bytes that it sent are in `received`, and `on_packet` is called when its
    transmission pauses. `is_clear_to_send` is the state of the other side's RTS, the UARTE's CTS; `heeds` is whether the other side observes the UARTE's RTS."""

    def __init__(self):
        self.waiting = collections.deque()
        self.received = bytearray()
        self.is_clear_to_send = True
        self.heeds = True
        self.on_packet = lambda: None
        self.on_bytes = lambda: None

    def send(self, data):
        self.waiting.extend(data)
        self.on_bytes()

    def hold(self, is_held):
        self.is_clear_to_send = not is_held
        self.on_bytes()


class UARTE(Peripheral):
    name, base, interrupt = "UARTE0", 0x40002000, 2
    has_inten = True
    tasks = {STARTRX: "STARTRX", STOPRX: "STOPRX", STARTTX: "STARTTX", STOPTX: "STOPTX", FLUSHRX: "FLUSHRX"}
    events = {CTS: "CTS", NCTS: "NCTS", RXDRDY: "RXDRDY", ENDRX: "ENDRX", TXDRDY: "TXDRDY", ENDTX: "ENDTX", ERROR: "ERROR", RXTO: "RXTO", RXSTARTED: "RXSTARTED",
              TXSTARTED: "TXSTARTED", TXSTOPPED: "TXSTOPPED"}
    shortcuts = {5: (ENDRX, STARTRX), 6: (ENDRX, STOPRX)}
    configuration = {ENABLE: 0, PSEL_RTS: 0xFFFFFFFF, PSEL_TXD: 0xFFFFFFFF, PSEL_CTS: 0xFFFFFFFF, PSEL_RXD: 0xFFFFFFFF, BAUDRATE: 0x04000000, RX_PTR: 0, RX_MAXCNT: 0,
                     TX_PTR: 0, TX_MAXCNT: 0, CONFIG: 0}

    def __init__(self, chip, line):
        self.line_outside = line
        line.on_bytes = self.pump
        self.lost = 0
        # Not specified in the manual; tests can change these values.
        self.starting_takes, self.moving_takes = STARTS, MOVE
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.errors = 0
        self.fifo = collections.deque()
        # The buffer being filled, [next, end, start], and whether the receiver runs.
        self.receiving, self.is_receiver_on = None, False
        self.is_starting = self.is_moving = self.is_arriving = False
        self.received = self.transmitted = 0
        self.transmitting, self.is_leaving = None, False
        # Bytes received while RTS was inactive.
        self.late = 0

    @property
    def is_on(self):
        return self.registers[ENABLE] == 8

    @property
    def has_flow_control(self):
        return bool(self.registers[CONFIG] & 1)

    @property
    def byte_time(self):
        return 10 * MHZ * 1000000 // BAUD[self.registers[BAUDRATE]]

    @property
    def is_held_back(self):
        """RTS: whether the other side must wait."""
        return not self.is_on or not self.is_receiver_on or len(self.fifo) >= FIFO_HOLDS_BACK

    # Tasks.

    def trigger(self, task):
        if not self.is_on:
            self.misuse(f"{self.tasks[task]} while it is off")
        if task == STARTRX:
            if self.receiving:
                self.misuse("STARTRX while the buffer before is not full")
            start, count = self.registers[RX_PTR], self.registers[RX_MAXCNT]
            self.chip.ram_range(start, count, self.name)
            self.receiving = [start, start + count, start]
            self.is_receiver_on = self.is_starting = True
            self.chip.after(self.starting_takes, self, self.receiver_started)
            self.move()
            self.pump()
        elif task == STARTTX:
            if self.transmitting:
                self.misuse("STARTTX while it sends")
            start, count = self.registers[TX_PTR], self.registers[TX_MAXCNT]
            self.chip.ram_range(start, count, self.name)
            self.transmitting = [start, start + count, start]
            self.chip.after(self.starting_takes, self, lambda: self.raise_event(TXSTARTED))
            self.pump()
        elif task == STOPRX:
            self.is_receiver_on = False
            self.chip.after(4 * self.byte_time, self, self.receiver_stopped)
        else:
            self.misuse(f"{self.tasks[task]}, which the model does not know")

    def receiver_started(self):
        self.is_starting = False
        self.raise_event(RXSTARTED)

    def receiver_stopped(self):
        self.end_buffer()
        self.raise_event(RXTO)

    # The line.

    def pump(self):
        """Starts the next byte in each direction in which this is possible."""
        if not self.is_on:
            return
        line = self.line_outside
        if line.waiting and not self.is_arriving and self.is_receiver_on:
            is_held = self.has_flow_control and line.heeds and self.is_held_back
            # One more byte may have been in the other side's shift register.
            if not is_held or self.late < 1:
                self.late = self.late + 1 if is_held else 0
                self.is_arriving = True
                self.chip.after(self.byte_time, self, self.arrived)
        if self.transmitting and not self.is_leaving and (line.is_clear_to_send or not self.has_flow_control):
            self.is_leaving = True
            self.chip.after(self.byte_time, self, self.left)

    def arrived(self):
        self.is_arriving = False
        byte = self.line_outside.waiting.popleft()
        if len(self.fifo) == FIFO:
            self.lost += 1
            self.errors |= 1
            self.raise_event(ERROR)
        else:
            self.fifo.append(byte)
            # "RXDRDY is likely to come before the byte is in RAM."
            self.raise_event(RXDRDY)
            self.move()
        self.pump()

    def move(self):
        if self.receiving and self.fifo and not self.is_moving:
            self.is_moving = True
            self.chip.after(self.moving_takes, self, self.moved)

    def moved(self):
        self.is_moving = False
        if self.receiving:
            self.chip.store_ram(self.receiving[0], bytes([self.fifo.popleft()]), self.name)
            self.receiving[0] += 1
            if self.receiving[0] == self.receiving[1]:
                self.end_buffer()
        self.move()
        self.pump()

    def end_buffer(self):
        if self.receiving:
            self.received = self.receiving[0] - self.receiving[2]
            self.receiving = None
            self.raise_event(ENDRX)

    def left(self):
        self.is_leaving = False
        place, end, start = self.transmitting
        self.line_outside.received += self.chip.load_ram(place, 1, self.name)
        self.transmitting[0] += 1
        self.raise_event(TXDRDY)
        if place + 1 == end:
            self.transmitted, self.transmitting = end - start, None
            self.raise_event(ENDTX)
            self.line_outside.on_packet()
        self.pump()

    # Registers.

    def read(self, offset):
        if offset == ERRORSRC:
            return self.errors
        if offset == RX_AMOUNT:
            return self.received
        if offset == TX_AMOUNT:
            return self.transmitted
        return super().read(offset)

    def write(self, offset, value):
        if offset == ERRORSRC:
            self.errors &= ~value
        else:
            super().write(offset, value)

    def configure(self, offset, value):
        if offset == ENABLE:
            if value not in (0, 8):
                self.misuse(f"{value:#x} for ENABLE")
            if value:
                self.check_pins()
        elif offset in (PSEL_RTS, PSEL_TXD, PSEL_CTS, PSEL_RXD, BAUDRATE, CONFIG):
            if self.is_on:
                self.misuse(f"{offset:#x} was written while it is on")
            if offset == BAUDRATE and value not in BAUD:
                self.misuse(f"{value:#x} for BAUDRATE")
        elif offset in (RX_PTR, RX_MAXCNT) and self.is_starting:
            self.misuse("a buffer for the receiver was named before RXSTARTED")
        elif offset in (TX_PTR, TX_MAXCNT) and self.transmitting:
            self.misuse("a buffer was named while it sends")
        super().configure(offset, value)

    def check_pins(self):
        """"Pin configuration": the required settings of GPIO."""
        for register, is_output in ((PSEL_TXD, True), (PSEL_RXD, False), (PSEL_RTS, True), (PSEL_CTS, False)):
            selected = self.registers[register]
            if selected & NOT_CONNECTED:
                continue
            port, pin = self.chip.ports[selected >> 5 & 1], selected & 31
            if is_output and not (port.is_output(pin) and port.is_high(pin)):
                self.misuse(f"{port.name}.{pin:02} is not an output that is high")
            if not is_output and not port.is_input(pin):
                self.misuse(f"{port.name}.{pin:02} is not an input")
        if self.has_flow_control and (self.registers[PSEL_RTS] | self.registers[PSEL_CTS]) & NOT_CONNECTED:
            self.misuse("flow control without pins for it")
