"""A peripheral process with a link layer, and the scripted central."""

from case import device
from central import CONTINUATION, CONTROL, START, Central, Lost

UNKNOWN_RSP, REJECT_IND = 0x07, 0x0D
# SCA of a maximum deviation in ppm.
SCA = {500: 0, 50: 5}
ADVERTISER = "advertise=connectable"


def payload(sequence):
    """A payload of the sequence that the device expects."""
    return sequence.to_bytes(4, "little") + bytes(sequence % 20)


def in_order(received):
    """Whether the data payloads are those of the device, from the first on."""
    numbers = [int.from_bytes(body[:4], "little") for llid, body in received if llid != CONTROL]
    return numbers == list(range(len(numbers)))


def central_of(script, **options):
    """A scripted central that ends the simulation after its script."""
    def execute(phy):
        script(Central(phy, **options))
        phy.wait(phy.now + 100_000)
        phy.end()
    return execute


def control_procedures(case):
    """Each control PDU of 4.0 and of later versions is answered as specified."""
    def script(central):
        central.connect(late=100)
        expect, ask = case.expect, central.ask
        expect(ask(0x08, bytes(8)) == bytes([0x09]) + bytes(8), "LL_FEATURE_RSP")
        expect(ask(0x0C, bytes([6, 0xFF, 0xFF, 0, 0]))[:2] == b"\x0c\x06", "LL_VERSION_IND")
        expect(ask(0x0C, bytes([6, 0xFF, 0xFF, 0, 0]), 6) is None, "LL_VERSION_IND is answered once")
        expect(ask(0x03, bytes(22)) == bytes([REJECT_IND, 0x1A]), "LL_REJECT_IND")
        lengths = {0x0E: 8, 0x0F: 23, 0x12: 0, 0x14: 8, 0x16: 2, 0x18: 4, 0x20: 1, 0x33: 3, 0xFF: 26}
        for opcode, length in lengths.items():
            expect(ask(opcode, bytes(length)) == bytes([UNKNOWN_RSP, opcode]), f"LL_UNKNOWN_RSP to {opcode:#04x}")
        expect(ask(0x08, bytes(7)) == bytes([UNKNOWN_RSP, 0x08]), "LL_UNKNOWN_RSP to an LL_FEATURE_REQ of 7 bytes")
        expect(central.missed == 0, f"{central.missed} events without an answer")
        central.terminate()
    counts, _ = case.play(device(ADVERTISER), central_of(script), seconds=30, is_lossless=True, judged={0})
    case.expect(counts["closed"] == {"19": 1}, str(counts))


def updates(case):
    """Connection updates, channel maps and missed events, without one lost answer."""
    def script(central):
        central.connect(window_size=3, window_offset=5, late=2000)
        central.run(10)
        central.run(3, is_silent=True)
        central.run(3)
        for changes in ({"interval": 40, "timeout": 200, "window_offset": 3, "late": 500},
                        {"interval": 400, "timeout": 600, "window_offset": 0, "late": 0},
                        {"interval": 6, "timeout": 100, "window_size": 5, "window_offset": 6, "late": 6249}):
            central.update(**changes)
            central.run(20)
        for channels in (0x1F00F0F0F, 0x3, 0x1800000000, (1 << 37) - 1):
            central.remap(channels)
            central.run(80)
        case.expect(central.missed == 0, f"{central.missed} events without an answer")
        # The instants of both in the same event.
        central.remap(0x155555)
        central.update(24, timeout=300)
        central.run(40)
        case.expect(central.missed == 0, f"{central.missed} events without an answer")
        central.terminate()
    counts, _ = case.play(device(ADVERTISER), central_of(script), seconds=60, is_lossless=True)
    case.expect(counts["closed"] == {"19": 1}, str(counts))


def latency(case):
    """With latency, the peripheral answers at least every fifth event, and at once if it has data."""
    def script(central):
        central.connect(interval=24, latency=4, timeout=200)
        central.run(20)
        gaps, gap = [], 0
        for _ in range(200):
            answers = central.answers
            central.event()
            gap = gap + 1 if central.answers == answers else 0
            gaps.append(gap)
        case.expect(0 < max(gaps) <= 4, f"{max(gaps)} events without an answer in succession")
        central.update(40, latency=9, timeout=400, ahead=12)
        central.run(100)
        central.update(24, timeout=200, ahead=20)
        missed = central.missed
        central.run(30)
        case.expect(central.missed == missed, "missed events without latency")
    case.play(device(ADVERTISER), central_of(script), seconds=40)


def data(case):
    """Payloads in both directions arrive once and in order, also with wrong CRCs and unheard answers."""
    def script(central):
        central.connect(interval=12)
        received = []
        for number in range(400):
            central.send(START if number % 3 else CONTINUATION, payload(number))
            faults = {"spoil": {0}} if number % 7 == 3 else {"deaf": {1}} if number % 11 == 5 else {}
            received += central.event(**faults)
        received += central.run(20)
        case.expect(len(received) > 300 and in_order(received), f"{len(received)} payloads")
    counts, _ = case.play(device(f"{ADVERTISER} data=0"), central_of(script), seconds=30, judged={0})
    case.expect(counts["received"] == 400, str(counts))


def drift(case):
    """Clocks that deviate to both sides by what they declare, at short and long intervals: no event is missed."""
    for ppm in (500, 50):
        for sign in (1, -1):
            for interval, events in ((6, 400), (80, 60), (800, 20), (3200, 6)):
                def script(central, interval=interval, events=events, ppm=ppm, sign=sign):
                    central.connect(interval=interval, timeout=3200)
                    central.run(events // 2)
                    central.run(3 if interval < 3200 else 1, is_silent=True)
                    central.run(events)
                    case.expect(central.missed == 0, f"{sign * ppm} ppm, interval {interval}: {central.missed} missed events")
                    central.terminate()
                words = f"{ADVERTISER} ppm={-sign * ppm} declared={ppm} seed={ppm + interval}"
                case.play(device(words), central_of(script, ppm=sign * ppm, sca=SCA[ppm]), seconds=120)


def loss(case):
    """A connection with up to 40 % of the packets lost: payloads arrive in order."""
    for percent in (5, 20, 40):
        def script(central, percent=percent):
            for _ in range(20):
                central.connect(interval=16, timeout=600)
                received = central.run(10)
                if central.answers:
                    break
            for number in range(200):
                central.send(START, payload(number))
                received += central.event()
            received += central.run(400)
            case.expect(len(received) > 50 and in_order(received), f"{percent} %: {len(received)} payloads")
        case.play(device(f"{ADVERTISER} data=20"), central_of(script), seconds=40, loss=percent, seed=percent)


def lateness(case):
    """A peripheral whose processor is often late: what it transmits is at the right time nevertheless."""
    def script(central):
        central.connect(interval=12, timeout=400)
        received = []
        for number in range(600):
            central.send(START, payload(number)) if number < 500 else None
            received += central.event()
        # One of ten operations is late: the start of an event, or a response. An event has several exchanges.
        case.expect(0 < central.missed < (central.missed + central.answers) / 4, f"{central.missed} of {central.missed + central.answers} packets without response")
        case.expect(len(received) > 100 and in_order(received), f"{len(received)} payloads")
    counts, _ = case.play(device(f"{ADVERTISER} data=10 lateness=10000 delay=1000 seed=5"), central_of(script), seconds=30)
    case.expect(counts["late"] > 20, str(counts))


def supervision(case):
    """A central that is silent: the peripheral ends the connection after the timeout, and can be connected again."""
    def script(central):
        central.connect(interval=24, timeout=100)
        central.run(20)
        last = central.received_at
        found = central.find(seconds=5)
        case.expect(900_000 < found.start - last < 1_100_000, f"advertising again after {found.start - last} µs")
        # A CONNECT_IND without a packet: six intervals.
        central.connect(access=0x50655DA5, interval=24)
        found = central.find(seconds=5)
        case.expect(5 * 30_000 < found.start - central.received_at < 9 * 30_000, f"after {found.start - central.received_at} µs")
        central.connect(access=0x50655DA9)
        central.run(20)
        case.expect(central.missed == 0, f"{central.missed} missed events")
        central.terminate()
    counts, _ = case.play(device(f"{ADVERTISER} every=20 limit=1"), central_of(script), seconds=20)
    case.expect(counts["closed"] == {"8": 1, "19": 1, "62": 1}, str(counts))


def bad_requests(case):
    """CONNECT_INDs with impossible fields, or at the wrong time, create no connection."""
    faults = ({"interval": 5}, {"interval": 3201}, {"window_size": 0}, {"window_size": 9}, {"window_offset": 25}, {"latency": 500},
              {"timeout": 9}, {"timeout": 3201}, {"hop": 4}, {"hop": 17}, {"channels": 0}, {"channels": 1}, {"answer_after": 170},
              {"interval": 800, "timeout": 100})

    def script(central):
        for fault in faults:
            central.connect(**{"access": 0x50655DA3, **fault})
            try:
                central.run(3)
            except Lost:
                pass
            case.expect(central.answers == 0, f"{fault} was accepted")
        central.connect(access=0x50655DA9)
        central.run(5)
        case.expect(central.answers >= 5, "no connection after the bad requests")
        central.terminate()
    counts, _ = case.play(device(ADVERTISER), central_of(script), seconds=60, judged={0})
    case.expect(counts["opened"] == 1, str(counts))


CASES = [control_procedures, updates, latency, data, drift, loss, lateness, supervision, bad_requests]
