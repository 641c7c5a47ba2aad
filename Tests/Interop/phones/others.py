"""Devices without Herald, which must not be connected to."""

import asyncio

from bumble import hci
from bumble.device import Device, DeviceConfiguration

import herald

# Advertising data of devices that have nothing to do with Herald.
OTHER_DEVICES = {
    # Nearby info of an Apple TV or a MacBook.
    "television": herald.flags(0x1A) + herald.structure(0x0A, b"\x0c") + bytes.fromhex("0aff4c00100508141bba69"),
    # AirPods.
    "earphones": herald.flags(0x1A) + herald.structure(0xFF, bytes.fromhex("4c000719010e2022f58f01000400")),
    # An overflow area without a service: a device without a background app.
    "tablet": herald.flags(0x1A) + herald.structure(0xFF, b"\x4c\x00\x01" + bytes(16)),
    # A heart rate sensor.
    "strap": herald.flags() + herald.structure(0x03, b"\x0d\x18") + herald.structure(0x09, b"Strap"),
    # A product on Zephyr with manufacturer data under the Linux Foundation's identifier, coincidentally of six bytes.
    "lamp": herald.flags() + herald.structure(0xFF, b"\xf1\x05lamp42"),
    "nothing": herald.flags(),
}


class OtherDevice:
    """A device that advertises, and records connections to it."""

    def __init__(self, air, name, address, data):
        self.air = air
        self.name = name
        self.address = address
        self.data = data
        self.controller = None
        self.connections = []

    def __str__(self):
        """Its state, for the report of a failed case."""
        return f"{self.name} {self.address}: connected {self.connections}"

    @property
    def identity(self):
        return self.address

    async def arrive(self):
        self.controller, host = await self.air.attach(self.name)
        device = Device(config=DeviceConfiguration(name=self.name, address=hci.Address(self.address)), host=host)
        device.on("connection", self.connections.append)
        await device.power_on()
        await device.start_advertising(
            auto_restart=True, advertising_data=self.data, scan_response_data=b"", advertising_interval_min=100,
            advertising_interval_max=100)

    async def leave(self):
        self.controller.silence()
        self.air.remove_controller(self.controller)
        await asyncio.sleep(0)
