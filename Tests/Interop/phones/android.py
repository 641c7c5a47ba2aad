"""An Android-like phone: Herald 2.2 by default, Herald 2.0 if `legacy`."""

from bumble.att import Attribute
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones.phone import Phone


class AndroidPhone(Phone):
    """Advertises Flags, the Herald service and a pseudo device address; serves signal, then payload; reads peers at the
    default MTU with long reads, after discovering all their services."""

    def __init__(self, air, name, address, payload, pseudo_address, *, legacy=False, **options):
        super().__init__(air, name, address, payload, **options)
        self.pseudo_address = pseudo_address
        self.legacy = legacy

    @property
    def identity(self):
        """The pseudo device address, most significant byte first."""
        return ":".join(f"{byte:02X}" for byte in reversed(self.pseudo_address))

    def advertising_data(self):
        uuid = herald.uuid128_list() if self.legacy else herald.uuid16_list()
        return herald.flags() + uuid + herald.pseudo_address(self.pseudo_address, self.legacy)

    def services(self):
        signal = Characteristic(
            herald.ANDROID_SIGNAL, Characteristic.Properties.WRITE, Attribute.WRITEABLE,
            CharacteristicValue(write=lambda connection, value: self.written.append(bytes(value))))
        payload = Characteristic(
            herald.PAYLOAD, Characteristic.Properties.READ, Attribute.READABLE,
            CharacteristicValue(read=self.read_own_payload))
        return [Service(herald.SERVICE_128 if self.legacy else herald.SERVICE_16, [signal, payload])]

    async def read_peer(self, connection):
        return await self.read_payload_through(connection, [herald.SERVICE_16, herald.SERVICE_128], all_services=True)
