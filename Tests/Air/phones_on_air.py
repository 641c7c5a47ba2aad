"""The phones of the interop tests, in every state of their app, around a herald-node on its own link layer. Run with the Python of script/interop, as two devices of a
simulation:

    phones_on_air.py SIMULATION PORT…

Device 0 is herald-node, device 1 keeps simulated time from running ahead of real time, and each of the phones is a host of a herald-controller on one of the ports. The results
are printed as a list of table, row, column and text; an unexpected result ends the program with status 1."""

import asyncio
import json
import logging
import sys
import threading
import time
from pathlib import Path

from phy import Ended, Phy
from phy_hosts import Brake, BrakedLoop, PhyAir, connected

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from cases_states import MATRICES, discover_track_and_resume  # noqa: E402
from node import Node  # noqa: E402
from world import Meeting  # noqa: E402


class AirWorld(Meeting):
    """A meeting on a medium of this folder."""

    def __init__(self, simulation, ports, brake):
        super().__init__(PhyAir([connected(port) for port in ports]))
        self.simulation = simulation
        self.brake = brake
        self.braking = threading.Thread(target=self.run_brake)

    def run_brake(self):
        try:
            self.brake(Phy(self.simulation, 1))
        except Ended:
            pass

    async def __aenter__(self):
        self.braking.start()
        await self.air.open()
        return self

    async def __aexit__(self, kind, error, trace):
        await super().__aexit__(kind, error, trace)
        await self.air.close()
        self.brake.is_done = True
        self.braking.join()

    def now(self):
        return self.began + self.brake.now / 1000000

    async def node(self, *options):
        """The node. The date that it counts simulated time from is the system's at its start."""
        self.began = time.time()
        return await self.start(Node(f"air:{self.simulation}:0", self.folder / "storage", *options))


def main(simulation, *ports):
    logging.basicConfig(level=logging.CRITICAL)
    brake = Brake()
    with asyncio.Runner(loop_factory=lambda: BrakedLoop(brake)) as runner:
        runner.run(discover_track_and_resume(AirWorld(simulation, ports, brake)))
    print(json.dumps([[table.title, *cell, text] for table in MATRICES for cell, text in table.cells.items()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
