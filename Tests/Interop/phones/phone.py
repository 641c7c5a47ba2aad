"""Base of the Android-like and the iOS-like phone: a Bumble host on a controller of the air."""

import asyncio
import sys
import time
from collections import Counter
from pathlib import Path

from bumble import hci
from bumble.core import AdvertisingData, BaseBumbleError
from bumble.device import Device, DeviceConfiguration, Peer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import herald  # noqa: E402
from phones import signals  # noqa: E402

FAILURES = (BaseBumbleError, asyncio.TimeoutError, asyncio.CancelledError)


class PhoneDevice(Device):
    """Bumble treats any connection that is opened during its connection attempt as the requested one; here it receives only those that it opened."""

    def emit(self, event, *arguments, **keywords):
        if event == self.EVENT_CONNECTION:
            self.phone.on_connection(arguments[0])
            if arguments[0].role == hci.Role.PERIPHERAL:
                return True
        return super().emit(event, *arguments, **keywords)


class Phone:
    """A phone that can come and go, with the app in one of its `states`. Subclasses define its advertising, its GATT server and its exchange with a peer."""

    connect_timeout = 8.0
    # How it scans, in ms.
    scan_interval, scan_window = 300, 30
    states = ("foreground",)

    def __init__(self, air, name, address, payload, *, state="foreground", mtu=517, advertising_interval=100,
                 reads_peers=True):
        self.air = air
        self.name = name
        self.address = address
        self.payload = payload
        self.state = state
        self.mtu = mtu
        self.advertising_interval = advertising_interval
        self.reads_peers = reads_peers
        self.controller = None
        self.device = None
        self.tasks = []
        # One connection is opened at a time, and none while the address changes; advertising begins once at a time.
        self.connecting = asyncio.Lock()
        self.beginning = asyncio.Lock()
        # Recorded events: address of the peer to the payload read there, and to how often it was heard; (offset,
        # MTU) of the reads served, a list per connection that a peer opened; what was written to the signal characteristic, and
        # the messages that this made, each with the way it came.
        self.met = {}
        self.heard = Counter()
        self.served = []
        self.written = []
        self.messages = []
        # Failed exchanges with a peer: time and cause.
        self.failures = []

    def __str__(self):
        """Its state, for the report of a failed case."""
        met = {address: payload and herald.short_name(payload) for address, payload in self.met.items()}
        return (f"{self.name} {self.identity} ({self.state}): read {met}, heard {dict(self.heard)}, served {self.served[-8:]}, was told "
                f"{self.messages[-8:]}, failed {self.failures[-8:]}")

    @property
    def identity(self):
        """The identity under which a wearable tracks and logs this phone: here its address."""
        return self.address

    # Supplied by subclasses.

    def advertising_data(self):
        """The advertising data of the present state; None for no advertising."""
        raise NotImplementedError

    def services(self):
        raise NotImplementedError

    async def characteristics(self, connection):
        """The characteristics of the peer's Herald service by UUID, discovered in the way of this kind of phone."""
        raise NotImplementedError

    def natural_way(self, characteristic):
        """How this kind of phone writes a message to this signal characteristic: in "pieces", or by the "system"."""
        raise NotImplementedError

    async def after_reading(self, connection, found):
        """The actions on a connection after the payload was read. True to keep the connection."""

    def duties(self):
        """Coroutines that run while the phone is in range."""
        return [self.meet()] if self.reads_peers else []

    # Coming and going.

    async def arrive(self):
        """Switches the phone on, in range."""
        self.controller, host = await self.air.attach(self.name)
        configuration = DeviceConfiguration(name=self.name, address=hci.Address(self.address))
        self.device = PhoneDevice(config=configuration, host=host)
        self.device.phone = self
        self.device.gatt_server.max_mtu = self.mtu
        self.device.add_services(self.services())
        self.watch_requests(self.device.gatt_server)
        await self.device.power_on()
        self.seen = asyncio.Queue()
        await self.enter(self.state)
        if self.reads_peers:
            self.device.on("advertisement", self.on_advertisement)
            await self.scan()
        self.tasks = [asyncio.create_task(duty) for duty in self.duties()]

    async def scan(self):
        """Scans, without scan requests: those of many phones would collide with their connection requests."""
        await self.device.start_scanning(active=False, scan_interval=self.scan_interval, scan_window=self.scan_window)

    async def enter(self, state):
        """Changes the state of the app."""
        assert state in self.states, state
        self.state = state
        if self.controller:
            await self.advertise()

    async def advertise(self):
        """Starts the advertising of the present state."""
        async with self.beginning:
            data = self.advertising_data()
            if self.controller not in self.air.controllers:
                return
            if data is None:
                await self.device.stop_advertising()
            else:
                await self.device.start_advertising(
                    advertising_data=data, scan_response_data=b"",
                    advertising_interval_min=self.advertising_interval,
                    advertising_interval_max=self.advertising_interval)

    def stop_working(self):
        for task in self.tasks:
            task.cancel()
        self.tasks = []

    async def leave(self):
        """Moves the phone out of range: its connections are lost, its advertisements end."""
        if self.controller not in self.air.controllers:
            return
        self.stop_working()
        self.controller.silence()
        self.air.remove_controller(self.controller)
        await asyncio.sleep(0)

    def vanish(self):
        """As `leave`, but without disconnection: on the other side its connections stay open."""
        self.stop_working()
        self.controller.le_connections.clear()
        self.controller.silence()
        self.air.remove_controller(self.controller)

    async def rotate_address(self, address):
        """Continues under another address, as Android does each quarter of an hour."""
        async with self.connecting:
            async with self.beginning:
                # A controller refuses another address while it advertises or scans.
                is_scanning = self.device.is_scanning
                await self.device.stop_advertising()
                if is_scanning:
                    await self.device.stop_scanning()
                self.address = address
                self.device.random_address = hci.Address(address)
                await self.device.send_command(
                    hci.HCI_LE_Set_Random_Address_Command(random_address=hci.Address(address)))
                if is_scanning:
                    await self.scan()
            await self.advertise()

    # Being connected.

    def on_connection(self, connection):
        offsets = []
        if connection.role == hci.Role.PERIPHERAL:
            self.served.append(offsets)
            # Bumble stops advertising; phones do not.
            asyncio.get_running_loop().create_task(self.advertise())
        connection.served = offsets
        connection.way = None

    def watch_requests(self, server):
        """Notes (offset, MTU) of each read of the payload, and the way in which a value is written."""
        read, read_blob = server.on_att_read_request, server.on_att_read_blob_request
        write, execute = server.on_att_write_request, server.on_att_execute_write_request

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

        def on_write(bearer, request):
            bearer.way = "whole"
            write(bearer, request)

        def on_execute(bearer, request):
            bearer.way = "prepared"
            execute(bearer, request)

        server.on_att_read_request, server.on_att_read_blob_request = on_read, on_read_blob
        server.on_att_write_request, server.on_att_execute_write_request = on_write, on_execute

    def read_own_payload(self, connection):
        return self.payload

    # Meeting others.

    def notices(self, address):
        """Whether the system reports an advertisement from this address to the app."""
        return True

    def on_advertisement(self, advertisement):
        data = advertisement.data
        lists = (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
                 AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)
        uuids = [uuid for kind in lists for found in data.get_all(kind) for uuid in found]
        address = str(advertisement.address).split("/")[0]
        if (herald.SERVICE_16 in uuids or herald.SERVICE_128 in uuids) and self.notices(address):
            self.heard[address] += 1
            if address not in self.met:
                self.met[address] = None
                self.seen.put_nowait(address)

    async def meet(self):
        """Reads the payload of each new peer, one after the other; tries again a second after a failure."""
        # A visit that is cancelled while it closes its connection ends normally, and the cancelling task would wait indefinitely.
        while not asyncio.current_task().cancelling():
            address = await self.seen.get()
            try:
                self.met[address] = await self.visit(address, self.read_peer, self.after_reading)
            except FAILURES as failure:
                # Bumble also cancels tasks that wait for a lost connection.
                if isinstance(failure, asyncio.CancelledError) and asyncio.current_task().cancelling():
                    raise
                asyncio.get_running_loop().call_later(1, self.forget, address)

    async def before_connecting(self):
        """The condition for the app to connect."""

    async def visit(self, address, action, after=None):
        """Connects, finds the characteristics, does something with them, and closes the connection unless `after` returns that it is to be kept. Returns what the
        action returned."""
        await self.before_connecting()
        connection = None
        keeps = False
        try:
            async with self.connecting:
                connection = await self.device.connect(hci.Address(address), timeout=self.connect_timeout)
            async with asyncio.timeout(15):
                found = await self.characteristics(connection)
                result = await action(connection, found)
                keeps = bool(after and await after(connection, found))
            return result
        except FAILURES as failure:
            what = "connected" if connection else "not connected"
            self.failures.append(f"{time.strftime('%H:%M:%S')} {what}: {failure!r}")
            raise
        finally:
            if connection and not keeps:
                try:
                    await connection.disconnect()
                except FAILURES:
                    pass

    async def read_peer(self, connection, found):
        payload = found.get(herald.PAYLOAD)
        return bytes(await payload.read_value()) if payload else None

    def forget(self, address):
        """A peer that could not be read counts as new when it is seen again."""
        if self.met.get(address) is None:
            self.met.pop(address, None)

    def address_of(self, payload):
        """The addresses under which a payload was read, the most recently received first; None if there is none."""
        return next((address for address in reversed(self.met) if self.met[address] == payload), None)

    async def discovered(self, connection, service_uuids, all_services):
        """The characteristics of the first of these services that the peer has."""
        peer = Peer(connection)
        if all_services:
            await peer.discover_services()
        else:
            for uuid in service_uuids:
                await peer.discover_service(uuid)
        for uuid in service_uuids:
            for service in peer.get_services_by_uuid(uuid):
                return {found.uuid: found for found in await service.discover_characteristics()}
        return {}

    # Telling others.

    async def send(self, address, message, way=None):
        """Writes a message, or any bytes, to the signal characteristic of a peer, on a separate connection."""
        value = message if isinstance(message, bytes) else message.encoded()

        async def write(connection, found):
            await self.write(connection, found, value, way)

        await self.visit(address, write)

    async def write(self, connection, found, value, way=None):
        """The same on a connection there is: "whole" in one request, in "pieces" of 20 bytes, or "prepared"; else as this kind of
        phone does."""
        signal = found.get(herald.ANDROID_SIGNAL) or found[herald.IOS_SIGNAL]
        way = way or self.natural_way(signal)
        if way == "pieces":
            for piece in signals.pieces(value):
                await signal.write_value(piece, with_response=True)
        elif way == "prepared":
            await connection.gatt_client.write_long_value(signal.handle, value)
        else:
            if way == "whole" and len(value) > connection.att_mtu - 3:
                await Peer(connection).request_mtu(self.mtu)
            # A value longer than a request is written with prepared writes by the system.
            await signal.write_value(value, with_response=True)
