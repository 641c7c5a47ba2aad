"""The images of the nRF52833 DK and the nRF52840 DK on models of their chips, over the USB device controller: a host enumerates them, and herald-host uses them over
USB/IP."""

import asyncio
import json
import shutil
import tempfile
import unittest
from pathlib import Path

import herald
from contact_rows import rows_of
from node import contacts, run
from nrf52.chip import REQUESTED, WATCHDOG, Chip
from nrf52.image import built, kind
from nrf52.on_chip import OnChip
from nrf52.peripheral import Misuse
from nrf52.usb_host import ADDRESS, SET_ADDRESS, Gone, Host, Stalled
from nrf52.usb_server import USBServer
from nrf52.virtual_time import SECOND, Attached, play
from support import ANSWER, PATIENCE
from world import World, until

# SMP over bulk transfers: version 2, "echo" with {"d": "hi"}, and "reset" (Zephyr's SMP protocol specification).
ECHO, ECHOED = bytes.fromhex("0a00000600000100a16164626869"), bytes.fromhex("0b00000600000100a16172626869")
RESET = bytes.fromhex("0a00000100000205a0")
ENDPOINT = 1
# The LED that is on while the controller is ready, active low.
READY = 14
SET_CONFIGURATION, GET_STATUS = bytes.fromhex("0009010000000000"), bytes.fromhex("8000000000000200")


class Bus(OnChip):
    """In the chip's time only."""
    # The limit of instructions in ten seconds with the bus suspended.
    suspended = 640_000

    async def configured(self):
        host = Host(self.chip)
        descriptors = await host.attach()
        await host.control(SET_CONFIGURATION)
        return host, descriptors

    async def echo(self, host):
        await host.write(ENDPOINT, ECHO)
        return await host.read(ENDPOINT, 4096)

    def test_a_host_enumerates_it(self):
        async def enumerate():
            host, (device, configuration) = await self.configured()
            texts = [(await host.descriptor(3, index, 255, 0x409))[2:].decode("utf-16-le") for index in device[14:17]]
            with self.assertRaises(Stalled):
                await host.descriptor(9, 0, 64)
            # A refused request does not block later ones.
            return device, configuration, texts, await host.control(GET_STATUS), await host.descriptor(15, 0, 5)

        device, configuration, texts, status, capabilities = play(self.chip, enumerate())
        # USB 2.01, composite, 64 bytes at the control endpoint, 1209:0001, one configuration.
        self.assertEqual(device[:12].hex(), "12010102ef02014009120100")
        self.assertEqual(device[17], 1)
        self.assertEqual(len(configuration), int.from_bytes(configuration[2:4], "little"))
        # The first interface is the vendor's, with two bulk endpoints of 64 bytes.
        self.assertEqual(configuration[9:32].hex(), "09040000" + "02ff480104" + "07050102400000" + "07058102400000")
        # The chip's factory identifier.
        self.assertEqual(texts[2], "0123456789abcdef")
        self.assertEqual(status, bytes(2))
        self.assertEqual(capabilities[:2].hex(), "050f")

    def test_an_address_is_given_while_the_processor_is_halted(self):
        async def give():
            host, _ = await self.configured()
            # As by an erasure. The peripheral has completed the request before the image reads it.
            self.chip.stand_still(SECOND // 1000)
            await host.control(bytes([0, SET_ADDRESS, ADDRESS, 0, 0, 0, 0, 0]))
            self.assertLess(self.chip.cycles, self.chip.halted_until)
            await asyncio.sleep(0.01)
            return await self.echo(host)

        self.assertEqual(play(self.chip, give()), ECHOED)

    def test_packets_go_both_ways(self):
        async def ask():
            host, _ = await self.configured()
            answers = [await self.echo(host) for _ in range(5)]
            # Selecting the configuration again resets it: the next packet in each direction is DATA0.
            await host.control(SET_CONFIGURATION)
            answers.append(await self.echo(host))
            # Another host, or the same again: addresses, endpoints and toggles are reset.
            await host.attach()
            await host.control(SET_CONFIGURATION)
            return answers, await self.echo(host)

        answers, again = play(self.chip, ask())
        self.assertEqual((answers, again), ([ECHOED] * 6, ECHOED))
        self.assertEqual(self.chip.resets, [0])

    def test_an_endpoint_that_was_halted_goes_on(self):
        async def halt():
            host, _ = await self.configured()
            # The next packet to the host would be DATA1, and is DATA0 after the halt.
            await self.echo(host)
            await host.control(bytes.fromhex("0203000081000000"))
            with self.assertRaises(Stalled):
                await host.read(ENDPOINT, 64)
            await host.control(bytes.fromhex("0201000081000000"))
            return await self.echo(host)

        self.assertEqual(play(self.chip, halt()), ECHOED)

    def test_a_suspended_bus_is_slept_through(self):
        async def suspend():
            host, _ = await self.configured()
            self.chip.usb.suspend()
            await asyncio.sleep(1)
            self.assertTrue(self.chip.usb.is_low_power)
            before = self.chip.processor.instructions
            await asyncio.sleep(10)
            self.assertLess(self.chip.processor.instructions - before, self.suspended)
            self.chip.usb.resume()
            await asyncio.sleep(0.02)
            self.assertFalse(self.chip.usb.is_low_power)
            return await self.echo(host)

        self.assertEqual(play(self.chip, suspend()), ECHOED)

    def test_the_cable_is_pulled_and_put_in_again(self):
        async def pull():
            host, _ = await self.configured()
            waiting = asyncio.create_task(host.read(ENDPOINT, 64))
            await asyncio.sleep(1)
            host.unplug()
            with self.assertRaises(Gone):
                await waiting
            await asyncio.sleep(5)
            self.assertFalse(self.chip.usb.is_enabled)
            host, _ = await self.configured()
            return await self.echo(host)

        self.assertEqual(play(self.chip, pull()), ECHOED)

    def test_a_restart_that_a_host_asks_for(self):
        async def restart():
            host, _ = await self.configured()
            await host.write(ENDPOINT, RESET)
            with self.assertRaises(Gone):
                await host.read(ENDPOINT, 64)
                await host.read(ENDPOINT, 64)
            await host.attach()
            await host.control(SET_CONFIGURATION)
            return await self.echo(host)

        self.assertEqual(play(self.chip, restart()), ECHOED)
        self.assertEqual(self.chip.resets, [0, REQUESTED])


class BusOfNRF52840(Bus):
    board = "nrf52840dk"


class Anomalies(unittest.TestCase):
    """The workarounds for the anomalies of one chip are missing in the image of the other."""

    def attach(self, board, chip):
        chip = Chip(built(board, "wearable-hci"), kind(chip))
        play(chip, asyncio.wait_for(Host(chip).attach(), 5))

    def test_the_nrf52833s_image_does_not_get_its_usb_started_on_an_nrf52840(self):
        with self.assertRaises(TimeoutError):
            self.attach("nrf52833dk", "nrf52840dk")

    def test_the_nrf52840s_image_writes_to_what_an_nrf52833_has_not(self):
        with self.assertRaisesRegex(Misuse, "anomalies 171, 187 and 211: 0xc0 to 0xc14"):
            self.attach("nrf52840dk", "nrf52833dk")


class Asked(OnChip):
    """Runs herald-host against it, in time no faster than real time."""
    # The number of readings of each phone that is exceeded.
    readings = 50

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="herald-nrf52-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def ask(self, *commands):
        """The output of herald-host for each of these."""
        return play(self.chip, self.serve(*commands), follows_wall=True)

    async def serve(self, *commands):
        said = []
        async with USBServer(self.chip) as server:
            for words in commands:
                status, out, err = await run("herald-host", *words, "--device", server.link, "--timeout", ANSWER, seconds=PATIENCE)
                self.assertEqual(status, 0, f"{words}: {err or out}")
                said.append(out)
        return said

    def questions(self, folder):
        """What is asked after a meeting."""
        return (("info", "--json"), ("stats", "--json"), ("config", "set", "access/stay-open", "yes"), ("log", "pull", "--output", folder))

    def assertPulled(self, info, stats, phones, folder):
        """The output of herald-host about a meeting is right."""
        info = json.loads(info)
        self.assertEqual(info["device"]["board"], self.board)
        # Over the link and in the descriptor, the serial number is the chip's identifier.
        self.assertEqual((info["device"]["serial"], info["usb"]["serial"]), ("0123456789abcdef",) * 2)
        firmware = json.loads(stats)["firmware"]
        self.assertEqual((firmware["uart_overruns"], firmware["watchdog_withheld"]), (0, 0))
        self.assertGreater(firmware["asleep_permille"], 900)
        # By the pattern in the stack, and by the image's own counter.
        self.assertGreaterEqual(self.assertStackRemains(), firmware["stack_used"])
        rows = contacts(folder)
        for phone in phones:
            self.assertEqual(len(rows_of(rows, phone, "detect")), 1)
            [read] = rows_of(rows, phone, "read")
            self.assertEqual(read["data"], herald.short_name(phone.payload))
            self.assertGreater(len(rows_of(rows, phone, "measure")), self.readings)


class Told(Asked):
    def test_a_trap_is_told_of(self):
        self.chip.run_for(35)
        place = self.trap()
        self.chip.run_for(2)
        text, restart = self.ask(("info",), ("info", "--json"))
        self.assertIn("panic", text)
        self.assertIn(f"0x{place:08x}", text)
        self.assertEqual(json.loads(restart)["restart"]["registers"]["pc"], place)

    def test_the_watchdogs_bite_is_told_of(self):
        self.run_to_sleep()
        self.chip.system.enabled = 0
        while WATCHDOG not in self.chip.resets:
            self.chip.run_for(0.1)
        self.chip.run_for(2)
        [text] = self.ask(("info",))
        self.assertIn("watchdog", text)


class Program(Asked):
    def test_the_log_of_a_meeting_is_pulled(self):
        phones = play(self.chip, self.meet(20))
        folder = self.folder / "out"
        info, stats, *_ = self.ask(*self.questions(folder))
        self.assertPulled(info, stats, phones, folder)
        self.assertEqual(json.loads(stats)["hci"]["sync_lost"], 0)


class Flood(Asked):
    def test_a_flood_arrives_whole(self):
        """Events of 255 bytes at 1 Mbit/s, which would be lost without flow control: each is received undamaged."""
        async def flood():
            async with World() as world, Attached(self.chip, world.port):
                await until(lambda: not self.chip.ports[0].is_high(READY), "controller that is ready")
                for number in range(400):
                    self.chip.line.send(bytes([4, 0xFE, 253]) + bytes((number + place) % 256 for place in range(253)))
                await asyncio.sleep(2)

        play(self.chip, flood())
        [stats] = self.ask(("stats", "--json"))
        hci = json.loads(stats)["hci"]
        self.assertGreaterEqual(hci["events"], 400)
        self.assertEqual((hci["unknown_events"], hci["sync_lost"], hci["bytes_skipped"], hci["malformed_events"]), (400, 0, 0, 0))


if __name__ == "__main__":
    unittest.main()
