#!/usr/bin/env python3
"""The time in which herald-host dock collects badges that are all plugged in: `dock_seconds.py [BADGES [PAGES]]`, by default 50 with 200 pages of
4,096 bytes each, with --trim, from the start of the program to its end. `script/bench dock` runs this; it adds `dock_seconds_50` to the other figures."""

import asyncio
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from dock import Badge, SilentRadio, check
from node import run
from prepared_log import prepared_log
from pull_ratio import note


async def measured(count, pages):
    folder = Path(tempfile.mkdtemp(prefix="herald-dock-"))
    flash = await prepared_log(pages)
    badges = []
    try:
        async with SilentRadio() as radio:
            for number in range(1, count + 1):
                badges.append(await Badge(folder, number, flash).start(radio))
            # Directly, without the cables of the tests.
            servers = [word for badge in badges for word in ("--usbip", f"127.0.0.1:{badge.far}")]
            begin = time.monotonic()
            status, out, err = await run(
                "herald-host", "dock", "--archive", folder / "ward.sqlite", "--once", "--trim", "--json", *servers, seconds=600)
            seconds = time.monotonic() - begin
            assert status == 0, err
            rows = json.loads(out)["devices"]
            assert len(rows) == count and all(row["result"]["trimmed_pages"] == pages - 1 for row in rows), rows
            for badge in badges:
                check(folder / "ward.sqlite", badge)
            return seconds
    finally:
        for badge in badges:
            await badge.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    count, pages = [int(word) for word in sys.argv[1:] + ["50", "200"][len(sys.argv) - 1:]]
    seconds = asyncio.run(measured(count, pages))
    print(f"{count} badges with {pages} pages each: {seconds:.1f} s")
    note(**{f"dock_seconds_{count}": round(seconds, 1)})


if __name__ == "__main__":
    main()
