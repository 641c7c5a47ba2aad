"""The images of boards with an nRF52833 or nRF52840 other than the development kits, in models of their chips and of their serial NOR flash: started by their boot loaders,
which leave peripherals running and protect their own flash. Each image advertises on the medium of Tests/Air and logs."""

import base64
import unittest

import figures
from management import framed
from nrf52.air import OnAir
from nrf52.chip import REQUESTED, UICR_BYTES
from nrf52.clocks import CRYSTAL, SYNTHESIZED
from nrf52.on_chip import UDF, OnChip
from nrf52.peripheral import Misuse
from nrf52.uarte import PSEL_RXD, PSEL_TXD

# Found by `nrf52.air`'s addition to the path.
from judge import judge
from play import play

ADV_IND = 0
PANIC = 4
ERASED = b"\xFF" * 4
# REGOUT0 in UICR, 3.0 V.
REGOUT0, VOLTS3 = 0x304, bytes.fromhex("fcffffff")


class Board:
    """What each board does. `source` is that of the low-frequency clock, `level` of the battery in percent. `stays_lit`: an LED is on
    without a press of the button."""
    role = "wearable"
    source, level, converter, starts = CRYSTAL, 77, 1, [0]

    def advertised(self, seconds):
        """The packets that it transmits."""
        return self.on_air(lambda air: air.run(seconds), seconds)

    def on_air(self, use, seconds):
        """The packets that are transmitted while `use` runs the chip on a medium, for at most so many seconds."""
        return play(lambda phy: use(OnAir(self.chip, phy)), seconds=seconds + 1)[1]

    def test_it_starts_advertises_and_logs(self):
        packets = self.advertised(33)
        self.assertEqual(self.chip.resets, self.starts)
        self.assertGreater(len(packets), 100)
        self.assertEqual({packet.packet[0] & 15 for packet in packets}, {ADV_IND})
        self.assertEqual(judge(packets).breaches, [])
        self.assertEqual([record["reason"] for record in self.records("started")], [0])
        self.assertEqual([(record["level"], record["external"]) for record in self.records("battery")], [(self.level, False)])
        self.assertEqual((self.chip.clocks.running_source, self.chip.clocks.converter), (self.source, self.converter))
        self.assertTrue(self.chip.watchdog.is_running)
        self.assertEqual(self.is_lit(), self.stays_lit)

    def test_a_trap_is_recorded(self):
        """What is retained over a reset is not overwritten by the boot loader, and the watchdog that still runs is taken over."""
        places = []

        def use(air):
            air.run(33)
            while not self.chip.processor.is_asleep:
                air.run(0.0001)
            place, resets = self.chip.processor.pc, len(self.chip.resets)
            was = bytes(self.chip.cells[place:place + 2])
            self.chip.patch(place, UDF)
            while len(self.chip.resets) == resets:
                air.run(0.001)
            self.chip.patch(place, was)
            places.append(place)
            air.run(33)
        self.on_air(use, 80)
        [record] = self.records("restarted")
        data = bytes.fromhex(record["payload"])
        self.assertEqual((data[0], int.from_bytes(data[12:16], "little")), (PANIC, places[0]))
        self.assertTrue(self.chip.watchdog.is_running)
        self.assertEqual([record["reason"] for record in self.records("started")], [0, PANIC])
        self.assertEqual(self.chip.resets, [*self.starts, REQUESTED])


class Dongle(Board, OnChip):
    board = "nrf52840-dongle"
    level, stays_lit = 99, True
    # The first start writes REGOUT0.
    starts = [0, REQUESTED]

    def is_lit(self):
        return not self.chip.ports[0].is_high(6)

    def test_the_voltage_of_the_leds_is_selected_once(self):
        self.chip.run_for(0.1)
        self.assertEqual(bytes(self.chip.uicr[REGOUT0:REGOUT0 + 4]), VOLTS3)
        self.assertEqual(self.chip.resets, [0, REQUESTED])
        self.chip.power_on()
        self.chip.run_for(0.1)
        self.assertEqual(self.chip.resets, [0, REQUESTED, 0])

    def test_a_voltage_that_is_selected_or_not_in_use_is_left_alone(self):
        for word, is_high in ((bytes.fromhex("fdffffff"), True), (ERASED, False)):
            chip = self.new_chip()
            chip.uicr[REGOUT0:REGOUT0 + 4] = word
            chip.clocks.is_high_voltage = is_high
            chip.run_for(0.1)
            self.assertEqual(bytes(chip.uicr[REGOUT0:REGOUT0 + 4]), word)
            self.assertEqual(chip.resets, [0])


class BoardWithNOR(Board):
    """Its log is in a serial NOR flash."""

    def test_the_flash_is_in_deep_power_down_between_uses(self):
        def use(air):
            air.run(35)
            memory = self.chip.memory
            self.assertTrue(memory.is_asleep)
            awake, began = memory.awake, self.chip.cycles
            air.run(60)
            self.assertTrue(memory.is_asleep)
            # It was used, for a commit each half minute.
            self.assertGreater(memory.awake, awake)
            share = (memory.awake - awake) / (self.chip.cycles - began)
            print(f"\n  {figures.add(f'{self.board}.nor_awake_ppm', round(share * 1e6))}")
            self.assertLess(share, 0.001)
        self.on_air(use, 96)


class XIAO(BoardWithNOR, OnChip):
    board = "xiao-nrf52840"
    stays_lit = False

    def is_lit(self):
        return not self.chip.ports[0].is_high(30)

    def test_the_battery_does_not_reach_the_pin(self):
        """The lower end of the divider is low from start-up on."""
        self.advertised(0.5)
        self.assertTrue(self.chip.ports[0].is_output(14))
        self.assertEqual([is_high for _, pin, is_high in self.chip.ports[0].changes if pin == 14 and is_high], [])


class Feather(BoardWithNOR, OnChip):
    board = "feather-nrf52840"
    stays_lit = False

    def is_lit(self):
        return self.chip.ports[1].is_high(15)

    def test_the_neopixel_has_no_supply(self):
        self.advertised(0.5)
        self.assertTrue(self.chip.ports[1].is_output(14))
        self.assertFalse(self.chip.ports[1].is_high(14))


class Microbit2(Board, OnChip):
    board = "microbit2"
    source, converter, level, stays_lit = SYNTHESIZED, 0, 100, False

    def is_lit(self):
        return self.chip.ports[0].is_high(21) and not self.chip.ports[0].is_high(28)

    def test_it_responds_on_the_line_of_its_interface_chip(self):
        """An echo request (SMP group 0, command 0)."""
        def use(air):
            air.run(1)
            self.chip.line.send(framed(bytes.fromhex("0200000600000700a16164626869")))
            air.run(1)
        self.on_air(use, 2)
        uarte = self.chip.uarte
        self.assertEqual((uarte.read(PSEL_TXD), uarte.read(PSEL_RXD), uarte.lost), (6, 32 + 8, 0))
        received = bytes(self.chip.line.received)
        self.assertEqual((received[:2], received[-1:]), (b"\x06\x09", b"\n"))
        # The response has the sequence number 7 and {"r": "hi"}.
        self.assertEqual(base64.b64decode(received[2:])[2:-2], bytes.fromhex("0300000600000700a16172626869"))

    def test_the_crystal_is_never_stopped(self):
        """The low-frequency clock is derived from it."""
        def use(air):
            air.run(0.01)
            for _ in range(200):
                air.run(0.0101)
                self.assertTrue(self.chip.clocks.is_on_crystal)
        self.on_air(use, 3)


class HeraldWearable(BoardWithNOR, OnChip):
    board = "herald-wearable"
    source, converter, stays_lit = SYNTHESIZED, 0, False

    def is_lit(self):
        return not self.chip.ports[0].is_high(17)

    def test_uicr_stays_erased(self):
        """P0.18 is the accelerometer's."""
        self.advertised(1)
        self.assertEqual(bytes(self.chip.uicr), b"\xFF" * UICR_BYTES)


class Memory(OnChip):
    """A serial NOR flash that does not respond."""
    board, role = "xiao-nrf52840", "wearable"

    def test_without_its_flash_it_advertises_nevertheless(self):
        # MISO is low.
        self.chip.memory.exchange = lambda byte: 0

        def device(phy):
            OnAir(self.chip, phy).run(35)
        packets = play(device, seconds=36)[1]
        self.assertGreater(len(packets), 100)
        self.assertEqual(self.chip.resets, [0])
        self.assertEqual(bytes(self.chip.memory.cells[:0x1000]), b"\xFF" * 0x1000)


class BootLoaders(OnChip):
    """The model of the boot loaders."""
    board, role = "xiao-nrf52840", "wearable"

    def test_an_exception_before_the_vector_table_is_set_is_refused(self):
        with self.assertRaisesRegex(Misuse, "master boot record"):
            self.chip.processor.enter(3)

    def test_what_it_protects_is_not_programmed(self):
        for address in (0, 0xF4000, 0xFF000):
            with self.assertRaisesRegex(Misuse, "has protected"):
                self.chip.flash.program(address, 4, 0)

    def test_its_state_is_not_that_of_a_reset(self):
        chip = self.chip
        self.assertEqual((chip.system.enabled, chip.system.pending, chip.system.table), (1 << 8 | 1 << 17, 1 | 1 << 39, 0))
        self.assertTrue(chip.rtcs[1].is_running and chip.timer.is_running)
        # Some milliseconds later the image has taken over.
        chip.run_for(0.05)
        self.assertEqual(chip.system.table, 0x27000)
        self.assertEqual((chip.clocks.enabled >> 7 & 7, chip.system.tick, chip.timer.enabled), (7, 0, 0))


if __name__ == "__main__":
    unittest.main()
