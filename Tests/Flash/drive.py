#!/usr/bin/env python3
"""Virtual drives of boot loaders, as folders: a file copied into one is programmed, and then the drive disconnects, like those of UF2 boot loaders and DAPLink.
Tests use them as objects; this is also a program."""

import argparse
import hashlib
import json
import signal
import struct
import sys
import tempfile
import threading
from pathlib import Path

# Seconds between two checks.
LOOK = 0.02
UF2_MAGIC, UF2_MAGIC_TOO, UF2_END, SECTOR, MOST = 0x0A324655, 0x9E5D5157, 0x0AB16F30, 512, 476
NOT_MAIN_FLASH, HAS_FAMILY = 0x1, 0x2000


def pieces(flash):
    """(address, bytes) of contiguous programmed regions."""
    together = []
    for address, data in sorted(flash.items()):
        if together and together[-1][0] + len(together[-1][1]) == address:
            together[-1][1].extend(data)
        else:
            together.append((address, bytearray(data)))
    return [(address, bytes(data)) for address, data in together]


def decoded(text, flash_size):
    """The contents of an Intel HEX file by address, within the flash; raises ValueError with DAPLink's message."""
    base, flash, has_ended = 0, {}, False
    for line in text.split():
        try:
            if not line.startswith(":"):
                raise ValueError
            record = bytes.fromhex(line[1:])
        except ValueError:
            raise ValueError("The hex file cannot be decoded. Parser logic failure occurred.", "internal, user") from None
        if len(record) < 5 or sum(record) & 255 or record[0] != len(record) - 5:
            raise ValueError("The hex file cannot be decoded. Checksum calculation failure occurred.", "user")
        count, offset, kind = struct.unpack_from(">BHB", record)
        data = record[4:4 + count]
        if kind == 0 and base + offset < flash_size:
            flash[base + offset] = data
        elif kind == 1:
            has_ended = True
            break
        elif kind in (2, 4):
            base = int.from_bytes(data, "big") << (4 if kind == 2 else 16)
    if not has_ended:
        raise ValueError("The transfer timed out.", "transient, user")
    return flash


class UF2Loader:
    """Adafruit's: blocks of another family, and anything that is not UF2, are accepted and dropped without an error; when all blocks that the file announces are
    present, the application is started. `flash` is what was programmed, by address."""

    def __init__(self, family=0xADA52840, first=0x1000, last=0xED000):
        self.family, self.range = family, range(first, last)
        self.flash = {}
        self.restart()

    def restart(self):
        self.blocks = {}
        self.is_running = False

    def take(self, sector):
        first, second, flags, address, size, number, count, family = struct.unpack_from("<8I", sector)
        if (first, second, struct.unpack_from("<I", sector, 508)[0]) != (UF2_MAGIC, UF2_MAGIC_TOO, UF2_END):
            return
        if flags & NOT_MAIN_FLASH or not flags & HAS_FAMILY or family != self.family or size > MOST or number >= count:
            return
        if address in self.range and address + size - 1 in self.range:
            self.flash[address] = sector[32:32 + size]
        self.blocks[number] = count
        if len(self.blocks) >= count:
            self.is_running = True


class Drive(threading.Thread):
    """`path` is the folder, `flash` what was programmed, by address. Subclasses have `files()`, the contents of an empty drive, and `look(path, data)`, which is
    true when the drive disconnects."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.home = tempfile.TemporaryDirectory()
        self.path = Path(self.home.name) / name
        self.flash = {}
        self.times_gone = 0
        self.is_over = threading.Event()
        self.plug_in()
        self.start()

    def plug_in(self):
        """Mounts the drive with its own files only, atomically."""
        new = self.path.with_name("new")
        new.mkdir()
        for name, text in self.files().items():
            (new / name).write_text(text, newline="\r\n")
        new.rename(self.path)

    def unplug(self):
        # The former folder is kept under another name: a new one must not have the same inode.
        gone = self.path.with_name(f"gone-{self.times_gone}")
        self.path.rename(gone)
        self.times_gone += 1
        for path in gone.iterdir():
            path.unlink()

    def run(self):
        while not self.is_over.wait(LOOK):
            for path in sorted(self.path.iterdir()) if self.path.exists() else []:
                if path.name not in self.files() and path.is_file() and self.look(path, path.read_bytes()):
                    self.unplug()
                    self.gone()
                    break

    def gone(self):
        """Called when the drive has disconnected by itself."""

    def content(self):
        return pieces(self.flash)

    def close(self):
        self.is_over.set()
        self.join()
        self.home.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class UF2Drive(Drive):
    """The drive of a `UF2Loader`, which disconnects when the application starts. Without `restarts` it never does, as if one block were missing; with `vanish_after`
    it disconnects after that number of blocks."""

    def __init__(self, name="FTHR840BOOT", board="nRF52840-Feather-revE", model="Adafruit Feather nRF52840 Express", soft_device="S140 6.1.1", restarts=True,
                 vanish_after=None):
        self.board, self.model, self.soft_device = board, model, soft_device
        self.loader = UF2Loader()
        self.restarts, self.vanish_after = restarts, vanish_after
        super().__init__(name)
        self.flash = self.loader.flash

    def plug_in(self):
        self.loader.restart()
        super().plug_in()

    def files(self):
        return {"INFO_UF2.TXT": f"UF2 Bootloader 0.9.0\nModel: {self.model}\nBoard-ID: {self.board}\nSoftDevice: {self.soft_device}\nDate: Jan 1 2025\n",
                "INDEX.HTM": "<!doctype html>\n"}

    def look(self, path, data):
        for place in range(0, len(data) - SECTOR + 1, SECTOR):
            if self.vanish_after is not None and len(self.loader.blocks) >= self.vanish_after:
                self.vanish_after = None
                return True
            self.loader.take(data[place:place + SECTOR])
        return self.loader.is_running and self.restarts


class DAPLinkDrive(Drive):
    """DAPLink of a micro:bit: takes a file whose name ends in .hex or .bin, in order; then the drive disconnects and returns, with FAIL.TXT after a failure. `fails`
    is the text of an injected failure."""

    # The number of checks without growth after which a file is complete.
    PATIENCE = 15

    def __init__(self, name="MICROBIT", unique="9904360254974e450038500b0000004a000000009796990b", version="0257", mode="Interface", flash_size=0x80000, fails=None):
        self.unique, self.version, self.mode, self.flash_size, self.fails = unique, version, mode, flash_size, fails
        self.error = None
        self.sizes = {}
        super().__init__(name)

    def files(self):
        files = {"DETAILS.TXT": f"# DAPLink Firmware - see https://daplink.io\nUnique ID: {self.unique}\nHIC ID: {self.unique[-8:]}\nAuto Reset: 1\n"
                                f"Automation allowed: 0\nOverflow detection: 0\nDaplink Mode: {self.mode}\nInterface Version: {self.version}\nUSB Interfaces: MSD, CDC, HID, WebUSB\n",
                 f"{self.path.name}.HTM": "<!doctype html>\n"}
        if self.error:
            files["FAIL.TXT"] = f"error: {self.error[0]}\ntype: {self.error[1]}\n"
        return files

    def look(self, path, data):
        size, looks = self.sizes.get(path.name, (0, 0))
        self.sizes[path.name] = (len(data), looks + 1 if len(data) == size else 0)
        if not data or self.sizes[path.name][1] < self.PATIENCE:
            return False
        self.sizes = {}
        kind = path.suffix.lower()
        self.error = None
        try:
            if self.fails:
                raise ValueError(self.fails, "transient, user")
            if kind == ".hex":
                self.flash = decoded(data.decode("ascii", "replace"), self.flash_size)
            elif kind == ".bin":
                if len(data) < 8 or not 0x20000000 < struct.unpack_from("<I", data)[0] <= 0x20100000:
                    raise ValueError("The starting bytes of the file do not look like a vector table.", "user")
                self.flash = {0: data}
            else:
                raise ValueError("The transfer timed out.", "transient, user")
        except ValueError as error:
            self.error = error.args
        return True

    def gone(self):
        self.plug_in()


def main():
    parser = argparse.ArgumentParser(description="A virtual drive. Tells its folder on standard output; at the end what was programmed, as JSON on standard error.")
    parser.add_argument("kind", choices=["uf2", "daplink"])
    parser.add_argument("--board", help="the board's identification")
    parser.add_argument("--fails", metavar="TEXT", help="DAPLink: why it does not work")
    parser.add_argument("--stays", action="store_true", help="UF2: the drive does not go away")
    words = parser.parse_args()
    if words.kind == "uf2":
        options = {"board": words.board} if words.board else {}
        drive = UF2Drive(restarts=not words.stays, **options)
    else:
        options = {"unique": words.board} if words.board else {}
        drive = DAPLinkDrive(fails=words.fails, **options)
    with drive:
        is_over = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: is_over.set())
        signal.signal(signal.SIGHUP, lambda *_: drive.plug_in())
        print(drive.path, flush=True)
        is_over.wait()
        print(json.dumps({"times_gone": drive.times_gone, "content": [
            {"address": f"{address:#x}", "size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for address, data in drive.content()]}), file=sys.stderr)


if __name__ == "__main__":
    main()
