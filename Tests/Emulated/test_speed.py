"""Instructions of a Cortex-M0 for an advertisement, and whether it processes three hundred a second."""

import asyncio
import bisect
import collections
import random
import re
import shutil
import statistics
import tempfile
import time
import unittest
from pathlib import Path

import figures
from lockstep import Lockstep
from paced import Paced
from scripted import Phone, ScriptedController
from support import PATIENCE, AsyncTest, pages

PAGE = 1024
# 300 a second.
PERIOD = 10_000 / 3
GOAL = 3_000


class Instructions(unittest.TestCase):
    def test_an_advertisement_of_a_known_peer(self):
        """Counts every instruction that is carried out from the first byte of eight hundred advertisements on until the last is in the log and the processor
        sleeps: reads of the UART's FIFO, sleeping and waking between 32 bytes at 1 Mbaud, H4, the event, the table of peers, the log with its blocks of
        128 bytes programmed to flash, the loop, and whatever else falls due in these seconds."""
        phone, count, strengths = Phone(1), 800, random.Random(1)
        folder = tempfile.mkdtemp(prefix="herald-emulated-")
        self.addCleanup(shutil.rmtree, folder)

        def hear(count):
            start = machine.now + 1_000
            for number in range(count):
                machine.say(phone.advertisement(-60 - strengths.randrange(9)), int(start + number * PERIOD))
            machine.run(int(start + count * PERIOD))

        with Lockstep(folder, ScriptedController([phone])) as machine:
            machine.run(100_000)
            for _ in range(10):
                machine.say(phone.advertisement(-60), machine.now + 100_000)
                machine.run(machine.now + 199_000)
            self.assertEqual((phone.reads, machine.peer.connected), (1, None))
            # The model of the log is adapted.
            hear(20)
            trace = machine.traced(lambda: hear(count))
        print()
        self.shares(machine, trace, count)
        value = round(len(trace) / count)
        print(f"  {figures.add('cortexm0.instructions_per_advert', value)}, goal {GOAL}")
        self.assertLessEqual(value, GOAL)

    def shares(self, machine, trace, count):
        """Prints the number of instructions of each part of the program."""
        names = sorted((address & ~1, name) for name, address in machine.names.items())
        addresses = [address for address, _ in names]
        parts = collections.Counter()
        for address, times in collections.Counter(trace).items():
            name = names[bisect.bisect_right(addresses, address) - 1][1]
            module = re.match(r"\$e(\d+)", name)
            part = name[module.end():module.end() + int(module[1])] if module else "start-up and run time"
            if part == "HeraldEmbedded" and re.search(r"\d(Flash)?Log[A-Z]", name):
                part = "HeraldEmbedded, log"
            parts[part] += times
        for part, times in parts.most_common():
            print(f"  {times / count:8.0f}  {part}")


class Crowd(AsyncTest):
    async def test_three_hundred_advertisements_a_second(self):
        """Sixteen peers, the capacity of the table, are received in turn, 3,000 times in 10 s, and each time is in the log, in order, dated when it was.
        A Cortex-M0 takes 1.3 to 1.6 cycles for an instruction of such programs on average; here it takes 128 ns, two cycles at 16 MHz."""
        phones = [Phone(number) for number in range(1, 17)]
        count, strengths = 3_000, random.Random(1)
        folder = Path(tempfile.mkdtemp(prefix="herald-emulated-"))
        self.addCleanup(shutil.rmtree, folder)
        async with Paced(folder, ScriptedController(phones), shift=7) as machine:
            # QEMU's time and real time continue while other programs are scheduled: no step here may depend on a duration.
            scanning = lambda: 0x200C in machine.peer.commands
            await machine.eventually(scanning, "scan")
            said = []

            def say(phone):
                rssi = -60 - strengths.randrange(9)
                said.append((phone.identity, rssi, machine.now))
                machine.say(phone.advertisement(rssi))

            def all_read():
                for phone in phones:
                    say(phone)
                return all(phone.reads for phone in phones)

            await machine.eventually(all_read, "payload of every phone")
            await machine.eventually(lambda: machine.peer.connected is None, "end of the last connection")
            start, before = machine.now, len(said)
            # A few more, so that what came before them is in a block of flash that is full.
            for number in range(count + 300):
                await machine.until(start + int(number * PERIOD))
                say(phones[number % len(phones)])
            readings = []
            deadline = time.monotonic() + PATIENCE
            while len(readings) < before + count:
                self.assertLess(time.monotonic(), deadline, f"of {before + count} readings only {len(readings)} are in flash")
                await asyncio.sleep(0.5)
                readings = await self.readings(machine)
        self.assertEqual([reading[:2] for reading in readings], [reading[:2] for reading in said[:len(readings)]])
        delays = [reading[2] - known[2] / 1000 for reading, known in zip(readings, said)][before:]
        print(f"\n  {count} advertisements in {count * PERIOD / 1e6:.0f} s, dated {statistics.median(delays):.0f} ms late as a rule")
        # At a rate that it cannot process the delay increases continuously: an excess of 1 % makes this 66 ms. A busy machine delays a few readings for a short time
        # only.
        self.assertLess(min(delays[2 * count // 3:count]), 50)

    @staticmethod
    async def readings(machine):
        """The readings in the chip's flash in their order: peer, RSSI, and time in milliseconds."""
        found = pages(None, PAGE, await machine.memory(machine.names["log_start"], machine.names["log_size"]))
        records = [record for number in sorted(found) for record in found[number][1]]
        return [(record["target"], record["rssi"], record["ms"]) for record in records if record["event"] == "measured"]


if __name__ == "__main__":
    unittest.main()
