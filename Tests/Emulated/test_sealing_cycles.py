"""The work of a sealed log on a Cortex-M0 and a Cortex-M4: its cycles, and that no part of it is long."""

import ctypes
import unittest

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

import figures
from nrf52.cycles import Timed
from nrf52.image import built, names

SECRET = bytes(range(1, 33))
PARTS = 306
# The first of the retained words that are the program's.
SHOWN = 32


class Sealing(unittest.TestCase):
    def machine(self, board, is_small):
        code = built(board, "SealingWork")
        self.shown = names(board, "SealingWork")["startup_retained"] + SHOWN
        cells = (ctypes.c_uint8 * (256 << 10))(*code)
        return Timed(code, cells, is_small)

    def told(self, name, value):
        print(f"\n  {figures.add(name, value)}", end="")
        if name in figures.BUDGETS:
            self.assertTrue(figures.is_within_budget(name, value))

    def measure(self, board, name, is_small, longest_allowed):
        machine = self.machine(board, is_small)
        machine.until_sleep()
        parts = [machine.until_sleep() for _ in range(1 + PARTS + 1)]
        machine.until_sleep()
        public = X25519PrivateKey.from_private_bytes(SECRET).public_key().public_bytes_raw()
        self.assertEqual(machine.words(self.shown, 8), public)
        instructions, cycles = (sum(column) for column in zip(*parts))
        print(f"\n  {name}: X25519 {instructions} instructions, {cycles} cycles", end="")
        self.told(f"x25519_cycles_{name}", cycles)
        instructions, cycles = machine.until_sleep()
        print(f"\n  {name}: a block of 192 bytes {instructions} instructions, {cycles} cycles", end="")
        self.told(f"seal_cycles_{name}", cycles)
        machine.until_sleep()
        block = bytes(range(192))
        sealed = block[:1] + AESCCM(SECRET[:16], tag_length=4).encrypt(bytes([7] * 13), block[1:188], block[:1])
        self.assertEqual(machine.words(self.shown, 8), sealed[160:])
        # What is done between two parts: the end of the one product and the beginning of the other, then the end and the chain of keys.
        ends = [machine.until_sleep()]
        machine.until_sleep()
        ends.append(machine.until_sleep())
        # Each step does the same, whatever the secret: the number of instructions shows it, but for what the steps have in common.
        steps = [count for count, _ in parts[2:254]]
        self.assertEqual(len(set(steps)), 1, set(steps))
        longest = max(cycles for _, cycles in parts + ends)
        self.told(f"sealing_longest_part_cycles_{name}", longest)
        self.assertLess(longest, longest_allowed)

    def test_a_cortex_m0(self):
        self.measure("microbit", "m0", True, 240_000)

    def test_a_cortex_m4(self):
        self.measure("nrf52833dk", "m4", False, 160_000)


if __name__ == "__main__":
    unittest.main()
