"""The database of a pulled log: Python's SQLite reads the same data from it as the CSV files contain."""

import asyncio
import csv
import datetime
import json
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

import herald
from node import contacts, program, pull, run
from world import World

MEASURED = """
    SELECT unix_ms, address, 'RSSI:' || rssi || '.0' FROM reading JOIN peer ON peer.id = peer_id ORDER BY reading.id
"""
READ = """
    SELECT unix_ms, address, short FROM event JOIN peer ON peer.id = peer_id JOIN payload ON payload.id = payload_id
    WHERE event.kind = 'read' ORDER BY event.id
"""
CONTACTS = "SELECT short, readings FROM contact JOIN payload ON payload.id = payload_id ORDER BY short"


def milliseconds(text):
    """The time of a row of contacts.csv, in hundredths of a second."""
    moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f%z")
    return round(moment.timestamp() * 1000)


def ask(folder, question):
    """The rows of the database in a folder, read without this project's code."""
    database = sqlite3.connect(f"file:{folder / 'archive.sqlite'}?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        return database.execute(question).fetchall()
    finally:
        database.close()


async def case_database_says_what_the_tables_of_the_phones_say():
    async with World() as world:
        phones = [await world.android(1), await world.android(2)]
        node = await world.node("--link", "tcp:0")
        await node.has_read(*phones)
        output = world.folder / "out"
        await pull(node.link, output)
        first = ask(output, "SELECT COUNT(*) FROM reading")[0][0]
        assert first > 0
        third = await world.android(3)
        await node.has_read(third)
        await pull(node.link, output)
        rows = contacts(output)
        measured = [(milliseconds(row["time"]), row["id"], row["data"]) for row in rows if row["measure"]]
        assert ask(output, MEASURED) == measured and len(measured) > first
        read = [(milliseconds(row["time"]), row["id"], row["data"]) for row in rows if row["read"]]
        assert ask(output, READ) == read and len(read) == 3
        met = ask(output, CONTACTS)
        assert [short for short, _ in met] == sorted(herald.short_name(phone.payload) for phone in [*phones, third])
        assert sum(readings for _, readings in met) == len(measured)
        # From the pages only, in another folder: the same.
        before = [ask(output, question) for question in (MEASURED, READ, CONTACTS)]
        (output / "archive.sqlite").unlink()
        status, _, err = await run("herald-host", "log", "convert", output)
        assert status == 0, err
        assert [ask(output, question) for question in (MEASURED, READ, CONTACTS)] == before
        assert (output / "archive.sqlite").stat().st_mode & 0o777 == 0o600
        status, out, err = await run("herald-host", "report", output)
        assert status == 0 and "report.html" in out, err
        page = (output / "report.html").read_text()
        assert all(f">{herald.short_name(phone.payload)}<" in page for phone in phones)


EVERYTHING = [
    MEASURED, READ,
    "SELECT address, short, begin_ms, end_ms, seconds, readings, windows FROM contact JOIN peer ON peer.id = peer_id"
    " JOIN payload ON payload.id = payload_id ORDER BY begin_ms, address",
    "SELECT short, readings, hex(levels) FROM person JOIN payload ON payload.id = payload_id ORDER BY 1",
]


async def case_database_and_tables_are_right_after_conversions_that_were_killed():
    folder = Path(tempfile.mkdtemp(prefix="herald-killed-"))
    try:
        status, _, err = await run("synthetic-day", folder / "whole", "12")
        assert status == 0, err
        grown = folder / "grown"
        (grown / "pages").mkdir(parents=True)
        shutil.copy(folder / "whole" / "device.json", grown)
        pages = sorted((folder / "whole" / "pages").iterdir())
        assert len(pages) > 20
        killed = 0
        for step, page in enumerate(pages):
            shutil.copy(page, grown / "pages")
            process = await asyncio.create_subprocess_exec(
                program("herald-host"), "log", "convert", grown, stdout=asyncio.subprocess.DEVNULL)
            # Every third conversion is completed, so that the others continue from it.
            if step % 3 < 2:
                await asyncio.sleep(step * 7 % 20 / 25)
            if step % 3 < 2 and process.returncode is None:
                process.kill()
                killed += 1
            await process.wait()
        print(f"    {killed} of {len(pages)} conversions were killed")
        for output in (grown, folder / "whole"):
            status, _, err = await run("herald-host", "log", "convert", output)
            assert status == 0, err
        tables = sorted(path.name for path in (folder / "whole").glob("*.csv"))
        assert tables == sorted(path.name for path in grown.glob("*.csv"))
        for name in tables:
            assert (grown / name).read_bytes() == (folder / "whole" / name).read_bytes(), name
        for question in EVERYTHING:
            assert ask(grown, question) == ask(folder / "whole", question), question
        total = sum(float(row["seconds"]) for row in csv.DictReader(open(grown / "contact_events.csv")))
        assert ask(grown, "SELECT SUM(seconds) FROM contact") == [(total,)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NUMBERS = {"epoch", "sequence", "boot", "uptime_ms", "records", "seconds", "readings", "rssi", "level", "value", "first_seconds_before",
           "last_seconds_before"}
TRUTHS, DATES, BYTES = {"is_open", "is_external"}, {"time", "begin", "end"}, {"payload", "data", "sha256"}


def typed(table, column, text):
    """The value of a cell of the exported CSV, by the type of its column in docs/archive.md."""
    # Python's reader does not distinguish empty text from an empty field; the texts of devices are always present, and may be empty.
    if text == "" and table != "devices":
        return None
    if column in NUMBERS:
        return int(text)
    if column in TRUTHS:
        return {"true": True, "false": False}[text]
    # Bytes begin with an x, and text that readers would take for something else with an apostrophe.
    return text.removeprefix("x" if column in BYTES else "'")


async def case_export_has_the_same_in_both_forms_and_one_type_in_each_column():
    async with World() as world:
        phones = [await world.android(1), await world.ios(2)]
        node = await world.node("--link", "tcp:0")
        await node.has_read(*phones)
        output = world.folder / "out"
        await pull(node.link, output)
        told = {}
        for form in ("jsonl", "csv"):
            status, out, err = await run("herald-host", "log", "export", "--format", form, "--json", output)
            assert status == 0, err
            told[form] = {file["name"].split(".")[0]: file["rows"] for file in json.loads(out)["files"]}
        assert told["jsonl"] == told["csv"]
        tables = {}
        for name, rows in told["csv"].items():
            lines = [json.loads(line) for line in (output / "export" / f"{name}.jsonl").read_text().splitlines()]
            with open(output / "export" / f"{name}.csv", newline="") as file:
                cells = [{column: typed(name, column, text) for column, text in row.items()} for row in csv.DictReader(file)]
            assert lines == cells and len(lines) == rows, name
            for row in lines:
                for column, value in row.items():
                    if value is None:
                        continue
                    kind = int if column in NUMBERS else bool if column in TRUTHS else str
                    assert type(value) is kind, f"{name}.{column}: {value!r}"
                    assert column not in DATES or DATE.fullmatch(value), f"{name}.{column}: {value!r}"
                    assert column not in BYTES or bytes.fromhex(value).hex() == value, f"{name}.{column}: {value!r}"
            tables[name] = lines
        # The same as the tables of the phones.
        measured = [(milliseconds(row["time"]), row["id"], float(row["data"].removeprefix("RSSI:").split("[")[0]))
                    for row in contacts(output) if row["measure"]]
        assert measured == [(exported(row["time"]), row["peer"], row["rssi"]) for row in tables["readings"]]
        read = {row["payload"] for row in tables["events"] if row["event"] == "read"}
        assert read == {bytes(phone.payload).hex() for phone in phones}


def exported(date):
    """The time of an exported date."""
    return round(datetime.datetime.fromisoformat(date.replace("Z", "+00:00")).timestamp() * 1000)
