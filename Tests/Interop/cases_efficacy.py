"""Detection and continuity, computed three times from the files of a fleet: by `herald-host efficacy`, in Python, and in R, which reads the files with the calls
and column types of the Herald project's scripts."""

import csv
import datetime
import io
import json
import os
import shutil
import tempfile
from pathlib import Path

from node import ended, run

DEVICES = 6
FROM, TO = "2026-09-14 09:00:00", "2026-09-14 15:30:00"
WINDOWS = 780
WINDOW = 30
PROGRAM = Path(__file__).with_name("efficacy.R")


class Fleet:
    """Folders of badges with pulled logs and the files made of them. The name of one of them has every character that means something to a reader of tables."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="herald-efficacy-"))

    async def __aenter__(self):
        status, _, err = await run("synthetic-fleet", self.folder, DEVICES, 1)
        assert status == 0, err
        for number, folder in enumerate(sorted(self.folder.iterdir())):
            record = json.loads((folder / "device.json").read_text())
            record.update(name='=Ward #3, "O\'Neil’s" bädge' if number == 2 else f"badge {number}", system="Herald Embedded", version="1.0")
            (folder / "device.json").write_text(json.dumps(record))
            status, _, err = await run("herald-host", "log", "convert", folder)
            assert status == 0, err
        return self

    async def __aexit__(self, kind, error, trace):
        shutil.rmtree(self.folder, ignore_errors=True)

    async def efficacy(self, *options):
        status, out, err = await run("herald-host", "efficacy", self.folder, "--from", FROM, "--to", TO, *options)
        assert status == 0, err
        return out

    async def pairs(self, *options):
        """{(observer's payload, observed payload): (detected, windows)} of every ordered pair."""
        rows = list(csv.DictReader(io.StringIO(await self.efficacy("--csv", *options))))
        assert len(rows) == DEVICES * (DEVICES - 1) and {row["max_windows"] for row in rows} == {str(WINDOWS)}
        return {(row["observer_payload"].removeprefix("'"), row["observed_payload"].removeprefix("'")): (row["detected"] == "1", int(row["windows"])) for row in rows}


def seconds(text):
    """The date of a row, in whole seconds."""
    moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f%z" if "." in text else "%Y-%m-%d %H:%M:%S")
    return int(moment.replace(tzinfo=moment.tzinfo or datetime.timezone.utc).timestamp())


def computed(folders):
    """The same by the definitions of docs/archive.md, in the plainest way."""
    owners = {}
    for folder in folders:
        with open(folder / "detection.csv", newline="") as file:
            owners[next(csv.reader(file))[3]] = folder
    result = {(one, other): (False, 0) for one in owners for other in owners if one != other}
    for own, folder in owners.items():
        with open(folder / "contacts.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        payloads = {}
        for row in rows:
            if row["read"] == "2":
                payloads.setdefault(row["id"], set()).add(row["data"])
        events = [(seconds(row["time"]), payload) for row in rows if row["measure"] == "3" or row["share"] == "4"
                  for payload in payloads.get(row["id"], ()) if payload in owners and payload != own]
        inside = [(at, payload) for at, payload in events if seconds(FROM) <= at <= seconds(TO)]
        first = min(at for at, _ in inside)
        for payload in {payload for _, payload in events}:
            result[own, payload] = (True, len({(at - first) // WINDOW for at, seen in inside if seen == payload}))
    return result


async def case_efficacy_is_what_python_computes_from_the_same_files():
    async with Fleet() as fleet:
        told = await fleet.pairs()
        assert told == computed(sorted(fleet.folder.iterdir()))
        detected, achieved = sum(seen for seen, _ in told.values()), sum(windows for _, windows in told.values())
        assert detected > DEVICES and achieved > 500, told
        answer = json.loads(await fleet.efficacy("--json"))
        assert answer["detection"] == {"achieved": detected, "maximum": 30, "percent": 100 * detected / 30}
        assert answer["continuity"]["achieved"] == achieved and answer["continuity"]["maximum"] == 30 * WINDOWS
        assert [device["windows_as_observer"] for device in answer["devices"]] == [
            sum(windows for (own, _), (_, windows) in told.items() if own == device["payload"]) for device in answer["devices"]]
        text = await fleet.efficacy()
        assert f"Detection:  {detected} of 30 pairs" in text and f"Continuity: {achieved:,} of 23,400 windows" in text, text


async def case_efficacy_is_what_r_computes_from_the_same_files():
    if shutil.which("Rscript") is None:
        print("    left out: there is no R; `apt-get install --no-install-recommends r-base-core` brings it")
        return
    os.environ["TZ"] = "UTC"
    async with Fleet() as fleet:
        status, out, err = await ended("Rscript", "--vanilla", PROGRAM, fleet.folder, FROM, TO)
        assert status == 0, err
        pairs = await fleet.pairs("--shares", "payload")
        lines = [line.split() for line in out.splitlines()]
        assert {(line[1], line[2]) for line in lines if line[0] == "detected"} == {pair for pair, (seen, _) in pairs.items() if seen}
        windows = {(line[1], line[2]): int(line[3]) for line in lines if line[0] == "windows"}
        assert windows == {pair: count for pair, (_, count) in pairs.items() if count}
