"""herald-flash at the virtual drives of Tests/Flash: UF2 boot loaders and DAPLink, which accept any file and report little."""

import tempfile
from pathlib import Path

from cases_flash_probe import flash, image
from drive import DAPLinkDrive, UF2Drive

BASE = 0x26000
FEATHER = "feather-nrf52840"
BOTH = {"microbit": "9900000000004e45007f70130000003c0000000097969901", "microbit2": "9904360254974e450038500b0000004a000000009796990b"}


def written(folder, data):
    path = Path(folder) / "image.bin"
    path.write_bytes(data)
    return path


async def write(path, drive, board, base, *options):
    return await flash("write", path, "--base", hex(base), "--board", board, "--to", f"drive:{drive.path}", "--yes", *options)


def programmed(drive, base, data):
    """Whether exactly this was programmed, except for the padding of the last block."""
    [(address, content)] = drive.content()
    return address == base and content[:len(data)] == data and content[len(data):].strip(b"\xFF") == b"" and len(content) - len(data) < 256


async def case_flash_drive_of_a_UF2_boot_loader():
    data = image(10001, base=BASE)
    with tempfile.TemporaryDirectory() as folder, UF2Drive() as drive:
        path = written(folder, data)
        status, found, err = await flash("write", path, "--base", hex(BASE), "--board", FEATHER, "--to", f"drive:{drive.path}", "--yes")
        assert status == 0 and not found["verified"], (found, err)
        assert drive.loader.is_running and drive.times_gone == 1 and not drive.path.exists()
        assert programmed(drive, BASE, data)
        # The drive is disconnected.
        status, found, err = await write(path, drive, FEATHER, BASE)
        assert status in (2, 6) and found["board_state"] == "untouched", (status, found, err)


async def case_flash_drive_of_a_UF2_boot_loader_gets_nothing_that_is_for_another():
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, image(5000, base=BASE))
        # Another board; a board with another SoftDevice, with another start address of applications.
        for options in ({"board": "nRF52833-Clue-v0", "model": "another"}, {"soft_device": "S140 7.3.0"}, {"soft_device": "not found"}):
            with UF2Drive(**options) as drive:
                status, found, err = await write(path, drive, FEATHER, BASE)
                assert (status, found["board_state"]) == (12, "untouched"), (options, status, found, err)
                assert not drive.flash and drive.times_gone == 0
        with UF2Drive() as drive:
            # Over the SoftDevice; over the boot loader; blocks of another family.
            for base in (0x1000, 0xE9000):
                status, found, err = await write(path, drive, FEATHER, base)
                assert (status, found["board_state"]) == (12, "untouched"), (base, status, found, err)
            other = Path(folder) / "other.uf2"
            status, found, err = await flash("convert", path, other, "--base", hex(BASE), "--family", "0xe48bff56")
            assert status == 0, (found, err)
            status, found, err = await flash("write", other, "--board", FEATHER, "--to", f"drive:{drive.path}", "--yes")
            assert (status, found["board_state"]) == (12, "untouched"), (status, found, err)
            assert not drive.flash and drive.times_gone == 0


async def case_flash_drive_that_stays_has_not_taken_it():
    with tempfile.TemporaryDirectory() as folder, UF2Drive(restarts=False) as drive:
        status, found, err = await write(written(folder, image(5000, base=BASE)), drive, FEATHER, BASE)
        assert status == 7 and found["board_state"] in ("unknown", "unverified") and found["advice"], (status, found, err)


async def case_flash_drive_unplugged_at_any_block_is_told_of_and_written_again():
    data = image(5000, base=BASE)
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, data)
        for count in range(0, 20, 3):
            with UF2Drive(vanish_after=count) as drive:
                status, found, err = await write(path, drive, FEATHER, BASE)
                # A drive that disconnects before its last block cannot be distinguished from one that has all blocks, if everything is written by then: the
                # programmed data decides.
                if status == 0:
                    assert drive.times_gone == 1, (count, found)
                else:
                    assert found["board_state"] in ("unknown", "partly-written") or not drive.flash, (count, found)
                    assert "reset" in found["advice"], (count, found)
                drive.plug_in()
                status, found, err = await write(path, drive, FEATHER, BASE)
                assert status == 0 and programmed(drive, BASE, data), (count, status, found, err)


async def case_flash_drive_of_DAPLink():
    for board, unique in BOTH.items():
        data = image(9000)
        with tempfile.TemporaryDirectory() as folder, DAPLinkDrive(unique=unique) as drive:
            path = written(folder, data)
            status, found, err = await write(path, drive, board, 0, "--erase-all")
            assert status == 0, (board, found, err)
            assert drive.times_gone == 1 and drive.content() == [(0, data)], (board, [(place, len(piece)) for place, piece in drive.content()])
            # The other board's image.
            status, found, err = await write(path, drive, next(other for other in BOTH if other != board), 0, "--erase-all")
            assert (status, found["board_state"]) == (12, "untouched") and drive.times_gone == 1, (status, found, err)


async def case_flash_drive_of_DAPLink_says_why_it_failed():
    data = image(9000)
    with tempfile.TemporaryDirectory() as folder, DAPLinkDrive(fails="The interface firmware FAILED to reset/halt the target MCU") as drive:
        path = written(folder, data)
        status, found, err = await write(path, drive, "microbit2", 0, "--erase-all")
        assert status == 9 and "FAILED to reset/halt" in found["what"] and found["advice"], (status, found, err)
        assert (drive.path / "FAIL.TXT").exists() and not drive.flash
        drive.fails = None
        status, found, err = await write(path, drive, "microbit2", 0, "--erase-all")
        assert status == 0 and drive.content() == [(0, data)], (status, found, err)
    # In maintenance mode it accepts firmware for the probe itself.
    with tempfile.TemporaryDirectory() as folder, DAPLinkDrive(mode="Bootloader", name="MAINTENANCE") as drive:
        status, found, err = await write(written(folder, data), drive, "microbit2", 0, "--erase-all")
        assert (status, found["board_state"]) == (12, "untouched") and drive.times_gone == 0, (status, found, err)
