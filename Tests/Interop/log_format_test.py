#!/usr/bin/env python3
"""The reference page of the Swift tests, read by the decoder that was written from the description of the format alone."""

import pathlib
import re
import struct
import unittest

import log_decoder

TESTS = pathlib.Path(__file__).parent.parent


def golden_page(name="goldenPage", file="HeraldEmbeddedTests/Log/LogFormatTests.swift"):
    text = re.search(name + r' = (?:hexBytes\(\s*)?"""\n(.*?)\n  """', (TESTS / file).read_text(), re.S)
    return bytes.fromhex("".join(text[1].split()))


def expected_records():
    """The records of LogFormatTests.swift, with times rounded down to 10 ms."""
    phone = {"target": "A0B1C2D3E401", "kind": 1}
    pseudo = {"target": "A0B1C2D3E402", "kind": 2}

    def event(name, ms, boot=1, **more):
        return {"event": name, "ms": ms // 10 * 10, "boot": boot, **more}

    yield event("started", 15, reason=2)
    yield event("detected", 1234, **phone)
    yield event("measured", 1234, **phone, rssi=-70)
    for index in range(40):
        yield event("measured", 1420 + index * 182, **phone, rssi=-70 + index % 4)
        if index % 3 == 0:
            yield event("measured", 1430 + index * 182, **pseudo, rssi=-91 + index)
    yield event("clockSet", 9000, source=1, unix=1_700_000_000_000)
    yield event("read", 9500, **phone, payload=bytes(range(130)).hex())
    yield event("measured", 9830, target="A0B1C2D3E403", kind=0, rssi=127)
    yield event("measured", 10_400, target="A0B1C2D3E404", kind=3, rssi=20)
    yield event("lost", 700_000, **phone)
    yield event("battery", 700_000, level=81, external=True)
    yield event("started", 30, 2, reason=0)
    yield event("shared", 500, 2, target="A0B1C2D3E405", kind=3, payload="dead")
    yield event("ownPayload", 500, 2, payload="")
    yield event("txPower", 4_000_000, 2, **phone, power=-8)
    yield event("heraldDetected", 4_000_000, 2, **phone)
    yield event("dropped", 4_000_010, 2, count=77)


def later_records():
    """The records of LogFormatTests.swift in its second page."""
    phone = {"target": "A0B1C2D3E401", "kind": 1}

    def event(name, ms, **more):
        return {"event": name, "ms": ms, "boot": 1, **more}

    def run(start, count):
        return bytes(range(start, start + count)).hex()

    yield event("received", 1000, **phone, payload="6869")
    yield event("received", 1010, **phone, payload="")
    yield event("model", 1500, **phone, payload=b"SM-A405FN".hex())
    yield event("observed", 2000, **phone, service=0, payload=run(0xC0, 16))
    yield event("observed", 2500, **phone, service=1, payload=run(0xD0, 8))
    yield event("measured", 2600, **phone, rssi=-60)
    yield event("ownCode", 3000, service=0, payload=run(0xE0, 16))
    yield event("ownCode", 3500, service=1, payload=run(0xF0, 8))
    yield event("visited", 7_700_000, target="A0B1C2D3E402", kind=0, first=7654, last=300)
    yield event("measured", 7_700_180, **phone, rssi=-61)


def crowded_records():
    """The records of LogFormatTests.swift in the page with more targets than the search covers."""
    def reading(milliseconds, number, rssi):
        target = "A0B1C2D3%04X" % (0xE400 + number)
        return {"event": "measured", "ms": milliseconds, "boot": 1, "target": target, "kind": 1, "rssi": rssi}

    for index in range(80):
        yield reading(1000 + 30 * index, index % 40, -60 - index % 7)
    for index, number in enumerate((3, 39, 38, 40)):
        yield reading(3500 + 30 * index, number, -70)


class LogFormat(unittest.TestCase):
    def test_golden_page(self):
        header, records = log_decoder.decode(golden_page())
        self.assertEqual(header["epoch"], 0x11223344)
        self.assertEqual((header["sequence"], header["boot"], header["dictionary"]), (1, 1, 3))
        self.assertEqual(records, list(expected_records()))

    def test_kinds_that_came_later(self):
        """HP-46 HP-51: messages, models, codes of additional services, and visits."""
        header, records = log_decoder.decode(golden_page("laterPage"))
        self.assertEqual(header["epoch"], 0x55667788)
        self.assertEqual(records, list(later_records()))

    def test_a_restart(self):
        """The report of a fault is the 32 bytes that the format page says."""
        _, records = log_decoder.decode(golden_page("restartPage"))
        report = struct.pack("<4B7I", 6, 1, 3, 0, 5, 77, 0x8972, 0x33F, 0x21000003, 0x10, 0x1FFFFFF8)
        self.assertEqual(records, [
            {"event": "started", "ms": 0, "boot": 1, "reason": 6},
            {"event": "restarted", "ms": 0, "boot": 1, "payload": report.hex()},
        ])

    def test_motion(self):
        """The states of a motion sensor have no bytes."""
        _, records = log_decoder.decode(golden_page("motionPage"))
        self.assertEqual(records, [
            {"event": "started", "ms": 0, "boot": 1, "reason": 0},
            {"event": "motion", "ms": 10, "boot": 1, "state": "worn"},
            {"event": "motion", "ms": 300_010, "boot": 1, "state": "lying"},
            {"event": "motion", "ms": 301_510, "boot": 1, "state": "unknown"},
            {"event": "motion", "ms": 302_000, "boot": 1, "state": "worn"},
        ])

    def test_more_targets_than_are_searched_for(self):
        header, records = log_decoder.decode(golden_page("crowdedPage"))
        self.assertEqual(header["dictionary"], 64)
        self.assertEqual(records, list(crowded_records()))

    def test_more_records_than_a_page_may_hold(self):
        _, records = log_decoder.decode(golden_page("overfullLogPage", "TestInputs/OverfullLogPage.swift"))
        self.assertEqual(len(records), 8192)

    def test_version_2(self):
        """The pages of version 2 have the records of those of the present version."""
        for name in ("goldenPage", "laterPage", "restartPage", "motionPage", "crowdedPage"):
            old, records = log_decoder.decode(
                golden_page(name + "2", "HeraldEmbeddedTests/Log/LogVersion2Tests.swift"))
            new, expected = log_decoder.decode(golden_page(name))
            self.assertEqual((old["version"], new["version"]), (2, 3), name)
            self.assertEqual(records, expected, name)

    def test_erased_bytes_behind_it_change_nothing(self):
        page = golden_page()
        self.assertEqual(log_decoder.decode(page + b"\xff" * (1024 - len(page))), log_decoder.decode(page))

    def test_cut_short_or_damaged_it_gives_a_prefix_of_each_start(self):
        page, whole = golden_page(), list(expected_records())
        first = [record for record in whole if record["boot"] == 1]
        second = [record for record in whole if record["boot"] == 2]

        def is_right(records):
            one = [record for record in records if record["boot"] == 1]
            two = [record for record in records if record["boot"] == 2]
            return one + two == records and one == first[:len(one)] and two == second[:len(two)]

        for at in range(log_decoder.HEADER, len(page)):
            self.assertTrue(is_right(log_decoder.decode(page[:at])[1]), at)
            damaged = page[:at] + bytes([page[at] ^ 0x55]) + page[at + 1:]
            self.assertTrue(is_right(log_decoder.decode(damaged)[1]), at)


if __name__ == "__main__":
    unittest.main()
