"""A USB device in software: served as USB/IP over TCP, to a kernel's vhci-hcd or another client."""

import contextlib
import socket
import threading

import usbip_messages as messages
from usbip_messages import BUS_ID, EPIPE, HEADER, OP_REP_IMPORT, OP_REQ_DEVLIST, OP_REQ_IMPORT, SUBMIT, UNLINK

class Vanished(Exception):
    """The device is not on the bus."""


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
    """Serves one device, to one host at a time. `device` has `speed`, `device_descriptor`, `configuration_descriptor`, `control(setup, data)`, `received(endpoint,
    data)` for each transfer out, and `take(endpoint)`, the next packet to the host or nothing; `unplugged()` is called when a host disconnects. `received` and
    `control` may raise `Stall` or `Vanished`; after that no client is accepted until `is_present` is set again."""

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
        """Disconnects the cable; the next host can connect when `is_present` is true."""
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
        return messages.device_record(self.device.speed, self.device.device_descriptor, self.device.configuration_descriptor)

    def greet(self, connection):
        """Processes requests until the device is imported; whether it is."""
        while True:
            _, code, _ = messages.OPERATION.unpack(receive(connection, messages.OPERATION.size))
            if code == OP_REQ_DEVLIST:
                devices = []
                if self.is_present:
                    devices = [self.record() + b"".join(map(messages.interface_record, self.device.interface_classes))]
                connection.sendall(messages.device_list(*devices))
            elif code == OP_REQ_IMPORT:
                name = receive(connection, messages.BUS_ID_SIZE).rstrip(b"\0")
                if name != BUS_ID or not self.is_present:
                    connection.sendall(messages.operation(OP_REP_IMPORT, 1))
                    return False
                connection.sendall(messages.operation(OP_REP_IMPORT) + self.record())
                return True
            else:
                return False

    def serve(self, connection):
        waiting = {}

        def answer(sequence, status, count, data=b""):
            connection.sendall(messages.submitted(sequence, status, count, data))

        while True:
            command, sequence, _, direction, endpoint, rest = HEADER.unpack(receive(connection, HEADER.size))
            if command == UNLINK:
                was_waiting = waiting.pop(messages.victim(rest), None) is not None
                connection.sendall(messages.unlinked(sequence, was_waiting))
                continue
            if command != SUBMIT:
                return
            length = messages.length(rest)
            data = receive(connection, length) if direction == 0 else b""
            try:
                if endpoint == 0:
                    answered = self.device.control(messages.setup(rest), data)
                    answer(sequence, 0, len(answered) if direction else len(data), answered if direction else b"")
                elif direction == 0:
                    self.device.received(endpoint, data)
                    answer(sequence, 0, len(data))
                else:
                    waiting[sequence] = (endpoint, length)
            except Stall:
                answer(sequence, EPIPE, 0)
            # Transfers to the host are completed in the order of their requests.
            for pending, (place, room) in list(waiting.items()):
                packet = self.device.take(place)
                if packet is not None:
                    del waiting[pending]
                    answer(pending, 0, len(packet[:room]), packet[:room])
