"""The exchange between the wearable and each kind of phone: payloads, RSSI values, shared payloads, immediate messages, in every way of writing."""

import asyncio
import time

import herald
from contact_rows import pull_until, rows_of
from matrix import Matrix
from node import PATIENCE
from phones import signals
from phones.phone import FAILURES
from phones.signals import Message
from world import World, until

OWN = herald.fixed_payload(826, 4, 1234567890)
# Long enough to be written in pieces, or prepared.
OWN_LONG = herald.test_payload(77)
WAYS = ("whole", "pieces", "prepared")
# Different from all RSSI values measured here.
WRITTEN_RSSI = -41
HEARD_RSSI = -60

ANDROID_KINDS = {
    "Android, Herald 2.1 and later": {},
    "Android, Herald 2.0": {"legacy": True},
}
MUTE = "Android that cannot advertise"
IOS_KINDS = {
    "iOS, foreground": {"state": "foreground"},
    "iOS, background": {"state": "background"},
    "iOS, suspended": {"state": "suspended"},
    "iOS, terminated": {"state": "terminated"},
}
READS, WRITES, STRENGTH, SHARES, SAYS = (
    "reads our payload", "writes us its own", "writes us its RSSI", "shares with us", "sends us a message")
IS_READ, IS_TOLD, IS_MEASURED, IS_SHARED, IS_SAID = (
    "we read its payload", "we write it ours", "we write it the RSSI", "we share with it", "we send it a message")

FROM_PHONES = Matrix(
    "From phones to the wearable", "Phone", [READS, WRITES, STRENGTH, SHARES, SAYS],
    [*ANDROID_KINDS, MUTE, *IOS_KINDS])
TO_PHONES = Matrix(
    "From the wearable to phones", "Phone", [IS_READ, IS_TOLD, IS_SHARED, IS_SAID], [*ANDROID_KINDS, MUTE, *IOS_KINDS])
FROM_MUTE = Matrix(
    "From a wearable that cannot advertise to phones", "Phone", [IS_READ, IS_TOLD, IS_MEASURED, IS_SHARED, IS_SAID],
    [*ANDROID_KINDS, *IOS_KINDS])
MATRICES = [FROM_PHONES, TO_PHONES, FROM_MUTE]


async def insist(phone, message, way):
    """Writes a message to the node. Simultaneous connection attempts of both sides fail, and no connection is possible while the node reads the phone: therefore
    this retries."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return await phone.send(phone.address_of(OWN), message, way)
        except FAILURES:
            if asyncio.current_task().cancelling():
                raise
            await asyncio.sleep(0.3)
    raise AssertionError(f"{phone.name} could not write {message} ({way})")


def number_of(phone, way):
    """A message that is unique to this phone and this way of writing."""
    return int(phone.name.split()[-1]) * 10 + WAYS.index(way)


def payload_of(phone, way):
    """A payload that this phone transmits only by writing it in this way."""
    return herald.test_payload(7_000_000 + number_of(phone, way), 60)


def shared_by(phone, way):
    """Payloads of two people whom only this phone has met; they are as long as the wearable's own."""
    return [herald.fixed_payload(826, 9, number_of(phone, way) * 2 + count) for count in (0, 1)]


def message_of(phone, way):
    """A message of an application of this phone."""
    return f"{way} from {phone.name}".encode()


async def arrive_all(world, kinds, **options):
    """Phones of these kinds, by kind, that have arrived."""
    phones = {}
    for number, (kind, settings) in enumerate(kinds.items(), 11):
        arrive = world.ios if kind.startswith("iOS") else world.android
        phones[kind] = await arrive(number, **settings, **options)
    return phones


async def tell_everything(phone):
    """All messages that a phone can write to the node, in every way; first an empty write, with which an iPhone wakes another one."""
    await insist(phone, b"", "whole")
    for way in WAYS:
        await insist(phone, Message(signals.PAYLOAD, payload_of(phone, way)), way)
    await insist(phone, Message(signals.RSSI, rssi=WRITTEN_RSSI), "whole")
    for way in WAYS:
        await insist(phone, Message(signals.SHARING, b"".join(shared_by(phone, way)), WRITTEN_RSSI), way)
        await insist(phone, Message(signals.IMMEDIATE, message_of(phone, way)), way)


async def case_phones_tell_the_wearable_everything_they_can():
    """HP-07, HP-09, HP-35, HP-42, HP-43: what phones of every kind read and write arrives, and is in the log."""
    async with World(apart=True, able=True) as world:
        node = await world.node("--link", "tcp:0")
        phones = await arrive_all(
            world, {**ANDROID_KINDS, MUTE: {"advertises": False, "rssi": WRITTEN_RSSI}, **IOS_KINDS})
        for phone in phones.values():
            await until(lambda: OWN in phone.met.values(), f"payload of the node at {phone.name}")
        # By itself this phone writes its payload once: before the writes below, of which the last takes effect.
        mute = phones[MUTE]
        await until(lambda: (mute.address_of(OWN), signals.PAYLOAD) in mute.told, f"payload told by {mute.name}")
        await asyncio.gather(*(tell_everything(phone) for phone in phones.values()))

        addresses = {phone.identity for phone in phones.values()}

        def ways_of_payload(phone, rows):
            """The ways in which a payload was received. If the phone was read, a different written payload is reported under a generated identity."""
            read = {row["data"] for row in rows
                    if row["read"] and (row["id"] == phone.identity or row["id"] not in addresses)}
            return [way for way in WAYS if herald.short_name(payload_of(phone, way)) in read]

        def stands(kind, rows):
            """Whether the last payload of a phone is the one read from it or, if it cannot be read, the last one that it wrote."""
            counts = [row["data"] for row in rows_of(rows, phones[kind], "read")]
            expected = payload_of(phones[kind], WAYS[-1]) if kind == MUTE else phones[kind].payload
            return bool(counts) and counts[-1] == herald.short_name(expected)

        def has_strength(phone, rows):
            return any(row["data"].startswith(f"RSSI:{WRITTEN_RSSI}.0") for row in rows_of(rows, phone, "measure"))

        def ways_of_sharing(phone, rows):
            """The ways in which both payloads were received, each read, and measured, under a generated identity."""
            identities = {row["id"]: row["data"] for row in rows if row["read"]}
            measured = {identities.get(row["id"]) for row in rows
                        if row["measure"] and row["data"].startswith(f"RSSI:{WRITTEN_RSSI}.0")}
            return [way for way in WAYS if rows_of(rows, phone, "share") and {
                herald.short_name(payload) for payload in shared_by(phone, way)} <= measured]

        def ways_of_message(phone):
            said = [line.upper() for line in node.facts.get("received", [])]
            return [way for way in WAYS if f"{phone.identity} {message_of(phone, way).hex()}".upper() in said]

        def lacking(rows):
            return {kind: lacks for kind, phone in phones.items() if (lacks := [
                name for name, holds in (
                    (WRITES, len(ways_of_payload(phone, rows)) == 3 and stands(kind, rows)),
                    (STRENGTH, has_strength(phone, rows)),
                    (SHARES, len(ways_of_sharing(phone, rows)) == 3), (SAYS, len(ways_of_message(phone)) == 3),
                ) if not holds])}

        latest = []

        def is_all_there(rows):
            latest[:] = rows
            return not lacking(rows)

        try:
            await pull_until(node, world.folder / "out", is_all_there, lambda rows: f"all of it: {lacking(rows)}", 2 * PATIENCE)
        finally:
            for kind, phone in phones.items():
                FROM_PHONES.show(kind, READS, "yes" if OWN in phone.met.values() else "no")
                FROM_PHONES.show(kind, WRITES, ", ".join(ways_of_payload(phone, latest)) or "no")
                FROM_PHONES.show(kind, STRENGTH, "yes" if has_strength(phone, latest) else "no")
                FROM_PHONES.show(kind, SHARES, ", ".join(ways_of_sharing(phone, latest)) or "no")
                FROM_PHONES.show(kind, SAYS, ", ".join(ways_of_message(phone)) or "no")


def way_told(phone, matches):
    """The way in which a phone received a message; None if it did not."""
    return next((way for message, way in phone.messages if matches(message)), None)


def is_share_of(others, phone):
    """The condition for a message to a phone with shared payloads of the others, and nothing else."""
    def matches(message):
        if message.code != signals.SHARING or message.rssi != HEARD_RSSI or not message.data:
            return False
        length = len(phone.payload)
        passed = {message.data[start:start + length] for start in range(0, len(message.data), length)}
        return passed <= {other.payload for other in others if other is not phone}
    return matches


async def tell_phones(world, table, *options, with_mute):
    """The node writes messages to phones of all kinds; fills the table, and reports what is missing."""
    node = await world.node(*options, payload="test:77")
    kinds = dict(ANDROID_KINDS)
    if with_mute:
        kinds[MUTE] = {"advertises": False}
    kinds.update(IOS_KINDS)
    phones = await arrive_all(world, kinds, reads_peers=with_mute)
    speaking = {kind: phone for kind, phone in phones.items() if kind != MUTE}
    # Android phones that advertise are detected by all phones: their payloads are not shared.
    shareable = [phone for kind, phone in phones.items() if kind in IOS_KINDS or kind == MUTE]
    await node.has_read(*speaking.values())
    said = b"to everybody, " * 10
    await node.ask(f"send-to-all {said.hex()}")

    def found(kind, column):
        phone = phones[kind]
        if column == IS_READ:
            return "yes" if phone.served and any(phone.served) else None
        if column == IS_TOLD:
            return way_told(phone, lambda message: message == Message(signals.PAYLOAD, OWN_LONG))
        if column == IS_MEASURED:
            return way_told(phone, lambda message: message == Message(signals.RSSI, rssi=HEARD_RSSI))
        if column == IS_SHARED:
            return way_told(phone, is_share_of(shareable, phone))
        return way_told(phone, lambda message: message == Message(signals.IMMEDIATE, said))

    def is_meant(kind, column):
        """The messages to each phone. Android phones detect others by themselves, and are not connected to for this (HP-56)."""
        if kind == MUTE:
            return False
        if kind in ANDROID_KINDS and column == IS_SHARED:
            return False
        if kind in ANDROID_KINDS and column == IS_TOLD:
            return not with_mute
        return True

    cells = [(kind, column) for kind in phones for column in table.columns]
    try:
        await until(
            lambda: all(found(*cell) for cell in cells if is_meant(*cell)), "message at every phone", 2 * PATIENCE)
    except AssertionError:
        missing = [cell for cell in cells if is_meant(*cell) and not found(*cell)]
        raise AssertionError(f"not told: {missing}") from None
    finally:
        for cell in cells:
            table.show(*cell, found(*cell) or ("no" if is_meant(*cell) else "-"))
    unmeant = [cell for cell in cells if not is_meant(*cell) and found(*cell)]
    assert not unmeant, f"told what they need not be: {unmeant}"


async def case_the_wearable_tells_phones_what_they_cannot_know():
    """HP-30, HP-31, HP-32, HP-36, HP-42: iPhones, which may not hear us nor each other, are told; all get a message."""
    async with World(apart=True, able=True) as world:
        await tell_phones(world, TO_PHONES, with_mute=True)


async def case_a_wearable_that_cannot_advertise_tells_phones_of_itself():
    """HP-06: its payload, how strong it hears them, others' payloads, and messages."""
    async with World(apart=True, able=True) as world:
        await tell_phones(world, FROM_MUTE, "--no-advertise", with_mute=False)
