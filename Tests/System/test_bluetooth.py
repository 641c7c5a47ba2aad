"""herald-node on a HCI user channel of a Linux kernel, with BlueZ on the other controller."""

import asyncio
import base64
import contextlib
import hashlib
import logging
import shutil
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from smpclient import SMPClient
from smpclient.generics import success
from smpclient.requests.os_management import EchoWrite, OSApplicationInfoRead
from smpclient.transport import SMP_SERVICE_UUID
from smpclient.transport.ble import SMPBLETransport

import bluez
import controllers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from node import Node, contacts, pull, run

# Timeout in seconds for expected events. The guest is slower than hardware by a factor of ten, and more on a busy machine.
PATIENCE = 300
# How often BlueZ attempts a connection.
ATTEMPTS = 3
NODES = struct.pack("<BHHQ", 0x08, 826, 4, 1234567890)
PHONES = struct.pack("<BHHQ", 0x08, 826, 4, 4242)
RSSI = -67
MANAGED = "--bluetooth-management"
node_controller = bluez_controller = None


def setUpModule():
    """Two controllers. The first is for the node and stays down until the node opens it; the second is BlueZ's."""
    global node_controller, bluez_controller
    controllers.start()
    node_controller = controllers.plug(rssi=RSSI)
    bluez_controller = controllers.plug(rssi=-60)


class World:
    """A context manager: a node in a separate folder, and BlueZ."""

    has_bluez = False

    def __init__(self, *options, payload="fixed:826,4,1234567890"):
        self.folder = Path(tempfile.mkdtemp())
        self.node = Node(f"hci:{node_controller.name[3:]}", self.folder / "storage", "--link", "tcp:0", *options, payload=payload)

    async def __aenter__(self):
        await self.node.start(PATIENCE)
        await self.node.ready(seconds=PATIENCE)
        # After the node has opened its controller, as the daemon would switch it on.
        if not World.has_bluez:
            bluez.start()
            World.has_bluez = True
        return self

    async def __aexit__(self, kind, error, trace):
        if kind:
            print("herald-node said:", *self.node.messages, sep="\n  ")
        await self.node.stop()
        shutil.rmtree(self.folder)

    @staticmethod
    @contextlib.asynccontextmanager
    async def connected():
        """A connection of BlueZ to the node. On a busy machine the guest can be too late for the deadlines of BlueZ's daemon and kernel: then the node is searched
        and connected again."""
        for attempts_left in reversed(range(ATTEMPTS)):
            client = BleakClient(await World.seen(), timeout=PATIENCE)
            try:
                await client.connect()
                if client.services.get_service(bluez.SERVICE):
                    break
                error = "the connection has no service of Herald"
                await client.disconnect()
            except (BleakError, TimeoutError) as failure:
                error = failure
            print(f"no connection to the node: {error}")
            assert attempts_left, error
        try:
            yield client
        finally:
            await client.disconnect()

    @staticmethod
    async def payload():
        """The payload that BlueZ reads from the node. A connection that is lost meanwhile is made again."""
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                async with World.connected() as client:
                    service = client.services.get_service(bluez.SERVICE)
                    return bytes(await client.read_gatt_char(service.get_characteristic(bluez.PAYLOAD)))
            except BleakError as error:
                print(f"no payload of the node: {error}")
                assert attempts_left, error

    @staticmethod
    async def seen():
        """The node, as BlueZ sees it."""
        def is_herald(device, data):
            return bluez.SERVICE in data.service_uuids
        found = await BleakScanner.find_device_by_filter(is_herald, timeout=PATIENCE)
        assert found, "BlueZ does not find the node"
        return found


class BlueZ(unittest.IsolatedAsyncioTestCase):
    async def test_reads_the_payload_and_writes_signals(self):
        async with World() as world:
            async with world.connected() as client:
                self.assertEqual(bytes(await client.read_gatt_char(self.only(client, bluez.PAYLOAD))), NODES)
                self.assertIn(bluez.SERVICE, bluez.tool("info", client.address))
                signal = self.only(client, bluez.SIGNAL)
                # Whole, then as Android phones write it: successive pieces of at most 20 bytes.
                await client.write_gatt_char(signal, b"\x02" + struct.pack("<h", -71), response=True)
                message = b"\x01" + struct.pack("<H", len(PHONES)) + PHONES
                for start in range(0, len(message), 9):
                    await client.write_gatt_char(signal, message[start:start + 9], response=True)
                await world.node.says("payload of 13 bytes", PATIENCE)
            await pull(world.node.link, world.folder / "log", seconds=PATIENCE)
            rows = contacts(world.folder / "log")
        self.assertIn("RSSI:-71.0", [row["data"] for row in rows])
        self.assertEqual([row["data"] for row in rows if row["read"]], [self.short_name(PHONES)])

    async def test_is_notified_of_a_new_payload(self):
        """The simple payload changes with the period of six minutes. The time until BlueZ reads it is not known; the date is therefore set by a host, later to a
        date ahead of the real one."""
        epoch = int(time.time()) - 60
        folder = Path(tempfile.mkdtemp())
        key = hashlib.sha256(b"a day").hexdigest()
        (folder / "keys").write_text(f"country 826\nstate 4\nepoch {epoch}\nfirst-day 0\n{key}\n")
        async with World("--gatt", "notifying", "--clock", "host", payload=f"simple:{folder / 'keys'}") as world:
            await self.tell_the_date(world, epoch + 60)
            heard = asyncio.get_running_loop().create_future()
            async with world.connected() as client:
                payload = self.only(client, bluez.PAYLOAD)
                before = bytes(await client.read_gatt_char(payload))

                def notified(_, value):
                    # The new date also causes a notification of the payload, although it is unchanged.
                    if bytes(value) != before[:len(value)] and not heard.done():
                        heard.set_result(bytes(value))

                async def keep():
                    # The node ends a connection that has been idle for 15 seconds, and herald-host can take longer here. A read would look like a notification.
                    while not heard.done():
                        await client.write_gatt_char(self.only(client, bluez.SIGNAL), b"\x02" + struct.pack("<h", -71), response=True)
                        await asyncio.sleep(2)

                await client.start_notify(payload, notified)
                async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
                    # An error of a write, such as that of a lost connection, ends the test at once.
                    tasks.create_task(keep())
                    await self.tell_the_date(world, epoch + 360 - 5)
                    told = await heard
        self.assertEqual(len(before), 21)
        # Truncated to the packet.
        self.assertEqual(told[:5], before[:5])

    @staticmethod
    async def tell_the_date(world, seconds):
        """Sets the guest's clock, and the node's with herald-host, which no other clock confirms."""
        time.clock_settime(time.CLOCK_REALTIME, seconds)
        status, _, error = await run("herald-host", "time", "sync", "--trust-clock", "--device", world.node.link, seconds=PATIENCE)
        assert status == 0, error

    async def test_as_a_peripheral_is_found_read_and_logged(self):
        async with World() as world:
            async with bluez.Phone(bluez_controller.name, PHONES) as phone:
                await world.node.says("payload of 13 bytes", PATIENCE)
                self.assertGreaterEqual(phone.payload.reads, 1)
                rows = []
                async with asyncio.timeout(PATIENCE):
                    while not any(row["measure"] for row in rows):
                        await asyncio.sleep(1)
                        await pull(world.node.link, world.folder / "log", seconds=PATIENCE)
                        rows = contacts(world.folder / "log")
        self.assertEqual([row["data"] for row in rows if row["read"]], [self.short_name(PHONES)])
        self.assertEqual({row["data"] for row in rows if row["measure"]}, {f"RSSI:{RSSI}.0"})

    async def test_smpclient_uses_its_own_transport(self):
        """The management link over Bluetooth, with bleak on BlueZ."""
        async with World(MANAGED) as world:
            device = await self.seen_managed()
            async with SMPClient(SMPBLETransport(), device.address, timeout_s=PATIENCE) as client:
                for text in ("hi", "x" * 300):
                    answer = await client.request(EchoWrite(d=text), timeout_s=PATIENCE)
                    self.assertTrue(success(answer) and answer.r == text, answer)
                answer = await client.request(OSApplicationInfoRead(format="n"), timeout_s=PATIENCE)
                self.assertTrue(success(answer) and answer.output == world.node.facts["serial-number"][0], answer)

    async def test_herald_host_uses_a_user_channel(self):
        """The log by the serial number, over the controller that BlueZ has given up."""
        async with World(MANAGED) as world:
            serial, index = world.node.facts["serial-number"][0], bluez_controller.name[3:]
            bluez.managed("--index", index, "power", "off")
            try:
                over = ("--device", f"ble:{serial}", "--controller", f"hci:{index}")
                status, out, error = await run("herald-host", "info", *over, seconds=PATIENCE)
                self.assertEqual((status, serial in out), (0, True), error)
            finally:
                bluez.managed("--index", index, "power", "on")

    @staticmethod
    async def seen_managed():
        """The node with its management link, as BlueZ sees it."""
        found = await BleakScanner.find_device_by_filter(lambda _, data: str(SMP_SERVICE_UUID) in data.service_uuids, timeout=PATIENCE)
        assert found, "BlueZ does not find the service"
        return found

    async def test_cannot_have_a_controller_that_is_taken(self):
        async with World() as world:
            name = node_controller.name
            said = bluez.managed("info")
            self.assertIn(f"{bluez_controller.name}:", said)
            self.assertNotIn(f"{name}:", said)
            second = Node(f"hci:{name[3:]}", world.folder / "second")
            with self.assertRaises(AssertionError):
                # It ends, before or after its output.
                await second.start(PATIENCE)
                await second.ready(seconds=PATIENCE)
            # Its end may be detected before its last output.
            await second.stop()
            self.assertTrue(any("another program has it" in message for message in second.messages), second.messages)

    def only(self, client, uuid):
        """The characteristic with this UUID in the service that all phones implement."""
        [found] = [one for one in client.services.get_service(bluez.SERVICE).characteristics if one.uuid == uuid]
        return found

    @staticmethod
    def short_name(payload):
        """The name a payload has in all logs of Herald's phones."""
        return base64.b64encode(payload[3:]).decode()[:6]


if __name__ == "__main__":
    # It warns about slow operations, and in the guest all are slow.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    unittest.main()
