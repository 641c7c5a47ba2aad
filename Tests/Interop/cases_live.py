"""What a host sees of a device while it happens, and what it may have it erase."""

import asyncio
import json

from node import contacts, program, pull, run
from world import World


async def case_tail_shows_events_as_they_happen():
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        process = await asyncio.create_subprocess_exec(
            program("herald-host"), "log", "tail", "--device", node.link, "--json", "--seconds", "60",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        try:
            # From its first question on the device keeps events.
            await asyncio.sleep(0.5)
            phone = await world.android(1)
            events = []
            async with asyncio.timeout(20):
                while not {"detected", "read", "measured"} <= {event["event"] for event in events}:
                    line = await process.stdout.readline()
                    assert line, (await process.stderr.read()).decode()
                    events.append(json.loads(line))
        finally:
            process.terminate()
            await process.communicate()
        await node.has_read(phone)
        [read] = [event for event in events if event["event"] == "read"][:1]
        assert read["peer"] == phone.identity and read["count"] == len(phone.payload), read
        assert all(-128 < event["level"] < 0 for event in events if event["event"] == "measured"), events
        status, out, err = await run("herald-host", "log", "tail", "--device", node.link, "--seconds", "1.5")
        assert status == 0 and phone.identity in out and "dBm" in out, (status, out, err)


async def case_trim_erases_what_is_safe_and_erase_the_rest():
    async with World() as world:
        phone = await world.android(1)
        node = await world.node("--link", "tcp:0", "--log-pages", "4")
        await node.has_read(phone)
        output = world.folder / "out"
        await pull(node.link, output)
        before = contacts(output)
        status, out, err = await run("herald-host", "log", "pull", "--trim", "--device", node.link, "--output", output, "--json")
        assert status == 0, err
        told = json.loads(out)["pull"]
        status, out, err = await run("herald-host", "status", "--device", node.link, "--json")
        first = json.loads(out)["first"]
        assert (told["trimmed_pages"] > 0) == (told.get("trimmed_through") is not None), told
        assert first == 1 or told["trimmed_through"] is not None
        assert contacts(output)[:len(before)] == before
        status, out, err = await run("herald-host", "log", "erase", "--device", node.link)
        last = json.loads((await run("herald-host", "status", "--device", node.link, "--json"))[1])["last"]
        # Nothing is erased without a word; with one page there is nothing to erase.
        assert (status == 64 and "not confirmed" in err) or last == 1, (status, out, err)
        status, out, err = await run("herald-host", "log", "erase", "--yes", "--device", node.link, "--json")
        assert status == 0 and json.loads(out)["pages"] >= 0, (status, err)
