"""Archives in SQLite and PostgreSQL: the same rows, whatever is interrupted. The server is Debian's, in a folder of its own."""

import asyncio
import contextlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from cases_tables import fleet
from node import ROOT, program, run
from world import World

sys.path.insert(0, str(ROOT / "Tests" / "Fleet"))
import engines  # noqa: E402

# Tables whose rows have no numbers that depend on the order in which they were made.
VIEWS = ["contacts", "meetings", "directions"]
IDENTIFIERS = {"who_id", "other_id", "observer_id", "subject_id"}


@contextlib.contextmanager
def postgresql():
    """A server; nothing if there is none on this computer."""
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        print("left out: PostgreSQL is not installed: apt-get install postgresql")
        yield None
        return
    with engines.PostgreSQL.running() as server:
        yield server


def text(value):
    return "" if value is None else "\\x" + value.hex() if isinstance(value, bytes) else str(value)


def sqlite_rows(archive, table, names="*"):
    database = sqlite3.connect(f"file:{archive}?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return sorted(tuple(map(text, row)) for row in database.execute(f"SELECT {names} FROM {table}"))
    finally:
        database.close()


def sqlite_tables(archive):
    return sorted(row[0] for row in sqlite_rows(archive, "sqlite_master", "CASE type WHEN 'index' THEN NULL ELSE name END") if row[0])


def postgresql_rows(server, table, names="*"):
    # Fields are separated by bytes that no value has.
    out = server.psql("--no-align", "--tuples-only", "--field-separator", "\x1f", "--record-separator", "\x1e", "-c", f"SELECT {names} FROM {table}")
    return sorted(tuple(row.split("\x1f")) for row in out.rstrip("\n").split("\x1e") if row)


def without_numbers(archive, table):
    database = sqlite3.connect(archive)
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    database.close()
    return ", ".join(column for column in columns if column not in IDENTIFIERS)


async def add(folder, archive, *words, status=0):
    found, out, err = await run("herald-host", "archive", "add", folder, "--archive", archive, *words)
    assert found == status, (found, out, err)
    return err


def people(path):
    path.write_text('serial,name,role,place,from,to\nF1EE700001,Zoë O\'Brien,nurse,Ward 1,,\nF1EE700002,Мария,patient,Ward 1,2026-09-14,2026-09-14\n'
                    'F1EE700002,患者 👩🏽‍⚕️,patient,Ward 2,2026-09-15,\n', encoding="utf-8")
    return path


async def case_archive_in_postgresql_has_the_rows_of_sqlite():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name, postgresql() as server:
        if server is None:
            return
        folder = Path(name)
        readings = await fleet(folder / "logs", 8, 2)
        archive = folder / "archive.sqlite"
        for place in (archive, server.address):
            # In two parts, the second one with labels.
            await add(folder / "logs" / "F1EE700003", place)
            await add(folder / "logs", place, "--people", people(folder / "people.csv"))
        tables = sqlite_tables(archive)
        assert tables == sorted(row[0] for row in postgresql_rows(server, "information_schema.tables WHERE table_schema = 'public'", "table_name"))
        for table in tables:
            mine = sqlite_rows(archive, table)
            assert mine == postgresql_rows(server, table), table
            assert mine or table in ("clock", "refused", "meeting_due", "resolved_payload", "simple_day", "device_power", "device_sealing", "sealed_page", "clock_finding", "clock_correction"), table
        shown = json.loads((await run("herald-host", "archive", "show", "--archive", server.address, "--json"))[1])
        assert shown["readings"] == readings and shown["persons"] == 3 and shown["devices"] == 8
        for question in (["near", "Zoë O'Brien", "--day", "2026-09-14"], ["second-degree", "Мария", "--minutes", "15"], ["pairs", "--day", "2026-09-15"],
                         ["bands", "Zoë O'Brien", "患者 👩🏽‍⚕️"], ["readings", "--who", "Мария"], ["show", "--devices", "--parties"]):
            answers = [await run("herald-host", "archive", *question, "--archive", place) for place in (archive, server.address)]
            assert answers[0] == answers[1] and answers[0][0] == 0 and answers[0][1].count("\n") > 1, (question, answers)


async def case_archive_whose_postgresql_goes_away_goes_on():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name, postgresql() as server:
        if server is None:
            return
        folder = Path(name)
        await fleet(folder / "logs", 6, 1)
        archive = folder / "archive.sqlite"
        await add(folder / "logs", archive)
        await add(folder / "logs" / "F1EE700000", server.address)
        server.psql("-c", "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
                          "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'")
        # The server ends the connection in the middle of each of these steps.
        for event, table in [("INSERT", "device"), ("INSERT", "page"), ("INSERT", "own_payload"), ("UPDATE", "device"),
                             ("INSERT", "who"), ("INSERT", "contact"), ("INSERT", "heard"), ("INSERT", "meeting_due"), ("DELETE", "meeting"),
                             ("INSERT", "meeting"), ("DELETE", "meeting_due")]:
            server.psql("-c", f"CREATE TRIGGER die BEFORE {event} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION die()")
            err = await add(folder / "logs", server.address, status=11)
            assert "terminating connection" in err and "goes on" in err, (event, table, err)
            server.psql("-c", f"DROP TRIGGER die ON {table}")
        await add(folder / "logs", server.address)
        for table in VIEWS:
            columns = without_numbers(archive, table)
            mine = sqlite_rows(archive, table, columns)
            assert mine and mine == postgresql_rows(server, table, columns), table
        server.run("pg_ctl", "--pgdata", f"{server.folder}/data", "--wait", "--mode", "immediate", "stop")
        err = await add(folder / "logs", server.address, status=11)
        assert "cannot be reached" in err, err


async def case_archive_passwords_are_not_shown():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name, postgresql() as server:
        if server is None:
            return
        folder = Path(name)
        await fleet(folder / "logs", 2, 1)
        secret = "c0rrect-horse"
        server.psql("-c", f"CREATE ROLE ward LOGIN PASSWORD '{secret}'", "-c", "CREATE DATABASE ward OWNER ward",
                    "-c", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text("local all ward scram-sha-256\nlocal all postgres trust\n")
        server.psql("-c", "SELECT pg_reload_conf()")
        address = f"postgresql://ward@/ward?host={server.folder}"

        async def tried(place, password=None):
            process = await asyncio.create_subprocess_exec(
                program("herald-host"), "archive", "add", folder / "logs", "--archive", place, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT, env={**os.environ, **({"PGPASSWORD": password} if password else {}), "HOME": str(folder)})
            out, _ = await process.communicate()
            assert secret not in out.decode() and "wr0ng" not in out.decode(), out
            return process.returncode, out.decode()

        status, out = await tried(address)
        assert status == 11 and "password" in out, (status, out)
        status, out = await tried(address, "wr0ng")
        assert status == 11 and "authentication failed" in out, (status, out)
        status, out = await tried(address, secret)
        assert status == 0, (status, out)
        (folder / ".pgpass").write_text(f"*:*:*:ward:{secret}\n")
        (folder / ".pgpass").chmod(0o600)
        status, out = await tried(address)
        assert status == 0 and "0 new pages" in out, (status, out)
        # In the address it is refused, and not repeated, however it is written.
        for words in (f"ward:{secret}@", f"ward:wr0ng@{secret}@", f"ward:wr0ng/{secret}@"):
            status, out = await tried(f"postgresql://{words}/ward?host={server.folder}", secret)
            assert status == 64, (status, out)
        status, out = await tried(f"{address}&password={secret}")
        assert status == 64 and ".pgpass" in out, (status, out)
        status, out = await tried(f"postgresql://postgres@/latin?host={server.folder}")
        assert status == 11 and "LATIN1" in out and "createdb" in out, (status, out)


async def case_archive_takes_two_programs_at_once():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name, postgresql() as server:
        folder = Path(name)
        await fleet(folder / "logs", 12, 1)
        whole = folder / "whole.sqlite"
        await add(folder / "logs", whole)
        logs = sorted((folder / "logs").iterdir())
        for place in [folder / "archive.sqlite", *([server.address] if server else [])]:
            await add(logs[0], place)
            await asyncio.gather(*(
                asyncio.create_task(run_all(place, logs[number::3])) for number in range(3)))
            for table in VIEWS:
                columns = without_numbers(whole, table)
                rows = postgresql_rows(server, table, columns) if "://" in str(place) else sqlite_rows(place, table, columns)
                assert rows and rows == sqlite_rows(whole, table, columns), (place, table)


async def run_all(place, folders):
    """Adds folders one after the other."""
    for folder in folders:
        await add(folder, place)


async def case_archive_is_filled_by_a_pull_of_all():
    async with World() as world:
        phone = await world.android(1)
        nodes = [await world.node("--usbip", "0"), await world.another_node(2, "--usbip", "0")]
        for node in nodes:
            await node.has_read(phone)
        servers = [word for node in nodes for word in ("--usbip", node.usbip.removeprefix("usbip://").split("/")[0])]
        archive = world.folder / "archive.sqlite"
        status, out, err = await run("herald-host", "log", "pull", "--all", *servers, "--output", world.folder / "all", "--archive", archive)
        assert status == 0, err
        serials = sorted(node.facts["serial-number"][0] for node in nodes)
        shown = json.loads((await run("herald-host", "archive", "show", "--archive", archive, "--devices", "--json"))[1])
        assert [device["serial"] for device in shown["device_rows"]] == serials, shown
        assert all(device["readings"] > 0 for device in shown["device_rows"]), shown
        # A single pull does so, too; an archive that cannot be used is said before the device is asked for anything.
        status, out, err = await run("herald-host", "log", "pull", "--device", nodes[0].usbip, "--output", world.folder / "one", "--archive", world.folder / "b.sqlite")
        assert status == 0, err
        assert len(sqlite_rows(world.folder / "b.sqlite", "device")) == 1
        (world.folder / "text").write_text("not an archive, but long enough to look like some file " * 10)
        status, out, err = await run(
            "herald-host", "log", "pull", "--device", nodes[0].usbip, "--output", world.folder / "two", "--archive", world.folder / "text")
        assert status == 11 and not (world.folder / "two").exists(), (status, err)


def add_until_full(folder, archive, most):
    """Adds logs while no file may be longer; returns (status, standard error)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    # Python ignores SIGXFSZ, and so does what it starts: a write ends with EFBIG.
    ended = subprocess.run(
        [program("herald-host"), "archive", "add", folder, "--archive", archive, "--quiet"], capture_output=True, text=True, preexec_fn=limit,
        restore_signals=False)
    return ended.returncode, ended.stderr


async def case_archive_on_a_full_disk_loses_and_doubles_nothing():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name:
        folder = Path(name)
        # More than the pages of the file that are there for tables without rows.
        await fleet(folder / "logs", 40, 1)
        whole = folder / "whole.sqlite"
        await add(folder / "logs", whole)
        expected = {table: sqlite_rows(whole, table, without_numbers(whole, table)) for table in VIEWS}
        pages = sqlite_rows(whole, "page", "device_id, epoch, sequence, sha256")
        # The first part, written in full, then the rest with room for some more of the file's pages each time.
        begin = folder / "begin.sqlite"
        await add(folder / "logs" / "F1EE700000", begin)
        database = sqlite3.connect(begin)
        database.execute("VACUUM")
        database.close()
        size, end = begin.stat().st_size, whole.stat().st_size
        failures = 0
        archive = folder / "archive.sqlite"
        for most in range(size, end + 32768, max(32768, (end - size) // 4 // 32768 * 32768)):
            shutil.copy(begin, archive)
            status, err = add_until_full(folder / "logs", archive, most)
            if status == 0:
                break
            failures += 1
            assert status == 11 and str(archive) in err, (most, status, err)
            assert sqlite_rows(archive, "device", "COUNT(*)") in ([("1",)], [("40",)])
            await add(folder / "logs", archive)
            assert sqlite_rows(archive, "page", "device_id, epoch, sequence, sha256") == pages, most
            for table, rows in expected.items():
                assert sqlite_rows(archive, table, without_numbers(archive, table)) == rows, (most, table)
        assert failures > 1, (failures, size, end)
        print(f"    {failures} limits of the file's size")
        # A file system that is full, where one may be mounted.
        small = folder / "small"
        small.mkdir()
        script = (
            "mount -t tmpfs -o size=$1 none $2 || exit 77; cp $3 $2/a.sqlite || exit 78; "
            "$4 archive add $5 --archive $2/a.sqlite --quiet; echo status $?; mount -o remount,size=64M $2 && "
            "$4 archive add $5 --archive $2/a.sqlite --quiet; echo status $?; cp $2/a.sqlite $6")
        process = await asyncio.create_subprocess_exec(
            "unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str((size + end) // 2), small, begin, program("herald-host"),
            folder / "logs", folder / "after.sqlite", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, err = (text.decode() for text in await process.communicate())
        if process.returncode in (1, 77):
            print("    the part on a small file system is left out: it cannot be mounted here")
            return
        assert out.split() == ["status", "11", "status", "0"] and "free space on its disk, then run the same command again" in err, (process.returncode, out, err)
        for table, rows in expected.items():
            assert sqlite_rows(folder / "after.sqlite", table, without_numbers(folder / "after.sqlite", table)) == rows, table
        assert sqlite_rows(folder / "after.sqlite", "page", "device_id, epoch, sequence, sha256") == pages


async def case_archive_of_ten_thousand_devices():
    with tempfile.TemporaryDirectory(prefix="herald-archive-") as name:
        folder = Path(name)
        # Two minutes of a day, of which each device has received what was in its room.
        readings = await fleet(folder / "logs", 10_000, 1, 2)
        archive = folder / "archive.sqlite"
        # A child's memory includes that of the process that forked it: a small process does, not this one, which has imported what other cases need.
        measure = (
            "import resource, subprocess, sys; status = subprocess.call(sys.argv[1:]); use = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(use.ru_maxrss, use.ru_utime + use.ru_stime); sys.exit(status)")
        measured = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", measure, program("herald-host"), "archive", "add", folder / "logs", "--archive", archive, "--quiet"],
            stdout=subprocess.PIPE, text=True)
        assert measured.returncode == 0
        memory, seconds = (float(word) for word in measured.stdout.split())
        assert memory < 150 * 1024, f"{memory:.0f} KB of memory"
        shown = json.loads((await run("herald-host", "archive", "show", "--archive", archive, "--devices", "--json"))[1])
        rows = shown["device_rows"]
        assert [row["serial"] for row in rows] == [f"F1EE7{device:05d}" for device in range(10_000)]
        assert sum(row["readings"] for row in rows) == readings
        # Each log names every peer that it received by the serial number in the peer's payload.
        assert {row for (row,) in sqlite_rows(archive, "contacts", "DISTINCT subject")} <= {row["serial"] for row in rows}
        print(f"    {readings} readings, {seconds:.1f} s of CPU, {memory / 1024:.0f} MB")
