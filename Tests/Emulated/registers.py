"""Registers of the micro:bit's chip, in its processor's address space, through QEMU's qtest protocol."""

import socket

from emulator import PATIENCE

TIMER0, TIMER1, UART, SYSTICK = 0x40008000, 0x40009000, 0x40002000, 0xE000E010
# Of a TIMER.
START, CAPTURE, COMPARE, ENABLE, MODE, PRESCALER, VALUE = 0x000, 0x040, 0x140, 0x304, 0x508, 0x510, 0x540


def options(path):
    """QEMU's options for a connection to a socket at `path`."""
    return ["-chardev", f"socket,id=qtest,path={path}", "-qtest", "chardev:qtest", "-qtest-log", "none"]


def listener(path):
    """A socket that QEMU connects to."""
    path.unlink(missing_ok=True)
    found = socket.socket(socket.AF_UNIX)
    found.bind(str(path))
    found.listen(1)
    found.settimeout(PATIENCE)
    return found


def read(address):
    return f"readl {address:#x}\n"


def write(address, value):
    return f"writel {address:#x} {value:#x}\n"


# Microseconds since start: the counter of TIMER0, through a compare register that the image does not use.
CLOCK = write(TIMER0 + CAPTURE + 4 * 3, 1) + read(TIMER0 + VALUE + 4 * 3)


class Registers:
    """QEMU's end is what a `listener` accepts."""

    def __init__(self, accepted):
        self.socket = accepted
        self.socket.settimeout(PATIENCE)

    def close(self):
        self.socket.close()

    def do(self, *lines):
        """Executes commands made by `read` and `write`; returns the values read."""
        request = "".join(lines)
        self.socket.sendall(request.encode())
        answers = b""
        while answers.count(b"\n") < request.count("\n"):
            more = self.socket.recv(65536)
            assert more, "QEMU is gone"
            answers += more
        answers = answers.decode().splitlines()
        assert all(answer.startswith("OK") for answer in answers), answers
        return [int(answer.split()[1], 16) for answer in answers if " " in answer]
