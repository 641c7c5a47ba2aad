"""The examples that use the Bluetooth host without Herald, on a model of the nRF52833: a plain Bumble host scans for them, reads them and is notified."""

import asyncio
import unittest

from bumble import core, gatt
from bumble.device import Peer

from nrf52.on_chip import OnChip
from nrf52.virtual_time import Attached, play
from world import World


async def heard(device, address, seconds=10):
    """The advertisement of this address, as received by the host."""
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        if str(advertisement.address).startswith(address) and not found.done():
            found.set_result(advertisement)

    device.on("advertisement", on_advertisement)
    await device.start_scanning()
    try:
        return await asyncio.wait_for(found, seconds)
    finally:
        await device.stop_scanning()
        device.remove_listener("advertisement", on_advertisement)


class IBeacon(OnChip):
    role = "IBeacon"

    def test_a_scanner_hears_the_ibeacon(self):
        async def scan():
            async with World() as world, Attached(self.chip, world.port):
                world.controller.beacon()
                return await heard(await world.host(), "C0:FF:EE:00:00:01")

        advertisement = play(self.chip, scan())
        self.assertFalse(advertisement.is_connectable)
        self.assertEqual(advertisement.data_bytes.hex(), "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
        self.assertEqual(self.chip.resets, [0], "the watchdog is fed")


class HeartRate(OnChip):
    role = "HeartRate"

    def test_a_client_discovers_reads_and_is_notified_once_a_second(self):
        async def use():
            async with World() as world, Attached(self.chip, world.port):
                device = await world.host()
                advertisement = await heard(device, "C0:FF:EE:00:00:02")
                self.assertEqual(int(advertisement.data.get(core.AdvertisingData.APPEARANCE)), 0x0341)
                connection = await device.connect(advertisement.address)
                peer = Peer(connection)
                await peer.discover_all()
                name, = peer.get_characteristics_by_uuid(gatt.GATT_DEVICE_NAME_CHARACTERISTIC)
                self.assertEqual(await name.read_value(), b"Heart")
                level, = peer.get_characteristics_by_uuid(gatt.GATT_BATTERY_LEVEL_CHARACTERISTIC)
                self.assertEqual(await level.read_value(), b"\x64")
                measurement, = peer.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
                beats = []
                await measurement.subscribe(beats.append)
                await asyncio.sleep(10)
                await measurement.unsubscribe(beats.append)
                before = len(beats)
                await asyncio.sleep(3)
                self.assertEqual(len(beats), before, "who has unsubscribed is not notified")
                await connection.disconnect()
                # Connectable again after the connection.
                self.assertTrue((await heard(device, "C0:FF:EE:00:00:02")).is_connectable)
                return beats

        beats = play(self.chip, use())
        self.assertIn(len(beats), (9, 10))
        self.assertEqual({bytes(beat)[0] for beat in beats}, {0})
        numbers = [bytes(beat)[1] for beat in beats]
        self.assertEqual([later - number for number, later in zip(numbers, numbers[1:])], [1] * (len(numbers) - 1))
        self.assertEqual(self.chip.resets, [0], "the watchdog is fed")


if __name__ == "__main__":
    unittest.main()
