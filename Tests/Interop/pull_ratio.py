#!/usr/bin/env python3
"""A log of 400 KB, fetched from one node over one serial link by smpmgr and by herald-host, and the ratio of the durations.

`script/bench pull` runs this. Each program is timed from its start to its end, three times alternately, and the shortest time is used. Prints a table, and writes
`smpmgr_pull_ratio`, smpmgr's time divided by herald-host's, beside the other figures. Then herald-host fetches it again, over USB/IP, and what went over the endpoints
is counted: `link_efficiency_usbip`.
"""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from node import ROOT, program
from usbip_proxy import USBIPProxy
from world import World

PAGE = 4096
PAGES = 256
# Simulated days, until the log has 400 KB.
DAYS = 47
FIGURES = ROOT / ".build" / "figures" / "bench.json"


def fill(storage, folder):
    """Puts the pages of a pulled folder into a node's flash, as if it had logged them; returns them as one."""
    subprocess.run([program("synthetic-day"), folder, str(DAYS)], check=True)
    pages = [path.read_bytes() for path in sorted((folder / "pages").glob("*.page"))]
    storage.mkdir()
    flash = b"".join(page.ljust(PAGE, b"\xff") for page in pages)
    (storage / "log.flash").write_bytes(flash.ljust(PAGES * PAGE, b"\xff"))
    return b"".join(pages)


def timed(*command):
    """The duration of a program, and its output."""
    begin = time.monotonic()
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return time.monotonic() - begin, done.stdout


async def measure():
    async with World() as world:
        log = fill(world.folder / "storage", world.folder / "day")
        node = await world.node("--link", "pty", "--usbip", "0", "--keep-days", "0")
        [port] = node.facts["link"]
        theirs, ours, pulls = [], [], []
        for number in range(3):
            copy, pulled = world.folder / f"copy {number}", world.folder / f"pulled {number}"
            seconds, _ = await asyncio.to_thread(
                timed, ROOT / ".build/venv-smp/bin/smpmgr", "--port", port, "file", "download", "/log/all", copy)
            theirs.append(seconds)
            seconds, said = await asyncio.to_thread(
                timed, program("herald-host"), "log", "pull", "--json", "--device", f"serial:{port}", "--output", pulled)
            ours.append(seconds)
            pulls.append(json.loads(said)["pull"]["seconds"])
            assert copy.read_bytes().startswith(log), "smpmgr did not fetch the log"
            found = b"".join(path.read_bytes() for path in sorted((pulled / "pages").glob("*.page")))
            assert found.startswith(log), "herald-host did not fetch the log"
        async with USBIPProxy(int(node.facts["usbip"][0].split(":")[1].split("/")[0])) as proxy:
            await asyncio.to_thread(
                timed, program("herald-host"), "log", "pull", "--quiet", "--device", f"usbip://127.0.0.1:{proxy.port}/1-1", "--output", world.folder / "counted")
        found = b"".join(path.read_bytes() for path in sorted((world.folder / "counted" / "pages").glob("*.page")))
        assert found.startswith(log), "herald-host did not fetch the log over USB/IP"
    efficiency = 100 * len(found) / sum(proxy.carried)
    print(f"over USB/IP: {proxy.carried[0]:,} bytes out, {proxy.carried[1]:,} in, {len(found):,} of them the log's")
    print(f"link_efficiency_usbip  {efficiency:.2f} %")
    note(link_efficiency_usbip=round(efficiency, 2))
    ratio = min(theirs) / min(ours)
    print(f"a log of {len(log):,} bytes: smpmgr {min(theirs):.2f} s; herald-host {min(ours):.2f} s with its tables and database, {min(pulls):.2f} s of them for the pull")
    print(f"smpmgr_pull_ratio  {ratio:.1f}")
    note(smpmgr_pull_ratio=round(ratio, 2))


def note(**figures):
    """Adds figures to the file of the others."""
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    others = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.write_text(json.dumps(others | figures, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    asyncio.run(measure())
