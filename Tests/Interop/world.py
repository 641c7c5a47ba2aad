"""The setup of a case: a radio medium, a node and phones on it, and a folder that is removed afterwards."""

import asyncio
import contextlib
import shutil
import tempfile
import time
from pathlib import Path

from bumble import hci
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

import air as air_module
import herald
from h4_rssi_proxy import RSSIProxy, RSSIValues, Walk
from node import PATIENCE, Node
from phones.android import AndroidPhone
from phones.ios import IOSPhone
from phones.others import OTHER_DEVICES, OtherDevice

NODE_ADDRESS = "00:11:22:33:44:55"


class Meeting:
    """Nodes and phones on an air, and a folder that is removed afterwards. An asynchronous context manager; phones leave and nodes stop with it."""

    def __init__(self, air):
        self.air = air
        self.folder = Path(tempfile.mkdtemp(prefix="herald-interop-"))
        self.nodes = []
        self.phones = []

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        for phone in self.phones:
            with contextlib.suppress(Exception):
                await phone.leave()
        for node in self.nodes:
            await node.stop()
            if error is not None:
                print(f"  {' '.join(node.arguments)}: {node.facts}", *node.messages[-40:], sep="\n    ")
        if error is not None:
            for phone in self.phones:
                print(f"  {phone}")
        shutil.rmtree(self.folder, ignore_errors=True)

    def now(self):
        """The time of nodes and phones, in seconds since 1970."""
        return time.time()

    async def start(self, node, ready=True):
        """This node, running until the case is over."""
        self.nodes.append(node)
        await node.start()
        if ready:
            await node.ready()
        return node

    async def android(self, number=1, *, identifier=None, **options):
        """An Android-like phone that has arrived."""
        payload = options.pop("payload", None) or herald.test_payload(identifier or 1000 + number)
        pseudo_address = bytes([0xA0 + number, 2, 3, 4, 5, 6])
        return await self.arrive(
            AndroidPhone(self.air, f"android {number}", f"F0:D1:00:00:00:{number:02X}", payload, pseudo_address,
                         **options))

    async def ios(self, number=1, *, identifier=None, **options):
        """An iOS-like phone that has arrived."""
        payload = options.pop("payload", None) or herald.test_payload(identifier or 2000 + number)
        return await self.arrive(
            IOSPhone(self.air, f"ios {number}", f"F0:D1:00:00:01:{number:02X}", payload, **options))

    async def neighbour(self, number, kind):
        """A device without Herald that has arrived."""
        return await self.arrive(OtherDevice(self.air, kind, f"F0:D1:00:00:03:{number:02X}", OTHER_DEVICES[kind]))

    async def arrive(self, phone):
        self.phones.append(phone)
        await phone.arrive()
        return phone


class World(Meeting):
    """A meeting on Bumble's virtual controllers.

    - `apart`: each phone is in range of the node only, and of no other phone.
    - `able`: the node's controller scans while it connects.
    """

    def __init__(self, *, stock=False, apart=False, able=False):
        super().__init__(air_module.Air())
        self.controller = air_module.add_controller(
            self.air, "node", NODE_ADDRESS, stock, air_module.EVERYTHING_AT_ONCE if able else None)
        if apart:
            self.air.centre = self.controller
        self.rssi_values = RSSIValues({"*": Walk.parse("-60")})
        self.server = None
        self.others = []

    async def __aenter__(self):
        self.server = await air_module.serve(self.controller)
        self.proxy = RSSIProxy("127.0.0.1", air_module.port_of(self.server), self.rssi_values)
        self.port = await self.proxy.start()
        return self

    async def __aexit__(self, kind, error, trace):
        await super().__aexit__(kind, error, trace)
        for server in [self.server, self.proxy.server, *self.others]:
            server.close()

    async def node(self, *options, radio=None, storage="storage", ready=True, **settings):
        """A running node; by default over the proxy, and with its radio ready."""
        node = Node(radio or f"tcp:127.0.0.1:{self.port}", self.folder / storage, *options, **settings)
        return await self.start(node, ready=ready)

    async def another_node(self, number, *options, **settings):
        """A further node, on a separate controller that receives every device with -50 dBm."""
        controller = air_module.add_controller(self.air, f"node {number}", f"00:11:22:33:44:{number:02X}")
        server = await air_module.serve(controller)
        self.others.append(server)
        return await self.node(
            *options, radio=f"tcp:127.0.0.1:{air_module.port_of(server)}", storage=f"storage-{number}", **settings)

    async def host(self, address="F0:D1:00:00:02:01"):
        """A plain Bumble host on the medium, without a Herald service."""
        controller = air_module.add_controller(self.air, "host", "00:00:00:00:00:00")
        device = Device(
            config=DeviceConfiguration(name="host", address=hci.Address(address)),
            host=Host(controller, AsyncPipeSink(controller)))
        await device.power_on()
        return device

    async def node_advertisement(self, device, seconds=PATIENCE):
        """The node's advertisement as received by this host."""
        heard = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement):
            if bytes(herald.SERVICE_128) in advertisement.data_bytes and not heard.done():
                heard.set_result(advertisement)

        device.on("advertisement", on_advertisement)
        await device.start_scanning()
        try:
            return await asyncio.wait_for(heard, seconds)
        finally:
            await device.stop_scanning()
            device.remove_listener("advertisement", on_advertisement)

    async def connect(self, device):
        """A connection from this host to the node."""
        advertisement = await self.node_advertisement(device)
        return await device.connect(advertisement.address, timeout=PATIENCE)


async def until(condition, what, seconds=PATIENCE):
    """Waits for a condition in this process; after the timeout fails with its description."""
    try:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"no {what} within {seconds} s") from None
