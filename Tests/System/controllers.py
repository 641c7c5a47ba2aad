"""Bluetooth controllers for the guest's kernel: those of BlueZ's emulator, each plugged in through /dev/vhci.

The emulator serves them on a Unix socket, on one simulated medium. It does not support RSSI (all reports contain 127, "not available"), so that this program inserts
the RSSI of the test into the reports between emulator and kernel."""

import os
import select
import socket
import subprocess
import threading
import time
from pathlib import Path

SOCKET = Path("/tmp/bt-server-le")
# Kernel modules of the emulator. They are loaded before it starts: it does not respond while it waits for one of these, and the kernel abandons a controller without
# a response within two seconds.
MODULES = ["hci_vhci", "af_alg", "algif_hash", "algif_skcipher", "ecb", "cmac", "aes_generic"]
# H4 packet types (Core Specification, Vol 4, Part A, 2), and the length field of each: (offset, bytes).
LENGTHS = {0x02: (3, 2), 0x03: (3, 1), 0x04: (2, 1)}
VENDOR = 0xFF
# Seconds to wait for the emulator.
PATIENCE = 300
# Processes that run until the guest ends.
programs = []


class Controller(threading.Thread):
    """A controller that exists until the guest ends. `name` is its name in the kernel; `rssi` is the RSSI of received advertisements in dBm."""

    def __init__(self, rssi):
        super().__init__(daemon=True)
        self.rssi = rssi
        self.emulator = connected()
        self.kernel = os.open("/dev/vhci", os.O_RDWR)
        # A vendor packet to the driver that creates a controller. Its response contains the number; a command of the kernel may precede it.
        os.write(self.kernel, bytes([VENDOR, 0]))
        while (packet := os.read(self.kernel, 1024))[0] != VENDOR:
            self.emulator.sendall(packet)
        self.name = f"hci{int.from_bytes(packet[2:4], 'little')}"
        self.start()

    def run(self):
        try:
            self.forward()
        except OSError:
            # The kernel has abandoned the controller, or it is closed.
            return

    def close(self):
        """Unplugs it."""
        self.emulator.shutdown(socket.SHUT_RDWR)
        os.close(self.kernel)

    def forward(self):
        received = b""
        while True:
            ready, _, _ = select.select([self.emulator, self.kernel], [], [])
            if self.kernel in ready:
                self.emulator.sendall(os.read(self.kernel, 4096))
            if self.emulator in ready:
                if not (data := self.emulator.recv(4096)):
                    return
                received += data
                while (end := self.length(received)) and len(received) >= end:
                    os.write(self.kernel, self.heard(received[:end]))
                    received = received[end:]

    @staticmethod
    def length(data):
        """The length of the packet at this position; 0 while it is unknown."""
        if not data:
            return 0
        offset, size = LENGTHS[data[0]]
        head = offset + size
        return head + int.from_bytes(data[offset:head], "little") if len(data) >= head else 0

    def heard(self, packet):
        """The packet, with the RSSI set if it is a report of one advertisement."""
        strength = bytes([self.rssi & 0xFF])
        if packet[:2] != b"\x04\x3e":
            return packet
        # LE Advertising Report: the RSSI is the last byte. LE Extended Advertising Report: after the transmit power, both within the report.
        if packet[3:5] == b"\x02\x01":
            return packet[:-1] + strength
        if packet[3:5] == b"\x0d\x01":
            return packet[:18] + strength + packet[19:]
        return packet


    @property
    def is_set_up(self):
        """Whether the kernel has initialised it: its address is known."""
        said = subprocess.run(["hciconfig", self.name], capture_output=True, text=True).stdout
        return "BD Address: 00:AA" in said


def start():
    """Starts the emulator."""
    subprocess.check_call(["modprobe", "-a", *MODULES])
    programs.append(subprocess.Popen(["btvirt", "-s"], stdout=subprocess.DEVNULL))


def connected():
    """A connection to the emulator, whose socket exists before it accepts connections."""
    deadline = time.monotonic() + PATIENCE
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(SOCKET))
            return connection
        except (FileNotFoundError, ConnectionRefusedError) as error:
            connection.close()
            ended = [program.args for program in programs if program.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise SystemExit(f"BlueZ's emulator does not listen: {error}; ended: {ended}") from None
        time.sleep(0.05)


def plug(rssi):
    """A controller that the kernel has initialised. The kernel's timeout of two seconds is not always sufficient on a busy machine: then the controller is plugged
    in again."""
    for _ in range(8):
        controller = Controller(rssi)
        until = time.monotonic() + 15
        while time.monotonic() < until and controller.is_alive():
            if controller.is_set_up:
                return controller
            time.sleep(0.1)
        controller.close()
    raise SystemExit("the kernel does not get on with BlueZ's emulated controllers")
