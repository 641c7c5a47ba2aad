"""A chip on the medium of Tests/Air: how its time and the medium's are kept together.

Both use the same time. The medium does not pass the end of a request of this device, and the chip does not pass the last response of the medium:
- While the radio is off, the chip runs alone for a slice, and then requests a wait for as long.
- A transmission is requested when it starts, and answered when it has ended; the processor runs on afterwards, because nothing it does changes what is transmitted.
- A reception is requested when the receiver is ready, without an end. At each recheck the chip runs to that time; then the receiver was disabled meanwhile, which
  ends the reception, or the time of the next recheck is told: when the next thing happens in the chip, if the processor sleeps, else a µs later.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Air"))

from packets import crc24, duration
from phy import (ABORT, ADDRESS_FOUND, NEVER, NEW_ABORT, NO_SYNC, OK, ONE_MBIT, RECHECK, RX, RX_CONTINUE, RX_DONE, RX_END, RX_REQUEST, TX, TX_DONE, TX_END, TX_REQUEST, UNLIMITED)

from .clocks import MICROSECOND
from .radio import OFF

# The time for which the chip runs alone, and how far the medium stays behind it, so that an operation that begins immediately can still be requested. In µs.
SLICE, MARGIN = 1000, 3


class OnAir:
    """A chip, whose radio is a device of a medium by `phy`."""

    def __init__(self, chip, phy):
        self.chip, self.phy = chip, phy
        chip.radio.air = self

    @property
    def now(self):
        """The chip's time in whole µs."""
        return self.chip.cycles // MICROSECOND

    def run(self, seconds):
        """Runs the chip and the medium."""
        end = self.chip.cycles + round(seconds * 1000000) * MICROSECOND
        while self.chip.cycles < end:
            self.chip.run(min(self.chip.cycles + SLICE * MICROSECOND, end))
            if self.chip.radio.listens_from is not None:
                self.listen()
            elif self.chip.radio.state == OFF and self.phy.now < self.now - MARGIN:
                self.phy.wait(self.now - MARGIN)

    def transmit(self, start, megahertz, address, pdu, crc_init):
        packet = pdu + crc24(pdu, crc_init)
        end = start + duration(len(packet))
        self.phy.ask(TX, TX_REQUEST.pack(start, end, NEVER, NEVER, address, ONE_MBIT, megahertz << 8, 0, len(packet)), packet)
        assert self.phy.answer() == TX_END
        self.phy.now, = TX_DONE.unpack(self.phy.take(TX_DONE.size))
        return end

    def listen(self):
        """One reception, until its packet has ended or the receiver was disabled."""
        radio, phy = self.chip.radio, self.phy
        start = told = max(radio.listens_from, phy.now + 1)
        radio.listens_from = None
        phy.ask(RX, RX_REQUEST.pack(start, UNLIMITED, radio.access_address, ONE_MBIT, radio.frequency << 8, 0, 2, 0, 40, 16, 1000000, NEVER, start))
        packet = b""
        while (code := phy.answer()) != RX_END:
            if code == RECHECK:
                phy.now = told
                self.chip.run(phy.now * MICROSECOND)
                told = NEVER if radio.was_disabled else self.next_recheck()
                phy.ask(NEW_ABORT, ABORT.pack(phy.now if radio.was_disabled else NEVER, told))
            else:
                assert code == ADDRESS_FOUND, code
                _, count, stamp, phy.now, rssi = RX_DONE.unpack(phy.take(RX_DONE.size))
                packet = phy.take(count)
                radio.found(stamp, -round(rssi / 65536))
                phy.ask(RX_CONTINUE)
        status, _, stamp, phy.now, _ = RX_DONE.unpack(phy.take(RX_DONE.size))
        if status == NO_SYNC or radio.was_disabled:
            return
        # The bytes of a damaged packet came undamaged, and are not used. The medium ends a reception with a damaged header there; the radio receives to the end of the packet.
        pdu = packet[:-3] if status == OK else b""
        radio.received(stamp + 1 + 8 * len(packet), pdu, status == OK and crc24(pdu, radio.registers[radio.CRCINIT]) == packet[-3:])

    def next_recheck(self):
        """The time until which the chip does nothing that affects the reception."""
        if self.chip.cycles < self.chip.halted_until or self.chip.processor.is_asleep and not self.chip.system.wakes:
            return max(self.chip.next_time // MICROSECOND, self.phy.now + 1)
        return self.phy.now + 1


class Silence:
    """No medium: the chip receives nothing. `transmitted` is the duration of what it transmits, in µs."""

    def __init__(self, chip):
        self.transmitted = 0
        chip.radio.air = self

    def transmit(self, start, megahertz, address, pdu, crc_init):
        length = duration(len(pdu) + 3)
        self.transmitted += length
        return start + length
