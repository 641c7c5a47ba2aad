"""Exports of archives as tables, read by independent programs."""

import asyncio
import json
import os
import signal
import tempfile
from pathlib import Path

from node import ROOT, ended, program, run

PYTHON = ROOT / ".build" / "venv-tables" / "bin" / "python"


async def part(name):
    """Runs one part of parquet_test.py, which must succeed."""
    process = await asyncio.create_subprocess_exec(
        PYTHON, Path(__file__).with_name("parquet_test.py"), name, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "PARQUET_TABLES": program("parquet-tables")})
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()[-1500:]


async def case_parquet_types_are_read_by_pyarrow_and_duckdb():
    await part("types")


async def case_parquet_tables_without_rows_are_read():
    await part("empty")


async def case_parquet_row_groups_are_read():
    await part("groups")


async def case_parquet_encodings_are_the_smallest():
    await part("encodings")


async def case_parquet_random_tables_are_read():
    await part("random")


async def ask(folder, *queries):
    """The rows of each query by DuckDB about the data set in `folder`, whose tables are views."""
    code = """if True:
        import duckdb, json, os, sys
        folder, *queries = sys.argv[1:]
        for table in os.listdir(folder):
            depth = {"readings": "*/*/", "contacts": "*/", "meetings": "*/", "near": "*/", "minutes": "*/", "directions": "*/"}.get(table, "")
            if table[0] != "_":
                duckdb.execute(f"CREATE VIEW {table} AS FROM read_parquet('{folder}/{table}/{depth}*.parquet', hive_partitioning = true, "
                               + "hive_types_autocast = false)")
        print(json.dumps([duckdb.execute(sql).fetchall() for sql in queries], default=str))"""
    process = await asyncio.create_subprocess_exec(
        PYTHON, "-c", code, str(folder), *queries, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-1000:]
    return [[tuple(row) for row in rows] for rows in json.loads(out)]


async def fleet(folder, devices, days, *minutes):
    """The logs of a made-up fleet; returns the number of readings."""
    # New archives have the days of this computer's time zone.
    os.environ["TZ"] = "UTC"
    process = await asyncio.create_subprocess_exec(
        program("synthetic-fleet"), folder, *map(str, (devices, days, *minutes)), stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return int(out.split()[0])


def files(folder):
    """The files of a data set, with their contents."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def case_parquet_export_is_replaced_as_a_whole():
    with tempfile.TemporaryDirectory(prefix="herald-tables-") as name:
        folder = Path(name)
        readings = await fleet(folder / "logs", 4, 2)
        archive, output = folder / "archive.sqlite", folder / "out"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive)
        assert status == 0, err
        status, out, err = await run("herald-host", "export", "--archive", archive, "--output", output, "--json")
        assert status == 0, err
        told = {table["name"]: table for table in json.loads(out)["tables"]}
        assert told["readings"] == {"name": "readings", "rows": readings, "files": 8} and told["devices"]["rows"] == 4
        # The archive and the readings agree for each direction.
        totals, differences = await ask(
            output, "SELECT COUNT(*), COUNT(DISTINCT device), MIN(day), MAX(day) FROM readings",
            """SELECT COUNT(*) FROM (SELECT day, device, observer, subject, COUNT(*) FROM readings GROUP BY ALL
            EXCEPT SELECT day, device, observer, subject, readings FROM directions)""")
        assert totals == [(readings, 4, "20260914", "20260915")] and differences == [(0,)], (totals, differences)
        first = files(output)
        # The same again is the same; a file that has half its name is not read and does not stay.
        for half in ("readings/day=20260914/log=sn-F1EE700001", "meetings/day=20260915"):
            (output / half / ".data.parquet.part").write_bytes(b"PAR1")
        # Partitions that the archive has not are removed, other files are left alone.
        for stale in ("readings/day=20260914/log=sn-gone", "readings/day=20200101/log=sn-F1EE700001", "contacts/day=20200101"):
            (output / stale).mkdir(parents=True)
            (output / stale / "data.parquet").write_bytes(b"stale")
        (output / "contacts/day=20200102").mkdir()
        (output / "contacts/day=20200102/notes.txt").write_bytes(b"mine")
        status, _, err = await run("herald-host", "export", "--archive", archive, "--output", output, "--quiet")
        assert status == 0, err
        assert files(output) == {**first, "contacts/day=20200102/notes.txt": b"mine"}
        assert not (output / "readings/day=20200101").exists() and not (output / "contacts/day=20200101").exists()
        # Folders of logs give the same readings as their archive.
        status, _, err = await run("herald-host", "export", folder / "logs", "--output", folder / "direct", "--quiet")
        assert status == 0, err
        assert files(folder / "direct") == first
        # A folder with other files is not touched.
        (folder / "mine").mkdir()
        (folder / "mine" / "notes.txt").write_bytes(b"mine")
        status, _, err = await run("herald-host", "export", "--archive", archive, "--output", folder / "mine", "--quiet")
        assert status == 64 and "earlier export" in err, (status, err)
        assert files(folder / "mine") == {"notes.txt": b"mine"}


async def case_parquet_export_that_is_killed_leaves_whole_files():
    with tempfile.TemporaryDirectory(prefix="herald-tables-") as name:
        folder = Path(name)
        readings = await fleet(folder / "logs", 6, 2)
        archive = folder / "archive.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive)
        assert status == 0, err
        output = folder / "out"
        for count in range(1, 40, 3):
            # Killed when so many files are there, complete or not.
            process = await asyncio.create_subprocess_exec(
                program("herald-host"), "export", "--archive", archive, "--output", output, "--quiet")
            while process.returncode is None:
                if output.exists() and sum(1 for _ in output.rglob("*.parquet*")) >= count:
                    process.send_signal(signal.SIGKILL)
                    break
                await asyncio.sleep(0)
            await process.wait()
            for path in output.rglob("data.parquet"):
                data = path.read_bytes()
                assert data[:4] == data[-4:] == b"PAR1", path
        status, _, err = await run("herald-host", "export", "--archive", archive, "--output", output, "--quiet")
        assert status == 0, err
        assert await ask(output, "SELECT COUNT(*) FROM readings") == [[(readings,)]]
        assert not list(output.rglob("*.part"))


async def case_tables_of_an_archive_are_the_same_in_all_formats():
    with tempfile.TemporaryDirectory(prefix="herald-tables-") as name:
        folder = Path(name)
        await fleet(folder / "logs", 5, 2)
        # Commas, quotation marks and other scripts; a serial number of digits alone and one with a slash stay text.
        people = folder / "people.csv"
        people.write_text('serial,name,role,place,from,to\nF1EE700001,"Мария ""M"", 患者",nurse,"Ward 1, left",,\n'
                          'F1EE700002,"=1+1",,,2026-09-14,2026-09-14\n')
        for number, serial in ((3, "0012"), (4, "../a b%")):
            record = folder / "logs" / f"F1EE70000{number}" / "device.json"
            record.write_text(record.read_text().replace(f"F1EE70000{number}", serial.replace("/", "\\/")))
        archive = folder / "archive.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive, "--people", people)
        assert status == 0, err
        for form in ("parquet", "csv", "jsonl"):
            status, _, err = await run("herald-host", "export", "--archive", archive, "--output", folder / form, "--format", form, "--quiet")
            assert status == 0, err
        parquet = folder / "parquet"
        tables = ("contacts", "meetings", "near", "directions", "devices", "persons", "assignments", "batteries", "events", "coverage")
        partitioned = tables[:4]
        described = await ask(parquet, *(f"DESCRIBE SELECT * {'EXCLUDE (day)' if table in partitioned else ''} FROM {table}" for table in tables))
        readers = {"csv": "read_csv('{}', all_varchar = true, quote = '\"', escape = '\"', allow_quoted_nulls = false)", "jsonl": "read_json('{}')"}
        queries = {}
        for table, columns in zip(tables, described):
            names = [row[0] for row in columns]
            plain = ", ".join(f"epoch_ms({name}) AS {name}" if name.endswith("_ms") else name for name in names)
            text = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
            # An apostrophe marks text that a reader would take for something else.
            unmarked = ", ".join(f"CASE WHEN {name} LIKE '''%' THEN substr({name}, 2) ELSE {name} END" for name in names)
            for form, reader in readers.items():
                other = unmarked if form == "csv" else text
                source = reader.format(folder / form / f"{table}.{form}")
                queries[table, form] = f"""WITH one AS (SELECT {text} FROM (SELECT {plain} FROM {table})), other AS (SELECT {other} FROM {source})
                    SELECT (SELECT COUNT(*) FROM (FROM one EXCEPT ALL FROM other)), (SELECT COUNT(*) FROM one), (SELECT COUNT(*) FROM other)"""
        for (table, form), [(missing, rows, others)] in zip(queries, await ask(parquet, *queries.values())):
            assert missing == 0 and rows == others > 0, (table, form, missing, rows, others)
        devices, whos = await ask(parquet, "SELECT DISTINCT device FROM readings ORDER BY device",
                                  "SELECT DISTINCT day, observer FROM readings WHERE device IN ('F1EE700001', 'F1EE700002') ORDER BY ALL")
        assert devices == [("../a b%",), ("0012",), ("F1EE700000",), ("F1EE700001",), ("F1EE700002",)], devices
        maria = 'Мария "M", 患者'
        assert whos == [("20260914", "=1+1"), ("20260914", maria), ("20260915", "F1EE700002"), ("20260915", maria)], whos


# What readers take for missing or logical values, numbers, dates and formulas.
WORST = ["NA", "NULL", "T", "1E5", "00012", "true", "nan", "2026-01-01", "=1+1", "-", "12:30", "0x1F", "Ольга", "Inf"]


async def case_tables_keep_the_worst_names_with_the_defaults_of_readers():
    with tempfile.TemporaryDirectory(prefix="herald-tables-") as name:
        folder = Path(name)
        await fleet(folder / "logs", len(WORST), 1, 60)
        lines = ["serial,name,role,place"]
        for number, worst in enumerate(WORST):
            record = folder / "logs" / f"F1EE7{number:05}" / "device.json"
            record.write_text(record.read_text().replace(f"F1EE7{number:05}", worst))
            lines.append(f"{worst},{worst},{worst},{worst}")
        people = folder / "people.csv"
        people.write_text("\n".join(lines) + "\n")
        archive = folder / "archive.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive, "--people", people)
        assert status == 0, err
        for form in ("parquet", "csv", "jsonl", "tij", "epicontacts", "graphml"):
            status, _, err = await run("herald-host", "export", "--archive", archive, "--output", folder / form, "--format", form, "--quiet")
            assert status == 0, err
        log = folder / "logs" / "F1EE700004"
        for form in ("csv", "jsonl"):
            status, _, err = await run("herald-host", "log", "export", log, "--format", form, "--output", folder / f"log-{form}", "--quiet")
            assert status == 0, err
        process = await asyncio.create_subprocess_exec(
            PYTHON, Path(__file__).with_name("worst_names.py"), folder, *WORST, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()[-3000:]
        status, out, err = await ended("Rscript", Path(__file__).with_name("worst_names.R"), folder)
        assert status == 0, err
        for line in out.splitlines():
            column, kind, *texts = line.split("\t")
            assert kind == "character" and set(texts) == {worst if worst == "Ольга" else "'" + worst for worst in WORST}, line
        assert out.count("\n") == 8, out
