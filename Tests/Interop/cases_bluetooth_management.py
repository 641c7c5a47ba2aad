"""SMP over Bluetooth: generic programs, an independent host with a session, strangers, and peers that break the protocol."""

import asyncio
import contextlib
import json
from pathlib import Path

import air as air_module
import smp_line
from bumble.device import Peer

from cases_session import COMMIT, DENIED, KEY, LOCKED, READ_LOG, Host, cbor, locked_node, request
from cases_smp import PROGRAMS, run
from false_badge import FalseBadge
from h4_rssi_proxy import RSSIProxy, RSSIValues, Walk
from node import PATIENCE, pull, run as run_program
from radio_line import SERVICE, RadioLine
from world import World, until

OFFERED = "--bluetooth-management"


async def echoes(line):
    answer = await line.ask(request(2, 0, 0, {"d": "hello"}))
    return cbor.decoded(answer[8:]) == {"r": "hello"}


async def case_ble_smp_programs_use_their_own_transports():
    """smpclient and smpmgr, unmodified, find the device by its service: echo, information and statistics."""
    async with World() as world:
        node = await world.node("--link", "tcp:0", OFFERED)
        controller = air_module.add_controller(world.air, "program", "00:00:00:00:00:00")
        server = await air_module.serve(controller)
        world.others.append(server)
        status, said = await run(
            PROGRAMS / "python", Path(__file__).with_name("ble_smp_test.py"), air_module.port_of(server),
            node.facts["serial-number"][0])
        failed = [line for line in said.splitlines() if line.startswith("FAILED")]
        assert status == 0, failed or said[-1500:]


async def case_ble_smp_is_not_there_by_default():
    """Neither the service nor an advertisement of it; a setting switches it on, and off again."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        device = await world.host()
        peer = Peer(await world.connect(device))
        await peer.discover_services()
        usual = {str(service.uuid): (service.handle, service.end_group_handle) for service in peer.services}
        assert SERVICE not in [service.uuid for service in peer.services], peer.services
        await peer.connection.disconnect()
        line = Host(await smp_line.Line.open(node.link))
        assert await line.plain(2, 3, 0, {"name": "bluetooth/management", "val": b"\x01"}) == {}
        radio = await RadioLine.open(await world.connect(device))
        assert await echoes(radio)
        await radio.peer.discover_services()
        now = {str(service.uuid): (service.handle, service.end_group_handle) for service in radio.peer.services}
        assert usual.items() <= now.items() and len(now) == len(usual) + 1, (usual, now)
        assert await line.plain(2, 3, 0, {"name": "bluetooth/management", "val": b"\x00"}) == {}
        await until(lambda: radio.connection not in device.connections.values(), "disconnection")


async def case_ble_smp_session_reads_the_log_and_strangers_do_not():
    """The same pages as over the serial line, at the smallest ATT_MTU and a large one; no access without a session, with and without a key."""
    async with World() as world:
        open_node = await world.node("--link", "tcp:0", OFFERED, storage="open")
        device = await world.host()
        radio = await RadioLine.open(await world.connect(device))
        stranger = Host(radio)
        assert await stranger.plain(*READ_LOG, {"seq": 1}) == LOCKED
        assert await stranger.plain(*COMMIT) == DENIED
        assert await stranger.plain(2, 3, 0, {"name": "access/key", "val": KEY}) == DENIED
        epoch = (await stranger.plain(0, 72, 0))["epoch"]
        assert await stranger.plain(2, 72, 3, {"epoch": epoch}) == LOCKED
        await radio.close()
        await open_node.stop()

        node, file = await locked_node(world, OFFERED)
        await pull(node.link, world.folder / "pulled", "--key-file", file)
        [first, *_] = sorted((world.folder / "pulled" / "pages").glob("*.page*"))
        for mtu in (None, 517):
            radio = await RadioLine.open(await world.connect(device), mtu)
            host = Host(radio)
            assert await host.plain(*READ_LOG, {"seq": 1}) == LOCKED
            assert "proof" in await host.open(KEY)
            status = await host.sealed(0, 72, 0)
            page = await host.page(status["first"])
            assert page.startswith(first.read_bytes()[:64]) and len(page) >= 64, page
            assert await host.sealed(*COMMIT) == {}
            sealed = host.session.seal(request(*COMMIT))
            await radio.close()
            # The session has ended with the connection.
            radio = await RadioLine.open(await world.connect(device), mtu)
            answer = await radio.ask(sealed)
            assert answer[1] == 0 and cbor.decoded(answer[8:]) == LOCKED, answer
            await radio.close()


async def case_ble_smp_survives_hostile_clients():
    """Half a request, wrong lengths, floods, and a disconnection in the middle of a response: the next request and the next client are served."""
    async with World() as world:
        await world.node(OFFERED)
        device = await world.host()
        radio = await RadioLine.open(await world.connect(device))
        echo = request(2, 0, 0, {"d": "x" * 40})
        # Byte by byte behind the header; half of it, and after a while another.
        assert cbor.decoded((await radio.ask(echo, 8))[8:]) == {"r": "x" * 40}
        await radio.write(echo[:20])
        await asyncio.sleep(1.2)
        assert await echoes(radio)
        # Bytes behind the end, a length beyond the largest packet, no header.
        for wrong in (echo + b"\0", b"\x0a\0\xff\xff" + echo[4:], b"\xff" * 20, b"\x0a"):
            await radio.write(wrong)
            await asyncio.sleep(1.2)
            assert await echoes(radio), wrong
        # More requests than there is room for: what is answered is right, and the device goes on.
        for _ in range(200):
            await radio.write(echo)
        await asyncio.sleep(1.2)
        while not radio.parts.empty():
            assert cbor.decoded((await radio.packet())[8:]) == {"r": "x" * 40}
        assert await echoes(radio)
        # Another client while this one is connected; it has no response until this one has gone.
        other = await world.host("F0:D1:00:00:02:02")
        second = await RadioLine.open(await world.connect(other))
        await second.write(echo)
        assert await echoes(radio)
        assert second.parts.empty()
        await radio.write(echo + echo[:12])
        await radio.close()
        assert await echoes(second)
        await second.write(echo)
        await second.connection.disconnect()
        third = await RadioLine.open(await world.connect(other))
        assert await echoes(third)


async def case_ble_smp_leaves_phones_their_connections():
    """A client that floods requests does not keep the node from reading a phone, nor phones from reading the node."""
    async with World() as world:
        node = await world.node(OFFERED)
        device = await world.host()
        radio = await RadioLine.open(await world.connect(device))
        is_over = asyncio.Event()

        async def flood():
            with contextlib.suppress(Exception):
                while not is_over.is_set():
                    await radio.write(request(2, 0, 0, {"d": "x" * 100}))
                    await asyncio.sleep(0.01)

        task = asyncio.create_task(flood())
        phone = await world.android()
        other = await world.ios()
        await node.has_read(phone, other)
        await until(lambda: phone.met and other.met, "payload of the node")
        is_over.set()
        await task


async def case_ble_host_pulls_by_the_serial_number():
    """herald-host finds one of two devices by its serial number over a controller: status, settings, and the log as over the serial line."""
    async with World() as world:
        node, file = await locked_node(world, OFFERED)
        other = await world.another_node(2, OFFERED)
        controller = air_module.add_controller(world.air, "host", "00:11:22:33:44:99")
        server = await air_module.serve(controller)
        world.others.append(server)
        [serial], [another] = node.facts["serial-number"], other.facts["serial-number"]
        over = ("--controller", f"tcp:127.0.0.1:{air_module.port_of(server)}")

        async def host(*words, device=serial, expected=0):
            status, out, err = await run_program("herald-host", *words, "--device", f"ble:{device}", *over)
            assert status == expected, (words, status, out, err)
            return out + err

        await pull(node.link, world.folder / "cable", "--key-file", file)
        assert serial in await host("info")
        assert another in await host("info", device=another)
        await host("config", "set", "log/keep-days", "30", "--key-file", file)
        assert "30" in await host("config", "get", "log/keep-days", "--key-file", file)
        await host("log", "pull", "--output", world.folder / "radio", "--key-file", file)
        for page in (world.folder / "cable" / "pages").glob("*.page"):
            # The device may have appended to the last page.
            assert (world.folder / "radio" / "pages" / page.name).read_bytes().startswith(page.read_bytes()[:64]), page.name
        # Without the key, and a device that is not there.
        assert "key" in await host("log", "pull", "--output", world.folder / "none", expected=9)
        said = await host("info", device="0000000000000000", expected=2)
        assert serial in said and another in said, said


class Reader:
    """herald-host on a controller of its own, behind a proxy that sets the RSSI of each device."""

    def __init__(self, world, serial, file):
        self.world, self.serial, self.file = world, serial, file
        self.rssi = RSSIValues({"*": Walk.parse("-60")})

    async def start(self):
        controller = air_module.add_controller(self.world.air, "reader", "00:11:22:33:44:99")
        server = await air_module.serve(controller)
        proxy = RSSIProxy("127.0.0.1", air_module.port_of(server), self.rssi)
        self.place = f"tcp:127.0.0.1:{await proxy.start()}"
        self.world.others += [server, proxy.server]
        return self

    async def run(self, *words, expected=0, address=None, key=True):
        """Runs it for the device with the serial number; returns its outputs."""
        device = f"ble:{self.serial}" + (f"@{address}" if address else "")
        more = ("--key-file", self.file) if key else ()
        status, out, err = await run_program("herald-host", *words, "--device", device, "--controller", self.place, *more)
        assert status == expected, (words, status, out, err)
        return out, err

    async def pull(self, name):
        """Pulls the log; the identifier of the device that it is of, and standard error."""
        _, err = await self.run("log", "pull", "--output", self.world.folder / name)
        return json.loads((self.world.folder / name / "device.json").read_text())["id"], err


def address_of(world, name):
    """The address under which a controller advertises now; `None` if it does not."""
    [controller] = [controller for controller in world.air.controllers if controller.name == name]
    advertisers = [controller.le_legacy_advertiser, *controller.advertising_sets.values()]
    return next((str(advertiser.address).removesuffix("/P") for advertiser in advertisers if advertiser.enabled), None)


async def case_ble_of_two_devices_with_one_number_the_one_with_the_key_is_taken():
    """Two nodes report one serial number. Without a key neither is taken, and both are named; an address chooses; with the key its owner is taken."""
    async with World() as world:
        node, file = await locked_node(world, OFFERED)
        [serial] = node.facts["serial-number"]
        (world.folder / "storage-2").mkdir(mode=0o700)
        (world.folder / "storage-2" / "serial-number").write_text(serial + "\n")
        twin = await world.another_node(2, OFFERED)
        assert twin.facts["serial-number"] == [serial]
        host = await Reader(world, serial, file).start()
        await until(lambda: address_of(world, "node") and address_of(world, "node 2"), "advertising")
        one, two = address_of(world, "node"), address_of(world, "node 2")
        for near, far in ((one, two), (two, one)):
            host.rssi.restart({near: Walk.parse("-45"), far: Walk.parse("-71")})
            out, err = await host.run("info", key=False, expected=3)
            said = (f"2 devices report serial number {serial}, the nearest first: {near} (-45 dBm), {far} (-71 dBm)\n"
                    "  → name the file of its access key with --key-file, which only the device itself can prove to have, "
                    f"or choose one with --device ble:{serial}@ADDRESS")
            assert out == "" and said in err, (out, err)
        # The twin is the nearer one.
        states = {address: json.loads((await host.run("info", "--json", address=address, key=False))[0])["access"] for address in (one, two)}
        assert states == {one: "locked", two: "open"}, states
        await pull(node.link, world.folder / "cable", "--key-file", file)
        cable = json.loads((world.folder / "cable" / "device.json").read_text())["id"]
        pulled, err = await host.pull("radio")
        assert pulled == cable
        assert f"another device near reports the serial number {serial} and does not have its key: {two} (-45 dBm)\n" in err, err


async def case_ble_impostor_neither_hinders_a_pull_nor_learns_anything():
    """Strangers with the serial number, nearer than the badge: one with a wrong proof, one that has no key, one that does not respond."""
    async with World() as world:
        node, file = await locked_node(world, OFFERED)
        [serial] = node.facts["serial-number"]
        host = await Reader(world, serial, file).start()
        await pull(node.link, world.folder / "cable", "--key-file", file)
        cable = json.loads((world.folder / "cable" / "device.json").read_text())["id"]
        liar = await FalseBadge(await world.host("F0:D1:00:00:09:01"), serial).start()
        keyless = await FalseBadge(await world.host("F0:D1:00:00:09:02"), serial, is_locked=False).start()
        silent = await FalseBadge(await world.host("F0:D1:00:00:09:03"), serial, is_silent=True).start()
        host.rssi.restart({"F0:D1:00:00:09:01": Walk.parse("-40"), "F0:D1:00:00:09:02": Walk.parse("-41"),
                           "F0:D1:00:00:09:03": Walk.parse("-42"), "*": Walk.parse("-80")})
        pulled, err = await host.pull("radio")
        assert pulled == cable
        for address, rssi in (("F0:D1:00:00:09:01", -40), ("F0:D1:00:00:09:02", -41)):
            assert f"another device near reports the serial number {serial} and does not have its key: {address} ({rssi} dBm)\n" in err, err
        assert (liar.connections, keyless.connections, silent.connections) == (1, 1, 1)
        # Everything that they were sent: the question for the number, the access state, and to the one with a key a nonce and a proof under it.
        def kinds(badge):
            return [(packet[0] & 7, packet[5], packet[7]) for packet in badge.seen]

        assert kinds(silent) == [(0, 0, 7)] and kinds(keyless) == [(0, 0, 7), (0, 72, 5)], (kinds(silent), kinds(keyless))
        assert set(kinds(liar)) == {(0, 0, 7), (0, 72, 5), (2, 72, 5)} and kinds(liar).count((2, 72, 5)) == 1, kinds(liar)
        [proof] = [packet for packet in liar.seen if packet[0] & 7 == 2]
        assert KEY not in b"".join(liar.seen) and cbor.decoded(proof[8:]).keys() == {"nonce", "proof"}
        # The proof is worth nothing at the badge.
        device = await world.host()
        radio = await RadioLine.open(await device.connect(address_of(world, "node")))
        answer = await radio.ask(proof)
        assert cbor.decoded(answer[8:]) == {"err": {"group": 72, "rc": 7}}, answer
        await radio.close()
        # With the badge out of range the strangers are named, and nothing is written.
        await node.stop()
        _, err = await host.run("log", "pull", "--output", world.folder / "none", expected=18)
        assert f"2 devices report serial number {serial}, the nearest first: F0:D1:00:00:09:01 (-40 dBm), F0:D1:00:00:09:02 (-41 dBm)" in err, err
        assert not list((world.folder / "none").glob("**/*.page")), err
