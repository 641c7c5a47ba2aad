"""The medium, and devices on it."""

import sys
import unittest
from pathlib import Path

from judge import judge
from packets import ADV_SCAN_IND, SCAN_REQ, SCAN_RSP, duration
from phy import NEVER
from play import Program, play

HERE = Path(__file__).resolve().parent
PDU = b"\x02\x06abcdef"


def sender(phy):
    for channel in (37, 38, 39):
        phy.transmit(10000 + 1000 * channel, channel, PDU)


class Medium(unittest.TestCase):
    def test_a_packet_is_received_on_its_channel_during_the_window(self):
        def receiver(channel):
            return lambda phy: [phy.receive(46000, channel, 500), phy.receive(46999, channel, 3000)]
        results, _ = play(sender, receiver(37), receiver(38))
        self.assertEqual(results[1], [None, (47000, 47000 + duration(len(PDU) + 3), PDU, True, -60)])
        self.assertEqual(results[2][1].start, 48000)

    def test_a_receiver_that_starts_with_the_first_bit_receives_the_packet(self):
        results, _ = play(sender, lambda phy: phy.receive(47000, 37, 40))
        self.assertEqual(results[1].pdu, PDU)

    def test_a_receiver_that_starts_one_microsecond_late_does_not(self):
        results, _ = play(sender, lambda phy: phy.receive(47001, 37, 200))
        self.assertIsNone(results[1])

    def test_the_access_address_must_be_complete_within_the_window(self):
        results, _ = play(sender, lambda phy: phy.receive(46990, 37, 49))
        self.assertIsNone(results[1])

    def test_half_of_the_lost_packets_are_damaged_and_half_are_not_detected(self):
        def many(phy):
            for number in range(400):
                phy.transmit(1000 + 1000 * number, 37, PDU)

        def receiver(phy):
            packets = [phy.receive(900 + 1000 * number, 37, 500) for number in range(400)]
            return [sum(packet is None for packet in packets), sum(packet is not None and not packet.crc_ok for packet in packets)]
        results, _ = play(many, receiver, loss=30)
        for count in results[1]:
            self.assertTrue(40 < count < 80, results[1])

    def test_packets_that_overlap_are_damaged_if_that_is_asked_for(self):
        def late(phy):
            phy.transmit(47050, 37, PDU)
        for collides in (False, True):
            results, _ = play(sender, late, lambda phy: phy.receive(46999, 37, 500), collides=collides)
            self.assertEqual(results[2].crc_ok, not collides)

    def test_with_a_centre_all_devices_are_in_range_of_that_one_only(self):
        def receiver(phy):
            packet = phy.receive(46999, 37, 500)
            return packet and packet.rssi
        for centre, heard in ((0, [-60, -60]), (1, [-60, None]), (2, [None, -60])):
            results, _ = play(sender, receiver, receiver, centre=centre)
            self.assertEqual(results[1:], heard, f"centre {centre}")

    def test_a_recheck_moves_the_end_of_a_reception(self):
        import phy as interface
        from packets import ADVERTISING_ADDRESS

        def receiver(phy):
            request = interface.RX_REQUEST.pack(
                1000, interface.UNLIMITED, ADVERTISING_ADDRESS, interface.ONE_MBIT, interface.frequency(37), 0, 2, 0, 40, 16,
                1000000, NEVER, 2000)
            phy.ask(interface.RX, request)
            self.assertEqual(phy.answer(), interface.RECHECK)
            phy.ask(interface.NEW_ABORT, interface.ABORT.pack(3000, NEVER))
            self.assertEqual(phy.answer(), interface.RX_END)
            return interface.RX_DONE.unpack(phy.take(interface.RX_DONE.size))
        results, _ = play(receiver)
        status, _, _, end, _ = results[0]
        self.assertEqual((status, end), (interface.NO_SYNC, 3000))

    def test_a_beacon_as_a_program_keeps_the_rules(self):
        beacon = Program(lambda simulation, number: [sys.executable, str(HERE / "beacon.py"), simulation, str(number), "10"])
        results, transmitted = play(beacon, beacon, seconds=2)
        self.assertEqual([status for status, _ in results], [0, 0])
        self.assertEqual(len(transmitted), 60)
        judged = judge(transmitted)
        self.assertEqual((judged.breaches, judged.kinds["ADV_NONCONN_IND"]), ([], 60))

    def test_a_scanner_and_a_scannable_advertiser_keep_the_rules(self):
        own, other = bytes.fromhex("0df0f0f0f0f0"), bytes.fromhex("0cf0f0f0f0f0")

        def advertiser(phy):
            end = phy.transmit(20000, 37, bytes([0x40 | ADV_SCAN_IND, 9]) + own + b"\x02\x01\x06")
            request = phy.receive(end + 145, 37, 50)
            phy.transmit(request.end + 150, 37, bytes([0x40 | SCAN_RSP, 6]) + own)

        def scanner(phy):
            packet = phy.receive(1, 37, 100000)
            end = phy.transmit(packet.end + 150, 37, bytes([0xC0 | SCAN_REQ, 12]) + other + packet.pdu[2:8])
            return phy.receive(end + 145, 37, 50).start - end
        results, transmitted = play(advertiser, scanner)
        self.assertEqual(results[1], 150)
        judged = judge(transmitted, is_lossless=True)
        self.assertEqual((judged.breaches, judged.answers, judged.max_error), ([], 2, 0))


if __name__ == "__main__":
    unittest.main()
