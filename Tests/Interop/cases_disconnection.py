"""The connection is cut at every transfer of a download: each record is on the host or still on the device, and stored once."""

import asyncio
import shutil

import log_pages
from cases_conversion import exported_rows
from cases_usb import met
from node import Node, contacts, pull, run
from usbip_proxy import USBIPProxy
from world import World

PAGES = 4


async def row_counts(folder):
    """The number of rows of each exported table of the log in a folder."""
    return {name: len(rows) for name, rows in (await exported_rows(folder)).items()}


async def same(node, folder, whole):
    """Pulls the rest into a folder after interrupted pulls; whether it is equal to the folder of uninterrupted pulls."""
    for _ in range(3):
        await pull(node.link, folder)
        if (contacts(folder), await row_counts(folder)) == (contacts(whole), await row_counts(whole)):
            return True
        # The log occasionally grows by a record.
        await pull(node.link, whole)
    return False


async def pull_over(proxy, folder, *options):
    return await run(
        "herald-host", "log", "pull", *options, "--device", f"usbip://127.0.0.1:{proxy.port}/1-1", "--output", folder)


async def full_node(world):
    """A node with a log of some pages that hardly grows, as its controller is silent; and its USB/IP port."""
    storage = world.folder / "storage"
    if not storage.exists():
        await (await met(world)).stop()
        log_pages.fill(storage, PAGES)
        silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        world.others.append(silent)
    radio = f"tcp:127.0.0.1:{world.others[-1].sockets[0].getsockname()[1]}"
    node = Node(radio, storage, "--usbip", "0", "--link", "tcp:0")
    await world.start(node, ready=False)
    return node, int(node.facts["usbip"][0].split(":")[1].split("/")[0])


def told(cut, status, err):
    """The received data may have been sufficient; otherwise a failure is reported."""
    assert status in (0, 6, 10), (cut, status, err)
    assert status == 0 or "→" in err, (cut, err)


async def case_cable_pulled_at_every_transfer_loses_nothing_and_doubles_nothing():
    async with World() as world:
        node, port = await full_node(world)
        await pull(node.link, world.folder / "whole")
        assert len(contacts(world.folder / "whole")) > 5 * PAGES
        assert (await row_counts(world.folder / "whole"))["pages"] == PAGES
        async with USBIPProxy(port) as proxy:
            status, _, err = await pull_over(proxy, world.folder / "uncut")
            assert status == 0, err
            transfers = proxy.messages
        assert await same(node, world.folder / "uncut", world.folder / "whole")
        assert transfers > 20, transfers
        for cut in range(transfers):
            folder = world.folder / f"cut-{cut}"
            async with USBIPProxy(port, cut_after=cut) as proxy:
                status, out, err = await pull_over(proxy, folder)
            told(cut, status, err)
            # While the device is enumerated nothing is pulled that could be lost.
            if not any(path.is_file() for path in folder.rglob("*")):
                continue
            assert await same(node, folder, world.folder / "whole"), f"cut after {cut} of {transfers} transfers"
            assert not list(folder.rglob("*.part")), f"cut after {cut} of {transfers} transfers"
            shutil.rmtree(folder)


async def pages_left(node, folder):
    """The number of pages on the device, from a pull into a new folder."""
    await pull(node.link, folder)
    count = (await row_counts(folder))["pages"]
    shutil.rmtree(folder)
    return count


async def case_cable_pulled_while_a_log_is_trimmed_loses_nothing_and_doubles_nothing():
    """With --trim, disconnected after each message; the device has its complete log again each time."""
    async with World() as world:
        node, port = await full_node(world)
        await node.stop()
        shutil.copytree(world.folder / "storage", world.folder / "full")
        folder, whole, left = world.folder / "pulled", world.folder / "whole", world.folder / "left"
        cut, is_over, is_full, kept = -1, False, False, []
        while not is_over:
            cut += 1
            if not is_full:
                await node.stop()
                shutil.rmtree(world.folder / "storage")
                shutil.copytree(world.folder / "full", world.folder / "storage")
                node, port = await full_node(world)
                shutil.rmtree(whole, ignore_errors=True)
                await pull(node.link, whole)
            async with USBIPProxy(port, cut_after=cut) as proxy:
                status, out, err = await pull_over(proxy, folder, "--trim")
                is_over = proxy.messages < cut
            told(cut, status, err)
            kept.append(await pages_left(node, left))
            is_full = kept[-1] >= PAGES
            # While the device is enumerated nothing is pulled that could be lost.
            if is_full and not any(path.is_file() for path in folder.rglob("*")):
                continue
            assert await same(node, folder, whole), f"cut after {cut} messages, {kept[-1]} pages left"
            if not is_full:
                # Pages that are complete on the host are erased on the device, whichever attempt transferred them.
                status, _, err = await run("herald-host", "log", "pull", "--trim", "--device", node.link, "--output", folder)
                assert status == 0, err
                assert await pages_left(node, left) == 1
                assert await same(node, folder, whole), f"trimmed after a cut after {cut} messages"
            assert not list(folder.rglob("*.part"))
            shutil.rmtree(folder)
        # Disconnected early it has all pages; not disconnected it has only the open page.
        assert kept[0] >= PAGES and kept[-1] == 1, kept
