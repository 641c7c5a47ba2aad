"""A host at the chip's USB connector, in the chip's time: resets the bus, gives the device an address, and moves packets (Universal Serial Bus Specification 2.0, 5
and 8)."""

import asyncio

from .usbd import ACK, NAK, PACKET, STALL

# The approximate duration of a transaction of 64 bytes at full speed, and the durations of the bus reset and of the wait before it (7.1.7.3, 7.1.7.5).
TRANSACTION, DEBOUNCE, RESET, RECOVERY = 0.00006, 0.1, 0.05, 0.01
GET_DESCRIPTOR, SET_ADDRESS, SET_CONFIGURATION, CLEAR_FEATURE = 6, 5, 9, 1
ADDRESS = 5


class Stalled(Exception):
    """The device responds with STALL."""


class Gone(Exception):
    """The device is no longer on the bus."""


class Host:
    """The host. Its construction connects the cable."""

    def __init__(self, chip):
        self.chip, self.device = chip, chip.usb
        self.changed = asyncio.Event()
        self.toggles = {}
        self.is_attached = False
        # The number of packets in each direction, without those of the control endpoint.
        self.packets = 0
        self.device.on_change = self.note_change
        chip.clocks.plug(True)

    def note_change(self):
        self.changed.set()
        self.chip.pause()

    def unplug(self):
        self.device.forget_bus()
        self.chip.clocks.plug(False)
        self.note_change()

    async def change(self):
        """Waits until the device's response may have changed."""
        self.changed.clear()
        await self.changed.wait()
        if self.is_attached and not self.device.is_visible:
            self.is_attached = False
            raise Gone

    # Enumeration.

    async def attach(self):
        """Waits for a device and gives it an address; its descriptors, device and first configuration."""
        self.is_attached = False
        while not self.device.is_visible:
            await self.change()
        self.is_attached = True
        await asyncio.sleep(DEBOUNCE)
        self.device.reset_bus()
        self.toggles = {}
        await asyncio.sleep(RESET)
        await self.descriptor(1, 0, 64)
        await self.control(bytes([0, SET_ADDRESS, ADDRESS, 0, 0, 0, 0, 0]))
        await asyncio.sleep(RECOVERY)
        assert self.device.address == ADDRESS
        device = await self.descriptor(1, 0, 18)
        head = await self.descriptor(2, 0, 9)
        return device, await self.descriptor(2, 0, int.from_bytes(head[2:4], "little"))

    async def descriptor(self, kind, index, length, language=0):
        return await self.control(bytes([0x80, GET_DESCRIPTOR, index, kind, *language.to_bytes(2, "little"), *length.to_bytes(2, "little")]))

    # Transfers.

    async def transact(self, token):
        """Repeats a transaction until the response is not NAK."""
        while True:
            await asyncio.sleep(TRANSACTION)
            if not self.device.is_visible:
                self.is_attached = False
                raise Gone
            answer = token()
            if answer == STALL:
                raise Stalled
            if answer != NAK:
                return answer
            await self.change()

    async def control(self, setup, data=b""):
        """A control transfer; returns its data."""
        length, is_in = int.from_bytes(setup[6:8], "little"), bool(setup[0] & 0x80)
        await self.transact(lambda: self.device.setup(setup))
        if setup[:2] in (bytes([0, SET_CONFIGURATION]), bytes([1, 11])):
            self.toggles = {}
        elif setup[:2] == bytes([2, CLEAR_FEATURE]):
            self.toggles[setup[4]] = 0
        if not is_in:
            for start in range(0, length, PACKET):
                piece = data[start:start + PACKET]
                await self.transact(lambda: self.device.output(0, 1, piece))
            toggle, status = await self.transact(lambda: self.device.input(0))
            assert (toggle, status) == (1, b"")
            return b""
        found, wanted = b"", 1
        while len(found) < length:
            toggle, piece = await self.transact(lambda: self.device.input(0))
            assert toggle == wanted, "the device has repeated or left out a packet"
            wanted ^= 1
            found += piece
            if len(piece) < PACKET:
                break
        if length:
            await self.transact(lambda: self.device.output(0, 1, b""))
        return found

    async def read(self, number, length):
        """A transfer from an endpoint, up to the first short packet or the requested length."""
        found = b""
        while True:
            toggle, piece = await self.transact(lambda: self.device.input(number))
            self.packets += 1
            expected = self.toggles.get(number | 0x80, 0)
            assert toggle == expected, f"DATA{toggle} where DATA{expected} was to come"
            self.toggles[number | 0x80] = expected ^ 1
            found += piece
            if len(piece) < PACKET or len(found) >= length:
                return found[:length]

    async def write(self, number, data):
        """A transfer to an endpoint, in packets of 64 bytes; an empty transfer is one packet."""
        for start in range(0, max(len(data), 1), PACKET):
            piece, toggle = data[start:start + PACKET], self.toggles.get(number, 0)
            assert await self.transact(lambda: self.device.output(number, toggle, piece)) == ACK
            self.packets += 1
            self.toggles[number] = toggle ^ 1
