"""Pages in a host's folder that differ from those of the device: nothing is erased that was not fetched."""

import json
import shutil
import struct
from pathlib import Path

import log_pages
from cases_disconnection import full_node
from hostile import HostileDevice
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


async def case_forged_pages_of_an_impostor_are_replaced_by_those_of_the_device():
    """Serial number, identifier and epoch are told to anybody: an impostor is pulled once, without a key, then the device itself."""
    async with World() as world:
        node, _ = await full_node(world)
        key = world.folder / "key"
        key.write_bytes(bytes(range(32)))
        key.chmod(0o600)
        status, _, err = await run("herald-host", "config", "set", "access/key", key, "--new-device", "--device", node.link)
        assert status == 0, err

        async def fetched(folder, link, *options):
            status, out, err = await run("herald-host", "log", "pull", "--device", link, "--output", folder, "--json", *options)
            return status, json.loads(out).get("pull", {}), err

        real = world.folder / "real"
        status, told, err = await fetched(real, node.link, "--key-file", key)
        assert status == 0 and told["is_proved"] and told["unproved_pages"] == 0, (status, told, err)
        device = json.loads((real / "device.json").read_text())
        closed = sorted(path for path in (real / "pages").glob("*.page") if ".open." not in path.name)
        last = max(int(path.name[9:19]) for path in closed)
        # What the thief asks of the locked badge is enough to be taken for it; further pages are made up.
        pages = [forged(path.read_bytes()) for path in closed]
        pages += [log_pages.renumbered(pages[0], last + number) for number in range(1, 4)]
        for name, count in (("as-many", len(closed) + 1), ("more", len(pages))):
            false = await HostileDevice(
                pages[:count], texts={"n": device["serial"]},
                status={"epoch": device["epochs"][0], "id": bytes.fromhex(device["id"]), "first": last - len(closed) + 1, "last": last - len(closed) + count,
                        "boot": 1}).start()
            folder = world.folder / name
            status, told, err = await fetched(folder, false.link)
            false.stop()
            assert status == 0 and not told["is_proved"] and told["new_pages"] == count, (status, told, err)
            status, told, err = await fetched(folder, node.link, "--key-file", key)
            assert status == 0 and told["is_complete"] and told["is_proved"], (status, told, err)
            assert len(told["replaced_pages"]) == count and told["unproved_pages"] == 0, told
            assert all(Path(path).exists() for path in told["replaced_pages"]), told
            for path in closed:
                assert (folder / "pages" / path.name).read_bytes() == path.read_bytes(), path
            # The tables have the device's records alone, and the next pull finds nothing to do.
            for table in ("contacts.csv", "detection.csv", "statistics.csv"):
                assert (folder / table).read_bytes() == (real / table).read_bytes(), table
            status, told, err = await fetched(folder, node.link, "--key-file", key)
            assert status == 0 and told["known_pages"] == len(closed) and not told["replaced_pages"], (status, told, err)
            # Who comes without the key again is shown to the door.
            false = await HostileDevice(
                pages[:count], texts={"n": device["serial"]},
                status={"epoch": device["epochs"][0], "id": bytes.fromhex(device["id"]), "first": 1, "last": count, "boot": 1}).start()
            status, _, err = await fetched(folder, false.link)
            false.stop()
            assert status == 18 and "without one" in err and "--key-file" in err, (status, err)
