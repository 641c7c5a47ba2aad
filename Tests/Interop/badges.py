#!/usr/bin/env python3
"""Badges to try the host tools on: herald-nodes in range of each other, each served over USB/IP as if it were plugged in.

    badges.py FOLDER [STORAGE…]

starts one for each storage (two new ones in FOLDER by default), on the ports from 3240 on, writes FOLDER/ready when all can be reached, and runs until a signal.
"""

import asyncio
import signal
import sys
from pathlib import Path

import air as air_module
from node import Node

FIRST_PORT = 3240


def new_storage(path, number):
    """A storage whose serial number Examples/people.csv has."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    (path / "serial-number").write_text(f"b{number:015x}\n")
    return path


async def main(folder, storages):
    air = air_module.Air()
    nodes = []
    try:
        for number, storage in enumerate(storages):
            controller = air_module.add_controller(air, f"badge {number}", f"00:11:22:33:55:{number:02X}")
            port = air_module.port_of(await air_module.serve(controller))
            node = Node(f"tcp:127.0.0.1:{port}", storage, "--usbip", str(FIRST_PORT + number), "--clock", "host", "--keep-days", "0",
                        payload="stored", log_level="error", stay_open=False)
            nodes.append(node)
            await node.start()
        lines = [f"{node.facts['serial-number'][0]}  {node.usbip}\n" for node in nodes]
        # Renamed, so that whoever waits for the file finds it complete.
        (folder / "ready.part").write_text("".join(lines))
        (folder / "ready.part").rename(folder / "ready")
        await asyncio.Event().wait()
    finally:
        for node in nodes:
            await node.stop()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    stores = [Path(word) for word in sys.argv[2:]] or [new_storage(place / str(number), number) for number in (1, 2)]
    loop = asyncio.new_event_loop()
    task = loop.create_task(main(place, stores))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        loop.run_until_complete(task)
    except asyncio.CancelledError:
        pass
