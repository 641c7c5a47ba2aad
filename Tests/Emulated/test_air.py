"""The link layer on RADIO of the nRF52833 and the nRF51822, in models of the chips on the medium of Tests/Air: it advertises and scans, answers after 150 µs, is connected to
and returns what it receives. Every packet is judged."""

import random
import unittest

import figures
from emulator import ROOT
from nrf52.air import OnAir
from nrf52.chip import Chip
from nrf52.clocks import MICROSECOND
from nrf52.decisions import Decisions
from nrf52.image import kind, names, storing
from nrf52.kinds import NRF52833
from nrf52.peripheral import Misuse

# These are found by `nrf52.air`'s addition to the path.
from central import START, Central
from judge import judge
from packets import ADV_SCAN_IND, SCAN_REQ, SCAN_RSP
from play import play

# Its first byte is the lowest of the number of the chip.
OWN = bytes.fromhex("ef0000eeffc0")
DATA, RESPONSE = bytes.fromhex("0201060509") + b"chip", b"\x06\x08radio"
OTHER = bytes.fromhex("0cf0f0f0f0f0")


class AirDevice:
    """The image on its chip, as a device of a medium."""

    def __init__(self, board, seconds, **options):
        self.seconds = seconds
        self.names = names(board, "AirDevice")
        image = ROOT / ".build" / "boards" / board / "AirDevice.bin"
        self.chip = Chip(image.read_bytes(), kind(board), **options)
        self.decisions = Decisions(self.chip)

    def __call__(self, phy):
        OnAir(self.chip, phy).run(self.seconds)

    def halt(self, seed, shortest, longest):
        """Stops the processor at random times for a random number of µs, as an erasure does."""
        self.generation, chance = 0, random.Random(seed)

        def occur():
            length = chance.randint(shortest, longest)
            self.chip.stand_still(length * MICROSECOND)
            self.chip.after((length + chance.randint(1000, 50000)) * MICROSECOND, self, occur)
        self.chip.after(100000 * MICROSECOND, self, occur)

    def write_flash(self, pages, after):
        """Requests that a page is erased and written so many times, after a number of ms."""
        self.generation = 0
        word = self.names["startup_retained"] + 48
        self.chip.after(after * 1000 * MICROSECOND, self, lambda: self.chip.store_ram(word, pages.to_bytes(4, "little"), "test"))

    @property
    def pages_left(self):
        return self.chip.words(self.names["startup_retained"] + 48, 1)[0]

    @property
    def late(self):
        """Operations of the radio that were started too late."""
        return self.chip.words(self.names["startup_retained"] + 52, 1)[0]

    @property
    def counts(self):
        """Advertisements received, connections opened and closed, payloads received."""
        return self.chip.words(self.names["startup_retained"] + 32, 4)


class OnAirTest(unittest.TestCase):
    board, figure = "nrf52833dk", "nrf52833.isr_instructions"
    # Intervals of connections, in units of 1.25 ms, with room for an erasure between two events.
    intervals = (6, 16, 80)

    def play(self, *others, seconds, halts=None, pages=0, **options):
        """Runs the image with other devices: the image, their results, the judged records."""
        device = AirDevice(self.board, seconds + 1)
        if halts:
            device.halt(*halts)
        if pages:
            device.write_flash(pages, after=1500)
        results, transmitted = play(device, *others, seconds=seconds, **options)
        judged = judge(transmitted)
        self.assertEqual(judged.breaches, [])
        self.assertLessEqual(judged.max_error, 2)
        return device, results[1:], judged, transmitted

    def test_it_advertises_on_three_channels(self):
        def idle(phy):
            phy.wait(5000000)
        device, _, judged, transmitted = self.play(idle, seconds=4)
        events = [record.start for record in transmitted if record.mhz == 2]
        self.assertEqual(len(transmitted), 3 * len(events))
        self.assertGreaterEqual(len(events), 4000 // 110)
        for one, next_one in zip(events, events[1:]):
            self.assertTrue(99900 <= next_one - one <= 110100, next_one - one)
        pdu = bytes([0x40, 6 + len(DATA)]) + OWN + DATA
        self.assertEqual({record.packet[:-3] for record in transmitted}, {pdu})
        # The processor sleeps, and the crystal is on for scanning (30 ms of each 60 ms) and advertising only.
        self.assertLess(device.chip.processor.instructions * device.chip.kind.cycles / device.chip.cycles, 0.02)
        if not device.chip.kind.is_nrf51:
            self.assertLess(device.chip.clocks.crystal_time / device.chip.cycles, 0.75)

    def test_a_scan_request_is_answered_after_150_microseconds(self):
        answers = []

        def scanner(phy):
            while phy.now < 3500000:
                channel = 37 + len(answers) % 3
                heard = phy.receive(phy.now + 1, channel, 400000)
                if heard is None:
                    continue
                request = bytes([SCAN_REQ | 0xC0, 12]) + OTHER + heard.pdu[2:8]
                end = phy.transmit(heard.end + 150 + len(answers) % 5 - 2, channel, request)
                answers.append((end, phy.receive(end + 140, channel, 60)))
        device, _, judged, _ = self.play(scanner, seconds=4)
        self.assertGreater(len(answers), 25)
        for end, answer in answers:
            self.assertIsNotNone(answer, end)
            self.assertTrue(answer.crc_ok)
            self.assertEqual(answer.pdu, bytes([0x40 | SCAN_RSP, 6 + len(RESPONSE)]) + OWN + RESPONSE)
            self.assertLessEqual(abs(answer.start - end - 150), 2)
        self.report(device)

    def test_it_scans_actively(self):
        asked = []

        def advertiser(phy):
            for number in range(200):
                for channel in (37, 38, 39):
                    start = 20000 + 20000 * number + 1000 * (channel - 37)
                    end = phy.transmit(start, channel, bytes([0x40 | ADV_SCAN_IND, 9]) + OTHER + b"\x02\x01\x06")
                    request = phy.receive(end + 140, channel, 60)
                    if request and request.pdu[0] & 15 == SCAN_REQ:
                        asked.append(request.start - end)
                        phy.transmit(request.end + 150, channel, bytes([0x40 | SCAN_RSP, 8]) + OTHER + b"\x01\x00")
        device, _, judged, _ = self.play(advertiser, seconds=4)
        self.assertGreater(len(asked), 50)
        self.assertLessEqual(max(abs(space - 150) for space in asked), 2)
        # Each exchange is reported as an advertisement and a response.
        self.assertGreaterEqual(device.counts[0], 2 * len(asked))

    def test_a_central_connects_and_exchanges_data(self):
        for ppm, options in ((0, {}), (200, {}), (-200, {"loss": 10})):
            with self.subTest(ppm=ppm, **options):
                self.connect(ppm, options)

    def connect(self, ppm, options):
        said = {}

        def central(phy):
            it = Central(phy, ppm=ppm, sca=0)
            it.connect(OWN, interval=16, timeout=200, late=100)
            said["version"] = it.ask(0x0C, bytes([6, 0xFF, 0xFF, 0, 0]))
            said["features"] = it.ask(0x08, bytes(8))
            said["unknown"] = it.ask(0x14, bytes(8))
            sent = [bytes([number] * (1 + number % 27)) for number in range(30)]
            for payload in sent:
                it.send(START, payload)
            echoed = []
            for _ in range(200):
                echoed += [payload for llid, payload in it.event() if llid == START]
                if len(echoed) == len(sent):
                    break
            said["echoed"] = echoed == sent
            # Events ended early where the image had no room for another payload.
            it.missed = 0
            it.update(interval=40, timeout=200, window_offset=3, late=500)
            it.remap(0x1F00F0F0F)
            it.run(20)
            said["missed"], said["answers"] = it.missed, it.answers
            it.terminate()
            phy.end()
        device, _, judged, _ = self.play(central, seconds=20, **options)
        self.assertEqual(said["version"], bytes([0x0C, 6, 0xFF, 0xFF, 1, 0]))
        self.assertEqual(said["features"], bytes([9]) + bytes(8))
        self.assertEqual(said["unknown"], bytes([7, 0x14]))
        self.assertTrue(said["echoed"])
        self.assertGreater(said["answers"], 60)
        if not options:
            self.assertEqual(said["missed"], 0)
        self.assertEqual(device.counts[1:], [1, 1, 30])
        self.report(device)

    def test_a_processor_that_stands_still_transmits_nothing_at_the_wrong_time(self):
        for seed, halts in enumerate([(20, 400), (50, 3000), (20000, 87000)]):
            with self.subTest(halts=halts):
                said = {}

                def central(phy):
                    it = Central(phy, sca=0)
                    it.connect(OWN, interval=16, timeout=200, late=100)
                    for number in range(300):
                        it.send(START, bytes([number & 255, 1]))
                        it.event()
                    said["answers"], said["missed"] = it.answers, it.missed
                    phy.end()
                device, _, _, transmitted = self.play(central, seconds=20, halts=(seed, *halts))
                self.assertGreater(said["answers"], 150)
                self.assertEqual(device.counts[2], 0)

    def test_pages_are_erased_and_written_beside_a_connection(self):
        for interval in self.intervals:
            with self.subTest(interval=interval):
                said = {}

                def central(phy):
                    it = Central(phy, sca=0)
                    it.connect(OWN, interval=interval, timeout=200, late=100)
                    it.run(8)
                    missed = 0
                    while phy.now < 4000000:
                        # An event may end after its first exchange, but that takes place.
                        it.send(START, bytes(27))
                        before = it.answers
                        it.event()
                        missed += it.answers == before
                    said["missed"] = missed
                    phy.end()
                device, _, _, transmitted = self.play(central, seconds=20, pages=4)
                flash, start = device.chip.flash, device.names["log_start"]
                self.assertEqual((device.pages_left, flash.memory.erased[start]), (0, 4))
                self.assertEqual(flash.load(start, 257), b"\x5A" * 256 + b"\xFF")
                self.assertEqual(device.late, 0)
                # While the processor is busy, the model rarely requests a reception from the medium too late.
                self.assertEqual(said["missed"], 0)
                self.assertEqual(device.counts[2], 0)

    def report(self, device):
        """Notes the most instructions of the radio interrupt from the end of a packet to the decision on the answer."""
        counts = device.decisions.counts
        self.assertGreater(len(counts), 20)
        print(f"\n  {figures.add_highest(self.figure, max(counts))}; here {max(counts)}, on average {sum(counts) // len(counts)}")
        self.assertTrue(figures.is_within_budget(self.figure, max(counts)), "the radio interrupt takes longer than its budget")


class TwoChips(unittest.TestCase):
    def test_a_central_and_a_peripheral_of_different_chips_exchange_data(self):
        for boards in (("nrf52833dk", "microbit"), ("microbit", "nrf52833dk")):
            with self.subTest(boards=boards):
                devices = [AirDevice(board, 11, device=number) for number, board in enumerate(boards)]
                _, transmitted = play(*devices, seconds=10)
                judged = judge(transmitted)
                self.assertEqual(judged.breaches, [])
                self.assertLessEqual(judged.max_error, 2)
                for device in devices:
                    # The payload is returned at least once in two events of 20 ms.
                    reports, opened, closed, payloads = device.counts
                    self.assertEqual((opened, closed), (1, 0))
                    self.assertGreater(payloads, 200)
                    self.assertGreater(reports, 1)
                print(f"\n  {judged.answers} answers, T_IFS error at most {judged.max_error} µs")


class OnAirOfNRF51822(OnAirTest):
    board, figure = "microbit", "linklayer.isr_instructions"
    intervals = (32, 80)


class Rules(unittest.TestCase):
    """The model refuses what the radio cannot do."""

    def assertRefused(self, address, value, words):
        with self.assertRaisesRegex(Misuse, words):
            Chip(storing(address, value), NRF52833).run_for(0.001)

    def test_what_the_radio_cannot_do(self):
        self.assertRefused(0x40001000, 1, "TXEN without the crystal oscillator")
        self.assertRefused(0x40001008, 1, "START in state 0")
        self.assertRefused(0x40001200, 0b1100, "shortcuts from DISABLED")
        self.assertRefused(0x40001724, 1, "no register is known")


if __name__ == "__main__":
    unittest.main()
