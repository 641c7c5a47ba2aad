"""The part of bleak that smpclient uses, on a Bumble host: programs that use bleak then run without BlueZ.

`use(port)` puts it in the place of bleak in smpclient, with the controller at a TCP port of this machine.
"""

import asyncio
import contextlib
import uuid
from types import SimpleNamespace

from bleak.backends.device import BLEDevice
from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.host import Host
from bumble.transport import open_transport

ADDRESS = "F0:D1:00:00:05:01"


class Adapter:
    """A Bumble host on the controller, open while it is used."""

    def __init__(self, port):
        self.port = port

    @contextlib.asynccontextmanager
    async def opened(self):
        async with await open_transport(f"tcp-client:127.0.0.1:{self.port}") as transport:
            device = Device(
                config=DeviceConfiguration(name="host", address=hci.Address(ADDRESS)),
                host=Host(transport.source, transport.sink))
            await device.power_on()
            yield device


def use(port):
    """Puts this in the place of bleak."""
    import smpclient.transport.ble as ble

    adapter = Adapter(port)

    class Scanner:
        def __init__(self, service_uuids=()):
            self.services = set(service_uuids)

        async def discover(self, timeout, return_adv):
            """What advertises the services: by its address, the device and its advertisement."""
            found = {}

            def heard(advertisement):
                data = advertisement.data
                shown = set()
                for kind in (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                             AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS):
                    for listed in data.get_all(kind):
                        shown.update(listed)
                address = str(advertisement.address)
                before = found.get(address, (None, SimpleNamespace(service_uuids=[])))[1].service_uuids
                uuids = set(before) | {str(uuid.UUID(bytes=found.to_bytes(force_128=True)[::-1])) for found in shown}
                found[address] = (BLEDevice(address, None, None), SimpleNamespace(service_uuids=sorted(uuids)))

            async with adapter.opened() as device:
                device.on("advertisement", heard)
                await device.start_scanning(active=True)
                await asyncio.sleep(timeout)
                await device.stop_scanning()
            return {address: pair for address, pair in found.items()
                    if not self.services or self.services & set(pair[1].service_uuids)}

        @staticmethod
        async def find_device_by_address(address, timeout):
            found = await Scanner().discover(timeout=2, return_adv=True)
            return next((device for at, (device, _) in found.items() if at.startswith(address)), None)

        @staticmethod
        async def find_device_by_name(name, timeout):
            return None

    class Client:
        _backend = SimpleNamespace()

        def __init__(self, device, services, winrt, timeout, disconnected_callback):
            self.address, self.timeout, self.wanted = device.address, timeout, services
            self.disconnected = disconnected_callback
            self.stack = contextlib.AsyncExitStack()
            self.services = self

        async def connect(self):
            device = await self.stack.enter_async_context(adapter.opened())
            self.connection = await device.connect(hci.Address(self.address), timeout=self.timeout)
            self.connection.on("disconnection", lambda reason: self.disconnected(self))
            self.peer = Peer(self.connection)
            await self.peer.request_mtu(517)
            for service in self.wanted:
                await self.peer.discover_service(UUID(service))
            for service in self.peer.services:
                await service.discover_characteristics()

        def get_characteristic(self, wanted):
            for service in self.peer.services:
                for found in service.characteristics:
                    if found.uuid == UUID(str(wanted)):
                        return SimpleNamespace(
                            uuid=str(wanted), on_peer=found,
                            max_write_without_response_size=self.connection.att_mtu - 3)
            return None

        async def start_notify(self, wanted, callback):
            at = self.get_characteristic(wanted)
            waiting = asyncio.Queue()

            async def deliver():
                while True:
                    await callback(at, await waiting.get())

            self.delivery = asyncio.create_task(deliver())
            await self.peer.subscribe(at.on_peer, lambda value: waiting.put_nowait(bytes(value)))

        async def write_gatt_char(self, at, data, response):
            await self.peer.write_value(at.on_peer, bytes(data), with_response=response)

        async def disconnect(self):
            with contextlib.suppress(Exception):
                await self.connection.disconnect()
            await self.stack.aclose()

    ble.BleakScanner, ble.BleakClient = Scanner, Client
