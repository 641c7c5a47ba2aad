"""The page of `herald-host report` in a browser: it is complete, accessible, and causes no network request and no error."""

import collections
import contextlib
import re
import shutil
import tempfile
from pathlib import Path

import axe
import browser
import ward
from node import run

BADGES = 6
DAYS = 2
# The colour of the band of the least attenuation, light.
CLOSEST = (0xA3, 0x29, 0x0C)
HOSTILE = '"><script>document.title = 1</script><img src=x onerror=alert(1)> & \'Ada\''
# Elements that reach over the right edge of the page, outside of regions that scroll by themselves.
OUTSIDE = """[...document.querySelectorAll('body *')].filter(element => {
    const place = element.getBoundingClientRect();
    return place.right > innerWidth + 1 && place.width > 0 && !element.closest('.wide') && !element.closest('.skip');
}).map(element => element.outerHTML.slice(0, 100))"""
SHAPES = """[...document.querySelectorAll('svg')].flatMap(svg => [...svg.querySelectorAll('rect, text, circle')].filter(shape => {
    const inner = shape.getBoundingClientRect(), outer = svg.getBoundingClientRect();
    return inner.width > 0 && outer.width > 0 && !svg.matches('.hours')
        && (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1);
}).map(shape => shape.outerHTML))"""

# Labels of hours and of a histogram's axis that lie upon the next one.
UPON = """[...document.querySelectorAll('.hours, .histogram svg')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    return boxes.filter(([text, one], place) => boxes.slice(place + 1).some(([, other]) =>
        one.right > other.left && other.right > one.left && one.bottom > other.top && other.bottom > one.top)).map(([text]) => text);
})"""


@contextlib.asynccontextmanager
async def shown_report(*words, people=None):
    """The report of a log that a program with these words makes, and a browser; (None, None) if there is no browser."""
    if browser.find() is None:
        print("    left out: there is no Chromium; `apt-get install chromium` brings it")
        yield None, None
        return
    folder = Path(tempfile.mkdtemp(prefix="herald-report-"))
    try:
        status, _, err = await run(words[0], folder / "log", *words[1:])
        assert status == 0, err
        more = []
        if people:
            (folder / "people.csv").write_text(people)
            more = ["--people", folder / "people.csv"]
        page = folder / "report.html"
        status, _, err = await run("herald-host", "report", folder / "log", *more, "--output", page)
        assert status == 0, err
        async with browser.Browser() as shown:
            yield page, shown
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def hostile_people():
    """The people of a ward, one with a name that is markup."""
    quoted = HOSTILE.replace('"', '""')
    return ward.people(BADGES).replace("Ada Berg", f'"{quoted}"')


async def case_report_of_a_ward_is_complete_and_causes_no_request():
    async with shown_report("synthetic-fleet", BADGES, DAYS, people=hostile_people()) as (page, shown):
        if shown is None:
            return
        await shown.open(page)
        assert shown.requests == [f"file://{page}"], f"it asked for {shown.requests}"
        assert shown.complaints == [], shown.complaints
        assert await shown.evaluate("document.title") == "Who was near whom"
        assert await shown.evaluate("document.querySelectorAll('img, link, iframe, object, embed').length") == 0
        assert await shown.evaluate("document.querySelectorAll('script').length") == 2
        headings = await shown.evaluate("[...document.querySelectorAll('h2')].map(heading => heading.textContent)")
        assert headings == ["At a glance", "Check first", "Roles", "Network", "Persons", "Who heard whom", "Timelines", "Badges",
                            "How to read this"], headings
        people = await shown.evaluate("[...document.querySelectorAll('h3')].map(heading => heading.firstChild.textContent.trim())")
        assert len(people) == BADGES and HOSTILE in people, people
        outside = await shown.evaluate(SHAPES)
        assert outside == [], outside[:5]
        days = await shown.evaluate("[...document.querySelectorAll('#t0 tbody tr')].map(row => row.querySelector('b').textContent)")
        assert days == ["Mon 2026-09-14", "Tue 2026-09-15"], days
        await look_at_strip(shown)
        await check_filter(shown)


async def look_at_strip(shown):
    """The minutes of the closest band are drawn, in its colour and as the highest."""
    place = await shown.evaluate("""(() => {
        const path = document.querySelector('.day .s0'), svg = path.ownerSVGElement;
        svg.scrollIntoView({ block: 'center' });
        const [, from, middle, length] = path.getAttribute('d').match(/^M([\\d.]+) ([\\d.]+)h([\\d.]+)/).map(Number);
        const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
        return [frame.left + (from + length / 2) * scale, frame.top + middle, length * scale];
    })()""")
    width, height, rows = browser.pixels(await shown.picture())
    x, y = int(place[0]), int(place[1])
    assert x < width and y < height, f"a strip at {x}, {y} in a picture of {width} by {height}"
    if place[2] >= 3:
        assert rows[y][x] == CLOSEST and rows[y - 13][x] == CLOSEST and rows[y + 13][x] == CLOSEST, (rows[y][x], place)
    colours = collections.Counter(pixel for row in rows[::7] for pixel in row[::7])
    assert len(colours) > 12, colours.most_common(3)


async def check_filter(shown):
    """The filter hides what is left out, and the minutes of the rest are those of the tables of the days."""
    async def choose(name, value):
        await shown.evaluate(f"""(() => {{ const field = document.getElementById('filter-{name}'); field.value = '{value}';
            field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()""")
        return await shown.evaluate("document.getElementById('filter-result').textContent")

    first = "document.querySelector('#who-matrix tbody tr').cells[2].textContent"
    whole = int(await shown.evaluate(first))
    parts = []
    for day in range(DAYS):
        await choose("day", day)
        parts.append(int(await shown.evaluate(first) or 0))
        rows = await shown.evaluate("[...document.querySelectorAll('#t0 tbody tr')].filter(row => row.offsetHeight > 0).length")
        assert rows == 1, rows
    assert abs(sum(parts) - whole) <= DAYS, (parts, whole)
    said = await choose("day", "")
    assert said.startswith(f"{BADGES} badges, 15 pairs, "), said
    said = await choose("who", 1)
    assert said.startswith("1 badge, 5 pairs, "), said
    sections = await shown.evaluate("[...document.querySelectorAll('.person')].filter(section => section.offsetHeight > 0).map(section => section.id)")
    assert sections == ["p1"], sections
    lines = await shown.evaluate("document.querySelectorAll('.edges path:not(.off)').length")
    assert lines == 5, lines
    # Without the closest band, none is drawn and its minutes are not counted.
    before = int(re.search(r"([\d,]+) pair minutes", said).group(1).replace(",", ""))
    await shown.evaluate("document.querySelector('#filter input').click()")
    said = await shown.evaluate("document.getElementById('filter-result').textContent")
    after = int(re.search(r"([\d,]+) pair minutes", said).group(1).replace(",", ""))
    assert after < before, (before, after)
    assert await shown.evaluate("getComputedStyle(document.querySelector('#p1 .day .s0')).display") == "none"
    await shown.evaluate("document.querySelector('#filter button').click()")
    await shown.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert await shown.evaluate("document.querySelectorAll('main .off').length") == 0
    assert int(await shown.evaluate(first)) == whole
    assert shown.complaints == [], shown.complaints


async def case_report_is_accessible_in_light_and_dark_on_a_phone_and_a_desk():
    if axe.script() is None:
        print("    left out: there is no axe-core; script/bootstrap installs it")
        return
    async with shown_report("synthetic-fleet", BADGES, DAYS, people=hostile_people()) as (page, shown):
        if shown is None:
            return
        for width in (360, 1280):
            for dark in (False, True):
                await shown.open(page, width=width, dark=dark)
                found = await axe.violations(shown)
                assert found == [], (width, dark, found)
                assert await shown.evaluate("document.documentElement.scrollWidth") == width
                assert await shown.evaluate(OUTSIDE) == []
        background = await shown.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == "rgb(18, 24, 30)", background
        # The judge sees what it has to: text of too little contrast, and a cell without a head.
        await shown.evaluate("document.querySelector('.lead').style.color = '#223'")
        await shown.evaluate("document.querySelector('h2').outerHTML = '<h5></h5>'")
        assert {"color-contrast", "empty-heading"} <= {rule for rule, _ in await axe.violations(shown)}


async def case_report_labels_do_not_lie_upon_each_other_on_a_phone():
    async with shown_report("synthetic-fleet", BADGES, DAYS, people=ward.people(BADGES)) as (page, shown):
        if shown is None:
            return
        await shown.open(page, width=390)
        assert await shown.evaluate("document.querySelectorAll('.hours text').length") > 2
        assert await shown.evaluate(UPON) == []
        assert await shown.evaluate(SHAPES) == []


async def case_report_is_about_a_day_a_person_or_a_role():
    folder = Path(tempfile.mkdtemp(prefix="herald-report-"))
    try:
        status, _, err = await run("synthetic-fleet", folder / "log", BADGES, DAYS)
        assert status == 0, err
        (folder / "people.csv").write_text(ward.people(BADGES))
        archive, page = folder / "ward.sqlite", folder / "report.html"
        status, _, err = await run("herald-host", "archive", "add", folder / "log", "--archive", archive, "--people", folder / "people.csv")
        assert status == 0, err

        async def text(*words):
            status, _, err = await run("herald-host", "report", "--archive", archive, "--output", page, *words)
            assert status == 0, err
            return page.read_text()
        html = await text("--day", "2026-09-15", "--person", "Ada Berg")
        assert "<h1>Who was near Ada Berg</h1>" in html and "Tue 2026-09-15. All times" in html
        assert html.count('<section class="person"') == 1
        html = await text("--role", "physician")
        assert "<h1>Who was near role physician</h1>" in html and html.count('<section class="person"') == 3
        digest = re.search(r"of ward\.sqlite\. The SHA-256 of its pages, people and rules is ([0-9a-f]{64})\.", html).group(1)
        assert digest in await text()
        status, _, err = await run("herald-host", "report", "--archive", archive, "--output", page, "--person", "Eve")
        assert status == 64 and "is called Eve" in err, (status, err)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def case_report_is_operated_by_keyboard():
    async with shown_report("synthetic-day") as (page, shown):
        if shown is None:
            return
        await shown.open(page)
        await shown.press("Tab", 9)
        assert await shown.evaluate("document.activeElement.getAttribute('href')") == "#content"
        assert await shown.evaluate("document.activeElement.getBoundingClientRect().left") > 0
        reached = set()
        for _ in range(60):
            await shown.press("Tab", 9)
            reached.add(await shown.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
            style = await shown.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style == "solid" or await shown.evaluate("document.activeElement === document.body"), style
        assert {"filter-day", "filter-role", "filter-who", "wide", "SUMMARY"} <= reached, reached


async def case_report_without_its_script_has_everything_but_the_filter():
    async with shown_report("synthetic-fleet", BADGES, DAYS, people=ward.people(BADGES)) as (page, shown):
        if shown is None:
            return
        await shown.open(page, scripts=False)
        form, = await shown.texts("#filter")
        assert " hidden" in form[:120], form[:120]
        for table in ("pairs", "role-matrix", "who-matrix", "heard", "index", "t0", "n0", "badges"):
            text, = await shown.texts(f"#{table}")
            assert text.count("<tr") > 1 and "<caption" in text and 'scope="row"' in text and 'scope="col"' in text, table
        assert len(await shown.texts("section.person svg.day")) == BADGES * DAYS


async def case_report_prints_on_a4_without_cut_content():
    async with shown_report("synthetic-fleet", BADGES, DAYS, people=ward.people(BADGES)) as (page, shown):
        if shown is None:
            return
        await shown.open(page)
        pdf = await shown.printed()
        boxes = {tuple(round(float(number)) for number in box.split()) for box in re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf)}
        assert boxes == {(0, 0, 595, 842)}, boxes
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
        assert 3 <= pages <= 40, pages
        # A4 less the margins of 12 mm is 186 mm, at 96 pixels an inch.
        await shown.ask("Emulation.setEmulatedMedia", shown.session, media="print")
        await shown.ask("Emulation.setDeviceMetricsOverride", shown.session, width=703, height=1000, deviceScaleFactor=1, mobile=False)
        cut = await shown.evaluate("""[...document.querySelectorAll('main *')].filter(element => element.getBoundingClientRect().right > 704)
            .map(element => element.outerHTML.slice(0, 100))""")
        assert cut == [], cut
        assert await shown.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"


async def case_report_of_one_device_shows_its_day():
    async with shown_report("synthetic-day") as (page, shown):
        if shown is None:
            return
        await shown.open(page)
        assert shown.requests == [f"file://{page}"] and shown.complaints == [], (shown.requests, shown.complaints)
        assert await shown.evaluate("document.title") == "Contacts of Badge 5356dee2c5b85838"
        headings = await shown.evaluate("[...document.querySelectorAll('h2')].map(heading => heading.textContent)")
        assert headings == ["At a glance", "Check first", "Timelines", "Badges", "How to read this"], headings
        outside = await shown.evaluate(SHAPES)
        assert outside == [], outside[:5]
        rows = await shown.evaluate("[...document.querySelectorAll('#n0 tbody th, table.near tbody th')].map(row => row.textContent)")
        assert len(set(rows)) == 7 and any("Café Seeblick" in row for row in rows), rows
        gaps = await shown.evaluate("[...document.querySelectorAll('.spans li')].map(item => item.textContent)")
        assert gaps == ["2026-09-14 12:32 to 2026-09-14 13:13 (41 min 0 s)"], gaps
        battery = await shown.evaluate("document.querySelector('.battery figcaption').textContent")
        assert battery == "Battery: 98 % on 2026-09-14 08:30, 68 % on 2026-09-14 16:45, lowest 68 %.", battery
        if axe.script() is not None:
            assert await axe.violations(shown) == []
