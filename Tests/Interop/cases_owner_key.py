"""The files of the owner's key against OpenSSL and `cryptography`, the copy on paper against a second program, and openings against the Python reader."""

import asyncio
import fcntl
import hashlib
import json
import os
import subprocess
import termios
import time

from cryptography.hazmat.primitives.serialization import load_pem_private_key

import log_decoder
import log_opener
import smp_line
from cases_sealed import host, pages
from cases_session import Host
from node import PATIENCE, program, pull, run
from world import World

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
DAY = 86400


def openssl(*words):
    return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True).stdout


def product(one, other):
    result = 0
    while other:
        result ^= one if other & 1 else 0
        one = one << 1 ^ (0b100101 if one & 16 else 0)
        other >>= 1
    return result


def paper(key):
    """The groups of a key, as docs/log-format.md has them."""
    bits = int.from_bytes(key + hashlib.sha256(key).digest()[:3], "big")
    groups = []
    for group in range(14):
        values = [bits >> 280 - 20 * group - 5 * place - 5 & 31 for place in range(4)]
        check = group
        for place, value in enumerate(values):
            check ^= product(value, 2 << place)
        groups.append("".join(ALPHABET[value] for value in [*values, check]))
    return groups


async def case_owner_key_files_are_those_of_openssl_and_cryptography():
    async with World() as world:
        words, ward = world.folder / "words", world.folder / "ward"
        words.write_text("correct horse\nand more\n")
        words.chmod(0o600)
        await host(0, "owner-key", "make", ward, "--passphrase-file", words)
        assert ward.stat().st_mode & 0o777 == 0o600
        public = (world.folder / "ward.pub").read_text().strip()
        said = openssl("pkey", "-in", ward, "-passin", "pass:correct horse", "-noout", "-text").decode()
        assert "X25519" in said and public in "".join(said.split("pub:")[1].split()).replace(":", ""), said
        key = load_pem_private_key(ward.read_bytes(), b"correct horse")
        assert key.public_key().public_bytes_raw().hex() == public
        out, _ = await host(0, "owner-key", "recovery", ward, "--passphrase-file", words)
        assert out.split() == paper(key.private_bytes_raw()), out
        # Those of OpenSSL, in each form; a public key in PEM is taken where one in digits is.
        plain = world.folder / "plain.pem"
        openssl("genpkey", "-algorithm", "X25519", "-out", plain)
        plain.chmod(0o600)
        want = paper(load_pem_private_key(plain.read_bytes(), None).private_bytes_raw())
        for options in (["-v2", "aes-256-cbc"], ["-scrypt"], ["-nocrypt"]):
            other = world.folder / "other.pem"
            openssl("pkcs8", "-topk8", "-in", plain, *options, "-passout", f"file:{words}", "-out", other)
            other.chmod(0o600)
            out, said = await host(0, "owner-key", "recovery", other, "--passphrase-file", words)
            assert out.split() == want and "chmod" not in said, (options, said)
        # Files for others are named, and what is no key of this kind.
        plain.chmod(0o644)
        assert "chmod 600" in (await host(0, "owner-key", "recovery", plain))[1]
        wrong = world.folder / "wrong"
        wrong.write_text("Correct horse\n")
        refused = [([ward], "protected with a passphrase"), ([ward, "--passphrase-file", wrong], "does not open"), ([world.folder], "it is a folder")]
        for kind in ("ED25519", "RSA", "X448"):
            openssl("genpkey", "-algorithm", kind, "-out", world.folder / kind)
            refused.append(([world.folder / kind], "not of X25519"))
        os.mkfifo(world.folder / "pipe")
        (world.folder / "cut").write_text(ward.read_text()[:150])
        refused += [([world.folder / "pipe"], "no owner's private key"), ([world.folder / "cut", "--passphrase-file", words], "damaged"),
                    ([world.folder / "ward.pub"], "no owner's private key")]
        for options, why in refused:
            status, out, said = await run("herald-host", "owner-key", "recovery", *options)
            assert status in (11, 64) and why in said and not out, (options, status, said)


async def case_owner_key_comes_back_from_paper():
    async with World() as world:
        ward, copy, text = world.folder / "ward", world.folder / "copy", world.folder / "text"
        await host(0, "owner-key", "make", ward)
        groups = (await host(0, "owner-key", "recovery", ward))[0].split()
        assert groups == paper(ward.read_bytes())
        text.write_text("\n".join(groups).lower())
        await host(0, "owner-key", "restore", copy, "--from", text)
        assert copy.read_bytes() == ward.read_bytes() and copy.stat().st_mode & 0o777 == 0o600
        assert (world.folder / "copy.pub").read_text() == (world.folder / "ward.pub").read_text()
        # It replaces nothing.
        await host(11, "owner-key", "restore", copy, "--from", text)
        wrong = groups[:6] + [groups[6][:2] + ("7" if groups[6][2] != "7" else "8") + groups[6][3:]] + groups[7:]
        for lines, why in ((wrong, "group 7 of 14"), (groups[1:], "13 groups"), ([groups[1], groups[0], *groups[2:]], "group 1, 2 of 14")):
            text.write_text(" ".join(lines))
            said = (await host(64, "owner-key", "restore", world.folder / "new", "--from", text))[1]
            assert why in said and not (world.folder / "new").exists(), said


def keys_in(path):
    """{(serial, epoch, sequence, offset): key and check} of an opening."""
    lines = path.read_text().split("\n")
    assert lines[0] == "herald-log-opening 1" and lines[-1] == "" and lines[-2] == f"end {len([line for line in lines if line.startswith('segment ')])}"
    found, serial = {}, None
    for line in lines[1:-2]:
        kind, rest = line.split(" ", 1)
        if kind == "device":
            serial = rest
        else:
            epoch, sequence, offset, key = rest.split(" ")
            found[serial, int(epoch, 16), int(sequence, 16), int(offset, 16)] = bytes.fromhex(key)
    return found


def opened_with(page, serial, keys):
    """The records that the Python reader finds with the keys of an opening alone."""
    def blocks(page, offset, head):
        key = keys.get((serial, head["epoch"], head["sequence"], offset))
        return log_opener.SealedBlocks(page, offset, head, key[:16] if key and key[16:] == page[offset + 73:offset + 80] else None)

    return log_decoder.decode(page, blocks)[1]


async def case_owner_key_opens_some_days_for_another_reader():
    async with World() as world:
        ward, out, part = world.folder / "ward", world.folder / "out", world.folder / "part"
        await host(0, "owner-key", "make", ward)
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0")
        device, serial = ("--device", node.link), node.facts["serial-number"][0]
        plan = world.folder / "plan.yml"
        # The owner's key from the file, relative to it.
        plan.write_text("owner-key: ward.pub\n")
        await host(0, "provision", plan, *device)
        for _ in range(2):
            # Each start is a segment.
            await node.stop()
            node = await world.node("--link", "tcp:0")
            await host(0, "time", "sync", "--device", node.link)
            await node.has_read(phone)
            while True:
                await pull(node.link, out)
                if sum(record["event"] == "measured" for page in pages(out) if log_opener.is_sealed(page)
                       for record in log_opener.decode(page, ward.read_bytes(), serial.encode())[1] if record["boot"] == node_boot(out, ward, serial)) > 4:
                    break
        await node.stop()
        sealed = [page for page in pages(out) if log_opener.is_sealed(page)]
        whole = [record for page in sealed for record in log_opener.decode(page, ward.read_bytes(), serial.encode())[1]]
        today = time.strftime("%Y-%m-%d")
        yesterday = time.strftime("%Y-%m-%d", time.localtime(time.time() - DAY))
        words = ("archive", "day-keys", out, "--owner-key", ward)
        # Nothing of a day without records, or of another device; one of two days has some.
        for options in (["--days", "2020-01-01"], ["--days", today, "--device", "another"]):
            assert not (await host(64, *words, "--output", part, *options))[0] and not part.exists()
        told = json.loads((await host(0, *words, "--days", f"{yesterday}..{today}", "--device", serial, "--output", part, "--json"))[0])
        keys = keys_in(part)
        assert told["devices"] == [serial] and told["segments"] == len(keys) >= 2 and part.stat().st_mode & 0o777 == 0o600, told
        # The keys open what they are said to open, in a reader that has no owner's key.
        dated = [record for page in sealed for record in opened_with(page, serial, keys)]
        assert dated and all(record in whole for record in dated)
        # Those of one segment alone: herald-host opens that one, in the table of readings.
        chosen = next(place for place in sorted(keys, reverse=True) if any(
            record["event"] == "measured" for page in sealed for record in opened_with(page, serial, {place: keys[place]})))
        few = world.folder / "few"
        place = " ".join((f"{chosen[1]:08x}", f"{chosen[2]:08x}", f"{chosen[3]:04x}"))
        few.write_text(f"herald-log-opening 1\ndevice {serial}\nsegment {place} {keys[chosen].hex()}\nend 1\n")
        few.chmod(0o600)
        count = sum(record["event"] == "measured" for page in sealed for record in opened_with(page, serial, {chosen: keys[chosen]}))
        clear = sum(record["event"] == "measured" for page in pages(out) if not log_opener.is_sealed(page) for record in log_decoder.decode(page)[1])
        total = sum(record["event"] == "measured" for record in whole)
        assert 0 < count < total, (count, total)
        status, said, err = await run("herald-host", "log", "convert", out, "--owner-key", few, "--json")
        assert status == 10 and json.loads(said)["readings"] == count + clear, (status, said, err, count, clear)
        # Another device's opening opens nothing; a changed key neither.
        for text in (few.read_text().replace(f"device {serial}", "device another"), few.read_text().replace(keys[chosen].hex()[-4:] + "\n", "0000\n")):
            other = world.folder / "other"
            other.write_text(text)
            copy = world.folder / "copy.sqlite"
            status, said, err = await run("herald-host", "archive", "add", out, "--archive", copy, "--owner-key", other, "--json")
            assert status == 10 and json.loads(said)["sealed_pages"] == len(sealed) and "chmod 600" in err, (said, err)
            copy.unlink()
        # An archive that has a part gets the rest with the owner's key, and then has all.
        archive = world.folder / "ward.sqlite"
        await host(10, "archive", "add", out, "--archive", archive, "--owner-key", few)
        added = json.loads((await host(0, "archive", "add", out, "--archive", archive, "--owner-key", ward, "--json"))[0])
        assert added["new_pages"] >= 1 and added["sealed_pages"] == 0, added
        again = json.loads((await host(0, "archive", "add", out, "--archive", archive, "--owner-key", ward, "--json"))[0])
        assert again["new_pages"] == 0, again
        readings = json.loads((await host(0, "archive", "show", "--archive", archive, "--json"))[0])["readings"]
        assert readings == total + clear, (readings, total, clear)
        summary = json.loads((await host(0, "log", "convert", out, "--owner-key", ward, "--json"))[0])
        assert (summary["sealed_pages"], summary["readings"]) == (0, total + clear), summary


def node_boot(folder, ward, serial):
    """The number of the last start in the sealed pages."""
    boots = [record["boot"] for page in pages(folder) if log_opener.is_sealed(page)
             for record in log_opener.decode(page, ward.read_bytes(), serial.encode())[1]]
    return max(boots, default=0)


async def case_owner_key_opens_one_of_three_days():
    async with World() as world:
        ward, out, part = world.folder / "ward", world.folder / "out", world.folder / "part"
        await host(0, "owner-key", "make", ward)
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0", "--clock", "host")
        serial = node.facts["serial-number"][0]
        await host(0, "config", "set", "log/owner-key", world.folder / "ward.pub", "--device", node.link)
        days, boots = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - back * DAY)) for back in (9, 6, 3)], {}
        for day in days:
            # Each start is a segment, at noon of its day by the clock that this host sets.
            await node.stop()
            node = await world.node("--link", "tcp:0", "--clock", "host")
            line = await smp_line.Line.open(node.link)
            assert await Host(line).plain(2, 0, 4, {"datetime": f"{day}T12:00:00.000"}) == {}
            line.close()
            await node.has_read(phone)
            while True:
                await pull(node.link, out)
                boots[day] = node_boot(out, ward, serial)
                if len(measured(out, ward, serial, boots[day])) > 4:
                    break
        await node.stop()
        assert len(set(boots.values())) == 3, boots
        words = ("archive", "day-keys", out, "--owner-key", ward)
        between = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 5 * DAY))
        await host(64, *words, "--output", part, "--days", between)
        for day in days:
            told = json.loads((await host(0, *words, "--days", day, "--output", part, "--json"))[0])
            keys = keys_in(part)
            assert told["segments"] == len(keys) >= 1, told
            records = [record for page in pages(out) if log_opener.is_sealed(page) for record in opened_with(page, serial, keys)]
            assert {record["boot"] for record in records} == {boots[day]}, (day, boots)
            # herald-host has the readings of this day from it, and none of another day.
            archive = world.folder / f"{day}.sqlite"
            await host(10, "archive", "add", out, "--archive", archive, "--owner-key", part)
            rows = (await host(0, "archive", "readings", "--archive", archive))[0].splitlines()[1:]
            assert {row.split(",")[1][:10] for row in rows} == {day}, rows[:3]
            assert len(rows) == len(measured(out, ward, serial, boots[day])), (len(rows), day)
            part.unlink()
        # Two days of the three.
        await host(0, *words, "--days", f"{days[0]}..{days[1]}", "--output", part)
        records = [record for page in pages(out) if log_opener.is_sealed(page) for record in opened_with(page, serial, keys_in(part))]
        assert {record["boot"] for record in records} == {boots[days[0]], boots[days[1]]}


def measured(folder, ward, serial, boot):
    """The readings of a start in the sealed pages."""
    return [record for page in pages(folder) if log_opener.is_sealed(page)
            for record in log_opener.decode(page, ward.read_bytes(), serial.encode())[1] if record["boot"] == boot and record["event"] == "measured"]


async def typed(*steps):
    """Runs herald-host on a terminal of its own. The first step is its words; each further one a text that it shows, and what is then typed. Returns the status and all that the
    terminal showed."""
    master, slave = os.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = subprocess.Popen([program("herald-host"), *map(str, steps[0])], stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal)
    os.close(slave)
    os.set_blocking(master, False)
    shown = ""

    async def until(condition):
        nonlocal shown
        async with asyncio.timeout(PATIENCE):
            while not condition():
                try:
                    shown += os.read(master, 4096).decode()
                except BlockingIOError:
                    await asyncio.sleep(0.02)
                except OSError:
                    # The terminal's other end is closed.
                    return

    try:
        place = 0
        for text, answer in steps[1:]:
            await until(lambda: text in shown[place:])
            assert text in shown[place:], (text, shown)
            place = shown.index(text, place) + len(text)
            os.write(master, answer.encode())
        await until(lambda: False)
        return await asyncio.to_thread(process.wait, PATIENCE), shown
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(master)


async def case_owner_key_passphrases_are_asked_for_on_the_terminal():
    async with World() as world:
        ward, again, plain = world.folder / "ward", world.folder / "again", world.folder / "plain"
        secret = "correct horse 7"
        make = ("owner-key", "make", ward)
        status, shown = await typed(make, ("Make it? [y/N] ", "n\n"))
        assert status == 16 and not ward.exists(), (status, shown)
        status, shown = await typed(make, ("[y/N] ", "y\n"), ("(nothing: none): ", secret + "\n"), ("again: ", secret + "8\n"))
        assert status == 64 and "differ" in shown and secret not in shown and not ward.exists(), (status, shown)
        status, shown = await typed(make, ("[y/N] ", "y\n"), ("(nothing: none): ", secret + "\n"), ("again: ", secret + "\n"))
        assert status == 0 and secret not in shown, (status, shown)
        key = load_pem_private_key(ward.read_bytes(), secret.encode())
        # It is asked for where it is needed, on the terminal alone; a wrong one opens nothing.
        recovery = ("owner-key", "recovery", ward)
        status, shown = await typed(recovery, (f"Passphrase of {ward}: ", secret + "\n"))
        assert status == 0 and all(group in shown for group in paper(key.private_bytes_raw())) and secret not in shown, (status, shown)
        status, shown = await typed(recovery, (f"Passphrase of {ward}: ", "wrong\n"))
        assert status == 64 and "does not open" in shown and "wrong" not in shown, (status, shown)
        status, shown = await typed(recovery, (f"Passphrase of {ward}: ", "\n"))
        assert status == 64 and "is empty" in shown, (status, shown)
        # A key that is opened for a command; nothing is asked for one without a passphrase.
        folder = world.folder / "log"
        folder.mkdir()
        status, shown = await typed(("archive", "add", folder, "--archive", world.folder / "a.sqlite", "--owner-key", ward), (f"Passphrase of {ward}: ", "x\n"))
        assert status == 64 and "does not open" in shown, (status, shown)
        status, shown = await typed(("owner-key", "make", plain), ("[y/N] ", "y\n"), ("(nothing: none): ", "\n"))
        assert status == 0 and plain.stat().st_size == 32, (status, shown)
        status, shown = await typed(("owner-key", "recovery", plain))
        assert status == 0 and "Passphrase" not in shown, (status, shown)
        # The copy on paper, typed in, and a passphrase for the new file.
        groups = " ".join(paper(key.private_bytes_raw()))
        status, shown = await typed(("owner-key", "restore", again), ("then Ctrl-D:", groups + "\n\x04"), ("(nothing: none): ", "other\n"), ("again: ", "other\n"))
        assert status == 0, (status, shown)
        assert load_pem_private_key(again.read_bytes(), b"other").private_bytes_raw() == key.private_bytes_raw()
        # Without a terminal nothing can be asked.
        process = await asyncio.create_subprocess_exec(
            program("herald-host"), *map(str, recovery), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True)
        _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 64 and b"protected with a passphrase" in said, (process.returncode, said)
