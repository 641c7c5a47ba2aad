"""Records of transmitted packets: lines of start and end in µs, device, MHz over 2400, access address, and the PDU with its CRC."""

import collections
import csv
import lzma

Record = collections.namedtuple("Record", "start end device mhz address packet")


def line(record):
    """A record as a line of text."""
    return f"{record.start},{record.end},{record.device},{record.mhz:g},{record.address:#010x},{record.packet.hex()}"


def parse(rows):
    """The records in lines of text."""
    for row in csv.reader(rows):
        yield Record(int(row[0]), int(row[1]), int(row[2]), float(row[3]), int(row[4], 16), bytes.fromhex(row[5]))


def read(path):
    """The records of a file, which may be compressed (.xz)."""
    with lzma.open(path, "rt") if str(path).endswith(".xz") else open(path) as file:
        yield from parse(file)
