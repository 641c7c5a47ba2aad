"""Output that cannot be written is exit status 11 and a sentence, in every program and on both streams; and no output replaces a file of somebody else."""

import asyncio
import json
import os
import sqlite3
import tempfile
from pathlib import Path

from node import ended, program, run

# Words of each program that print a result, and words that print a message.
RESULTS = [
    ("herald-host", "--help"), ("herald-host", "--version"), ("herald-host", "help", "log", "pull"), ("herald-host", "udev-rule"),
    ("herald-host", "simulate", "--devices", "2", "--hours", "0.01", "--json"), ("herald-host", "--generate-completion-script", "bash"),
    ("herald-flash", "--help"), ("herald-flash", "boards"), ("herald-flash", "boards", "--json"), ("herald-node", "--help"), ("herald-node", "--version"),
    ("herald-controller", "--help"), ("herald-controller", "--air", "none:0", "--hci", "tcp:0")]
MESSAGES = [
    ("herald-host", "frobnicate"), ("herald-host", "status", "--device", "serial:/nowhere"), ("herald-host", "log", "convert", "/nowhere"),
    ("herald-flash", "frobnicate"), ("herald-flash", "info", "/nowhere"), ("herald-node", "--frobnicate"), ("herald-controller", "--frobnicate")]


async def shell(redirection, words):
    """Runs a program with its streams redirected by a shell; returns (status, standard output, standard error)."""
    process = await asyncio.create_subprocess_exec(
        "/bin/bash", "-c", f'exec "$0" "$@" {redirection}', program(words[0]), *words[1:], stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, out.decode(), err.decode()


async def case_output_that_cannot_be_written_is_status_11():
    for words in RESULTS:
        status, _, err = await shell(">/dev/full", words)
        assert status == 11 and "standard output cannot be written: No space left on device" in err, (words, status, err)
        status, _, err = await shell(">&-", words)
        assert status == 11 and "standard output cannot be written: it is closed" in err, (words, status, err)
        # Both: nothing is left to say it with.
        status, _, _ = await shell(">/dev/full 2>/dev/full", words)
        assert status == 11, (words, status)
    for words in MESSAGES:
        for redirection in ("2>/dev/full", "2>&-"):
            status, out, _ = await shell(redirection, words)
            assert status == 11 and out == "", (words, redirection, status, out)
    # A program has the sentence on the other stream.
    status, out, _ = await shell("2>/dev/full", ("herald-host", "status", "--device", "serial:/nowhere", "--json"))
    assert status == 11 and "error" in json.loads(out), (status, out)


async def case_output_to_a_reader_that_ends_is_status_11():
    for words in [("herald-host", "help", "log", "pull"), ("herald-flash", "boards"), ("herald-node", "--help"), ("herald-controller", "--help")]:
        read, write = os.pipe()
        os.close(read)
        process = await asyncio.create_subprocess_exec(
            program(words[0]), *words[1:], stdin=asyncio.subprocess.DEVNULL, stdout=write, stderr=asyncio.subprocess.PIPE)
        os.close(write)
        _, err = await process.communicate()
        assert process.returncode == 11 and b"standard output cannot be written: Broken pipe" in err, (words, process.returncode, err)


async def case_a_closed_stream_is_not_written_into_a_file():
    # The file that is opened first would have the number of standard output.
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        archive = Path(name) / "archive.sqlite"
        process = await asyncio.create_subprocess_exec(program("synthetic-fleet"), Path(name) / "logs", "6", "1", stdout=asyncio.subprocess.DEVNULL)
        assert await process.wait() == 0
        status, _, err = await run("herald-host", "archive", "add", Path(name) / "logs", "--archive", archive, "--quiet")
        assert status == 0, err
        for redirection in (">&-", ">&- 2>&-"):
            status, _, _ = await shell(redirection, ("herald-host", "archive", "show", "--archive", archive))
            assert status == 11, status
        status, out, err = await run("herald-host", "archive", "show", "--archive", archive, "--json")
        assert status == 0 and json.loads(out)["devices"] == 6, (status, out, err)
        # A long answer stops early.
        for redirection in ("| head -1", ">/dev/full"):
            process = await asyncio.create_subprocess_exec(
                "/bin/bash", "-c", f'"$0" archive readings --archive "$1" {redirection}; exit ${{PIPESTATUS[0]}}', program("herald-host"), archive,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
            out, err = await process.communicate()
            assert process.returncode == 11 and err.count(b"standard output cannot be written") == 1, (process.returncode, err)


# What somebody else wrote, under the name of each output; and the words that would replace it.
FOREIGN = b"written by somebody else\n"


async def refused(path, *words, status=64, content=FOREIGN):
    """Runs a command that has to leave the file as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    found, out, err = await run(*words)
    assert found == status and "stays as it is" in err, (words, found, out, err)
    assert path.read_bytes() == content, words


async def case_no_output_replaces_a_file_of_somebody_else():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder = Path(name)
        status, _, err = await run("synthetic-fleet", folder / "logs", "2", "1")
        assert status == 0, err
        archive, people, logs = folder / "ward.sqlite", folder / "people.csv", folder / "logs"
        people.write_text("serial,name\nF1EE700000,Ada\n")
        status, _, err = await run("herald-host", "archive", "add", logs, "--archive", archive, "--people", people, "--quiet")
        assert status == 0, err
        log = next(logs.iterdir())
        report = ["herald-host", "report", "--archive", archive, "--people", people, "--output"]
        await refused(folder / "notes.html", *report, folder / "notes.html")
        # What is read stays, whoever insists.
        for read in (archive, people):
            content = read.read_bytes()
            for force in ([], ["--force"]):
                status, _, err = await run(*report, read, *force)
                assert status == 64 and "is what this command reads" in err and read.read_bytes() == content, (read, force, status, err)
        # A report replaces a report, and by --force another file.
        for words in ([folder / "report.html"], [folder / "report.html"], [folder / "notes.html", "--force"]):
            status, _, err = await run(*report, *words)
            assert status == 0 and words[0].read_bytes().startswith(b"<!DOCTYPE html>"), (words, status, err)
        for form, file in [("csv", "contacts.csv"), ("jsonl", "persons.jsonl"), ("tij", "names.csv"), ("epicontacts", "contacts.csv"),
                           ("graphml", "contacts.graphml")]:
            out = folder / form
            phone = b"time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data\n"
            words = ["herald-host", "export", "--format", form, "--archive", archive, "--output", out]
            await refused(out / file, *words, content=phone)
            assert [path.name for path in out.iterdir()] == [file], form
            (out / file).unlink()
            for _ in range(2):
                status, _, err = await run(*words)
                assert status == 0, (form, err)
            # One that was put there since.
            await refused(out / file, *words, content=phone)
        for form in ("csv", "jsonl"):
            await refused(folder / f"log-{form}" / f"readings.{form}", "herald-host", "log", "export", log, "--format", form, "--output", folder / f"log-{form}")
        status, _, err = await run("herald-host", "log", "export", log)
        assert status == 0, err
        simple = ["herald-host", "payload", "simple", "--secret", folder / "secret", "--country", "826", "--from", "2026-01-01", "--epoch", "2026-01-01"]
        await refused(folder / "keys", *simple, "--generate", "--output", folder / "keys")
        assert not (folder / "secret").exists()
        for words in (["--generate", "--output", folder / "keys", "--force"], ["--output", folder / "keys"]):
            status, _, err = await run(*simple, *words)
            assert status == 0, (words, err)
        await refused(folder / "secret", *simple, "--output", folder / "secret", "--force", content=(folder / "secret").read_bytes())
        for words in (["owner-key", "make", "--yes", folder / "mine"], ["capture", "--node", f"unix:{folder}/none", folder / "mine"]):
            (folder / "mine").write_bytes(FOREIGN)
            status, _, err = await run("herald-host", *words)
            assert status != 0 and (folder / "mine").read_bytes() == FOREIGN, (words, status, err)


async def case_no_image_replaces_a_file_of_somebody_else():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder = Path(name)
        image, key = folder / "image.bin", folder / "key.pem"
        image.write_bytes(bytes(range(256)) * 16)
        status, _, err = await ended("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
        assert status == 0, err
        convert = ["herald-flash", "convert", image, folder / "out.hex", "--base", "0x1000"]
        await refused(folder / "out.hex", *convert)
        for words in (["--force"], []):
            status, _, err = await run(*convert, *words)
            assert status == 0, (words, err)
        content = image.read_bytes()
        status, _, err = await run("herald-flash", "convert", image, image, "--base", "0x1000", "--force")
        assert status == 64 and image.read_bytes() == content, (status, err)
        sign = ["herald-flash", "sign", image, "--base", "0x1000", "--key", key, "--version", "1.0.0", "--board", "microbit2"]
        await refused(folder / "image.bin.sig", *sign)
        for words in (["--force"], []):
            status, _, err = await run(*sign, *words)
            assert status == 0, (words, err)
        for read in (image, key):
            content = read.read_bytes()
            status, _, err = await run(*sign, "--output", read, "--force")
            assert status == 64 and read.read_bytes() == content, (read, status, err)


async def case_a_wrong_folder_leaves_no_archive():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder, archive = Path(name), Path(name) / "new.sqlite"
        (folder / "notes.txt").write_bytes(FOREIGN)
        (folder / "log" / "pages").mkdir(parents=True)
        (folder / "log" / "device.json").write_bytes(b"{")
        for wrong in ("notes.txt", "missing", "log"):
            status, _, err = await run("herald-host", "archive", "add", folder / wrong, "--archive", archive)
            assert status != 0 and not archive.exists(), (wrong, status, err)
        # A database of another program gets no tables of ours.
        connection = sqlite3.connect(folder / "other.sqlite")
        connection.execute("CREATE TABLE bookmarks (name TEXT)")
        connection.commit()
        connection.close()
        content = (folder / "other.sqlite").read_bytes()
        status, _, err = await run("herald-host", "archive", "add", folder, "--archive", folder / "other.sqlite")
        assert status == 11 and (folder / "other.sqlite").read_bytes() == content, (status, err)


async def case_a_failed_add_leaves_no_archive():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder, archive, people = Path(name), Path(name) / "new.sqlite", Path(name) / "people.csv"
        status, _, err = await run("synthetic-fleet", folder / "logs", "2", "1")
        assert status == 0, err
        people.write_text("serial;name\nF1EE700000;Ada\nF1EE700000;Ben\n")
        add = ["herald-host", "archive", "add", folder / "logs", "--archive", archive]
        wrong = [["--zone", "Mars/Phobos"], ["--people", people], ["--people", folder / "none.csv"], ["--secrets", folder / "none"]]
        for options in wrong:
            status, _, err = await run(*add, *options)
            assert status in (11, 64) and not list(folder.glob("new.sqlite*")), (options, status, err)
        # One that was there keeps what it had: nothing was added before the mistake was found.
        status, _, err = await run("herald-host", "archive", "add", folder / "logs" / "F1EE700000", "--archive", archive, "--zone", "UTC")
        assert status == 0, err
        content = archive.read_bytes()
        for options in wrong:
            status, _, err = await run(*add, *options)
            assert status in (11, 64) and archive.read_bytes() == content, (options, status, err)
        # A column that is not known is named, by every command that reads the file.
        people.write_text("serial;name;von\nF1EE700000;Ada;2026-09-14\n")
        for words in (["archive", "people", "--archive", archive], ["report", folder / "logs", "--output", folder / "report.html"]):
            status, _, err = await run("herald-host", *words, "--people", people)
            assert status == 0 and 'line 1: "von" is no column that is known' in err and "serial, name, role, place, from, to" in err, (words, status, err)


async def on_small_disk(folder, size, *words):
    """Runs a program in a file system of `size` that is mounted on `folder`; returns (status, standard error, files left), or nothing where none can be mounted."""
    folder.mkdir()
    process = await asyncio.create_subprocess_exec(
        "unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=$0 none "$1" || exit 77; shift; "$@"; echo "$?"; find "$FOLDER" -mindepth 1',
        size, folder, program(words[0]), *map(str, words[1:]), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "FOLDER": str(folder)})
    out, err = (text.decode() for text in await process.communicate())
    if process.returncode in (1, 77):
        print("    left out: no file system can be mounted here")
        return None
    status, *left = out.split()
    return int(status), err, left


async def case_a_full_disk_is_left_as_it_was_and_the_same_command_is_right():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder = Path(name)
        status, _, err = await run("synthetic-fleet", folder / "logs", "20", "1")
        assert status == 0, err
        for number, (size, words) in enumerate([
                ("300k", ["practice", "ward", "--quiet"]), ("100k", ["archive", "add", folder / "logs", "--quiet", "--archive", "a.sqlite"]),
                ("1300k", ["archive", "add", folder / "logs", "--quiet", "--archive", "a.sqlite"])]):
            small = folder / f"small{number}"
            found = await on_small_disk(small, size, "herald-host", *[small / word if word in ("ward", "a.sqlite") else word for word in words])
            if found is None:
                return
            status, err, left = found
            assert (status, left) == (11, []) and "free space on its disk, then run the same command again" in err, (words, status, err, left)


async def case_an_output_that_is_a_link_a_device_or_a_pipe_stays():
    with tempfile.TemporaryDirectory(prefix="herald-output-") as name:
        folder = Path(name)
        status, _, err = await run("synthetic-fleet", folder / "logs", "2", "1")
        assert status == 0, err
        image = folder / "image.bin"
        image.write_bytes(bytes(range(128)) * 32)
        report, convert = ["herald-host", "report", folder / "logs", "--quiet", "--output"], ["herald-flash", "convert", image, "--base", "0x1000"]
        (folder / "empty.hex").write_bytes(b"")
        for target in ("empty.hex", "missing.hex"):
            link = folder / "link.hex"
            link.symlink_to(target)
            for words in ([*report, link], [*report, link, "--force"], [*convert, link], [*convert, link, "--force"]):
                status, _, err = await run(*words)
                assert status == 64 and "is a symbolic link, and stays as it is" in err and os.readlink(link) == target, (words, status, err)
            link.unlink()
        assert (folder / "empty.hex").read_bytes() == b"" and not (folder / "missing.hex").exists()
        # What standard output is: a pipe, or a file, which goes on where it is.
        status, out, err = await run(*report, "/dev/stdout")
        assert status == 0 and out.startswith("<!DOCTYPE html>") and out.rstrip().endswith("</html>"), (status, out[:100], out[-100:], err)
        status, out, err = await run(*convert, "/proc/self/fd/1")
        assert status == 0 and out.encode() == image.read_bytes(), (status, out, err)
        output = folder / "output"
        output.write_text("before\n")
        status, _, err = await shell(f">>{output}", [*map(str, report), "/dev/stdout"])
        assert status == 0 and output.read_text().startswith("before\n<!DOCTYPE html>"), (status, err)
        for path in ("/dev/stdout", "/dev/null"):
            assert not os.path.isfile(path) or os.path.islink(path), path
        status, _, err = await run(*report, "/dev/full")
        assert status == 11 and "free space on its disk" in err, (status, err)
        # An export replaces nothing in its folder that is a link.
        export = ["herald-host", "export", folder / "logs", "--quiet", "--format", "csv", "--output", folder / "tables"]
        status, _, err = await run(*export)
        assert status == 0, err
        persons = folder / "tables" / "persons.csv"
        persons.unlink()
        persons.symlink_to(folder / "empty.hex")
        status, _, err = await run(*export)
        assert status == 64 and persons.is_symlink() and (folder / "empty.hex").read_bytes() == b"", (status, err)
