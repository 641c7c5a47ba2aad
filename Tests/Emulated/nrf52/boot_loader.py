"""The boot loaders in front of an image, as far as the image depends on them: what they leave when they jump to it, and what they protect (boards/*/README.md)."""

import dataclasses

from .chip import PIN, REQUESTED
from .clocks import LFCLKSTART, USBDETECTED
from .memory import RAM
from .peripheral import bit
from .timers import START


@dataclasses.dataclass(frozen=True)
class BootLoader:
    """A boot loader that is in flash from `start` on, behind a master boot record. `variables` are the ranges of RAM that it overwrites at each reset, as (start, end)."""
    start: int
    variables: tuple[tuple[int, int], ...]
    # The values of GPREGRET with which a reset by the program enters it; without any, a pin reset does.
    entries: tuple[int, ...] = ()

    def is_protected(self, address, chip):
        """Whether ACL denies a write: the master boot record's page, and the boot loader to the end of the flash."""
        return address < 0x1000 or self.start <= address < len(chip.cells)

    def is_entered(self, reason, retained):
        """Whether a reset for this reason, with this value of GPREGRET, enters it, and does not start the application."""
        if self.entries:
            return reason == REQUESTED and retained in self.entries
        return reason == PIN

    def leave(self, chip, application):
        """The state of the chip after the jump to the application: more is left over than any of them is known to leave."""
        for start, end in self.variables:
            chip.ram[start - RAM:end - RAM] = b"\xB0" * (end - start)
        # The address to which the master boot record forwards exceptions.
        chip.ram[0:4] = application.to_bytes(4, "little")
        clocks, counter, timer = chip.clocks, chip.rtcs[1], chip.timer
        clocks.trigger(LFCLKSTART)
        clocks.enabled = 7 * bit(USBDETECTED)
        clocks.event_bits.happened |= bit(USBDETECTED)
        counter.enabled = counter.routed = 1 << 16
        counter.trigger(START)
        # The interrupt occurs during start-up.
        counter.write(counter.CC, 2)
        timer.registers[timer.PRESCALER] = 0
        timer.trigger(START)
        # TIMER0, RTC1. The interrupts of POWER and USBD are pending, and not enabled.
        chip.system.enabled = 1 << 8 | 1 << 17
        chip.system.pending = 1 << 0 | 1 << 39
        chip.system.tick = 1


ADAFRUIT = BootLoader(0xF4000, ((0x20008000, 0x20040000),), (0x57, 0x4E))
# How much RAM it has at each end is not published; the retained words are in the middle.
NORDIC = BootLoader(0xE0000, ((0x20000008, 0x20018000), (0x20038000, 0x20040000)))
