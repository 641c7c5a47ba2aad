"""The controller: bring-up over every transport there is here, and controllers that go and come back."""

import asyncio
import os
import termios
import tty

import air as air_module
import herald
from air import HostPort
from world import World


async def check_advertisement(world):
    """The node's advertisement is what docs/architecture.md promises."""
    device = await world.host()
    advertisement = await world.node_advertisement(device)
    data = advertisement.data_bytes
    assert len(data) <= 31, f"{len(data)} bytes of advertising data"
    assert advertisement.is_connectable
    assert herald.uuid16_list() in data, data.hex()
    assert herald.uuid128_list() in data, data.hex()
    assert data.startswith(herald.flags(0x06)), data.hex()
    address = bytes(advertisement.address)
    assert address[5] >> 6 == 0b01, f"{advertisement.address} is not a resolvable private address"
    return advertisement


async def case_radio_comes_up_on_a_stock_controller():
    async with World(stock=True) as world:
        node = await world.node()
        await check_advertisement(world)
        assert await node.stop() == 0
        assert node.facts["radio-ready"] == [""]


async def case_radio_comes_up_over_a_unix_socket():
    async with World() as world:
        path = str(world.folder / "hci")
        server = await asyncio.get_running_loop().create_unix_server(lambda: HostPort(world.controller), path)
        await world.node(radio=f"unix:{path}")
        await check_advertisement(world)
        server.close()


async def case_radio_comes_up_over_a_serial_line():
    async with World() as world:
        near, far = os.openpty()
        tty.setraw(near, termios.TCSANOW)
        tty.setraw(far, termios.TCSANOW)
        os.set_blocking(near, False)
        port = HostPort(world.controller)

        class Line:
            def write(self, packet):
                os.write(near, packet)

            def is_closing(self):
                return False

        port.connection_made(Line())
        loop = asyncio.get_running_loop()
        loop.add_reader(near, lambda: port.data_received(os.read(near, 4096)))
        try:
            await world.node(radio=f"h4:{os.ttyname(far)},115200,noflow")
            await check_advertisement(world)
        finally:
            loop.remove_reader(near)


async def case_radio_survives_a_controller_that_goes_and_comes_back():
    async with World() as world:
        first = await world.android(1)
        node = await world.node()
        await node.has_read(first)
        port = air_module.port_of(world.server)
        world.server.close()
        world.controller.host.transport.close()
        await node.says("does not work", seconds=20)
        await first.leave()
        await asyncio.sleep(1)
        assert node.process.returncode is None
        world.server = await air_module.serve(world.controller, port)
        await node.ready(times=2)
        await check_advertisement(world)
        second = await world.android(2)
        await node.has_read(second)
        assert await node.stop() == 0


async def case_radio_survives_a_controller_that_falls_silent():
    async with World() as world:
        node = await world.node()
        handle = world.controller.on_hci_packet
        world.controller.on_hci_packet = lambda packet: None
        await node.says("does not work", seconds=20)
        world.controller.on_hci_packet = handle
        await node.ready(times=2, seconds=20)
        await check_advertisement(world)


async def case_radio_survives_a_controller_that_resets_itself():
    async with World() as world:
        node = await world.node()
        world.controller.silence()
        # Vendor hardware error: Hardware Error event, code 1.
        world.controller.host.on_packet(bytes([0x04, 0x10, 0x01, 0x01]))
        await node.ready(times=2, seconds=20)
        await check_advertisement(world)
