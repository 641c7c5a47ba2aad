"""The images that use the radio of their chip, on models of the chips: what test_nrf52.py tests of those with a controller. No other device is in range."""

import unittest

import test_nrf52


class StartOnOwnRadio(test_nrf52.Start):
    role, awake, is_ready = "wearable", 0.002, True

    def test_it_starts_and_advertises(self):
        chip = self.chip
        chip.run_for(0.5)
        self.assertRadioStarted()
        # Nothing is sent to a controller.
        self.assertEqual(bytes(chip.line.received), b"")
        self.assertEqual(chip.clocks.reasons, 0)
        self.assertEqual(chip.clocks.read(0x418), 0x10001, "the low-frequency clock is not on its crystal")
        self.assertTrue(chip.watchdog.is_running)
        self.assertEqual(chip.watchdog.registers[chip.watchdog.CRV], 10 * 32768 - 1)
        # The first records of the log are committed at once.
        chip.run_for(30)
        self.assertEqual([record["reason"] for record in self.records("started")], [0])
        self.assertEqual([(record["level"], record["external"]) for record in self.records("battery")], [(100, False)])

    def test_it_scans_in_its_scan_windows_only(self):
        """120 ms in 1,125 ms, and an advertising event in 250 ms, for which the crystal runs."""
        self.run_to_sleep()
        clocks, start = self.chip.clocks, self.chip.cycles
        before = clocks.crystal_time
        self.chip.run_for(20)
        share = (clocks.crystal_time - before) / (self.chip.cycles - start)
        self.assertGreater(share, 0.106)
        self.assertLess(share, 0.14)


class StartOnOwnRadioOfNRF52840(StartOnOwnRadio):
    board, uptimes = "nrf52840dk", (1, 2)


class RestartsOnOwnRadio(test_nrf52.Restarts):
    role = "wearable"

    def assertRadioSilent(self):
        super().assertRadioSilent()
        self.assertEqual(self.chip.clocks.is_on_crystal, self.board == "microbit", "the crystal runs without a radio")


class RestartsOnOwnRadioOfNRF52840(RestartsOnOwnRadio):
    board, losses = "nrf52840dk", 12


class RestartsOfMicrobit(RestartsOnOwnRadio):
    """Its low-frequency clock is derived from the crystal of the other."""
    board, low_frequency = "microbit", 0x10002


class ResetButtonOnOwnRadio(test_nrf52.ResetButton):
    role = "wearable"


class TornFlashOnOwnRadio(test_nrf52.TornFlash):
    role = "wearable"


class TornFlashOfMicrobit(TornFlashOnOwnRadio):
    """Pages of 1 KB."""
    board = "microbit"


if __name__ == "__main__":
    unittest.main()
