#!/usr/bin/env python3
"""The demonstration: phones arrive and leave, and a host reads the log while the wearable runs, for half a minute.

    demo.py FOLDER

leaves the pulled log in FOLDER/log and the wearable's storage in FOLDER/storage.
"""

import asyncio
import json
import logging
import shutil
import signal
import sys
import time
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import air as air_module
import herald
from h4_rssi_proxy import RSSIProxy, RSSIValues, Walk
from node import Node, contacts, run
from phones.android import AndroidPhone
from phones.ios import IOSPhone

END = 30
OWN_PAYLOAD = herald.fixed_payload(826, 4, 1234567890)
PULLS = [(15, "usbip"), (END, "link")]


class Person:
    """A person with a phone: its kind, its times of arrival and departure, and its RSSI at the wearable."""

    def __init__(self, name, phone, story, visits, walk):
        self.name = name
        self.phone = phone
        self.story = story
        self.visits = visits
        self.walk = Walk.parse(walk)


def cast(air):
    """The persons."""
    def payload(name):
        return herald.test_payload(int.from_bytes(name.encode()[:4].ljust(4, b"\0"), "little"))

    return [
        Person("Ada", AndroidPhone(air, "Ada", "F0:D1:AD:A0:00:01", payload("Ada"), b"\x01\xad\xa0\xad\xa0\x01"),
               "an Android phone, sits down beside us", [(1, END)], "1:-88 7:-54 23:-51 30:-79"),
        Person("Ben", IOSPhone(air, "Ben", "F0:D1:BE:00:00:02", payload("Ben")),
               "an iPhone, comes over for a word", [(3, 16)], "3:-84 8:-60 11:-58 16:-90"),
        Person("Cleo", AndroidPhone(air, "Cleo", "F0:D1:C1:E0:00:03", payload("Cleo"), b"\x03\xc1\xe0\xc1\xe0\x03",
                                    legacy=True),
               "an old Android phone, walks past", [(9, 21)], "9:-95 15:-68 21:-96"),
        Person("Dan", AndroidPhone(air, "Dan", "F0:D1:DA:00:00:04", payload("Dan"), b"\x04\xda\x00\xda\x00\x04"),
               "an Android phone, looks in twice", [(6, 12), (22, 28)], "6:-80 9:-72 12:-85 22:-82 25:-64 28:-80"),
    ]


class Play:
    """The state of the demonstration, and its clock."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "log"
        self.air = air_module.Air()
        self.people = cast(self.air)
        self.node = None
        self.start = 0.0

    def say(self, text):
        print(f"{time.monotonic() - self.start:5.1f} s  {text}", flush=True)

    async def at(self, second):
        """Waits for a time of the demonstration."""
        await asyncio.sleep(max(0.0, self.start + second - time.monotonic()))

    async def perform(self):
        controller = air_module.add_controller(self.air, "wearable", "00:11:22:33:44:55")
        server = await air_module.serve(controller)
        rssi_values = RSSIValues({person.phone.address: person.walk for person in self.people}, jitter=2)
        port = await RSSIProxy("127.0.0.1", air_module.port_of(server), rssi_values).start()
        self.node = Node(
            f"tcp:127.0.0.1:{port}", self.folder / "storage", "--link", "pty", "--usbip", "0", "--name", "Demo",
            payload="fixed:826,4,1234567890")
        await self.node.start()
        await self.node.ready()
        self.start = rssi_values.start = time.monotonic()
        self.say(f"the wearable {self.node.facts['serial-number'][0]} advertises and scans")
        await asyncio.gather(*(self.live(person) for person in self.people), *(self.pull(*p) for p in PULLS))

    async def live(self, person):
        for number, (come, go) in enumerate(person.visits):
            await self.at(come)
            self.say(f"{person.name} comes: {person.story}" if number == 0 else f"{person.name} comes back")
            await person.phone.arrive()
            await self.at(go)
            if go < END:
                await person.phone.leave()
                self.say(f"{person.name} is gone")

    async def pull(self, second, link):
        await self.at(second)
        device = getattr(self.node, link)
        status, out, err = await run("herald-host", "log", "pull", "--device", device, "--output", self.log, "--json")
        if status != 0:
            raise RuntimeError(f"herald-host log pull --device {device}: {err.strip()}")
        told = json.loads(out)
        way = "over USB/IP" if link == "usbip" else "over its serial line"
        self.say(f"herald-host has read the log {way}: {told['readings']} readings, "
                 f"{told['pull']['bytes']} bytes in {told['pull']['seconds']:.2f} s")

    async def end(self):
        if self.node:
            await self.node.stop()


def sparkline(readings, start, end, columns=24):
    """The RSSI of a person over the demonstration: -95 dBm and less is the lowest bar, -50 and more the highest."""
    bars = "▁▂▃▄▅▆▇█"
    cells = [[] for _ in range(columns)]
    for when, strength in readings:
        cells[min(columns - 1, int((when - start) / (end - start) * columns))].append(strength)
    means = [sum(cell) / len(cell) if cell else None for cell in cells]
    return "".join(
        " " if mean is None else bars[max(0, min(7, int((mean + 95) / 45 * 8)))] for mean in means)


def report(play):
    """The contacts, from the CSV only; the payloads identify the names."""
    rows = contacts(play.log)
    names = {herald.short_name(person.phone.payload): person.name for person in play.people}
    payload_of = {row["id"]: row["data"] for row in rows if row["read"]}
    readings = defaultdict(list)
    for row in rows:
        if row["measure"] and row["id"] in payload_of:
            when = datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.%f%z").timestamp()
            strength = float(row["data"].removeprefix("RSSI:").split("[")[0])
            readings[payload_of[row["id"]]].append((when, strength))
    if not readings:
        raise RuntimeError("nobody was met")
    start = min(when for all_of in readings.values() for when, _ in all_of)
    end = max(when for all_of in readings.values() for when, _ in all_of)

    print("\nWho was met\n")
    print(f"  {'who':6}{'payload':9}{'when (UTC)':21}{'for':>5}{'readings':>10}{'strongest':>11}{'mean':>9}   how strong")
    for payload, found in sorted(readings.items(), key=lambda item: item[1][0]):
        for visit in visits(found):
            (first, _), (last, _) = visit[0], visit[-1]
            when = f"{clock(first)} – {clock(last)}"
            rssi_values = [strength for _, strength in visit]
            print(f"  {names.get(payload, '?'):6}{payload:9}{when:21}{round(last - first):>3} s{len(visit):>10}"
                  f"{max(rssi_values):>7.0f} dBm{sum(rssi_values) / len(rssi_values):>5.0f} dBm   "
                  f"{sparkline(visit, start, end)}")
    print("\n  Bumble's controllers report each advertisement twice: there are two readings where a radio makes one.")
    return len(readings)


def visits(readings, gap=3):
    """The readings of a person, split at gaps of `gap` seconds."""
    parts = [[readings[0]]]
    for reading in readings[1:]:
        if reading[0] - parts[-1][-1][0] > gap:
            parts.append([])
        parts[-1].append(reading)
    return parts


def clock(unix):
    return time.strftime("%H:%M:%S", time.gmtime(unix))


async def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    play = Play(folder)
    task = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    print("Four phones and a wearable, each on a Bluetooth controller of Google's Bumble, all on one air.\n")
    try:
        await play.perform()
    finally:
        await play.end()
    met = report(play)
    readers = [person.name for person in play.people if OWN_PAYLOAD in person.phone.met.values()]
    print(f"\nIn turn {', '.join(readers)} have read the wearable's own payload, {herald.short_name(OWN_PAYLOAD)}.")
    print(f"All of it, as a Herald phone would write it: {play.log / 'contacts.csv'}")
    return 0 if met == len(readers) == len(play.people) else 1


if __name__ == "__main__":
    logging.basicConfig(level=logging.CRITICAL)
    try:
        sys.exit(asyncio.run(main(Path(sys.argv[1]))))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)
