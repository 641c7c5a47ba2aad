"""A chip on the medium of Tests/Air: how its time and the medium's are kept together.

Both use the same time. The medium does not pass the end of a request of this device, and the chip does not pass the last response of the medium:
- While the radio is off, the chip runs alone, and then requests a wait for as long.
- A transmission is requested when it starts, and answered when it has ended; the processor runs on afterwards, because nothing it does changes what is transmitted.
- A reception is requested when the receiver is ready, without an end. At each recheck the chip runs to that time; then the receiver was disabled meanwhile, which
  ends the reception, or the time of the next recheck is told: when the next thing happens in the chip, if the processor sleeps. Else the chip runs ahead of the medium
  first, by less than the time that a bit at the antenna takes to its event, so that it misses nothing that the medium finds until then.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Air"))

from packets import crc24, duration
from phy import (ABORT, ADDRESS_FOUND, NEVER, NEW_ABORT, NO_SYNC, OK, ONE_MBIT, RECHECK, RX, RX_CONTINUE, RX_DONE, RX_END, RX_REQUEST, TX, TX_DONE, TX_END, TX_REQUEST, UNLIMITED)

from .clocks import MICROSECOND
from .radio import OFF, Silence

# How far the medium stays behind the chip, so that an operation that begins immediately can still be requested. In µs.
MARGIN = 3


class OnAir:
    """A chip, whose radio is a device of a medium by `phy`."""
    receives = True

    def __init__(self, chip, phy):
        self.chip, self.phy = chip, phy
        # The reception in progress, and the time in cycles at which it is interrupted.
        self.reception, self.until = None, 0
        chip.radio.air = self

    @property
    def now(self):
        """The chip's time in whole µs."""
        return self.chip.cycles // MICROSECOND

    def run(self, seconds):
        """Runs the chip and the medium."""
        end = self.chip.cycles + round(seconds * 1000000) * MICROSECOND
        while self.chip.cycles < end:
            self.advance(end)

    def leave(self):
        """The medium has ended: from now on the chip is alone."""
        self.chip.radio.air, self.reception = Silence(), None

    def advance(self, until):
        """Runs them until a time in cycles, or a pause of the chip that is not the radio's. A reception then goes on with the next call."""
        self.until, self.chip.is_paused = until, False
        while self.chip.cycles < until and not self.chip.is_paused:
            if self.reception is None:
                self.chip.run(until)
                if self.chip.radio.listens_from is not None:
                    self.reception = self.listen()
                elif self.chip.radio.state == OFF and self.phy.now < self.now - MARGIN:
                    self.phy.wait(self.now - MARGIN)
            if self.reception is not None and next(self.reception, self) is self:
                self.reception = None

    def transmit(self, start, megahertz, address, pdu, crc_init):
        packet = pdu + crc24(pdu, crc_init)
        end = start + duration(len(packet))
        self.phy.ask(TX, TX_REQUEST.pack(start, end, NEVER, NEVER, address, ONE_MBIT, megahertz << 8, 0, len(packet)), packet)
        assert self.phy.answer() == TX_END
        self.phy.now, = TX_DONE.unpack(self.phy.take(TX_DONE.size))
        return end

    def listen(self):
        """One reception, until its packet has ended or the receiver was disabled. It yields where `advance` is to return."""
        radio, phy = self.chip.radio, self.phy
        start = told = max(radio.listens_from, phy.now + 1)
        radio.listens_from = None
        phy.ask(RX, RX_REQUEST.pack(start, UNLIMITED, radio.access_address, ONE_MBIT, radio.frequency << 8, 0, 2, 0, 40, 16, 1000000, NEVER, start))
        packet = b""
        while (code := phy.answer()) != RX_END:
            if code == RECHECK:
                phy.now = told
                yield from self.run_to(told)
                if not radio.was_disabled and not self.is_idle:
                    yield from self.run_to(told + int(radio.delays.receive_chain) - 1)
                told = NEVER if radio.was_disabled else self.next_recheck()
                phy.ask(NEW_ABORT, ABORT.pack(max(radio.disabled_at, phy.now) if radio.was_disabled else NEVER, told))
            else:
                assert code == ADDRESS_FOUND, code
                _, count, stamp, phy.now, rssi = RX_DONE.unpack(phy.take(RX_DONE.size))
                packet = phy.take(count)
                if not radio.was_disabled:
                    radio.found(stamp, -round(rssi / 65536))
                phy.ask(RX_CONTINUE)
        status, _, stamp, phy.now, _ = RX_DONE.unpack(phy.take(RX_DONE.size))
        if status == NO_SYNC or radio.was_disabled:
            return
        # The bytes of a damaged packet came undamaged, and are not used. The medium ends a reception with a damaged header there; the radio receives to the end of the packet.
        pdu = packet[:-3] if status == OK else b""
        radio.received(stamp + 1 + 8 * len(packet), pdu, status == OK and crc24(pdu, radio.registers[radio.CRCINIT]) == packet[-3:])

    def run_to(self, microsecond):
        """Runs the chip; yields like `listen`."""
        while self.chip.cycles < microsecond * MICROSECOND:
            self.chip.run(min(microsecond * MICROSECOND, self.until))
            if self.chip.is_paused or self.chip.cycles >= self.until:
                yield

    @property
    def is_idle(self):
        """Whether the processor does nothing before the next event."""
        return self.chip.cycles < self.chip.halted_until or self.chip.processor.is_asleep and not self.chip.system.wakes

    def next_recheck(self):
        """The time until which the chip does nothing that affects the reception. What is done to it after `advance` may wake the processor."""
        return max((min(self.chip.next_time, self.until) if self.is_idle else self.chip.cycles) // MICROSECOND, self.phy.now + 1)
