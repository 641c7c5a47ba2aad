"""Records as a pcap file, as tshark reads them."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import pcap
import records
from packets import ADVERTISING_ADDRESS

RECORDING = Path(__file__).resolve().parent / "recordings" / "LL_CON_PER_BV-06-C.csv.xz"


def dissected(transmitted, condition, *fields):
    """The fields of the packets for which a display filter of tshark is true."""
    with tempfile.TemporaryDirectory() as folder:
        pcap.write(f"{folder}/air.pcap", transmitted)
        words = [word for field in fields for word in ("-e", field)]
        output = subprocess.run(["tshark", "-r", f"{folder}/air.pcap", "-Y", condition, "-T", "fields", *words],
                                capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def with_wrong_crc(record):
    return record._replace(packet=record.packet[:-1] + bytes([record.packet[-1] ^ 1]))


@unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
class PcapTest(unittest.TestCase):
    def setUp(self):
        self.transmitted = sorted(records.read(RECORDING))

    def test_every_packet_is_dissected(self):
        numbers = dissected(self.transmitted, "btle", "frame.number")
        self.assertEqual(len(numbers), len(self.transmitted))
        self.assertEqual(dissected(self.transmitted, "btle.crc.incorrect or _ws.malformed", "frame.number"), [])

    def test_a_wrong_crc_is_found_on_advertising_and_data_channels(self):
        places = [next(place for place, record in enumerate(self.transmitted)
                       if (record.address == ADVERTISING_ADDRESS) == is_advertising) for is_advertising in (True, False)]
        for place in places:
            self.transmitted[place] = with_wrong_crc(self.transmitted[place])
        found = dissected(self.transmitted, "btle.crc.incorrect", "frame.number")
        self.assertEqual([int(number) - 1 for number, in found], places)

    def test_the_direction_of_data_is_that_of_the_connection(self):
        data = [record for record in self.transmitted if record.address != ADVERTISING_ADDRESS]
        directions = dissected(self.transmitted, "btle.data_header", "btle_rf.flags")
        self.assertEqual(len(directions), len(data))
        by_device = {device: {direction for record, (direction,) in zip(data, directions) if record.device == device}
                     for device in {record.device for record in data}}
        self.assertEqual(sorted(map(len, by_device.values())), [1, 1])
        self.assertEqual(len(set.union(*by_device.values())), 2)


if __name__ == "__main__":
    unittest.main()
