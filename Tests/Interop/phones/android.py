"""An Android-like phone: Herald 2.2 by default, Herald 2.0 if `legacy`."""

import asyncio
import itertools

from bumble.att import Attribute
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones import signals
from phones.phone import FAILURES, Phone


class AndroidPhone(Phone):
    """Advertises Flags, the Herald service and a pseudo device address; serves signal, then payload; reads peers at the
    default MTU with long reads, after discovering all their services.

    - `state`: foreground and background are the same; terminated transmits nothing.
    - `rotates`: seconds after which it takes another address, under the same pseudo device address.
    - `advertises=False`: one that cannot advertise; it writes to peers its payload, their RSSI and, if it has any to share, payloads of others, each on a connection
      of its own, instead of being read. `payload_period`, `rssi_period` and `sharing_period` are the periods; those of a phone are 300, 15 and 15 seconds."""

    states = ("foreground", "background", "terminated")
    in_range = 3.0
    scan_interval, scan_window = 1000, 250

    def __init__(self, air, name, address, payload, pseudo_address, *, legacy=False, rotates=None, advertises=True,
                 payload_period=300.0, rssi_period=15.0, sharing_period=15.0, rssi=-50, shares=b"", **options):
        super().__init__(air, name, address, payload, **options)
        self.pseudo_address = pseudo_address
        self.legacy = legacy
        self.rotates = rotates
        self.advertises = advertises
        self.periods = {signals.PAYLOAD: payload_period, signals.RSSI: rssi_period, signals.SHARING: sharing_period}
        self.rssi = rssi
        self.shares = shares
        self.accumulators = {}
        self.told = {}
        self.last_heard = {}

    @property
    def identity(self):
        """The pseudo device address, most significant byte first; the address of a phone that does not advertise."""
        if not self.advertises:
            return self.address
        return ":".join(f"{byte:02X}" for byte in reversed(self.pseudo_address))

    def advertising_data(self):
        if not self.advertises or self.state == "terminated":
            return None
        uuid = herald.uuid128_list() if self.legacy else herald.uuid16_list()
        return herald.flags() + uuid + herald.pseudo_address(self.pseudo_address, self.legacy)

    def services(self):
        if not self.advertises:
            return []
        signal = Characteristic(
            herald.ANDROID_SIGNAL, Characteristic.Properties.WRITE, Attribute.WRITEABLE,
            CharacteristicValue(write=self.on_signal))
        payload = Characteristic(
            herald.PAYLOAD, Characteristic.Properties.READ, Attribute.READABLE,
            CharacteristicValue(read=self.read_own_payload))
        return [Service(herald.SERVICE_128 if self.legacy else herald.SERVICE_16, [signal, payload])]

    async def enter(self, state):
        if state == "terminated" and self.controller:
            # The app's connections end with it, those it opened and those to its server.
            for connection in list(self.device.connections.values()):
                await connection.disconnect()
        await super().enter(state)

    def notices(self, address):
        self.last_heard[address] = asyncio.get_running_loop().time()
        return self.state != "terminated"

    def duties(self):
        duties = super().duties()
        if self.rotates:
            duties.append(self.keep_rotating())
        if not self.advertises:
            duties.append(self.keep_telling())
        return duties

    def on_signal(self, connection, value):
        """Whatever is written is acknowledged."""
        self.written.append(bytes(value))
        accumulator = self.accumulators.setdefault(connection, signals.AndroidAccumulator())
        in_pieces = bool(accumulator.bytes)
        if message := accumulator.take(bytes(value)):
            self.messages.append((message, "pieces" if in_pieces else connection.way))

    async def characteristics(self, connection):
        return await self.discovered(connection, [herald.SERVICE_16, herald.SERVICE_128], all_services=True)

    def natural_way(self, characteristic):
        return "pieces" if characteristic.uuid == herald.ANDROID_SIGNAL else "system"

    async def after_reading(self, connection, found):
        """An advertising phone writes its payload to an iPhone, which may not detect it."""
        if self.advertises and herald.IOS_SIGNAL in found and herald.ANDROID_SIGNAL not in found:
            await self.write(connection, found, signals.Message(signals.PAYLOAD, self.payload).encoded())

    # Tasks while the phone is in range.

    async def keep_rotating(self):
        """Another address every few seconds, between connections."""
        number = self.address.rsplit(":", 1)[1]
        for count in itertools.count(1):
            await asyncio.sleep(self.rotates)
            while self.device.connections:
                await asyncio.sleep(0.05)
            await self.rotate_address(f"5A:D1:{count >> 8 & 0xFF:02X}:{count & 0xFF:02X}:00:{number}")

    def due(self, address):
        """The message that is due to a peer whose payload is known, if any: the payload, else others', else the RSSI."""
        def is_due(code):
            told = self.told.get((address, code))
            return told is None or asyncio.get_running_loop().time() - told >= self.periods[code]

        if is_due(signals.PAYLOAD):
            return signals.Message(signals.PAYLOAD, self.payload)
        if is_due(signals.RSSI):
            return signals.Message(signals.RSSI, rssi=self.rssi)
        if self.shares and is_due(signals.SHARING):
            return signals.Message(signals.SHARING, self.shares, self.rssi)
        return None

    async def keep_telling(self):
        while not asyncio.current_task().cancelling():
            await asyncio.sleep(0.1)
            for address in [address for address, payload in self.met.items() if payload is not None]:
                message = self.due(address)
                near = asyncio.get_running_loop().time() - self.last_heard.get(address, float("-inf")) < self.in_range
                if message is None or not near or self.state == "terminated":
                    continue
                try:
                    await self.send(address, message)
                    self.told[address, message.code] = asyncio.get_running_loop().time()
                except FAILURES:
                    if asyncio.current_task().cancelling():
                        raise
