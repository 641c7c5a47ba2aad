"""The side of EDTT: requests to a herald-controller over two FIFOs, in steps of simulated time."""

import os
import struct

ECHO, SET_ADDRESS, FORGET_EVENTS, COUNT_EVENTS, GET_EVENT, FORGET_DATA, HAS_DATA, SEND, GET_DATA = 1, *range(193, 209, 2)
# The code of a request that contains an HCI command is any other odd number.
COMMAND = 11
STEP = 2500


class Device:
    """A controller, as a tester that is a device of the same medium has it."""

    def __init__(self, phy, number):
        self.phy = phy
        folder = os.path.dirname(phy.paths[0])
        self.paths = [f"{folder}/Device{number}.{name}" for name in ("PTTout", "PTTin")]
        for path in self.paths:
            try:
                os.mkfifo(path, 0o770)
            except FileExistsError:
                pass
        # The controller opens them in this order, too.
        self.source = os.open(self.paths[0], os.O_RDONLY)
        self.sink = os.open(self.paths[1], os.O_WRONLY)
        os.set_blocking(self.source, False)

    def take(self, count):
        """The next bytes. Time passes until they are there, at most 2 s."""
        data, end = b"", self.phy.now + 2000000
        while len(data) < count:
            try:
                data += os.read(self.source, count - len(data))
            except BlockingIOError:
                pass
            if len(data) < count:
                assert self.phy.now < end, f"{count} bytes were expected, {data.hex()} received"
                self.phy.wait(self.phy.now + STEP)
        return data

    def request(self, code, payload=b""):
        os.write(self.sink, struct.pack("<HH", code, len(payload)) + payload)
        answer, length = struct.unpack("<HH", self.take(4))
        assert answer == code + 1, f"response {answer} to request {code}"
        return self.take(length)

    def command(self, opcode, parameters=""):
        """The return parameters of an HCI command, or its status."""
        return self.request(COMMAND, struct.pack("<H", opcode) + bytes.fromhex(parameters)).hex()

    def event(self):
        """The next event; waits for it."""
        return self.request(GET_EVENT, b"\0")[4:].hex()

    def events(self):
        """All events, in the form without frames."""
        os.write(self.sink, struct.pack("<HHB", GET_EVENT, 1, 1))
        answer, count = struct.unpack("<HB", self.take(3))
        assert answer == GET_EVENT + 1
        return [self.take(struct.unpack("<H", self.take(2))[0])[4:].hex() for _ in range(count)]

    def close(self):
        os.close(self.source)
        os.close(self.sink)
        for path in self.paths:
            os.remove(path)
