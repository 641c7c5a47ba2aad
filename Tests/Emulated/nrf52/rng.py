"""RNG (nRF52833 and nRF52840 Product Specifications, "RNG")."""

import hashlib

from .clocks import MICROSECOND
from .peripheral import Peripheral


class RNG(Peripheral):
    """The generator; in the model its numbers are determined by the seed."""
    name, base, interrupt = "RNG", 0x4000D000, 13
    START, STOP, VALRDY, CONFIG, VALUE = 0x000, 0x004, 0x100, 0x504, 0x508
    tasks = {START: "START", STOP: "STOP"}
    events = {VALRDY: "VALRDY"}
    shortcuts = {0: (VALRDY, STOP)}
    configuration = {CONFIG: 0}
    # t_RNG,START; t_RNG,RAW; t_RNG,BC.
    STARTS, RAW, CORRECTED = 128 * MICROSECOND, 30 * MICROSECOND, 120 * MICROSECOND

    def __init__(self, chip, seed):
        self.seed, self.count = seed, 0
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.is_running, self.value = False, None

    def trigger(self, task):
        self.is_running = task == self.START
        self.generation += 1
        if self.is_running:
            self.chip.after(self.STARTS + self.time, self, self.ready)

    @property
    def time(self):
        return self.CORRECTED if self.registers[self.CONFIG] & 1 else self.RAW

    def ready(self):
        self.count += 1
        self.value = hashlib.sha256(f"{self.seed} {self.count}".encode()).digest()[0]
        self.chip.after(self.time, self, self.ready)
        self.raise_event(self.VALRDY)

    def read(self, offset):
        if offset == self.VALUE:
            if self.value is None:
                self.misuse("VALUE was read before VALRDY")
            return self.value
        return super().read(offset)
