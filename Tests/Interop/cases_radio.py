"""The controller: bring-up over every transport, and controllers that disconnect and return."""

import asyncio
import os
import socket
import termios
import tty

from bumble.device import Peer

import air as air_module
import herald
from air import HostPort
from node import PATIENCE, run
from world import World, until


async def check_advertisement(world):
    """The node's advertisement is that of docs/wire-formats.md."""
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
        with socket.socket() as kept:
            # The port must not be taken by another process meanwhile.
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            kept.bind(("127.0.0.1", port))
            world.server.close()
            world.controller.host.transport.close()
            await node.says("does not work")
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
        await node.says("does not work")
        world.controller.on_hci_packet = handle
        await node.ready(times=2)
        await check_advertisement(world)


async def case_radio_that_never_answers_is_complained_about_once():
    async with World() as world:
        held = []
        server = await asyncio.start_server(lambda *streams: held.append(streams), "127.0.0.1", 0)
        radio = f"tcp:127.0.0.1:{air_module.port_of(server)}"
        node = await world.node(radio=radio, ready=False)
        await node.says(f"no answer from the controller at {radio}")
        await asyncio.sleep(6)
        complaints = [message for message in node.messages if "no answer" in message]
        assert len(complaints) == 1 and "H4" in complaints[0] and " warning " in complaints[0], complaints
        server.close()


async def case_mistakes_of_our_own_are_told_before_the_controller_is_looked_for():
    async with World() as world:
        for options, told in (
            (["--payload", "simple:/nope"], "cannot read /nope"),
            (["--storage", "/proc/nope"], "/proc/nope"),
            (["--link", "pty:/nope/x"], "/nope/x"),
        ):
            arguments = {"--storage": world.folder / "new", "--payload": "fixed:826,4,1", options[0]: options[1]}
            status, _, err = await run(
                "herald-node", "--radio", f"unix:{world.folder / 'nobody'}",
                *(word for pair in arguments.items() for word in pair))
            assert status == 1
            assert told in err and "nobody" not in err, err


async def case_radio_survives_a_controller_that_resets_itself():
    async with World() as world:
        node = await world.node()
        world.controller.silence()
        # Vendor hardware error: Hardware Error event, code 1.
        world.controller.host.on_packet(bytes([0x04, 0x10, 0x01, 0x01]))
        await node.ready(times=2)
        await check_advertisement(world)


async def case_radio_disconnects_what_a_controller_keeps_in_spite_of_a_reset():
    """Bumble's own controller continues with its connections when it is reset."""
    async with World(stock=True) as world:
        node = await world.node()
        host = await world.host()
        connection = await world.connect(host)
        peer = Peer(connection)
        assert await peer.discover_service(herald.SERVICE_16)
        ended = asyncio.get_running_loop().create_future()
        connection.on("disconnection", lambda reason: ended.done() or ended.set_result(reason))
        # Hardware Error: the node resets the controller.
        world.controller.host.on_packet(bytes([0x04, 0x10, 0x01, 0x01]))
        await node.ready(times=2)
        assert not ended.done() and world.controller.le_connections, "this controller ends its connections at a reset"
        # A request without a response: the connection is closed.
        question = asyncio.create_task(peer.discover_service(herald.SERVICE_128))
        await asyncio.wait_for(ended, PATIENCE)
        question.cancel()
        await until(lambda: not world.controller.le_connections, "end of the connection")
        # The next one is served.
        peer = Peer(await world.connect(host))
        [service] = await peer.discover_service(herald.SERVICE_16)
        [payload] = await service.discover_characteristics([herald.PAYLOAD])
        assert bytes(await payload.read_value()) == herald.fixed_payload(826, 4, 1234567890)
