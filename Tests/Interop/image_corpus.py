"""Generated images: ordinary, unusual and random ones, and records and blocks of invalid ones."""

import io
import random
import struct

import intelhex

FAMILY = 0xADA52840
END = ":00000001FF"


def written(pieces, start=None):
    """Intel HEX of these pieces as intelhex writes it."""
    image = intelhex.IntelHex()
    for address, data in pieces:
        image.puts(address, bytes(data))
    if start is not None:
        image.start_addr = {"EIP": start}
    text = io.StringIO()
    image.write_hex_file(text)
    return text.getvalue()


def corpus():
    """(name, pieces, entry): ordinary, odd and random ones."""
    numbers = random.Random(7)
    yield "one byte", [(0, b"\x01")], None
    yield "one line", [(0x100, bytes(range(16)))], 0x101
    yield "unaligned", [(0x1003, bytes(range(33)))], None
    yield "a gap", [(0, bytes(range(20))), (0x40, bytes(range(7)))], 0x41
    yield "across 64 KiB", [(0xFFF3, bytes(range(64)))], None
    yield "up to 64 KiB", [(0xFFF0, bytes(range(16)))], None
    yield "behind 64 KiB", [(0x10000, bytes(range(16)))], None
    yield "gaps of 64 KiB and more", [(0x8, b"abc"), (0x1FFFE, b"defg"), (0x50000, b"h" * 40)], 0x50001
    yield "high", [(0x0800_0000, bytes(range(100))), (0x0801_FFFF, bytes(range(3)))], 0x0800_0001
    yield "the end of memory", [(0xFFFF_FFF0, bytes(range(16)))], None
    yield "touching", [(0x2000, b"\x01\x02"), (0x2002, b"\x03"), (0x2003, b"\x04" * 30)], None
    for number in range(5):
        pieces, address = [], numbers.randrange(0x30000)
        for _ in range(numbers.randrange(1, 6)):
            data = numbers.randbytes(numbers.randrange(1, 700))
            pieces.append((address, data))
            address += len(data) + numbers.choice([0, 1, 15, 255, 4096, 70_000])
        yield f"random {number}", pieces, numbers.choice([None, address | 1])


def record(kind, address, data):
    raw = bytes([len(data)]) + struct.pack(">HB", address, kind) + bytes(data)
    return ":" + (raw + bytes([-sum(raw) & 0xFF])).hex().upper()


def uf2(number, total, address, data, flags=0x2000, family=FAMILY, behind=b""):
    block = struct.pack("<8I", 0x0A324655, 0x9E5D5157, flags, address, len(data), number, total, family) + bytes(data) + behind
    return block.ljust(508, b"\0") + struct.pack("<I", 0x0AB16F30)
