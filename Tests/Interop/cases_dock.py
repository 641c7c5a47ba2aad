"""herald-host dock: every page of every badge is in the archive once, whatever is pulled out when; nothing is erased that is not there."""

import asyncio
import contextlib
import datetime
import json
import os
import shutil
import signal
import sqlite3
import tempfile
from pathlib import Path

import log_opener
import smp_line
from cases_session import Host
from cases_usb import plugged_in, usb_device
from dock import Badge, Dock, SilentRadio, archived, check, left_on
from hostile_badge import HostileBadge
from node import PATIENCE, ROOT, ended, program, pull, run
from prepared_log import prepared_log
from world import World


@contextlib.asynccontextmanager
async def ward(count, *options, pages=6, plugged=True):
    """A folder, and badges with this many pages each, which are plugged in."""
    folder = Path(tempfile.mkdtemp(prefix="herald-dock-"))
    flash = await prepared_log(pages)
    badges = []
    try:
        async with SilentRadio() as radio:
            for number in range(1, count + 1):
                badge = Badge(folder, number, flash, *options)
                badges.append(await badge.start(radio))
                await badge.plug()
                if not plugged:
                    badge.unplug()
            yield folder, badges, radio, flash
    finally:
        for badge in badges:
            await badge.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def case_dock_collects_what_is_plugged_in_once():
    async with ward(3) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        servers = [word for badge in badges for word in ("--usbip", badge.server)]
        status, out, err = await run("herald-host", "dock", "--archive", archive, "--once", "--json", "--trim", *servers)
        assert status == 0, (status, err)
        told = json.loads(out)
        assert told["failed"] == 0 and sorted(row["serial"] for row in told["devices"]) == [badge.serial for badge in badges]
        for row in told["devices"]:
            assert row["result"]["new_pages"] == 6 and row["result"]["trimmed_pages"] == 5, row
        for badge in badges:
            check(archive, badge)
            assert badge.lights[0] == "collecting" and badge.lights[-1] == "done", badge.lights
        # Again: nothing is new, and a server that does not respond is a failure of its own.
        status, out, err = await run("herald-host", "dock", "--archive", archive, "--once", *servers, "--usbip", "127.0.0.1:1")
        assert status == 10 and "1 of 4 devices failed" in err, (status, err)
        for badge in badges:
            check(archive, badge)


async def case_dock_loses_nothing_when_badges_are_pulled_out():
    """At each step, and after every few hundred bytes; then they are plugged in again."""
    steps = ["identify", "clock", "pull", "check", "archive", "trim"]
    # A list of devices is 384 bytes, all of this log about 30,000.
    cuts = [1000, 1300, 1700, 2500, 4000, 7000, 12000, 18000, 24000, 29000, 33000]
    async with ward(len(steps) + len(cuts), plugged=False) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        dock = await Dock(archive, badges, "--trim").start()
        try:
            async def pulled_out(badge, step):
                await badge.plug()
                await dock.sees("phase", badge.serial, phase=step)
                badge.unplug()
                await dock.sees("left", location=f"usbip://{badge.server}/1-1")

            async def cut(badge, count):
                badge.limit = count
                await badge.plug()
                await dock.until(lambda: not badge.is_plugged, f"cut of {badge.serial}")
                await dock.sees("left", location=f"usbip://{badge.server}/1-1")

            await asyncio.gather(*[pulled_out(badge, step) for badge, step in zip(badges, steps)],
                                 *[cut(badge, count) for badge, count in zip(badges[len(steps):], cuts)])
            for badge in badges:
                gone = set(badge.pages) - set(left_on(badge))
                if gone:
                    check(archive, badge)
                await badge.plug()
            for badge in badges:
                before = len(dock.told("done", badge.serial))
                await dock.until(lambda: len(dock.told("done", badge.serial)) > 0 and badge.lights[-1:] == ["done"], f"end of {badge.serial} after {before}")
            assert await dock.stop() == 0, dock.messages
        finally:
            await dock.kill()
        for badge in badges:
            check(archive, badge)
            assert badge.lights[-1] == "done", badge.lights


async def case_dock_killed_anywhere_goes_on():
    async with ward(4, pages=12) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        steps = [(step, count) for step in ("identify", "clock", "pull", "check", "archive", "trim") for count in (1, 3)]
        for step, count in steps:
            dock = await Dock(archive, badges, "--trim").start()
            with contextlib.suppress(AssertionError):
                await dock.until(lambda: len(dock.told("phase", phase=step)) >= count or len(dock.told("done")) == len(badges), step)
            await dock.kill()
            for badge in badges:
                gone = set(badge.pages) - set(left_on(badge))
                if gone:
                    kept = {row[:2] for row in archived(archive)[badge.serial] if not row[2]}
                    assert gone <= kept, f"{badge.serial}: erased, and not in the archive: {gone - kept}"
        dock = await Dock(archive, badges, "--trim").start()
        for badge in badges:
            await dock.sees("done", badge.serial)
        assert await dock.stop() == 0, dock.messages
        for badge in badges:
            check(archive, badge)


async def case_dock_leaves_badges_with_the_same_serial_number_apart():
    async with ward(1) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        twin = await Badge(folder, 2, flash, serial=badges[0].serial).start(radio)
        badges.append(twin)
        await twin.plug()
        dock = await Dock(archive, badges, "--trim").start()
        done = await dock.sees("done", twin.serial)
        failed = await dock.sees("failed", twin.serial)
        assert failed["error"]["cause"] == "several-devices" and "retry_seconds" not in failed, failed
        # The other one alone: its log is that of another device.
        first, second = sorted(badges, key=lambda badge: badge.server not in done["location"])
        assert second.server in failed["location"]
        first.unplug()
        await dock.sees("left", location=done["location"])
        second.unplug()
        await dock.sees("left", location=failed["location"])
        await second.plug()
        failed = await dock.sees("failed", twin.serial, times=2)
        assert failed["error"]["cause"] == "usage" and "identifier" in failed["error"]["what"], failed
        assert second.lights[-1] == "failed"
        assert await dock.stop() == 0, dock.messages
        check(archive, first)
        assert left_on(second) == second.pages, "the other one's log is untouched"


async def case_dock_is_not_held_up_by_hostile_badges():
    async with ward(2) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        page = flash[:4096]
        hostile = [
            # A log of a million pages, nonsense as pages, no answer from some request on, and a name that a shell would run.
            HostileBadge([b"\0" * (1 << 14)] * 40, status={"first": 1, "last": 1 << 20, "page": 1 << 14, "open": 1}, texts={"n": "endless"}),
            HostileBadge([bytes([place]) * 4096 for place in range(40)], texts={"n": "nonsense"}),
            HostileBadge([page, page], texts={"n": "stalls"}, stalls=0),
            HostileBadge([page, page], texts={"n": "stalls late"}, stalls=5),
            HostileBadge([page], status={"first": 1, "last": 0}, texts={"n": f"../$(touch {folder}/broken);'\"\n`"}),
        ]
        for one in hostile:
            one.plug()
        hook = folder / "hook"
        hook.write_text(f"#!/bin/sh\nprintf '%s %s %s\\n' \"$HERALD_RESULT\" \"$HERALD_SERIAL\" \"$HERALD_FOLDER\" >> {folder}/hooked\nexit 3\n")
        hook.chmod(0o755)
        dock = await Dock(archive, [*badges, *(one.server for one in hostile)], "--trim", "--timeout", "1", "--exec", hook).start()
        try:
            for badge in badges:
                await dock.sees("done", badge.serial)
            await dock.sees("failed", "nonsense")
            await dock.sees("failed", "endless")
            await dock.sees("failed", "stalls")
            await dock.sees("failed", "stalls late")
            # An empty log of a device that does not take a date.
            told = await dock.sees("done", location=f"usbip://{hostile[-1].server}/1-1")
            assert "refused to set its clock" in told["result"]["remarks"][0] and "\n" not in told["serial"], told
            assert dock.told("hook-failed", badges[0].serial), "its status is told"
            assert await dock.stop() in (0, 10), dock.messages
        finally:
            await dock.kill()
            for one in hostile:
                one.stop()
        for badge in badges:
            check(archive, badge)
        found = archived(archive)
        assert set(found) - {badge.serial for badge in badges} <= {"stalls late"}, set(found)
        assert not (folder / "broken").exists(), "text from a device was run"
        lines = (folder / "hooked").read_text().splitlines()
        for badge in badges:
            assert f"done {badge.serial} {archive}.devices/{badge.serial}" in lines, lines
        devices = Path(f"{archive}.devices")
        assert all(path.parent == devices and not path.name.startswith(".") for path in devices.iterdir()), list(devices.iterdir())


async def case_dock_waits_for_an_archive_that_another_program_uses():
    async with ward(2) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        dock = await Dock(archive, badges, "--trim").start()
        for badge in badges:
            await dock.sees("done", badge.serial)
            badge.unplug()
        for badge in badges:
            await dock.sees("left", badge.serial)
        late = await Badge(folder, 3, flash).start(radio)
        badges.append(late)
        await late.plug()
        other = sqlite3.connect(archive, isolation_level=None)
        assert await dock.stop() == 0
        dock = await Dock(archive, [late], "--trim").start()
        await dock.sees("arrived")
        other.execute("BEGIN EXCLUSIVE")
        await dock.sees("phase", late.serial, phase="archive")
        assert not dock.told("done", late.serial) and left_on(late) == late.pages
        other.execute("ROLLBACK")
        other.close()
        await dock.sees("done", late.serial)
        assert await dock.stop() == 0, dock.messages
        for badge in badges:
            check(archive, badge)


async def case_dock_erases_nothing_when_the_disk_is_full():
    """The files cannot grow beyond a limit: pages are stored, the archive cannot be written."""
    async with ward(2) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        dock = await Dock(archive, badges[:1], "--trim").start()
        await dock.sees("done", badges[0].serial)
        assert await dock.stop() == 0, dock.messages
        full = ["sh", "-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh"]
        dock = await Dock(archive, badges[1:], "--trim", prefix=full).start()
        failed = await dock.sees("failed", badges[1].serial, times=2)
        assert failed["error"]["cause"] == "storage" and failed["retry_seconds"] == 5, failed
        assert badges[1].lights[-1] == "failed" and left_on(badges[1]) == badges[1].pages
        await dock.stop()
        # With room the pages that are in the folder are added, and the badge's are erased.
        dock = await Dock(archive, badges[1:], "--trim").start()
        done = await dock.sees("done", badges[1].serial)
        assert done["result"]["known_pages"] == 5 and done["result"]["trimmed_pages"] == 5, done
        assert await dock.stop() == 0, dock.messages
        for badge in badges:
            check(archive, badge)


async def case_dock_ends_cleanly():
    async with ward(2, pages=40) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        # In the midst of a pull, whose rest does not come.
        badges[0].stalled_after = 60_000
        dock = await Dock(archive, badges, "--trim", "--timeout", "30").start()
        await dock.sees("done", badges[1].serial)
        await dock.until(lambda: badges[0].stalled_after == 0, "stall")
        assert await dock.stop() == 10, dock.messages
        assert any("SIGTERM" in message and "kept" in message for message in dock.messages), dock.messages
        [failed] = dock.told("failed", badges[0].serial)
        assert "signal" in failed["error"]["what"] and failed["error"]["cause"] == "partial", failed
        here = {row[:2]: row[3] for row in archived(archive)[badges[0].serial]}
        assert 5 < len(here) < 39 and all(badges[0].pages[name] == data for name, data in here.items() if name in badges[0].pages)
        badges[0].stalled_after = None
        badges[0].unplug()
        await badges[0].plug()
        # Without --trim nothing is erased.
        before = left_on(badges[0])
        dock = await Dock(archive, badges).start()
        await dock.sees("done", badges[0].serial)
        assert await dock.stop() == 0, dock.messages
        check(archive, badges[0])
        assert left_on(badges[0]) == before
        check(archive, badges[1])


async def case_dock_ends_at_once_by_a_second_signal():
    """The first signal waits for the response to a request, which does not come; the second ends the program, as that signal does. What came is kept."""
    async with ward(2, pages=40) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        stalled, other = badges
        for first, second in ((signal.SIGINT, signal.SIGINT), (signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGHUP)):
            stalled.stalled_after = 40_000
            dock = await Dock(archive, badges, "--trim", "--timeout", "600").start()
            await dock.sees("done", other.serial)
            await dock.until(lambda: stalled.stalled_after == 0, "stall")
            os.kill(dock.process.pid, first)
            await dock.until(lambda: any(f"ending, as {first.name} said" in message for message in dock.messages), "the first signal's message")
            assert await dock.stop(second) == -second, dock.messages
            left = left_on(stalled)
            assert all(left.get(name) == data for name, data in stalled.pages.items()), "erased although the log is not in the archive"
            check(archive, other)
            stalled.stalled_after = None
            stalled.unplug()
            await stalled.plug()
        dock = await Dock(archive, badges, "--trim").start()
        done = await dock.sees("done", stalled.serial)
        # Of 40,000 bytes each time some pages were kept.
        assert done["result"]["new_pages"] < 40 and done["result"]["trimmed_pages"] == 39, done
        assert await dock.stop() == 0, dock.messages
        for badge in badges:
            check(archive, badge)


async def case_dock_opens_badges_with_keys():
    async with ward(3) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        closed = await Badge(folder, 4, flash, stay_open=False).start(radio)
        badges.append(closed)
        await closed.plug()
        keys = folder / "keys"
        keys.mkdir(mode=0o700)
        plan = folder / "plan.yml"
        plan.write_text(f"access-key: '{keys}/{{serial}}.key'\n")
        for badge in badges[:2]:
            status, _, err = await run("herald-host", "provision", plan, "--generate", "--device", f"usbip://{badge.server}")
            assert status == 0, err
        # The second one's key is another one here.
        (keys / f"{badges[1].serial}.key").write_bytes(bytes(32))
        servers = [word for badge in badges for word in ("--usbip", badge.server)]
        once = ["herald-host", "dock", "--archive", archive, "--once", "--json", "--trim", *servers, "--key-file", f"{keys}/{{serial}}.key"]
        status, out, err = await run(*once)
        rows = {row["serial"]: row for row in json.loads(out)["devices"]}
        assert status == 10, (status, err)
        # One without a key is collected if it was told to stay open.
        for badge in badges[:3:2]:
            assert rows[badge.serial]["result"]["trimmed_pages"] == 5
            check(archive, badge)
        for badge in [badges[1], closed]:
            assert rows[badge.serial]["error"]["cause"] == "refused", rows[badge.serial]
            assert left_on(badge) == badge.pages and "done" not in badge.lights
        assert set(archived(archive)) == {badge.serial for badge in badges[:3:2]}


async def sealed_log(folder):
    """The bytes of a node's log whose second page is closed and sealed for the key `ward` in a folder, and the node's serial number."""
    async with World() as world:
        for name in ("ward", "other"):
            status, _, err = await run("herald-host", "owner-key", "make", folder / name)
            assert status == 0, err
        phone = await world.android(1, advertising_interval=100)
        node = await world.node("--link", "tcp:0")
        await node.has_read(phone)
        # Each key ends the page; the page of the first key gets readings.
        for name, count in (("ward", 5), ("other", 1)):
            status, _, err = await run("herald-host", "config", "set", "log/owner-key", folder / f"{name}.pub", "--device", node.link)
            assert status == 0, err
            while True:
                await pull(node.link, folder / "out")
                found = sorted((folder / "out" / "pages").glob("*.page"))
                records = [record for path in found if log_opener.is_sealed(path.read_bytes())
                           for record in log_opener.decode(path.read_bytes(), (folder / name).read_bytes(), node.facts["serial-number"][0].encode())[1]
                           ] if name == "ward" else [1] * (len(found) - 2)
                if len(records) >= count:
                    break
        await node.stop()
        shutil.rmtree(folder / "out")
        flash = (world.folder / "storage" / "log.flash").read_bytes()
        return flash, node.facts["serial-number"][0]


async def case_dock_opens_sealed_pages_with_the_owners_key():
    folder = Path(tempfile.mkdtemp(prefix="herald-dock-"))
    try:
        flash, serial = await sealed_log(folder)
        async with SilentRadio() as radio:
            badge = await Badge(folder, 1, flash, serial=serial).start(radio)
            try:
                await badge.plug()
                sealed = [page for page in badge.pages.values() if log_opener.is_sealed(page)]
                clear = [page for page in badge.pages.values() if not log_opener.is_sealed(page)]
                assert len(sealed) == 1 and clear, (len(sealed), len(clear))
                words = ("herald-host", "dock", "--once", "--json", "--usbip", badge.server)
                records = log_opener.decode(sealed[0], (folder / "ward").read_bytes(), serial.encode())[1]
                readings = sum(record["event"] == "measured" for record in records)
                # With the keys they are opened at once: the badge's start has closed the page of the other key.
                archive, other = folder / "ward.sqlite", folder / "other.sqlite"
                status, out, err = await run(*words, "--archive", other, "--owner-key", folder / "ward", "--owner-key", folder / "other")
                assert status in (0, 10), (status, err)
                told = json.loads((await run("herald-host", "archive", "show", "--archive", other, "--json"))[1])
                assert told["sealed_pages"] == 0 and told["pages"] >= len(clear) + 2 and told["readings"] >= readings >= 5, told
                # Without a key they are in the folder and in the archive as they are, and the device may erase them.
                status, out, err = await run(*words, "--trim", "--archive", archive)
                assert status in (0, 10), (status, err)
                [row] = json.loads(out)["devices"]
                assert row["result"]["new_pages"] >= 2 and row["result"]["trimmed_pages"] == len(clear) + 2, row
                assert sealed[0] not in left_on(badge).values()
                assert sealed[0] in [path.read_bytes() for path in Path(row["result"]["folder"]).glob("pages/*.page")]
                out = json.loads((await run("herald-host", "archive", "show", "--archive", archive, "--json"))[1])
                assert out["sealed_pages"] == 2 and out["readings"] < told["readings"], out
                # Later they are opened, elsewhere, without the folders, each with its key.
                status, out, err = await run("herald-host", "archive", "add", "--archive", archive, "--owner-key", folder / "other", "--json")
                assert status == 10 and "sealed" in err and json.loads(out)["new_pages"] == 1, (status, out, err)
                status, out, err = await run("herald-host", "archive", "add", "--archive", archive, "--owner-key", folder / "ward", "--json")
                assert status == 0 and json.loads(out)["new_pages"] == 1, (status, out, err)
                status, out, err = await run("herald-host", "archive", "show", "--archive", archive, "--json")
                assert json.loads(out)["readings"] >= readings, out
            finally:
                await badge.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def dated(badge, date):
    """Gives a badge a date, as another host would."""
    line = await smp_line.Line.open(badge.node.link)
    assert await Host(line).plain(2, 0, 4, {"datetime": date.strftime("%Y-%m-%dT%H:%M:%S.000")}) == {}
    line.close()


async def case_dock_believes_nobodys_date_blindly():
    """A badge whose date is another one is collected, keeps its date, and is named; `--trust-clock` sets it. One without a date gets one."""
    async with ward(3, "--link", "tcp:0", "--clock", "host") as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        ahead, behind, without = badges
        now = datetime.datetime.now(datetime.timezone.utc)
        await dated(ahead, now + datetime.timedelta(days=60))
        await dated(behind, now - datetime.timedelta(days=14))
        servers = [word for badge in badges for word in ("--usbip", badge.server)]
        once = ["herald-host", "dock", "--archive", archive, "--once", *servers]
        status, out, err = await run(*once, "--json", "--trim")
        rows = {row["serial"]: row["result"] for row in json.loads(out)["devices"]}
        assert status == 0, (status, err)
        for badge, days in ((ahead, 60), (behind, 14)):
            told = rows[badge.serial]
            assert told["clock"] == "refused" and not told["clock_set"], told
            assert any(f": {days} days apart" in remark and "this computer says" in remark and "--trust-clock" in remark for remark in told["remarks"]), told
        assert rows[without.serial]["clock"] == "set", rows
        for badge in badges:
            check(archive, badge)
        status, out, err = await run("herald-host", "time", "sync", "--device", ahead.node.link)
        assert status == 16 and "60 days apart" in err and "--trust-clock" in err, (status, err)
        status, out, err = await run(*once)
        assert out.count("NOT SET") == 2 and "14 days apart" in err and "battery" not in err, (out, err)
        status, out, err = await run(*once, "--json", "--trust-clock")
        rows = {row["serial"]: row["result"] for row in json.loads(out)["devices"]}
        assert [rows[badge.serial]["clock"] for badge in badges] == ["set", "set", "right"], rows
        # The records of the wrong date remain, and are no reason any more.
        status, out, err = await run(*once, "--json")
        rows = {row["serial"]: row["result"] for row in json.loads(out)["devices"]}
        assert status == 0 and all(rows[badge.serial]["clock"] in ("right", "set") for badge in badges), (status, rows)


async def case_dock_says_who_has_not_come():
    async with ward(3) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        people = folder / "people.csv"
        names = ["Anna", "Ben", "Carl"]
        people.write_text("serial,name\n" + "".join(f"{badge.serial},{name}\n" for badge, name in zip(badges, names)) + "ffffffffffffffff,Dora\n")
        servers = [word for badge in badges for word in ("--usbip", badge.server)]
        once = ["herald-host", "dock", "--archive", archive, "--once", *servers]
        status, out, err = await run(*once, "--people", people)
        assert status == 0 and "3 of 4 collected, missing: Dora" in out and all(name in out for name in names), (status, out, err)
        assert "LOG FREE" in out and "of 256 pages" in out and "BATTERY" in out, out
        # The archive has the persons from now on.
        told = json.loads((await run(*once, "--json"))[1])
        assert told["summary"] == "3 of 4 collected, missing: Dora", told
        assert sorted(row["result"]["person"] for row in told["devices"]) == names, told
        assert all(0 < row["result"]["room"]["free_pages"] < row["result"]["room"]["pages"] == 256 for row in told["devices"]), told
        dock = await Dock(archive, badges).start()
        for badge, name in zip(badges, names):
            done = await dock.sees("done", badge.serial)
            assert done["person"] == name, done
        await dock.until(lambda: any(row.get("collected") == "3 of 4 collected, missing: Dora" for row in dock.told("done")), "the summary")
        assert await dock.stop() == 0, dock.messages
        status, out, err = await run("herald-host", "devices", "--archive", archive, "--usbip", badges[0].server, "--json")
        told = json.loads(out)
        assert [row["person"] for row in told["devices"]] == ["Anna"] and told["summary"] == "1 of 4 here, missing: Ben, Carl, Dora", told
        status, out, err = await run("herald-host", "status", "--all", *servers, "--people", people)
        assert status == 0 and "3 of 4 here, missing: Dora" in out and all(name in out for name in names) and "LOG FREE" in out, (out, err)


async def case_dock_collects_twelve_badges_with_folders_at_the_first_attempt():
    """Folders of an earlier run are added while their badges, plugged in already, are collected: neither waits for the other in vain."""
    async with ward(12, pages=180) as (folder, badges, radio, flash):
        for start in range(3):
            # The second archive is new: all pages of all folders are added.
            # 2,160 pages are decoded, which takes its time on a busy machine.
            dock = await Dock(folder / f"ward-{start}.sqlite", badges, "--output", folder / "devices", patience=5 * PATIENCE).start()
            for badge in badges:
                await dock.sees("done", badge.serial)
            assert await dock.stop() == 0, dock.messages
            assert not dock.told("failed") and len(dock.told("done")) == 12, (start, dock.told("failed"))
        for badge in badges:
            check(folder / "ward-2.sqlite", badge)


async def case_dock_service_is_valid_and_confined():
    unit = (ROOT / "packaging" / "herald-dock.service").read_text()
    if shutil.which("systemd-analyze") is None:
        return print("  systemd-analyze is not there: the unit was not checked (package systemd)")
    folder = Path(tempfile.mkdtemp(prefix="herald-dock-"))
    try:
        # The program is that of this build, which has to accept the command line.
        path = folder / "herald-dock.service"
        path.write_text(unit.replace("/usr/bin/herald-host", program("herald-host")))
        status, out, err = await ended("systemd-analyze", "verify", "--man=no", path)
        assert status == 0 and not out and not err, out + err
        broken = folder / "herald-broken.service"
        broken.write_text(unit.replace("ProtectSystem=strict", "ProtectSystem=perhaps"))
        status, out, err = await ended("systemd-analyze", "verify", "--man=no", broken)
        assert "perhaps" in out + err, "the check finds faults"
        status, out, err = await ended("systemd-analyze", "security", "--offline=true", "--threshold=25", path)
        assert status == 0, f"exposed: {out[-200:]}{err}"
        [start] = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
        words = start.split()[1:]
        words = [word.replace("${STATE_DIRECTORY}", str(folder)) for word in words if word != "$HERALD_DOCK_OPTIONS"]
        status, out, err = await run("herald-host", *words, "--once")
        assert status in (2, 6), (status, err)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def case_dock_collects_fifty_badges_at_once():
    async with ward(50, pages=20) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        servers = [word for badge in badges for word in ("--usbip", badge.server)]
        status, out, err = await run("herald-host", "dock", "--archive", archive, "--once", "--json", "--trim", *servers)
        assert status == 0, (status, err)
        assert len(json.loads(out)["devices"]) == 50
        for badge in badges:
            check(archive, badge)
            assert badge.lights[-1] == "done"


async def case_dock_collects_devices_of_libusb():
    """In place of the kernel's USB, Tests/Umock."""
    async with ward(3) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        for options in ([], ["--trim"]):
            status, out, err = await plugged_in(
                [badge.node for badge in badges], "dock", "--archive", archive, "--once", "--json", *options)
            assert status == 0, (status, err)
            rows = json.loads(out)["devices"]
            assert sorted(row["location"] for row in rows) == ["usb:1-1", "usb:1-2", "usb:1-3"], rows
            for badge in badges:
                check(archive, badge)
                assert badge.lights[-1] == "done"
        assert all(row["result"]["trimmed_pages"] == 5 for row in rows)
        # A device that is pulled out is told of, and kept as far as it came.
        archive = folder / "other.sqlite"
        status, out, err = await plugged_in(
            [badges[0].node], "dock", "--archive", archive, "--once", "--json", options=["--vanish", "400"])
        [row] = json.loads(out)["devices"]
        assert status in (2, 6) and row["error"]["cause"] in ("link", "no-device"), (status, out, err)


async def case_dock_learns_of_devices_by_the_callbacks_of_libusb():
    async with ward(2) as (folder, badges, radio, flash):
        archive = folder / "ward.sqlite"
        lines = folder / "control"
        os.mkfifo(lines)
        dock = await Dock(archive, [], "--trim", prefix=[usb_device(), "--control", str(lines), "--"]).start()
        try:
            with open(lines, "w", buffering=1) as control:
                for number, badge in enumerate(badges, 1):
                    control.write(f"plug {badge.far}\n")
                    done = await dock.sees("done", badge.serial)
                    assert done["location"] == f"usb:1-{number}", done
                control.write("unplug 1\n")
                await dock.sees("left", badges[0].serial)
                assert not dock.told("left", badges[1].serial)
        finally:
            await dock.kill()
        for badge in badges:
            check(archive, badge)
