"""The management link, used by programs that know nothing of Herald."""

import asyncio
from pathlib import Path

from node import ROOT
from world import World

PYTHON = ROOT / ".build" / "venv-smp" / "bin" / "python"


async def case_smp_tools_manage_the_node():
    async with World() as world:
        node = await world.node("--link", "pty")
        [port] = node.facts["link"]
        client = await asyncio.create_subprocess_exec(
            str(PYTHON), str(Path(__file__).with_name("smp_test.py")), port,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said, _ = await client.communicate()
        failed = [line for line in said.decode().splitlines() if line.startswith("FAILED")]
        assert client.returncode == 0, failed or said.decode()[-500:]
