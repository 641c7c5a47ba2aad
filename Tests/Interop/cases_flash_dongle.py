"""herald-flash at the virtual dongle of Tests/Flash: Nordic's Secure DFU, with rejected, damaged and interrupted transfers."""

import asyncio
import tempfile
import zipfile
from pathlib import Path

from cases_flash_probe import flash, image
from dongle import APPLICATION_START, Dongle

BOARD = "nrf52840-dongle"


def with_old_firmware(**options):
    dongle = Dongle(**options)
    old = image(0x8000, seed=1, base=APPLICATION_START)
    dongle.loader.flash[APPLICATION_START:APPLICATION_START + len(old)] = old
    return dongle


async def write(path, dongle, **options):
    return await flash("write", path, "--base", hex(APPLICATION_START), "--board", BOARD, "--to", f"serial-dfu:{dongle.path}", "--yes", **options)


def holds(dongle, data):
    """Whether this application is present, except for the padding of its last word, and runs."""
    return dongle.loader.is_running and dongle.application(len(data)) == data and dongle.loader.done - len(data) in range(4)


async def case_flash_dongle_is_written():
    for size in (301, 4095, 4096, 4097, 20001):
        data = image(size, base=APPLICATION_START)
        with tempfile.TemporaryDirectory() as folder, with_old_firmware() as dongle:
            path = Path(folder) / "image.bin"
            path.write_bytes(data)
            status, found, err = await write(path, dongle)
            assert status == 0, (size, found, err)
            assert holds(dongle, data), size
            while dongle.path.exists():
                await asyncio.sleep(0.05)


async def case_flash_dongle_takes_a_package_as_it_is():
    data = image(5001, base=APPLICATION_START)
    with tempfile.TemporaryDirectory() as folder, with_old_firmware() as dongle:
        plain, package = Path(folder) / "image.bin", Path(folder) / "package.zip"
        plain.write_bytes(data)
        status, found, err = await flash("convert", plain, package, "--base", hex(APPLICATION_START), "--board", BOARD)
        assert status == 0, (found, err)
        with zipfile.ZipFile(package) as archive:
            assert archive.testzip() is None and archive.read("application.bin") == data + b"\xFF" * 3
        status, found, err = await flash("write", package, "--board", BOARD, "--to", f"serial-dfu:{dongle.path}", "--yes")
        assert status == 0 and holds(dongle, data), (found, err)


async def case_flash_dongle_that_refuses_says_why():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(image(5000, base=APPLICATION_START))
        for options, words in (({"soft_device": 0xCA, "tells": False}, "SoftDevice"), ({"firmware_version": 1 << 31, "for_debugging": False}, "version")):
            with with_old_firmware(**options) as dongle:
                before = bytes(dongle.loader.flash)
                status, found, err = await write(path, dongle)
                assert (status, found["board_state"]) == (9, "untouched") and words in found["what"], (options, status, found, err)
                assert bytes(dongle.loader.flash) == before
        # A dongle that reports a SoftDevice is not in its delivery state: its application has another start address.
        with with_old_firmware(soft_device=0xCA) as dongle:
            status, found, err = await write(path, dongle)
            assert (status, found["board_state"]) == (12, "untouched"), (status, found, err)
        # The dongle's own boot loader is a debug version.
        with with_old_firmware(firmware_version=1 << 31) as dongle:
            status, found, err = await write(path, dongle)
            assert status == 0, (found, err)


async def case_flash_dongle_that_hears_wrong_is_told_again_or_told_of():
    data = image(10000, base=APPLICATION_START)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(data)
        for number in range(1, 30):
            with with_old_firmware(spoil_at=[number]) as dongle:
                before = bytes(dongle.loader.flash)
                status, found, err = await write(path, dongle)
                if status != 0:
                    is_true(found, dongle, before)
                    dongle.spoil_at = set()
                    dongle.plug_in()
                    status, found, err = await write(path, dongle)
                assert status == 0 and holds(dongle, data), (number, status, found, err)


def is_true(found, dongle, before):
    is_same = bytes(dongle.loader.flash) == before
    assert found["board_state"] in (("untouched", "unknown") if is_same else ("partly-written", "erased", "unknown", "unverified")), (found, is_same)
    assert found["advice"], found


async def unplugged(part):
    """Unplugged at each third frame from `part` on."""
    data = image(10000, base=APPLICATION_START)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(data)
        with with_old_firmware() as dongle:
            status, found, err = await write(path, dongle)
            assert status == 0, (found, err)
            frames, whole = dongle.loader.requests, dongle.bytes_in
        assert frames > 20, frames
        for count in range(part, frames, 3):
            with with_old_firmware(vanish_after=count) as dongle:
                before = bytes(dongle.loader.flash)
                status, found, err = await write(path, dongle, timeout=0.5)
                assert status in (6, 7), (count, status, found, err)
                is_true(found, dongle, before)
                done = dongle.loader.done
                dongle.plug_in()
                dongle.bytes_in = 0
                status, found, err = await write(path, dongle)
                assert status == 0 and holds(dongle, data), (count, status, found, err)
                # Executed objects are not sent again.
                assert dongle.bytes_in <= whole - done, (count, done, dongle.bytes_in, whole)


async def case_flash_dongle_unplugged_at_any_frame_goes_on():
    await unplugged(0)


async def case_flash_dongle_unplugged_at_any_other_frame_goes_on():
    await unplugged(1)


async def case_flash_dongle_unplugged_at_any_frame_but_those_goes_on():
    await unplugged(2)
