"""Live events, and acknowledgements that let a device erase pages."""

import asyncio
import contextlib
import json

import log_opener
from node import PATIENCE, contacts, program, pull, run
from world import World


async def case_tail_shows_events_as_they_happen():
    async with World() as world:
        await watch(world, await world.node("--link", "tcp:0"))


async def case_tail_of_a_device_that_seals_its_log_is_for_those_with_its_access_key():
    async with World() as world:
        ward, access, plan = world.folder / "ward", world.folder / "access", world.folder / "plan.yml"
        plan.write_text("access-key: access\nowner-key: ward.pub\n")
        node = await world.node("--link", "tcp:0")
        for words in (("owner-key", "make", ward), ("provision", plan, "--generate", "--device", node.link)):
            status, _, err = await run("herald-host", *words)
            assert status == 0, (words, err)
        status, _, err = await run("herald-host", "log", "tail", "--device", node.link, "--seconds", "1")
        assert status == 9 and "locked" in err, (status, err)
        # The owner's key is not needed: events are not from the log.
        await watch(world, node, "--key-file", access)
        await pull(node.link, world.folder / "out", "--key-file", access)
        pages = [path.read_bytes() for path in (world.folder / "out" / "pages").iterdir()]
        assert any(log_opener.is_sealed(page) for page in pages)


async def watch(world, node, *access):
    """`log tail` shows what the node hears, as it happens, and what it is asked for."""
    device = ("--device", node.link, *access)
    process = await asyncio.create_subprocess_exec(
        program("herald-host"), "log", "tail", *map(str, device), "--json",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    shown = []

    async def until_shown(phone, wanted):
        """The events of this phone, once they are complete."""
        found = []
        while not wanted <= {event["event"] for event in found}:
            line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
            assert line, (await process.stderr.read()).decode()
            shown.append(json.loads(line))
            found = [event for event in shown if event.get("peer") == phone.identity]
        return found

    try:
        # The device stores events from the first request on: that it was received is shown by an event of a present phone. This phone leaves, as there is room
        # for few events only, and the second one advertises rarely.
        first = await world.android(1)
        await node.has_read(first)
        await until_shown(first, {"measured"})
        await first.leave()
        second = await world.android(2, advertising_interval=500)
        events = await until_shown(second, {"detected", "read", "measured"})
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()
    await node.has_read(second)
    [read] = [event for event in events if event["event"] == "read"][:1]
    assert read["count"] == len(second.payload), read
    assert all(-128 < event["level"] < 0 for event in shown if event["event"] == "measured"), shown
    # The command ends after its time. It polls ten times per second, but the delay of the first response is not known.
    for seconds in ("1.5", "6", "24"):
        status, out, err = await run("herald-host", "log", "tail", *device, "--seconds", seconds)
        assert status == 0, (status, out, err)
        if second.identity in out and "dBm" in out:
            break
    else:
        raise AssertionError(f"nothing is shown of {second.identity}: {out}")
    # Filters: all of them have to be met.
    tail = ["herald-host", "log", "tail", *device, "--json", "--seconds", "2"]
    for options, accepts in [
        (["--kind", "measured"], lambda event: event["event"] == "measured"),
        (["--peer", second.identity[:5].lower()], lambda event: event["peer"].startswith(second.identity[:5])),
        (["--kind", "measured", "--peer", "00:00:00:00:00:00"], lambda event: False),
        (["--min-rssi", "127"], lambda event: event["event"] != "measured"),
    ]:
        status, out, err = await run(*tail, *options)
        assert status == 0 and all(accepts(json.loads(line)) for line in out.splitlines()), (options, out, err)
        assert out or "--kind" not in options or "--peer" in options, "readings are shown"
    for options in (["--kind", "nonsense"], ["--peer", "xyz"], ["--min-rssi", "200"]):
        status, _, err = await run(*tail, *options)
        assert status == 64 and options[0] in err, (options, status, err)


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
        # Nothing is erased without the option; with one page there is nothing to erase.
        assert (status == 16 and "not confirmed" in err) or last == 1, (status, out, err)
        status, out, err = await run("herald-host", "log", "erase", "--yes", "--device", node.link, "--json")
        assert status == 0 and json.loads(out)["pages"] >= 0, (status, err)
