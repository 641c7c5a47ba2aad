"""The tables and the flat files of a pulled log say the same, however often it was converted."""

import asyncio
import csv
import datetime
import json
import re
import shutil
import tempfile
from pathlib import Path

import herald
from node import contacts, program, pull, run
from world import World

def milliseconds(text):
    """The time of a row of contacts.csv, in hundredths of a second."""
    moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f%z")
    return round(moment.timestamp() * 1000)


async def exported_rows(folder):
    """The rows of each table of a log as `log export` writes them, in the order of the log."""
    output = folder.with_name(folder.name + "-export")
    status, _, err = await run("herald-host", "log", "export", "--format", "jsonl", folder, "--output", output)
    assert status == 0, err
    return {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in output.glob("*.jsonl")}


async def case_a_log_that_grows_says_what_it_says_as_a_whole():
    async with World() as world:
        phones = [await world.android(1), await world.android(2)]
        node = await world.node("--link", "tcp:0")
        await node.has_read(*phones)
        output = world.folder / "out"
        await pull(node.link, output)
        first = len((await exported_rows(output))["readings"])
        assert first > 0
        third = await world.android(3)
        await node.has_read(third)
        await pull(node.link, output)
        assert (output / "conversion.state").stat().st_mode & 0o777 == 0o600
        rows, tables = contacts(output), await exported_rows(output)
        measured = [(milliseconds(row["time"]), row["id"], row["data"].split("[")[0]) for row in rows if row["measure"]]
        assert [(exported(row["time"]), row["peer"], f"RSSI:{row['rssi']}.0") for row in tables["readings"]] == measured
        assert len(measured) > first
        assert sum(1 for row in rows if row["read"]) == 3
        met = [row["payload_short"] for row in tables["contacts"]]
        assert sorted(met) == sorted(herald.short_name(phone.payload) for phone in [*phones, third])
        assert sum(row["readings"] for row in tables["contacts"]) == len(measured)
        # From the pages only: the same.
        before = {path.name: path.read_bytes() for path in output.glob("*.csv")}
        for path in [*output.glob("*.csv"), output / "conversion.state"]:
            path.unlink()
        status, _, err = await run("herald-host", "log", "convert", output)
        assert status == 0, err
        assert {path.name: path.read_bytes() for path in output.glob("*.csv")} == before
        status, out, err = await run("herald-host", "report", output)
        assert status == 0 and "report.html" in out, err
        page = (output / "report.html").read_text()
        assert all(f">{herald.short_name(phone.payload)}<" in page for phone in phones)


async def case_tables_are_right_after_conversions_that_were_killed():
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
                await asyncio.sleep(step * 7 % 20 / 200)
            if step % 3 < 2 and process.returncode is None:
                process.kill()
                killed += 1
            await process.wait()
        print(f"    {killed} of {len(pages)} conversions were killed")
        for output in (grown, folder / "whole"):
            status, _, err = await run("herald-host", "log", "convert", output)
            assert status == 0, err
        tables = sorted(path.name for path in (folder / "whole").glob("*.csv*"))
        assert tables == sorted(path.name for path in grown.glob("*.csv*"))
        for name in tables:
            assert (grown / name).read_bytes() == (folder / "whole" / name).read_bytes(), name
        rows = await exported_rows(grown)
        for name, table in (await exported_rows(folder / "whole")).items():
            assert rows[name] == table, name
        total = sum(float(row["seconds"]) for row in csv.DictReader(open(grown / "contact_events.csv")))
        assert sum(row["seconds"] for row in rows["contacts"]) == total
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
