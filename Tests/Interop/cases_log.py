"""The log: what a device received is read back unchanged."""

import asyncio
import base64
import binascii
import json
import signal
import struct

import herald
from contact_rows import pull_until, rows_of, rssi_values_of
from h4_rssi_proxy import Walk
from node import contacts, pull, run
from world import World


def climb(rows, phone):
    """The difference between the last RSSI of a phone and the first."""
    strengths = rssi_values_of(rows, phone)
    return strengths[-1] - strengths[0] if strengths else 0


async def case_log_has_the_rssi_values_of_each_phone():
    async with World() as world:
        near = await world.android(1, advertising_interval=100)
        far = await world.ios(1, advertising_interval=200)
        world.rssi_values.walks = {near.address: Walk.parse("-48"), far.address: Walk.parse("-87")}
        node = await world.node("--link", "tcp:0")
        await node.has_read(near, far)
        rows = await pull_until(
            node, world.folder / "out",
            lambda rows: all(len(rows_of(rows, phone, "measure")) >= 10 for phone in (near, far)),
            "ten readings of each phone")
        times = [row["time"] for row in rows]
        assert times == sorted(times), "times go back"
        # The iPhone advertises its transmit power, too.
        for phone, strength in ((near, "RSSI:-48.0"), (far, "RSSI:-87.0[BLETransmitPower:12.0]")):
            assert len(rows_of(rows, phone, "detect")) == 1
            measured = rows_of(rows, phone, "measure")
            assert {row["data"] for row in measured} == {strength}, measured[:3]
            [read] = rows_of(rows, phone, "read")
            assert read["data"] == herald.short_name(phone.payload), read
            assert times.index(rows_of(rows, phone, "detect")[0]["time"]) <= times.index(read["time"])
        others = {row["id"] for row in rows} - {near.identity, far.identity, ""}
        assert not others, others


async def case_log_follows_a_phone_that_comes_and_goes():
    async with World() as world:
        # Longer than any delay of the process with all phones.
        node = await world.node("--link", "tcp:0", "--expiry", "8")
        world.rssi_values.walks = {"*": Walk.parse("-90")}
        phone = await world.android(1)
        await node.has_read(phone)
        world.rssi_values.restart({"*": Walk.parse("0:-90 10:-40")})
        output = world.folder / "out"
        await pull_until(node, output, lambda rows: climb(rows, phone) >= 10, "phone that came 10 dB nearer")
        await phone.leave()
        await node.says("is gone")
        # Earlier pulls may have used all commits that a host can request: another one is permitted after ten seconds.
        rows = await pull_until(node, output, lambda rows: rows_of(rows, phone, "delete"), "row that says that the phone is gone")
        strengths = rssi_values_of(rows, phone)
        assert strengths == sorted(strengths), "it only came nearer"
        assert strengths[0] == -90, strengths[0]
        assert len(rows_of(rows, phone, "delete")) == 1


async def case_log_knows_a_phone_that_changes_its_address():
    async with World() as world:
        phone = await world.android(1, reads_peers=False)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        # Advertisements under its former address may still be in transfer.
        other = "F0:D1:00:00:00:77"
        world.rssi_values.walks = {"*": Walk.parse("-60"), other: Walk.parse("-71")}
        await phone.rotate_address(other)
        rows = await pull_until(
            node, world.folder / "out", lambda rows: rssi_values_of(rows, phone).count(-71) >= 20, "readings under the other address")
        assert len(phone.served) == 1, "the phone was read again"
        assert {row["id"] for row in rows if row["id"]} == {phone.identity}
        assert {row["data"] for row in rows_of(rows, phone, "measure")} == {"RSSI:-60.0", "RSSI:-71.0"}


async def quiet_node(world, *options):
    """A node that has read two phones, which have left."""
    phones = [await world.android(1), await world.ios(1)]
    node = await world.node(*options)
    await node.has_read(*phones)
    await asyncio.sleep(1)
    for phone in phones:
        await phone.leave()
    await asyncio.sleep(0.5)
    return node


async def case_log_is_the_same_over_usbip_and_a_pseudo_terminal():
    async with World() as world:
        node = await quiet_node(world, "--link", f"pty:{world.folder / 'wearable'}", "--usbip", "0")
        assert node.link == f"serial:{world.folder / 'wearable'}"
        await pull(node.link, world.folder / "serial")
        await pull(node.usbip, world.folder / "usb")
        serial, usb = contacts(world.folder / "serial"), contacts(world.folder / "usb")
        assert len(serial) > 20
        assert serial == usb


async def case_log_is_pulled_further_while_the_node_runs():
    async with World() as world:
        first = await world.android(1)
        node = await world.node("--link", "tcp:0", "--usbip", "0")
        await node.has_read(first)
        output = world.folder / "out"
        await pull(node.usbip, output)
        before = contacts(output)
        second = await world.android(2)
        await node.has_read(second)
        await pull(node.link, output)
        after = contacts(output)
        assert len(after) > len(before) > 0
        assert after[: len(before)] == before
        assert rows_of(after, second, "read") and not rows_of(before, second, "read")


async def case_log_outlives_a_node_that_is_killed():
    async with World() as world:
        phone = await world.android(1)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        await pull(node.link, world.folder / "before")
        node.process.send_signal(signal.SIGKILL)
        await node.process.wait()
        await phone.leave()
        node = await world.node("--link", "tcp:0")
        await pull(node.link, world.folder / "after")
        before, after = contacts(world.folder / "before"), contacts(world.folder / "after")
        assert len(before) > 5
        kept = [row for row in after if row["id"]]
        assert [row for row in before if row["id"]] == kept[: len(before)]


async def case_a_second_node_on_the_same_storage_is_refused():
    async with World() as world:
        await world.node()
        status, _, err = await run(
            "herald-node", "--radio", f"tcp:127.0.0.1:{world.port}", "--storage", world.folder / "storage",
            "--payload", "fixed:826,4,2")
        assert status == 1
        assert "another process uses this storage directory" in err, err


async def case_device_says_who_it_is_on_every_link():
    async with World() as world:
        node = await world.node("--link", "tcp:0", "--usbip", "0")
        for device in (node.link, node.usbip):
            status, out, err = await run("herald-host", "info", "--device", device, "--json")
            assert status == 0, err
            assert node.facts["serial-number"][0] in json.dumps(json.loads(out)), out


def serial_frame(packet):
    """An SMP packet as a line of its serial framing."""
    check = binascii.crc_hqx(packet, 0)
    body = struct.pack(">H", len(packet) + 2) + packet + struct.pack(">H", check)
    return b"\x06\x09" + base64.b64encode(body) + b"\n"


async def case_device_restarts_when_a_host_asks():
    async with World() as world:
        phone = await world.android(1)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        host, port = node.facts["link"][0].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        # SMP version 2, write, group 0 (OS), command 5 (reset), an empty map.
        writer.write(serial_frame(bytes.fromhex("0A 00 0001 0000 07 05 A0")))
        answer = base64.b64decode((await reader.readline())[2:])
        assert answer[2:10] == bytes.fromhex("0B 00 0001 0000 07 05"), answer.hex()
        writer.close()
        await node.until(lambda: len(node.facts["started"]) == 2)
        await node.ready(times=2)
        assert node.facts["serial-number"][0] == node.facts["serial-number"][1]
        status, out, err = await run(
            "herald-host", "status", "--device", f"serial:tcp:{node.facts['link'][1]}", "--json")
        assert status == 0, err
        assert json.loads(out)["boot"] == 2, out


async def case_log_and_identity_are_erased_by_a_factory_reset():
    async with World() as world:
        phone = await world.android(1)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        storage = world.folder / "storage"
        key = (storage / "address-key").read_text()
        status, before, _ = await run("herald-host", "status", "--device", node.link, "--json")
        assert status == 0
        # Without the serial number nothing is erased: standard input is empty here.
        status, _, error = await run("herald-host", "factory-reset", "--device", node.link)
        assert status == 16 and "nothing was erased" in error, error
        assert (storage / "log.flash").read_bytes().count(b"HLog") > 0
        starts = len(node.facts["started"])
        status, _, error = await run("herald-host", "factory-reset", "--yes", "--device", node.link)
        assert status == 0, error
        await node.until(lambda: len(node.facts["started"]) > starts)
        await node.until(lambda: (storage / "address-key").exists())
        assert (storage / "address-key").read_text() != key
        assert set((storage / "settings.flash").read_bytes()) == {0xFF}
        port = node.facts["link"][-1]
        status, after, error = await run("herald-host", "status", "--device", f"serial:tcp:{port}", "--json")
        assert status == 0, error
        assert json.loads(after)["epoch"] != json.loads(before)["epoch"] and json.loads(after)["boot"] == 1, after
        # Records of the former log are absent, except those that also occur in the new one.
        assert (storage / "log.flash").read_bytes().count(b"HLog") <= 1


async def case_log_erasing_that_was_cut_short_goes_on_at_the_next_start():
    async with World() as world:
        phone = await world.android(1)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        storage = world.folder / "storage"
        await node.stop()
        assert (storage / "log.flash").read_bytes().count(b"HLog") > 0
        # The state after a loss of power directly after the marker was written (docs/herald-host.md).
        settings = bytearray((storage / "settings.flash").read_bytes())
        settings[4096 - 8 : 4096] = b"HEraseAl"
        (storage / "settings.flash").write_bytes(settings)
        key = (storage / "address-key").read_text()
        again = await world.node("--link", "tcp:0")
        await again.until(lambda: len(again.facts["started"]) > 1)
        await again.until(lambda: (storage / "address-key").exists())
        assert (storage / "address-key").read_text() != key
        assert set((storage / "settings.flash").read_bytes()) == {0xFF}
        assert (storage / "log.flash").read_bytes().count(b"HLog") <= 1
