"""herald-node on its own link layer."""

import collections
import json

from cases_controller import HERE, PYTHON, controller
from play import Program, free_ports

# 12 Android-like and 12 iOS-like phones, and 6 devices without Herald.
HOSTS = 30
ANDROID_KINDS = ["Herald 2.1 and later", "Herald 2.0", "another address every 2 s", "cannot advertise"]


def phones_in_every_state(case):
    """Every phone is discovered, tracked and resumed, and so is the node by it: the tables that script/interop has for a node over HCI."""
    ports = free_ports(HOSTS)
    phones = Program(lambda simulation, _: [PYTHON, HERE / "phones_on_air.py", simulation, *map(str, ports)])
    # Each phone is in range of the node only, as it is there.
    controllers = [controller(port, "--poll 10") for port in ports]
    results = case.play(phones, None, *controllers, seconds=600, centre=0)
    cells = json.loads(results[0][1])
    case.expect(collections.Counter(text for *_, text in cells) == {"D, T, R": 40, "-": 8}, f"{cells}")
    case.expect({(row, column) for _, row, column, text in cells if text == "-"} == {
        *((kind, "Terminated") for kind in ANDROID_KINDS), *(("Terminated", kind) for kind in ANDROID_KINDS)}, f"{cells}")


CASES = [phones_in_every_state]
