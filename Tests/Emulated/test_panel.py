"""Button, light and cable of boards in models of their chips: patterns by their times, and a factory reset that needs the button."""

import asyncio
import base64
import struct
import unittest

from management import framed, numbers
from nrf52.chip import REQUESTED
from nrf52.clocks import MHZ
from nrf52.on_chip import OnChip
from nrf52.usb_host import Host
from nrf52.virtual_time import play

# SMP, version 2: the status of the log; the date, to be written; a factory reset of an epoch (docs/wire-formats.md).
STATUS = bytes.fromhex("0800000100480000a0")
DATE = bytes.fromhex("0a00001e00000004a1 68") + b"datetime" + b"\x73" + b"2026-09-01T12:00:00"
RESET = bytes.fromhex("0a00000c00480003a1 65") + b"epoch" + b"\x1a"
# {"err": {"group": 72, "rc": 14}}.
NOT_PERMITTED = bytes.fromhex("a1 63 657272 a2 65 67726f7570 1848 62 7263 0e")
SET_CONFIGURATION = bytes.fromhex("0009010000000000")
ENDPOINT = 1
DISCONNECTED = 2


class Panel(OnChip):
    """`light` is the number of the LED's pin on port 0, which is active low."""
    role = "wearable"

    def flashes(self, since):
        """Times and durations in milliseconds of the flashes that have begun after a time in cycles, the first one at 0."""
        changes = [(time, not is_high) for time, pin, is_high in self.chip.ports[0].changes if pin == self.light and time >= since]
        self.assertEqual([is_on for _, is_on in changes], ([True, False] * len(changes))[:len(changes)])
        times = [round(time / MHZ / 1000) for time, _ in changes]
        return [(on - times[0], off - on) for on, off in zip(times[::2], times[1::2])]

    def assertFlashes(self, found, expected):
        """Within 3 ms, which the loop may be late."""
        self.assertEqual(len(found), len(expected), found)
        for place, (times, wanted) in enumerate(zip(found, expected)):
            for time, wish in zip(times, wanted):
                self.assertLessEqual(abs(time - wish), 3, f"flash {place} of {found}")


class Pressed(Panel):
    """A board with a button, at pin `button` of port 0."""
    button = None

    def press(self, seconds):
        """Presses the button, whose contact bounces at both ends. Returns when it is released."""
        for is_grounded, wait in ((True, 0.002), (False, 0.003), (True, seconds), (False, 0.004), (True, 0.001), (False, 0)):
            self.chip.ports[0].ground(self.button, is_grounded)
            self.chip.run_for(wait)
        return self.chip.cycles

    def test_a_button_that_is_held_for_ever_costs_nothing(self):
        # Both do the same, but for the button of one of them.
        chips = self.chip, self.new_chip()
        executed = []
        for chip in chips:
            chip.run_for(5)
            chip.ports[0].ground(self.button, chip is self.chip)
            chip.run_for(62)
            before = chip.processor.instructions
            chip.run_for(60)
            executed.append(chip.processor.instructions - before)
        self.assertEqual(self.chip.ports[0].modes[self.button], DISCONNECTED)
        self.assertLess(executed[0], 1.01 * executed[1])
        # It is a button again once it is released.
        self.chip.ports[0].ground(self.button, False)
        self.chip.run_for(15)
        since = self.press(0.2)
        self.chip.run_for(8)
        self.assertEqual(len(self.flashes(since)), 6)


class Microbit(Pressed):
    """Button A is at P0.17, the LED at P0.04. There is no management link, over which a date could be set."""
    board, light, button, row = "microbit", 4, 17, 13

    def test_a_press_shows_the_condition(self):
        self.chip.run_for(2)
        port = self.chip.ports[0]
        self.assertEqual([pin for _, pin, _ in port.changes], [])
        self.assertTrue(port.is_output(self.row) and port.is_high(self.row) and port.is_high(self.light))
        for _ in range(2):
            since = self.press(0.2)
            self.chip.run_for(8)
            # No date: two flashes, three times.
            self.assertFlashes(self.flashes(since), [(0, 150), (500, 150), (2200, 150), (2700, 150), (4400, 150), (4900, 150)])
        self.assertEqual(self.chip.resets, [0])


class Microbit2(Pressed):
    """Button A is at P0.14, the LED at P0.28, and SMP on the serial line."""
    board, light, button = "microbit2", 28, 14

    def ask(self, packet):
        """The body of the response to an SMP request."""
        self.chip.line.received.clear()
        self.chip.line.send(framed(packet))
        self.chip.run_for(0.5)
        lines = bytes(self.chip.line.received).split(b"\n")[:-1]
        frame = b"".join(base64.b64decode(line[2:]) for line in lines)
        return frame[2 + 8:-2]

    def test_a_short_press_shows_the_condition(self):
        self.chip.run_for(2)
        self.assertEqual(self.chip.ports[0].changes, [])
        since = self.press(0.2)
        self.chip.run_for(8)
        # No date: two flashes, three times.
        self.assertFlashes(self.flashes(since), [(0, 150), (500, 150), (2200, 150), (2700, 150), (4400, 150), (4900, 150)])
        self.assertEqual(self.ask(DATE), b"\xa0")
        since = self.press(0.2)
        self.chip.run_for(5)
        self.assertFlashes(self.flashes(since), [(0, 1000)])
        self.assertEqual(self.chip.resets, [0])

    def test_a_second_press_opens_the_management_link_over_bluetooth(self):
        self.chip.run_for(2)
        self.press(0.2)
        # Between two groups the light is off.
        self.chip.run_for(0.8)
        since = self.press(0.2)
        self.chip.run_for(8)
        self.assertFlashes(self.flashes(since), [(0, 1000), (1500, 1000), (3000, 1000)])

    def test_a_factory_reset_needs_the_button(self):
        self.chip.run_for(2)
        request = RESET + struct.pack(">I", numbers(self.ask(STATUS))["epoch"])
        self.assertEqual(self.ask(request), NOT_PERMITTED)
        self.press(0.5)
        self.chip.run_for(8)
        self.assertEqual(self.ask(request), NOT_PERMITTED)
        since = self.chip.cycles
        self.press(5.5)
        self.chip.run_for(2)
        self.assertFlashes(self.flashes(since)[:10], [(200 * count, 100) for count in range(10)])
        # Too late.
        self.chip.run_for(30)
        self.assertEqual(self.ask(request), NOT_PERMITTED)
        self.press(5.5)
        # In a factory reset one erasure follows another, and the loop does not sleep.
        self.chip.longest_awake = 4_000_000_000
        answer = numbers(self.ask(request))
        self.assertEqual(answer["bad"], 0)
        self.assertGreater(answer["of"], 50)
        self.chip.run_for(40)
        self.assertEqual(self.chip.resets, [0, REQUESTED])

class XIAO(Panel):
    """Without a button; the charger's pin is P0.17, the LED P0.30."""
    board, light, charger = "xiao-nrf52840", 30, 17

    def shown(self, is_charging):
        """What is shown when the cable is connected to a device whose date is then set."""
        self.chip.ports[0].ground(self.charger, is_charging)

        async def connect():
            await asyncio.sleep(2)
            host = Host(self.chip)
            await host.attach()
            await host.control(SET_CONFIGURATION)
            await host.write(ENDPOINT, DATE)
            self.assertEqual((await host.read(ENDPOINT, 64))[8:], b"\xa0")
            await asyncio.sleep(6)
        play(self.chip, connect())
        self.assertEqual(self.chip.ports[0].modes[self.charger], DISCONNECTED)
        return self.flashes(0)

    def test_the_cable_shows_that_all_is_well(self):
        self.assertFlashes(self.shown(False), [(0, 1000)])

    def test_the_cable_shows_that_the_cell_is_charged(self):
        self.assertFlashes(self.shown(True), [(0, 1000), (1500, 1000)])


# It is no test itself.
del Pressed

if __name__ == "__main__":
    unittest.main()
