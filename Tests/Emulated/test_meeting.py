"""An image and phones on a simulated air: each detects the other, and the log shows it."""

import unittest

from support import PATIENCE, EmulatedTest
import figures
import herald
from contact_rows import rows_of
from h4_rssi_proxy import Walk
from world import until


class Meeting(EmulatedTest):
    async def test_the_image_meets_an_android_phone_and_an_iphone(self):
        android, ios = await self.world.android(1), await self.world.ios(1)
        self.world.rssi_values.walks = {android.address: Walk.parse("-48"), ios.address: Walk.parse("-87")}
        async with self.mps2() as emulator:
            rows = await self.rows_when(
                emulator, lambda rows: all(
                    rows_of(rows, phone, "read") and len(rows_of(rows, phone, "measure")) >= 10
                    for phone in (android, ios)), "ten readings and the payload of each phone")
            # The phones have also read the image's payload.
            for phone in (android, ios):
                await until(
                    lambda: phone.address_of(herald.fixed_payload(826, 0, 1234567890)), f"payload read by {phone.name}", PATIENCE)
            info = await self.info(emulator)
            # The maximum may increase at any time; between two equal readings it did not.
            before = stack = None
            while stack is None or before != stack:
                before, stats, stack = stack, await self.stats(emulator), await emulator.stack()
        for phone, strength in ((android, "RSSI:-48.0"), (ios, "RSSI:-87.0[BLETransmitPower:12.0]")):
            self.assertEqual(len(rows_of(rows, phone, "detect")), 1)
            self.assertEqual({row["data"] for row in rows_of(rows, phone, "measure")}, {strength})
            [read] = rows_of(rows, phone, "read")
            self.assertEqual(read["data"], herald.short_name(phone.payload))
        times = [row["time"] for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertEqual(info["device"]["board"], "mps2-an386")
        self.assertEqual((info["restart"]["cause"], info["restart"]["mode"]), (0, 0))
        # It sleeps when idle, and no error was counted.
        self.assertGreater(stats["firmware"]["sleeps"], 100)
        self.assertGreater(stats["firmware"]["asleep_permille"], 0)
        self.assertEqual(stats["firmware"]["watchdog_withheld"], 0)
        self.assertEqual(stats["firmware"]["uart_overruns"], 0)
        self.assertEqual((stats["hci"]["failures"], stats["hci"]["sync_lost"]), (0, 0))
        print(f"\n  asleep {stats['firmware']['asleep_permille'] / 10} % of the time")
        # Its own counter has the same value.
        self.assertEqual(stats["firmware"]["stack_used"], stack[0])
        self.assertTrue(figures.stack("mps2-an386", *stack), "the stack is nearly used up")

    async def test_a_beacon_is_read_and_reads_nobody(self):
        android = await self.world.android(1)
        async with self.mps2(role="beacon") as emulator:
            payload = bytes.fromhex("303a03040040e20100")
            await until(lambda: android.address_of(payload), "venue read by the phone", PATIENCE)
            rows = await self.rows(emulator)
        self.assertEqual(rows_of(rows, android, "read"), [])
        self.assertEqual(android.served, [])


if __name__ == "__main__":
    unittest.main()
