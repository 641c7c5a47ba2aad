"""Phones over a longer time: they disappear, change state and address, and are not connected again."""

import asyncio
import time

import herald
from air import CONNECTION_RSSI
from contact_rows import pull_until, rows_of, rssi_values_of, summary, time_of
from phones import signals
from phones.android import AndroidPhone
from phones.signals import Message
from world import World, until


class VanishingPhone(AndroidPhone):
    """A phone that moves out of range while it is read, or, if `vanishes_reading`, while it reads a peer."""

    vanishes_reading = False
    # Whether a peer still has a connection to it.
    is_held = False

    def read_own_payload(self, connection):
        if not self.vanishes_reading:
            asyncio.get_running_loop().call_soon(self.vanish)
        return self.payload

    async def read_peer(self, connection, found):
        if self.vanishes_reading:
            asyncio.get_running_loop().call_soon(self.vanish)
        return await super().read_peer(connection, found)

    def vanish(self):
        if self.controller in self.air.controllers:
            address = self.controller.random_address
            super().vanish()
            self.is_held = address in self.air.centre.le_connections


async def case_phones_that_vanish_without_a_word_hold_nothing_up():
    """HP-02: on our side both connections stay open, and no event ever ends them."""
    async with World(apart=True) as world:
        lost = VanishingPhone(
            world.air, "read", "F0:D1:00:00:00:09", herald.test_payload(9, 500), b"\x09\x02\x03\x04\x05\x06", mtu=23,
            reads_peers=False)
        reader = VanishingPhone(
            world.air, "reader", "F0:D1:00:00:00:0A", herald.test_payload(10), b"\x0A\x02\x03\x04\x05\x06", advertises=False)
        reader.vanishes_reading = True
        node = await world.node("--link", "tcp:0")
        await world.arrive(lost)
        await world.arrive(reader)
        for phone in (lost, reader):
            await until(lambda: phone.controller not in world.air.controllers, f"end of the phone {phone.name}")
            assert phone.is_held, f"no connection to {phone.name}"
        other = await world.android(1)
        await node.has_read(other, seconds=20)
        await until(lambda: not world.controller.le_connections, "end of the connections to nobody")
        # After its return it behaves normally.
        lost.read_own_payload = lambda connection: lost.payload
        await lost.arrive()
        await node.has_read(lost)


async def case_connects_an_android_phone_once():
    """HP-56, HP-21: after the first exchange an Android phone is only listened to, for as long as it is there."""
    async with World(apart=True, able=True) as world:
        node = await world.node("--link", "tcp:0", "--expiry", "6")
        phones = [
            await world.android(1, reads_peers=False, advertising_interval=20),
            await world.android(2, reads_peers=False, advertising_interval=20, legacy=True),
            await world.android(3, reads_peers=False, advertising_interval=20, rotates=1.0),
        ]
        output = world.folder / "out"
        await pull_until(
            node, output, lambda rows: all(len(rows_of(rows, phone, "measure")) >= 500 for phone in phones),
            "500 readings of each phone", 120)
        assert [len(phone.served) for phone in phones] == [1, 1, 1]
        # The advertisements end with the app, and so does the visit; no connection is attempted.
        for phone in phones:
            await phone.enter("terminated")
        rows = await pull_until(
            node, output, lambda rows: all(rows_of(rows, phone, "delete") for phone in phones), "end of the visits")
        for phone in phones:
            assert len(rows_of(rows, phone, "detect")) == len(rows_of(rows, phone, "read")) == 1
            assert set(rssi_values_of(rows, phone)) == {-60.0}, "it was measured by other than its advertisements"
        assert [len(phone.served) for phone in phones] == [1, 1, 1]


async def case_follows_an_iphone_from_one_state_to_the_next():
    """HP-55, HP-16: what was learnt of it in the foreground holds in every other state."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        phone = await world.ios(1, reads_peers=False)
        output = world.folder / "out"
        await node.has_read(phone)
        for state in ("background", "suspended", "terminated", "foreground"):
            await phone.enter(state)
            since = time.time()

            def is_followed(rows):
                return sum(time_of(row) >= since for row in rows_of(rows, phone, "measure")) >= 10

            rows = await pull_until(node, output, is_followed, f"readings of the phone in the {state}")
        assert len(rows_of(rows, phone, "detect")) == len(rows_of(rows, phone, "read")) == len(phone.served) == 1
        assert phone.awakenings == []


async def case_an_iphone_under_another_address_is_the_same_payload():
    """HP-57, HP-03: a suspended iPhone was away for 20 minutes; the wearable remembers it."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        phone = await world.ios(1, state="suspended", reads_peers=False)
        await node.has_read(phone)
        assert phone.awakenings == ["suspended"]
        await phone.leave()
        phone.address = "F0:D1:00:00:11:01"
        await phone.arrive()
        await node.says(f"{phone.identity} has a known payload")
        output = world.folder / "out"
        await pull_until(
            node, output, lambda rows: len(rows_of(rows, phone, "measure")) >= 10, "readings of the phone that is back")
        [(payload, contact)] = (await summary(output)).items()
        assert (payload, contact["addresses"]) == (phone.payload.hex(), 2), contact


async def case_keeps_connected_to_an_iphone_that_withholds_its_advertisements():
    """HP-23, HP-19: it is measured over the connection; an Android phone beside it is not kept."""
    async with World(apart=True) as world:
        node = await world.node("--link", "tcp:0", "--keep-connections")
        phone = await world.ios(1, state="background", withholds=True, reads_peers=False)
        android = await world.android(2, reads_peers=False)
        await node.has_read(phone, android)

        def measured(rows):
            return rssi_values_of(rows, phone).count(CONNECTION_RSSI) >= 2

        rows = await pull_until(node, world.folder / "out", measured, "readings over the connection", 120)
        assert len(phone.served) == 1, phone.served
        assert set(rssi_values_of(rows, phone)) == {-60.0, CONNECTION_RSSI}
        assert set(rssi_values_of(rows, android)) == {-60.0}
        assert list(android.device.connections) == []


async def case_models_of_phones_meet_each_other():
    """Without a wearable: messages that the phone models write to each other and parse."""
    async with World() as world:
        android = await world.android(1)
        mute = await world.android(2, advertises=False, rssi_period=1.0, sharing_period=1.0, rssi=-71)
        near, far = await world.ios(1), await world.ios(2, state="suspended")
        mute.shares = near.payload
        # A suspended iPhone is detected by the wearable only: these models search for the service only.
        found = {android: [near], mute: [android, near], near: [android], far: [android, near]}
        for phone, others in found.items():
            await until(lambda: all(other.payload in phone.met.values() for other in others), f"others at {phone.name}")

        def has(phone, message, way):
            return lambda: (message, way) in phone.messages

        told = Message(signals.PAYLOAD, mute.payload), Message(signals.RSSI, rssi=-71)
        await until(has(android, told[0], "pieces"), "payload in pieces")
        await until(has(android, told[1], "whole"), "strength at an Android phone")
        await until(has(android, Message(signals.SHARING, near.payload, -71), "pieces"), "payload shared with it")
        # Values longer than a request are written with prepared writes by their system.
        await until(has(near, told[0], "prepared"), "payload at an iPhone")
        await until(has(near, told[1], "whole"), "strength at an iPhone")
        await until(
            has(near, Message(signals.PAYLOAD, android.payload), "prepared"), "payload of an Android phone at an iPhone")
        # The iPhones wake each other over the connection that they keep.
        await until(lambda: near.pokes >= 2 and far.pokes >= 2, "pokes between iPhones")
        assert far.awakenings[:1] == ["suspended"]
        assert mute.messages == []


async def case_models_of_phones_are_as_strict_as_phones():
    """The messages that a phone parses from writes, by the rules of its system."""
    accumulator = signals.AndroidAccumulator()
    payload = Message(signals.PAYLOAD, bytes(range(45)))
    taken = [accumulator.take(piece) for piece in signals.pieces(payload.encoded())]
    assert taken == [None, None, payload], taken
    assert accumulator.take(bytes.fromhex("02C8FF")) == Message(signals.RSSI, rssi=-56)
    # No further message is parsed on this connection.
    assert accumulator.take(bytes.fromhex("02C8FF")) is None
    assert accumulator.take(payload.encoded()) is None
    assert signals.AndroidAccumulator().take(bytes.fromhex("010000 FFFF")) == Message(signals.PAYLOAD)
    assert signals.decoded(bytes.fromhex("03BAFF0100AA")) == Message(signals.SHARING, b"\xAA", -70)
    assert signals.decoded(bytes.fromhex("040200 6869")) == Message(signals.IMMEDIATE, b"hi")
    for wrong in ("", "01", "0102006869FF", "03BAFF0200AA", "0500", "02C8FF00"):
        assert signals.decoded(bytes.fromhex(wrong)) is None, wrong
    assert signals.decoded(bytes.fromhex("02C8FF00"), strict_rssi=False) == Message(signals.RSSI, rssi=-56)
