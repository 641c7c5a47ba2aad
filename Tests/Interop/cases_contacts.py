"""Contacts of a fleet, computed a second time by the formulas of docs/contacts.md from the CSV export of each log."""

import asyncio
import csv
import datetime
import fcntl
import io
import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import zoneinfo
from collections import defaultdict
from pathlib import Path

import herald
from cases_payload import contact_identifier, matching_key
from node import ended, program, run
from world import World

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
            reads[row["peer"]].append((int(row["uptime_ms"]), bytes.fromhex(row["payload"].removeprefix("x"))[5:].decode()))

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


async def case_contacts_are_in_the_time_zone_of_the_system_however_it_is_given():
    """A name, a path, a rule and a copied file have the local times that Python's zoneinfo has; what is none is an error."""
    folder = Path(tempfile.mkdtemp(prefix="herald-contacts-"))

    def contacts(zone, *options):
        return ended("/usr/bin/env", f"TZ={zone}", program("herald-host"), "contacts", folder / "logs", *options)
    try:
        await fleet(folder)
        copied = folder / "localtime"
        shutil.copyfile(Path("/usr/share/zoneinfo") / ZONE, copied)
        rule = "CET-1CEST,M3.5.0,M10.5.0/3"
        zones = dict.fromkeys((ZONE, f":{ZONE}", f":/usr/share/zoneinfo/{ZONE}", rule, str(copied)), ZONE)
        zones |= {"Australia/Lord_Howe": "Australia/Lord_Howe", "<+0545>-5:45": "Asia/Kathmandu"}
        for zone, name in zones.items():
            status, out, err = await contacts(zone, "--json")
            assert status == 0, err
            answer = json.loads(out)
            known = zoneinfo.ZoneInfo(name)
            rows = answer["contacts"]
            assert len(rows) > 10, len(rows)
            for row in rows:
                for utc, local_text in ((row["begin"], row["local_begin"]), (row["end"], row["local_end"])):
                    moment = datetime.datetime.fromisoformat(utc.replace("Z", "+00:00")).astimezone(known)
                    assert moment.strftime("%Y-%m-%d %H:%M:%S%z") == local_text, (zone, utc, local_text)
        for zone in ("Europe/Atlantis", "CET-1CEST,M13.5.0,M10.5.0/3", "/etc/passwd", ":/none"):
            status, out, err = await contacts(zone)
            assert status == 64 and "--zone" in err and zone.lstrip(":") in err, (zone, status, err)
            status, out, err = await contacts(zone, "--json", "--zone", rule)
            assert status == 0 and json.loads(out)["zone"] == rule, (zone, status, err)
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
        for more, advice, exit_status in (("--person", "Doe, Jan"), "Doe, Jane", 12), (("--role", "doctor"), "nurse, patient", 64):
            status, _, err = await run("herald-host", *words, *more)
            assert status == exit_status and advice in err, (status, err)
        status, out, _ = await run("herald-host", *words, "--person", "=Anna", "--min-minutes", "1", "--each", "--csv")
        each = list(csv.DictReader(io.StringIO(out)))
        assert status == 0 and each and all(float(row["joined_minutes"]) >= 1 for row in each)
        assert all("'=Anna" == row["who"] for row in each)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def memory(process):
    """All writable memory of a process."""
    with open(f"/proc/{process.pid}/maps") as file:
        spans = [line.split()[0].split("-") for line in file if " rw" in line and "[v" not in line]
    found = bytearray()
    with open(f"/proc/{process.pid}/mem", "rb", buffering=0) as file:
        for begin, end in ((int(begin, 16), int(end, 16)) for begin, end in spans):
            file.seek(begin)
            while begin < end:
                piece = file.read(min(end - begin, 1 << 20))
                if not piece:
                    break
                found += piece
                begin += len(piece)
    return bytes(found)


async def while_it_prints(*words):
    """Runs herald-host with an output that nobody reads until it is full; returns its memory then, and the output."""
    process = subprocess.Popen(
        [program("herald-host"), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        size = fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        while struct.unpack("i", fcntl.ioctl(process.stdout, termios.FIONREAD, bytes(4)))[0] < size:
            assert process.poll() is None, process.stderr.read()
            await asyncio.sleep(0.02)
        try:
            seen = memory(process)
        except PermissionError:
            print("    left out: this user may not read the memory of programs")
            seen = None
        out, err = process.communicate()
        assert process.returncode == 0, err
        return seen, out.decode(), err.decode()
    finally:
        process.kill()


async def case_contacts_of_secrets_are_named_and_the_secrets_are_not_kept():
    async with World() as world:
        today = datetime.datetime.now(datetime.timezone.utc).date()
        secret = random.randbytes(2048)
        seconds = int(time.time())
        day = seconds // 86400 - (today - datetime.date(1970, 1, 1)).days + 10
        identifier = contact_identifier(secret, day, seconds % 86400 // 360)
        key = matching_key(secret, day)
        phone = await world.android(1, payload=herald.simple_payload(826, 4, identifier))
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        logs, secrets = world.folder / "logs", world.folder / "secrets"
        status, _, err = await run("herald-host", "log", "pull", "--device", node.link, "--output", logs / "badge")
        assert status == 0, err
        # Others, so that the output is longer than what is read of it.
        status, _, err = await run("synthetic-fleet", logs, DEVICES, 1)
        assert status == 0, err
        (world.folder / "people.csv").write_text("serial,name,role\nLOST-7,Ben,visitor\n")
        secrets.mkdir(mode=0o700)
        (secrets / "LOST-7.secret").write_bytes(secret)
        (secrets / "OTHER").write_bytes(random.randbytes(2048))
        for file in secrets.iterdir():
            file.chmod(0o600)
        words = ("--people", world.folder / "people.csv", "--json")

        # Without the secret nobody is Ben; a secret of others explains nothing.
        status, out, err = await run("herald-host", "contacts", logs, *words)
        assert status == 0 and "Ben" not in json.dumps(json.loads(out)["contacts"]) and herald.short_name(herald.simple_payload(826, 4, identifier)) in out, (out, err)
        archive = world.folder / "archive.sqlite"
        status, _, err = await run("herald-host", "archive", "add", logs, "--archive", archive, "--quiet")
        assert status == 0, err
        asked = ("--secrets", secrets, "--epoch", today - datetime.timedelta(days=10))
        for place in ([logs], ["--archive", archive]):
            seen, out, err = await while_it_prints("contacts", *place, *words, *asked)
            rows = json.loads(out)["contacts"]
            assert any(one["label"] == "Ben" and one["kind"] == "person" for row in rows for one in (row["who"], row["other"])), out
            assert "1 of 1 identifier" in err and "1 device with a secret" in err, err
            for said in (out, err):
                assert not any(value.hex() in said.lower() for value in (secret[:16], key)), said
            # Neither the secret nor the day's key is in its memory, nor in the archive.
            for kept in (seen or b"", archive.read_bytes()):
                assert key not in kept and key[:16] not in kept
                assert not any(secret[at:at + 32] in kept for at in range(0, 2048, 32))
        # It is what the program derived that stays: the secret is not needed again.
        shutil.move(secrets, world.folder / "away")
        status, out, err = await run("herald-host", "contacts", "--archive", archive, "--json", "--person", "Ben")
        assert status == 0 and json.loads(out)["contacts"][0]["who"]["role"] == "visitor", (out, err)
        # One of another length is refused, and not shown.
        secrets.mkdir(mode=0o700)
        (secrets / "LOST-7").write_bytes(secret[:2047])
        status, out, err = await run("herald-host", "contacts", "--archive", archive, *words, *asked)
        assert status != 0 and "LOST-7" in err and secret[:16].hex() not in (out + err).lower(), (status, err)


async def case_contacts_with_a_calibration_have_its_distances_and_its_error():
    folder = Path(tempfile.mkdtemp(prefix="herald-contacts-"))
    try:
        await run("synthetic-fleet", folder / "logs", DEVICES, 1)
        for model, distance in (
                ("log", lambda level: 10 ** ((level - 41) / 21)), ("linear", lambda level: 41 + 2.1 * level)):
            file = folder / f"{model}.yml"
            file.write_text(f"name: ward 3\nmodel: {model}\noffset: 41\nslope: 2.1\nerror: 0.9\n")
            status, out, err = await run("herald-host", "contacts", folder / "logs", "--calibration", file, "--json")
            assert status == 0, err
            rows = json.loads(out)["contacts"]
            measured = [row for row in rows if row["joined"]["median_attenuation_db"] is not None]
            assert len(measured) > 20 and len({row["joined"]["median_attenuation_db"] for row in measured}) > 3
            for row in measured:
                expected = min(max(distance(row["joined"]["median_attenuation_db"]), 0), 1000)
                assert abs(row["distance_m"] - expected) < 1e-6 * max(expected, 1) and row["distance_error_m"] == 0.9, row
            status, out, err = await run("herald-host", "contacts", folder / "logs", "--calibration", file, "--csv")
            header, first = list(csv.reader(io.StringIO(out)))[:2]
            assert status == 0 and "distance_error_m" in header and first[header.index("distance_error_m")].startswith("0.9"), header
        # Without one there are none; without an error it is refused.
        status, out, _ = await run("herald-host", "contacts", folder / "logs", "--json")
        assert status == 0 and "distance" not in out, out
        file.write_text("name: ward 3\nmodel: log\noffset: 41\nslope: 2.1\n")
        status, _, err = await run("herald-host", "contacts", folder / "logs", "--calibration", file)
        assert status != 0 and "error" in err, (status, err)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
