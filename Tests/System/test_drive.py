"""herald-flash with drives (USB mass storage with a FAT file system) that disconnect when the image is complete."""

import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import drives

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests" / "Flash"), str(ROOT / "Tests" / "Interop")]
from drive import SECTOR, UF2Loader, decoded, pieces
from image import image
from node import program

BASE = 0x26000
SIZE = 20000
PATIENCE = 400
MAGIC = struct.pack("<II", 0x0A324655, 0x9E5D5157)


class BootLoader(UF2Loader):
    """Processes the blocks of a medium in any order."""

    def read(self, medium):
        for found in re.finditer(re.escape(MAGIC), medium):
            if found.start() % SECTOR == 0:
                self.take(medium[found.start():found.start() + SECTOR])
        return self.is_running


class Drives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        drives.start()

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "image.bin"

    def write(self, board, base, size, where, *options):
        self.data = image(size, base=base)
        self.path.write_bytes(self.data)
        ended = subprocess.run([program("herald-flash"), "write", self.path, "--base", hex(base), "--board", board, "--to", f"drive:{where}", "--yes", "--unsigned", "--json", *options],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        return ended.returncode, json.loads(ended.stdout), ended.stderr

    INFO = {"INFO_UF2.TXT": "UF2 Bootloader 0.9.0\r\nModel: Adafruit Feather nRF52840 Express\r\nBoard-ID: nRF52840-Feather-revE\r\nSoftDevice: S140 6.1.1\r\n"}

    def test_a_UF2_boot_loader_restarts_with_the_last_block_and_that_is_success(self):
        loader = BootLoader()
        with drives.Drive(self.folder, "FTHR840BOOT", self.INFO, loader.read) as drive:
            status, found, err = self.write("feather-nrf52840", BASE, SIZE, drive.path)
            self.assertEqual(status, 0, (found, err))
            self.assertEqual(drive.times_gone, 1)
        [(address, content)] = pieces(loader.flash)
        self.assertEqual((address, content[:SIZE]), (BASE, self.data))

    def test_a_drive_that_is_full_gets_nothing(self):
        loader = BootLoader()
        with drives.Drive(self.folder, "FTHR840BOOT", self.INFO, loader.read) as drive:
            with open(drive.path / "CURRENT.UF2", "wb", buffering=0) as file:
                try:
                    while file.write(bytes(SECTOR * 64)):
                        pass
                except OSError:
                    pass
            status, found, err = self.write("feather-nrf52840", BASE, SIZE, drive.path)
            self.assertEqual((status, found["board_state"]), (11, "untouched"), (found, err))
            self.assertEqual(drive.times_gone, 0)
        self.assertFalse(loader.flash)

    def test_DAPLink_says_in_a_file_on_a_drive_that_came_back_whether_it_worked(self):
        details = {"DETAILS.TXT": "Unique ID: 9904360254974e450038500b0000004a000000009796990b\r\nDaplink Mode: Interface\r\nInterface Version: 0257\r\n"}
        failure = {"FAIL.TXT": "error: The hex file cannot be decoded. Checksum calculation failure occurred.\r\ntype: user\r\n"}
        for returned, expected in (({}, 0), (failure, 9)):
            folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
            with drives.Drive(folder, "MICROBIT", details, lambda medium: b":00000001FF" in medium, lambda medium: returned) as drive:
                status, found, err = self.write("microbit2", 0, SIZE // 2, drive.path, "--erase-all")
                self.assertEqual(status, expected, (found, err))
                if returned:
                    self.assertIn("Checksum calculation failure", found["what"])
                self.assertEqual(drive.times_gone, 1)
            # The file is contiguous on the medium, from the record of address 0 on.
            start = re.search(rb":[0-9A-F]{2}0000", drive.programmed).start()
            text = drive.programmed[start:drive.programmed.index(b":00000001FF") + 11].decode()
            self.assertEqual(b"".join(piece for _, piece in sorted(decoded(text, 0x80000).items())), self.data)


if __name__ == "__main__":
    unittest.main()
