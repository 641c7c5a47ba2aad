"""The images without a Bluetooth controller, whose link layer and radio are their own, in models of their chips on the medium of Tests/Air: it meets phones in Bumble, which sit on herald-controller.
Every packet is judged."""

import asyncio
import os
import threading
import unittest

from emulator import ROOT
from nrf52.air import OnAir
from nrf52.chip import REQUESTED
from nrf52.on_chip import OWN, OnChip

# These are found by additions of those above to the path.
import herald
from judge import judge
from phones.android import AndroidPhone
from phones.ios import IOSPhone
from phy_hosts import Brake, PhyAir
from play import Program, free_port, play
from world import until

CONTROLLER = os.environ.get("HERALD_CONTROLLER", ROOT / ".build/release/herald-controller")


class OwnRadio(OnChip):
    role = "wearable"
    # RESETREAS at each start.
    starts = [0]

    def on_air(self, scenario, hosts, **options):
        """Runs the image with so many controllers, and a coroutine that uses them."""
        ports = [free_port() for _ in range(hosts)]
        # The log is committed after 30 s.
        brake = Brake(rest=35)
        failures = []

        def device(phy):
            OnAir(self.chip, phy).run(600)

        def run():
            try:
                self.transmitted = play(
                    device, brake, *[self.controller(port) for port in ports], seconds=600, **options)[1]
            except Exception as failure:
                failures.append(failure)
        thread = threading.Thread(target=run)
        thread.start()
        try:
            return asyncio.run(asyncio.wait_for(self.use(PhyAir(ports), scenario), 120))
        finally:
            brake.is_done = True
            thread.join()
            if failures:
                raise failures[0]

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
            # A controller joins the medium when its host connects, and the medium begins when all have joined.
            await asyncio.gather(*(phone.arrive() for phone in phones))
            for phone in phones:
                await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", 40)
                await until(lambda: any(phone.served), f"payload of {phone.name} read by the image", 40)
            await asyncio.sleep(2)
            return phones
        phones = self.on_air(meet, 2)
        self.assertEqual(self.chip.resets, self.starts)
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


class OwnRadioOfDongle(OwnRadio):
    """Started by Nordic's boot loader. The first start writes REGOUT0."""
    board = "nrf52840-dongle"
    starts = [0, REQUESTED]


if __name__ == "__main__":
    unittest.main()
