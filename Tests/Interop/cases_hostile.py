"""Devices with false responses: herald-host reports it, keeps valid data, ends with a status other than 0, and writes only into its folder."""

import contextlib
import json
import shutil
import tempfile
import time
from pathlib import Path

from hostile import HostileDevice
from node import run


@contextlib.asynccontextmanager
async def place():
    """A folder with the pages of two simulated days."""
    folder = Path(tempfile.mkdtemp(prefix="herald-hostile-"))
    try:
        status, _, err = await run("synthetic-day", folder / "day", "2")
        assert status == 0, err
        yield folder, [path.read_bytes() for path in sorted((folder / "day" / "pages").iterdir())]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def entries(folder):
    """Everything below a folder, by its path from there."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


async def case_hostile_names_lead_out_of_no_folder_and_move_no_cursor():
    async with place() as (folder, pages):
        for serial, name in [
            ("../../evil", "%2e.%2f..%2fevil"), ("/tmp/evil", "%2ftmp%2fevil"), ("..", "%2e."), (".", "%2e"),
            ("a\x1b[2J\x07\r\nb", "a%3f%5b2J%3f%3f%3fb"), ("A" * 3000, "A" * 128),
        ]:
            texts = {"n": serial, "i": "\x1b]0;gotcha\x07board", "s": "<script>alert(1)</script>", "r": "=1+1"}
            device = await HostileDevice(pages, texts=texts).start()
            other = await HostileDevice(pages, texts={"n": "honest"}).start()
            output = folder / "deep" / "down" / "all"
            before = entries(folder)
            status, out, err = await run(
                "herald-host", "log", "pull", "--device", device.link, "--device", other.link, "--output", output)
            device.stop()
            other.stop()
            assert status == 0, (serial, status, err)
            assert not any(character in out + err for character in "\x1b\x07\r"), (serial, out, err)
            new = entries(folder) - before
            assert all(path.startswith("deep") for path in new), (serial, sorted(new)[:5])
            [device_folder] = [path for path in output.iterdir() if path.name != "honest"]
            assert device_folder.name.startswith(name[:60]) and len(device_folder.name) <= 100, (serial, device_folder)
            assert (device_folder / "contacts.csv").read_bytes() == (output / "honest" / "contacts.csv").read_bytes()
            status, _, err = await run("herald-host", "report", device_folder)
            page = (device_folder / "report.html").read_text()
            # The report has its own script and its data.
            assert status == 0 and page.count("<script") <= 2 and "<script>alert" not in page, err
            shutil.rmtree(folder / "deep")


async def case_hostile_clocks_are_told_of_and_the_log_is_kept():
    async with place() as (folder, pages):
        for name, date in [("2106", 4_294_967_295_000), ("2019", 1_560_000_000_000), ("tomorrow", int(time.time() + 172_800) * 1000)]:
            device = await HostileDevice(pages, status={"unix": date}).start()
            status, out, err = await run("herald-host", "log", "pull", "--device", device.link, "--output", folder / name, "--json")
            told = json.loads(out)
            assert status == 10 and "which cannot be" in err and "time sync" in err, (name, status, err)
            assert told["pull"]["is_complete"] and told["readings"] > 2000, told["readings"]
            assert "which cannot be" in told["clock_problem"], told
            status, out, err = await run("herald-host", "status", "--device", device.link)
            assert status == 0 and "cannot be" in out, (name, out)
            device.stop()
        # A plausible date is accepted.
        device = await HostileDevice(pages, status={"unix": int(time.time() * 1000)}).start()
        status, _, err = await run("herald-host", "log", "pull", "--device", device.link, "--output", folder / "now")
        device.stop()
        assert status == 0, err


async def case_hostile_numbers_keep_what_is_good():
    async with place() as (folder, pages):
        newest = sorted(path.name for path in (folder / "day" / "pages").iterdir())[-1]
        damaged = bytearray(pages[0])
        damaged[0:4] = b"\0\0\0\0"
        lies = {
            "a page that is none": (HostileDevice([bytes(damaged), *pages[1:]]), 10),
            "twice the same page": (HostileDevice([pages[0], pages[0], *pages[2:]]), 10),
            "a newest page that is far away": (HostileDevice(pages, status={"first": 1, "last": 0xFFFFFFFF}), 8),
            "pages without bytes": (HostileDevice(pages, status={"page": 0}), 8),
            "an open page larger than pages are": (HostileDevice(pages, status={"open": 5000}), 8),
        }
        for name, (device, expected) in lies.items():
            await device.start()
            output = folder / name
            before = entries(folder)
            status, _, err = await run("herald-host", "log", "pull", "--device", device.link, "--output", output)
            device.stop()
            assert status == expected and "herald-host: " in err, (name, status, err)
            assert all(path.startswith(name) for path in entries(folder) - before), name
            if expected == 10:
                # Valid pages are stored, once, and no others.
                kept = {path.name for path in (output / "pages").iterdir()}
                assert newest in kept and len(kept) == len(pages) - 1, (name, kept)
