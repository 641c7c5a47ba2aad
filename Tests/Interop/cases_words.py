"""The command line: versions, misspelt commands, forms of JSON, exit statuses."""

import asyncio
import json
import re
from datetime import datetime, timedelta, timezone

from node import ended, program, run
from world import World

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


async def case_programs_tell_one_version():
    versions = set()
    for name in ("herald-host", "herald-flash", "herald-node"):
        status, out, err = await run(name, "--version")
        assert status == 0 and re.fullmatch(r"\d+\.\d+\.\d+\n", out), (name, status, out, err)
        versions.add(out)
    assert len(versions) == 1, versions
    # An option of the same name, of a command.
    status, out, err = await run("herald-flash", "convert", "/nowhere.bin", "/nowhere.img", "--version", "1.2.3", "--base", "0")
    assert status == 11 and out == "", (status, out, err)


async def case_unknown_words_name_the_nearest_command():
    for name, words, meant in [
            ("herald-host", ["pul"], "herald-host log pull"), ("herald-host", ["log", "tial"], "herald-host log tail"),
            ("herald-host", ["stauts"], "herald-host status"), ("herald-host", ["payload", "puhs", "x"], "herald-host payload push"),
            ("herald-host", ["help", "pul"], "herald-host log pull"), ("herald-host", ["help", "log", "pul"], "herald-host log pull"),
            ("herald-flash", ["wirte"], "herald-flash write")]:
        status, out, err = await run(name, *words)
        assert status == 64 and f"did you mean `{meant}`?" in err and out == "", (words, status, err)
    status, out, err = await run("herald-host", "frobnicate", "--json")
    assert status == 64 and "--help" in json.loads(out)["error"]["advice"], (status, out)
    for words in (["--help"], ["help"], ["help", "log"], ["help", "log", "pull"], ["log", "pull", "--help"]):
        status, out, err = await run("herald-host", *words)
        assert status == 0 and "USAGE" in out, (words, status, err)
    status, out, err = await run("herald-host", "config", "get", "radio/seting")
    assert status == 64 and "did you mean radio/setting?" in err, (status, err)


async def case_json_has_one_form():
    async with World() as world:
        node = await world.node("--link", "tcp:0", "--usbip", "0", payload="stored")
        device = ("--device", node.link)

        async def told(*words):
            status, out, err = await run("herald-host", *words, "--json", *device)
            assert status == 0, (words, status, err)
            return json.loads(out)

        # One device is an object.
        status_row = await told("status")
        assert DATE.fullmatch(status_row["time"]) and isinstance(status_row["epoch"], int), status_row
        synced = await told("time", "sync")
        assert DATE.fullmatch(synced["time"]) and synced["was_set"], synced
        assert {row["name"] for row in (await told("config", "list"))["settings"]} >= {"log/keep-days"}
        set_row = await told("config", "set", "radio/setting", "saver")
        assert set_row["name"] == "radio/setting" and set_row["text"] == "saver", set_row
        assert await told("config", "get", "radio/setting") == set_row
        assert (await told("config", "unset", "radio/setting"))["text"] == "default"
        payload = world.folder / "payload.yml"
        payload.write_text("family: fixed\ncountry: 826\nidentifier: random\n")
        assert (await told("payload", "push", payload))["family"] == "fixed"
        badges = world.folder / "badges.yml"
        badges.write_text("settings:\n  log/keep-days: 21\n")
        assert (await told("provision", badges))["settings"] == 1
        pulled = (await told("log", "pull", "--output", world.folder / "log"))["pull"]
        assert pulled["epoch"] == status_row["epoch"], pulled
        # Many are an array.
        server = node.usbip.removeprefix("usbip://").split("/")[0]
        status, out, err = await run("herald-host", "devices", "--usbip", server, "--json")
        assert status == 0 and len(json.loads(out)["devices"]) == 1, (status, out, err)
        status, out, err = await run("herald-host", "payload", "push", payload, "--all", "--usbip", server, "--json")
        assert status == 0 and json.loads(out)["devices"][0]["result"]["family"] == "fixed", (status, out, err)
        # So are lists of other things.
        status, out, err = await run("herald-flash", "boards", "--json")
        assert status == 0 and "microbit" in {board["name"] for board in json.loads(out)["boards"]}, (status, out, err)
        status, out, err = await run("herald-flash", "list", "--usbip", server, "--json")
        assert status == 0 and len(json.loads(out)["devices"]) == 1, (status, out, err)
        # A failure is an object on standard output, and text on standard error.
        for words, status in [(["info", "--device", "serial:/dev/null"], 64), (["info", "--device", "/dev/nowhere"], 2), (["info", "--nope"], 64)]:
            ended_with, out, err = await run("herald-host", *words, "--json")
            error = json.loads(out)["error"]
            assert ended_with == status == error["exit_status"] and error["what"] and err, (words, ended_with, out, err)
        # Without --json a setting is printed as a word if it has one.
        status, out, err = await run("herald-host", "config", "get", "radio/setting", *device)
        assert status == 0 and out == "default\n", (status, out)


async def case_keys_from_today_and_their_dates():
    async with World() as world:
        secret, keys = world.folder / "secret", world.folder / "keys"
        epoch = (datetime.now(timezone.utc) - timedelta(days=100)).strftime("%Y-%m-%d")
        before = datetime.now(timezone.utc).date()
        status, out, err = await run(
            "herald-host", "payload", "simple", "--secret", secret, "--generate", "--country", "826", "--from", "today", "--days", "3",
            "--epoch", epoch, "--output", keys, "--json")
        assert status == 0, err
        told = json.loads(out)
        days = {str(before), str(datetime.now(timezone.utc).date())}
        assert told["from"][:10] in days and DATE.fullmatch(told["from"]) and DATE.fullmatch(told["until"]) and told["days"] == 3, told
        node = await world.node("--link", "tcp:0", payload="stored")
        file = world.folder / "payload.yml"
        file.write_text(f"family: simple\ncountry: 826\nsecret: {secret}\nfrom: today\ndays: 3\nepoch: {epoch}\n")
        status, out, err = await run("herald-host", "payload", "push", file, "--device", node.link, "--json")
        shown = json.loads(out)
        assert status == 0 and shown["days_left"] == 3 and DATE.fullmatch(shown["until"]), (status, out, err)
        # A few remaining days are a note of doctor.
        status, out, err = await run("herald-host", "doctor", "--device", node.link, "--json")
        found = {finding["subject"]: finding for finding in json.loads(out)["devices"][0]["findings"]}
        assert found["payload"]["verdict"] == "note" and "3 more days" in found["payload"]["what"], found
        assert found["radio"]["verdict"] == "good", found
        status, out, err = await run("herald-host", "payload", "simple", "--secret", world.folder / "none", "--country", "1", "--from", "today",
                                     "--output", keys)
        assert status == 11 and "--generate" in err, (status, err)


async def case_doctor_finds_the_badge_that_advertises_nothing():
    async with World() as world:
        node = await world.node("--link", "tcp:0", payload="stored")
        file = world.folder / "none.yml"
        file.write_text("family: none\n")
        await run("herald-host", "payload", "push", file, "--device", node.link)
        status, out, err = await run("herald-host", "doctor", "--device", node.link, "--json")
        told = json.loads(out)
        found = {finding["subject"]: finding for finding in told["devices"][0]["findings"]}
        assert found["payload"]["verdict"] == "problem" and "advertises nothing" in found["payload"]["what"], found
        # Problems of the computer are distinguished from those of the device.
        expected = 1 if any(finding["verdict"] == "problem" for finding in told["computer"]) else 17
        assert status == expected, (status, told)


async def case_a_payload_that_is_fixed_is_said_to_be():
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        file = world.folder / "payload.yml"
        file.write_text("family: fixed\ncountry: 826\nidentifier: random\n")
        status, out, err = await run("herald-host", "payload", "push", file, "--device", node.link)
        assert status == 9 and "its own is fixed" in err and "--payload stored" in err, (status, err)


async def case_a_path_is_a_serial_line_and_tail_can_be_quiet():
    async with World() as world:
        node = await world.node("--link", "pty")
        [path] = node.facts["link"]
        path = path.removeprefix("pty:")
        assert path.startswith("/dev/"), node.facts
        status, out, err = await run("herald-host", "info", "-d", path)
        assert status == 0 and node.facts["serial-number"][0] in out, (status, err)
        phone = await world.android(1)
        await node.has_read(phone)
        status, out, err = await run("herald-host", "log", "tail", "--quiet", "--seconds", "2", "-d", path)
        assert status == 0 and out == "" and err == "", (status, out, err)
        # A missing confirmation is not an error of the command line.
        status, out, err = await run("herald-host", "factory-reset", "-d", path)
        assert status == 16 and "not confirmed" in err, (status, err)


async def case_a_simulated_maximum_is_one():
    for seed in range(1, 6):
        status, out, err = await run("herald-host", "simulate", "--devices", "4", "--hours", "0.05", "--seed", str(seed), "--json")
        told = json.loads(out)
        assert status == 0 and told["seconds_until_read99"] <= told["longest_seconds_until_read"], told


async def case_simulated_floods_are_compared_with_none():
    told = {}
    for words in ([], ["--flood", "unanswered"], ["--flood", "silent", "--flood-rate", "20"]):
        status, out, err = await run("herald-host", "simulate", "--devices", "2", "--hours", "0.1", *words, "--json")
        assert status == 0, (words, err)
        told[words[1] if words else None] = json.loads(out)
    quiet = told[None]["charge_per_hour"]
    assert "flood" not in told[None]
    for kind, rate in (("unanswered", 10), ("silent", 20)):
        assert told[kind]["flood"] == {"kind": kind, "addresses_per_second": rate, "charge_per_hour_without": quiet}, told[kind]
        assert told[kind]["charge_per_hour"] > quiet and told[kind]["attempts"] > told[None]["attempts"], told
    status, out, err = await run("herald-host", "simulate", "--devices", "2", "--hours", "0.05", "--flood", "silent")
    assert status == 0 and "without the flood" in out and "times as much" in out, (out, err)
    status, _, err = await run("herald-host", "simulate", "--flood-rate", "5")
    assert status == 64 and "--flood" in err, (status, err)


async def case_completion_knows_settings_and_devices():
    status, script, err = await run("herald-host", "--generate-completion-script", "bash")
    assert status == 0 and "radio/setting" in script and "saver" in script, err
    # The script requests the devices from the program.
    asked = re.findall(r"---completion ([a-z -]+ --device)", script)
    assert asked, script[:2000]
    for words in (["info"], ["log", "pull"]):
        status, out, err = await ended(program("herald-host"), "---completion", *words, "--", "--device", "0", "0", "")
        assert status == 0, (words, status, err)


async def case_images_are_found_away_from_the_sources():
    async with World() as world:
        folder = world.folder / "images" / "microbit"
        folder.mkdir(parents=True)
        (folder / "wearable.hex").write_text(":00000001FF\n")
        process = await asyncio.create_subprocess_exec(
            program("herald-flash"), "write", "--board", "microbit", "--to", "drive:/nowhere", "--yes", "--unsigned", cwd="/",
            env={"HERALD_IMAGES": str(world.folder / "images"), "PATH": "/usr/bin"}, stderr=asyncio.subprocess.PIPE)
        _, err = await process.communicate()
        assert process.returncode == 1 and str(folder) in err.decode(), err
        process = await asyncio.create_subprocess_exec(
            program("herald-flash"), "write", "--board", "microbit", "--to", "drive:/nowhere", "--yes", "--unsigned", cwd="/",
            env={"HERALD_IMAGES": "/nowhere", "PATH": "/usr/bin"}, stderr=asyncio.subprocess.PIPE)
        _, err = await process.communicate()
        assert process.returncode == 11 and b"script/build microbit" in err and b"HERALD_IMAGES" in err, err


async def case_every_command_has_an_example_in_its_help():
    """All commands of all programs, as the programs list them themselves."""
    def commands(command, above):
        name = [*above, command["commandName"]]
        yield name, command
        for inner in command.get("subcommands", []):
            if inner["commandName"] != "help":
                yield from commands(inner, name)

    missing = []
    for program_name in ("herald-host", "herald-flash", "herald-node", "herald-controller"):
        status, out, err = await run(program_name, "--experimental-dump-help")
        assert status == 0, err
        for name, command in commands(json.loads(out)["command"], []):
            # In a sentence of its own, or as a line of several commands.
            found = re.findall(r"^ *(?:Example: `)?(herald-[^`\n]+)`?$", command.get("discussion", ""), re.MULTILINE)
            # The example is one of this command, or of one below it.
            if not any(example.split()[:len(name)] == name for example in found):
                missing.append(" ".join(name))
    assert not missing, f"no example in the help of: {', '.join(missing)}"
