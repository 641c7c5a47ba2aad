"""An iOS-like phone with its app in the foreground."""

from bumble.att import Attribute
from bumble.device import Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones.phone import Phone


class IOSPhone(Phone):
    """Advertises Flags, TX power and the 128-bit service UUID, without an address of its own; serves its signal
    characteristic (write and notify) and the payload; exchanges the MTU first and asks for services by UUID."""

    def advertising_data(self):
        return herald.flags(0x1A) + herald.structure(0x0A, b"\x0c") + herald.uuid128_list()

    def services(self):
        signal = Characteristic(
            herald.IOS_SIGNAL, Characteristic.Properties.WRITE | Characteristic.Properties.NOTIFY,
            Attribute.WRITEABLE,
            CharacteristicValue(write=lambda connection, value: self.written.append(bytes(value))))
        payload = Characteristic(
            herald.PAYLOAD, Characteristic.Properties.READ, Attribute.READABLE,
            CharacteristicValue(read=self.read_own_payload))
        return [Service(herald.SERVICE_128, [signal, payload])]

    async def read_peer(self, connection):
        await Peer(connection).request_mtu(185)
        return await self.read_payload_through(connection, [herald.SERVICE_16, herald.SERVICE_128], all_services=False)
