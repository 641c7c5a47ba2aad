"""The images of the nRF52833 DK and the nRF52840 DK on models of their chips communicate with phones in Bumble's radio simulation through UARTE and log to flash.
Bumble runs in the chip's time."""

import unittest

from nrf52.on_chip import OnChip
from nrf52.virtual_time import play


class Meeting(OnChip):
    def test_it_meets_an_android_phone_and_an_iphone(self):
        phones = play(self.chip, self.meet(65))
        records = self.records()
        for phone in phones:
            mine = [record for record in records if record.get("target") == phone.identity.replace(":", "")]
            events = [record["event"] for record in mine]
            self.assertEqual(events.count("detected"), 1, phone.name)
            self.assertEqual([record["payload"] for record in mine if record["event"] == "read"], [phone.payload.hex()])
            self.assertEqual({record["rssi"] for record in mine if record["event"] == "measured"}, {-60}, phone.name)
            self.assertGreater(events.count("measured"), 100, phone.name)
        times = [record["ms"] for record in records]
        self.assertEqual(times, sorted(times))
        # There was no reset, no byte was lost on the line, the LED showed that the controller was ready, and the processor slept.
        self.assertEqual((self.chip.resets, self.chip.uarte.lost), ([0], 0))
        self.assertFalse(self.chip.ports[0].is_high(14))
        awake = self.chip.processor.instructions / self.chip.cycles
        print(f"\n  awake {awake:.2%} of the time, {self.chip.processor.instructions} instructions in {self.chip.seconds:.0f} s")
        self.assertLess(awake, 0.05)


class MeetingOfNRF52840(Meeting):
    board = "nrf52840dk"


if __name__ == "__main__":
    unittest.main()
