"""Hosts that are not ours on herald-controller."""

import json
import os
import subprocess
from pathlib import Path

from case import ROOT
from play import Program, free_port

HERE = Path(__file__).resolve().parent
CONTROLLER = os.environ.get("HERALD_CONTROLLER", str(ROOT / ".build/release/herald-controller"))
PYTHON = ROOT / ".build/venv/bin/python"
VALUE = bytes(range(200)).hex()


def controller(port, words=""):
    """A herald-controller that waits for its host on a port."""
    return Program(lambda simulation, number: [CONTROLLER, "--air", f"{simulation}:{number}", "--hci", f"tcp:{port}", *words.split()])


def hosts(case, first, second, **options):
    """Runs the two hosts of bumble_hosts.py on two controllers, and checks what they have found."""
    ports = [free_port(), free_port()]
    command = [PYTHON, HERE / "bumble_hosts.py", *map(str, ports)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            case.play(controller(ports[0], first), controller(ports[1], second), seconds=600, **options)
            output, errors = program.communicate(timeout=30)
        finally:
            program.kill()
    case.expect(program.returncode == 0, f"the hosts ended with status {program.returncode}: {errors[-500:]}")
    rounds = [json.loads(line) for line in output.splitlines()]
    case.expect(len(rounds) == 3, f"{len(rounds)} connections")
    for number, found in enumerate(rounds):
        # The host that disconnects is told 0x16, the other one 0x13.
        reasons = [0x16, 0x13] if number % 2 == 0 else [0x13, 0x16]
        expected = {"address": "F0:F0:F0:F0:F0:0A", "rssi": -60, "roles": ["CENTRAL", "PERIPHERAL"], "features": 0, "mtu": 247,
                    "read": VALUE, "written": VALUE, "notified": (b"notified" * 10).hex(), "interval": 15.0, "again": VALUE,
                    "reasons": reasons}
        case.expect(found == expected, f"connection {number}: {found}")


def bumble(case):
    """Two Bumble hosts advertise, scan actively, connect, discover, read, write, notify, update and disconnect."""
    hosts(case, "", "--seed 7", is_lossless=True)


def bumble_with_drift(case):
    """The same with clocks that differ by 1,000 ppm."""
    hosts(case, "--drift 500", "--drift -500 --address 12:34:56:78:9A:BC")


def bumble_with_loss(case):
    """The same when a receiver loses one packet of ten."""
    hosts(case, "", "--drift 50", loss=10)


CASES = [bumble, bumble_with_drift, bumble_with_loss]
