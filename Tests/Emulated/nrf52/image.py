"""Images for the chip: what script/build has linked, unchanged, and programs of a few instructions."""

import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from emulator import ROOT, image, symbols

from .kinds import KINDS


def kind(board):
    """The chip of a board."""
    return KINDS[json.loads((ROOT / "boards" / board / "board.json").read_text())["chip"]]


def built(board, role):
    """The bytes of a board's image, as they go into flash."""
    return image(board, role).with_suffix(".bin").read_bytes()


def names(board, role):
    """Addresses of its symbols."""
    return symbols(image(board, role))


# Vectors: every exception begins with the program.
TABLE = struct.pack("<64I", 0x20002000, *[0x101] * 63)


def sleeping():
    """A program that waits for interrupts, indefinitely."""
    # wfi; b .-2
    return TABLE + struct.pack("<2H", 0xBF30, 0xE7FD)


def storing(address, value):
    """A program that writes a word and continues indefinitely."""
    # ldr r0, [pc, #4]; ldr r1, [pc, #8]; str r1, [r0]; b .
    return TABLE + struct.pack("<4H2I", 0x4801, 0x4902, 0x6001, 0xE7FE, address, value)
