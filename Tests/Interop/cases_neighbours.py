"""CovidWatch and C19X: phones of both observed, and the node as their peer (HP-52…HP-55)."""

import asyncio
import csv
import hashlib
import time

from bumble import att
from bumble.core import UUID
from bumble.device import Peer

import herald
from node import PATIENCE, pull
from phones import c19x, covidwatch
from phones.c19x import C19XPhone
from phones.covidwatch import CovidWatchPhone
from world import World, until

DAY = 86400
HEADER = bytes([0x02, 0x01, 0x06, 0x03, 0x03, 0x19, 0xC0, 0x13, 0x16, 0x19, 0xC0])


async def rows(world, node):
    """The codes in the log: (role, system, address, code)."""
    await pull(node.link, world.folder / "out")
    with open(world.folder / "out" / "neighbours.csv", newline="") as file:
        return [(row["role"], row["system"], row["id"], row["code"].removeprefix("x").lower()) for row in csv.DictReader(file)]


async def rows_until(world, node, condition):
    """The same, once the condition is true; the log is committed every 30 s, and the open page is read as well."""
    end = time.monotonic() + 30 + PATIENCE
    while True:
        found = await rows(world, node)
        if condition(found):
            return found
        assert time.monotonic() < end, f"the log has only {found}"
        await asyncio.sleep(1)


async def covidwatch_phone(world, number, **options):
    return await world.arrive(
        CovidWatchPhone(world.air, f"covidwatch {number}", f"F0:D1:00:00:04:{number:02X}", **options))


def day_code_file(path, secret, days):
    """Day codes of a secret, derived here from the project's description; also the 240 codes of each day."""
    today = int(time.time()) // DAY
    first = today - 1 - 20000
    chain, link = {}, hashlib.sha256(secret).digest()
    for day in range(1824, -1, -1):
        chain[day] = link[:8]
        link = hashlib.sha256(link).digest()
    lines = ["# for the test", "epoch-day 20000", f"first-day {first}"]
    lines += [chain[day].hex() for day in range(first, first + days)]
    path.write_text("\n".join(lines) + "\n")
    codes = set()
    for day in range(first, first + days):
        seed = hashlib.sha256(bytes(reversed(chain[day]))).digest()[:8]
        link = hashlib.sha256(seed).digest()
        for _ in range(240):
            codes.add(link[:8].hex())
            link = hashlib.sha256(link).digest()
    return codes


async def case_observes_covidwatch_on_android_without_connecting():
    """HP-52"""
    async with World() as world:
        phone = await covidwatch_phone(world, 1, shows=True)
        node = await world.node("--neighbour", "covidwatch:observer", "--link", "tcp:0")
        await node.says(f"shows {phone.number.hex()}")
        await asyncio.sleep(3)
        found = await rows_until(world, node, bool)
        assert [row for row in found if row[0] == "observed"] == [
            ("observed", "covidwatch", phone.address, phone.number.hex())], found
        assert phone.served == [], "somebody connected"


async def case_reads_covidwatch_on_an_iphone():
    """HP-53"""
    async with World() as world:
        phone = await covidwatch_phone(world, 1, shows=False)
        node = await world.node("--neighbour", "covidwatch:observer", "--link", "tcp:0")
        await until(lambda: phone.given, "reading of the number")
        await node.says(f"shows {phone.given[0].hex()}")
        await until(lambda: not phone.device.connections, "end of the connection")
        await asyncio.sleep(3)
        found = await rows_until(world, node, bool)
        assert len(phone.given) == 1, phone.given
        assert found == [("observed", "covidwatch", phone.address, phone.given[0].hex())], found


async def node_set(host, wanted):
    """The node's first advertisement in which the bytes `wanted` occur: its address and data."""
    heard = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        if wanted in bytes(advertisement.data_bytes) and not heard.done():
            heard.set_result((advertisement.address, bytes(advertisement.data_bytes)))

    host.on("advertisement", on_advertisement)
    await host.start_scanning()
    try:
        return await asyncio.wait_for(heard, PATIENCE)
    finally:
        await host.stop_scanning()


async def case_is_a_covidwatch_peer():
    """HP-54"""
    async with World() as world:
        node = await world.node("--neighbour", "covidwatch:peripheral", "--link", "tcp:0")
        host = await world.host()
        address, data = await node_set(host, HEADER)
        assert len(data) == 27 and data.startswith(HEADER), data.hex()
        shown = data[11:].hex()
        connection = await host.connect(address)
        peer = Peer(connection)
        services = await peer.discover_service(covidwatch.SERVICE)
        assert len(services) == 1
        [number] = await services[0].discover_characteristics([covidwatch.CHARACTERISTIC])
        first = bytes(await number.read_value())
        second = bytes(await number.read_value())
        assert len(first) == 16 and first != second and first.hex() != shown
        mine = bytes(range(16))
        await number.write_value(mine, with_response=True)
        await connection.disconnect()
        own = [("own", "covidwatch", "", code) for code in (shown, first.hex(), second.hex())]
        found = await rows_until(
            world, node, lambda found: ("observed", "covidwatch", "F0:D1:00:00:02:01", mine.hex()) in found)
        assert set(own) <= set(found), found


async def case_reads_the_code_of_c19x_once():
    """HP-55"""
    async with World() as world:
        code = bytes.fromhex("B21D44ABF7CCA5B3")
        phone = await world.arrive(C19XPhone(world.air, "c19x", "F0:D1:00:00:05:01", code=code))
        node = await world.node("--neighbour", "c19x", "--link", "tcp:0")
        await node.says("shows b21d44abf7cca5b3")
        await until(lambda: not phone.device.connections, "end of the connection")
        await asyncio.sleep(3)
        found = await rows_until(world, node, bool)
        assert found == [("observed", "c19x", phone.address, code.hex())], found
        assert phone.connected == 1


async def case_is_a_c19x_peer():
    """HP-55"""
    async with World() as world:
        codes = day_code_file(world.folder / "codes", b"\0", 3)
        node = await world.node("--neighbour", f"c19x:{world.folder / 'codes'}", "--link", "tcp:0")
        host = await world.host()
        service = bytes(reversed(c19x.MARKER + bytes(8)))
        address, data = await node_set(host, service)
        assert data == bytes([0x02, 0x01, 0x06, 0x11, 0x07]) + service, data.hex()
        connection = await host.connect(address)
        peer = Peer(connection)
        [found_service] = await peer.discover_service(c19x.SERVICE)
        [characteristic] = await found_service.discover_characteristics()
        text = bytes(reversed(characteristic.uuid.to_bytes(force_128=True)))
        assert text[:8] == c19x.MARKER and text[8:].hex() in codes, text.hex()
        mine = bytes.fromhex("0102030405060708")
        await characteristic.write_value(bytes(reversed(mine)) + (-60).to_bytes(4, "little", signed=True), with_response=True)
        await connection.disconnect()
        found = await rows_until(
            world, node, lambda found: ("observed", "c19x", "F0:D1:00:00:02:01", mine.hex()) in found)
        assert ("own", "c19x", "", text[8:].hex()) in found, found


async def codes_of(peer):
    """C19X's codes as a peer shows them, by a new discovery; none if it has no such service."""
    peer.gatt_client.services = []
    peer.gatt_client.cached_values = {}
    codes = []
    for service in await peer.discover_service(c19x.SERVICE):
        for characteristic in await service.discover_characteristics():
            codes.append(bytes(reversed(characteristic.uuid.to_bytes(force_128=True))))
    return codes


async def case_a_new_address_takes_codes_off_open_connections_and_says_so():
    """HP-55: a peer that asked for Service Changed is told of it, looks again, and finds no code that would tie the two addresses together."""
    async with World() as world:
        codes = day_code_file(world.folder / "codes", b"\0", 3)
        await world.node("--neighbour", f"c19x:{world.folder / 'codes'}", "--address-period", "10")
        host = await world.host()
        service = bytes(reversed(c19x.MARKER + bytes(8)))
        first, _ = await node_set(host, service)
        connection = await host.connect(first)
        peer = Peer(connection)
        [gatt] = await peer.discover_service(UUID.from_16_bits(0x1801))
        [changed] = await gatt.discover_characteristics([UUID.from_16_bits(0x2A05)])
        indications = asyncio.Queue()
        await peer.subscribe(changed, lambda value: indications.put_nowait(bytes(value)), prefer_notify=False)
        [shown] = await codes_of(peer)
        assert shown[8:].hex() in codes, shown.hex()
        value = await asyncio.wait_for(indications.get(), PATIENCE)
        start, end = int.from_bytes(value[:2], "little"), int.from_bytes(value[2:], "little")
        assert len(value) == 4 and 1 < start and end == 0xFFFF, value.hex()
        # The same connection: Herald's services are where they were, C19X's is gone, and the new payload is refused.
        assert await codes_of(peer) == []
        [short] = await peer.discover_service(herald.SERVICE_16)
        assert short.end_group_handle == start - 1, (short.end_group_handle, start)
        [payload] = await short.discover_characteristics([herald.PAYLOAD])
        try:
            await payload.read_value()
            raise AssertionError("the payload of the new address was read")
        except att.ATT_Error as error:
            assert error.error_code == 0x11, error
        await connection.disconnect()
        # A connection under the new address shows the new code.
        second, _ = await node_set(host, service)
        assert second != first, second
        [fresh] = await codes_of(Peer(await host.connect(second)))
        assert fresh[8:].hex() in codes, fresh.hex()
