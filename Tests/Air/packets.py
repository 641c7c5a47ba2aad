"""CRC, channel frequencies and advertising PDU types of Bluetooth LE at 1 Mbit/s (Core Specification, Vol 6, Part B)."""

ADVERTISING_ADDRESS, ADVERTISING_CRC = 0x8E89BED6, 0x555555
# PDU types on the advertising channels (2.3).
ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND, SCAN_REQ, SCAN_RSP, CONNECT_IND, ADV_SCAN_IND = range(7)
TYPE_NAMES = ["ADV_IND", "ADV_DIRECT_IND", "ADV_NONCONN_IND", "SCAN_REQ", "SCAN_RSP", "CONNECT_IND", "ADV_SCAN_IND"]
# T_IFS: the time between two packets of an exchange, in µs.
T_IFS = 150
# Duration of preamble and access address in µs, and the bytes of preamble, access address and CRC.
ADDRESS_TIME, OVERHEAD = 40, 8


def megahertz(channel):
    """The frequency of a channel index in MHz over 2400."""
    return {37: 2, 38: 26, 39: 80}.get(channel, 4 + 2 * channel if channel < 11 else 28 + 2 * (channel - 11))


CHANNELS = {megahertz(channel): channel for channel in range(40)}


def channel_index(mhz):
    """The channel index of a frequency in MHz over 2400."""
    return CHANNELS[int(mhz)]


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xDA6000 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = _crc_table()


def crc24(pdu, init):
    """The CRC of a PDU as three bytes in the order of transmission. `init` is CRCInit as a number."""
    # The register is kept in reversed bit order, because bytes are transmitted least significant bit first.
    state = int(f"{init:024b}"[::-1], 2)
    for byte in pdu:
        state = state >> 8 ^ CRC_TABLE[(state ^ byte) & 0xFF]
    return state.to_bytes(3, "little")


def duration(count):
    """The duration in µs of a packet whose PDU and CRC have `count` bytes."""
    return 8 * (5 + count)
