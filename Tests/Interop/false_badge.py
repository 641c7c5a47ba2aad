"""A stranger who offers the management link over Bluetooth under the serial number of a badge: a GATT server of Bumble's, which answers as the test says."""

import struct

from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from cases_session import cbor
from radio_line import PACKETS, SERVICE

NOTIFY, WRITE = Characteristic.Properties.NOTIFY, Characteristic.Properties.WRITE_WITHOUT_RESPONSE


class FalseBadge:
    """Reports `serial`, and `access` as its state of access. To a proof it responds with 32 bytes of its own. `seen` has every packet that it was sent; with
    `is_silent` it responds to none."""

    def __init__(self, device, serial, *, is_locked=True, is_silent=False):
        self.device, self.serial, self.is_locked, self.is_silent = device, serial, is_locked, is_silent
        self.seen = []
        self.connections = 0
        self.parts = b""

    async def start(self):
        self.packets = Characteristic(
            PACKETS, NOTIFY | WRITE, Characteristic.Permissions.READABLE | Characteristic.Permissions.WRITEABLE,
            CharacteristicValue(write=self.written))
        self.device.add_service(Service(SERVICE, [self.packets]))
        self.device.on("connection", self.connected)
        data = AdvertisingData([(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(SERVICE))])
        self.device.advertising_data = bytes(data)
        self.device.scan_response_data = b""
        await self.device.start_advertising(auto_restart=True)
        return self

    def connected(self, connection):
        self.connections += 1
        self.parts = b""

    async def written(self, connection, part):
        self.parts += part
        if len(self.parts) < 8 or len(self.parts) < 8 + int.from_bytes(self.parts[2:4]):
            return
        packet, self.parts = self.parts, b""
        self.seen.append(packet)
        if self.is_silent:
            return
        body = cbor.encoded(self.answer(packet))
        operation, _, _, group, sequence, command = struct.unpack(">BBHHBB", packet[:8])
        answer = struct.pack(">BBHHBB", operation + 1, packet[1] & 0x18, len(body), group, sequence, command) + body
        size = connection.att_mtu - 3
        for place in range(0, len(answer), size):
            await self.device.notify_subscriber(connection, self.packets, answer[place:place + size])

    def answer(self, packet):
        if packet[4:6] == b"\0\0" and packet[7] == 7:
            return {"output": self.serial}
        if packet[4:6] == b"\0\x48" and packet[7] == 5:
            if packet[0] & 7 == 2:
                return {"proof": bytes(range(32))}
            return {"set": self.is_locked, "open": False, "nonce": bytes(16), "wait": 0}
        return {"rc": 8}
