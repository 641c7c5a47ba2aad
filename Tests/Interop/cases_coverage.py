"""What an answer is worth: coverage, computed a second time from the pages by log_decoder.py and the rules of docs/contacts.md; and archives that cannot be
written."""

import asyncio
import datetime
import json
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from pathlib import Path

import log_decoder
from cases_tables import fleet
from node import program, run

HOUR = 3_600_000
# Reasons of a start during which a device keeps its power.
POWERED = range(2, 9)


def states(folder):
    """[(first ms, ms after the last, state)] of a log without gaps in its dates, by the rules of docs/contacts.md."""
    runs, before, late, lost, provisioned = [], None, False, False, False
    for path in sorted((folder / "pages").iterdir(), key=lambda path: (log_decoder.header(path.read_bytes())["sequence"])):
        head, records = log_decoder.decode(path.read_bytes())
        if before is None:
            late = head["sequence"] > 1
        elif head["sequence"] != before["sequence"] + 1:
            lost = True
            if runs[-1]["boot"] == head["boot"]:
                runs[-1]["lost"].append((runs[-1]["last"], head["uptime"]))
                lost = False
        before = head
        for record in records:
            if not runs or runs[-1]["boot"] != record["boot"]:
                runs.append({"boot": record["boot"], "first": record["ms"], "lost": [], "after": lost, "date": None, "reason": None, "motion": []})
                lost = False
            run_ = runs[-1]
            run_["last"] = record["ms"]
            # The clock is set once in each start of these logs.
            if record["event"] == "clockSet":
                run_["date"] = record["unix"] - record["ms"]
            elif run_["date"] is None and head["unix"]:
                run_["date"] = head["unix"] - head["uptime"]
            if record["event"] == "started":
                run_["reason"] = record["reason"]
            if record["event"] == "motion":
                run_["motion"].append((record["ms"], record["state"]))
            provisioned = provisioned or record["event"] == "ownPayload"
    assert provisioned or late
    found, end = [], None
    for number, run_ in enumerate(runs):
        begin, last = run_["date"], run_["date"] + run_["last"] + 1
        missing = "dropped" if late else "not_provisioned"
        if end is not None:
            missing = "dropped" if run_["after"] else "recorded" if run_["reason"] in POWERED or begin - end <= 60_000 else "without_power"
        found.append((float("-inf") if end is None else end, begin, missing))
        edges = sorted({0, run_["last"] + 1, *(ms for ms, _ in run_["motion"]), *(ms for pair in run_["lost"] for ms in pair),
                        *([run_["first"]] if run_["after"] or not number and late else [])})
        for one, other in zip(edges, edges[1:]):
            state = next((state for ms, state in reversed(run_["motion"]) if ms <= one), "unknown")
            state = "recorded" if state == "unknown" else state
            if any(low <= one < high for low, high in run_["lost"]) or one < run_["first"] and (run_["after"] or not number and late):
                state = "dropped"
            found.append((begin + one, begin + other, state))
        end = last
    return found + [(end, float("inf"), "not_collected")]


def seconds(found, begin, end):
    """state -> seconds within a time."""
    sums = defaultdict(int)
    for first, last, state in found:
        sums[state] += max(0, min(last, end) - max(first, begin))
    return {state: milliseconds // 1000 for state, milliseconds in sums.items() if milliseconds >= 1000}


async def case_coverage_is_what_the_pages_say():
    with tempfile.TemporaryDirectory(prefix="herald-coverage-") as name:
        folder = Path(name)
        await fleet(folder / "logs", 12, 5)
        logs = sorted((folder / "logs").iterdir())
        # One lost pages in the middle, one its beginning; of one nothing was collected of the last day.
        for log, lost in (logs[1], slice(2, 3)), (logs[2], slice(0, 2)), (logs[3], slice(-2, None)):
            pages = sorted((log / "pages").iterdir())
            assert len(pages) >= 5, len(pages)
            for page in pages[lost]:
                page.unlink()
        archive = folder / "ward.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive)
        assert status == 0, err
        status, _, err = await run("herald-host", "archive", "rules", "--archive", archive, "--zone", "UTC")
        assert status == 0, err
        status, out, err = await run("herald-host", "archive", "coverage", "--archive", archive, "--from", "2026-09-14", "--to", "2026-09-18", "--json")
        assert status == 0, err
        rows = {row["who"]: row for row in json.loads(out)["coverage"]}
        assert sorted(rows) == [log.name for log in logs]
        begin = round(datetime.datetime.fromisoformat("2026-09-14T00:00:00+00:00").timestamp() * 1000)
        kinds = set()
        for log in logs:
            expected, row = seconds(states(log), begin, begin + 120 * HOUR), rows[log.name]
            ours = {key.removesuffix("_seconds"): value for key, value in row.items() if key.endswith("_seconds") and value and "heard" not in key}
            assert ours.pop("asked") == 120 * 3600
            ours["recorded"] = ours.get("recorded", 0) - ours.get("worn", 0)
            for state in ours.keys() | expected.keys():
                assert abs(ours.get(state, 0) - expected.get(state, 0)) <= 1, (log.name, state, ours, expected)
            kinds |= expected.keys()
            assert row["gaps"] and all(gap["state"] not in ("worn", "recorded") for gap in row["gaps"])
        assert {"dropped", "recorded", "not_collected"} <= kinds, kinds
        print(f"    {len(logs)} devices, states: {', '.join(sorted(kinds))}")


async def case_coverage_tells_nobody_from_no_data():
    with tempfile.TemporaryDirectory(prefix="herald-coverage-") as name:
        folder = Path(name)
        await fleet(folder / "logs", 4, 1)
        archive, people = folder / "ward.sqlite", folder / "people.csv"
        people.write_text("serial,name\nF1EE700000,Ada\nF1EE700001,Ben\nLOST,Dora\n")
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive, "--people", people)
        assert status == 0, err
        place = ("--archive", archive)
        for question, said in (
                (("near", "Dora", "--day", "2026-09-14"), "not collected 24.0 h"), (("near", "Ada", "--day", "2027-01-01"), "outside the archive"),
                (("pairs", "--day", "2020-01-01"), "outside the archive"), (("second-degree", "Dora"), "Dora: 0.0 h"), (("bands", "Ada", "Dora"), "Dora"),
                (("near", "Nobody"), "is called Nobody")):
            status, out, err = await run("herald-host", "archive", *question, *place)
            assert status == 12 and said in err, (question, status, err)
            status, out, err = await run("herald-host", "archive", *question, *place, "--json")
            answer = json.loads(out)
            assert status == 12 and isinstance(answer, dict), (question, status, out)
            assert "error" in answer if "Nobody" in question else not answer.get("meetings", answer.get("second_degree")), (question, answer)
        status, out, err = await run("herald-host", "archive", "readings", *place, "--who", "Dora")
        assert status == 12 and out.count("\n") == 1 and "Dora" in err, (status, out, err)
        status, out, err = await run("herald-host", "contacts", *place, "--person", "Dora", "--csv")
        assert status == 12 and out.count("\n") == 1 and "Dora" in err, (status, out, err)
        # An answer is one object, with what is recorded of both sides; nobody beyond the limit is somebody who was recorded.
        status, out, err = await run("herald-host", "archive", "near", "Ada", *place, "--day", "2026-09-14", "--json")
        answer = json.loads(out)
        assert status == 0 and answer["meetings"] and answer["who"] == "Ada" and "within_db" not in answer, (status, err)
        assert answer["strength"] == "received at any strength, up to a whole room"
        assert {row["who"] for row in answer["coverage"]} >= {"Ada"} | {row["other"]["label"] for row in answer["meetings"]}
        # Dora, whose log was not collected, may be missing in the rows.
        assert [row["who"] for row in answer["coverage"] if row["recorded_seconds"] == 0] == ["Dora"], answer["coverage"]
        status, out, err = await run("herald-host", "archive", "near", "Ada", *place, "--within", "1")
        assert status == 0 and "No contacts in the" in out and "at most 1 dB" in out, (status, out, err)
        # A limit of a band is the sum of the bands up to it, and a minimum means the same everywhere.
        for limit in (("--within", "63"), ("--band", "near")):
            status, out, err = await run("herald-host", "archive", "near", "Ada", *place, *limit, "--json")
            near = {row["other"]["label"]: row["seconds"] for row in json.loads(out)["meetings"]}
            assert status == 0 and near == {row["other"]["label"]: sum(row["bands"][:2]) for row in answer["meetings"] if sum(row["bands"][:2])}, near
        least = sorted(near.values())[len(near) // 2]
        for words in ("archive", "near", "Ada"), ("contacts", "--person", "Ada"):
            status, out, err = await run("herald-host", *words, *place, "--within", "63", "--minutes", str(least / 60), "--json")
            found = json.loads(out)
            assert len(found.get("meetings", found.get("contacts"))) == sum(seconds >= least for seconds in near.values()), words


async def case_coverage_needs_an_update_that_cannot_be_written():
    with tempfile.TemporaryDirectory(prefix="herald-coverage-") as name:
        folder = Path(name)
        await fleet(folder / "logs", 2, 1)
        ready = folder / "ready.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", ready)
        assert status == 0, err
        due, wal = folder / "due.sqlite", folder / "wal.sqlite"
        shutil.copy(ready, due)
        database = sqlite3.connect(due)
        database.execute("UPDATE device SET is_stale = 1")
        database.commit()
        database.close()
        shutil.copy(ready, wal)
        database = sqlite3.connect(wal)
        assert database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
        database.close()
        small = folder / "small"
        small.mkdir()
        script = (
            "mount -t tmpfs -o size=64M none $1 || exit 77; cp $2/*.sqlite $1; mount -o remount,ro $1 || exit 77; shift; "
            "folder=$1; shift; for file in ready due wal; do for words in 'archive pairs' 'archive show'; do "
            "echo == $file $words; $0 $words --archive $folder/small/$file.sqlite 2>&1 | tail -3; done; done")
        process = await asyncio.create_subprocess_exec(
            "unshare", "--map-root-user", "--mount", "sh", "-c", script, program("herald-host"), small, folder, folder,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        out = (await process.communicate())[0].decode()
        if process.returncode == 77:
            print("    left out: no file system can be mounted here")
            return
        said = dict(part.split("\n", 1) for part in out.split("== ")[1:])
        assert "Contacts are received" in said["ready archive pairs"], out
        assert "herald-host archive update" in said["due archive pairs"], out
        assert "an update is due" in said["due archive show"] and "an update is due" not in said["ready archive show"], out
        for words in ("archive pairs", "archive show"):
            assert "WAL" in said[f"wal {words}"], out
