"""Writes records of transmitted packets as a pcap file: `pcap.py OUT.pcap RECORDS...`.

The link type is 256, BLUETOOTH_LE_LL_WITH_PHDR. tshark computes the CRC on the advertising channels. It does not on data channels:
their CRC is checked here, with CRCInit of the CONNECT_IND that was transmitted before, and the result is in the header. The
direction of a connection's packets is in the header, too: the central is the device that transmitted CONNECT_IND.
"""

import struct
import sys

import records
from packets import ADVERTISING_ADDRESS, ADVERTISING_CRC, CONNECT_IND, crc24

DEWHITENED, SIGNAL_VALID, ADDRESS_VALID, TO_PERIPHERAL, TO_CENTRAL = 0x0001, 0x0002, 0x0010, 2 << 7, 3 << 7
CRC_CHECKED, CRC_CORRECT = 0x0400, 0x0800
LINK_TYPE, SNAPSHOT_LENGTH = 256, 512
SIGNAL, NOISE = 0, -128


def annotated(transmitted):
    """(record, whether its CRC is correct, direction flags) for each record, in the order of time."""
    connections = {}
    for record in sorted(transmitted):
        pdu, crc = record.packet[:-3], record.packet[-3:]
        init, central = connections.get(record.address, (ADVERTISING_CRC, None))
        direction = 0
        if record.address != ADVERTISING_ADDRESS and central is not None:
            direction = TO_PERIPHERAL if record.device == central else TO_CENTRAL
        is_correct = crc24(pdu, init) == crc
        if record.address == ADVERTISING_ADDRESS and is_correct and pdu[0] & 15 == CONNECT_IND and len(pdu) == 36:
            address = int.from_bytes(pdu[14:18], "little")
            connections[address] = (int.from_bytes(pdu[18:21], "little"), record.device)
        yield record, is_correct, direction


def write(path, transmitted):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAPSHOT_LENGTH, LINK_TYPE))
        for record, is_correct, direction in annotated(transmitted):
            flags = DEWHITENED | SIGNAL_VALID | ADDRESS_VALID | direction
            if record.address != ADVERTISING_ADDRESS:
                flags |= CRC_CHECKED | (CRC_CORRECT if is_correct else 0)
            # The header has the RF channel: 0 is 2402 MHz.
            data = struct.pack("<BbbBIH", int(record.mhz) // 2 - 1, SIGNAL, NOISE, 0, record.address, flags)
            data += struct.pack("<I", record.address) + record.packet
            file.write(struct.pack("<IIII", record.start // 1000000, record.start % 1000000, len(data), len(data)) + data)


if __name__ == "__main__":
    write(sys.argv[1], [record for path in sys.argv[2:] for record in records.read(path)])
