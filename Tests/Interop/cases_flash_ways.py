"""The cost of programming 64 KB by each method: bytes in both directions, and seconds, in .build/figures/flash.json with the round trips of the system tests."""

import json
import tempfile
import time
from pathlib import Path

from cases_flash_drive import BASE, FEATHER
from cases_flash_probe import Image, flash, image, place
from cases_flash_recovery import CURVES, signed
from dongle import APPLICATION_START, Dongle
from drive import UF2Drive
from legacy_dongle import LegacyDongle
from node import ROOT
from recovery import Recovery
from virtual_probe import VirtualProbe

SIZE = 65536
FIGURES = ROOT / ".build" / "figures" / "flash.json"


async def case_flash_ways_take_64_KB():
    found = {}

    async def write(name, path, where, *options, count):
        started = time.monotonic()
        status, said, err = await flash("write", path, "--to", where, "--yes", *options)
        assert status == 0, (name, said, err)
        found[f"flash_seconds_{name}"] = round(time.monotonic() - started, 1)
        found[f"flash_bytes_{name}"] = count()

    new = Image(SIZE)
    with VirtualProbe("nrf52833") as probe:
        await write("probe", new.path, place(probe), "--base", "0", "--board", new.board, count=lambda: probe.dap.bytes_out + probe.dap.bytes_in)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        path = folder / "image.bin"
        path.write_bytes(image(SIZE, base=APPLICATION_START))
        with Dongle() as dongle:
            await write("serial_dfu", path, f"serial-dfu:{dongle.path}", "--base", hex(APPLICATION_START), count=lambda: dongle.bytes_in + dongle.bytes_out)
        path.write_bytes(image(SIZE, base=BASE))
        with UF2Drive() as drive:
            blocks = drive.loader.blocks
            await write("drive", path, f"drive:{drive.path}", "--base", hex(BASE), "--board", FEATHER, count=lambda: 512 * len(blocks))
        # The same board and address, through its boot loader's serial port.
        with LegacyDongle() as dongle:
            await write("legacy_dfu", path, f"serial-dfu:{dongle.path}", "--base", hex(BASE), "--board", FEATHER, count=lambda: dongle.bytes_in + dongle.bytes_out)
            assert dongle.application(SIZE) == path.read_bytes()
        path, _ = await signed(folder, SIZE, CURVES[0])
        with Recovery() as recovery:
            await write("smp", path, f"smp:serial:{recovery.path}", count=lambda: recovery.bytes_in + recovery.bytes_out)
    # No redundant transfers: no method transfers twice the image.
    assert all(SIZE < value < 2 * SIZE for key, value in found.items() if "bytes" in key and "drive" not in key), found
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps(kept | found, indent=2, sort_keys=True) + "\n")
