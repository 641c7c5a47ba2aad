"""An owner's key in the images of the nRF52833 DK and the nRF52840 DK: the chip seals its log, also after power was lost, and an independent reader opens it."""

import asyncio
import json

import log_decoder
import log_opener
from node import run
from nrf52.on_chip import HCI_RESET
from nrf52.virtual_time import play
from support import PATIENCE
from test_nrf52_usb import Asked

SERIAL = b"0123456789abcdef"
# In the chip's time: X25519 twice at 64 MHz, and the loop around it.
KEYS = 2


class Sealed(Asked):
    board = "nrf52833dk"

    def setUp(self):
        super().setUp()
        self.key = self.folder / "ward"
        # Keys are made in one piece of time without a sleep, though in many rounds of the loop.
        self.chip.longest_awake = 30_000_000

    async def make_key(self):
        status, _, err = await run("herald-host", "owner-key", "make", self.key, seconds=PATIENCE)
        self.assertEqual(status, 0, err)

    def opened(self, pages):
        """The records of pages, and which pages were sealed, by the reader that was written from the format's description."""
        records, sealed, secret = [], [], self.key.read_bytes()
        for page in pages:
            is_sealed = log_opener.is_sealed(page)
            found = log_opener.decode(page, secret, SERIAL) if is_sealed else log_decoder.decode(page)
            if found:
                records += found[1]
                sealed.append(is_sealed)
        return records, sealed

    def in_flash(self):
        """The pages in the chip's flash, oldest first."""
        start, size, page_size = self.names["log_start"], self.names["log_size"], self.chip.kind.memory.page_size
        data = bytes(self.chip.cells[start:start + size])
        pages = [data[at:at + page_size] for at in range(0, size, page_size)]
        return sorted((page for page in pages if page[:4] == b"HLog"), key=lambda page: page[12:16][::-1])

    def lose_power(self):
        """RAM is lost, flash is not. The controller is without power too, and with it what it has received of a packet."""
        self.chip.fill_ram()
        self.chip.power_on()
        self.forget_radio()

    def run_to_first_byte(self):
        """The controller has received the first byte of a packet, and not the second, which comes 10 µs later."""
        while len(self.chip.line.received) % len(HCI_RESET) != 1:
            self.assertLess(self.chip.seconds, 60, "no packet is sent")
            self.chip.run_for(0.000_005)

    def test_what_it_logs_is_sealed_and_opened_by_its_owner(self):
        self.chip.run_for(5)
        asyncio.run(self.make_key())
        self.ask(("config", "set", "access/stay-open", "yes"), ("config", "set", "log/owner-key", f"{self.key}.pub"))
        public = (self.folder / "ward.pub").read_text().strip()
        # Keys that power cuts anywhere: nothing unsealed is begun after that, and the next start makes others.
        for seconds in (0.01, 0.25, 0.9):
            before = len(self.opened(self.in_flash())[1])
            self.lose_power()
            self.chip.run_for(seconds)
            records, sealed = self.opened(self.in_flash())
            self.assertTrue(all(sealed[before:]), (seconds, sealed))
        self.lose_power()
        # The next loss is in the midst of a packet to the controller.
        self.run_to_first_byte()
        self.lose_power()
        self.chip.run_for(KEYS)
        phones = play(self.chip, self.meet(40))
        # Power is lost in the midst of it, and the next start continues.
        records, _ = self.opened(self.in_flash())
        self.assertGreater(len([record for record in records if record["event"] == "measured"]), self.readings)
        self.lose_power()
        self.chip.run_for(35)
        after, sealed = self.opened(self.in_flash())
        self.assertEqual(after[:len(records)], records)
        boots = [record["boot"] for record in after if record["event"] == "started"]
        self.assertEqual(boots, sorted(set(boots)))
        self.assertGreater(after[-1]["boot"], records[-1]["boot"])
        # The first page, of before the key, is the only one in clear.
        self.assertEqual(sealed, sorted(sealed))
        self.assertTrue(sealed[-1])
        flash = b"".join(page for page in self.in_flash() if log_opener.is_sealed(page))
        for phone in phones:
            self.assertTrue(any(record.get("payload") == phone.payload.hex() for record in after), [record for record in after if record["event"] != "measured"][:20])
            self.assertNotIn(phone.payload, flash)
        # It is pulled as it is, and herald-host opens it too.
        folder = self.folder / "out"
        self.chip.run_for(KEYS)
        status, _ = self.ask(("status", "--json"), ("log", "pull", "--output", folder))
        self.assertEqual(json.loads(status)["sealing"], public)
        self.assertEqual(json.loads((folder / "device.json").read_text())["sealing"]["ownerKey"], public)
        pulled, _ = self.opened([path.read_bytes() for path in sorted((folder / "pages").glob("*")) if path.suffix != ".part"])
        self.assertEqual(pulled[:len(after)], after)
        self.assertStackRemains()

        async def convert():
            return await run("herald-host", "log", "convert", folder, "--owner-key", self.key, "--json", seconds=PATIENCE)

        status, out, err = asyncio.run(convert())
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["sealed_pages"], 0)


class SealedOnNRF52840(Sealed):
    board = "nrf52840dk"
