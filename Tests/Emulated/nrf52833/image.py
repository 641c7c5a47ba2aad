"""Images for the chip: what script/build has linked, unchanged, and programs of a few instructions."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from emulator import image, symbols

BOARD = "nrf52833dk"


def built():
    """The bytes of the board's image, as they go into flash."""
    return image(BOARD).with_suffix(".bin").read_bytes()


def names():
    """Addresses of its symbols."""
    return symbols(image(BOARD))


def storing(address, value):
    """A program that writes a word and goes on for ever."""
    table = struct.pack("<64I", 0x20002000, *[0x101] * 63)
    # ldr r0, [pc, #4]; ldr r1, [pc, #8]; str r1, [r0]; b .
    return table + struct.pack("<4H2I", 0x4801, 0x4902, 0x6001, 0xE7FE, address, value)
