"""The images without a Bluetooth controller, whose link layer and radio are their own, in models of their chips on the medium of Tests/Air: it meets phones in Bumble, which sit on herald-controller.
Every packet is judged."""

import asyncio
import os
import unittest

from emulator import ROOT
from nrf52.air import OnAir
from nrf52.on_chip import OWN, OnChip
from nrf52.virtual_time import play as play_in_time

# These are found by additions of those above to the path.
import herald
from judge import judge
from phones.android import AndroidPhone
from phones.ios import IOSPhone
from phy_hosts import PhyAir, connected
from play import Program, free_port, play
from world import until

CONTROLLER = os.environ.get("HERALD_CONTROLLER", ROOT / ".build/release/herald-controller")
# The log is committed after 30 s.
COMMITTED = 35


class OwnRadio(OnChip):
    role = "wearable"

    def on_air(self, scenario, hosts, *, follows_wall=False, **options):
        """Runs the image with so many controllers, and a coroutine that uses them in the chip's time. Returns its result, when the log has been committed."""
        ports = [free_port() for _ in range(hosts)]

        def device(phy):
            air = PhyAir([connected(port) for port in ports])
            on_air = OnAir(self.chip, phy)
            found = play_in_time(self.chip, self.use(air, scenario), follows_wall, advance=on_air.advance)
            on_air.run(COMMITTED)
            phy.end()
            return found
        results, self.transmitted = play(device, *[self.controller(port) for port in ports], seconds=600, **options)
        return results[0]

    async def use(self, air, scenario):
        try:
            return await scenario(air)
        finally:
            await air.close()

    def controller(self, port):
        return Program(lambda simulation, number: [
            CONTROLLER, "--air", f"{simulation}:{number}", "--hci", f"tcp:{port}", "--seed", str(number)])

    def test_it_meets_an_android_phone_and_an_iphone(self):
        async def meet(air):
            phones = [
                AndroidPhone(air, "android", "F0:D1:00:00:00:01", herald.test_payload(1001), bytes([0xA1, 2, 3, 4, 5, 6])),
                IOSPhone(air, "ios", "F0:D1:00:00:01:01", herald.test_payload(2001))]
            for phone in phones:
                await phone.arrive()
            for phone in phones:
                await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 40)
                await until(lambda: any(phone.served), f"payload of {phone.name} read by the image", 40)
            await asyncio.sleep(2)
            return phones
        phones = self.on_air(meet, 2)
        self.assertEqual(self.chip.resets, [0])
        records = self.records()
        for phone in phones:
            mine = [record for record in records if record.get("target") == phone.identity.replace(":", "")]
            events = [record["event"] for record in mine]
            self.assertEqual(events.count("detected"), 1, phone.name)
            self.assertEqual([record["payload"] for record in mine if record["event"] == "read"], [phone.payload.hex()])
        judged = judge(self.transmitted)
        self.assertEqual(judged.breaches, [])
        self.assertLessEqual(judged.max_error, 2)
        print(f"\n  {len(self.transmitted)} packets, {judged.answers} answers, error of T_IFS at most {judged.max_error} µs")


class OwnRadioOfNRF52840(OwnRadio):
    board = "nrf52840dk"


class OwnRadioOfMicrobit(OwnRadio):
    """The nRF51822, with 16 KB of RAM."""
    board = "microbit"


if __name__ == "__main__":
    unittest.main()
