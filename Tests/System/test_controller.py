"""herald-controller in a Linux kernel's USB: taken by btusb, set up by the kernel, and used by BlueZ and by herald-node, over a simulated medium."""

import asyncio
import contextlib
import logging
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bluez
import usb
from test_bluetooth import NODES, World

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from node import ROOT, Node, program

PATIENCE = usb.PATIENCE
SIMULATION = "system"
# The first has no public address, as most chips.
ADDRESSES = ["none", "48:65:72:61:00:01"]
STATIC = "C2:03:04:05:06:07"


def setUpModule():
    # It logs operations of more than 0.1 s, which in the guest are all.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    # udev does not load the driver: it would send commands to a controller whose simulated time waits for the host of the other one.
    Path("/etc/modprobe.d/herald.conf").write_text("blacklist btusb\n")
    usb.start()


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=True).stdout


class Controllers:
    """A context manager: two controllers on USB, plugged in and set up by the kernel. `names` are theirs in the kernel."""

    async def __aenter__(self):
        self.processes = [await asyncio.create_subprocess_exec(
            sys.executable, str(ROOT / "Tests" / "Air" / "medium.py"), SIMULATION, str(len(ADDRESSES)), "100000")]
        self.plugs = []
        for number, address in enumerate(ADDRESSES):
            process = await asyncio.create_subprocess_exec(
                program("herald-controller"), "--air", f"{SIMULATION}:{number}", "--usbip", "0", "--address", address, "--poll", "5",
                stdout=asyncio.subprocess.PIPE)
            self.processes.append(process)
            place = (await process.stdout.readline()).decode().removeprefix("usbip 127.0.0.1:")
            self.plugs.append(usb.Plug(int(place.split("/")[0]), f"{SIMULATION}-{number}"))
        # At once: simulated time begins when every device has a host.
        await asyncio.gather(*(plug.plug() for plug in self.plugs))
        subprocess.check_call(["modprobe", "btusb"])
        self.names = [await usb.until(lambda plug=plug: self.name_of(plug), "the kernel does not set the controller up") for plug in self.plugs]
        return self

    @staticmethod
    def name_of(plug):
        """The name of a controller whose buffers the kernel knows."""
        for path in plug.folder.glob("*:1.0/bluetooth/hci*"):
            # The kernel may remove it meanwhile.
            with contextlib.suppress(subprocess.CalledProcessError):
                if "ACL MTU: 27:3" in output_of("hciconfig", path.name):
                    return path.name
        return None

    async def __aexit__(self, *error):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class Controller(unittest.IsolatedAsyncioTestCase):
    async def test_btusb_takes_it_and_bluez_and_the_node_run_on_it(self):
        folder = Path(tempfile.mkdtemp())
        async with Controllers() as controllers:
            for plug, address in zip(controllers.plugs, ["00:00:00:00:00:00", ADDRESSES[1]]):
                self.assertEqual((plug.folder / f"{plug.folder.name}:1.0" / "driver").resolve().name, "btusb")
                said = output_of("hciconfig", controllers.name_of(plug))
                self.assertIn(f"BD Address: {address}  ACL MTU: 27:3", said)
                self.assertIn("Bus: USB", said)
                self.assertIn("errors:0", said)
            # The node sets random addresses by itself, and BlueZ has the public address.
            node = Node(f"hci:{controllers.names[0][3:]}", folder / "storage")
            await node.start(PATIENCE)
            await node.ready(seconds=PATIENCE)
            bluez.start()
            self.assertIn(f"Controller {ADDRESSES[1]} (public)", bluez.tool("show"))
            self.assertEqual(await World.payload(), NODES)
            phones = NODES[:5] + b"\x07" * 8
            async with bluez.Phone(controllers.names[1], phones):
                await node.says("payload of 13 bytes", PATIENCE)
            await node.stop()
            # BlueZ on a controller without a public address: it needs a static one, and is off until it has one.
            index = controllers.names[0][3:]
            bluez.managed("--index", index, "static-addr", STATIC)
            bluez.managed("--index", index, "power", "on")
            said = bluez.managed("--index", index, "info")
            self.assertRegex(said, "current settings: powered .*static-addr")
        shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()
