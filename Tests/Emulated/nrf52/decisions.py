"""Counts the instructions from the end of a received packet to the decision on the next step."""

from .ppi import PPI
from .radio import Radio

# The channels that start the next packet: TIMER0 COMPARE0 to TXEN, to RXEN, and to START on the nRF51.
STARTS = 1 << 20 | 1 << 21 | 1 << 12


class Decisions:
    """`counts` has an entry for each received packet with a response: the instructions up to the register write that starts the response."""

    def __init__(self, chip):
        self.chip, self.counts, self.ended = chip, [], None
        self.raise_event, self.write = chip.radio.raise_event, chip.ppi.write
        chip.radio.raise_event, chip.ppi.write = self.note_event, self.note_write

    def note_event(self, offset):
        if offset == Radio.CRCOK:
            self.ended = self.chip.processor.instructions
        elif offset == Radio.ADDRESS:
            self.ended = None
        self.raise_event(offset)

    def note_write(self, offset, value):
        if offset == PPI.CHENSET and value & STARTS and self.ended is not None and self.chip.radio.interrupt in self.chip.system.active:
            self.counts.append(self.chip.processor.instructions - self.ended)
            self.ended = None
        self.write(offset, value)
