"""The images that use the radio of their chip, over the USB device controller: what test_nrf52_usb.py tests of those with a controller, and USB while the radio is in use. Both use
the crystal of the high-frequency clock."""

import asyncio
import unittest

import test_nrf52_usb
from nrf52.chip import REQUESTED
from nrf52.own_radio import OnMedium
from nrf52.usb_host import Host
from nrf52.virtual_time import play

# Button 1 of the development kits, on port 0.
BUTTON = 11


class BusOnOwnRadio(test_nrf52_usb.Bus):
    role, suspended = "wearable", 1_280_000

    async def crystal_share(self, seconds):
        """The share of this time for which the crystal runs."""
        clocks = self.chip.clocks

        def run_time():
            return clocks.crystal_time + (self.chip.cycles - clocks.crystal_began if clocks.is_on_crystal else 0)
        before, start = run_time(), self.chip.cycles
        await asyncio.sleep(seconds)
        return (run_time() - before) / (self.chip.cycles - start)

    def test_the_crystal_runs_for_usb_and_otherwise_for_the_radio_only(self):
        async def plug():
            await asyncio.sleep(40)
            alone, plugged = await self.crystal_share(10), []
            # VBUS is present long after the start, and at any time of an event of the radio.
            for wait in (0, 0.0103, 0.0217, 0.0331):
                await asyncio.sleep(wait)
                host, _ = await self.configured()
                self.assertEqual(await self.echo(host), test_nrf52_usb.ECHOED)
                plugged.append(await self.crystal_share(5))
                self.assertEqual(await self.echo(host), test_nrf52_usb.ECHOED)
                host.unplug()
                await asyncio.sleep(5)
            return alone, plugged, await self.crystal_share(10)

        alone, plugged, again = play(self.chip, plug())
        self.assertLess(alone, 0.14)
        self.assertEqual(plugged, [1.0] * 4)
        self.assertLess(again, 0.14)
        self.assertEqual(self.chip.resets, [0])


class BusOnOwnRadioOfNRF52840(BusOnOwnRadio):
    board = "nrf52840dk"


class ToldOnOwnRadio(test_nrf52_usb.Told):
    board, role = "nrf52840dk", "wearable"


class ProgramOnMedium(test_nrf52_usb.Asked, OnMedium):
    # A scan window every 1,125 ms, for half a minute; Bumble's controllers report all advertisements.
    role, readings = "wearable", 20

    def test_the_log_is_pulled_while_phones_are_met(self):
        async def meet(air):
            phones = await self.met(air)
            await asyncio.sleep(20)
            asyncio.get_running_loop().follow_wall()
            info, stats, *_ = await self.serve(*self.questions(self.folder / "out"))
            return phones, info, stats
        phones, info, stats = self.on_air(meet, 2)
        self.assertPulled(info, stats, phones, self.folder / "out")
        self.assertEqual(self.chip.resets, [0])
        self.assertJudged()
        # The same again, without a phone in range.
        info, stats, *_ = self.ask(*self.questions(self.folder / "again"))
        self.assertPulled(info, stats, phones, self.folder / "again")


class ProgramOnMediumOfNRF52840(ProgramOnMedium):
    board = "nrf52840dk"


class LongProgram(test_nrf52_usb.Asked):
    """A long test whose code is the same on both chips: on the chip with less flash."""
    role = "wearable"

    def test_a_factory_reset_erases_all(self):
        # Between the parts of an erasure the loop waits for the radio without sleeping, and in a factory reset one erasure follows another.
        self.chip.longest_awake = 4_000_000_000
        self.run_to_sleep()
        self.ask(("config", "set", "log/keep-days", "30"))
        before = sum(self.chip.flash.memory.erased.values())
        with self.assertRaisesRegex(AssertionError, "hold its button for 5 s"):
            self.ask(("factory-reset", "--yes"))
        self.chip.ports[0].ground(BUTTON, True)
        self.chip.run_for(6)
        self.chip.ports[0].ground(BUTTON, False)
        self.ask(("factory-reset", "--yes"))
        # The reset is completed without a host, a page at a time with the watchdog fed; then the device restarts in its factory state.
        while not self.chip.resets[1:]:
            self.chip.run_for(0.1)
        self.assertEqual(self.chip.resets, [0, REQUESTED])
        self.assertGreater(sum(self.chip.flash.memory.erased.values()), before)
        self.chip.run_for(2)
        [text] = self.ask(("status",))
        self.assertIn("14 days", text)


if __name__ == "__main__":
    unittest.main()
