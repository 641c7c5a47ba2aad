"""The images without a Bluetooth controller, whose link layer and radio are their own, in models of their chips on the medium of Tests/Air: it meets phones in Bumble, which sit on herald-controller.
Every packet is judged."""

import asyncio
import unittest

from nrf52.chip import REQUESTED
from nrf52.own_radio import SIMULATED, OnMedium

# These are found by additions of the above to the path.
import herald
from phones.android import AndroidPhone
from world import until


class OwnRadio(OnMedium):
    # RESETREAS at each start.
    starts = [0]

    def test_it_meets_an_android_phone_and_an_iphone(self):
        phones = self.on_air(self.met, 2)
        self.assertEqual(self.chip.resets, self.starts)
        records = self.records()
        for phone in phones:
            mine = [record for record in records if record.get("target") == phone.identity.replace(":", "")]
            events = [record["event"] for record in mine]
            self.assertEqual(events.count("detected"), 1, phone.name)
            self.assertEqual([record["payload"] for record in mine if record["event"] == "read"], [phone.payload.hex()])
        self.assertJudged()
        self.assertStackRemains()


class OwnRadioOfNRF52840(OwnRadio):
    board = "nrf52840dk"


class OwnRadioOfMicrobit(OwnRadio):
    """The nRF51822, with 16 KB of RAM."""
    board = "microbit"


class OwnRadioOfDongle(OwnRadio):
    """Started by Nordic's boot loader. The first start writes REGOUT0."""
    board = "nrf52840-dongle"
    starts = [0, REQUESTED]


class OwnRadioOfXIAO(OwnRadio):
    """Started by Adafruit's boot loader, with its log in the flash on the board."""
    board = "xiao-nrf52840"


class OwnRadioOfFeather(OwnRadio):
    board = "feather-nrf52840"


class OwnRadioOfMicrobit2(OwnRadio):
    board = "microbit2"


class OwnRadioOfHeraldWearable(OwnRadio):
    """Without a boot loader, with its log in the flash on the board."""
    board = "herald-wearable"


class Beacon(OnMedium):
    board, role = "microbit", "beacon"

    def test_a_phone_reads_it_and_it_reads_no_phone(self):
        async def read(air):
            phone = AndroidPhone(air, "android", "F0:D1:00:00:00:01", herald.test_payload(1001), bytes([0xA1, 2, 3, 4, 5, 6]))
            await phone.arrive()
            await until(lambda: phone.address_of(bytes.fromhex("303a03040040e20100")), "venue read by the phone", SIMULATED)
            await asyncio.sleep(10)
            return phone
        self.assertEqual(self.on_air(read, 1).served, [])
        self.assertEqual(self.chip.resets, [0])
        self.assertJudged()


if __name__ == "__main__":
    unittest.main()
