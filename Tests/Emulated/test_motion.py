"""Motion sensors of boards with an nRF52833 or nRF52840: a device that lies scans less, and is back when it is picked up."""

import dataclasses
import unittest

from nrf52.boards import BOARDS
from nrf52.chip import Chip
from nrf52.image import built, kind
from nrf52.on_chip import ADV_IND, OnChip
from nrf52.radio import RX_ON
from nrf52.twim import lsm6ds3trc

LYING, SECOND = 300, 1000


class Lying(OnChip):
    board, role = "herald-wearable", "wearable"

    def setUp(self):
        super().setUp()
        self.listened = self.began = 0
        trigger = self.chip.radio.trigger

        def counting(task):
            radio = self.chip.radio
            if task == radio.DISABLE and radio.state == RX_ON:
                self.listened += radio.now - self.began
            trigger(task)
            if task == radio.BEGIN and radio.state == RX_ON:
                self.began = radio.now
        self.chip.radio.trigger = counting

    def receiving(self, seconds):
        """The part of the time in which the radio receives, and the number of advertisements, while the chip runs for so long."""
        self.listened = 0
        self.chip.radio.air.sent.clear()
        self.chip.run_for(seconds)
        self.assertEqual({pdu[0] & 15 for pdu in self.chip.radio.air.sent}, {ADV_IND})
        return self.listened / 1e6 / seconds, len(self.chip.radio.air.sent)

    def motion(self):
        """The records of motion, after the next commit of the log."""
        self.chip.run_for(31)
        return [(record["ms"], record["state"]) for record in self.records("motion")]

    def test_a_device_that_lies_scans_less_and_is_back_when_it_is_picked_up(self):
        chip = self.chip
        chip.run_for(2)
        worn, advertised = self.receiving(20)
        chip.sensor.move()
        chip.run_for(LYING + 10)
        # Two or three rounds, with a window of 263 ms each, and the times after the own advertisements.
        lying, still_advertised = self.receiving(60)
        self.assertAlmostEqual(worn, 120 / 1125, delta=0.02)
        self.assertAlmostEqual(lying, 0.013, delta=0.005)
        self.assertAlmostEqual(still_advertised / 3 / advertised, 1, delta=0.1)
        [(first, was), (second, lay)] = self.motion()
        self.assertEqual((was, lay), ("worn", "lying"))
        self.assertLess(first, SECOND)
        # Five minutes after the question that found the motion, which came at most 10 s after it.
        self.assertTrue(22 * SECOND + LYING * SECOND <= second <= 32 * SECOND + LYING * SECOND + SECOND, second)
        picked_up = chip.seconds * 1000
        chip.sensor.move()
        chip.run_for(1)
        again, _ = self.receiving(20)
        self.assertAlmostEqual(again, 120 / 1125, delta=0.02)
        [*_, (third, state)] = self.motion()
        self.assertEqual(state, "worn")
        self.assertLess(third - picked_up, SECOND)
        self.assertEqual(chip.resets, [0])

    def test_a_sensor_that_ceases_to_respond_is_unknown(self):
        self.chip.run_for(15)
        self.chip.sensor.responds = False
        self.chip.run_for(20)
        self.chip.sensor.responds = True
        self.chip.run_for(62)
        self.assertEqual([state for _, state in self.motion()], ["worn", "unknown", "worn"])
        self.assertEqual(self.chip.resets, [0])


    def test_a_sensor_that_answers_nonsense_is_unknown_and_no_start_is_trusted(self):
        chips = self.chip, self.new_chip()
        for self.chip, value in zip(chips, (0xFF, 0x00)):
            self.chip.run_for(15)
            self.chip.sensor.nonsense = value
            # Unknown after three responses; each minute it is configured again, and its identity is wrong.
            self.chip.run_for(150)
            self.assertEqual([state for _, state in self.motion()], ["worn", "unknown"], value)
            self.chip.sensor.nonsense = None
            self.chip.run_for(62)
            self.assertEqual([state for _, state in self.motion()], ["worn", "unknown", "worn"], value)
            self.assertEqual(self.chip.resets, [0])

    def test_another_part_at_its_address_is_no_sensor(self):
        self.chip.sensor.nonsense = 0x5A
        self.chip.run_for(45)
        self.assertEqual((self.records("motion"), self.chip.resets), ([], [0]))


class LyingMicrobit2(Lying):
    board = "microbit2"


class Sense(OnChip):
    """The XIAO with and without its sensor, whose supply is switched."""
    board, role = "xiao-nrf52840", "wearable"

    def chip_with(self, sensor):
        facts = dataclasses.replace(BOARDS[self.board], sensor=sensor)
        return Chip(built(self.board, self.role), kind(self.board), start=self.names["startup_vectors"], board=facts)

    def test_the_sensor_is_found_with_its_supply_on(self):
        self.chip = self.chip_with(lsm6ds3trc(27, 7, 8))
        self.chip.run_for(45)
        self.assertEqual([record["state"] for record in self.records("motion")], ["worn"])
        self.assertTrue(self.chip.ports[1].is_high(8))

    def test_without_a_sensor_the_supply_and_the_lines_are_off(self):
        self.chip.run_for(45)
        self.assertEqual(self.records("motion"), [])
        self.assertTrue(self.chip.ports[1].is_output(8) and not self.chip.ports[1].is_high(8))
        self.assertEqual([self.chip.ports[0].modes[pin] for pin in (27, 7)], [2, 2])
        self.assertEqual(self.chip.resets, [0])


if __name__ == "__main__":
    unittest.main()
