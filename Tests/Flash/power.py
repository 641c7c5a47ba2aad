"""Losses of power of boot loaders, at each operation of their flash."""


class PowerLost(Exception):
    """The chip has no power any more."""


class Flash:
    """The flash of a chip, as bytes by address. Operation number `cut_at`, counted from 1, is interrupted by a loss of power: half of it is done. `operations` counts
    them. The settings page, of which boot loaders keep a copy, holds its former content or the new one."""

    def __init__(self, data, page):
        self.data, self.page = data, page
        self.operations, self.cut_at = 0, None

    def is_cut(self):
        self.operations += 1
        return self.operations == self.cut_at

    def erase(self, page):
        is_cut = self.is_cut()
        size = self.page // 2 if is_cut else self.page
        self.data[page:page + size] = b"\xFF" * size
        if is_cut:
            raise PowerLost

    def program(self, address, data):
        """Bits become 0 only."""
        is_cut = self.is_cut()
        data = data[:len(data) // 2] if is_cut else data
        here = self.data[address:address + len(data)]
        self.data[address:address + len(data)] = bytes(old & new for old, new in zip(here, data))
        if is_cut:
            raise PowerLost

    def settings(self, change):
        """A change of the settings page, which is lost if it is interrupted."""
        if self.is_cut():
            raise PowerLost
        change()
