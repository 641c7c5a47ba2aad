"""Programs of others, as they are, flash the virtual probe's chip through a Linux kernel's USB: that is why the probe is believed."""

import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import usb

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "Flash"))
from image import ALIVE, WORD, image
from virtual_probe import SERIAL, VirtualProbe

PATIENCE = 300
SIZE = 65536
FIGURES = Path("/job/figures/flash.json")
PYOCD = ROOT / ".build" / "venv-system" / "bin" / "pyocd"
# openocd's configuration for a chip, and pyocd's name of it.
OPENOCD = {"nrf51822": "nrf51", "nrf52833": "nrf52", "nrf52840": "nrf52"}
PYOCD_TARGET = {"nrf51822": "nrf51", "nrf52833": "nrf52833", "nrf52840": "nrf52840"}


def setUpModule():
    # It tells of everything that takes a tenth of a second, which here is everything.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    usb.start()
    subprocess.check_call(["modprobe", "usbhid"])


def figure(name, value):
    print(f"\n  {name} {value}")
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.write_text(json.dumps(found | {name: value}))


def quick_probe(chip, **options):
    """A probe whose chip is never busy: openocd has a third of a second's patience with one, in which a slow machine may not answer twice."""
    return VirtualProbe(chip, takes_time=False, **options)


class Programs(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "image.bin"

    async def run_program(self, probe, *command):
        """What a program says, that works while the probe is plugged in."""
        async with usb.Plug(probe.port, SERIAL, probe.device.speed):
            ended = await self.ended(*command)
        self.assertEqual(ended.returncode, 0, ended.stdout[-3000:])
        return ended.stdout

    async def ended(self, *command):
        return await asyncio.get_running_loop().run_in_executor(None, lambda: subprocess.run(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE))

    def write_image(self, size=SIZE, seed=0):
        data = image(size, seed)
        self.path.write_bytes(data)
        return data

    def pyocd(self, verb, chip, *arguments):
        return [PYOCD, verb, "-t", PYOCD_TARGET[chip], *arguments]

    def openocd(self, chip, command):
        return ["openocd", "-f", "interface/cmsis-dap.cfg", "-c", "transport select swd", "-f", f"target/{OPENOCD[chip]}.cfg", "-c", command]

    def program(self, chip):
        return self.openocd(chip, f"program {self.path} 0 verify reset exit")

    def check(self, probe, data):
        """The chip has this image and nothing else, it runs, and no rule was broken."""
        self.assertEqual(probe.chip.violations, [])
        self.assertEqual(probe.dap.malformed, [])
        self.assertEqual(probe.chip.flash(0, len(data)), data)
        self.assertEqual(probe.chip.flash(len(data)).strip(b"\xFF"), b"")
        probe.chip.slice()
        self.assertEqual(probe.chip.read(ALIVE, 4), WORD)

    async def test_pyocd_flashes_64_KB(self):
        data = self.write_image()
        with quick_probe("nrf52833") as probe:
            await self.run_program(probe, *self.pyocd("flash", "nrf52833", "--base-address", "0", self.path))
            self.check(probe, data)
            figure("flash_round_trips_pyocd", probe.dap.packets)
            figure("flash_bytes_pyocd", probe.dap.bytes_out + probe.dap.bytes_in)

    async def test_openocd_programs_verifies_and_resets_64_KB(self):
        data = self.write_image()
        with quick_probe("nrf52833") as probe:
            said = await self.run_program(probe, *self.program("nrf52833"))
            self.assertIn("Verified OK", said)
            self.check(probe, data)
            figure("flash_round_trips_openocd", probe.dap.packets)
            figure("flash_bytes_openocd", probe.dap.bytes_out + probe.dap.bytes_in)

    async def test_pyocd_reads_back_and_erases(self):
        data = self.write_image(SIZE // 4)
        with VirtualProbe("nrf52840") as probe:
            probe.chip.store(0, data)
            back = self.folder / "back.bin"
            await self.run_program(probe, *self.pyocd("commander", "nrf52840", "-c", f"savemem 0 {len(data)} {back}"))
            self.assertEqual(back.read_bytes(), data)
            await self.run_program(probe, *self.pyocd("erase", "nrf52840", "--chip"))
            self.assertEqual(probe.chip.flash().strip(b"\xFF"), b"")
            self.assertEqual(probe.chip.violations, [])

    async def test_pyocd_flashes_an_nRF51(self):
        data = self.write_image(SIZE // 4)
        with VirtualProbe("nrf51822") as probe:
            await self.run_program(probe, *self.pyocd("flash", "nrf51822", "--base-address", "0", self.path))
            self.check(probe, data)

    async def test_openocd_programs_an_nRF51_and_an_nRF52840(self):
        data = self.write_image(SIZE // 4)
        for chip in ("nrf51822", "nrf52840"):
            with quick_probe(chip) as probe:
                await self.run_program(probe, *self.program(chip))
                self.check(probe, data)

    async def test_both_do_so_over_HID(self):
        data = self.write_image(SIZE // 8)
        for command in (self.program("nrf52833"), self.pyocd("flash", "nrf52833", "--base-address", "0", self.path)):
            with quick_probe("nrf52833", bulk=False) as probe:
                await self.run_program(probe, *command)
                self.check(probe, data)

    async def test_a_locked_chip_is_known_as_such_and_both_open_it(self):
        data = self.write_image(SIZE // 8)
        with quick_probe("nrf52833", is_locked=True) as probe:
            async with usb.Plug(probe.port, SERIAL, probe.device.speed):
                ended = await self.ended(*self.program("nrf52833"))
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("nrf52_recover", ended.stdout)
            await self.run_program(probe, *self.openocd("nrf52833", f"init; nrf52_recover; program {self.path} 0 verify reset exit"))
            self.check(probe, data)
        with VirtualProbe("nrf52833", is_locked=True) as probe:
            said = await self.run_program(probe, *self.pyocd("flash", "nrf52833", "--base-address", "0", self.path))
            self.assertIn("APPROTECT enabled", said)
            self.check(probe, data)


if __name__ == "__main__":
    unittest.main()
