"""The images without a Bluetooth controller account for their radio: the counters of the link layer agree with what the model transmits, and give the mean current."""

import json
import unittest

import figures
import test_nrf52_usb
from nrf52.clocks import MILLISECOND, SECOND
from nrf52.energy import ROLES, mean_current

# Preamble, access address and CRC take 64 µs.
OVERHEAD = 64


class Account(test_nrf52_usb.Asked):
    role = "wearable"

    def test_its_counters_account_for_the_radio(self):
        chip = self.chip
        while chip.seconds < 120:
            chip.run_for(0.01)
        # The management link is used afterwards. Instructions take up to two cycles.
        awake, stalled, crystal = 2 * chip.processor.instructions / chip.cycles, chip.stalled / chip.cycles, chip.clocks.crystal_time / MILLISECOND
        text, output = self.ask(("stats",), ("stats", "--json"))
        counters, seconds = json.loads(output), chip.cycles / SECOND
        for role in ROLES:
            self.assertIn(f"{role} ", text)
            used = counters[role]
            self.assertEqual(set(used), {"receive_ms", "transmit_ms", "ramp_ms", "crystal_ms", "events", "late", "skipped", "lost"})
            self.assertLessEqual(used["transmit_ms"] + used["receive_ms"] + used["ramp_ms"], used["crystal_ms"] + 3, role)
        transmitted = sum(OVERHEAD + 8 * len(pdu) for pdu in chip.radio.air.sent)
        self.assertAlmostEqual(counters["advertiser"]["transmit_ms"], transmitted / 1000, delta=3)
        total = sum(counters[role]["crystal_ms"] for role in ROLES)
        self.assertTrue(crystal <= total + 5 <= 1000 * seconds, (crystal, total, seconds))
        mean, parts = mean_current(chip.kind.memory.name, counters, seconds, awake, stalled)
        print(f"\n  {figures.add(f'{self.board}.energy_ma', round(mean, 3))} over {seconds:.0f} s: " + ", ".join(f"{name} {value:.3f}" for name, value in parts.items()))


class AccountOfNRF52840(Account):
    board = "nrf52840dk"


if __name__ == "__main__":
    unittest.main()
