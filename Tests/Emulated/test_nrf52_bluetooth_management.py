"""SMP over Bluetooth of the images that use the radio of their chip: a central on herald-controller opens a session and pulls the log. The rate is that of the chip's time."""

import asyncio
import datetime
import itertools
import unittest

import figures
import test_nrf52_usb
from nrf52.own_radio import OnMedium

# These are found by additions of the last to the path.
from bumble import hci
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration
from cases_session import KEY, READ_LOG, Host, cbor, request
from packets import ADVERTISING_ADDRESS, SCAN_RSP
from radio_line import SERVICE, RadioLine

# Connection interval in ms, and the time of a full packet and the empty one that acknowledges it, with T_IFS behind each, in µs (Vol 6, Part B, 2.1 and 4.1.1): 37 and 10 bytes.
# The payload of a packet has at most 27 bytes.
INTERVAL, PAIR, PAYLOAD = 15, 37 * 8 + 150 + 10 * 8 + 150, 27
WINDOW, READS = 6, 150
# The number of the chip on the medium, and the MHz over 2400 of channel 37.
CHIP, FIRST_CHANNEL = 0, 2


def longest_gap(transmitted):
    """The longest time between two advertising events of the chip, in µs."""
    starts = [record.start for record in transmitted if record.device == CHIP and record.address == ADVERTISING_ADDRESS and record.mhz == FIRST_CHANNEL and record.packet[0] & 15 != SCAN_RSP]
    return max(later - earlier for earlier, later in itertools.pairwise(starts))


def response_times(transmitted):
    """The times from each ATT request to the chip to its response (Vol 3, Part F, 3.3.1), in µs, from the end of the first packet of each to the start of that of the other."""
    asked, times = {}, []
    for record in transmitted:
        header, pdu = record.packet[0], record.packet[2:-3]
        # The start of an L2CAP PDU on channel 4.
        if record.address == ADVERTISING_ADDRESS or header & 3 != 2 or len(pdu) < 5 or pdu[2:4] != b"\4\0":
            continue
        opcode = pdu[4]
        if record.device != CHIP and opcode & 0x41 == 0 and opcode != 0x1E:
            asked.setdefault(record.address, record.end)
        elif record.device == CHIP and opcode & 1 and opcode < 0x1B and record.address in asked:
            times.append(record.start - asked.pop(record.address))
    return times


class PullOverBluetooth(test_nrf52_usb.Asked, OnMedium):
    role = "wearable"

    def setUp(self):
        super().setUp()
        self.run_to_sleep(5)
        file = self.folder / "key"
        file.write_bytes(KEY)
        file.chmod(0o600)
        self.ask(("config", "set", "access/key", file, "--new-device"),
                 ("config", "set", "bluetooth/management", "1", "--key-file", file))

    def test_the_log_is_pulled_over_bluetooth(self):
        page, rate = self.on_air(self.pull, 1)
        self.assertEqual(page[:4], b"HLog")
        self.assertEqual(self.chip.resets, [0])
        self.assertJudged()
        # What the link layer carries of any protocol above it, if the connection has all of the time.
        ceiling = INTERVAL * 1000 // PAIR * PAYLOAD * 1000 / INTERVAL
        print(f"\n  {figures.add('ble_pull_bytes_per_second', round(rate))}, {figures.add('ble_pull_ceiling_ratio', round(rate / ceiling, 3))}")
        self.assertGreater(rate / ceiling, 0.6)

    def test_phones_are_served_while_the_log_is_pulled(self):
        """None of what phones are owed is later than a second: advertisements, responses, and the time to scan."""
        share, _ = self.on_air(self.pull_among_phones, 3)
        self.assertEqual(self.chip.resets, [0])
        self.assertJudged()
        times = response_times(self.transmitted)
        # Two phones discover the service and read the payload.
        self.assertGreater(len(times), 10)
        gap = longest_gap(self.transmitted)
        print(f"\n  longest response {max(times) / 1000:.1f} ms, of {len(times)}; longest time between advertisements {gap / 1000:.1f} ms; scanning {share:.3f} of the time")
        self.assertLess(max(times), 1000000)
        self.assertLess(gap, 1000000)
        # The scan window of 120 ms in 1,125 ms, less the connection events in it.
        self.assertGreater(share, 0.04)

    async def opened(self, air):
        """A session of a central on the medium, with its connection, and the number of a page of the log that fills responses."""
        _, host = await air.attach("central")
        device = Device(config=DeviceConfiguration(name="central", address=hci.Address("F0:D1:00:00:02:01")), host=host)
        await device.power_on()
        connection = await device.connect(
            await self.found(device), timeout=60,
            connection_parameters_preferences={hci.Phy.LE_1M: ConnectionParametersPreferences(
                connection_interval_min=INTERVAL, connection_interval_max=INTERVAL, supervision_timeout=4000)})
        central = Host(await RadioLine.open(connection))
        assert "proof" in await central.open(KEY)
        date = datetime.datetime(2026, 11, 20)
        for number in range(80):
            date += datetime.timedelta(hours=1, seconds=number)
            assert await central.sealed(2, 0, 4, {"datetime": date.isoformat(timespec="milliseconds")}) == {}
        return central, connection, (await central.sealed(2, 72, 0))["last"]

    async def pull(self, air):
        """Returns a page of the log and the bytes of log per second."""
        central, connection, sequence = await self.opened(air)
        page = await central.page(sequence)
        assert len(page) > 488, len(page)
        began = asyncio.get_running_loop().time()
        count = await self.read(central, sequence)
        rate = count / (asyncio.get_running_loop().time() - began)
        await connection.disconnect()
        return page, rate

    async def pull_among_phones(self, air):
        """Two phones arrive while the log is pulled, and the chip and they read each other. Returns the share of time in which the chip scanned, and the bytes of log."""
        central, connection, sequence = await self.opened(air)
        began, scanned = asyncio.get_running_loop().time(), await self.scanned(central)
        self.has_met = False
        met = asyncio.create_task(self.met(air, stay=0))
        met.add_done_callback(lambda _: setattr(self, "has_met", True))
        count = 0
        while not self.has_met:
            count += await self.read(central, sequence, 20)
        await met
        share = (await self.scanned(central) - scanned) / (asyncio.get_running_loop().time() - began)
        await connection.disconnect()
        return share, count

    async def scanned(self, central):
        """For how many seconds the chip has scanned, by its counter."""
        return (await central.sealed(0, 2, 0, {"name": "scanner"}))["fields"]["receive_ms"] / 1000

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

    async def read(self, central, sequence, reads=READS):
        """Reads the start of a page again and again, with several requests outstanding; returns the bytes of log received."""
        count, waiting = 0, []

        async def send():
            await central.line.write(central.session.seal(request(*READ_LOG, {"seq": sequence, "off": 0})))
            waiting.append(central.session.number)
        for _ in range(WINDOW):
            await send()
        for left in reversed(range(reads)):
            body = central.session.open(await central.line.packet(), waiting.pop(0))
            count += len(cbor.decoded(body)["data"])
            if left >= WINDOW:
                await send()
        return count


if __name__ == "__main__":
    unittest.main()
