"""Processes with a link layer among each other, and with devices that have none."""

import sys
from pathlib import Path

from case import device
from packets import ADV_SCAN_IND, SCAN_REQ, SCAN_RSP, T_IFS
from play import Program

BEACON = Path(__file__).resolve().parent / "beacon.py"
BOTH = "advertise=connectable scan=active every=40"


def advertising(case):
    """All types of advertising events with scanners: every packet at its time, on its channel."""
    counts = case.play(device("advertise=scannable every=20 seed=1"), device("advertise=nonconnectable every=100 seed=2"),
                       device("advertise=connectable every=50 seed=3"), device("scan=active seed=4"), device("scan=passive seed=5"),
                       seconds=20)
    case.expect(counts[3]["responses"] > 300 and counts[4]["advertisements"] > 1000, str(counts))


def scanning(case):
    """A scanner reports advertisements of devices without a link layer, and asks a scannable one for its response."""
    own = bytes.fromhex("0df0f0f0f0f0")

    def advertiser(phy):
        answered, time = 0, 10000
        for number in range(100):
            channel = 37 + number % 3
            end = phy.transmit(time, channel, bytes([0x40 | ADV_SCAN_IND, 9]) + own + b"\x02\x01\x06")
            request = phy.receive(end + T_IFS - 5, channel, 50)
            if request and request.crc_ok and request.pdu[0] & 15 == SCAN_REQ and request.pdu[8:14] == own:
                case.expect(request.start == end + T_IFS, f"SCAN_REQ after {request.start - end} µs")
                phy.transmit(request.end + T_IFS, channel, bytes([0x40 | SCAN_RSP, 9]) + own + b"\x02\x0a\x00")
                answered += 1
            time += 30000 + 1000 * (number % 10)
        return answered
    beacon = Program(lambda simulation, number: [sys.executable, str(BEACON), simulation, str(number), "30"])
    answered, _, active, passive = case.play(advertiser, beacon, device("scan=active"), device("scan=passive"), seconds=4,
                                             judged={2, 3})
    case.expect(answered > 10 and active["responses"] == answered, f"{answered} scan requests; {active}")
    case.expect(active["advertisements"] >= 50 and passive["advertisements"] >= 50, f"{active} {passive}")


def connection(case):
    """A peripheral and a central without errors: every packet is answered, nothing is repeated, nothing is lost."""
    for interval in (6, 24, 80):
        counts = case.play(device("advertise=connectable data=0 limit=1 seed=1"),
                           device(f"connect=0 data=0 interval={interval} seed=2"), seconds=6, is_lossless=True)
        case.expect(all(one["opened"] == 1 and not one["closed"] and one["received"] > 100 for one in counts), str(counts))
        unanswered = sum(one.unanswered for one in case.judged.created)
        case.expect(unanswered == 0, f"interval {interval}: {unanswered} packets without a response")


def reconnection(case):
    """Connections that are ended by the central and created again."""
    counts = case.play(device("advertise=connectable data=10 seed=1"), device("connect=0 data=10 hold=500 interval=12 seed=2"),
                       seconds=20, is_lossless=True)
    case.expect(counts[0]["closed"].keys() == {"19"} and counts[1]["closed"].keys() == {"22"}, str(counts))
    case.expect(counts[0]["opened"] > 20, str(counts))


def all_roles(case):
    """Four devices in all roles at once, with drift in both directions."""
    words = [f"{BOTH} connect={(number + 1) % 4} data=20 interval={12 + 2 * number} timeout=300 ppm={ppm} declared=250 seed={number}"
             for number, ppm in enumerate((250, -250, 100, -30))]
    counts = case.play(*map(device, words), seconds=20)
    case.expect(all(one["received"] > 100 for one in counts), str(counts))
    # A CONNECT_IND that collides with a scan request is lost (0x3E); an established connection is not.
    case.expect(all(one["closed"].keys() <= {"62"} for one in counts), str(counts))


def errors(case):
    """The same with lost packets, collisions, and late processors."""
    words = [f"{BOTH} connect={(number + 1) % 4} data=20 interval=24 timeout=300 ppm={ppm} declared=100 lateness=2000 delay=300 "
             f"seed={10 + number}" for number, ppm in enumerate((100, -100, 40, -50))]
    counts = case.play(*map(device, words), seconds=20, loss=10, collides=True)
    case.expect(all(one["received"] > 50 and one["late"] > 10 for one in counts), str(counts))


CASES = [advertising, scanning, connection, reconnection, all_roles, errors]
