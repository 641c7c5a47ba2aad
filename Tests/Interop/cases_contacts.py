"""Contacts of a fleet, computed a second time by the formulas of docs/contacts.md from the CSV export of each log."""

import csv
import datetime
import io
import json
import shutil
import tempfile
import zoneinfo
from collections import defaultdict
from pathlib import Path

from node import run

DEVICES, DAYS = 9, 2
ZONE = "Europe/Berlin"
PEOPLE = """serial;name;role;place;from;to
F1EE700000;=Anna;nurse;Ward 3;;
F1EE700001;Jürgen Müller;nurse;Ward 3;;2026-09-14 12:00
F1EE700001;نسرین;patient;Ward 3;2026-09-14 12:00;
F1EE700002;"Doe, Jane";patient;Ward 3;;
F1EE700003;Doe, Jane;patient;Ward 3;;
"""


def milliseconds(text):
    """A date of the export."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def local(text):
    """A moment of the file of people."""
    moment = datetime.datetime.fromisoformat(text).replace(tzinfo=zoneinfo.ZoneInfo(ZONE))
    return round(moment.timestamp() * 1000)


def day_of(date):
    return datetime.datetime.fromtimestamp(date / 1000, zoneinfo.ZoneInfo(ZONE)).date().isoformat()


def wearers():
    """serial -> [(first millisecond, last millisecond, name)]."""
    found = defaultdict(list)
    for row in csv.DictReader(io.StringIO(PEOPLE), delimiter=";"):
        begin = local(row["from"]) if row["from"] else float("-inf")
        end = local(row["to"]) - 1 if row["to"] else float("inf")
        found[row["serial"]].append((begin, end, row["name"]))
    return found


def signs(folder):
    """(date, serial of the subject, attenuation or None) of a log: payloads of this fleet end with the serial number."""
    with open(folder / "events.csv", newline="", encoding="utf-8") as file:
        events = [row for row in csv.DictReader(file) if row["event"] in ("read", "detected")]
    reads = defaultdict(list)
    for row in events:
        if row["event"] == "read":
            reads[row["peer"]].append((int(row["uptime_ms"]), bytes.fromhex(row["payload"])[5:].decode()))

    def subject(peer, uptime):
        before = [serial for at, serial in reads[peer] if at <= uptime]
        return before[-1] if before else reads[peer][0][1]

    for row in events:
        yield milliseconds(row["time"]), subject(row["peer"], int(row["uptime_ms"])), None
    with open(folder / "readings.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            level = min(max(0 - int(row["rssi"]), 0), 126)
            yield milliseconds(row["time"]), subject(row["peer"], int(row["uptime_ms"])), level


def bands_of(level, limits):
    return next((band for band, limit in enumerate(limits) if level <= limit), len(limits))


def minutes_of(found, window):
    """minute -> (windows, lower median) of the signs of one device, direction and day."""
    minutes = {}
    for date, level in found:
        windows, levels = minutes.setdefault(date // 60_000, (set(), []))
        windows.add(date // (window * 1000))
        if level is not None:
            levels.append(level)
    return {
        minute: (windows, sorted(levels)[(len(levels) - 1) // 2] if levels else None)
        for minute, (windows, levels) in minutes.items()
    }


def joined(parts):
    """The union of windows, and the least of the medians."""
    union = {}
    for part in parts:
        for minute, (windows, level) in part.items():
            before, other = union.get(minute, (set(), None))
            levels = [one for one in (level, other) if one is not None]
            union[minute] = (windows | before, min(levels) if levels else None)
    return union


def figures(minutes, window, limits):
    """Seconds, and seconds in each band."""
    bands = [0] * (len(limits) + 1)
    for windows, level in minutes.values():
        if level is not None:
            bands[bands_of(level, limits)] += window * len(windows)
    return window * sum(len(windows) for windows, _ in minutes.values()), bands


def expected(folders, window, limits, weights):
    """(day, pair of names) -> figures of both directions and of their union, from the exports alone."""
    people = wearers()

    def who(serial, date):
        return next((name for begin, end, name in people[serial] if begin <= date <= end), serial)

    heard = defaultdict(list)
    for folder in folders:
        for date, serial, level in signs(folder):
            observer, subject = who(folder.name, date), who(serial, date)
            if observer != subject:
                heard[day_of(date), observer, subject, folder.name].append((date, level))
    directions = defaultdict(list)
    for (day, observer, subject, _), found in heard.items():
        directions[day, observer, subject].append(minutes_of(found, window))
    table = {}
    for day, one, other in directions:
        key = (day, *sorted((one, other)))
        if key in table:
            continue
        _, first, second = key
        there, back = directions.get((day, first, second), []), directions.get((day, second, first), [])
        seconds, bands = figures(joined(there + back), window, limits)
        weighted = sum(weight * seconds for weight, seconds in zip(weights, bands)) / 60
        table[key] = (
            seconds, bands, round(weighted, 6), figures(joined(there), window, limits), figures(joined(back), window, limits))
    return table


def printed(text):
    """The same of what herald-host has printed."""
    table = {}
    for row in json.loads(text)["contacts"]:
        sides = [
            (row["who"]["label"], row["heard"]["seconds"], row["heard"]["band_seconds"]),
            (row["other"]["label"], row["was_heard"]["seconds"], row["was_heard"]["band_seconds"])]
        sides.sort(key=lambda side: side[0])
        key = (row["day"], sides[0][0], sides[1][0])
        assert key not in table, f"{key} is there twice"
        table[key] = (
            row["joined"]["seconds"], row["joined"]["band_seconds"], round(row["joined"]["weighted_minutes"], 6), sides[0][1:],
            sides[1][1:])
    return table


async def fleet(folder):
    """The logs of a fleet, their CSV exports, and the file of people."""
    status, _, err = await run("synthetic-fleet", folder / "logs", DEVICES, DAYS)
    assert status == 0, err
    exports = []
    for log in sorted((folder / "logs").iterdir()):
        export = folder / "export" / log.name
        status, _, err = await run("herald-host", "log", "export", log, "--format", "csv", "--output", export)
        assert status == 0, err
        exports.append(export)
    people = folder / "people.csv"
    people.write_text(PEOPLE, encoding="utf-8")
    return exports, people


async def case_contacts_are_those_that_the_formulas_of_the_document_give():
    folder = Path(tempfile.mkdtemp(prefix="herald-contacts-"))
    try:
        exports, people = await fleet(folder)
        archive = folder / "ward.sqlite"
        status, _, err = await run("herald-host", "archive", "add", folder / "logs", "--archive", archive, "--people", people)
        assert status == 0, err
        status, _, err = await run("herald-host", "archive", "rules", "--archive", archive, "--zone", ZONE)
        assert status == 0, err
        # The file of people has local times: it is read again in the new zone.
        for window, limits, weights in (
                (30, [55, 63, 73], [1.5, 1, 0.4, 0]), (20, [55, 63, 73], [1.5, 1, 0.4, 0]), (30, [50, 70], [2, 1, 0.25])):
            status, _, err = await run("herald-host", "archive", "rules", "--archive", archive, "--window", window)
            assert status == 0, err
            status, out, err = await run(
                "herald-host", "contacts", "--archive", archive, "--people", people, "--json", "--bands",
                ",".join(map(str, limits)), "--weights", ",".join(map(str, weights)))
            assert status == 0, err
            ours, theirs = printed(out), expected(exports, window, limits, weights)
            assert len(theirs) > 30, len(theirs)
            assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
            for key in theirs:
                assert ours[key] == theirs[key], (window, key, ours[key], theirs[key])
            print(f"    {len(ours)} pairs and days are equal with windows of {window} s and bands up to {limits}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def case_contacts_as_csv_are_read_by_programs_and_harmless_in_spreadsheets():
    folder = Path(tempfile.mkdtemp(prefix="herald-contacts-"))
    try:
        _, people = await fleet(folder)
        words = ("contacts", folder / "logs", "--people", people)
        status, out, err = await run("herald-host", *words, "--csv")
        assert status == 0, err
        rows = list(csv.DictReader(io.StringIO(out)))
        status, out, _ = await run("herald-host", *words, "--json")
        contacts = json.loads(out)["contacts"]
        assert len(rows) == len(contacts) > 30
        for row, contact in zip(rows, contacts):
            assert row["day"] == contact["day"] and None not in row and None not in row.values()
            assert abs(float(row["joined_minutes"]) * 60 - contact["joined"]["seconds"]) < 0.05
            for side in ("who", "other"):
                label = contact[side]["label"]
                assert row[side] == ("'" + label if label.startswith("=") else label), row[side]
                assert row[side + "_kind"] == ("person" if contact[side]["role"] else "device")
                assert not row[side].startswith(("=", "+", "-", "@"))
        # The wrong names, and a role that nobody has, are refused with a word about what there is.
        for more, advice in (("--person", "Doe, Jan"), "Doe, Jane"), (("--role", "doctor"), "nurse, patient"):
            status, _, err = await run("herald-host", *words, *more)
            assert status == 64 and advice in err, err
        status, out, _ = await run("herald-host", *words, "--person", "=Anna", "--min-minutes", "1", "--each", "--csv")
        each = list(csv.DictReader(io.StringIO(out)))
        assert status == 0 and each and all(float(row["joined_minutes"]) >= 1 for row in each)
        assert all("'=Anna" == row["who"] for row in each)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
