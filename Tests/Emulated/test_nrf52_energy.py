"""The images without a Bluetooth controller account for their radio: the counters of the link layer agree with what the model transmits, and give the mean current."""

import json
import re
import struct
import unittest

import figures
import test_nrf52_usb
from nrf52.clocks import MILLISECOND, SECOND
from nrf52.energy import ROLES, mean_current
from nrf52.on_chip import OnChip

# Preamble, access address and CRC take 64 µs.
OVERHEAD = 64
# The counters of each role, in the order in which the link layer stores them.
COUNTERS = ("receive_ms", "transmit_ms", "ramp_ms", "crystal_ms", "events", "late", "skipped", "lost")
# LinkLayerCounters: these counters of each role, and the remaining microseconds of four of them.
STORED = struct.Struct("<40I20H")


class Counting(OnChip):
    """Runs an image without a Bluetooth controller for two minutes, with no device in range."""
    role = "wearable"

    def run_two_minutes(self):
        chip = self.chip
        while chip.seconds < 120:
            chip.run_for(0.01)

    def stored_counters(self):
        """The counters in memory: the last member of the link layer, which takes most of its memory. They are where the time of transmitting is that of the air."""
        [name] = [name for name in self.names if "linkLayerMemory" in name]
        # The symbol has the number of 8-byte words, minus 1.
        size = 8 * (int(re.search(r"InlineArrayVy\$(\d+)_", name)[1]) + 1)
        for padding in range(0, 128, 4):
            words = self.chip.words(self.names[name] + size - padding - STORED.size, STORED.size // 4)
            values = STORED.unpack(struct.pack(f"<{len(words)}I", *words))
            counters = {role: dict(zip(COUNTERS, values[8 * index:])) for index, role in enumerate(ROLES)}
            if abs(counters["advertiser"]["transmit_ms"] - self.transmitted()) <= 3:
                return counters
        self.fail(f"no counters of the air's {self.transmitted():.0f} ms at the end of {name}")

    def transmitted(self):
        """The time in milliseconds for which the air received packets of this device."""
        return sum(OVERHEAD + 8 * len(pdu) for pdu in self.chip.radio.air.sent) / 1000

    def assertAccounted(self, counters):
        for role in ROLES:
            used = counters[role]
            self.assertEqual(set(used), set(COUNTERS))
            self.assertLessEqual(used["transmit_ms"] + used["receive_ms"] + used["ramp_ms"], used["crystal_ms"] + 3, role)
        self.assertAlmostEqual(counters["advertiser"]["transmit_ms"], self.transmitted(), delta=3)

    def report(self, counters, seconds, awake, stalled):
        mean, parts = mean_current(self.chip.kind.memory.name, counters, seconds, awake, stalled)
        print(f"\n  {figures.add(f'{self.board}.energy_ma', round(mean, 3))} over {seconds:.0f} s: " + ", ".join(f"{name} {value:.3f}" for name, value in parts.items()))


class Account(Counting, test_nrf52_usb.Asked):
    def test_its_counters_account_for_the_radio(self):
        chip = self.chip
        self.run_two_minutes()
        # The management link is used afterwards. Instructions take up to two cycles.
        awake, stalled, crystal = 2 * chip.processor.instructions / chip.cycles, chip.stalled / chip.cycles, chip.clocks.crystal_time / MILLISECOND
        stored = self.stored_counters()
        text, output = self.ask(("stats",), ("stats", "--json"))
        counters, seconds = json.loads(output), chip.cycles / SECOND
        self.assertAccounted(counters)
        for role in ROLES:
            self.assertIn(f"{role} ", text)
            for name, value in stored[role].items():
                # The image continued while it was asked.
                self.assertTrue(0.8 * counters[role][name] <= value <= counters[role][name], (role, name))
        total = sum(counters[role]["crystal_ms"] for role in ROLES)
        self.assertTrue(crystal <= total + 5 <= 1000 * seconds, (crystal, total, seconds))
        self.report(counters, seconds, awake, stalled)


class AccountOfNRF52840(Account):
    board = "nrf52840dk"


class AccountOfMicrobit(Counting):
    """It has no management link: the counters are read from its memory. The crystal oscillator is always on, because the low-frequency clock is derived from it."""
    board = "microbit"

    def test_its_counters_account_for_the_radio(self):
        chip = self.chip
        self.run_two_minutes()
        counters, seconds = self.stored_counters(), chip.cycles / SECOND
        self.assertAccounted(counters)
        self.report(counters, seconds, 2 * chip.processor.instructions / chip.cycles, chip.stalled / chip.cycles)


if __name__ == "__main__":
    unittest.main()
