"""Real libusb, unmodified, in herald-host, on the device's own USB code: the kernel's USB is replaced by Tests/Umock."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

from node import ROOT, contacts, ended, program, pull
from world import World

SOURCES = ROOT / "Tests" / "Umock"
PLUGGED_IN = "/dev/bus/usb/001/002"


def usb_device():
    """The program that connects devices, built if it is missing or outdated."""
    built = ROOT / ".build" / "umock" / "usb_device"
    parts = [SOURCES / name for name in ("usb_device.c", "usbip.c", "usbip.h")]
    if not built.exists() or any(part.stat().st_mtime > built.stat().st_mtime for part in parts):
        built.parent.mkdir(parents=True, exist_ok=True)
        library = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "umockdev-1.0"], check=True, capture_output=True, text=True).stdout.split()
        # Cases run concurrently: each installs its own copy atomically.
        new = built.with_suffix(f".{os.getpid()}")
        subprocess.run(["gcc", "-O2", "-Wall", "-o", new, *parts[:2], *library, "-lpthread"], check=True)
        new.rename(built)
    return str(built)


async def plugged_in(nodes, *arguments, options=()):
    """Runs herald-host where these nodes are plugged in; (status, standard output, standard error)."""
    ports = [node.facts["usbip"][0].split(":")[1].split("/")[0] for node in nodes]
    return await ended(usb_device(), *options, *ports, "--", program("herald-host"), *arguments)


async def met(world, *options):
    """A node that has read a phone, which has left: its log does not grow."""
    phone = await world.android(1)
    node = await world.node("--usbip", "0", "--link", "tcp:0", *options)
    await node.has_read(phone)
    await asyncio.sleep(1)
    await phone.leave()
    await asyncio.sleep(0.5)
    return node


async def case_usb_device_is_listed_read_and_pulled_by_libusb():
    async with World() as world:
        node = await met(world)
        [serial] = node.facts["serial-number"]
        status, out, err = await plugged_in([node], "devices", "--json")
        assert status == 0, err
        [device] = json.loads(out)["devices"]
        assert device["location"] == "usb:1-1" and serial in out, out
        for selector in ([], ["--device", serial], ["--device", "usb:1-1"]):
            status, out, err = await plugged_in([node], "info", "--json", *selector)
            assert status == 0 and serial in out, err or out
        status, out, err = await plugged_in([node], "log", "pull", "--output", world.folder / "usb")
        assert status == 0, err
        await pull(node.link, world.folder / "serial")
        assert len(contacts(world.folder / "usb")) > 5
        assert contacts(world.folder / "usb") == contacts(world.folder / "serial")
        # A device that is not there.
        status, _, err = await plugged_in([node], "info", "--device", "0123")
        assert status == 2, (status, err)


async def case_usb_device_that_may_not_be_opened_is_told_of_with_the_rule():
    async with World() as world:
        node = await world.node("--usbip", "0")
        status, out, err = await plugged_in([node], "devices", options=["--deny"])
        assert status == 0 and "usb:1-1" in out and f"no permission for {PLUGGED_IN}" in out + err, out + err
        status, out, err = await plugged_in([node], "info", options=["--deny"])
        assert status == 4, (status, err)
        assert f"no permission for {PLUGGED_IN}" in err and "udev" in err, err


async def case_usb_device_that_is_unplugged_in_mid_transfer_loses_nothing():
    async with World() as world:
        node = await met(world)
        output = world.folder / "out"
        whole = None
        # Disconnected after this number of bytes; the last time it stays connected.
        for limit in [0, 40, 120, 200, 400, 800, None]:
            options = [] if limit is None else ["--vanish", str(limit)]
            status, out, err = await plugged_in([node], "log", "pull", "--output", output, options=options)
            if limit is None:
                assert status == 0, err
            elif status != 0:
                assert status in (6, 10), (limit, status, err)
                assert "the device is gone" in err and "→" in err, err
                continue
            rows = contacts(output)
            assert whole is None or rows == whole
            whole = rows
        await pull(node.link, world.folder / "serial")
        assert whole == contacts(world.folder / "serial") and len(whole) > 5


async def case_usb_devices_of_which_there_are_two_have_to_be_named():
    async with World() as world:
        nodes = [await world.node("--usbip", "0"), await world.another_node(2, "--usbip", "0")]
        serials = [node.facts["serial-number"][0] for node in nodes]
        status, out, err = await plugged_in(nodes, "devices", "--json")
        assert status == 0, err
        assert [device["location"] for device in json.loads(out)["devices"]] == ["usb:1-1", "usb:1-2"], out
        status, _, err = await plugged_in(nodes, "info")
        assert status == 3 and all(serial in err for serial in serials), (status, err)
        for place, serial in enumerate(serials):
            status, out, err = await plugged_in(nodes, "info", "--json", "--device", serial)
            assert status == 0 and f"usb:1-{place + 1}" in out, err or out
