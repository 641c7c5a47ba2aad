"""An event loop with the time of a chip: timers in it expire when the chip has reached their time, so that Bumble's controllers and phones run in the chip's time."""

import asyncio
import selectors
import time

from .clocks import MHZ

SECOND = MHZ * 1000000
# The time for which the chip runs between two checks of the sockets.
SLICE = SECOND // 100


class ChipSelector(selectors.DefaultSelector):
    """Waits by running the chip, with `advance`. With `follows_wall` the chip's time does not exceed real time, for the timeouts of other programs."""

    def __init__(self, chip, follows_wall, advance):
        super().__init__()
        self.chip, self.advance = chip, advance
        self.follows_wall = follows_wall
        self.hold_to_wall()

    def hold_to_wall(self):
        """The chip's time and the wall's are what they are."""
        self.offset = self.chip.seconds - time.monotonic()

    def select(self, timeout=None):
        ready = super().select(0)
        if ready or timeout is not None and timeout <= 0:
            return ready
        until = self.chip.cycles + (SECOND if timeout is None else int(timeout * SECOND) + 1)
        while not ready and self.chip.cycles < until:
            target = min(until, self.chip.cycles + SLICE)
            if self.follows_wall:
                wall = int((time.monotonic() + self.offset) * SECOND)
                if wall - self.chip.cycles > 10 * SLICE:
                    # The chip was not run for a while, or the machine is slow: the delay is not made up.
                    self.hold_to_wall()
                elif wall <= self.chip.cycles:
                    return super().select(max(min(self.chip.next_time, until) - wall, 1) / SECOND)
                target = min(target, max(wall, self.chip.cycles + 1))
            self.advance(target)
            ready = super().select(0)
            if self.chip.is_paused:
                break
        return ready


class ChipLoop(asyncio.SelectorEventLoop):
    """An event loop on a chip's time. `advance` runs it: `Chip.run`, or `OnAir.advance` for a chip on a medium."""

    def __init__(self, chip, follows_wall=False, advance=None):
        self.chip = chip
        self.selector = ChipSelector(chip, follows_wall, advance or chip.run)
        super().__init__(self.selector)

    def time(self):
        return self.chip.seconds

    def follow_wall(self):
        """From now on the chip's time does not exceed real time."""
        self.selector.follows_wall = True
        self.selector.hold_to_wall()


def play(chip, scenario, follows_wall=False, seconds=300, advance=None):
    """Runs a coroutine to its end on a chip's time, with a limit in seconds."""
    with asyncio.Runner(loop_factory=lambda: ChipLoop(chip, follows_wall, advance)) as runner:
        return runner.run(asyncio.wait_for(scenario, seconds))


class Attached:
    """A chip's line connected to a controller that listens on a TCP port. An asynchronous context manager."""

    def __init__(self, chip, port):
        self.chip, self.port = chip, port

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.chip.line.on_packet = self.pass_out
        self.task = asyncio.create_task(self.pass_in())
        return self

    async def __aexit__(self, kind, error, trace):
        self.chip.line.on_packet = lambda: None
        self.task.cancel()
        self.writer.close()

    def pass_out(self):
        self.writer.write(bytes(self.chip.line.received))
        self.chip.line.received.clear()
        self.chip.pause()

    async def pass_in(self):
        while data := await self.reader.read(4096):
            self.chip.line.send(data)
