"""What the image for the nRF52833 DK tells hosts of its debug port, on early revisions of the chip and on those that lock it at each reset."""

import re

from node import run
from nrf52.chip import APPROTECT
from nrf52.usb_server import USBServer
from nrf52.virtual_time import play
from support import ANSWER, PATIENCE
from test_nrf52_usb import Asked

# UICR.APPROTECT, and what is so with it: on early revisions, and on hardened ones.
STATES = [(0xFFFFFFFF, "open", "closed"), (0xFFFFFF00, "closed", "closed"), (0x5A, "unknown", "open")]


class Told(Asked):
    board, role = "nrf52833dk", "wearable"

    def provision(self):
        """The output of `provision`, and what it says besides."""
        plan = self.folder / "plan.yml"
        plan.write_text("settings:\n  log/keep-days: 7\n")

        async def ask():
            async with USBServer(self.chip) as server:
                words = ("provision", plan, "--json", "--device", server.link, "--timeout", ANSWER)
                status, out, err = await run("herald-host", *words, seconds=PATIENCE)
                self.assertEqual(status, 0, err)
                return out, err

        return play(self.chip, ask(), follows_wall=True)

    def test_provision_warns_where_it_is_open(self):
        for protection, *states in STATES:
            for is_hardened, state in enumerate(states):
                with self.subTest(protection=protection, is_hardened=is_hardened):
                    self.chip = self.new_chip(is_hardened=bool(is_hardened))
                    self.chip.uicr[APPROTECT:APPROTECT + 4] = protection.to_bytes(4, "little")
                    self.chip.run_for(5)
                    out, said = self.provision()
                    self.assertEqual(re.findall(r'"debug_port"\s*:\s*"(\w+)"', out), [state])
                    self.assertEqual("the debug port of 0123456789abcdef is open" in said and "herald-flash lock" in said, state == "open", said)
                    if state != "unknown":
                        self.assertEqual(self.chip.is_debug_port_open, state == "open")
