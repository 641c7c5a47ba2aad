"""Herald's constants and payloads, repeated here so that the tests are independent of the program under test."""

import base64
import struct

from bumble.core import UUID

SERVICE_128 = UUID("428132AF-4746-42D3-801E-4572D65BFD9B")
SERVICE_16 = UUID.from_16_bits(0xFCF6)
PAYLOAD = UUID("3E98C0F8-8F05-4829-A121-43E38F8933E7")
ANDROID_SIGNAL = UUID("F617B813-092E-437A-8324-E09A80821A11")
IOS_SIGNAL = UUID("0EB0D5F2-EAE4-4A9A-8AF3-A4ADB02D4363")


def structure(kind, data):
    """One AD structure."""
    return bytes([len(data) + 1, kind]) + data


def flags(value=0x06):
    """The Flags structure."""
    return structure(0x01, bytes([value]))


def uuid16_list():
    """The complete list of 16-bit service UUIDs: Herald's."""
    return structure(0x03, bytes(SERVICE_16))


def uuid128_list():
    """The complete list of 128-bit service UUIDs: Herald's."""
    return structure(0x07, bytes(SERVICE_128))


def pseudo_address(address, legacy=False):
    """Manufacturer data with a pseudo device address, six bytes; the company identifier is the old one if `legacy`."""
    return structure(0xFF, (b"\xfa\xff" if legacy else b"\xf1\x05") + address)


def test_payload(identifier, length=129):
    """The payload of the phones' demonstration apps."""
    return (bytes(3) + struct.pack("<i", identifier)).ljust(length, b"\0")


def simple_payload(country, state, identifier):
    """A payload of the simple family: 21 bytes."""
    return struct.pack("<BHH", 0x10, country, state) + identifier


def fixed_payload(country, state, identifier):
    """A payload of the fixed family: 13 bytes."""
    return struct.pack("<BHHQ", 0x08, country, state, identifier)


def short_name(payload):
    """The name a payload has in all logs of Herald's phones."""
    if len(payload) > 3:
        return base64.b64encode(payload[3:]).decode()[:6]
    return base64.b64encode(payload).decode()
