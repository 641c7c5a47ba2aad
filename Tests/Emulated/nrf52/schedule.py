"""The time of a chip, and what its peripherals do at their times."""

import heapq

from .clocks import MHZ
from .core import NEVER


class Schedule:
    """`core` counts time (core.c). The queue has the actions by their times, with their owners."""

    def __init__(self, core):
        self.core = core
        self.queue, self.numbered = [], 0
        # The time of the action in progress.
        self.moment = None

    @property
    def cycles(self):
        """Now, in cycles of 64 MHz since the beginning."""
        core = self.core
        return core.instructions * core.cycles + core.skipped if self.moment is None else self.moment

    @property
    def skipped(self):
        """The part of them without instructions."""
        return self.core.skipped

    @property
    def seconds(self):
        return self.cycles / (MHZ * 1000000)

    def at(self, time, owner, action):
        """Schedules an action, unless `owner` is reset or cancels it."""
        self.numbered += 1
        heapq.heappush(self.queue, (time, self.numbered, owner, owner.generation, action))
        if time < self.core.due:
            self.core.due = time

    def after(self, cycles, owner, action):
        self.at(self.cycles + cycles, owner, action)

    def settle(self):
        """Executes due actions."""
        if self.moment is not None or self.core.due > (now := self.cycles):
            return
        queue = self.queue
        try:
            while queue:
                time, _, owner, generation, action = queue[0]
                is_dropped = generation != owner.generation
                if time > now and not is_dropped:
                    break
                heapq.heappop(queue)
                if not is_dropped:
                    self.moment = time
                    action()
        finally:
            self.moment = None
            self.core.due = queue[0][0] if queue else NEVER
