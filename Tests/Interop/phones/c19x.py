"""A phone with C19X: it advertises a service, whose characteristic's UUID contains its code."""

from bumble.att import Attribute
from bumble.core import UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones.phone import Phone

MARKER = bytes.fromhex("0022D48183FE1F13")
SERVICE = UUID("0022D481-83FE-1F13-0000-000000000000")


class C19XPhone(Phone):
    """- `code`: its beacon code, in the order of the UUID's text."""

    def __init__(self, air, name, address, *, code, **options):
        super().__init__(air, name, address, b"", reads_peers=False, **options)
        self.code = code
        self.connected = 0

    def on_connection(self, connection):
        self.connected += 1
        super().on_connection(connection)

    def advertising_data(self):
        return herald.flags() + bytes([0x11, 0x07]) + bytes(reversed(MARKER + bytes(8)))

    def services(self):
        code = Characteristic(
            UUID.from_bytes(bytes(reversed(MARKER + self.code))), Characteristic.Properties.WRITE, Attribute.WRITEABLE,
            CharacteristicValue(write=lambda connection, value: None))
        return [Service(SERVICE, [code])]
