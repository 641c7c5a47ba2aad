#!/usr/bin/env python3
"""The log of a made-up day, fetched from one node over one serial link by smpmgr and by herald-host: how much longer smpmgr takes.

    .build/venv/bin/python Tests/Interop/pull_ratio.py

Needs herald-node, herald-host and invented-day built, and .build/venv-smp. Each program is timed from its start to its end, three times by turns, and the
shortest counts. Prints a line of JSON; `smpmgr_pull_ratio` is smpmgr's time divided by herald-host's.
"""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from node import ROOT, program
from world import World

PAGE = 4096
PAGES = 256


def fill(storage, folder):
    """Puts the pages of a pulled folder into a node's flash, as if it had logged them; returns them as one."""
    subprocess.run([program("invented-day"), folder], check=True)
    pages = [path.read_bytes() for path in sorted((folder / "pages").glob("*.page"))]
    storage.mkdir()
    flash = b"".join(page.ljust(PAGE, b"\xff") for page in pages)
    (storage / "log.flash").write_bytes(flash.ljust(PAGES * PAGE, b"\xff"))
    return b"".join(pages)


def timed(*command):
    begin = time.monotonic()
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


async def measure():
    async with World() as world:
        log = fill(world.folder / "storage", world.folder / "day")
        node = await world.node("--link", "pty", "--keep-days", "0")
        [port] = node.facts["link"]
        theirs, ours = [], []
        for number in range(3):
            copy, pulled = world.folder / f"copy {number}", world.folder / f"pulled {number}"
            theirs.append(await asyncio.to_thread(
                timed, ROOT / ".build/venv-smp/bin/smpmgr", "--port", port, "file", "download", "/log/all", copy))
            ours.append(await asyncio.to_thread(
                timed, program("herald-host"), "log", "pull", "--quiet", "--device", f"serial:{port}", "--output", pulled))
            assert copy.read_bytes().startswith(log), "smpmgr did not fetch the log"
            found = b"".join(path.read_bytes() for path in sorted((pulled / "pages").glob("*.page")))
            assert found.startswith(log), "herald-host did not fetch the log"
        print(json.dumps({
            "bytes": len(log), "smpmgr_seconds": round(min(theirs), 3), "herald_host_seconds": round(min(ours), 3),
            "smpmgr_pull_ratio": round(min(theirs) / min(ours), 2)}))


if __name__ == "__main__":
    asyncio.run(measure())
