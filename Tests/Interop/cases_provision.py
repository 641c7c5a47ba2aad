"""Provisioning of devices: settings, payloads and access keys, for one and for many."""

import datetime
import json

import smp_line
from cases_session import Host
from node import run
from world import World, until


async def host(*words):
    """The output of herald-host, which must succeed."""
    status, out, err = await run("herald-host", *words)
    assert status == 0, f"{words}: {status}, {err.strip()}"
    return out


async def case_settings_are_shown_changed_and_set_back():
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        device = ("--device", node.link)
        rows = {row["name"]: row for row in json.loads(await host("config", "list", "--json", *device))["settings"]}
        assert set(rows) >= {"log/keep-days", "radio/setting", "advertising/interval-ms", "access/key"}, rows
        assert rows["access/key"]["text"] == "not set" and "value" not in rows["access/key"]
        await host("config", "set", "log/keep-days", "7", *device)
        await host("config", "set", "radio/setting", "saver", *device)
        assert (await host("config", "get", "log/keep-days", *device)).strip() == "7"
        table = await host("config", "list", *device)
        assert "7 days" in table and "saver" in table, table
        await host("config", "unset", "log/keep-days", *device)
        assert (await host("config", "get", "log/keep-days", *device)).strip() == str(rows["log/keep-days"]["value"])
        for words in (["log/keep-days", "3651"], ["log/keep-days", "saver"], ["radio/setting", "loud"], ["no/such", "1"]):
            status, out, err = await run("herald-host", "config", "set", *words, *device)
            assert status == 64 and "→" in err, (words, status, err)


async def case_clocks_and_settings_of_many_devices_at_once():
    async with World() as world:
        nodes = [await world.node("--link", "tcp:0", "--clock", "host"), await world.another_node(2, "--link", "tcp:0", "--clock", "host")]
        serials = [node.facts["serial-number"][0] for node in nodes]
        devices = [word for node in nodes for word in ("--device", node.link)]

        async def told(*words):
            rows = json.loads(await host(*words, "--json", *devices))
            assert rows["failed"] == 0 and [row["serial"] for row in rows["devices"]] == serials, rows
            return [row["result"].get("settings", row["result"]) for row in rows["devices"]]

        assert [row["was_set"] for row in await told("time", "sync")] == [False, False]
        assert all(row["was_set"] and abs(row["drift_milliseconds"]) < 60_000 for row in await told("time", "sync"))
        assert "UTC" in await host("time", "sync", *devices)
        assert [row[0]["value"] for row in await told("config", "set", "log/keep-days", "9")] == [9, 9]
        await host("config", "set", "log/keep-days", "8", "--device", nodes[1].link)
        assert [row[0]["text"] for row in await told("config", "get", "log/keep-days")] == ["9 days", "8 days"]
        assert [[one["value"] for one in row if one["name"] == "log/keep-days"] for row in await told("config", "list")] == [[9], [8]]
        table = await host("config", "list", *devices)
        assert all(word in table for word in [*serials, "log/keep-days", "access/key", "9 days", "8 days", "not set"]), table
        assert [row[0]["value"] for row in await told("config", "unset", "log/keep-days")] == [14, 14]
        # A failure of one device does not affect the others.
        for serial in serials:
            (world.folder / f"{serial}.key").write_bytes(serial.encode() * 2)
            (world.folder / f"{serial}.key").chmod(0o600)
        keys = world.folder / "{serial}.key"
        assert [row[0]["text"] for row in await told("config", "set", "access/key", keys, "--new-device")] == ["set", "set"]
        status, out, err = await run(
            "herald-host", "config", "set", "radio/setting", "saver", "--json", "--key-file", world.folder / f"{serials[0]}.key", *devices)
        rows = json.loads(out)
        assert status == 10 and rows["failed"] == 1 and "not its access key" in rows["devices"][1]["error"]["what"], (status, rows)
        assert rows["devices"][0]["result"]["settings"][0]["text"] == "saver", rows
        status, out, err = await run("herald-host", "doctor", "--json", "--key-file", keys, "--device", nodes[0].link)
        [device] = json.loads(out)["devices"]
        found = {finding["subject"]: finding for finding in device["findings"]}
        assert " of 256, and none was ever overwritten" in found["log"]["what"], (found, err)


async def case_provisioning_makes_many_devices_at_once():
    async with World() as world:
        nodes = [await world.node("--link", "tcp:0", payload="stored"), await world.another_node(2, "--link", "tcp:0", payload="stored")]
        serials = [node.facts["serial-number"][0] for node in nodes]
        devices = [word for node in nodes for word in ("--device", node.link)]
        file = world.folder / "badges.yml"
        file.write_text(
            "access-key: keys/{serial}.key\nsettings:\n  log/keep-days: 21\n  access/stay-open: yes\n"
            "payload:\n  family: fixed\n  country: 826\n  state: 4\n  identifier: random\n")
        status, _, err = await run("herald-host", "provision", file, *devices)
        assert status != 0 and "keys/" in err, (status, err)
        out = await host("provision", file, "--generate", "--json", *devices)
        told = json.loads(out)
        assert told["failed"] == 0 and all(
            row["result"] == {"clock_set": False, "settings": 2, "reset": [], "payload": "fixed", "access_key_set": True, "debug_port": "unknown"} for row in told["devices"]), told
        keys = [world.folder / "keys" / f"{serial}.key" for serial in serials]
        assert all(key.stat().st_size == 32 and key.stat().st_mode & 0o777 == 0o600 for key in keys)
        assert keys[0].read_bytes() != keys[1].read_bytes() and keys[0].parent.stat().st_mode & 0o777 == 0o700
        assert not any(key.read_bytes().hex() in out.lower() for key in keys)

        # Locked: the identification can be read, the log cannot, and nothing can be changed.
        device = ("--device", nodes[0].link)
        await host("info", *device)
        await host("status", *device)
        for words in (["log", "pull", "--output", world.folder / "no"], ["config", "set", "log/keep-days", "1"], ["payload", "show"]):
            status, out, err = await run("herald-host", *words, *device)
            assert status == 9 and "locked" in err, (words, status, err)
        assert not (world.folder / "no").exists()
        status, _, err = await run("herald-host", "config", "list", *device, "--key-file", keys[1])
        assert status == 9 and "not its access key" in err, (status, err)
        status, _, err = await run("herald-host", "config", "list", *device, "--key-file", keys[0])
        assert status == 9 and "wrong ones have been tried" in err or status == 0, (status, err)

        # Each device accepts its own key; one path with {serial} names those of all.
        device = ("--device", nodes[1].link, "--key-file", world.folder / "keys" / "{serial}.key")
        await host("log", "pull", "--output", world.folder / "yes", *device)
        rows = {row["name"]: row for row in json.loads(await host("config", "list", "--json", *device))["settings"]}
        assert rows["log/keep-days"]["value"] == 21 and rows["access/key"]["text"] == "set"
        shown = json.loads(await host("payload", "show", "--json", *device))
        assert shown["family"] == "fixed" and shown["bytes"].startswith("083a030400") and len(shown["bytes"]) == 26, shown
        # The same again, with the key named in the file.
        told = json.loads(await host("provision", file, "--json", "--device", nodes[1].link))
        assert told["access_key_set"] and told["payload"] == "fixed", told
        again = json.loads(await host("payload", "show", "--json", *device))
        assert again["bytes"] != shown["bytes"]
        phone = await world.android(1)
        await until(lambda: bytes.fromhex(again["bytes"]) in phone.met.values(), "payload on the air that was pushed")
        await host("config", "unset", "access/key", *device)
        await host("log", "pull", "--output", world.folder / "yes", "--device", nodes[1].link)


async def case_payload_push_derives_the_keys_of_days_here():
    async with World() as world:
        node = await world.node("--link", "tcp:0", payload="stored")
        device = ("--device", node.link)
        file = world.folder / "simple.yml"
        file.write_text("family: simple\ncountry: 826\nstate: 4\nsecret: \"{serial}.secret\"\ndays: 3\nepoch: 2026-01-01\n")
        status, _, err = await run("herald-host", "payload", "push", file, *device)
        assert status == 11 and ".secret" in err, (status, err)
        status, out, err = await run("herald-host", "payload", "push", file, "--generate", *device)
        assert status == 0 and "simple" in out and "made the secret" in err, (status, out, err)
        secret = world.folder / f"{node.facts['serial-number'][0]}.secret"
        assert secret.stat().st_size == 2048 and secret.stat().st_mode & 0o777 == 0o600
        shown = json.loads(await host("payload", "show", "--json", *device))
        assert shown["family"] == "simple" and shown["days_left"] == 3 and "bytes" not in shown, shown
        phone = await world.android(1)
        simple = bytes.fromhex("103a030400")
        await until(lambda: any((payload or b"")[:5] == simple for payload in phone.met.values()), "simple payload on the air")
        # Another payload, and then that of the image.
        (world.folder / "venue.yml").write_text("family: venue\ncountry: 826\nstate: 4\ncode: 123123\nname: Erin's Stakehouse\n")
        out = await host("payload", "push", world.folder / "venue.yml", *device)
        assert "venue" in out
        assert "Erin's Stakehouse" in await host("payload", "show", *device)
        (world.folder / "none.yml").write_text("family: none\n")
        await host("payload", "push", world.folder / "none.yml", *device)
        assert json.loads(await host("payload", "show", "--json", *device))["family"] == "none"


async def case_mistakes_in_a_file_are_named_before_any_device_is_changed():
    async with World() as world:
        node = await world.node("--link", "tcp:0", payload="stored")
        file = world.folder / "wrong.yml"
        for text, words in [("settings:\n  log/keep-days: many\n", "log/keep-days is not to be many"), ("colour: red\n", "line 1"),
                            ("payload:\n  family: fixed\n", "no field country"), ("settings: [1\n", "no YAML"),
                            ("settings:\n  access/key: 00112233\n", "is a secret")]:
            file.write_text(text)
            status, out, err = await run("herald-host", "provision", file, "--device", node.link)
            assert status == 64 and words in err and "00112233" not in err, (text, status, err)
        # A personal payload is not given to two devices.
        file.write_text("payload:\n  family: fixed\n  country: 826\n  identifier: 7\n")
        status, _, err = await run("herald-host", "provision", file, "--device", node.link, "--device", "serial:/dev/null")
        assert status == 64 and "nobody could tell" in err, (status, err)
        assert json.loads(await host("payload", "show", "--json", "--device", node.link))["family"] == "none"


async def case_provision_inherits_nothing():
    """What a stranger set before the owner's first access key is set back; a stranger's owner key is refused, also by config set."""
    async with World() as world:
        node = await world.node("--link", "tcp:0", stay_open=False, payload="stored")
        device = ("--device", node.link)
        stranger = world.folder / "stranger.yml"
        stranger.write_text("family: fixed\ncountry: 826\nidentifier: 666\n")
        await host("payload", "push", stranger, *device)
        for name in ("thief", "ward"):
            await host("owner-key", "make", world.folder / name, "--yes")
        for name, value in (("log/owner-key", world.folder / "thief.pub"), ("log/keep-days", "1"), ("bluetooth/management", "yes")):
            await host("config", "set", name, value, *device)
        plan = world.folder / "plan.yml"
        plan.write_text("access-key: keys/{serial}.key\ntime: true\n")
        key = world.folder / "keys" / f"{node.facts['serial-number'][0]}.key"
        other = world.folder / "other.key"
        other.write_bytes(bytes(range(32)))
        other.chmod(0o600)
        before = await host("config", "list", "--json", *device)
        for words in (("provision", plan, "--generate"), ("provision", plan, "--generate", "--dry-run"), ("config", "set", "access/key", other, "--new-device")):
            status, out, err = await run("herald-host", *words, *device)
            assert status == 16 and "seals its log for the key" in err and "--owner-key-public" in err, (words, status, err)
            assert not key.exists() and await host("config", "list", "--json", *device) == before
        doctor = json.loads((await run("herald-host", "doctor", "--json", *device))[1])["devices"][0]["findings"]
        assert [one["verdict"] for one in doctor if one["subject"] == "sealing"] == ["note"], doctor
        # With the owner's key the stranger's is replaced, and named.
        status, out, err = await run("herald-host", "provision", plan, "--generate", "--owner-key-public", world.folder / "ward.pub", "--json", *device)
        told = json.loads(out)
        assert status == 0 and told["reset"] == ["log/keep-days 1 days", "bluetooth/management yes", "payload fixed"], (told, err)
        assert "was sealed for another key" in err and "log/keep-days 1 days, bluetooth/management yes, payload fixed" in err, err
        opened = (*device, "--key-file", key)
        assert json.loads(await host("payload", "show", "--json", *opened))["family"] == "none"
        rows = {row["name"]: row for row in json.loads(await host("config", "list", "--json", *opened))["settings"]}
        assert rows["log/keep-days"]["value"] == 14 and rows["bluetooth/management"]["value"] == 0, rows
        assert rows["log/owner-key"]["text"] == (world.folder / "ward.pub").read_text().strip(), rows
        for name, verdict in (("ward", "good"), ("thief", "problem")):
            status, out, _ = await run("herald-host", "doctor", "--json", *opened, "--owner-key-public", world.folder / f"{name}.pub")
            found = {one["subject"]: one["verdict"] for one in json.loads(out)["devices"][0]["findings"]}
            assert found["sealing"] == verdict, (name, found)


async def case_provision_of_many_says_each_thing_once():
    """Four badges: a row each, a summary, and each remark once; a payload for all of them is refused before anything is written."""
    async with World() as world:
        nodes = [await world.node("--link", "tcp:0", payload="stored")]
        nodes += [await world.another_node(number, "--link", "tcp:0", payload="stored") for number in (2, 3, 4)]
        serials = [node.facts["serial-number"][0] for node in nodes]
        devices = [word for node in nodes for word in ("--device", node.link)]
        (world.folder / ".git").mkdir()
        file = world.folder / "badges.yml"
        head = "access-key: keys/{serial}.key\npayload:\n  country: 826\n  state: 4\n"
        for family in ("family: venue\n  code: 7\n", "family: fixed\n  identifier: 7\n"):
            file.write_text(f"{head}  {family}")
            for selected in (devices, devices[:2]):
                status, out, err = await run("herald-host", "provision", file, "--generate", *selected)
                assert status == 64 and "nobody could tell who was met" in err and "identifier: random" in err, (status, err)
            assert not (world.folder / "keys").exists()
        file.write_text(f"{head}  family: simple\n  secret: 'secrets/{{serial}}.secret'\n  epoch: 2026-01-01\n")
        status, out, err = await run("herald-host", "provision", file, "--generate", *devices)
        assert status == 0, err
        lines = out.splitlines()
        assert [sum(serial in line for line in lines) for serial in serials] == [1, 1, 1, 1] and lines[-1] == "4 of 4 devices provisioned.", out
        for words in ("wrote 4 new access keys", "made 4 secrets", "4 devices get their first access keys"):
            assert err.count(words) == 1, (words, err)
        assert err.count("\n") <= 4, err
        # Nothing of it can be committed by accident.
        for name in ("keys", "secrets"):
            assert (world.folder / name / ".gitignore").read_text().splitlines()[-1] == "*"


async def case_provision_refuses_a_doubtful_date_before_it_changes_anything():
    """The device's date is that of another host; the keys of `today` follow the same rule."""
    async with World() as world:
        node = await world.node("--link", "tcp:0", "--clock", "host", payload="stored")
        device = ("--device", node.link)
        line = await smp_line.Line.open(node.link)
        date = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=14)
        assert await Host(line).plain(2, 0, 4, {"datetime": date.strftime("%Y-%m-%dT%H:%M:%S.000")}) == {}
        line.close()
        file = world.folder / "badge.yml"
        file.write_text("access-key: key\nsettings:\n  log/keep-days: 3\n")
        push = world.folder / "simple.yml"
        push.write_text("family: simple\ncountry: 826\nsecret: \"{serial}.secret\"\nepoch: 2026-01-01\n")
        before = await host("config", "list", "--json", *device)
        for words in (("provision", file, "--generate"), ("payload", "push", push, "--generate"), ("time", "sync")):
            status, out, err = await run("herald-host", *words, *device)
            assert status == 16 and ": 14 days apart" in err and "--trust-clock" in err, (words, status, err)
        assert await host("config", "list", "--json", *device) == before and not (world.folder / "key").exists()
        told = json.loads(await host("provision", file, "--generate", "--trust-clock", "--json", *device))
        assert told["clock_set"] and told["access_key_set"], told
