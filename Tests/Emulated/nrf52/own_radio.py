"""Common code of the tests of images on the radio of their chip, which meet phones on a medium of Tests/Air. The phones are Bumble's, and sit on herald-controller."""

import asyncio
import os

from emulator import ROOT

from .air import OnAir
from .on_chip import OWN, OnChip
from .virtual_time import play as play_in_time

# These are found by additions of those above to the path.
import herald
from judge import judge
from phones.android import AndroidPhone
from phones.ios import IOSPhone
from phy_hosts import PhyAir, connected
from play import Program, free_ports, play
from world import until

CONTROLLER = os.environ.get("HERALD_CONTROLLER", ROOT / ".build/release/herald-controller")
# The log is committed after 30 s.
COMMITTED = 35
# Timeout in seconds of the chip's time: a phone whose attempts failed tries again after some time.
SIMULATED = 120


class OnMedium(OnChip):
    role = "wearable"

    def on_air(self, scenario, hosts, **options):
        """Runs the image with so many controllers, and a coroutine that uses them in the chip's time. Returns its result, when the log has been committed."""
        ports = free_ports(hosts)

        def device(phy):
            air = PhyAir([connected(port) for port in ports])
            on_air = OnAir(self.chip, phy)
            found = play_in_time(self.chip, self.use(air, scenario), advance=on_air.advance)
            on_air.run(COMMITTED)
            on_air.leave()
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

    async def met(self, air, stay=10):
        """An Android-like phone and an iPhone, which have arrived, and the image and they have read each other; they stay for some seconds of the chip's time."""
        phones = [
            AndroidPhone(air, "android", "F0:D1:00:00:00:01", herald.test_payload(1001), bytes([0xA1, 2, 3, 4, 5, 6])),
            IOSPhone(air, "ios", "F0:D1:00:00:01:01", herald.test_payload(2001))]
        for phone in phones:
            await phone.arrive()
        for phone in phones:
            await until(lambda: phone.address_of(OWN), f"payload of the image read by {phone.name}", SIMULATED)
            await until(lambda: any(phone.served), f"payload of {phone.name} read", SIMULATED)
        # The phones read each other as well.
        await asyncio.sleep(stay)
        return phones

    def assertJudged(self):
        """No packet of anybody was wrong."""
        judged = judge(self.transmitted)
        self.assertEqual(judged.breaches, [])
        self.assertLessEqual(judged.max_error, 2)
        print(f"\n  {len(self.transmitted)} packets, {judged.answers} answers, error of T_IFS at most {judged.max_error} µs")
