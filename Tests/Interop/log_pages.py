"""Fills a node's log with pages, without waiting for that many readings: copies of its first page under further numbers, made from the format's
description (docs/log-format.md) alone."""

import binascii
import struct
from pathlib import Path

PAGE = 4096
HEADER = 40
MAGIC = b"HLog"
PAYLOAD = 0x00
END = 0xFF
COUNT = 0x7F


def renumbered(page, sequence):
    """A page of one segment or more, as the page with this number."""
    page = bytearray(page)
    offset = 0
    while offset + HEADER <= PAGE:
        if page[offset:offset + 4] != MAGIC:
            offset += 64
            continue
        struct.pack_into("<I", page, offset + 12, sequence)
        check = binascii.crc32(page[offset:offset + 36])
        struct.pack_into("<I", page, offset + 36, check)
        end = checked(page, offset + HEADER, check & 0xFFFF, page[offset + 5])
        offset = (end + 63) // 64 * 64
    return bytes(page)


def checked(page, offset, check, word):
    """Computes the CRCs of the following blocks from that of the previous one; returns their end."""
    while offset < PAGE and page[offset] != END:
        kind = page[offset]
        size = 2 + page[offset + 1] if kind == PAYLOAD else 1 + (kind & COUNT)
        check = binascii.crc_hqx(page[offset:offset + size], check)
        struct.pack_into("<H", page, offset + size, check)
        offset = (offset + size + 2 + word - 1) // word * word
    return offset


def fill(storage, count):
    """Extends the log of a stopped node from one page to `count` pages."""
    path = Path(storage) / "log.flash"
    flash = bytearray(path.read_bytes())
    [first] = [start for start in range(0, len(flash), PAGE) if flash[start:start + 4] == MAGIC]
    page = bytes(flash[first:first + PAGE])
    [number] = struct.unpack_from("<I", page, 12)
    for further in range(1, count):
        start = (first + further * PAGE) % len(flash)
        flash[start:start + PAGE] = renumbered(page, number + further)
    path.write_bytes(flash)
