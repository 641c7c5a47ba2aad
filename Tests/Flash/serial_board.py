"""Common code of boards in a boot loader at a serial port, for every protocol: counting of frames, disconnection of the port, and a program that represents the board."""

import argparse
import hashlib
import json
import signal
import sys
import threading

from power import PowerLost
from terminal import Terminal


class SerialBoard(Terminal):
    """`loader` processes frames: `answer(frame)` returns the response, or nothing. It has `reset()`, `is_running`, `flash`, `start`, the start address of the
    application, and `done`, the number of bytes received. When it starts the application, or after `vanish_after` frames, the port is disconnected until
    `plug_in`."""

    def __init__(self, loader, vanish_after=None):
        super().__init__()
        self.loader = loader
        self.plug_in(vanish_after)

    def decoder_for(self):
        """The parser of frames: an object with `frames(data)`."""
        raise NotImplementedError

    def encoded(self, answer):
        """A response as it is transmitted."""
        raise NotImplementedError

    def power_on(self):
        """After a loss of power: the boot loader starts, as no application is complete, or as its button is pressed."""
        self.unplug()
        self.loader.power_on()
        self.plug_in()

    def plug_in(self, vanish_after=None):
        self.unplug()
        self.vanish_after = vanish_after
        self.decoder = self.decoder_for()
        self.loader.reset()
        super().plug_in()

    def receive(self, data):
        return all(self.take(frame) for frame in self.decoder.frames(data))

    def take(self, frame):
        """Whether the port is still connected afterwards."""
        if self.vanish_after is not None:
            if self.vanish_after == 0:
                return False
            self.vanish_after -= 1
        try:
            response = self.loader.answer(frame)
        except PowerLost:
            return False
        if response is not None and (response := self.spoiled(response)):
            self.send(self.encoded(response))
        return self.stays()

    def stays(self):
        """Whether it is still in its boot loader."""
        return not self.loader.is_running

    def spoiled(self, response):
        """The response as it arrives; nothing if it is lost."""
        return response

    def application(self, size):
        start = self.loader.start
        return bytes(self.loader.flash[start:start + size])


def words_for_any(description):
    """A parser of the options that are common to these programs."""
    parser = argparse.ArgumentParser(description=f"{description} Tells its serial port on standard output; at the end what happened, as JSON.")
    parser.add_argument("--vanish-after", type=int, metavar="N", help="gone after N frames; at SIGHUP it is back")
    return parser


def serve(board, **facts):
    """Serves the board until the program is stopped. `facts`: functions that supply further output."""
    is_over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    signal.signal(signal.SIGHUP, lambda *_: board.plug_in())
    print(board.path, flush=True)
    is_over.wait()
    loader = board.loader
    print(json.dumps({"is_running": loader.is_running, "requests": loader.requests, "done": loader.done, "bytes_in": board.bytes_in, "bytes_out": board.bytes_out,
                      "sha256": hashlib.sha256(board.application(loader.done)).hexdigest()} | {name: fact() for name, fact in facts.items()}), file=sys.stderr)
