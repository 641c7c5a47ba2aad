"""PPI (nRF52833 and nRF52840 Product Specifications, "PPI")."""

from .peripheral import Peripheral


class PPI(Peripheral):
    """The interconnect: twenty programmable channels, six groups."""
    name, base = "PPI", 0x4001F000
    CHEN, CHENSET, CHENCLR, EEP, TEP, CHG, FORK = 0x500, 0x504, 0x508, 0x510, 0x514, 0x800, 0x910
    tasks = {8 * group + place: f"CHG{group}.{'DIS' if place else 'EN'}" for group in range(6) for place in (0, 4)}
    configuration = dict.fromkeys([*range(EEP, EEP + 160, 4), *range(CHG, CHG + 24, 4), *range(FORK, FORK + 128, 4)], 0)

    def reset(self):
        super().reset()
        self.channels = 0

    def trigger(self, task):
        mask = self.registers[self.CHG + 4 * (task // 8)]
        self.channels = self.channels & ~mask if task & 4 else self.channels | mask

    def event(self, address):
        for channel in range(20):
            if self.channels >> channel & 1 and self.registers[self.EEP + 8 * channel] == address:
                for task in (self.registers[self.TEP + 8 * channel], self.registers[self.FORK + 4 * channel]):
                    if task:
                        self.chip.trigger(task)

    def read(self, offset):
        return self.channels if offset in (self.CHEN, self.CHENSET, self.CHENCLR) else super().read(offset)

    def write(self, offset, value):
        if offset in (self.CHEN, self.CHENSET, self.CHENCLR):
            self.channels = value if offset == self.CHEN else self.channels | value if offset == self.CHENSET else self.channels & ~value
        else:
            super().write(offset, value)
