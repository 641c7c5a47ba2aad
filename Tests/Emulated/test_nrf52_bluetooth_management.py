"""SMP over Bluetooth of the images that use the radio of their chip: a central on herald-controller opens a session and pulls the log. The rate is that of the chip's time."""

import asyncio
import datetime
import unittest

import figures
import test_nrf52_usb
from nrf52.own_radio import OnMedium

# These are found by additions of the last to the path.
from bumble import hci
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration
from cases_session import KEY, READ_LOG, Host, cbor, request
from radio_line import SERVICE, RadioLine

# Connection interval in ms, and the time of a full packet and the empty one that acknowledges it, with T_IFS behind each, in µs (Vol 6, Part B, 2.1 and 4.1.1): 37 and 10 bytes.
# The payload of a packet has at most 27 bytes.
INTERVAL, PAIR, PAYLOAD = 7.5, 37 * 8 + 150 + 10 * 8 + 150, 27
WINDOW, READS = 6, 150


class PullOverBluetooth(test_nrf52_usb.Asked, OnMedium):
    role = "wearable"

    def test_the_log_is_pulled_over_bluetooth(self):
        self.run_to_sleep(5)
        file = self.folder / "key"
        file.write_bytes(KEY)
        file.chmod(0o600)
        self.ask(("config", "set", "access/key", file, "--new-device"),
                 ("config", "set", "bluetooth/management", "1", "--key-file", file))
        page, rate = self.on_air(self.pull, 1)
        self.assertEqual(page[:4], b"HLog")
        self.assertEqual(self.chip.resets, [0])
        self.assertJudged()
        # What the link layer carries of any protocol above it, if the connection has all of the time.
        ceiling = INTERVAL * 1000 // PAIR * PAYLOAD * 1000 / INTERVAL
        print(f"\n  {figures.add('ble_pull_bytes_per_second', round(rate))}, {figures.add('ble_pull_ceiling_ratio', round(rate / ceiling, 3))}")
        self.assertGreater(rate, 0)

    async def pull(self, air):
        """Returns a page of the log and the bytes of log per second."""
        _, host = await air.attach("central")
        device = Device(config=DeviceConfiguration(name="central", address=hci.Address("F0:D1:00:00:02:01")), host=host)
        await device.power_on()
        connection = await device.connect(
            await self.found(device), timeout=60,
            connection_parameters_preferences={hci.Phy.LE_1M: ConnectionParametersPreferences(
                connection_interval_min=INTERVAL, connection_interval_max=INTERVAL, supervision_timeout=4000)})
        central = Host(await RadioLine.open(connection))
        assert "proof" in await central.open(KEY)
        # Enough records for a page that fills responses.
        date = datetime.datetime(2026, 11, 20)
        for number in range(80):
            date += datetime.timedelta(hours=1, seconds=number)
            assert await central.sealed(2, 0, 4, {"datetime": date.isoformat(timespec="milliseconds")}) == {}
        status = await central.sealed(2, 72, 0)
        page = await central.page(status["last"])
        assert len(page) > 488, len(page)
        began = asyncio.get_running_loop().time()
        count = await self.read(central, status["last"])
        rate = count / (asyncio.get_running_loop().time() - began)
        await connection.disconnect()
        return page, rate

    async def found(self, device):
        """The address of who advertises the service in its scan response."""
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            if bytes(SERVICE) in advertisement.data_bytes and not found.done():
                found.set_result(advertisement.address)
        device.on("advertisement", heard)
        await device.start_scanning(active=True)
        address = await asyncio.wait_for(found, 60)
        await device.stop_scanning()
        return address

    async def read(self, central, sequence):
        """Reads the start of a page again and again, with several requests outstanding; returns the bytes of log received."""
        count, waiting = 0, []

        async def send():
            await central.line.write(central.session.seal(request(*READ_LOG, {"seq": sequence, "off": 0})))
            waiting.append(central.session.number)
        for _ in range(WINDOW):
            await send()
        for left in reversed(range(READS)):
            body = central.session.open(await central.line.packet(), waiting.pop(0))
            count += len(cbor.decoded(body)["data"])
            if left >= WINDOW:
                await send()
        return count


if __name__ == "__main__":
    unittest.main()
