"""An iOS-like phone, with its app in each of its states."""

import asyncio

from bumble import att, hci
from bumble.att import Attribute
from bumble.device import Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones import signals
from phones.phone import FAILURES, Phone

# One of 128 bits represents Herald's service; the mapping is not published, so that any bit can be used.
OVERFLOW_AREA = bytes(9) + b"\x20" + bytes(6)


class IOSPhone(Phone):
    """Advertises Flags, TX power and, in the foreground, the service UUID (that of Herald 2.1, or the older one if `legacy`), without a pseudo device address; in
    every other state Apple's overflow area instead of the UUID. Serves its signal characteristic (write and notify) and the payload; exchanges the MTU first and
    discovers services by UUID.

    - background: the app runs, and each peer is reported once per scan.
    - suspended, terminated: the app answers, and connects, only after a connection or a peer's advertisement has woken or
      restored it; after eight idle seconds it is suspended.

    - `withholds`: while a peer is connected to it, its system advertises nothing.

    An iPhone that comes back after 20 minutes has another address: set `address` before it arrives again.
    """

    states = ("foreground", "background", "suspended", "terminated")
    waking_takes = {"suspended": 0.4, "terminated": 1.2}
    idle_until_suspended = 8.0
    scan_call = 2.0
    notification_delay = 2.0

    def __init__(self, air, name, address, payload, *, legacy=False, withholds=False, **options):
        super().__init__(air, name, address, payload, **options)
        self.legacy = legacy
        self.withholds = withholds
        self.signal = None
        self.reported = {}
        self.waking = None
        self.sleep_timer = None
        # How often it was woken or restored; the connections it keeps to other iPhones; the wake-ups of these.
        self.awakenings = []
        self.kept = []
        self.pokes = 0

    def advertising_data(self):
        if self.withholds and any(
                connection.role == hci.Role.PERIPHERAL for connection in self.device.connections.values()):
            return None
        start = herald.flags(0x1A) + herald.structure(0x0A, b"\x0c")
        if self.state == "foreground":
            return start + (herald.uuid128_list() if self.legacy else herald.uuid16_list())
        return start + herald.structure(0xFF, b"\x4c\x00\x01" + OVERFLOW_AREA)

    def services(self):
        self.signal = Characteristic(
            herald.IOS_SIGNAL, Characteristic.Properties.WRITE | Characteristic.Properties.NOTIFY,
            Attribute.WRITEABLE, CharacteristicValue(write=self.on_signal))
        payload = Characteristic(
            herald.PAYLOAD, Characteristic.Properties.READ, Attribute.READABLE,
            CharacteristicValue(read=self.read_own_payload))
        return [Service(herald.SERVICE_128 if self.legacy else herald.SERVICE_16, [self.signal, payload])]

    def on_connection(self, connection):
        super().on_connection(connection)
        if self.withholds:
            loop = asyncio.get_running_loop()
            connection.once("disconnection", lambda reason: loop.create_task(self.advertise()))

    # Sleeping and waking.

    async def wake(self):
        """Until the app runs. The system responds to some requests itself; for all others the app is required."""
        if self.state in self.waking_takes:
            if self.waking is None or self.waking.done():
                self.waking = asyncio.create_task(self.awaken())
            await asyncio.shield(self.waking)
        self.stay_awake()

    async def awaken(self):
        await asyncio.sleep(self.waking_takes[self.state])
        self.awakenings.append(self.state)
        self.state = "background"
        # Only an app that was woken is put to sleep again; one in the background may continue to run.
        self.sleep_timer = asyncio.get_running_loop().call_later(self.idle_until_suspended, self.fall_asleep)

    def stay_awake(self):
        if self.sleep_timer:
            self.sleep_timer.cancel()
            self.sleep_timer = asyncio.get_running_loop().call_later(self.idle_until_suspended, self.fall_asleep)

    def fall_asleep(self):
        self.sleep_timer = None
        if self.state == "background":
            self.state = "suspended"

    async def enter(self, state):
        if self.waking:
            self.waking.cancel()
            self.waking = None
        if self.sleep_timer:
            self.sleep_timer.cancel()
            self.sleep_timer = None
        await super().enter(state)

    async def before_connecting(self):
        await self.wake()

    # Serving.

    async def read_own_payload(self, connection):
        await self.wake()
        return self.payload

    async def on_signal(self, connection, value):
        """An empty write wakes the app; a value that is not a message is rejected."""
        await self.wake()
        value = bytes(value)
        self.written.append(value)
        if not value:
            self.pokes += 1
            asyncio.get_running_loop().create_task(self.poke_back())
            return
        message = signals.decoded(value, strict_rssi=False)
        if message is None:
            raise att.ATT_Error(error_code=att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        self.messages.append((message, connection.way))

    async def poke_back(self):
        await asyncio.sleep(self.notification_delay)
        if self.controller in self.air.controllers:
            await self.device.notify_subscribers(self.signal, b"")

    # Meeting others.

    def notices(self, address):
        if self.state != "foreground":
            now = asyncio.get_running_loop().time()
            if now - self.reported.get(address, -60.0) < self.scan_call:
                return False
            self.reported[address] = now
        return True

    async def characteristics(self, connection):
        await Peer(connection).request_mtu(185)
        return await self.discovered(connection, [herald.SERVICE_16, herald.SERVICE_128], all_services=False)

    def natural_way(self, characteristic):
        return "system"

    async def after_reading(self, connection, found):
        """The connection to a peer with the characteristic of an iPhone is kept, because its system would also suspend its app."""
        signal = found.get(herald.IOS_SIGNAL)
        if signal is None or herald.ANDROID_SIGNAL in found:
            return False
        self.kept.append(connection)

        def on_poke(value):
            self.pokes += 1
            asyncio.get_running_loop().create_task(self.poke(signal))

        await signal.subscribe(on_poke)
        await self.poke(signal)
        return True

    async def poke(self, signal):
        try:
            await signal.write_value(b"", with_response=True)
        except FAILURES:
            pass  # the peer is gone
