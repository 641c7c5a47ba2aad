"""A USB device that is a program: served as USB/IP over TCP, to a kernel's vhci-hcd or to whoever speaks that protocol."""

import contextlib
import socket
import struct
import threading

PORT = 3240
HEADER = struct.Struct(">5I28s")
SUBMIT, UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
OP_VERSION = 0x0111
OP_REQ_DEVLIST, OP_REP_DEVLIST, OP_REQ_IMPORT, OP_REP_IMPORT = 0x8005, 0x0005, 0x8003, 0x0003
BUS_ID = b"1-1"
FULL_SPEED, HIGH_SPEED = 2, 3
EPIPE, ECONNRESET = -32, -104


class Vanished(Exception):
    """The device is gone from the bus."""


class Stall(Exception):
    """The device refuses a request."""


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


class Server:
    """Serves one device, to one host at a time. `device` has `speed`, `device_descriptor`, `configuration_descriptor`, `control(setup, data)`,
    `received(endpoint, data)` for each transfer out, and `take(endpoint)`, the next packet to the host or nothing; `unplugged()` is called when a host lets go.
    Both of the former may raise `Stall` or `Vanished`; after that nobody is let in until `is_present` is set again."""

    def __init__(self, device, port=0, host="127.0.0.1"):
        self.device = device
        self.is_present = True
        self.connection = None
        self.listener = socket.create_server((host, port))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def close(self):
        # A thread in accept(2) is woken by shutdown, not by close.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.unplug()
        self.thread.join()

    def unplug(self):
        """Pulls the cable; the next host may come when `is_present` is true."""
        connection = self.connection
        if connection:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection = connection
            with connection, contextlib.suppress(EOFError, OSError):
                if self.greet(connection):
                    try:
                        self.serve(connection)
                    except Vanished:
                        self.is_present = False
                    finally:
                        self.device.unplugged()
            self.connection = None

    def record(self):
        """The device as in the replies of the first phase."""
        vendor, product, version = struct.unpack_from("<HHH", self.device.device_descriptor, 8)
        return struct.pack(">256s32sIIIHHHBBBBBB", b"/sys/devices/virtual/usb1/1-1", BUS_ID, 1, 2, self.device.speed, vendor, product, version,
                           *self.device.device_descriptor[4:7], 1, 1, self.device.configuration_descriptor[4])

    def greet(self, connection):
        """Answers requests until the device is imported; whether it is."""
        while True:
            _, code, _ = struct.unpack(">HHI", receive(connection, 8))
            if code == OP_REQ_DEVLIST:
                devices = b""
                if self.is_present:
                    interfaces = b"".join(bytes([*kind, 0]) for kind in self.device.interface_classes)
                    devices = self.record() + interfaces
                connection.sendall(struct.pack(">HHII", OP_VERSION, OP_REP_DEVLIST, 0, 1 if self.is_present else 0) + devices)
            elif code == OP_REQ_IMPORT:
                name = receive(connection, 32).rstrip(b"\0")
                if name != BUS_ID or not self.is_present:
                    connection.sendall(struct.pack(">HHI", OP_VERSION, OP_REP_IMPORT, 1))
                    return False
                connection.sendall(struct.pack(">HHI", OP_VERSION, OP_REP_IMPORT, 0) + self.record())
                return True
            else:
                return False

    def serve(self, connection):
        waiting = {}

        def answer(sequence, status, count, data=b""):
            connection.sendall(HEADER.pack(RET_SUBMIT, sequence, 0, 0, 0, struct.pack(">iiIIi8x", status, count, 0, 0, 0)) + data)

        while True:
            command, sequence, _, direction, endpoint, rest = HEADER.unpack(receive(connection, HEADER.size))
            if command == UNLINK:
                given_up = struct.unpack_from(">I", rest)[0]
                was_waiting = waiting.pop(given_up, None) is not None
                connection.sendall(HEADER.pack(RET_UNLINK, sequence, 0, 0, 0, struct.pack(">i24x", ECONNRESET if was_waiting else 0)))
                continue
            if command != SUBMIT:
                return
            length = struct.unpack_from(">I", rest, 4)[0]
            data = receive(connection, length) if direction == 0 else b""
            try:
                if endpoint == 0:
                    answered = self.device.control(rest[20:28], data)
                    answer(sequence, 0, len(answered) if direction else len(data), answered if direction else b"")
                elif direction == 0:
                    self.device.received(endpoint, data)
                    answer(sequence, 0, len(data))
                else:
                    waiting[sequence] = (endpoint, length)
            except Stall:
                answer(sequence, EPIPE, 0)
            # Transfers to the host are answered in the order in which they were asked for.
            for pending, (place, room) in list(waiting.items()):
                packet = self.device.take(place)
                if packet is not None:
                    del waiting[pending]
                    answer(pending, 0, len(packet[:room]), packet[:room])
