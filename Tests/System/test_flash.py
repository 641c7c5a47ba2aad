"""Unmodified third-party programs flash the virtual probe's chip through a Linux kernel's USB, which validates the probe. Then herald-flash does."""

import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import usb

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests" / "Flash"), str(ROOT / "Tests" / "Interop")]
from image import ALIVE, WORD, image
from node import program
from virtual_probe import SERIAL, VirtualProbe

PATIENCE = 900
SIZE = 65536
ATTEMPTS = 5
FIGURES = Path("/job/figures/flash.json")
PYOCD = ROOT / ".build" / "venv-system" / "bin" / "pyocd"
# openocd's configuration for a chip, and pyocd's name of it.
OPENOCD = {"nrf51822": "nrf51", "nrf52833": "nrf52", "nrf52840": "nrf52"}
PYOCD_TARGET = {"nrf51822": "nrf51", "nrf52833": "nrf52833", "nrf52840": "nrf52840"}


def setUpModule():
    # It logs operations of more than 0.1 s, which in the guest are all.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    usb.start()
    subprocess.check_call(["modprobe", "usbhid"])


def gave_up(said):
    """Whether openocd's timeout of a second has expired: on a busy machine the guest may not be scheduled within it."""
    return "CMSIS-DAP command mismatch" in said or "LIBUSB_ERROR_TIMEOUT" in said or "CMSIS-DAP: error" in said


def figure(name, value):
    print(f"\n  {name} {value}")
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.write_text(json.dumps(found | {name: value}))


def quick_probe(chip, **options):
    """A probe whose chip is never busy: openocd's timeout for a busy chip is a third of a second, which is too short for two responses on a slow machine."""
    return VirtualProbe(chip, takes_time=False, **options)


class Programs(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.path = self.folder / "image.bin"

    async def run_program(self, probe, *command):
        """The output of a program that runs while the probe is connected."""
        for _ in range(ATTEMPTS):
            probe.dap.reset_counts()
            async with usb.Plug(probe.port, SERIAL, probe.device.speed):
                ended = await self.ended(*command)
            if not gave_up(ended.stdout):
                break
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

    def herald(self, verb, *arguments):
        return [program("herald-flash"), verb, *arguments, "--timeout", "120"]

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

    async def test_64_KB_by_pyocd_by_openocd_and_by_herald_flash_with_fewer_round_trips_than_either(self):
        data = self.write_image()
        trips = {}
        for name, command, words in (
                ("pyocd", self.pyocd("flash", "nrf52833", "--base-address", "0", self.path), "programmed 65536 bytes"),
                ("openocd", self.program("nrf52833"), "Verified OK"),
                ("", self.herald("write", self.path, "--base", "0", "--board", "microbit2", "--yes", "--unsigned", "--json"), '"verified" : true')):
            with quick_probe("nrf52833") as probe:
                started = time.monotonic()
                said = await self.run_program(probe, *command)
                self.assertIn(words, said)
                self.check(probe, data)
                suffix = f"_{name}" if name else ""
                trips[name] = probe.dap.packets
                figure(f"flash_seconds{suffix}", round(time.monotonic() - started, 1))
                figure(f"flash_round_trips{suffix}", trips[name])
                figure(f"flash_bytes{suffix}", probe.dap.bytes_out + probe.dap.bytes_in)
        self.assertLess(trips[""], min(trips["pyocd"], trips["openocd"]))

    async def test_herald_flash_finds_writes_and_compares_over_both_interfaces(self):
        data = self.write_image(SIZE // 8)
        for options in ({}, {"bulk": False}):
            with VirtualProbe("nrf52840", **options) as probe:
                said = await self.run_program(probe, *self.herald("list"))
                self.assertIn(SERIAL, said)
                to = ["--base", "0", "--board", "nrf52840dk", "--to", f"probe:{SERIAL}"]
                await self.run_program(probe, *self.herald("write", self.path, *to, "--yes", "--unsigned"))
                self.check(probe, data)
                await self.run_program(probe, *self.herald("verify", self.path, *to, "--read-back"))

    async def test_herald_flash_unplugged_says_what_is_there_and_goes_on_from_it(self):
        data = self.write_image(SIZE // 8)
        write = self.herald("write", self.path, "--base", "0", "--board", "microbit2", "--yes", "--unsigned", "--json")
        for packets in (3, 20, 30):
            with VirtualProbe("nrf52833", vanish_after=packets) as probe:
                old = image(len(data), seed=1)
                probe.chip.store(0, old)
                plug = usb.Plug(probe.port, SERIAL, probe.device.speed)
                async with plug:
                    ended = await self.ended(*write)
                    self.assertIn(ended.returncode, (6, 7), ended.stdout)
                    state = json.loads(ended.stdout[ended.stdout.index("{"):ended.stdout.index("}") + 1])["board_state"]
                    # It may also report an unknown state: the last transfer's response is lost with the connection.
                    is_same = probe.chip.flash(0, len(data)) == old
                    self.assertIn(state, ("untouched", "partly-written", "unknown") if is_same else ("partly-written", "unknown"))
                probe.plug_in()
                await self.run_program(probe, *write)
                self.check(probe, data)

    async def test_herald_flash_that_may_not_open_the_probe_says_so(self):
        self.write_image(SIZE // 16)
        with VirtualProbe("nrf52833") as probe:
            plug = usb.Plug(probe.port, SERIAL, probe.device.speed)
            async with plug:
                nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
                ended = await self.ended(*nobody, *self.herald("write", self.path, "--base", "0", "--board", "microbit2", "--yes", "--unsigned"))
                self.assertEqual(ended.returncode, 4, ended.stdout)
                self.assertIn(plug.file, ended.stdout)
            self.assertEqual(probe.dap.packets, 0)

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

    async def test_pyocd_cannot_read_a_chip_that_herald_flash_has_locked_and_opens_it_by_erasing(self):
        data = self.write_image(SIZE // 8)
        with VirtualProbe("nrf52840") as probe:
            probe.chip.store(0, data)
            await self.run_program(probe, *self.herald("lock", "--board", "nrf52840dk", "--yes"))
            back = self.folder / "back.bin"
            # Told not to erase, it says that the chip is protected, and reads nothing.
            async with usb.Plug(probe.port, SERIAL, probe.device.speed):
                ended = await self.ended(*self.pyocd("commander", "nrf52840", "-O", "auto_unlock=false", "-c", f"savemem 0 {len(data)} {back}"))
            self.assertIn("APPROTECT enabled", ended.stdout)
            self.assertFalse(back.exists() and data[:64] in back.read_bytes(), ended.stdout)
            self.assertEqual(probe.chip.flash(0, len(data)), data)
            await self.run_program(probe, *self.pyocd("erase", "nrf52840", "--chip"))
            self.assertEqual(probe.chip.flash().strip(b"\xFF"), b"")
            self.assertFalse(probe.chip.is_locked)


if __name__ == "__main__":
    unittest.main()
