"""How long a battery lasts, as people are told: from counters of a device that shares no code with the firmware, from a node over HCI, and in the report."""

import json

from cases_hostile import place
from hostile import HostileDevice
from node import run
from world import World

TIMES = ("receive_ms", "transmit_ms", "ramp_ms", "crystal_ms", "events")
# 1,000 s of an nRF52840: 6.26 mA · 5 % + 6.4 mA · (1 % + 0.1 %) + 0.646 mA · 1.9 % + 2.34 mA · 1 % + 2 µA, and 3.4 µA of the board around it.
USUAL = {"advertiser": (20_000, 10_000, 600, 45_000, 3000), "scanner": (30_000, 0, 400, 35_000, 2000)}
CURRENT = 0.313 + 0.0704 + 0.012274 + 0.0234 + 0.002 + 0.0034


class CountingDevice(HostileDevice):
    """Has the counters of a link layer besides."""

    def __init__(self, pages, roles, *, asleep=990_000, **options):
        super().__init__(pages, **options)
        self.groups = {role: dict(zip(TIMES, values)) for role, values in roles.items()} | {"firmware": {"asleep_ms": asleep}}

    def answer(self, group, command, request):
        if (group, command) == (2, 1):
            return {"stat_list": list(self.groups)}
        if (group, command) == (2, 0) and request["name"] in self.groups:
            return {"name": request["name"], "fields": self.groups[request["name"]]}
        return super().answer(group, command, request)


def counting(pages, roles=USUAL, *, board="xiao-nrf52840", uptime=1_000_000, **options):
    return CountingDevice(pages, roles, texts={"i": board}, status={"now": uptime}, **options).start()


async def battery(device, *words):
    status, out, err = await run("herald-host", "status", "--json", "--device", device.link, *words)
    assert status == 0, (status, err)
    return json.loads(out)["battery"]


async def case_battery_life_is_told_by_counters_and_voltage():
    async with place() as (folder, pages):
        device = await counting(pages)
        told = await battery(device)
        assert abs(told["milliamperes"] - CURRENT) < 1e-4 and told["capacity_mah"] == 500 and told["is_capacity_assumed"], told
        # The level is linear from 3.3 to 4.2 V, and the charge at that voltage 0 to 100 % of 500 mAh.
        millivolts = 3300 + 9 * (told["level"] + 0.5)
        table = [3306, 3687, 3741, 3775, 3793, 3821, 3884, 3945, 4008, 4086, 4190]
        below = max(place for place in range(10) if table[place] <= millivolts)
        percent = 10 * (below + (millivolts - table[below]) / (table[below + 1] - table[below]))
        assert abs(told["percent"] - percent) <= 0.5, (told, percent)
        assert abs(told["hours_left"] - 5 * percent / CURRENT) < 0.2, (told, percent)
        status, out, err = await run("herald-host", "status", "--device", device.link, "--battery", "100")
        days = int(percent / CURRENT / 24)
        assert status == 0 and f"about {days} days left (0.42 mA, 100 mAh cell, {round(percent)} % by voltage)" in out, (days, out, err)
        status, out, err = await run("herald-host", "status", "--device", device.link, "--battery", "-3")
        assert status == 64 and "--battery" in err, (status, err)
        # A pull notes the current, and the report has a column and a sentence.
        status, _, err = await run("herald-host", "log", "pull", "--device", device.link, "--output", folder / "log")
        device.stop()
        assert status == 0, err
        noted = json.loads((folder / "log" / "device.json").read_text())["power"]
        assert noted["board"] == "xiao-nrf52840" and abs(noted["microamperes"] - 1000 * CURRENT) < 0.1, noted
        status, _, err = await run("herald-host", "report", folder / "log", "--battery", "100")
        page = (folder / "log" / "report.html").read_text()
        assert status == 0 and f"about {days} days left (0.42 mA, 100 mAh cell, {round(percent)} % by voltage)" in page, err
        assert "does not last until the next day" not in page
        status, _, err = await run("herald-host", "report", folder / "log", "--battery", "5")
        assert status == 0 and "does not last until the next day" in (folder / "log" / "report.html").read_text(), err


async def case_battery_life_that_is_not_known_says_why():
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        told = await battery(node)
        assert "with a Bluetooth controller" in told["not_known"] and "hours_left" not in told, told
        status, out, err = await run("herald-host", "status", "--device", node.link)
        assert status == 0 and "not known: the device does not count" in out, (out, err)
        # A folder that was pulled from it says the same.
        status, _, err = await run("herald-host", "log", "pull", "--device", node.link, "--output", world.folder / "log")
        assert status == 0, err
        assert "with a Bluetooth controller" in json.loads((world.folder / "log" / "device.json").read_text())["power"]["notKnown"]


async def case_battery_life_of_hostile_counters():
    most, wide = 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF
    async with place() as (_, pages):
        for name, options, reason in [
            ("an uptime of 0", {"uptime": 0}, "less than a minute"),
            ("more than the time", {"uptime": 60_000}, "contradict"),
            ("counters that have overflowed", {"roles": {"scanner": (most, most, most, most, most)}}, "contradict"),
            ("counters of 64 bits", {"roles": {"scanner": (wide,) * 5}, "uptime": wide}, "contradict"),
            ("a sleep that is longer", {"asleep": wide}, "contradict"),
            ("another board", {"board": "toaster"}, "toaster"),
            ("no board", {"board": ""}, "which board"),
            ("no battery", {"board": "nrf52840-dongle"}, "--battery"),
        ]:
            device = await counting(pages, **options)
            told = await battery(device)
            device.stop()
            assert reason in told["not_known"] and "hours_left" not in told, (name, told)
        # Nothing but sleep is a current, too; text instead of numbers is none.
        device = await counting(pages, {"scanner": (0, 0, 0, 0, 0)}, asleep=1_000_000)
        assert (await battery(device))["milliamperes"] == 0.0054
        device.groups["scanner"] = {"receive_ms": "many", "transmit_ms": [], "ramp_ms": {}, "crystal_ms": b"", "events": -1}
        assert "not_known" in await battery(device)
        device.stop()
