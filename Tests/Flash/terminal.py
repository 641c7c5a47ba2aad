"""A device at a pseudo terminal: a serial port at a path that stays the same when the device is unplugged and plugged in again."""

import contextlib
import fcntl
import os
import select
import struct
import tempfile
import termios
import threading
import time
import tty
from pathlib import Path

# Before the port is removed the last output is read: seconds between checks, and the timeout.
FAREWELL, LONGEST_FAREWELL = 0.2, 20


class Terminal:
    """`path` is the serial port. Subclasses have `receive(data)`, which is false when the port is to be disconnected, and may send data with `send`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "port"
        self.bytes_in = self.bytes_out = 0
        self.thread = None

    def plug_in(self):
        self.unplug()
        self.port, other = os.openpty()
        tty.setraw(other)
        # It is kept open here; otherwise it disappears when its first user closes it.
        self.kept = other
        new = self.path.with_suffix(".new")
        new.symlink_to(os.ttyname(other))
        new.rename(self.path)
        self.waking, self.wake = os.pipe()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def unplug(self):
        if self.thread:
            os.write(self.wake, b"x")
            self.thread.join()
            os.close(self.wake)
            os.close(self.waking)
            self.thread = None

    def serve(self):
        try:
            while True:
                ready, _, _ = select.select([self.port, self.waking], [], [])
                if self.waking in ready:
                    return
                data = os.read(self.port, 4096)
                self.bytes_in += len(data)
                if not self.receive(data):
                    self.farewell()
                    return
        finally:
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()
            os.close(self.kept)
            os.close(self.port)

    def farewell(self):
        """Waits until the output was read, or the device is unplugged: unread output is lost with the port."""
        end = time.monotonic() + LONGEST_FAREWELL
        while time.monotonic() < end and not select.select([self.waking], [], [], FAREWELL)[0]:
            if struct.unpack("i", fcntl.ioctl(self.kept, termios.FIONREAD, bytes(4)))[0] == 0:
                return

    def send(self, data):
        self.bytes_out += len(data)
        while data:
            data = data[os.write(self.port, data):]

    def close(self):
        self.unplug()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
