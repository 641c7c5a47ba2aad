"""The cable is pulled at every transfer of a download: what was logged is here or still there, and here once."""

import asyncio
import shutil
import sqlite3

import log_pages
from cases_usb import met
from node import Node, contacts, pull, run
from usbip_cable import Cable
from world import World

PAGES = 4


def archived(folder):
    """How many rows the tables of the database in a folder have."""
    counts = {}
    with sqlite3.connect(folder / "archive.sqlite") as database:
        for [table] in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            counts[table] = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return counts


async def same(node, folder, whole):
    """Pulls the rest into a folder that has been pulled into before; whether it has what the one has whose pulls were never cut."""
    for _ in range(3):
        await pull(node.link, folder)
        if (contacts(folder), archived(folder)) == (contacts(whole), archived(whole)):
            return True
        # The log grows by a record now and then.
        await pull(node.link, whole)
    return False


async def pull_over(cable, folder):
    return await run("herald-host", "log", "pull", "--device", f"usbip://127.0.0.1:{cable.port}/1-1", "--output", folder)


async def case_cable_pulled_at_every_transfer_loses_nothing_and_doubles_nothing():
    async with World() as world:
        node = await met(world)
        await node.stop()
        log_pages.fill(world.folder / "storage", PAGES)
        # With a controller that never says anything the log hardly grows any more.
        silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        world.others.append(silent)
        radio = f"tcp:127.0.0.1:{silent.sockets[0].getsockname()[1]}"
        node = Node(radio, world.folder / "storage", "--usbip", "0", "--link", "tcp:0")
        await world.start(node, ready=False)
        port = int(node.facts["usbip"][0].split(":")[1].split("/")[0])
        await pull(node.link, world.folder / "whole")
        assert len(contacts(world.folder / "whole")) > 5 * PAGES
        assert archived(world.folder / "whole")["page"] == PAGES
        async with Cable(port) as cable:
            status, _, err = await pull_over(cable, world.folder / "uncut")
            assert status == 0, err
            transfers = cable.messages
        assert await same(node, world.folder / "uncut", world.folder / "whole")
        assert transfers > 20, transfers
        for cut in range(transfers):
            folder = world.folder / f"cut-{cut}"
            async with Cable(port, cut_after=cut) as cable:
                status, out, err = await pull_over(cable, folder)
            # All that came may have been enough; else it says so.
            assert status in (0, 6, 10), (cut, status, err)
            assert status == 0 or "→" in err, (cut, err)
            # While the device is enumerated nothing is pulled that could be lost.
            if not any(path.is_file() for path in folder.rglob("*")):
                continue
            assert await same(node, folder, world.folder / "whole"), f"cut after {cut} of {transfers} transfers"
            assert not list(folder.rglob("*.part")), f"cut after {cut} of {transfers} transfers"
            shutil.rmtree(folder)
