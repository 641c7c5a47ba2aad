"""The page of `herald-host report` in a browser: it is rendered, it is complete, and it causes no network request and no error."""

import collections
import shutil
import tempfile
from pathlib import Path

import browser
from node import run

PEOPLE = 7
BAR = (0x26, 0x72, 0xB8)


async def case_report_looks_right_in_a_browser_without_a_network():
    if browser.find() is None:
        print("    left out: there is no Chromium; `apt-get install chromium` brings it")
        return
    folder = Path(tempfile.mkdtemp(prefix="herald-report-"))
    try:
        status, _, err = await run("synthetic-day", folder / "log")
        assert status == 0, err
        status, _, err = await run("herald-host", "report", folder / "log")
        assert status == 0, err
        await look(folder / "log" / "report.html")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def look(page):
    async with browser.Browser() as shown:
        await shown.open(page)
        assert shown.requests == [f"file://{page}"], f"it asked for {shown.requests}"
        assert shown.complaints == [], shown.complaints
        assert await shown.evaluate("document.querySelectorAll('script, img, link, iframe, object, embed').length") == 0
        assert await shown.evaluate("document.title") == "Contacts of Herald wearable 5356dee2c5b85838"
        headings = await shown.evaluate("[...document.querySelectorAll('h2')].map(heading => heading.textContent)")
        assert headings == [
            "Who was met when", "How strongly they were heard", "Readings per hour", "Battery", "Times without a record"], headings
        # Every drawing has a size, and no element is outside of it.
        drawings = await shown.evaluate("[...document.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect().height)")
        assert len(drawings) == 3 + PEOPLE and min(drawings) > 50, drawings
        outside = await shown.evaluate("""[...document.querySelectorAll('svg rect, svg text, svg circle, svg polyline')].filter(shape => {
            const inner = shape.getBoundingClientRect(), outer = shape.closest('svg').getBoundingClientRect();
            return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
        }).length""")
        assert outside == 0, f"{outside} shapes lie outside of their drawing"
        rows = await shown.evaluate("[...document.querySelectorAll('tbody tr')].map(row => row.cells[0].textContent)")
        assert len(rows) == PEOPLE and "Café Seeblick" in rows, rows
        gaps = await shown.evaluate("[...document.querySelectorAll('li')].map(item => item.textContent)")
        assert len(gaps) == 1 and gaps[0].startswith("2026-09-14 12:3"), gaps
        bars = await shown.evaluate("""[...document.querySelectorAll('svg')[0].querySelectorAll('rect.bar')].map(bar => {
            const place = bar.getBoundingClientRect();
            return [place.left + scrollX, place.top + scrollY, place.width, place.height];
        })""")
        assert len(bars) > PEOPLE
        width, height, rows = browser.pixels(await shown.picture(whole=True))
    # The screenshot has the bars at their positions in the page, and more than one colour.
    colours = collections.Counter(pixel for row in rows[::4] for pixel in row[::4])
    assert len(colours) > 8, colours.most_common(3)
    for left, top, bar_width, bar_height in bars:
        if bar_width < 6:
            continue
        x, y = int(left + bar_width / 2), int(top + bar_height / 2)
        assert x < width and y < height, f"a bar at {x}, {y} in a picture of {width} by {height}"
        assert rows[y][x] == BAR, f"{rows[y][x]} where a bar is, at {x}, {y}"
