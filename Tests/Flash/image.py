"""Images for the chips of the virtual probe: unique bytes, and a program that reports that it runs."""

import hashlib
import struct

# The address that the program writes, and the value.
ALIVE, WORD = 0x20003000, 0x600DF00D
STACK = 0x20002000


def image(size, seed=0, base=0):
    """`size` bytes to be put at `base`: a vector table, then at 0x100 a program that writes WORD to ALIVE and continues indefinitely, then noise."""
    table = struct.pack("<64I", STACK, *[base + 0x101] * 63)
    # ldr r0, [pc, #4]; ldr r1, [pc, #8]; str r1, [r0]; b .
    program = struct.pack("<4H2I", 0x4801, 0x4902, 0x6001, 0xE7FE, ALIVE, WORD)
    noise = hashlib.shake_128(seed.to_bytes(4, "little")).digest(size)
    return (table + program + noise)[:size]
