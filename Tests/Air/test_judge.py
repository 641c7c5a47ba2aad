"""The judge finds no breach in recordings of another controller, and one in each recording after it was altered.

`recordings` has packets that Apache NimBLE's controller transmitted in conformance tests, named after these.
"""

import unittest
from pathlib import Path

import records
from judge import judge
from packets import ADVERTISING_ADDRESS, ADVERTISING_CRC, CONNECT_IND, SCAN_RSP, crc24, duration

FOLDER = Path(__file__).resolve().parent / "recordings"


def recorded(name):
    return sorted(records.read(FOLDER / f"{name}.csv.xz"))


def data_places(transmitted):
    """The indices of the packets of a connection, and its CRCInit."""
    request = next(record.packet for record in transmitted
                   if record.address == ADVERTISING_ADDRESS and record.packet[0] & 15 == CONNECT_IND)
    places = [place for place, record in enumerate(transmitted) if record.address != ADVERTISING_ADDRESS]
    return places, int.from_bytes(request[18:21], "little")


def with_pdu(record, pdu, crc_init):
    return record._replace(end=record.start + duration(len(pdu) + 3), packet=bytes(pdu) + crc24(pdu, crc_init))


def moved(record, by):
    return record._replace(start=record.start + by, end=record.end + by)


class JudgeTest(unittest.TestCase):
    def test_recordings_have_no_breach(self):
        answers = 0
        for path in sorted(FOLDER.glob("*.csv.xz")):
            with self.subTest(path.name):
                judged = judge(records.read(path), is_lossless=True)
                self.assertEqual(judged.breaches, [])
                answers += judged.answers
        self.assertGreater(answers, 1500)

    def assert_found(self, name, change, expected):
        transmitted = recorded(name)
        places, crc_init = data_places(transmitted)
        change(transmitted, places, crc_init)
        found = [what for _, what in judge(transmitted, is_lossless=True).breaches]
        self.assertTrue(any(expected in what for what in found), found)

    def test_an_answer_at_the_wrong_time(self):
        for by in (-3, 3, 10):
            def change(transmitted, places, crc_init, by=by):
                transmitted[places[41]] = moved(transmitted[places[41]], by)
            with self.subTest(by):
                self.assert_found("LL_CON_PER_BV-06-C", change, f"{150 + by} µs after")

    def test_an_event_on_another_channel(self):
        def change(transmitted, places, crc_init):
            for place in places[40:42]:
                record = transmitted[place]
                transmitted[place] = record._replace(mhz=record.mhz + 2 if record.mhz < 78 else 4)
        self.assert_found("LL_CON_PER_BV-06-C", change, "in place of")

    def test_advertising_begins_anew_with_another_address_only(self):
        def record(start, mhz, address):
            pdu = bytes([0x42, 6]) + address
            packet = pdu + crc24(pdu, ADVERTISING_CRC)
            return records.Record(start, start + duration(len(packet)), 0, mhz, ADVERTISING_ADDRESS, packet)
        first, second = bytes([0xC0] * 6), bytes([0xC1] * 6)
        self.assertEqual(judge([record(1000, 80, first), record(2368, 2, second)]).breaches, [])
        [(_, what)] = judge([record(1000, 80, first), record(2368, 2, first)]).breaches
        self.assertIn("on channel 37, 1368 µs after channel 39", what)

    def test_many_devices_may_answer_the_same_packet(self):
        own = bytes([0xC0] * 6)

        def record(start, device, pdu):
            packet = pdu + crc24(pdu, ADVERTISING_CRC)
            return records.Record(start, start + duration(len(packet)), device, 2, ADVERTISING_ADDRESS, packet)
        question = record(1000, 0, bytes([0x40, 6]) + own)
        answers = [record(question.end + 150, number, bytes([0xC3, 12, *[number] * 6]) + own) for number in range(1, 21)]
        judged = judge([question, *answers])
        self.assertEqual((judged.breaches, judged.answers), ([], 20))

    def test_a_wrong_sequence_number(self):
        def change(transmitted, places, crc_init):
            record = transmitted[places[40]]
            pdu = bytearray(record.packet[:-3])
            pdu[0] ^= 8
            transmitted[places[40]] = with_pdu(record, pdu, crc_init)
        self.assert_found("LL_CON_PER_BV-06-C", change, "repeats SN")

    def test_an_acknowledgement_of_a_packet_that_was_not_transmitted(self):
        def change(transmitted, places, crc_init):
            record = transmitted[places[40]]
            pdu = bytearray(record.packet[:-3])
            pdu[0] ^= 4
            transmitted[places[40]] = with_pdu(record, pdu, crc_init)
        self.assert_found("LL_CON_PER_BV-06-C", change, "without an acknowledgement")

    def test_a_wrong_crc(self):
        def change(transmitted, places, crc_init):
            record = transmitted[places[40]]
            transmitted[places[40]] = record._replace(packet=record.packet[:-1] + bytes([record.packet[-1] ^ 1]))
        self.assert_found("LL_CON_PER_BV-06-C", change, "CRC")

    def test_an_anchor_point_at_the_wrong_time(self):
        def change(transmitted, places, crc_init):
            for place in places[40:42]:
                transmitted[place] = moved(transmitted[place], 200)
        self.assert_found("LL_CON_PER_BV-06-C", change, "+201 µs off")

    def test_an_update_that_is_not_executed(self):
        def change(transmitted, places, crc_init):
            for place in places:
                record = transmitted[place]
                pdu = bytearray(record.packet[:-3])
                if pdu[0] & 3 == 3 and pdu[2] == 0:
                    pdu[6] ^= 1
                    transmitted[place] = with_pdu(record, pdu, crc_init)
        self.assert_found("LL_CON_CEN_BV-07-C", change, "off, ")

    def test_a_control_pdu_of_the_wrong_length(self):
        def change(transmitted, places, crc_init):
            place = next(place for place in places if transmitted[place].packet[0] & 3 == 3)
            pdu = transmitted[place].packet[:-3]
            transmitted[place] = with_pdu(transmitted[place], bytes([pdu[0], pdu[1] - 1]) + pdu[2:-1], crc_init)
        self.assert_found("LL_CON_PER_BV-06-C", change, "control PDU")

    def test_a_scan_response_to_a_request_for_another_device(self):
        transmitted = recorded("LL_DDI_ADV_BV-05-C")
        place = next(place for place, record in enumerate(transmitted) if record.packet[0] & 15 == SCAN_RSP)
        pdu = bytearray(transmitted[place].packet[:-3])
        pdu[2] ^= 1
        transmitted[place] = with_pdu(transmitted[place], pdu, ADVERTISING_CRC)
        self.assertIn("SCAN_RSP for another", judge(transmitted).breaches[0][1])

    def test_advertising_channels_in_another_order(self):
        transmitted = recorded("LL_DDI_ADV_BV-03-C")
        transmitted[1] = transmitted[1]._replace(mhz=2.0)
        self.assertTrue(judge(transmitted).breaches)

    def test_breaches_of_other_devices_are_not_counted(self):
        transmitted = recorded("LL_DDI_ADV_BV-03-C")
        transmitted[1] = transmitted[1]._replace(mhz=2.0)
        self.assertEqual(judge(transmitted, devices={transmitted[1].device + 1}).breaches, [])


if __name__ == "__main__":
    unittest.main()
