"""herald-node as a program: its roles, its configuration file, its storage, and its behaviour without standard streams."""

import asyncio
import csv
import os
import signal
import stat
import time

from bumble import crypto

import herald
from contact_rows import pull_until, time_of
from node import PATIENCE, Node, program, pull, run
from world import World, until

# Country 826, state 4, venue 123123, premises name.
VENUE = bytes.fromhex("303A030400F3E00100") + b"\x10\x11Erin's Stakehouse"
VENUE_OPTION = "venue:826,4,123123,Erin's Stakehouse"


async def case_node_beacon_is_read_and_reads_nobody():
    """HP-51 A beacon is found and read by phones; it does not scan or connect, so it meets nobody."""
    async with World() as world:
        scans = []
        world.controller.on_hci_le_set_scan_enable_command = spy(
            world.controller.on_hci_le_set_scan_enable_command, scans)
        world.controller.on_hci_le_set_extended_scan_enable_command = spy(
            world.controller.on_hci_le_set_extended_scan_enable_command, scans)
        beacon = await world.node("--role", "beacon", payload=VENUE_OPTION)
        phones = [await world.android(1), await world.ios(1)]
        for phone in phones:
            await until(lambda: VENUE in phone.met.values(), f"payload of the beacon at {phone.name}")
        await asyncio.sleep(2)
        assert not any(getattr(command, "le_scan_enable", getattr(command, "enable", 0)) for command in scans), scans
        # The phones read each other, with another ATT_MTU than the node's.
        assert not any(read and read[0][1] == 247 for phone in phones for read in phone.served), "it read a phone"
        assert not any("is there" in message for message in beacon.messages), beacon.messages


async def case_node_logs_a_venue_beacon_visit():
    """HP-51 A wearable that stays near a beacon logs a visit, which the host writes to visits.csv."""
    async with World() as world:
        wearable = await world.node("--link", "tcp:0", "--visit-after", "2", "--visit-end", "8")
        started = time.monotonic()
        beacon = await world.another_node(2, "--role", "beacon", payload=VENUE_OPTION)
        identity = await identity_at(wearable)
        output = world.folder / "out"

        def has_stayed(rows):
            times = [time_of(row) for row in rows if row["id"] == identity and row["measure"]]
            return bool(times) and times[-1] - times[0] > 2.5

        # By the wearable's clock: by that of this process the stay may be longer than the reception.
        await pull_until(wearable, output, has_stayed, "stay near the beacon")
        assert "visit" not in wearable.facts, "the stay is not over"
        await beacon.stop()
        await wearable.until(lambda: "visit" in wearable.facts)
        [(where, seconds)] = [visit.split() for visit in wearable.facts["visit"]]
        assert where == identity and 2 <= int(seconds) <= time.monotonic() - started, wearable.facts
        await pull_until(wearable, output, lambda rows: (output / "visits.csv").exists(), "row of the visit")
        with open(output / "visits.csv", newline="") as file:
            [visit] = csv.DictReader(file)
        venue = {key: visit[key] for key in ("country", "state", "code", "name", "beacon")}
        assert venue == {"country": "826", "state": "4", "code": "123123", "name": "Erin's Stakehouse",
                         "beacon": identity}, visit
        assert visit["first"] < visit["last"] and float(visit["seconds"]) >= 2, visit


async def case_node_that_passes_a_beacon_logs_no_visit():
    """HP-51 A stay that is too short to count leaves no visit."""
    async with World() as world:
        wearable = await world.node("--link", "tcp:0", "--visit-after", "60", "--visit-end", "1")
        beacon = await world.another_node(2, "--role", "beacon", payload=VENUE_OPTION)
        await identity_at(wearable)
        await beacon.stop()
        await asyncio.sleep(3)
        assert "visit" not in wearable.facts, wearable.facts
        await pull(wearable.link, world.folder / "out")
        assert not (world.folder / "out" / "visits.csv").exists()


def spy(handler, seen):
    """The handler of a command, which records its arguments."""

    def noted(command):
        seen.append(command)
        return handler(command)

    return noted


async def case_node_that_is_not_to_advertise_does_not():
    """HP-06 A node that does not advertise is not found, and still reads phones."""
    async with World() as world:
        phone = await world.android(1, reads_peers=False)
        node = await world.node("--no-advertise")
        await node.has_read(phone)
        try:
            advertisement = await world.node_advertisement(await world.host(), seconds=2)
        except TimeoutError:
            return
        heard = str(advertisement.address)
        assert heard == phone.address, f"it advertises as {heard}"


async def case_node_past_the_end_of_the_key_schedule_says_so():
    """The schedule of the phones' epoch ended on 2026-03-17: there is no payload, and the remedy is reported."""
    async with World() as world:
        keys = world.folder / "keys"
        keys.write_text(f"country 826\nstate 4\nfirst-day 2000\n{'11' * 32}\n")
        keys.chmod(0o600)
        node = await world.node(payload=f"simple:{keys}")
        await node.says("no payload: the key schedule ended 2001 days after its epoch; agree on a new epoch")
        await node.says("write it into the key file as `epoch UNIXSECONDS`")
        try:
            await world.node_advertisement(await world.host(), seconds=2)
        except TimeoutError:
            pass
        else:
            raise AssertionError("it advertises without a payload")
        assert not any("1111" in message for message in node.messages), "the keys are on standard error"
        # With an epoch of today the days of the same key file include today and later ones.
        today = int(time.time()) // 86400 * 86400
        keys.write_text(f"country 826\nstate 4\nfirst-day 0\nepoch {today}\n{'11' * 32}\n{'22' * 32}\n")
        await node.stop()
        await world.node(payload=f"simple:{keys}")
        await world.node_advertisement(await world.host())


def options_of_its_own(*options):
    """A node with these options and no others."""
    return Node(None, None, *options, payload=None, log_level=None)


async def case_node_takes_its_options_from_a_file():
    async with World() as world:
        file = world.folder / "node.conf"
        file.write_text(
            f"# one of the wards\nradio = tcp:127.0.0.1:{world.port}\nstorage = {world.folder / 'storage'}\n"
            "payload = test:7,20  # bytes\nname = \"Ward #3\"\nservice = short\nlink = tcp:0\nlink = tcp:0\n"
            "log-level = info\n")
        node = await world.start(options_of_its_own("--config", str(file)))
        await node.ready()
        assert len(node.facts["link"]) == 2, node.facts
        phone = await world.android(1)
        await until(lambda: herald.test_payload(7, 20) in phone.met.values(), "payload of the file at the phone")
        assert await node.stop() == 0
        # The command line takes precedence, and errors in the file are still reported.
        node = await world.start(options_of_its_own("--config", str(file), "--link", "tcp:0", "--payload", "test:8,20"))
        await node.ready()
        assert len(node.facts["link"]) == 1, node.facts
        await until(lambda: herald.test_payload(8, 20) in phone.met.values(), "payload of the command line")
        await node.stop()
        file.write_text(file.read_text() + "scan-window = wide\n")
        status, _, err = await run("herald-node", "--config", file, "--scan-window", "50")
        assert status == 1
        assert f"cannot use {file}: line 10: The value 'wide' is invalid for '--scan-window" in err, err


async def own_address(world):
    """The address under which the node advertises, most significant byte first."""
    advertisement = await world.node_advertisement(await world.host())
    return bytes(advertisement.address)[::-1]


def resolves(address, key):
    """Core Specification, Vol 3, Part H, 2.2.2 and Vol 6, Part B, 1.3.2.3, by Bumble's own cipher."""
    block = bytes(13) + address[:3]
    return crypto.e(key[::-1], block[::-1])[:3] == address[3:][::-1]


async def case_node_is_recognised_after_a_restart():
    async with World() as world:
        node = await world.node()
        first = await own_address(world)
        await node.stop()
        file = world.folder / "storage" / "address-key"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        key = bytes.fromhex(file.read_text())
        assert len(key) == 16 and resolves(first, key), (first.hex(), key.hex())
        node = await world.node()
        second = await own_address(world)
        assert second != first and resolves(second, key), (first.hex(), second.hex(), key.hex())
        said = "\n".join(node.messages) + str(node.facts)
        assert key.hex() not in said.lower()


async def case_node_runs_without_standard_streams():
    async with World() as world:
        storage = world.folder / "storage"
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", program("herald-node"), "--radio",
            f"tcp:127.0.0.1:{world.port}", "--storage", str(storage), "--payload", "fixed:826,4,1")
        try:
            await world.node_advertisement(await world.host())
            ticks = cpu_ticks(process.pid)
            await asyncio.sleep(2)
            assert cpu_ticks(process.pid) - ticks < 50, "it spins"
            assert process.returncode is None
        finally:
            process.terminate()
            # It has recorded all the same, and its status says that its output could not be written.
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 11
        assert b"started" not in (storage / "log.flash").read_bytes(), "an announcement went into the log"


def cpu_ticks(pid):
    """The processor time used by a process, in hundredths of a second."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def case_node_that_nobody_listens_to_goes_on():
    async with World() as world:
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", '"$@" | true', "sh", program("herald-node"), "--radio", f"tcp:127.0.0.1:{world.port}",
            "--storage", str(world.folder / "storage"), "--payload", "fixed:826,4,1", start_new_session=True,
            stderr=asyncio.subprocess.DEVNULL)
        try:
            await world.node_advertisement(await world.host())
            assert process.returncode is None
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            await asyncio.wait_for(process.wait(), PATIENCE)


async def identity_at(node):
    """The identity of the only peer whose payload a node has read."""
    await node.says("has a new payload")
    [identity] = {message.split()[2] for message in node.messages if "has a new payload" in message}
    return identity


async def case_node_sends_messages_to_another_and_back():
    """HP-30 HP-32 Standard input takes messages to all and to one; standard output tells of those received."""
    async with World() as world:
        first = await world.node(payload="fixed:826,4,1")
        second = await world.another_node(2, payload="fixed:826,4,2")
        second_at_first, first_at_second = await identity_at(first), await identity_at(second)
        await first.ask("send-to-all 48656c6c6F")
        await second.until(lambda: "received" in second.facts)
        assert second.facts["received"] == [f"{first_at_second} 48656c6c6f"], second.facts
        assert first.facts["sending"] == ["1"], first.facts
        longest = "ab" * 509
        await second.ask("", f"send {first_at_second.lower()} {longest}")
        await first.until(lambda: "received" in first.facts)
        assert first.facts["received"] == [f"{second_at_first} {longest}"], first.facts
        assert second.facts["sending"] == ["1"], second.facts


async def case_node_refuses_commands_that_make_no_sense():
    async with World() as world:
        node = await world.node()
        await node.ask("hello", "send-to-all 00", "send 01:02:03:04:05:06 00", "x" * 3000, "send-to-all 0", "")
        for number, told in enumerate((
                "there are the commands send IDENTITY HEX and send-to-all HEX", "nobody is there who could take it",
                "nobody is there who could take it", "it has more than 2048 bytes",
                "a message is bytes, each two hexadecimal digits"), 1):
            await node.says(f"standard input, line {number}: {told}")
        assert "sending" not in node.facts
        node.process.stdin.close()
        ticks = cpu_ticks(node.process.pid)
        await asyncio.sleep(2)
        assert node.process.returncode is None
        assert cpu_ticks(node.process.pid) - ticks < 50, "it spins"
        assert sum("standard input" in message for message in node.messages) == 5, node.messages
