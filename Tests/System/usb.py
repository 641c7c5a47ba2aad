"""USB devices of the guest: those of USB/IP servers, attached to the kernel's virtual host controller; and the udev rule for their permissions."""

import asyncio
import contextlib
import grp
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
DEVICES = Path("/sys/bus/usb/devices")
RULE = Path("/etc/udev/rules.d/70-herald.rules")
FULL_SPEED, HIGH_SPEED = 2, 3
FREE = "004"
# Timeout in seconds for expected events.
PATIENCE = 300


def start():
    """The kernel's drivers, and udev without the rule."""
    # Otherwise these are loaded on demand, which takes time during the test.
    subprocess.check_call(["modprobe", "-a", "vhci_hcd", "cdc_acm"])
    try:
        grp.getgrnam("plugdev")
    except KeyError:
        subprocess.check_call(["groupadd", "--system", "plugdev"])
    RULE.unlink(missing_ok=True)
    subprocess.check_call(["/lib/systemd/systemd-udevd", "--daemon"])


def install_rule(is_there=True):
    """Installs the repository's rule for udev, or removes it."""
    RULE.parent.mkdir(parents=True, exist_ok=True)
    RULE.unlink(missing_ok=True)
    if is_there:
        shutil.copy(ROOT / "udev" / "70-herald.rules", RULE)
    subprocess.check_call(["udevadm", "control", "--reload"])


def settle():
    subprocess.check_call(["udevadm", "settle", f"--timeout={PATIENCE}"])


def receive(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        assert piece, "the node closed the connection"
        data += piece
    return data


class Plug:
    """The device of a USB/IP server at a TCP port, with this serial number, in one of the controller's ports: an asynchronous context manager. `folder` is its place
    below /sys, and `file` its device file."""

    def __init__(self, server_port, serial, speed=FULL_SPEED):
        self.server_port, self.serial, self.speed = server_port, serial, speed

    async def __aenter__(self):
        await self.plug()
        return self

    async def __aexit__(self, *error):
        self.unplug()

    async def plug(self):
        # Like the program usbip: OP_REQ_IMPORT, then the socket is passed to the kernel.
        connection = socket.create_connection(("127.0.0.1", self.server_port))
        connection.sendall(struct.pack(">HHI32s", 0x0111, 0x8003, 0, b"1-1"))
        loop = asyncio.get_running_loop()
        version, code, status = struct.unpack(">HHI", await loop.run_in_executor(None, receive, connection, 8))
        assert (version, code, status) == (0x0111, 3, 0), (version, code, status)
        await loop.run_in_executor(None, receive, connection, 312)
        rows = [row.split() for row in (CONTROLLER / "status").read_text().splitlines()[1:]]
        self.port = next(int(row[1]) for row in rows if row[0] == "hs" and row[2] == FREE)
        (CONTROLLER / "attach").write_text(f"{self.port} {connection.fileno()} {1 << 16 | 2} {self.speed}")
        connection.close()
        self.folder = await until(lambda: self.find(self.serial), "the kernel does not enumerate the device")
        self.file = f"/dev/bus/usb/{int(self.number('busnum')):03}/{int(self.number('devnum')):03}"
        await loop.run_in_executor(None, settle)

    def number(self, name):
        return (self.folder / name).read_text().strip()

    @staticmethod
    def find(serial):
        for path in DEVICES.glob("*/serial"):
            # A device may be removed meanwhile.
            with contextlib.suppress(OSError):
                if path.read_text().strip() == serial and (path.parent / "bConfigurationValue").read_text().strip() == "1":
                    return path.parent
        return None

    def unplug(self):
        """Disconnects the cable."""
        if self.folder.exists():
            # A device that disconnected by itself has left its port before its folder is removed; the kernel refuses to detach it again.
            with contextlib.suppress(OSError):
                (CONTROLLER / "detach").write_text(str(self.port))
        deadline = time.monotonic() + PATIENCE
        while self.folder.exists():
            assert time.monotonic() < deadline, "the kernel keeps the device"
            time.sleep(0.05)


class NodePlug(Plug):
    """A node's USB device; `terminal` is its serial port's."""

    def __init__(self, node):
        super().__init__(int(node.facts["usbip"][0].split(":")[1].split("/")[0]), node.facts["serial-number"][0])

    async def plug(self):
        await super().plug()
        found = await until(lambda: list(self.folder.glob("*:1.1/tty/*")), "cdc_acm does not take the serial port")
        self.terminal = f"/dev/{found[0].name}"
        await asyncio.get_running_loop().run_in_executor(None, settle)


async def until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.1)
    return found
