"""The management link, used by generic programs."""

import asyncio
import random
from pathlib import Path

from node import ROOT, pull
from world import World

PROGRAMS = ROOT / ".build" / "venv-smp" / "bin"


async def run(*arguments):
    """Runs a program to its end; returns its status and output."""
    process = await asyncio.create_subprocess_exec(
        *map(str, arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said, _ = await process.communicate()
    return process.returncode, said.decode()


async def case_smp_tools_manage_the_node():
    """smpclient and smpmgr ask everything there is to ask, fetch the log as herald-host does, and leave an image of imgtool's in the slot."""
    async with World() as world:
        node = await world.node("--link", "pty", "--link", "tcp:0")
        port, place = node.facts["link"]
        pulled = world.folder / "pulled"
        await pull(f"serial:tcp:{place}", pulled)
        content, image = world.folder / "content.bin", world.folder / "image.bin"
        content.write_bytes(random.Random(1).randbytes(10_000))
        status, said = await run(
            PROGRAMS / "imgtool", "sign", "--version", "1.2.3+4", "--header-size", "0x20", "--pad-header",
            "--align", "4", "--slot-size", "0x40000", content, image)
        assert status == 0, said
        status, said = await run(
            PROGRAMS / "python", Path(__file__).with_name("smp_test.py"), port, pulled, image)
        failed = [line for line in said.splitlines() if line.startswith("FAILED")]
        assert status == 0, failed or said[-500:]
        # The slot contains the image made by imgtool, which verifies it.
        slot = world.folder / "storage" / "image.slot"
        assert slot.read_bytes() == image.read_bytes(), "the slot does not hold the image"
        status, said = await run(PROGRAMS / "imgtool", "verify", slot)
        assert status == 0 and "1.2.3+4" in said, said
        status, said = await run(PROGRAMS / "imgtool", "dumpinfo", slot)
        assert status == 0 and "1.2.3" in said, said


async def case_smp_mcumgr_toolkit_activates_what_it_uploaded():
    """mcumgr-toolkit 0.20.0 activates an image only on a device whose running image has a hash."""
    async with World() as world:
        node = await world.node("--link", "pty")
        [port] = node.facts["link"]
        content, image = world.folder / "content.bin", world.folder / "image.bin"
        content.write_bytes(random.Random(2).randbytes(10_000))
        status, said = await run(
            PROGRAMS / "imgtool", "sign", "--version", "1.2.3+4", "--header-size", "0x20", "--pad-header",
            "--align", "4", "--slot-size", "0x40000", content, image)
        assert status == 0, said
        status, said = await run(PROGRAMS / "python", Path(__file__).with_name("mcumgr_toolkit_test.py"), port, image)
        failed = [line for line in said.splitlines() if line.startswith("FAILED")]
        assert status == 0, failed or said[-500:]


async def case_smp_pages_are_erased_by_their_digest_alone():
    """smpclient acknowledges pages by the hashes of hashlib; a forged page, and what is behind it, stays."""
    async with World() as world:
        node = await world.node("--link", "pty")
        [port] = node.facts["link"]
        status, said = await run(PROGRAMS / "python", Path(__file__).with_name("acknowledge_test.py"), port)
        failed = [line for line in said.splitlines() if line.startswith("FAILED")]
        assert status == 0, failed or said[-500:]
