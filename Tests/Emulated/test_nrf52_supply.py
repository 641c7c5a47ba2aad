"""VDD falls below what the flash requires: nothing is written until it has risen again, and the log states what it did not record. The model refuses operations of the
flash with a supply that is too low, and with the power-fail comparator enabled."""

import unittest

from nrf52.on_chip import OnChip


class Supply(OnChip):
    """`low` is below the threshold of the comparator, `still_low` above it, by less than 0.1 V. `events` are logged while VDD is low."""
    role = "wearable"
    low, still_low, normal = 1750, 1950, 3000
    # The battery is logged each 30 s.
    dropped = [4]

    def operations(self):
        """Changes of any flash."""
        memory = self.chip.memory
        return self.chip.flash.memory.writes, sum(self.chip.flash.memory.erased.values()), bytes(memory.cells) if memory else b""

    def test_nothing_is_written_while_it_is_low(self):
        chip = self.chip
        # The log is committed for the first time after 30 s.
        chip.run_for(20)
        before = self.operations()
        chip.supply(self.low)
        chip.run_for(60)
        self.assertEqual(self.operations(), before)
        chip.supply(self.still_low)
        chip.run_for(60)
        self.assertEqual(self.operations(), before)
        chip.supply(self.normal)
        chip.run_for(180)
        self.assertEqual(chip.resets, [0])
        self.assertEqual(len(self.records("started")), 1)
        self.assertEqual([record["count"] for record in self.records("dropped")], self.dropped)

    def test_a_start_with_a_low_supply_writes_nothing(self):
        self.chip.run_for(0)
        self.chip.supply(self.low)
        before = self.operations()
        self.chip.run_for(60)
        self.assertEqual(self.operations(), before)
        self.chip.supply(self.normal)
        self.chip.run_for(120)
        self.assertNotEqual(self.operations(), before)
        self.assertEqual(self.chip.resets, [0])


class SupplyOfMicrobit(Supply):
    """The comparator of the nRF51 has no threshold below 2.1 V."""
    board = "microbit"
    low, still_low = 1850, 2150
    # It has no battery sensor.
    dropped = []


class SupplyOfNOR(Supply):
    """The flash on the board requires 2.3 V."""
    board = "xiao-nrf52840"
    low, still_low, normal = 2250, 2550, 3300


if __name__ == "__main__":
    unittest.main()
