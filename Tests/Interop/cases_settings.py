"""Settings of a node, from a generic program: by name, locked, with a payload, and preserved over a restart."""

import asyncio
from pathlib import Path

from cases_smp import PROGRAMS
from world import World


async def told(node, what):
    """Runs settings_test.py at the node's serial port."""
    [port] = node.facts["link"]
    client = await asyncio.create_subprocess_exec(
        str(PROGRAMS / "python"), str(Path(__file__).with_name("settings_test.py")), port, what,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said, _ = await client.communicate()
    failed = [line for line in said.decode().splitlines() if line.startswith("FAILED")]
    assert client.returncode == 0, failed or said.decode()[-500:]


async def case_settings_access_and_payload_by_smpclient():
    async with World() as world:
        node = await world.node("--link", "pty", payload=None)
        await told(node, "set")
        await node.stop()
        again = await world.node("--link", "pty", payload=None)
        await told(again, "kept")
