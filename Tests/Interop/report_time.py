#!/usr/bin/env python3
"""report_time.py PAGE: prints the seconds that a report takes to open in headless Chromium, the median of five, and its size."""

import asyncio
import statistics
import sys
from pathlib import Path

import browser

# The end of the load event, and the layout that the next frame has.
OPENED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
    document.body.getBoundingClientRect();
    done(performance.now());
})))"""


async def main(page):
    if browser.find() is None:
        sys.exit("report_time.py: there is no Chromium; `apt-get install chromium` brings it")
    times = []
    async with browser.Browser(width=1280, height=900) as shown:
        for _ in range(5):
            await shown.open(page)
            times.append(await shown.evaluate(OPENED) / 1000)
    print(f"report_open_s {statistics.median(times):.2f}")
    print(f"report_mb {page.stat().st_size / 1e6:.2f}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve()))
