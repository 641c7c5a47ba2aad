"""Hosts that are not ours on herald-controller."""

import json
import os
import subprocess
from pathlib import Path

import edtt as edtt_requests
from case import ROOT
from play import Program, free_ports

HERE = Path(__file__).resolve().parent
CONTROLLER = os.environ.get("HERALD_CONTROLLER", str(ROOT / ".build/release/herald-controller"))
PYTHON = ROOT / ".build/venv/bin/python"
VALUE = bytes(range(200)).hex()


def controller(port, words=""):
    """A herald-controller that waits for its host on a port."""
    return Program(lambda simulation, number: [CONTROLLER, "--air", f"{simulation}:{number}", "--hci", f"tcp:{port}", *words.split()])


def hosts(case, first, second, **options):
    """Runs the two hosts of bumble_hosts.py on two controllers, and checks what they have found."""
    ports = free_ports(2)
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


def edtt(case):
    """The requests of EDTT to two controllers: commands, events and data."""
    def tester(phy):
        first, second = edtt_requests.Device(phy, 0), edtt_requests.Device(phy, 1)
        case.expect(first.request(edtt_requests.ECHO, b"abc") == b"abc", "no echo")
        case.expect(first.request(edtt_requests.SET_ADDRESS, bytes.fromhex("06fc bc9a78563412")) == b"\0", "set address")
        case.expect(first.events() == ["0e040106fc00"], "no event after the address was set")
        for one in (first, second):
            case.expect([one.command(0x0C03), one.command(0x0C01, "ff" * 8), one.command(0x2001, "ff" * 8)] == ["00"] * 3, "masks")
            case.expect(one.command(0x2030) == "01", "an unknown command")
            case.expect(len(one.events()) == 4, "an event for each command")
        case.expect(first.command(0x1009) == "00bc9a78563412", "the address was not kept")
        case.expect(first.command(0x2006, "20002000000000000000000000000700") == "12", "a parameter too many")
        case.expect(first.command(0x2006, "200020000000000000000000000700") == "00", "advertising parameters")
        case.expect(first.command(0x200A, "01") == "00", "advertising")
        first.request(edtt_requests.FORGET_EVENTS)
        case.expect(first.request(edtt_requests.COUNT_EVENTS) == b"\0", "events were not forgotten")
        second.request(edtt_requests.FORGET_EVENTS)
        parameters = "10001000 00 00 bc9a78563412 00 1800 1800 0000 1900 0000 0000"
        case.expect(second.command(0x200D, parameters) == "00", "the status of a command")
        case.expect(second.event() == "0f0400010d20", "Command Status")
        case.expect(second.event() == "3e13010001000000bc9a7856341218000000190000", "LE Connection Complete")
        case.expect(first.event().startswith("3e1301000100010"), "LE Connection Complete of the peripheral")
        case.expect(first.request(edtt_requests.HAS_DATA) == b"\1", "data that was not sent")
        payloads = [bytes([number] * 27) for number in range(5)]
        for payload in payloads:
            second.request(edtt_requests.SEND, bytes.fromhex("01001b00") + payload)
        for payload in payloads:
            data = first.request(edtt_requests.GET_DATA)[4:]
            case.expect(data == bytes.fromhex("01201b00") + payload, f"data {data.hex()}")
        second.request(edtt_requests.SEND, bytes.fromhex("01000100ff"))
        phy.wait(phy.now + 200000)
        case.expect(first.request(edtt_requests.HAS_DATA) == b"\0", "no data")
        first.request(edtt_requests.FORGET_DATA)
        case.expect(first.request(edtt_requests.HAS_DATA) == b"\1", "data was not forgotten")
        case.expect(first.command(0x0406, "010013") == "00", "disconnect")
        phy.wait(phy.now + 200000)
        case.expect(second.events()[-1] == "050400010013" and first.events()[-1] == "050400010016", "Disconnection Complete")
        for one in (first, second):
            one.close()
    controllers = [Program(lambda simulation, number: [CONTROLLER, "--air", f"{simulation}:{number}", "--edtt"]) for _ in range(2)]
    case.play(*controllers, tester, seconds=60, judged={0, 1}, is_lossless=True)


CASES = [bumble, bumble_with_drift, bumble_with_loss, edtt]
