"""Updates of a device without a button through the serial ports of boot loaders, interrupted at each flash operation."""

import unittest

import updating
from nrf52.chip import PIN, REQUESTED

# These are found by additions of those above to the path.
from dongle import Dongle
from legacy_dongle import LegacyDongle


class Nordics(updating.Update):
    board, resets = "nrf52840-dongle", [PIN, REQUESTED]

    def new_loader(self):
        loader = Dongle()
        loader.unplug()
        return loader

    def assume_application(self, loader):
        loader.has_application = True


class Adafruits(updating.Update):
    board, resets, unreported = "xiao-nrf52840", [REQUESTED, REQUESTED], 1

    def new_loader(self):
        loader = LegacyDongle(soft_device="7.3.0")
        loader.unplug()
        return loader

    def assume_application(self, loader):
        # The SoftDevice in front of the image, which is not in the model of the chip.
        loader.put_soft_device()
        self.snapshot = bytes(loader.flash)
        loader.is_valid = True


if __name__ == "__main__":
    unittest.main()
