"""The node as a client: phones found, their payloads read."""

import asyncio

from bumble import att
from bumble.att import Attribute
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones import signals
from phones.android import AndroidPhone
from phones.signals import Message
from world import World, until


async def case_reads_an_android_payload_at_mtu_23():
    async with World() as world:
        phone = await world.android(1, mtu=23, reads_peers=False)
        node = await world.node()
        await node.has_read(phone)
        assert len(phone.payload) == 129
        assert phone.served == [[(offset, 23) for offset in range(0, 129, 22)]], phone.served
        assert phone.written == []


async def case_reads_an_android_payload_at_mtu_517():
    async with World() as world:
        phone = await world.android(1, mtu=517, reads_peers=False)
        node = await world.node()
        await node.has_read(phone)
        # The node's is 247: the smaller of both applies, and one read is sufficient.
        assert phone.served == [[(0, 247)]], phone.served


async def case_reads_a_peer_that_states_a_smaller_mtu_than_it_uses():
    """A peer that answers Exchange MTU with 103 and then sends up to the 247 bytes that the node has offered."""
    async with World() as world:
        phone = await world.android(1, payload=herald.test_payload(5, 300), reads_peers=False)
        server = phone.device.gatt_server

        def understate(bearer, request):
            server.send_response(bearer, att.ATT_Exchange_MTU_Response(server_rx_mtu=103))
            bearer.on_att_mtu_update(min(247, request.client_rx_mtu))

        server.on_att_exchange_mtu_request = understate
        node = await world.node()
        await node.has_read(phone)
        assert phone.served[0][0] == (0, 247), phone.served


async def case_reads_a_payload_that_fills_its_last_read():
    async with World() as world:
        # 132 = 6 × 22: the end is indicated only by an empty or rejected read.
        phone = await world.android(1, mtu=23, payload=herald.test_payload(5, 132), reads_peers=False)
        node = await world.node()
        await node.has_read(phone)
        assert phone.served[0][:6] == [(offset, 23) for offset in range(0, 132, 22)], phone.served


async def case_reads_a_herald_2_0_android_through_the_long_service_uuid():
    async with World() as world:
        phone = await world.android(1, legacy=True, payload=herald.simple_payload(826, 4, bytes(range(16))))
        node = await world.node()
        await node.has_read(phone)


async def case_reads_an_iphone_and_tells_it_our_payload():
    """HP-21, HP-42: once; and with nobody else about there is nothing to share."""
    async with World() as world:
        phone = await world.ios(1, reads_peers=False)
        node = await world.node()
        await node.has_read(phone)
        own = Message(signals.PAYLOAD, herald.fixed_payload(826, 4, 1234567890))
        await until(lambda: phone.messages, "message at the phone")
        await asyncio.sleep(1)
        assert phone.served == [[(0, 247)]], phone.served
        assert phone.messages == [(own, "whole")], phone.messages


async def case_reads_each_phone_once():
    async with World() as world:
        phones = [await world.android(1), await world.ios(1), await world.android(2, legacy=True)]
        node = await world.node()
        await node.has_read(*phones)
        await asyncio.sleep(3)
        for phone in phones:
            reads = [c for c in phone.served if c and c[0][1] == 247]
            assert len(reads) == 1, f"{phone.name} was read {len(reads)} times"


class LeavingPhone(AndroidPhone):
    """A phone that moves out of range while its payload is read."""

    def read_own_payload(self, connection):
        if self.controller in self.air.controllers:
            asyncio.get_running_loop().create_task(self.leave())
        return self.payload


async def case_reads_the_next_phone_when_one_walks_away():
    async with World() as world:
        lost = await world.arrive(LeavingPhone(
            world.air, "leaving", "F0:D1:00:00:00:09", herald.test_payload(9, 500), b"\x09\x02\x03\x04\x05\x06",
            mtu=23, reads_peers=False))
        node = await world.node()
        await until(lambda: lost.controller not in world.air.controllers, "departure of the first phone")
        assert len(lost.served[0]) < 10, lost.served
        phone = await world.android(2, reads_peers=False)
        await node.has_read(phone)
        assert not any(lost.identity in message and "payload" in message for message in node.messages)


async def case_reads_no_phone_without_herald():
    async with World() as world:
        device = await world.host()
        await device.start_advertising(auto_restart=True, advertising_data=herald.flags())
        connections = []
        device.on("connection", connections.append)
        await world.node()
        await asyncio.sleep(4)
        assert connections == []


class UntidyPhone(AndroidPhone):
    """A phone with further Herald services before the working one, as left by an application that was ended and restarted."""

    def __init__(self, *arguments, before, last, **options):
        super().__init__(*arguments, **options)
        self.before = before
        self.last = last

    def refuse(self, connection):
        raise att.ATT_Error(att.ATT_INVALID_HANDLE_ERROR)

    def services(self):
        [working] = super().services()
        stale = Characteristic(
            herald.PAYLOAD, Characteristic.Properties.READ, Attribute.READABLE, CharacteristicValue(read=self.refuse))
        front = {"empty": [], "stale": [stale]}
        return [Service(herald.SERVICE_16, front[kind]) for kind in self.before] + [
            Service(self.last, working.characteristics)]


async def reads_untidy(before, last):
    async with World() as world:
        phone = await world.arrive(UntidyPhone(
            world.air, "untidy", "F0:D1:00:00:00:31", herald.test_payload(31), bytes([0xB1, 2, 3, 4, 5, 6]),
            reads_peers=False, before=before, last=last))
        node = await world.node()
        await node.has_read(phone)


async def case_reads_a_phone_whose_short_service_is_empty():
    await reads_untidy(["empty"], herald.SERVICE_128)


async def case_reads_a_phone_whose_short_service_is_stale():
    await reads_untidy(["stale"], herald.SERVICE_128)


async def case_reads_a_phone_whose_second_short_service_works():
    await reads_untidy(["stale", "empty"], herald.SERVICE_16)
