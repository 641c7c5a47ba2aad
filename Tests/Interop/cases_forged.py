"""Pages in a host's folder that differ from those of the device: nothing is erased that was not fetched."""

import json
import shutil
import struct

import log_pages
from cases_disconnection import full_node
from node import pull, run
from world import World


def forged(page):
    """Another page with the same number in the same log, with valid checksums: one byte of its last payload differs."""
    page = bytearray(page)
    [number] = struct.unpack_from("<I", page, 12)
    offset, payload = log_pages.HEADER, None
    while offset < log_pages.PAGE and page[offset] != log_pages.END:
        if page[offset] == log_pages.PAYLOAD:
            payload, size = offset, 2 + page[offset + 1]
        else:
            size = 1 + (page[offset] & log_pages.COUNT)
        offset = (offset + size + 2 + page[5] - 1) // page[5] * page[5]
    page[payload + 2] ^= 1
    return log_pages.renumbered(page, number)


async def oldest(node):
    status, out, err = await run("herald-host", "status", "--device", node.link, "--json")
    assert status == 0, err
    return json.loads(out)["first"]


async def trimmed(node, folder):
    """Exit status, result and errors of a pull that has the device erase pulled pages."""
    status, out, err = await run("herald-host", "log", "pull", "--trim", "--device", node.link, "--output", folder, "--json")
    return status, json.loads(out)["pull"], err


async def case_forged_pages_in_a_folder_have_nothing_erased():
    async with World() as world:
        node, _ = await full_node(world)
        honest = world.folder / "honest"
        await pull(node.link, honest)
        first = await oldest(node)
        names = sorted(path.name for path in (honest / "pages").glob("*.page") if ".open." not in path.name)
        assert len(names) >= 3, names

        # Every page differs: nothing is erased.
        whole = world.folder / "whole"
        shutil.copytree(honest, whole)
        for name in names:
            page = (whole / "pages" / name).read_bytes()
            assert forged(page) != page
            (whole / "pages" / name).write_bytes(forged(page))
        status, told, err = await trimmed(node, whole)
        assert status == 10 and f"page {first} " in err and names[0] in err, (status, err)
        assert told["differing_page"] == first and told["trimmed_pages"] == 0 and told["differing_file"].endswith(names[0]), told
        assert await oldest(node) == first

        # One page differs: the pages before it are erased.
        path = honest / "pages" / names[1]
        page = path.read_bytes()
        path.write_bytes(forged(page))
        status, told, err = await trimmed(node, honest)
        assert status == 10 and names[1] in err and "move it away" in err, (status, err)
        assert (told["differing_page"], told["trimmed_pages"], told["trimmed_through"]) == (first + 1, 1, first), told
        assert await oldest(node) in (first, first + 1)

        # As advised, the device's page is fetched; it is then erased like the others.
        path.unlink()
        status, told, err = await trimmed(node, honest)
        assert status == 0 and told["is_complete"] and "differing_page" not in told, (status, told, err)
        assert path.read_bytes() == page
        assert told["trimmed_through"] == first + len(names) - 1, told
