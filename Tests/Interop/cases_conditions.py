"""The host's tools under bad conditions: servers without a response, devices that send a byte a second, locked devices, two devices with one serial number."""

import asyncio
import contextlib
import json
import os
import resource
import shutil
import signal
import struct

from node import PATIENCE, program, run
from world import World


@contextlib.asynccontextmanager
async def listening(serve):
    """A server on a free port; returns the port."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def silent(reader, writer):
    """Accepts all bytes and never responds."""
    with contextlib.suppress(ConnectionError):
        await reader.read(-1)
    writer.close()


async def dripping(reader, writer):
    """Sends one byte per second, regardless of the requests."""
    with contextlib.suppress(ConnectionError):
        for byte in bytes.fromhex("0111000500000000") + bytes(4096):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)


def slow(place, first):
    """In front of a device's serial line: passes the first bytes of its responses on as they are, then a byte a second."""
    host, port = place.rsplit(":", 1)

    async def serve(reader, writer):
        device_reader, device_writer = await asyncio.open_connection(host, int(port))

        async def towards():
            with contextlib.suppress(ConnectionError):
                while data := await reader.read(4096):
                    device_writer.write(data)
            device_writer.close()

        task = asyncio.create_task(towards())
        left = first
        with contextlib.suppress(ConnectionError):
            while data := await device_reader.read(4096):
                head, rest = data[:left], data[left:]
                left -= len(head)
                writer.write(head)
                for byte in rest:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(1)
        writer.close()
        task.cancel()

    return serve


async def case_servers_that_do_not_answer_are_rows_and_nothing_to_the_others():
    async with World() as world, listening(silent) as mute, listening(dripping) as drip:
        node = await world.node("--usbip", "0", payload="stored")
        [serial] = node.facts["serial-number"]
        good = node.usbip.removeprefix("usbip://").split("/")[0]
        # Port 1 refuses connections.
        servers = [f"127.0.0.1:{mute}", f"127.0.0.1:{drip}", "127.0.0.1:1"]
        fleet = [word for server in [*servers[:2], good, servers[2]] for word in ("--usbip", server)]
        payload = world.folder / "payload.yml"
        payload.write_text("family: fixed\ncountry: 826\nidentifier: random\n")
        badges = world.folder / "badges.yml"
        badges.write_text("settings:\n  log/keep-days: 21\n")

        async def told(*words):
            status, out, err = await run("herald-host", *words, "--all", *fleet, "--json")
            assert status == 10, (words, status, out, err)
            found = json.loads(out)
            rows = {row["location"]: row for row in found["devices"]}
            assert found["failed"] == 3 and len(rows) == 4, (words, found)
            for server, cause in zip(servers, ["no-answer", "no-answer", "link"]):
                error = rows[f"usbip://{server}"]["error"]
                assert error["cause"] == cause and error["exit_status"] == {"no-answer": 7, "link": 6}[cause], (words, error)
                assert f"usbip://{server}: " in err, err
            [row] = [row for row in found["devices"] if row["serial"] == serial]
            return row["result"]

        answers = await asyncio.gather(
            told("config", "get", "log/keep-days"), told("time", "sync"))
        assert answers[0]["settings"][0]["value"] == 14 and answers[1]["time"].endswith("Z"), answers
        assert (await told("config", "set", "log/keep-days", "9"))["settings"][0]["value"] == 9
        assert (await told("provision", badges))["settings"] == 1
        assert (await told("payload", "push", payload))["family"] == "fixed"
        pulled = await told("log", "pull", "--output", world.folder / "all")
        assert pulled["pull"]["is_complete"] and [path.name for path in (world.folder / "all").iterdir()] == [serial], pulled
        # doctor has findings for each; those of this computer come first.
        status, out, err = await run("herald-host", "doctor", "--all", *fleet, "--json")
        found = json.loads(out)
        expected = 1 if any(finding["verdict"] == "problem" for finding in found["computer"]) else 17
        assert status == expected, (status, out)
        looked_at = {row["location"]: row["findings"] for row in found["devices"]}
        assert len(looked_at) == 4 and all(looked_at[f"usbip://{server}"][0]["verdict"] == "problem" for server in servers), looked_at
        # devices lists the reachable devices, and reports the failures.
        status, out, err = await run("herald-host", "devices", "--json", *fleet)
        found = json.loads(out)
        assert status in (6, 7) and [device["serial"] for device in found["devices"]] == [serial] and len(found["errors"]) == 3, (status, found)
        # With only failing servers there is also a row for each.
        status, out, err = await run("herald-host", "time", "sync", "--all", "--usbip", servers[2], "--json")
        assert status == 6 and json.loads(out)["failed"] == 1, (status, out, err)


async def case_a_device_that_sends_a_byte_a_second_fails_alone():
    async with World() as world:
        nodes = [await world.node("--link", "tcp:0"), await world.another_node(2, "--link", "tcp:0", "--log-pages", "16")]
        serials = [node.facts["serial-number"][0] for node in nodes]
        place = nodes[1].facts["link"][0]
        # From the first byte on, and during the pull.
        for first in (0, 700):
            output = world.folder / f"all-{first}"
            async with listening(slow(place, first)) as port:
                status, out, err = await run(
                    "herald-host", "log", "pull", "--device", nodes[0].link, "--device", f"serial:tcp:127.0.0.1:{port}", "--output", output,
                    "--timeout", "0.5", "--json")
            told = json.loads(out)
            assert status == 10 and told["failed"] == 1, (first, status, out, err)
            [good, bad] = sorted(told["devices"], key=lambda row: "error" in row)
            assert good["serial"] == serials[0] and good["result"]["pull"]["is_complete"], good
            assert bad["error"]["cause"] in ("no-answer", "partial") and "did not answer" in bad["error"]["what"], bad


def metered(place, rate):
    """A serial line in front of a device's, which carries `rate` bytes a second in each direction."""
    host, port = place.rsplit(":", 1)

    async def pipe(reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(64):
                await asyncio.sleep(len(data) / rate)
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader, writer):
        device_reader, device_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(pipe(reader, device_writer), pipe(device_reader, writer))

    return serve


async def case_a_slow_line_is_waited_for_as_long_as_bytes_come():
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        # A response of a kilobyte takes three quarters of a second here, and the timeout is a third of one.
        async with listening(metered(node.facts["link"][0], 1920)) as port:
            status, out, err = await run(
                "herald-host", "log", "pull", "--device", f"serial:tcp:127.0.0.1:{port}", "--output", world.folder / "log", "--timeout", "0.3", "--json")
            assert status == 0 and json.loads(out)["pull"]["is_complete"], (status, out, err)
        async with listening(silent) as port:
            status, _, err = await run("herald-host", "status", "--device", f"serial:tcp:127.0.0.1:{port}", "--timeout", "0.1")
            assert status == 7 and "--timeout" in err, (status, err)


def listing(count):
    """A USB/IP server that lists `count` Herald devices, and answers no import of one."""
    async def serve(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await reader.readexactly(8)
            if request[2:4] == bytes.fromhex("8005"):
                writer.write(bytes.fromhex("0111000500000000") + count.to_bytes(4, "big"))
                for number in range(count):
                    record = bytes(256) + f"1-{number}".encode().ljust(32, b"\0") + struct.pack(">3I3H6B", 1, 2, 2, 0x1209, 1, 0x0200, 0, 0, 0, 1, 1, 1)
                    writer.write(record + bytes([0xFF, 0x48, 0x01, 0]))
                await writer.drain()
            else:
                await reader.read(-1)
        writer.close()

    return serve


async def case_servers_with_many_devices_that_do_not_answer_end():
    async with listening(listing(1000)) as thousand, listening(listing(200)) as many:
        status, out, err = await run("herald-host", "devices", "--usbip", f"127.0.0.1:{thousand}", "--json")
        assert status == 8 and "1000 devices, more than 256" in err, (status, err)
        begun = asyncio.get_running_loop().time()
        status, out, err = await run("herald-host", "devices", "--usbip", f"127.0.0.1:{many}", "--json")
        found = json.loads(out)["devices"]
        assert status == 0 and len(found) == 200 and not any(device["usable"] for device in found), (status, err)
        # Five seconds for all of them, not for each.
        assert asyncio.get_running_loop().time() - begun < 60


async def case_a_locked_device_is_one_sentence_and_status_9():
    async with World() as world:
        nodes = [await world.node("--link", "tcp:0"), await world.another_node(2, "--link", "tcp:0")]
        for node in nodes:
            serial = node.facts["serial-number"][0]
            key = world.folder / f"{serial}.key"
            key.write_bytes(serial.encode() * 2)
            key.chmod(0o600)
            status, _, err = await run("herald-host", "config", "set", "access/key", key, "--device", node.link, "--new-device")
            assert status == 0, err
        output = world.folder / "logs"
        status, out, err = await run("herald-host", "log", "pull", "--device", nodes[0].link, "--output", output)
        lines = err.strip().splitlines()
        assert status == 9 and out == "" and len(lines) == 2, (status, out, err)
        assert "it is locked" in lines[0] and "--key-file" in lines[1] and not output.exists(), err
        status, out, err = await run("herald-host", "log", "pull", "--device", nodes[0].link, "--output", output, "--json")
        error = json.loads(out)["error"]
        assert status == 9 and error["cause"] == "refused" and error["exit_status"] == 9 and "locked" in error["what"], (status, out)
        devices = [word for node in nodes for word in ("--device", node.link)]
        status, out, err = await run("herald-host", "log", "pull", *devices, "--output", output, "--json")
        told = json.loads(out)
        assert status == 9 and told["failed"] == 2 and not output.exists(), (status, out, err)
        assert all("locked" in row["error"]["what"] and row["error"]["exit_status"] == 9 for row in told["devices"]), told


async def case_devices_with_one_serial_number_do_not_share_a_folder():
    async with World() as world:
        first = await world.node("--link", "tcp:0")
        [serial] = first.facts["serial-number"]
        output = world.folder / "all"
        status, out, err = await run("herald-host", "status", "--json", "--device", first.link)
        identifier = json.loads(out)["id"]
        assert status == 0 and len(identifier) == 16, (status, out)
        # The identifier by its description: SHA-256 over a text and the address key, which is in the node's storage.
        import hashlib
        key = bytes.fromhex((world.folder / "storage" / "address-key").read_text().strip())
        assert identifier == hashlib.sha256(b"herald device 1" + key).digest()[:8].hex(), identifier
        # Repeated pulls of the same device, in one run and later, succeed.
        for _ in range(2):
            status, _, err = await run("herald-host", "log", "pull", "--device", first.link, "--output", output / serial)
            assert status == 0, err
        record = json.loads((output / serial / "device.json").read_text())
        assert record["id"] == identifier and record["serial"] == serial, record
        # Another device with the same serial number, in another run.
        other_storage = world.folder / "storage-2"
        other_storage.mkdir(mode=0o700)
        shutil.copy(world.folder / "storage" / "serial-number", other_storage / "serial-number")
        other = await world.another_node(2, "--link", "tcp:0", "--usbip", "0")
        assert other.facts["serial-number"] == [serial], other.facts
        for words in (["--device", other.link, "--output", output / serial],
                      ["--all", "--usbip", other.usbip.removeprefix("usbip://").split("/")[0], "--output", output]):
            status, out, err = await run("herald-host", "log", "pull", *words)
            assert status == 64 and "another device with the same serial number" in err and "--rebind" in err, (words, status, err)
        assert json.loads((output / serial / "device.json").read_text()) == record
        # A folder of an earlier version has no identifier, and is bound by the next pull.
        (output / serial / "device.json").write_text(json.dumps({key: value for key, value in record.items() if key != "id"}))
        status, _, err = await run("herald-host", "log", "pull", "--device", first.link, "--output", output / serial)
        assert status == 0 and json.loads((output / serial / "device.json").read_text())["id"] == identifier, err
        # With --rebind the command continues.
        status, _, err = await run("herald-host", "log", "pull", "--rebind", "--device", other.link, "--output", output / serial)
        assert status == 0 and json.loads((output / serial / "device.json").read_text())["id"] != identifier, err


def left_a_core(name, *arguments):
    """Whether a program that is killed by SIGABRT, with no limit on its core, leaves one."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        os.execv(name, [name, *map(str, arguments)])
    return child


async def case_no_core_dump_has_a_key():
    async with World() as world, listening(silent) as mute:
        # In a folder of this case, the default location of a core file.
        here = os.getcwd()
        os.chdir(world.folder)
        try:
            programs = {
                "sleep": (shutil.which("sleep"), "60"),
                "herald-host": (program("herald-host"), "info", "--timeout", "60", "--device", f"serial:tcp:127.0.0.1:{mute}"),
                "herald-flash": (program("herald-flash"), "reset", "--timeout", "60", "--to", f"smp:serial:tcp:127.0.0.1:{mute}"),
                "herald-node": (program("herald-node"), "--radio", f"tcp:127.0.0.1:{mute}", "--storage", str(world.folder / "kept")),
            }
            dumped = {}
            for name, words in programs.items():
                child = left_a_core(*words)
                # Waits until it has begun its work; before that, its countermeasures are not in effect.
                await asyncio.sleep(3)
                os.kill(child, signal.SIGABRT)
                _, status = await asyncio.to_thread(os.waitpid, child, 0)
                assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT, (name, status)
                dumped[name] = os.WCOREDUMP(status)
        finally:
            os.chdir(here)
        if not dumped.pop("sleep"):
            print("  no program leaves a core on this machine: nothing was shown")
        assert not any(dumped.values()), dumped
