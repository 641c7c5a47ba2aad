"""What the Android-like and the iOS-like phone have in common: a Bumble host on a controller of the air."""

import asyncio
import sys
from pathlib import Path

from bumble import hci
from bumble.core import AdvertisingData, BaseBumbleError
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import air as air_module  # noqa: E402
import herald  # noqa: E402

FAILURES = (BaseBumbleError, asyncio.TimeoutError, asyncio.CancelledError)


class PhoneDevice(Device):
    """Bumble takes any connection that opens while it connects for the one it asked for; here only one it opened."""

    def emit(self, event, *arguments, **keywords):
        if event == self.EVENT_CONNECTION:
            self.phone.on_connection(arguments[0])
            if arguments[0].role == hci.Role.PERIPHERAL and self.is_le_connecting:
                return True
        return super().emit(event, *arguments, **keywords)


class Phone:
    """A phone that can come and go. Subclasses say how it advertises, what it serves and how it reads a peer."""

    connect_timeout = 8.0

    def __init__(self, air, name, address, payload, *, mtu=517, advertising_interval=100, reads_peers=True):
        self.air = air
        self.name = name
        self.address = address
        self.payload = payload
        self.mtu = mtu
        self.advertising_interval = advertising_interval
        self.reads_peers = reads_peers
        self.controller = None
        self.device = None
        self.worker = None
        # What happened, for whoever asks: address of the peer to the payload read there; (offset, MTU) of the reads served,
        # a list per connection; messages written to the signal characteristic.
        self.met = {}
        self.served = []
        self.written = []

    @property
    def identity(self):
        """Under what a wearable tracks and logs this phone: here its address."""
        return self.address

    # What a subclass supplies.

    def advertising_data(self):
        raise NotImplementedError

    def services(self):
        raise NotImplementedError

    async def read_peer(self, connection):
        raise NotImplementedError

    # Coming and going.

    async def arrive(self):
        """Switches the phone on, in range."""
        self.controller = air_module.add_controller(self.air, self.name, "00:00:00:00:00:00")
        configuration = DeviceConfiguration(name=self.name, address=hci.Address(self.address))
        host = Host(self.controller, AsyncPipeSink(self.controller))
        self.device = PhoneDevice(config=configuration, host=host)
        self.device.phone = self
        self.device.gatt_server.max_mtu = self.mtu
        self.device.add_services(self.services())
        self.record_reads(self.device.gatt_server)
        await self.device.power_on()
        await self.advertise()
        if self.reads_peers:
            self.device.on("advertisement", self.on_advertisement)
            self.seen = asyncio.Queue()
            self.worker = asyncio.create_task(self.meet())
            await self.device.start_scanning()

    async def advertise(self):
        await self.device.start_advertising(
            auto_restart=True, advertising_data=self.advertising_data(), scan_response_data=b"",
            advertising_interval_min=self.advertising_interval, advertising_interval_max=self.advertising_interval,
        )

    async def leave(self):
        """Carries the phone out of range: its connections end as lost, its advertisements cease."""
        if self.worker:
            self.worker.cancel()
            self.worker = None
        self.controller.silence()
        self.air.remove_controller(self.controller)
        await asyncio.sleep(0)

    async def rotate_address(self, address):
        """Goes on under another address, as Android does each quarter of an hour."""
        await self.device.stop_advertising()
        self.address = address
        self.device.random_address = hci.Address(address)
        await self.device.send_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=hci.Address(address)))
        await self.advertise()

    def on_connection(self, connection):
        offsets = []
        if connection.role == hci.Role.PERIPHERAL:
            self.served.append(offsets)
        connection.served = offsets

    def record_reads(self, server):
        """Notes (offset, MTU) of each read of the payload."""
        read, read_blob = server.on_att_read_request, server.on_att_read_blob_request

        def note(bearer, handle, offset):
            attribute = server.get_attribute(handle)
            if attribute is not None and attribute.type == herald.PAYLOAD:
                bearer.served.append((offset, bearer.att_mtu))

        def on_read(bearer, request):
            note(bearer, request.attribute_handle, 0)
            read(bearer, request)

        def on_read_blob(bearer, request):
            note(bearer, request.attribute_handle, request.value_offset)
            read_blob(bearer, request)

        server.on_att_read_request, server.on_att_read_blob_request = on_read, on_read_blob

    def read_own_payload(self, connection):
        return self.payload

    # Meeting others.

    def on_advertisement(self, advertisement):
        data = advertisement.data
        lists = (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
                 AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)
        uuids = [uuid for kind in lists for found in data.get_all(kind) for uuid in found]
        if herald.SERVICE_16 in uuids or herald.SERVICE_128 in uuids:
            address = str(advertisement.address).split("/")[0]
            if address not in self.met:
                self.met[address] = None
                self.seen.put_nowait(advertisement.address)

    async def meet(self):
        """Reads the payload of each new peer, one after the other; tries again a second after a failure."""
        while True:
            peer = await self.seen.get()
            address = str(peer).split("/")[0]
            connection = None
            try:
                connection = await self.device.connect(peer, timeout=self.connect_timeout)
                self.met[address] = await asyncio.wait_for(self.read_peer(connection), 10)
            except FAILURES as failure:
                # Bumble cancels what waits for a connection that is lost, too.
                if isinstance(failure, asyncio.CancelledError) and asyncio.current_task().cancelling():
                    raise
                asyncio.get_running_loop().call_later(1, self.forget, address)
            finally:
                if connection:
                    try:
                        await connection.disconnect()
                    except FAILURES:
                        pass

    def forget(self, address):
        """A peer that could not be read counts as new when it is seen again."""
        if self.met.get(address) is None:
            self.met.pop(address, None)

    async def read_payload_through(self, connection, service_uuids, all_services):
        """Finds the first of the services the peer has, and reads the payload in it."""
        peer = Peer(connection)
        if all_services:
            await peer.discover_services()
        else:
            for uuid in service_uuids:
                await peer.discover_service(uuid)
        for uuid in service_uuids:
            for service in peer.get_services_by_uuid(uuid):
                for characteristic in await service.discover_characteristics():
                    if characteristic.uuid == herald.PAYLOAD:
                        return bytes(await characteristic.read_value())
        return None
