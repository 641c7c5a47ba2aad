"""The sealed log: what a device wrote for its owner is opened by herald-host, and by a reader written from the description of the format alone."""

import json
import secrets

import log_decoder
import log_opener
from dock import SilentRadio
from node import pull, run
from world import World


async def host(status, *words):
    """The outputs of herald-host, which ends with this status."""
    ended, out, err = await run("herald-host", *words)
    assert ended == status, f"{words}: {ended}, {err.strip()}"
    return out, err


def pages(folder):
    return [path.read_bytes() for path in sorted((folder / "pages").glob("*")) if path.suffix != ".part"]


def opened(page, secret, serial):
    """The records of a page, sealed or not."""
    found = log_opener.decode(page, secret, serial) if log_opener.is_sealed(page) else log_decoder.decode(page)
    return found[1]


async def case_sealed_log_is_opened_by_its_owner_alone():
    async with World() as world:
        key, other, out = world.folder / "ward", world.folder / "other", world.folder / "out"
        told, warning = await host(0, "owner-key", "make", key)
        assert "loses every log" in warning and (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 32), told
        kept = key.read_bytes()
        await host(11, "owner-key", "make", key)
        assert key.read_bytes() == kept
        await host(0, "owner-key", "make", other)
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        device, serial = ("--device", node.link), node.facts["serial-number"][0].encode()
        assert "not sealed" in (await host(0, "status", *device))[0]
        # Points of low order, and a private key in the place of a public one.
        low = world.folder / "low.pub"
        for text in ("00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f", kept[:31].hex()):
            low.write_text(text + "\n")
            await host(64, "config", "set", "log/owner-key", low, *device)
        await host(64, "config", "set", "log/owner-key", key, *device)
        plan = world.folder / "plan.yml"
        plan.write_text("settings:\n  log/keep-days: 7\n")
        public = (world.folder / "ward.pub").read_text().strip()
        await host(0, "provision", plan, "--owner-key-public", world.folder / "ward.pub", *device)
        assert json.loads((await host(0, "status", "--json", *device))[0])["sealing"] == public
        assert (await host(0, "config", "get", "log/owner-key", *device))[0].strip() == public
        # After a restart it begins sealed.
        await node.stop()
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)

        async def readings():
            await pull(node.link, out)
            return [
                record for page in pages(out) if log_opener.is_sealed(page) for record in opened(page, kept, serial)
                if record["event"] == "measured"]

        while len(await readings()) < 10:
            pass
        await node.stop()
        sealed = [page for page in pages(out) if log_opener.is_sealed(page)]
        records = [record for page in pages(out) for record in opened(page, kept, serial)]
        assert sealed and any(record["event"] == "read" and record["payload"] == phone.payload.hex() for record in records)
        assert not any(phone.payload in page for page in sealed)
        # Without the key, and with another one, the sealed pages are missing and named; nothing else changes.
        for words in ([], ["--owner-key", other]):
            _, said = await host(10, "log", "convert", out, *words)
            assert "sealed" in said and "--owner-key" in said, said
            _, said = await host(10, "archive", "add", out, "--archive", world.folder / "none.sqlite", *words)
            assert "sealed" in said, said
        summary = json.loads((await host(0, "log", "convert", out, "--owner-key", key, "--json"))[0])
        measured = [record for record in records if record["event"] == "measured"]
        assert (summary["sealed_pages"], summary["readings"]) == (0, len(measured)), (summary, len(measured))
        # As they are in another program's view, except for what the tables leave out.
        await host(0, "archive", "add", out, "--archive", world.folder / "ward.sqlite", "--owner-key", key)
        await host(0, "report", out, "--owner-key", key, "--output", world.folder / "report.html")
        # A page of another device's folder says nothing here.
        for page in sealed:
            try:
                assert not log_opener.decode(page, kept, b"another")[1]
            except log_opener.OtherKey:
                pass
        # Random changes never give another record.
        for page in sealed[:1]:
            whole = opened(page, kept, serial)
            for _ in range(60):
                changed = bytearray(page)
                changed[80 + secrets.randbelow(len(page) - 80)] ^= 1 << secrets.randbelow(8)
                found = opened(bytes(changed), kept, serial)
                # Each start has a segment of its own.
                for boot in {record["boot"] for record in whole + found}:
                    one, other = ([record for record in records if record["boot"] == boot] for records in (found, whole))
                    assert one == other[:len(one)], (boot, len(one), len(other))


async def case_sealed_or_not_is_in_the_folder_the_archive_and_the_report():
    async with World() as world:
        key, out, archive, page = (world.folder / name for name in ("ward", "out", "ward.sqlite", "report.html"))
        await host(0, "owner-key", "make", key)
        public = (world.folder / "ward.pub").read_text().strip()
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)

        async def told():
            """What the folder says after a pull, and the report of the archive."""
            await pull(node.link, out)
            await host(0, "archive", "add", out, "--archive", archive, "--owner-key", key)
            await host(0, "report", "--archive", archive, "--output", page)
            return json.loads((out / "device.json").read_text())["sealing"], page.read_text()

        sealing, report = await told()
        assert sealing["isSealed"] is False and "ownerKey" not in sealing, sealing
        assert "<td>not sealed</td>" in report and "Its log is not sealed: who takes the badge apart can read it." in report
        await host(0, "config", "set", "log/owner-key", world.folder / "ward.pub", "--device", node.link)
        sealing, report = await told()
        assert sealing["isSealed"] is True and sealing["ownerKey"] == public, sealing
        assert "<td>sealed</td>" in report and "not sealed" not in report
        # That of the folder, without an archive.
        await host(0, "report", out, "--owner-key", key, "--output", page)
        assert "<td>sealed</td>" in page.read_text()


async def case_sealed_readings_of_a_start_without_a_date_are_told_as_undated():
    """As of a chip that loses power before any host has set its date: nothing dates what it logged, sealed or not."""
    async with World() as world:
        key, out = world.folder / "ward", world.folder / "out"
        await host(0, "owner-key", "make", key)
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0", "--clock", "host")
        serial = node.facts["serial-number"][0].encode()
        await host(0, "config", "set", "log/owner-key", world.folder / "ward.pub", "--device", node.link)
        await node.stop()
        node = await world.node("--link", "tcp:0", "--clock", "host")
        await node.has_read(phone)
        await node.stop()
        # The start that is pulled from hears nothing, and is dated by the pull.
        async with SilentRadio() as radio:
            node = await world.node("--link", "tcp:0", "--clock", "host", radio=radio.address, ready=False)
            await pull(node.link, out)
            await node.stop()
        records = [record for page in pages(out) for record in opened(page, key.read_bytes(), serial)]
        measured = [record for record in records if record["event"] == "measured"]
        assert measured, records
        summary = json.loads((await host(0, "log", "convert", out, "--owner-key", key, "--json"))[0])
        assert (summary["sealed_pages"], summary["readings"]) == (0, 0) and summary["undated_events"] >= len(measured), (summary, len(measured))
