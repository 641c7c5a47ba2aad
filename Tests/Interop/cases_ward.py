"""The practice ward: what is written, in which time, and what the host tools say of it, whose truth is known."""

import asyncio
import contextlib
import fcntl
import html
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from node import ROOT, program, run


@contextlib.asynccontextmanager
async def scratch():
    """A folder that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="herald-ward-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def figure(name, value):
    """Prints a figure, and writes it into a file of its own, as cases run at the same time."""
    print(f"    {name}: {value}")
    place = ROOT / ".build" / "figures"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.json").write_text(json.dumps({name: value}) + "\n")


async def practise(folder, *options):
    """The practice ward in `folder`, in UTC."""
    status, out, err = await run("herald-host", "practice", folder, "--zone", "UTC", *options)
    assert status == 0, (status, out, err)
    return out


def contents(folder):
    """The bytes of all files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def case_practice_writes_a_ward_that_is_the_same_every_time():
    async with scratch() as folder:
        began = time.monotonic()
        out = await practise(folder / "ward")
        figure("practice_seconds", round(time.monotonic() - began, 1))
        assert "12 badges of 11 persons, 5 days from 2026-09-14 on in UTC" in out, out
        made = contents(folder / "ward")
        truth = json.loads(made["truth.json"])
        serials = {path.name for path in (folder / "ward" / "logs").iterdir()}
        assert len(serials) == 12 and {path.name for path in (folder / "ward" / "nodes").iterdir()} == serials
        assert truth["flat"]["person"] == "Ada" and truth["flat"]["serial"] in serials
        assert truth["flat"]["from"] == "2026-09-15 11:00:00+0000" and truth["flat"]["to"] == "2026-09-18 05:40:00+0000", truth["flat"]
        assert truth["covered"]["person"] == "Finn" and truth["fast"] == {
            "person": "Dan", "serial": truth["fast"]["serial"], "seconds": 12000}, truth["fast"]
        assert [(one["person"], one["has_motion_sensor"]) for one in truth["boxed"]] == [
            ("Ben", True), ("Cleo", True), ("Hugo", False)], truth["boxed"]
        assert truth["exchanged"]["person"] == "Gina" and len(set(truth["exchanged"]["serials"])) == 2, truth["exchanged"]
        # Nobody but the owner reads who met whom, or a key.
        for path in (folder / "ward").rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, path
        await practise(folder / "again")
        assert contents(folder / "again") == made
        await practise(folder / "other", "--seed", "2", "--devices", "9", "--days", "3")
        assert contents(folder / "other")["people.csv"] != made["people.csv"]


async def case_practice_changes_no_folder_that_has_contents():
    async with scratch() as folder:
        (folder / "notes.txt").write_text("mine")
        for place in (folder, folder / "notes.txt"):
            status, out, err = await run("herald-host", "practice", place, "--json")
            assert status == 11 and json.loads(out)["error"]["cause"] == "storage" and "nothing was changed" in err, (status, out, err)
        assert contents(folder) == {"notes.txt": b"mine"}
        (folder / "empty").mkdir()
        await practise(folder / "empty", "--devices", "9", "--days", "3")
        for options in (["--devices", "8"], ["--devices", "201"], ["--days", "2"], ["--days", "15"], ["--from", "14.9.2026"], ["--zone", "Mars/X"]):
            status, out, err = await run("herald-host", "practice", folder / "new", *options)
            assert status == 64 and not (folder / "new").exists(), (options, status, err)


# Commands that are not typed: they run all tests or the demonstration, which has a case of its own, or need a board.
NOT_TYPED = ("script/test", "script/demo", "script/build")


def commands(document):
    """The commands in the code blocks of a document that have no language, one a line."""
    lines, language = [], None
    for line in (ROOT / document).read_text().splitlines():
        if line.startswith("```"):
            language = line.removeprefix("```") if language is None else None
        elif language == "":
            lines.append(line.strip())
    return [line for line in lines if line and not line.startswith(("#", *NOT_TYPED))]


class Checkout:
    """A clean folder with what a document's commands need of a checkout, and the built programs on PATH in the place of `swift run PROGRAM`."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        shutil.copytree(ROOT / "Examples", folder / "Examples", ignore=shutil.ignore_patterns(".build", "keys", "secrets"))
        shutil.copy(ROOT / ".gitignore", folder)
        (folder / "script").symlink_to(ROOT / "script")
        self.git("init", "-q")
        self.git("add", "-A")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    async def type(self, lines):
        """Types commands one after the other in one shell; each must succeed, or end with the status in a comment `# exit status N`. Returns the output of each."""
        programs = os.path.dirname(program("herald-host"))
        script = []
        for number, line in enumerate(lines):
            expected = re.search(r"# exit status (\d+)$", line)
            script += [f"echo '=== {number}'", line.replace("swift run ", ""),
                       f"status=$?; [ $status = {expected[1] if expected else 0} ] || {{ echo \"status $status\"; exit 99; }}"]
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "HERALD_BIN": programs, "TZ": "UTC"}
        # A file and not a pipe: a process in the background would keep a pipe open.
        with open(self.folder.parent / f"{self.folder.name}.typed", "w+") as typed:
            process = await asyncio.create_subprocess_exec(
                "bash", "-c", "\n".join(script), cwd=self.folder, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=typed,
                stderr=asyncio.subprocess.STDOUT)
            try:
                await asyncio.wait_for(process.wait(), 600)
            finally:
                if process.returncode is None:
                    process.kill()
                typed.seek(0)
                told = typed.read()
                os.unlink(typed.name)
        parts = re.split(r"^=== (\d+)\n", told, flags=re.MULTILINE)[1:]
        outputs = dict(zip(map(int, parts[::2]), parts[1::2]))
        assert process.returncode == 0, (lines[max(outputs, default=0)], told[-2000:])
        assert sorted(outputs) == list(range(len(lines))), told[-2000:]
        return {line: outputs[number] for number, line in enumerate(lines)}

    def unignored(self):
        """The files that commands have left and that git would take into a repository."""
        return self.git("ls-files", "--others", "--exclude-standard")


@contextlib.asynccontextmanager
async def checkout_with_badges():
    """A clean folder in which `script/badges` may be typed: one at a time, as its ports are those that documents name."""
    async with scratch() as folder:
        with open(ROOT / ".build" / "badges.lock", "w") as turn:
            await asyncio.to_thread(fcntl.flock, turn, fcntl.LOCK_EX)
            try:
                yield Checkout(folder / "checkout")
            finally:
                subprocess.run([ROOT / "script" / "badges", "stop"], check=True)


async def case_readme_commands_work_as_they_stand():
    lines = commands("README.md")
    async with checkout_with_badges() as checkout:
        folder = checkout.folder
        told = await checkout.type(lines)
        figure("readme_commands", len(lines))
        assert len(lines) >= 10, lines
        report = (folder / "log" / "report.html").read_text()
        assert "Ada" in report and "Ben" in report, "the report of the two badges has no persons"
        [contacts] = [out for line, out in told.items() if " contacts " in line]
        assert "Cleo" in contacts and "Ada" in contacts, contacts
        # Two badges, and a key of its own for each.
        assert len(list((folder / "Examples" / "keys").glob("*.key"))) == 2
        assert checkout.unignored() == "", checkout.unignored()


async def case_ward_guide_commands_work_as_they_stand():
    lines = commands("docs/ward.md")
    async with checkout_with_badges() as checkout:
        folder = checkout.folder
        # The last command removes what the others have made.
        told = await checkout.type(lines[:-1])
        assert lines[-1] == "rm -r ward", lines[-1]
        [docked] = [out for line, out in told.items() if " dock " in line]
        serials = [path.name for path in (folder / "ward" / "logs").iterdir()]
        assert all(serial in docked for serial in serials), docked
        # The archive that the dock has filled from processes is that of the folders.
        def readings(name):
            with contextlib.closing(sqlite3.connect(folder / "ward" / name)) as archive:
                return archive.execute("SELECT serial, readings FROM device ORDER BY serial").fetchall()

        assert readings("dock.sqlite") == readings("ward.sqlite") and len(readings("ward.sqlite")) == 12
        assert checkout.unignored() == "", checkout.unignored()
        words = len((ROOT / "docs" / "ward.md").read_text().split())
        assert words <= 1300, f"docs/ward.md has {words} words"


async def told_json(*words, status=0):
    """The object that a command of herald-host prints with --json."""
    found, out, err = await run("herald-host", *words, "--json")
    assert found == status, (words, found, out[-500:], err)
    return json.loads(out)


def check_first(report):
    """The items of "Check first" in a report, as text."""
    section = report.read_text().split(">Check first</h2>", 1)[1].split("<h2", 1)[0]
    return [html.unescape(re.sub(r"<[^>]+>", "", item)) for item in re.findall(r"<li>(.*?)</li>", section, re.DOTALL)]


async def case_practice_truth_is_named_in_table_json_and_report():
    async with scratch() as folder:
        await practise(folder / "ward")
        truth = json.loads((folder / "ward" / "truth.json").read_text())
        place = ("--archive", folder / "ward.sqlite")
        status, _, err = await run("herald-host", "archive", "add", folder / "ward" / "logs", *place, "--people", folder / "ward" / "people.csv")
        assert status == 0, err
        await run("herald-host", "archive", "rules", *place, "--zone", "UTC")
        # The flat badge: in the table, in JSON, and by the exit status of a question about a day without a record.
        coverage = {one["who"]: one for one in (await told_json("archive", "coverage", *place))["coverage"]}
        flat = [name for name, one in coverage.items() if one["without_power_seconds"] >= 3600]
        assert flat == [truth["flat"]["person"]] == ["Ada"], flat
        gap = [one for one in coverage["Ada"]["gaps"] if one["state"] == "without_power"]
        assert len(gap) == 1 and gap[0]["from"].startswith("2026-09-15T10:") and gap[0]["to"].startswith("2026-09-18T05:"), gap
        _, out, _ = await run("herald-host", "archive", "coverage", *place)
        assert re.search(r"^Ada .*without power 66\.\d h", out, re.MULTILINE) and out.count("without power") == 1, out
        empty = await told_json("archive", "near", "Ada", *place, "--day", "2026-09-16", status=12)
        assert empty["meetings"] == [] and empty["coverage"][0]["recorded_seconds"] == 0, empty
        # The covered badge.
        covered = [name for name, one in coverage.items() if one.get("finding")]
        assert covered == [truth["covered"]["person"]] == ["Finn"], covered
        assert out.count("Check ") == 1 and "Check Finn:" in out, out
        # The fast badge.
        clocks = (await told_json("archive", "clocks", *place))["findings"]
        assert [(one["persons"], one["kind"], one["device"]) for one in clocks] == [
            ([truth["fast"]["person"]], "ahead", truth["fast"]["serial"])], clocks
        assert abs(clocks[0]["offset_seconds"] - truth["fast"]["seconds"]) <= 60, clocks
        _, out, _ = await run("herald-host", "archive", "clocks", *place)
        assert out.startswith("Dan's badge is 3 h 20 min ahead") and out.count("badge is") == 1, out
        # The boxed badges: no contacts, unless they are asked for.
        usual = await told_json("contacts", *place)
        assert {one[side]["kind"] for one in usual["contacts"] for side in ("who", "other")} == {"person"}, usual["contacts"][:2]
        assert usual["unworn"]["seconds"] > 3 * 4 * 7 * 3600, usual["unworn"]
        boxed = sorted(one["person"] for one in truth["boxed"])
        assert sorted(one["who"] for one in usual["unworn"]["who"] if one["seconds"] > 24 * 3600) == boxed, usual["unworn"]
        _, out, _ = await run("herald-host", "contacts", *place)
        assert all(name in re.search(r"^Left out: .*", out, re.MULTILINE)[0] for name in boxed), out[-2000:]
        # The report.
        report = folder / "report.html"
        status, _, err = await run("herald-host", "report", *place, "--output", report)
        assert status == 0, err
        items = check_first(report)
        for words, names in [("had no power", ["Ada"]), ("ahead of", ["Dan"]), ("heard the others for", ["Finn"])]:
            found = [item for item in items if words in item]
            assert [item.split("'s badge")[0].split(":")[0] for item in found] == names, (words, found)
        found = [item for item in items if "while nobody wore it" in item]
        assert sorted(item.split(":")[0] for item in found) == boxed, items
        for name in ("Eva", "Ida", "Jan", "Kim"):
            assert not any(item.startswith(name) for item in items), (name, items)
        # Once the clock is corrected nothing is wrong with it.
        await told_json("archive", "clocks", *place, "--correct")
        assert (await told_json("archive", "clocks", *place))["findings"] == []


async def case_an_answer_about_unrecorded_time_says_so():
    async with scratch() as folder:
        await practise(folder / "ward")
        place = ("--archive", folder / "ward.sqlite")
        logs = folder / "ward" / "logs"
        status, _, err = await run("herald-host", "archive", "add", logs, *place, "--people", folder / "ward" / "people.csv", "--zone", "UTC")
        assert status == 0, err
        wednesday = ("--day", "2026-09-16")
        # Ada, whose badge was flat, has no row: she is named beside those who have one, whoever is asked for.
        for words in [("contacts", "--role", "nurse"), ("contacts", "--place", "Ward 2"), ("contacts",), ("archive", "near", "Ben"),
                      ("archive", "pairs"), ("archive", "second-degree", "Ben")]:
            answer = await told_json(*words, *place, *wednesday)
            unrecorded = [one["who"] for one in answer["coverage"] if one["recorded_seconds"] == 0]
            assert unrecorded == ["Ada"], (words, unrecorded)
            _, out, _ = await run("herald-host", *words, *place, *wednesday)
            assert "Ada: 0.0 h of 24.0 h recorded" in out, (words, out[-800:])
        _, _, err = await run("herald-host", "contacts", *place, *wednesday, "--role", "nurse", "--csv")
        assert "Nothing is recorded of Ada" in err, err
        # Nothing is asked of the archive's time, or of somebody who is recorded: status 12, and no file is made for the former.
        new = folder / "new"
        for words in [("report", "--output", new), ("export", "--format", "tij", "--output", new), ("archive", "coverage"), ("contacts",),
                      ("archive", "near", "Ben")]:
            status, _, err = await run("herald-host", *words, *place, "--day", "2030-01-01")
            assert status == 12 and "outside the archive" in err and not new.exists(), (words, status, err)
        for words in [("report", "--output", folder / "ada.html"), ("export", "--format", "epicontacts", "--output", folder / "ada"), ("contacts",)]:
            status, _, err = await run("herald-host", *words, "--person", "Ada", *place, *wednesday)
            assert status == 12 and "Ada: 0.0 h of 24.0 h recorded" in err, (words, status, err)
        assert ",Ada,person,2026-09-16," in (folder / "ada" / "coverage.csv").read_text()
        # An empty file is no archive, and stays empty.
        (folder / "empty.sqlite").touch()
        for words in [("report", "--output", new), ("export", "--output", new), ("contacts",), ("archive", "coverage")]:
            status, _, err = await run("herald-host", *words, "--archive", folder / "empty.sqlite")
            assert status == 11 and "no archive" in err, (words, status, err)
        assert (folder / "empty.sqlite").stat().st_size == 0 and not new.exists()


async def case_what_cannot_be_read_of_some_folders_is_named_and_keeps_no_other_out():
    async with scratch() as folder:
        await practise(folder / "ward", "--days", "3")
        logs = sorted((folder / "ward" / "logs").iterdir())
        # For the user root nothing is unreadable, but a folder in the place of a file is for everybody.
        (logs[0] / "device.json").unlink()
        (logs[0] / "device.json").mkdir()
        page = sorted((logs[1] / "pages").iterdir())[0]
        page.unlink()
        page.mkdir()
        people = ("--people", folder / "ward" / "people.csv")
        status, out, err = await run("herald-host", "archive", "add", folder / "ward" / "logs", *people, "--archive", folder / "a.sqlite", "--json")
        added = json.loads(out)
        assert status == 10 and added["folders"] == len(logs) - 1 and len(added["failures"]) == 2, (status, added, err)
        assert logs[0].name in err and page.name in err, err
        for words in [("report", "--output", folder / "r.html"), ("export", "--format", "csv", "--output", folder / "e"), ("contacts", "--quiet")]:
            status, _, err = await run("herald-host", *words, folder / "ward" / "logs", *people)
            assert status == 10 and logs[0].name in err and "the result is of the rest" in err, (words, status, err)
        assert (folder / "r.html").exists()
