"""What boards in a boot loader at a serial port have in common, for every protocol: frames that are counted, a port that goes, and a program that stands for the board."""

import argparse
import hashlib
import json
import signal
import sys
import threading

from terminal import Terminal


class SerialBoard(Terminal):
    """`loader` answers frames: `answer(frame)` is what to send, or nothing. It has `reset()`, `is_running`, `flash`, `start`, where the application begins, and `done`, how much of it
    there is. When it starts the application, or after `vanish_after` frames, the port is gone until `plug_in`."""

    def __init__(self, loader, vanish_after=None):
        super().__init__()
        self.loader = loader
        self.plug_in(vanish_after)

    def decoder_for(self):
        """What makes frames of bytes: an object with `frames(data)`."""
        raise NotImplementedError

    def encoded(self, answer):
        """A response as it goes over the line."""
        raise NotImplementedError

    def plug_in(self, vanish_after=None):
        self.unplug()
        self.vanish_after = vanish_after
        self.decoder = self.decoder_for()
        self.loader.reset()
        super().plug_in()

    def receive(self, data):
        return all(self.take(frame) for frame in self.decoder.frames(data))

    def take(self, frame):
        """Whether the port is still there afterwards."""
        if self.vanish_after is not None:
            if self.vanish_after == 0:
                return False
            self.vanish_after -= 1
        response = self.loader.answer(frame)
        if response is not None and (response := self.spoiled(response)):
            self.send(self.encoded(response))
        return self.stays()

    def stays(self):
        """Whether it is still in its boot loader."""
        return not self.loader.is_running

    def spoiled(self, response):
        """What becomes of a response on its way; nothing if it gets lost."""
        return response

    def application(self, size):
        start = self.loader.start
        return bytes(self.loader.flash[start:start + size])


def words_for_any(description):
    """A parser of what every such program takes."""
    parser = argparse.ArgumentParser(description=f"{description} Tells its serial port on standard output; at the end what happened, as JSON.")
    parser.add_argument("--vanish-after", type=int, metavar="N", help="gone after N frames; at SIGHUP it is back")
    return parser


def serve(board, **facts):
    """Serves the board until the program is stopped. `facts`: further output, as functions."""
    is_over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    signal.signal(signal.SIGHUP, lambda *_: board.plug_in())
    print(board.path, flush=True)
    is_over.wait()
    loader = board.loader
    print(json.dumps({"is_running": loader.is_running, "requests": loader.requests, "done": loader.done, "bytes_in": board.bytes_in, "bytes_out": board.bytes_out,
                      "sha256": hashlib.sha256(board.application(loader.done)).hexdigest()} | {name: fact() for name, fact in facts.items()}), file=sys.stderr)
