"""herald-flash and adafruit-nrfutil at the virtual board in Adafruit's boot loader: packages of each other, and rejected, damaged and interrupted transfers of
herald-flash."""

import asyncio
import json
import tempfile
import zipfile
from pathlib import Path

from cases_boards import packed, sent
from cases_flash_dongle import is_true
from cases_flash_probe import flash, image
from legacy_dongle import APPLICATION_END, PAGE, LegacyDongle
from node import program, run

# The board with each SoftDevice, and the start address of applications.
BOARDS = {"6.1.1": ("feather-nrf52840", 0x26000), "7.3.0": ("feather-nrf52840-s140v7", 0x27000), None: ("feather-nrf52840-mbr", 0x1000)}
# Six packets.
SIZE = 2600


def with_old_firmware(soft_device="6.1.1", **options):
    dongle = LegacyDongle(soft_device=soft_device, **options)
    loader = dongle.loader
    old = image(0x8000, seed=1, base=loader.start)
    loader.flash[loader.start:loader.start + len(old)] = old
    loader.flash[APPLICATION_END:APPLICATION_END + 4] = b"data"
    loader.size, loader.is_valid = len(old), True
    dongle.before = bytes(loader.flash)
    return dongle


async def write(path, dongle, soft_device="6.1.1", **options):
    board, base = BOARDS[soft_device]
    place = [] if path.suffix == ".zip" else ["--base", hex(base)]
    return await flash("write", path, *place, "--board", board, "--to", f"serial-dfu:{dongle.path}", "--yes", **options)


def holds(dongle, data):
    """Whether this application is present, except for padding, and runs; and whether the regions before it and after all applications are unchanged."""
    loader = dongle.loader
    filling = dongle.application(loader.done)[len(data):]
    return (loader.is_running and dongle.application(len(data)) == data and filling == b"\xFF" * len(filling)
            and loader.flash[:loader.start] == dongle.before[:loader.start] and loader.flash[APPLICATION_END:] == dongle.before[APPLICATION_END:])


def is_alone(dongle):
    """Whether the flash after the last page of the application is unchanged."""
    behind = dongle.loader.start + -(-dongle.loader.done // PAGE) * PAGE
    return dongle.loader.flash[behind:] == dongle.before[behind:]


async def case_flash_legacy_dongle_is_written():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        for soft_device, (_, base) in BOARDS.items():
            for size in (301, 4096, 4097, 20001):
                data = image(size, base=base)
                path.write_bytes(data)
                with with_old_firmware(soft_device) as dongle:
                    status, found, err = await write(path, dongle, soft_device)
                    assert status == 0 and found["verified"] is False, (size, found, err)
                    assert holds(dongle, data) and is_alone(dongle) and dongle.loader.restarts == 0, (soft_device, size)


async def case_flash_legacy_package_is_the_same_as_that_of_adafruit_nrfutil():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for soft_device, (board, base) in BOARDS.items():
            data = image(9001, base=base)
            (folder / "image.bin").write_bytes(data)
            status, found, err = await flash("convert", folder / "image.bin", folder / "ours.zip", "--force", "--base", hex(base), "--board", board)
            assert status == 0 and found["format"] == "DFU package", (found, err)
            status, out, err = await run("herald-flash", "info", folder / "ours.zip", "--json")
            assert status == 0 and board in json.loads(out)["fits"] and json.loads(out)["segments"][0]["address"] == base, (out, err)
            named = {"6.1.1": "0xA9,0xAE,0xB6", "7.3.0": "0xC1,0xCA,0x100,0x123", None: "0xFFFF"}[soft_device]
            theirs = zipfile.ZipFile(await packed(folder / "theirs.zip", data, "--sd-req", named))
            ours = zipfile.ZipFile(folder / "ours.zip")
            assert ours.testzip() is None and sorted(ours.namelist()) == sorted(theirs.namelist())
            for name in theirs.namelist():
                assert ours.read(name) == theirs.read(name), (soft_device, name)
            # Each accepts packages of the other.
            with with_old_firmware(soft_device) as dongle:
                await sent(folder / "ours.zip", dongle)
                assert holds(dongle, data), soft_device
            with with_old_firmware(soft_device) as dongle:
                status, found, err = await write(folder / "theirs.zip", dongle, soft_device)
                assert status == 0 and holds(dongle, data), (soft_device, found, err)
            # A package for any SoftDevice is written to the start address of the board; one for another board is rejected without any change.
            await packed(folder / "any.zip", data)
            with with_old_firmware(soft_device) as dongle:
                status, found, err = await write(folder / "any.zip", dongle, soft_device)
                assert status == 0 and holds(dongle, data), (soft_device, found, err)
        with with_old_firmware("6.1.1") as dongle:
            before = bytes(dongle.loader.flash)
            status, found, err = await write(folder / "theirs.zip", dongle, "6.1.1")
            assert (status, found["board_state"]) == (12, "untouched") and bytes(dongle.loader.flash) == before, (status, found, err)
        status, found, err = await flash("convert", folder / "any.zip", folder / "back.bin")
        assert status == 1 and "--board" in found["what"], found


async def case_flash_legacy_dongle_with_another_soft_device_says_so():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        for wanted, there in (("6.1.1", "7.3.0"), ("7.3.0", "6.1.1"), (None, "6.1.1"), ("6.1.1", None)):
            data = image(SIZE, base=BOARDS[wanted][1])
            path.write_bytes(data)
            with with_old_firmware(there, comes_back=True) as dongle:
                status, found, err = await write(path, dongle, wanted)
                assert (status, found["board_state"]) == (9, "erased") and "--board" in found["advice"], (wanted, there, status, found, err)
                assert not dongle.loader.is_valid and dongle.loader.restarts == 1
                # The correct one is accepted at once.
                data = image(SIZE, base=BOARDS[there][1])
                path.write_bytes(data)
                status, found, err = await write(path, dongle, there)
                assert status == 0 and holds(dongle, data), (wanted, there, found, err)


async def misheard(mishap):
    data = image(SIZE, base=0x26000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(data)
        for first in range(1, 4):
            with with_old_firmware(**{mishap: range(first, 60, 3)}) as dongle:
                # Each loss takes one timeout, in which the board, a thread of this process, must respond to everything else.
                status, found, err = await write(path, dongle, timeout=0.8)
                assert holds(dongle, data) and dongle.loader.restarts == 0, (mishap, first, found, err)
                # Without a response to the last packet, a removed port may be a restart or a disconnection.
                assert status == 0 or found["board_state"] == "unverified" and mishap in ("unheard_at", "spoiled_at"), (mishap, first, found, err)


async def case_flash_legacy_dongle_that_does_not_hear_is_told_again():
    await misheard("lost_at")


async def case_flash_legacy_dongle_that_hears_wrong_is_told_again():
    await misheard("flipped_at")


async def case_flash_legacy_dongle_that_is_not_heard_is_told_again():
    await misheard("unheard_at")


async def case_flash_legacy_dongle_that_is_heard_wrong_is_told_again():
    await misheard("spoiled_at")


async def interrupted(is_unheard):
    data = image(SIZE, base=0x26000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(data)
        with with_old_firmware() as dongle:
            status, found, err = await write(path, dongle)
            assert status == 0, (found, err)
            frames = dongle.frames
        states = []
        for count in range(frames):
            with with_old_firmware(vanish_after=count, is_unheard=is_unheard) as dongle:
                before = bytes(dongle.loader.flash)
                status, found, err = await write(path, dongle, timeout=0.5)
                if dongle.loader.is_running:
                    # The last packet arrived, or only its acknowledgement was lost: the application runs, and no error is reported.
                    assert status == 0 or found["board_state"] == "unverified", (count, status, found, err)
                    assert holds(dongle, data)
                    continue
                assert status in (2, 6, 7), (count, status, found, err)
                is_true(found, dongle, before)
                states.append(found["board_state"])
                # The former application starts if the state is reported as untouched; otherwise none does.
                assert dongle.loader.is_valid or found["board_state"] != "untouched", (count, found)
                dongle.plug_in()
                status, found, err = await write(path, dongle)
                assert status == 0 and holds(dongle, data), (count, status, found, err)
        assert {"untouched", "unknown", "erased", "partly-written"} <= set(states), states


async def case_flash_legacy_dongle_unplugged_at_any_packet_is_written_the_next_time():
    await interrupted(False)


async def case_flash_legacy_dongle_unplugged_behind_any_packet_is_written_the_next_time():
    await interrupted(True)


async def case_flash_legacy_dongle_goes_on_after_the_program_was_ended():
    """The program is killed at each packet, which the boot loader does not detect. The same command makes the boot loader restart, and writes."""
    data = image(SIZE, base=0x26000)
    board, base = BOARDS["6.1.1"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.bin"
        path.write_bytes(data)
        for count in range(1, 13):
            with with_old_firmware(comes_back=True, unheard_at=range(count, 100)) as dongle:
                process = await asyncio.create_subprocess_exec(
                    program("herald-flash"), "write", str(path), "--base", hex(base), "--board", board, "--to", f"serial-dfu:{dongle.path}", "--yes", "--unsigned", "--json",
                    stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
                while dongle.frames < count:
                    await asyncio.sleep(0.01)
                process.kill()
                await process.communicate()
                has_begun = dongle.loader.state != 0
                dongle.unheard_at = set()
                status, found, err = await write(path, dongle)
                assert status == 0 and holds(dongle, data), (count, status, found, err)
                assert dongle.loader.restarts == has_begun, (count, dongle.loader.restarts)


async def case_flash_legacy_dongle_left_by_adafruit_nrfutil_is_written():
    data, other = image(SIZE, base=0x26000), image(30000, seed=7, base=0x26000)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "image.bin").write_bytes(data)
        await packed(folder / "package.zip", other)
        with with_old_firmware(vanish_after=20) as dongle:
            said = await sent(folder / "package.zip", dongle)
            assert "Failed to upgrade target" in said and not dongle.loader.is_valid, said
            dongle.plug_in()
            status, found, err = await write(folder / "image.bin", dongle)
            assert status == 0 and holds(dongle, data), (status, found, err)
