"""The full wearable in the 16 KB of RAM of a micro:bit, which has no management link: its flash is read through the emulator."""

import asyncio
import time
import unittest

from support import PATIENCE, EmulatedTest, pages
import figures
import herald
from emulator import Emulator
from world import until

PAGE = 1024


class Microbit(EmulatedTest):
    async def test_the_wearable_meets_phones_and_logs_them(self):
        android, ios = await self.world.android(1), await self.world.ios(1)
        emulator = Emulator("microbit", self.folder / "microbit", ("127.0.0.1", self.world.port))
        async with emulator:
            names = emulator.names
            for phone in (android, ios):
                await until(
                    lambda: phone.address_of(herald.fixed_payload(826, 0, 1234567890)), f"payload read by {phone.name}", PATIENCE)
            deadline = time.monotonic() + PATIENCE
            while not self.is_complete(records := await self.logged(emulator, names), (android, ios)):
                self.assertLess(time.monotonic(), deadline, f"not all of both phones is in flash; the last records: {records[-5:]}")
                await asyncio.sleep(2)
            stack = await emulator.stack()
        for phone in (android, ios):
            mine = [record for record in records if record.get("target") == phone.identity.replace(":", "")]
            self.assertEqual([record["event"] for record in mine].count("detected"), 1)
            self.assertEqual({record["rssi"] for record in mine if record["event"] == "measured"}, {-60}, phone.name)
            self.assertEqual([record["payload"] for record in mine if record["event"] == "read"], [phone.payload.hex()])
        self.assertTrue(figures.stack("microbit.wearable-hci", *stack), "the stack is nearly used up")

    async def logged(self, emulator, names):
        """The records of all pages in the chip's flash."""
        data = await emulator.memory(names["log_start"], names["log_size"])
        found = pages(None, PAGE, data)
        return [record for number in sorted(found) for record in found[number][1]]

    @staticmethod
    def is_complete(records, phones):
        """Whether each phone's payload and five readings are in flash."""
        def count(phone, event):
            target = phone.identity.replace(":", "")
            return sum(record["event"] == event and record.get("target") == target for record in records)

        return all(count(phone, "read") == 1 and count(phone, "measured") >= 5 for phone in phones)


if __name__ == "__main__":
    unittest.main()
