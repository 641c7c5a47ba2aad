"""What the images for the nRF52833 DK and the nRF52840 DK tell hosts of their debug port, on early revisions of the chips and on those that lock it at each reset."""

import json

from node import run
from nrf52.chip import APPROTECT
from nrf52.usb_server import USBServer
from nrf52.virtual_time import play
from support import ANSWER, PATIENCE
from test_nrf52_usb import Asked

# UICR.APPROTECT, and what is so with it: on early revisions, and on hardened ones.
STATES = [(0xFFFFFFFF, "open", "closed"), (0xFFFFFF00, "closed", "closed"), (0x5A, "unknown", "open")]


class Told(Asked):
    board = "nrf52833dk"

    def told(self):
        """What `provision` and `status` say."""
        plan = self.folder / "plan.yml"
        plan.write_text("settings:\n  log/keep-days: 7\n")

        async def both():
            async with USBServer(self.chip) as server:
                device = ("--device", server.link, "--timeout", ANSWER)
                status, out, err = await run("herald-host", "provision", plan, "--json", *device, seconds=PATIENCE)
                self.assertEqual(status, 0, err)
                _, told, _ = await run("herald-host", "status", "--json", *device, seconds=PATIENCE)
                return json.loads(out), err, json.loads(told)

        return play(self.chip, both(), follows_wall=True)

    def test_provision_warns_where_it_is_open(self):
        for protection, *states in STATES:
            for is_hardened, state in enumerate(states):
                with self.subTest(protection=protection, is_hardened=is_hardened):
                    self.chip = self.new_chip(is_hardened=bool(is_hardened))
                    self.chip.uicr[APPROTECT:APPROTECT + 4] = protection.to_bytes(4, "little")
                    self.chip.run_for(1)
                    _, said, status = self.told()
                    self.assertEqual(status["debug_port"], state)
                    self.assertEqual("the debug port of 0123456789abcdef is open" in said and "herald-flash lock" in said, state == "open", said)
                    if state != "unknown":
                        self.assertEqual(self.chip.is_debug_port_open, state == "open")


class ToldByNRF52840(Told):
    board = "nrf52840dk"
