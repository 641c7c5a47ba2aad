"""The device in a Linux kernel's USB: enumerated, its serial port and its link used by programs as they are, unplugged, and inaccessible to users without permission."""

import asyncio
import contextlib
import grp
import json
import logging
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
import traceback
import unittest
from pathlib import Path

import usb

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
import log_pages
from dock import Dock, check, left_on, pages_of
from node import ROOT, Node, program, run

PATIENCE = usb.PATIENCE
PAGES = 6
PLUGDEV = "plugdev"
SMP_PYTHON = ROOT / ".build" / "venv-smp" / "bin" / "python"
NOBODY = 65534
# The controller of a node here: a socket that accepts and never responds.
silent = None


def setUpModule():
    global silent
    # It logs operations of more than 0.1 s, which in the guest are all.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    silent = socket.create_server(("127.0.0.1", 0), backlog=64)
    usb.start()
    usb.install_rule()


async def output_of(*command):
    """The output of a program, which must succeed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, f"{command[0]} ended with {process.returncode}: {said.decode()[-1500:]}"
    return said.decode()


async def host(*arguments, groups=None):
    """herald-host as root, or as nobody in these groups: status, standard output, standard error."""
    if groups is None:
        return await run("herald-host", *arguments, seconds=PATIENCE)
    numbers = ",".join(str(grp.getgrnam(name).gr_gid) for name in groups)
    process = await asyncio.create_subprocess_exec(
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", f"--groups={numbers}" if groups else "--clear-groups",
        program("herald-host"), *map(str, arguments), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, out.decode(), err.decode()


class World:
    """Nodes with a few pages of log, for as long as a test lasts."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp())
        self.nodes = []

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        if error:
            traceback.print_exception(error)
        for node in [node for node in self.nodes if node.process]:
            if kind:
                print("herald-node said:", *node.messages, sep="\n  ")
            if node.process.returncode is None:
                node.process.send_signal(signal.SIGCONT)
            await node.stop()
        shutil.rmtree(self.folder)

    async def node(self, count=1):
        """A node with this number of log pages, all except the last closed."""
        storage = self.folder / f"storage-{len(self.nodes)}"
        for number in (1, count) if count > 1 else (1,):
            if number > 1:
                await node.stop()
                log_pages.fill(storage, number)
            node = Node(f"tcp:127.0.0.1:{silent.getsockname()[1]}", storage, "--usbip", "0", "--link", "tcp:0")
            await node.start(seconds=PATIENCE)
        self.nodes.append(node)
        return node


class Collected:
    """What the dock is to collect of a node, and the node's storage."""

    def __init__(self, node, storage):
        self.serial = node.facts["serial-number"][0]
        self.storage = storage
        self.pages = pages_of((storage / "log.flash").read_bytes())


def pages(folder):
    """The closed pages of a pulled log, by name."""
    return {path.name: path.read_bytes() for path in (Path(folder) / "pages").glob("*.page") if ".open." not in path.name}


class USB(unittest.IsolatedAsyncioTestCase):
    async def test_enumerates_it_and_lsusb_understands_every_descriptor(self):
        async with World() as world:
            node = await world.node()
            async with usb.NodePlug(node) as plug:
                self.assertEqual(plug.number("speed"), "12")
                drivers = [(path.name[-1], (path / "driver").resolve().name if (path / "driver").exists() else "")
                           for path in sorted(plug.folder.glob("*:1.*"))]
                self.assertEqual(drivers, [("0", ""), ("1", "cdc_acm"), ("2", "cdc_acm")])
                said = await output_of("lsusb", "-v", "-d", "1209:0001")
                for words in ("bcdUSB               2.01", "Herald Wearable", node.facts["serial-number"][0], "Herald management (SMP)", "wTotalLength       0x0062",
                              "Interface Association", "CDC Header", "bcdCDC               1.20", "CDC Call Management", "CDC ACM", "CDC Union",
                              "bSlaveInterface         2", "Binary Object Store Descriptor", "WebUSB", "{d8dd60df-4589-4cc7-9cd2-659d9e648a9f}"):
                    self.assertIn(words, said)
                # lsusb reports what it cannot parse with these words.
                for words in ("INVALID", "UNRECOGNIZED", "can't get", "junk", "Warning"):
                    self.assertNotIn(words, said)

    async def test_its_serial_port_is_used_by_programs_that_know_nothing_of_it(self):
        async with World() as world:
            node = await world.node()
            async with usb.NodePlug(node) as plug:
                self.assertEqual(grp.getgrgid(os.stat(plug.terminal).st_gid).gr_name, PLUGDEV)
                said = await output_of("udevadm", "info", "--query=property", plug.terminal)
                self.assertIn("ID_MM_DEVICE_IGNORE=1", said)
                manager = SMP_PYTHON.parent / "smpmgr"
                text = "hello"
                self.assertIn(text, await output_of(manager, "--port", plug.terminal, "--timeout", "30", "os", "echo", text))
                # As a terminal, by a program that asks for a modem first.
                status, out, err = await host("info", "--device", f"serial:{plug.terminal}", "--json")
                self.assertEqual(status, 0, err)
                self.assertIn(node.facts["serial-number"][0], out)

    async def test_its_log_is_pulled_through_libusb_while_the_serial_port_is_open(self):
        async with World() as world:
            node = await world.node(PAGES)
            async with usb.NodePlug(node) as plug:
                with open(plug.terminal, "wb", buffering=0) as terminal:
                    terminal.write(b"AT\r")
                    status, out, err = await host("log", "pull", "--output", world.folder / "usb")
                    self.assertEqual(status, 0, err)
                status, out, err = await host("log", "pull", "--device", node.link, "--output", world.folder / "serial")
                self.assertEqual(status, 0, err)
                self.assertEqual(pages(world.folder / "usb"), pages(world.folder / "serial"))
                self.assertEqual(len(pages(world.folder / "usb")), PAGES - 1)

    async def test_who_may_use_it_is_what_the_rule_says(self):
        async with World() as world:
            node = await world.node()
            try:
                usb.install_rule(False)
                async with usb.NodePlug(node) as plug:
                    status, _, err = await host("info", groups=[PLUGDEV])
                    self.assertEqual(status, 4, err)
                    self.assertIn(f"no permission for {plug.file}", err)
                    self.assertIn("udev-rule", err)
                    status, out, err = await host("devices", groups=[])
                    self.assertEqual(status, 0, err)
                    self.assertIn(node.facts["serial-number"][0], out)
                    self.assertIn("no permission", out + err)
                usb.install_rule()
                async with usb.NodePlug(node) as plug:
                    self.assertEqual(stat.S_IMODE(os.stat(plug.file).st_mode), 0o660)
                    status, out, err = await host("info", "--json", groups=[PLUGDEV])
                    self.assertEqual(status, 0, err)
                    self.assertIn(node.facts["serial-number"][0], out)
                    status, _, err = await host("info", groups=[])
                    self.assertEqual(status, 4, err)
            finally:
                usb.install_rule()

    async def test_unplugged_in_mid_transfer_it_is_told_of_and_back_it_goes_on(self):
        async with World() as world:
            node = await world.node(PAGES)
            async with usb.NodePlug(node) as plug:
                # A device that has stopped: the transfer hangs in either order.
                pulling = asyncio.create_task(host("log", "pull", "--timeout", "100", "--output", world.folder / "out"))
                # It may have completed everything before the check.
                await usb.until(lambda: self.is_claimed(plug) or pulling.done(), "herald-host does not open the device")
                node.process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(1)
                await asyncio.get_running_loop().run_in_executor(None, plug.unplug)
                node.process.send_signal(signal.SIGCONT)
                status, _, err = await pulling
                if status != 0:
                    self.assertIn(status, (6, 10), err)
                    # Of a device that is gone while its interface is claimed, libusb reports another error.
                    self.assertRegex(err, "the device is gone|claiming .* failed .*\n.*reconnect the device")
                await plug.plug()
                status, _, err = await host("log", "pull", "--output", world.folder / "out")
                self.assertEqual(status, 0, err)
                status, _, err = await host("log", "pull", "--device", node.link, "--output", world.folder / "serial")
                self.assertEqual(status, 0, err)
                self.assertEqual(pages(world.folder / "out"), pages(world.folder / "serial"))

    async def test_the_dock_collects_what_is_plugged_in(self):
        """By libusb's callbacks: one is plugged in, collected and unplugged; another is unplugged in the midst of it, and plugged in again."""
        async with World() as world:
            nodes = [await world.node(PAGES), await world.node(PAGES)]
            badges = [Collected(node, world.folder / f"storage-{place}") for place, node in enumerate(nodes)]
            first, second = badges
            archive = world.folder / "ward.sqlite"
            dock = await Dock(archive, [], "--trim", patience=PATIENCE).start()
            try:
                async with usb.NodePlug(nodes[0]) as plug:
                    done = await dock.sees("done", first.serial)
                    self.assertEqual(done["location"], f"usb:{plug.folder.name}")
                    self.assertEqual((done["result"]["new_pages"], done["result"]["trimmed_pages"]), (PAGES, PAGES - 1))
                await dock.sees("left", first.serial)
                async with usb.NodePlug(nodes[1]) as plug:
                    await dock.sees("phase", second.serial, phase="pull")
                    await asyncio.get_running_loop().run_in_executor(None, plug.unplug)
                    await dock.sees("left", second.serial)
                    # It may have completed everything before.
                    before = len(dock.told("done", second.serial))
                    await plug.plug()
                    await dock.sees("done", second.serial, times=before + 1)
                await dock.sees("left", second.serial, times=2)
                self.assertEqual(await dock.stop(), 0, dock.messages)
            finally:
                if dock.process.returncode is None:
                    await dock.kill()
            for badge in badges:
                check(archive, badge)
                self.assertEqual(left_on(badge), {})
            self.assertEqual([node.facts["light"][-1] for node in nodes], ["done", "done"])

    @staticmethod
    def is_claimed(plug):
        driver = plug.folder / f"{plug.folder.name}:1.0" / "driver"
        return driver.exists() and driver.resolve().name == "usbfs"

    async def test_a_terminal_is_told_that_the_cable_was_pulled(self):
        async with World() as world:
            node = await world.node()
            async with usb.NodePlug(node) as plug:
                with open(plug.terminal, "rb", buffering=0) as terminal:
                    reading = asyncio.get_running_loop().run_in_executor(None, self.end_of, terminal)
                    await asyncio.sleep(0.5)
                    await asyncio.get_running_loop().run_in_executor(None, plug.unplug)
                    await asyncio.wait_for(reading, PATIENCE)
                await plug.plug()
                status, _, err = await host("info", "--device", f"serial:{plug.terminal}")
                self.assertEqual(status, 0, err)

    @staticmethod
    def end_of(terminal):
        """Reads until the end of the data or an error."""
        with contextlib.suppress(OSError):
            while terminal.read(64):
                continue

    async def test_two_at_once(self):
        async with World() as world:
            nodes = [await world.node(PAGES), await world.node(PAGES)]
            serials = [node.facts["serial-number"][0] for node in nodes]
            async with usb.NodePlug(nodes[0]) as first, usb.NodePlug(nodes[1]) as second:
                self.assertNotEqual(first.terminal, second.terminal)
                status, out, err = await host("devices", "--json")
                self.assertEqual(status, 0, err)
                self.assertEqual({device["serial"] for device in json.loads(out)["devices"]}, set(serials))
                status, _, err = await host("info")
                self.assertEqual(status, 3, err)
                outcomes = await asyncio.gather(*(
                    host("log", "pull", "--device", serial, "--output", world.folder / serial) for serial in serials))
                for (status, _, err), serial, node in zip(outcomes, serials, nodes):
                    self.assertEqual(status, 0, err)
                    other = world.folder / f"{serial}-serial"
                    status, _, err = await host("log", "pull", "--device", node.link, "--output", other)
                    self.assertEqual(status, 0, err)
                    self.assertEqual(pages(world.folder / serial), pages(other))


if __name__ == "__main__":
    unittest.main()
