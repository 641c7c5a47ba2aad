"""PPI (nRF51 Series Reference Manual, "PPI"; nRF52833 and nRF52840 Product Specifications, "PPI")."""

from .peripheral import Peripheral

TIMER0, RADIO, RTC0, AAR, CCM = 0x40008000, 0x40001000, 0x4000B000, 0x4000F000, 0x4000F000
# The channels that the hardware connects: event and task.
FIXED = {20: (TIMER0 + 0x140, RADIO + 0x000), 21: (TIMER0 + 0x140, RADIO + 0x004), 22: (TIMER0 + 0x144, RADIO + 0x010), 23: (RADIO + 0x128, CCM + 0x000),
         24: (RADIO + 0x100, CCM + 0x000), 25: (RADIO + 0x104, AAR + 0x000), 26: (RADIO + 0x104, TIMER0 + 0x044), 27: (RADIO + 0x10C, TIMER0 + 0x048),
         28: (RTC0 + 0x140, RADIO + 0x000), 29: (RTC0 + 0x140, RADIO + 0x004), 30: (RTC0 + 0x140, TIMER0 + 0x00C), 31: (RTC0 + 0x140, TIMER0 + 0x000)}


class PPI(Peripheral):
    """The interconnect: twenty channels that are the program's and six groups; sixteen and four on the nRF51, which has no forks."""
    name, base = "PPI", 0x4001F000
    CHEN, CHENSET, CHENCLR, EEP, TEP, CHG, FORK = 0x500, 0x504, 0x508, 0x510, 0x514, 0x800, 0x910

    def __init__(self, chip):
        self.count, groups = (16, 4) if chip.kind.is_nrf51 else (20, 6)
        self.tasks = {8 * group + place: f"CHG{group}.{'DIS' if place else 'EN'}" for group in range(groups) for place in (0, 4)}
        forks = [] if chip.kind.is_nrf51 else range(self.FORK, self.FORK + 128, 4)
        self.configuration = dict.fromkeys([*range(self.EEP, self.EEP + 8 * self.count, 4), *range(self.CHG, self.CHG + 4 * groups, 4), *forks], 0)
        super().__init__(chip)

    def reset(self):
        super().reset()
        self.channels = 0
        # The tasks of each event that is connected; None after a change.
        self.routes = None

    def trigger(self, task):
        self.routes = None
        mask = self.registers[self.CHG + 4 * (task // 8)]
        self.channels = self.channels & ~mask if task & 4 else self.channels | mask

    def connected(self, event):
        """The tasks of all enabled channels with an event."""
        if self.routes is None:
            self.routes = {}
            for channel in range(self.count):
                if self.channels >> channel & 1:
                    tasks = self.registers[self.TEP + 8 * channel], self.registers.get(self.FORK + 4 * channel, 0)
                    self.routes.setdefault(self.registers[self.EEP + 8 * channel], []).extend(filter(None, tasks))
            for channel, (begin, task) in FIXED.items():
                if self.channels >> channel & 1:
                    self.routes.setdefault(begin, []).append(task)
        return self.routes.get(event, ())

    def event(self, address):
        for task in self.connected(address):
            self.chip.trigger(task)

    def last_tick(self, task):
        """The time of the last tick of an RTC whose TICK is connected to a task; None if there is none."""
        for rtc in self.chip.rtcs:
            if task in self.connected(rtc.base + 0x100):
                return rtc.last_tick()
        return None

    def read(self, offset):
        return self.channels if offset in (self.CHEN, self.CHENSET, self.CHENCLR) else super().read(offset)

    def write(self, offset, value):
        self.routes = None
        if offset in (self.CHEN, self.CHENSET, self.CHENCLR):
            self.channels = value if offset == self.CHEN else self.channels | value if offset == self.CHENSET else self.channels & ~value
        else:
            super().write(offset, value)
