"""Many devices pulled concurrently: each into its own folder; an error of one does not affect the others."""

import asyncio
import json

import log_pages
from node import contacts, run
from world import World


async def silent():
    """A port that accepts connections and never responds, and its server."""
    async def accept(reader, writer):
        await reader.read()
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


async def case_many_devices_are_pulled_at_once():
    async with World() as world:
        phone = await world.android(1)
        nodes = [await world.node("--usbip", "0"), await world.another_node(2, "--usbip", "0"),
                 await world.another_node(3, "--link", "tcp:0")]
        for node in nodes:
            await node.has_read(phone)
        serials = [node.facts["serial-number"][0] for node in nodes]
        output = world.folder / "all"
        servers = [word for node in nodes[:2] for word in ("--usbip", node.usbip.removeprefix("usbip://").split("/")[0])]
        pull = ["herald-host", "log", "pull", "--all", *servers, "--device", nodes[2].link, "--output", output]
        status, out, err = await run(*pull)
        assert status == 0, err
        assert all(serial in out for serial in serials) and "\x1b" not in err, (out, err)
        assert sorted(path.name for path in output.iterdir()) == sorted(serials)
        for serial in serials:
            assert any(row["read"] for row in contacts(output / serial)), serial
            assert (output / serial / "conversion.state").exists()
        # A server without a response fails alone; the other devices are pulled, and the exit status is that of a partial result.
        server, port = await silent()
        status, out, err = await run(*pull, "--device", f"serial:tcp:127.0.0.1:{port}", "--json")
        server.close()
        told = json.loads(out)
        assert status == 10 and told["failed"] == 1, (status, err)
        rows = {row["serial"]: row for row in told["devices"]}
        assert {serial for serial in rows if serial} == set(serials)
        assert rows[""]["error"]["cause"] == "no-answer" and str(port) in rows[""]["location"] and str(port) in err
        assert all(rows[serial]["result"]["pull"]["is_complete"] for serial in serials)
        # The same device on two links is not pulled twice into one folder.
        server = nodes[0].usbip.removeprefix("usbip://")
        status, _, err = await run(
            "herald-host", "log", "pull", "--device", nodes[2].link, "--device", f"usbip://{server}", "--output", world.folder / "two")
        assert status == 0, err
        assert sorted(path.name for path in (world.folder / "two").iterdir()) == sorted([serials[2], serials[0]])


async def case_devices_with_the_same_serial_number_are_left_alone():
    async with World() as world:
        node = await world.node("--usbip", "0", "--link", "tcp:0")
        output = world.folder / "all"
        status, _, err = await run(
            "herald-host", "log", "pull", "--device", node.link, "--device", node.usbip, "--output", output)
        assert status == 3, (status, err)
        assert "2 devices call themselves" in err and not output.exists()


async def case_a_pull_of_all_without_devices_says_so():
    async with World() as world:
        status, _, err = await run("herald-host", "log", "pull", "--all", "--output", world.folder / "all")
        assert status in (2, 6) and "herald-host: " in err, (status, err)
        status, _, err = await run("herald-host", "log", "pull", "--usbip", "localhost", "--output", world.folder / "all")
        assert status == 64 and "--all" in err, (status, err)


async def case_status_counters_and_erasure_of_many_devices():
    async with World() as world:
        phone = await world.android(1)
        nodes = [await world.node("--usbip", "0"), await world.another_node(2, "--usbip", "0")]
        for node in nodes:
            await node.has_read(phone)
        serials = [node.facts["serial-number"][0] for node in nodes]
        servers = [word for node in nodes for word in ("--usbip", node.usbip.removeprefix("usbip://").split("/")[0])]
        status, out, err = await run("herald-host", "status", "--all", *servers, "--json")
        assert status == 0, err
        rows = {row["serial"]: row["result"] for row in json.loads(out)["devices"]}
        assert set(rows) == set(serials) and all(row["last"] >= 1 and row["access"] == "open" for row in rows.values()), rows
        status, out, err = await run("herald-host", "status", "--all", *servers)
        assert status == 0 and all(serial in out for serial in serials) and "not set" not in out, out + err
        # One device as before: no table of devices.
        status, out, err = await run("herald-host", "status", "--device", nodes[0].usbip, "--json")
        assert status == 0 and json.loads(out)["location"] == nodes[0].usbip, err

        status, out, err = await run("herald-host", "stats", "--all", *servers, "--json")
        assert status == 0, err
        everything = {row["serial"]: row["result"] for row in json.loads(out)["devices"]}
        assert any(value == 0 for group in everything[serials[0]].values() for value in group.values())
        status, out, err = await run("herald-host", "stats", "--all", "--nonzero", *servers, "--json")
        assert status == 0, err
        for row in json.loads(out)["devices"]:
            assert all(value > 0 for group in row["result"].values() for value in group.values()), row
            assert row["result"]["log"].keys() <= everything[row["serial"]]["log"].keys()
        status, out, err = await run("herald-host", "stats", "--all", "--nonzero", *servers)
        head = out.splitlines()[0].split()
        assert status == 0 and sorted(head) == sorted(serials), out
        status, out, err = await run("herald-host", "stats", "--nonzero", "--device", nodes[0].usbip)
        assert status == 0 and not any(line.split()[-1] == "0" for line in out.splitlines()), out

        # Confirmed once, with the number of devices; without that nothing is erased.
        for node, storage in zip(nodes, ("storage", "storage-2")):
            await node.stop()
            log_pages.fill(world.folder / storage, 4)
            node.facts.clear()
            await node.start()
        servers = [word for node in nodes for word in ("--usbip", node.usbip.removeprefix("usbip://").split("/")[0])]
        status, out, err = await run("herald-host", "log", "erase", "--all", *servers)
        assert status == 16 and all(f"{serial} at usbip://" in err for serial in serials), (status, err)
        assert "on 2 devices" in err and "type 2 and" in err, err
        status, out, err = await run("herald-host", "status", "--all", *servers, "--json")
        assert all(row["result"]["first"] == 1 for row in json.loads(out)["devices"]), out
        status, out, err = await run("herald-host", "log", "erase", "--all", "--yes", "--json", *servers)
        assert status == 0, err
        for row in json.loads(out)["devices"]:
            assert row["result"]["pages"] >= 3 and row["result"]["through"] == row["result"]["pages"], row


async def case_a_dry_run_of_provision_changes_nothing():
    async with World() as world:
        nodes = [await world.node("--usbip", "0", payload="stored", ready=False), await world.another_node(2, "--usbip", "0", ready=False)]
        serials = [node.facts["serial-number"][0] for node in nodes]
        servers = [word for node in nodes for word in ("--usbip", node.usbip.removeprefix("usbip://").split("/")[0])]
        plan = world.folder / "plan.yml"
        plan.write_text("access-key: keys/{serial}.key\nsettings:\n  log/keep-days: 21\npayload:\n  family: simple\n  country: 826\n  state: 4\n"
                        "  secret: secrets/{serial}.secret\n  days: 30\n")
        provision = ["herald-host", "provision", plan, "--all", *servers]
        before = [(await run("herald-host", "config", "list", "--json", "--device", node.usbip))[1] for node in nodes]
        status, out, err = await run(*provision, "--generate", "--dry-run", "--json")
        assert status == 0, (status, err)
        for row in json.loads(out)["devices"]:
            told = row["result"]
            assert told["settings"] == {"log/keep-days": "21"} and told["clock_set"] and told["access_key"].startswith("made in ")
            assert told["payload"].startswith("simple 826,4, keys of 30 days from ") and row["serial"] in told["payload"], told
        assert sorted(path.name for path in world.folder.iterdir()) == ["plan.yml", "storage", "storage-2"], "it makes no files"
        after = [(await run("herald-host", "config", "list", "--json", "--device", node.usbip))[1] for node in nodes]
        assert before == after
        # Without --generate it fails as provisioning would.
        status, out, err = await run(*provision, "--dry-run")
        assert status == 11 and "--generate" in err, (status, err)
        # A key that is there is named, and not shown.
        keys = world.folder / "keys"
        keys.mkdir()
        for serial in serials:
            (keys / f"{serial}.key").write_bytes(serial.encode() * 2)
            (keys / f"{serial}.key").chmod(0o600)
        status, out, err = await run(*provision, "--generate", "--dry-run", "--new-device")
        assert status == 0 and "Nothing was sent" in out and all(f"set from {keys}/{serial}.key" in out for serial in serials), out + err
        assert not any((serial * 2).encode().hex() in out + err for serial in serials)
