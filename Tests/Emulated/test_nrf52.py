"""The images of the nRF52833 DK and the nRF52840 DK on models of their chips: start-up, sleep, the log, and recovery from a hang and faults. All runs are in the
chip's time and therefore reproducible."""

import unittest

from nrf52.chip import APPROTECT, PIN, REQUESTED, WATCHDOG, Chip
from nrf52.clocks import MHZ
from nrf52.flash import PowerCut
from nrf52.image import sleeping, storing
from nrf52.kinds import NRF52833, NRF52840
from nrf52.on_chip import HCI_RESET, OnChip
from nrf52.peripheral import Misuse
from nrf52.processor import arm

AWAKE, READY = 13, 14
# SWI0, the interrupt of the link layer's procedures.
PROCEDURES = 20
# Start reasons (docs/firmware.md), and the offset of the uptime in the retained words.
RESET_LINE, WATCHDOG_BIT, PANIC, FAULT, STACK_OVERFLOW, SAFE_MODE_OVER = 1, 3, 4, 5, 6, 7
UPTIME = 9


def uptime(test):
    """The uptime of the image in seconds."""
    return test.chip.words(test.names["startup_retained"] + 4 * UPTIME, 1)[0]


class Controller(OnChip):
    """The line to the controller."""

    def test_it_starts_and_asks_its_controller(self):
        chip = self.chip
        chip.run_for(0.5)
        # It sends only HCI_Reset, to a controller that does not respond.
        self.assertEqual(bytes(chip.line.received), HCI_RESET)
        self.assertEqual(chip.clocks.reasons, 0)
        self.assertEqual(chip.clocks.converter, 1)
        self.assertTrue(chip.clocks.is_on_crystal)
        self.assertEqual(chip.clocks.read(0x418), 0x10001, "the low-frequency clock is not on its crystal")
        self.assertTrue(chip.watchdog.is_running)
        self.assertEqual(chip.watchdog.registers[chip.watchdog.CRV], 10 * 32768 - 1)
        self.assertEqual(chip.uarte.byte_time, 10 * MHZ)
        self.assertTrue(chip.uarte.has_flow_control and not chip.uarte.is_held_back)
        # The first records of the log are committed at once.
        chip.run_for(30)
        self.assertEqual([record["reason"] for record in self.records("started")], [0])
        self.assertEqual([(record["level"], record["external"]) for record in self.records("battery")], [(100, False)])

    def test_a_controller_that_is_not_ready_is_not_sent_to(self):
        self.chip.line.hold(True)
        self.chip.run_for(2)
        self.assertEqual(bytes(self.chip.line.received), b"")
        self.chip.line.hold(False)
        self.chip.run_for(1)
        self.assertEqual(bytes(self.chip.line.received[:4]), HCI_RESET)

    def test_the_reset_line_of_a_silent_controller_is_pulled(self):
        self.chip.run_for(20)
        pulled = [is_high for _, pin, is_high in self.chip.ports[1].changes if pin == 5]
        self.assertEqual(pulled[:2], [False, True])
        times = [time for time, pin, _ in self.chip.ports[1].changes if pin == 5]
        self.assertGreaterEqual(times[1] - times[0], 10 * 1000 * MHZ)


class ControllerOfNRF52840(Controller):
    board = "nrf52840dk"


class Start(OnChip):
    # The limit of the share of time awake, whether the radio becomes ready, and the uptimes that are compared, in seconds: at 512 the RTC overflows.
    awake, is_ready, uptimes = 0.001, False, (1, 2, 600)

    def test_it_sleeps(self):
        self.run_to_sleep(2)
        before, start = self.chip.processor.instructions, self.chip.cycles
        self.chip.run_for(10)
        awake = (self.chip.processor.instructions - before) / (self.chip.cycles - start)
        self.assertLess(awake, self.awake)
        self.assertTrue(self.chip.processor.is_asleep)
        # LEDs are on when their pin is low.
        self.assertEqual((self.chip.ports[0].is_high(AWAKE), self.chip.ports[0].is_high(READY)), (True, not self.is_ready))

    def test_its_clock_goes_right(self):
        for seconds in self.uptimes:
            self.chip.run(round((seconds + 0.1) * MHZ * 1000000))
            self.assertEqual(uptime(self), seconds)

    def test_each_run_is_the_same(self):
        other = self.new_chip()
        for chip in (self.chip, other):
            chip.run_for(20)
        self.assertEqual((self.chip.processor.instructions, self.chip.cycles), (other.processor.instructions, other.cycles))
        self.assertEqual(bytes(self.chip.cells), bytes(other.cells))
        self.assertEqual(bytes(self.chip.ram), bytes(other.ram))


    def test_its_debug_port_is_as_uicr_says(self):
        for is_hardened in (False, True):
            for protection, is_open in ((0x5A, True), (0xFFFFFFFF, not is_hardened), (0xFFFFFF00, False)):
                chip = self.new_chip(is_hardened=is_hardened)
                chip.uicr[APPROTECT:APPROTECT + 4] = protection.to_bytes(4, "little")
                for _ in range(2):
                    chip.run_for(0.1)
                    self.assertEqual(chip.is_debug_port_open, is_open, f"{is_hardened} {protection:#x}")
                    # What closes it holds against a program that is taken over later.
                    self.assertEqual(chip.clocks.is_port_forced, is_hardened and not is_open)
                    chip.reset_pin()


class StartOfNRF52840(Start):
    board = "nrf52840dk"


class Flood(OnChip):
    def test_a_flood_at_full_speed_is_held_back_and_not_lost(self):
        """Vendor events of 255 bytes at a higher rate than any controller sends them; also to a receiver with a long start-up, whose next buffer can be set only
        afterwards."""
        event = bytes.fromhex("04fffd") + bytes(range(253))
        self.chip.run_for(0.5)
        for takes in (16, 64 * 50):
            self.chip.uarte.starting_takes = takes
            before = self.chip.counter.count
            self.chip.line.send(event * 400)
            self.chip.run_for(3)
            self.assertEqual(len(self.chip.line.waiting), 0)
            self.assertEqual(self.chip.uarte.lost, 0)
            self.assertEqual(self.chip.counter.count - before, len(event) * 400)


class Restarts(OnChip):
    # The low-frequency clock runs on its crystal; the number of losses of power.
    low_frequency, losses = 0x10001, 60

    def assertGoesOn(self):
        """It runs as after any start: it uses its radio, counts time, sleeps, and is not reset again."""
        resets = list(self.chip.resets)
        self.forget_radio()
        self.chip.run_for(35)
        self.assertEqual(self.chip.resets, resets)
        self.assertRadioStarted()
        self.assertGreaterEqual(uptime(self), 34)
        self.assertEqual(self.chip.clocks.read(0x418), self.low_frequency)

    def restarted(self):
        """The one record of a fault: (cause, pc)."""
        [record] = self.records("restarted")
        data = bytes.fromhex(record["payload"])
        return data[0], int.from_bytes(data[12:16], "little")

    def test_a_hang_is_ended_by_the_watchdog(self):
        for keeps_ram in (True, False):
            with self.subTest(keeps_ram=keeps_ram):
                self.chip = self.new_chip()
                self.chip.keeps_ram = keeps_ram
                self.run_to_sleep()
                fed = self.chip.cycles
                # All interrupts are masked: it sleeps permanently.
                self.chip.system.enabled = 0
                while WATCHDOG not in self.chip.resets:
                    self.chip.run_for(0.1)
                    self.assertLess(self.chip.cycles - fed, 11 * MHZ * 1000000)
                self.assertGoesOn()
                self.assertEqual([record["reason"] for record in self.records("started")], [0, WATCHDOG_BIT])

    def test_a_trap_is_recorded(self):
        self.chip.run_for(35)
        place = self.trap()
        self.assertEqual(self.chip.resets, [0, REQUESTED])
        self.assertTrue(self.chip.watchdog.is_running, "this reset is none of the watchdog's")
        self.assertGoesOn()
        self.assertEqual(self.restarted(), (PANIC, place))
        self.assertEqual([record["reason"] for record in self.records("started")], [0, PANIC])

    def test_three_traps_in_a_row_end_in_safe_mode_which_ends_by_itself(self):
        for _ in range(3):
            self.chip.run_for(2)
            self.trap()
        self.forget_radio()
        self.chip.run_for(290)
        self.assertRadioSilent()
        self.assertEqual(self.chip.resets, [0, REQUESTED, REQUESTED, REQUESTED])
        self.chip.run_for(20)
        self.assertEqual(self.chip.resets, [0, REQUESTED, REQUESTED, REQUESTED, REQUESTED])
        self.assertGoesOn()
        self.assertEqual(self.records("started")[-1]["reason"], SAFE_MODE_OVER)

    def test_the_button_is_not_taken_for_a_bite_of_the_watchdog(self):
        self.run_to_sleep()
        self.chip.reset_pin()
        self.assertGoesOn()
        self.assertEqual([record["reason"] for record in self.records("started")], [0, RESET_LINE])

    def test_a_jump_into_nowhere_is_recorded(self):
        self.run_to_sleep()
        self.chip.processor.engine.reg_write(arm.UC_ARM_REG_PC, 0xE0100000)
        self.chip.processor.is_asleep = False
        self.assertGoesOn_after(REQUESTED)
        self.assertEqual(self.restarted(), (FAULT, 0xE0100000))

    def test_a_full_stack_is_recorded(self):
        self.run_to_sleep()
        self.chip.processor.engine.reg_write(arm.UC_ARM_REG_SP, self.names["stack_bottom"] + 8)
        if not self.has_controller:
            # A handler finds no room.
            self.chip.system.pend(PROCEDURES)
        self.assertGoesOn_after(REQUESTED)
        self.assertEqual(self.restarted()[0], STACK_OVERFLOW)

    def assertGoesOn_after(self, reason):
        while not self.chip.resets[1:]:
            self.chip.run_for(0.01)
        self.assertEqual(self.chip.resets, [0, reason])
        self.assertGoesOn()

    def test_power_that_goes_at_any_time_takes_nothing_from_the_log(self):
        """During start-up, and around the time of a commit."""
        kept = []
        for count in range(self.losses):
            self.chip.run_for(0.003 * count if count % 2 else 30 + 0.002 * count)
            self.chip.power_on()
            kept = self.assertKept(kept)
        self.assertGreater(len(self.records("started")), self.losses // 6)


class RestartsOfNRF52840(Restarts):
    board = "nrf52840dk"


class ResetButton(OnChip):
    """An erased chip: UICR does not contain the pin yet."""
    NONE, BUTTON = b"\xff" * 4, bytes.fromhex("12000000")

    def setUp(self):
        super().setUp()
        self.chip = self.new_chip(is_new=True)

    def words(self):
        """PSELRESET, both."""
        return bytes(self.chip.uicr[0x200:0x204]), bytes(self.chip.uicr[0x204:0x208])

    def choose(self, *words):
        self.chip.uicr[0x200:0x208] = b"".join(words)
        self.chip.power_on()
        self.chip.resets = [0]

    def test_it_works_from_the_first_start_on(self):
        self.chip.reset_pin()
        self.assertEqual(self.chip.resets, [0], "the model's button needs no UICR")
        self.run_to_sleep()
        self.assertEqual(self.chip.resets, [0, REQUESTED])
        self.assertEqual(self.words(), (self.BUTTON, self.BUTTON))
        self.assertEqual(bytes(self.chip.uicr).count(0xFF), 4096 - 8)
        counts = self.chip.flash.memory.since_erasure
        self.assertEqual([counts[0x10001200], counts[0x10001204]], [1, 1])
        self.chip.reset_pin()
        self.run_to_sleep()
        self.assertEqual(self.chip.resets, [0, REQUESTED, PIN])
        # The reset in between is not reported: the device was switched on, and then reset.
        self.assertEqual([record["reason"] for record in self.records("started")], [0, RESET_LINE])

    def test_it_is_finished_where_power_went_between_the_words(self):
        for words in ((self.BUTTON, self.NONE), (self.NONE, self.BUTTON)):
            self.choose(*words)
            self.chip.run_for(2)
            self.assertEqual(self.chip.resets, [0, REQUESTED])
            self.assertEqual(self.words(), (self.BUTTON, self.BUTTON))

    def test_another_pin_is_left_alone(self):
        other = bytes.fromhex("15000000")
        for words in ((other, other), (other, self.NONE), (self.BUTTON, other)):
            self.choose(*words)
            self.chip.run_for(2)
            self.assertEqual((self.chip.resets, self.words()), ([0], words))
            self.assertEqual(self.chip.flash.memory.config, 0)

    def test_power_that_goes_while_it_is_written_does_not_keep_it_from_running(self):
        for seed in range(6):
            with self.subTest(seed=seed):
                self.chip = self.new_chip(is_new=True)
                self.chip.flash.cut(seed % 2, seed)
                with self.assertRaises(PowerCut):
                    self.chip.run_for(1)
                torn = self.words()
                self.assertNotIn(torn[seed % 2], (self.NONE, self.BUTTON))
                self.chip.power_on()
                self.forget_radio()
                self.chip.run_for(2)
                self.assertEqual((self.chip.resets, self.words()), ([0, 0], torn))
                self.assertRadioStarted()

    def test_words_that_take_nothing_do_not_keep_it_from_running(self):
        for dead in (0x10001200, 0x10001204):
            self.chip = self.new_chip(is_new=True)
            store = self.chip.flash.store
            self.chip.flash.store = lambda address, data: None if address == dead else store(address, data)
            self.run_to_sleep()
            self.assertEqual(self.chip.resets, [0])
            self.assertRadioStarted()


class ResetButtonOfNRF52840(ResetButton):
    board = "nrf52840dk"


class TornFlash(OnChip):
    def test_power_that_goes_while_the_flash_is_written_or_erased_takes_nothing_from_the_log(self):
        """Any of the bits that were to change may have changed."""
        kept, cuts = [], 0
        for seed in range(60):
            self.chip.flash.cut(seed * 7 % 17, seed)
            try:
                self.chip.run_for(31)
            except PowerCut:
                cuts += 1
            self.chip.power_on()
            kept = self.assertKept(kept)
        self.assertGreater(cuts, 30)
        self.chip.flash.operations_left = None
        self.chip.run_for(31)
        self.assertGreater(len(self.assertKept(kept)), len(kept))


class Rules(unittest.TestCase):
    """The model rejects accesses that the product specification does not define: programs with one store each."""

    def assertRefused(self, address, value, words, kind=NRF52833):
        with self.assertRaises(Misuse) as caught:
            Chip(storing(address, value), kind).run_for(0.001)
        self.assertIn(words, str(caught.exception))
        # The address of the access.
        self.assertIn("PC 0x0000010", caught.exception.__notes__[0])

    def test_registers_that_are_not_known(self):
        self.assertRefused(0x40003500, 1, "no register is known")
        self.assertRefused(0x40002504, 1, "no register is known")
        self.assertRefused(0xE000E010, 1, "no register is known")

    def test_what_the_manual_forbids(self):
        self.assertRefused(0x4001C000 - 0x40000000, 0, "without write enable")
        self.assertRefused(0x4001E504, 3, "an unknown mode")
        self.assertRefused(0x4001E508, 0x1C000, "without erase enable")
        self.assertRefused(0x40002000, 1, "STARTRX while it is off")
        self.assertRefused(0x40002500, 4, "for ENABLE")
        self.assertRefused(0x40002108, 1, "was set by the image")
        self.assertRefused(0x4000B540, 1 << 24, "24 bits")
        self.assertRefused(0x40010504, 14, "15 are the least")
        self.assertRefused(0x40010600, 1, "fed with")
        self.assertRefused(0x40007004, 1, "SAMPLE while it is off")

    def test_an_rtc_is_not_to_be_read_before_its_clock_runs(self):
        with self.assertRaisesRegex(Misuse, "anomaly 20"):
            Chip(storing(0, 0), NRF52833).rtc.read(0x504)

    def test_older_revisions_have_no_lock_to_open(self):
        with self.assertRaisesRegex(Misuse, "no register is known"):
            Chip(storing(0x40000558, 0x5A), NRF52833, is_hardened=False).run_for(0.001)
        self.assertRefused(0x40000550, 1, "APPROTECT.FORCEPROTECT")

    def test_a_sleep_that_draws_too_much(self):
        with self.assertRaisesRegex(Misuse, "anomaly 246"):
            Chip(sleeping(), NRF52833).run_for(0.1)

    def test_who_never_sleeps_is_stopped(self):
        # Jump to RAM, into an endless loop.
        with self.assertRaisesRegex(Misuse, "has not slept"):
            Chip(storing(0x20000000, 0), NRF52833).run_for(10)

    def test_an_address_where_nothing_is_is_a_fault(self):
        # The handler is the program itself, which faults again: the processor locks up.
        chip = Chip(storing(0x60000000, 1), NRF52833)
        chip.run_for(0.001)
        self.assertIn(8, chip.resets)

    def test_what_the_nrf52840_has_and_the_nrf52833_has_not(self):
        # The second half of RAM, and pins 10 to 15 of the second port. Neither has a pin 16.
        for kind, resets in ((NRF52833, [0, 8]), (NRF52840, [0])):
            chip = Chip(storing(0x2003FFFC, 1), kind)
            chip.run_for(0.00001)
            self.assertEqual(chip.resets[:2], resets)
        self.assertRefused(0x50000A28, 3, "no register is known")
        self.assertRefused(0x50000A40, 3, "no register is known", NRF52840)
        chip = Chip(storing(0x50000A3C, 3), NRF52840)
        chip.run_for(0.00001)
        self.assertTrue(chip.ports[1].is_output(15))

    def test_a_task_during_a_transfer_of_usb_is_lost_on_the_nrf52840(self):
        other, usb = (Chip(storing(0, 0), kind).usb for kind in (NRF52833, NRF52840))
        for device in (other, usb):
            device.switch(True)
            device.become_ready()
        with self.assertRaisesRegex(Misuse, "no register is known"):
            other.write(0xC1C, 0x82)
        usb.moving = 0x108
        with self.assertRaisesRegex(Misuse, "EP0STATUS during a transfer is lost"):
            usb.trigger(0x050)
        usb.write(0xC1C, 0x82)
        with self.assertRaisesRegex(Misuse, "EP0STATUS without a request"):
            usb.trigger(0x050)


if __name__ == "__main__":
    unittest.main()
