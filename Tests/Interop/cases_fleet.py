"""Many devices pulled concurrently: each into its own folder; an error of one does not affect the others."""

import asyncio
import json

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
            assert (output / serial / "archive.sqlite").exists()
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
