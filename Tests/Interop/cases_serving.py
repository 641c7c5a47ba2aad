"""The node as a server: its services as discovered by phones and other hosts."""

import asyncio
import hashlib
import time

from bumble import att
from bumble.core import ProtocolError, UUID
from bumble.device import Peer
from bumble.gatt import Characteristic

import herald
from node import PATIENCE
from phones import signals
from phones.signals import Message
from world import World, until

FIXED = herald.fixed_payload(826, 4, 1234567890)
READ, WRITE = Characteristic.Properties.READ, Characteristic.Properties.WRITE


async def request(connection, pdu):
    """One ATT request and its response of any kind."""
    return await asyncio.wait_for(connection.gatt_client.send_request(pdu), PATIENCE)


async def payload_characteristic(connection, service=herald.SERVICE_128):
    peer = Peer(connection)
    await peer.discover_service(service)
    [found] = peer.get_services_by_uuid(service)
    characteristics = await found.discover_characteristics()
    return next(c for c in characteristics if c.uuid == herald.PAYLOAD)


async def case_phones_read_our_payload():
    async with World() as world:
        await world.node()
        phones = [await world.android(1), await world.android(2, legacy=True), await world.ios(1)]
        for phone in phones:
            await until(lambda: FIXED in phone.met.values(), f"payload of the node at {phone.name}")


async def case_payload_is_read_in_blobs():
    async with World() as world:
        await world.node()
        connection = await world.connect(await world.host())
        handle = (await payload_characteristic(connection)).handle

        async def blob(offset):
            return await request(
                connection, att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=offset))

        for offset in (0, 5, len(FIXED) - 1):
            assert (await blob(offset)).part_attribute_value == FIXED[offset:], offset
        assert (await blob(len(FIXED))).part_attribute_value == b""
        beyond = await blob(len(FIXED) + 1)
        assert isinstance(beyond, att.ATT_Error_Response), beyond
        # Read Blob Request, Invalid Offset.
        assert (beyond.request_opcode_in_error, beyond.error_code) == (0x0C, 0x07), beyond


def matching_key_file(path, key, epoch):
    """A key file of one day, the first of this epoch."""
    path.write_text(f"country 826\nstate 4\nepoch {epoch}\nfirst-day 0\n{key.hex()}  # today\n")


def contact_identifier(matching_key, period):
    """The simple payload's identifier of a period, by the published formulas."""
    def digest(data):
        return hashlib.sha256(data).digest()

    seed = digest(matching_key)
    for _ in range(240 - period):
        seed = digest(seed[:16])
    earlier = digest(seed[:16])
    return digest(bytes(a ^ b for a, b in zip(seed, earlier)))[:16]


async def case_simple_payload_is_that_of_the_period():
    async with World() as world:
        # An epoch half a minute ago: this is period 0 of day 0, for longer than the timeout of the phones.
        key = hashlib.sha256(b"a day").digest()
        matching_key_file(world.folder / "keys", key, int(time.time()) - 30)
        await world.node(payload=f"simple:{world.folder / 'keys'}")
        expected = herald.simple_payload(826, 4, contact_identifier(key, 0))
        phone = await world.ios(1)
        await until(lambda: expected in phone.met.values(), "simple payload of the node")
        android = await world.android(1)
        await until(lambda: expected in android.met.values(), "simple payload of the node at the default MTU")


async def case_gatt_table_is_discovered_completely():
    async with World() as world:
        await world.node("--name", "Badge 7")
        connection = await world.connect(await world.host())
        peer = Peer(connection)
        await peer.discover_all()
        found = {
            service.uuid: [(c.uuid, c.properties) for c in service.characteristics] for service in peer.services}
        signal = (herald.ANDROID_SIGNAL, WRITE)
        payload = (herald.PAYLOAD, READ)
        assert found == {
            UUID.from_16_bits(0x1800): [(UUID.from_16_bits(0x2A00), READ), (UUID.from_16_bits(0x2A01), READ)],
            UUID.from_16_bits(0x1801): [],
            UUID.from_16_bits(0x180A): [(UUID.from_16_bits(0x2A29), READ), (UUID.from_16_bits(0x2A24), READ)],
            herald.SERVICE_128: [signal, payload],
            herald.SERVICE_16: [signal, payload],
        }, found
        values = {}
        for service in peer.services:
            for characteristic in service.characteristics:
                if characteristic.properties & READ:
                    values.setdefault(characteristic.uuid, []).append(bytes(await characteristic.read_value()))
        assert values == {
            UUID.from_16_bits(0x2A00): [b"Badge 7"], UUID.from_16_bits(0x2A01): [b"\0\0"],
            UUID.from_16_bits(0x2A29): [b"Herald Embedded"], UUID.from_16_bits(0x2A24): [b"herald-node"],
            herald.PAYLOAD: [FIXED, FIXED],
        }, values
        # Every attribute one by one, at the smallest MTU: the handles are 1…21 without a gap.
        attributes = await peer.discover_attributes()
        assert [attribute.handle for attribute in attributes] == list(range(1, 22))
        missing = await request(connection, att.ATT_Read_Request(attribute_handle=22))
        assert missing.error_code == 0x01, missing  # Invalid Handle


async def services_of(connection):
    """The discovered characteristics of each service other than the standard ones."""
    peer = Peer(connection)
    await peer.discover_all()
    return {service.uuid: [(c.uuid, c.properties) for c in service.characteristics] for service in peer.services[3:]}


async def case_a_service_of_the_providers_own_is_served_like_heralds():
    """HP-37: found on the air, read, and written to, beside CovidWatch's."""
    own = UUID("0e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a10")
    async with World() as world:
        node = await world.node("--custom-service", str(own), "--neighbour", "covidwatch:peripheral", "--service", "short")
        host = await world.host()
        heard = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement):
            if bytes(own) in advertisement.data_bytes and not heard.done():
                heard.set_result(advertisement.address)

        host.on("advertisement", on_advertisement)
        await host.start_scanning()
        address = await asyncio.wait_for(heard, PATIENCE)
        await host.stop_scanning()
        connection = await host.connect(address, timeout=PATIENCE)
        found = await services_of(connection)
        assert found[own] == [(herald.ANDROID_SIGNAL, WRITE), (herald.PAYLOAD, READ)], found
        assert len(found) == 4, found
        peer = Peer(connection)
        await peer.discover_service(own)
        [service] = peer.get_services_by_uuid(own)
        signal, payload = await service.discover_characteristics()
        assert bytes(await asyncio.wait_for(payload.read_value(), PATIENCE)) == FIXED
        message = Message(signals.IMMEDIATE, b"through the provider's own service").encoded()
        for piece in signals.pieces(message):
            await asyncio.wait_for(signal.write_value(piece, with_response=True), PATIENCE)
        await node.until(lambda: any(
            line.lower().endswith(b"through the provider's own service".hex()) for line in node.facts.get("received", [])))


async def case_tables_that_can_be_chosen_are_served():
    """HP-08, HP-36, HP-38, HP-39: each as docs/wire-formats.md has it."""
    notify = Characteristic.Properties.NOTIFY
    legacy_service = UUID("a6ba4286-c550-4794-a888-9467ef0b31a8")
    legacy = (UUID("d1034710-b11e-42f2-bca3-f481177d5bb2"), READ | WRITE)
    signal, payload = (herald.ANDROID_SIGNAL, WRITE), (herald.PAYLOAD, READ)
    for table, expected in {
            "both-signals": {herald.SERVICE_128: [signal, (herald.IOS_SIGNAL, WRITE | notify), payload]},
            "notifying": {herald.SERVICE_128: [signal, (herald.PAYLOAD, READ | notify)]},
            "legacy": {herald.SERVICE_128: [signal, legacy, payload], legacy_service: [legacy]},
    }.items():
        async with World() as world:
            await world.node("--gatt", table)
            connection = await world.connect(await world.host())
            found = await services_of(connection)
            assert found == expected, (table, found)
            assert bytes(await (await payload_characteristic(connection)).read_value()) == FIXED, table


async def case_signal_takes_a_payload_in_pieces_of_20_bytes():
    async with World() as world:
        node = await world.node()
        connection = await world.connect(await world.host())
        peer = Peer(connection)
        await peer.discover_service(herald.SERVICE_16)
        [service] = peer.get_services_by_uuid(herald.SERVICE_16)
        signal = next(
            c for c in await service.discover_characteristics() if c.uuid == herald.ANDROID_SIGNAL)
        message = Message(signals.PAYLOAD, herald.test_payload(77)).encoded()
        for piece in signals.pieces(message):
            await asyncio.wait_for(signal.write_value(piece, with_response=True), PATIENCE)
        assert node.process.returncode is None


async def case_hosts_that_prepare_writes_take_turns():
    """There is one queue: a prepared write of another connection gets Prepare Queue Full (09), as does a second value, and the first one is not affected."""
    async with World() as world:
        node = await world.node()
        first, second = [await world.connect(await world.host(f"F0:D1:00:00:02:{number:02X}")) for number in (1, 2)]
        peer = Peer(first)
        await peer.discover_service(herald.SERVICE_16)
        [service] = peer.get_services_by_uuid(herald.SERVICE_16)
        handle = next(c for c in await service.discover_characteristics() if c.uuid == herald.ANDROID_SIGNAL).handle
        messages = [Message(signals.IMMEDIATE, text).encoded() for text in (b"the first, in two parts", b"the second, in its turn")]

        async def prepare(offset, part):
            return await request(first, att.ATT_Prepare_Write_Request(
                attribute_handle=handle, value_offset=offset, part_attribute_value=part))

        assert isinstance(await prepare(0, messages[0][:10]), att.ATT_Prepare_Write_Response)
        try:
            await asyncio.wait_for(second.gatt_client.write_long_value(handle, messages[1]), PATIENCE)
        except att.ATT_Error as error:
            assert error.error_code == 0x09, error
        else:
            raise AssertionError("two values were prepared at a time")
        again = await prepare(0, messages[1][:10])
        assert (again.request_opcode_in_error, again.error_code) == (0x16, 0x09), again
        assert isinstance(await prepare(10, messages[0][10:]), att.ATT_Prepare_Write_Response)
        assert isinstance(await request(first, att.ATT_Execute_Write_Request(flags=1)), att.ATT_Execute_Write_Response)
        await asyncio.wait_for(second.gatt_client.write_long_value(handle, messages[1]), PATIENCE)
        for text in (b"the first, in two parts", b"the second, in its turn"):
            await node.until(lambda: any(line.lower().endswith(text.hex()) for line in node.facts.get("received", [])))


async def case_pairing_is_refused_at_once():
    async with World() as world:
        await world.node()
        host = await world.host()
        connection = await world.connect(host)
        characteristic = await payload_characteristic(connection)
        asked, answers = asyncio.Event(), []
        send = host.host.send_l2cap_pdu

        def on_sending(handle, channel, pdu):
            send(handle, channel, pdu)
            asked.set()

        host.host.send_l2cap_pdu = on_sending
        host.host.on("l2cap_pdu", lambda handle, channel, pdu: answers.append((channel, bytes(pdu))))
        pairing = asyncio.create_task(connection.pair())
        await asked.wait()
        assert bytes(await characteristic.read_value()) == FIXED
        # Immediately, before the response to the next request. Security Manager, Pairing Failed, Pairing Not Supported; then ATT, Read Response.
        assert answers == [(0x0006, b"\x05\x05"), (0x0004, b"\x0B" + FIXED)], answers
        try:
            await asyncio.wait_for(pairing, PATIENCE)
        except ProtocolError as error:
            assert error.error_code == 0x05, f"{error}: not Pairing Not Supported"
        else:
            raise AssertionError("paired")


async def case_several_hosts_are_served_at_once():
    async with World() as world:
        await world.node()
        hosts = [await world.host(f"F0:D1:00:00:02:{number:02X}") for number in range(1, 5)]
        connections = []
        for host in hosts:
            connections.append(await world.connect(host))
        characteristics = [await payload_characteristic(connection) for connection in connections]
        values = await asyncio.gather(*(characteristic.read_value() for characteristic in characteristics))
        assert [bytes(value) for value in values] == [FIXED] * 4
