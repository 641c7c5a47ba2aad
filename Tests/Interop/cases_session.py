"""Sessions: an independent host opens one and reads the log in it; recorded, changed and relayed packets are rejected; impostors obtain no key."""

import asyncio
import json
import signal
import struct

import smp_line
from cases_smp import PROGRAMS
from herald_session import Session
from hostile import HostileDevice, cbor
from node import PATIENCE, ended, program, pull, run
from world import World

KEY = bytes(range(7, 39))
LOCKED = {"err": {"group": 72, "rc": 8}}
# In MCUmgr's groups, whose clients do not implement the codes of group 72.
DENIED = {"rc": 11}
IN_SET_UP = {"err": {"group": 72, "rc": 12}}


def request(operation, group, command, body=None, sequence=0):
    content = cbor.encoded(body or {})
    return struct.pack(">BBHHBB", 8 | operation, 0, len(content), group, sequence, command) + content


READ_LOG = (0, 72, 1)
COMMIT = (2, 3, 2)


class Host:
    """A program that opens sessions according to docs/wire-formats.md."""

    def __init__(self, line):
        self.line = line

    async def plain(self, operation, group, command, body=None):
        """The body of the response to a request that is not sealed."""
        answer = await self.line.ask(request(operation, group, command, body))
        assert answer[1] == 0, answer
        return cbor.decoded(answer[8:])

    async def open(self, key):
        """Opens a session; the response to its proof."""
        state = await self.plain(0, 72, 5)
        if state["wait"] > 0:
            await asyncio.sleep(state["wait"] / 1000 + 0.05)
            state = await self.plain(0, 72, 5)
        serial = (await self.plain(0, 0, 7, {"format": "n"}))["output"].encode()
        session = Session(key, state["nonce"], serial)
        answer = await self.plain(2, 72, 5, {"nonce": session.host_nonce, "proof": session.host_proof})
        if "proof" in answer:
            session.check(answer["proof"])
            self.session = session
        return answer

    async def sealed(self, operation, group, command, body=None):
        """The body of the response to a request of the session; `None` if it is not sealed for it."""
        return self.opened(await self.line.ask(self.session.seal(request(operation, group, command, body))))

    def opened(self, packet, number=None):
        body = self.session.open(packet, number)
        return None if body is None else cbor.decoded(body)

    async def refused(self, packet):
        """Whether a packet is rejected as one without a session, in an unsealed response."""
        answer = await self.line.ask(packet)
        return answer[1] == 0 and cbor.decoded(answer[8:]) == LOCKED

    async def page(self, sequence):
        """A page of the log, read in the session."""
        data = b""
        while True:
            answer = await self.sealed(*READ_LOG, {"seq": sequence, "off": len(data)})
            data += answer["data"]
            if not answer["data"] or len(data) == answer["len"]:
                return data


async def locked_node(world, *options):
    """A node with a key, and its key file."""
    node = await world.node("--link", "tcp:0", *options, stay_open=False)
    file = world.folder / "key"
    file.write_bytes(KEY)
    file.chmod(0o600)
    status, _, err = await run("herald-host", "config", "set", "access/key", file, "--new-device", "--device", node.link)
    assert status == 0 and "whoever listens on this cable learns it" in err, (status, err)
    return node, file


async def case_session_of_an_independent_host_reads_the_log():
    async with World() as world:
        node, file = await locked_node(world)
        await pull(node.link, world.folder / "pulled", "--key-file", file)
        line = await smp_line.Line.open(node.link)
        host = Host(line)
        assert await host.plain(*READ_LOG, {"seq": 1}) == LOCKED
        assert "proof" in await host.open(KEY)
        status = await host.sealed(0, 72, 0)
        [first, *_] = sorted((world.folder / "pulled" / "pages").glob("*.page*"))
        page = await host.page(status["first"])
        assert page.startswith(first.read_bytes()[:64]) and len(page) >= 64, page
        assert await host.sealed(*COMMIT) == {} and await host.sealed(2, 72, 9) == {}
        assert await host.sealed(*COMMIT) is None, "the session goes on after its end"
        line.close()


async def case_session_refuses_what_is_not_the_next_request():
    async with World() as world:
        node, _ = await locked_node(world)
        line = await smp_line.Line.open(node.link)
        host = Host(line)
        assert await host.open(bytes(32)) == {"err": {"group": 72, "rc": 6}}
        await asyncio.sleep(1.1)
        assert "proof" in await host.open(KEY)
        commit = request(*COMMIT)
        # Repeated, reordered, inserted.
        one, two, three = (host.session.seal(commit) for _ in range(3))
        assert host.opened(await line.ask(two), 2) == {}
        assert await host.refused(two) and await host.refused(one)
        stranger = Session(bytes(32), bytes(16), b"", bytes(16))
        assert await host.refused(stranger.seal(commit, 9))
        # Another command in the header, another number, another body, another tag.
        for place in (4, 5, 6, 7, 8, 11, 12, len(three) - 1):
            assert await host.refused(three[:place] + bytes([three[place] ^ 1]) + three[place + 1:]), place
        assert host.opened(await line.ask(three), 3) == {}
        # A second program on the same link, with and without packets of the session.
        assert await host.plain(*COMMIT) == DENIED and await host.plain(*READ_LOG, {"seq": 1}) == LOCKED
        assert await host.plain(2, 72, 9) == LOCKED
        assert (await host.plain(0, 72, 5))["open"] is False
        assert await host.sealed(*COMMIT) == {}
        # A response is valid for its request only: not for another number, not for another host.
        answer = await line.ask(host.session.seal(commit))
        assert host.opened(answer, 4) is None and host.opened(answer) == {}
        # Another session of the same key.
        before = host.session.seal(commit)
        assert "proof" in await host.open(KEY)
        assert await host.refused(before) and await host.sealed(*COMMIT) == {}
        line.close()


class Relay:
    """A relay between a host and a device: forwards packets, modifies selected ones, records all, and keeps the connection to the device open. If it `stalls`, it
    withholds sealed packets."""

    def __init__(self, link):
        self.link = link
        self.seen = []
        self.changes = None
        self.stalls = False
        self.has_asked = asyncio.Event()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.place = f"serial:tcp:127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def serve(self, reader, writer):
        self.line = await smp_line.Line.open(self.link)
        while packet := await smp_line.packet(reader):
            if self.changes:
                packet = self.changes(packet)
            if packet[1] == 1:
                self.has_asked.set()
            if self.stalls and packet[1] == 1:
                continue
            answer = await self.line.ask(packet)
            self.seen.append((packet, answer))
            writer.write(smp_line.framed(answer))
        writer.close()


async def case_session_that_is_relayed_gives_the_thief_nothing():
    async with World() as world:
        node, file = await locked_node(world)
        relay = await Relay(node.link).start()
        pulled = world.folder / "pulled"
        await pull(relay.place, pulled, "--key-file", file)
        # The relay forwarded the proof, and the device accepted it.
        proofs = [packet for packet, answer in relay.seen if packet[0] & 7 == 2 and packet[4:6] == bytes([0, 72]) and packet[7] == 5]
        assert len(proofs) == 1
        sealed = [packet for packet, _ in relay.seen if packet[1] == 1]
        assert len(sealed) >= 4, relay.seen
        overheard = b"".join(packet + answer for packet, answer in relay.seen)
        pages = [path.read_bytes() for path in (pulled / "pages").glob("*.page*")]
        assert pages and all(page[:16] not in overheard for page in pages) and KEY not in overheard
        # On its own link the relay repeats these packets, and also sends them unsealed.
        thief = Host(await smp_line.Line.open(node.link))
        for packet in [*proofs, *sealed]:
            answer = await thief.line.ask(packet)
            assert answer[1] == 0 and "err" in cbor.decoded(answer[8:]), (packet, answer)
        assert await thief.plain(*READ_LOG, {"seq": 1}) == LOCKED
        thief.line.close()
        relay.server.close()


async def case_session_is_not_taken_over_in_the_middle():
    async with World() as world:
        node, file = await locked_node(world)
        relay = await Relay(node.link).start()
        count = 0

        def changed(packet):
            # Every request of the session is changed into a factory reset, without a valid tag, as the relay cannot seal.
            nonlocal count
            if packet[1] == 1:
                count += 1
                return packet[:7] + bytes([3]) + packet[8:]
            return packet

        relay.changes = changed
        status, _, err = await run(
            "herald-host", "config", "set", "log/keep-days", "3", "--device", relay.place, "--key-file", file, "--timeout", "1")
        assert status != 0 and count > 0, (status, err)
        relay.server.close()
        status, out, _ = await run("herald-host", "config", "get", "log/keep-days", "--device", node.link, "--key-file", file)
        assert status == 0 and out.split()[0] == "14", out


def heed_signals():
    """Restores the default action of signals, which the parent of the tests may ignore, as for background processes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


async def tail_interrupted(relay, file, number, *options):
    """Watches a locked device until a request of the session, then sends the signal; returns the exit status of the program."""
    process = await asyncio.create_subprocess_exec(
        program("herald-host"), "log", "tail", "--device", relay.place, "--key-file", str(file), *options,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, preexec_fn=heed_signals)
    async with asyncio.timeout(2 * PATIENCE):
        await relay.has_asked.wait()
        process.send_signal(number)
        await process.communicate()
    return process.returncode


async def case_session_is_closed_when_the_host_is_interrupted():
    async with World() as world:
        node, file = await locked_node(world)
        for number in (signal.SIGINT, signal.SIGTERM):
            relay = await Relay(node.link).start()
            assert await tail_interrupted(relay, file, number) == -number
            # The last request of the session closes it, and the device confirms.
            [request_of_close, answer] = [pair for pair in relay.seen if pair[0][1] == 1][-1]
            assert request_of_close[0] & 7 == 2 and request_of_close[4:6] == bytes([0, 72]) and request_of_close[7] == 9, relay.seen[-3:]
            assert answer[1] == 1 and answer[0] & 7 == 3 and answer[7] == 9, answer
            # A second program on the same link, which stayed connected, has to open its own session.
            host = Host(relay.line)
            assert await host.plain(*READ_LOG, {"seq": 1}) == LOCKED
            assert await host.refused(request_of_close)
            assert "proof" in await host.open(KEY) and await host.sealed(*COMMIT) == {}
            relay.line.close()
            relay.server.close()


async def case_session_of_a_silent_device_does_not_hold_up_an_interrupted_host():
    async with World() as world:
        node, file = await locked_node(world)
        relay = await Relay(node.link).start()
        relay.stalls = True
        assert await tail_interrupted(relay, file, signal.SIGINT, "--timeout", "3600") == -signal.SIGINT
        relay.server.close()


class Impostor(HostileDevice):
    """A device with a copied serial number and any reported lock state."""

    def __init__(self, *has_key):
        """`has_key` are its successive responses; the last one is repeated."""
        super().__init__([b"\xff" * 64], texts={"n": "BADGE7"})
        self.says = list(has_key)
        # The contents of requests to store a setting or a payload.
        self.given = []

    def answer(self, group, command, request):
        if group in (3, 8):
            self.given.append(request.get("val", request.get("data")))
        if (group, command) == (72, 5):
            if "proof" in request:
                return {"proof": bytes(32)}
            self.has_key = self.says.pop(0) if len(self.says) > 1 else self.says[0]
            return {"set": self.has_key, "open": not self.has_key, "nonce": bytes(16), "wait": 0}
        return super().answer(group, command, request)


async def case_session_impostors_get_no_key():
    async with World() as world:
        keys = world.folder / "keys"
        keys.mkdir()
        (keys / "BADGE7.key").write_bytes(KEY)
        (keys / "BADGE7.key").chmod(0o600)
        badge, push = world.folder / "badge.yml", world.folder / "push.yml"
        badge.write_text("access-key: keys/{serial}.key\nsettings:\n  log/keep-days: 21\n")
        push.write_text("family: simple\ncountry: 826\nstate: 4\nsecret: \"{serial}.secret\"\ndays: 3\nepoch: 2026-01-01\n")
        commands = [
            ("provision", badge), ("payload", "push", push, "--generate"), ("config", "set", "access/key", keys / "{serial}.key"),
            ("info",), ("time", "sync"), ("log", "pull", "--output", world.folder / "log")]
        for has_key in (False, True):
            impostor = await Impostor(has_key).start()
            for words in commands:
                impostor.asked.clear()
                status, out, err = await run(
                    "herald-host", *words, "--device", impostor.link, "--key-file", keys / "{serial}.key", "--timeout", "1")
                assert status in (18, 10) and ("access key" in err + out), (has_key, words, status, out, err)
                assert {group for group, _ in impostor.asked} <= {0, 72}, impostor.asked
                assert not {(72, 0), (72, 1), (72, 8)} & set(impostor.asked) or words[0] == "log", impostor.asked
            impostor.stop()
        # Without --key-file the file of the key to be set is used as one, regardless of the device's responses; a device that reports that it is locked gets no secret.
        for says in [(True,), (False,), (False, True), (True, False), (False, False, True), (False, True, False)]:
            for words in [("provision", badge), ("config", "set", "access/key", keys / "{serial}.key"), ("payload", "push", push, "--generate")]:
                if words[0] == "payload" and not says[0]:
                    continue
                impostor = await Impostor(*says).start()
                status, out, err = await run("herald-host", *words, "--device", impostor.link, "--timeout", "1")
                assert status in (9, 18) and "key" in err and not impostor.given, (says, words, status, err, impostor.given)
                impostor.stop()
        # With the option it succeeds.
        impostor = await Impostor(False).start()
        status, _, err = await run(
            "herald-host", "info", "--device", impostor.link, "--key-file", keys / "{serial}.key", "--new-device")
        assert status == 0, err
        impostor.stop()


async def case_session_set_up_serves_no_log():
    async with World() as world:
        node = await world.node("--link", "tcp:0", "--link", "pty", stay_open=False)
        device = ("--device", node.link)
        # smpmgr reports the reason; after the device was configured to stay open, it downloads the log.
        download = [PROGRAMS / "smpmgr", "--port", node.facts["link"][1], "file", "download", "/log/all", world.folder / "log"]
        status, out, err = await ended(*download)
        assert status != 0 and "EACCESSDENIED" in out + err, (status, out, err[-2000:])
        line = await smp_line.Line.open(node.link)
        host = Host(line)
        for refused in [(0, 72, 1, {"seq": 1}), (0, 72, 8, {"seq": 1}), (0, 72, 6), (2, 72, 4, {"epoch": 1, "seq": 1}),
                        (0, 8, 0, {"name": "/log/all", "off": 0})]:
            assert await host.plain(*refused) == (DENIED if refused[1] == 8 else IN_SET_UP), refused
        line.close()
        status, _, err = await run("herald-host", "log", "pull", "--output", world.folder / "no", *device)
        assert status == 9 and "access/stay-open" in err, (status, err)
        for command, state in (("info", "set-up"), ("status", "set-up")):
            status, out, err = await run("herald-host", command, "--json", *device)
            assert status == 0 and json.loads(out)["access"] == state, (out, err)
        status, out, _ = await run("herald-host", "doctor", "--json", *device)
        [finding] = [one for one in json.loads(out)["devices"][0]["findings"] if one["subject"] == "access"]
        assert "serves no log" in finding["what"], finding
        # One line of a file.
        file = world.folder / "open.yml"
        file.write_text("settings:\n  access/stay-open: yes\n")
        status, _, err = await run("herald-host", "provision", file, *device)
        assert status == 0, err
        status, out, _ = await run("herald-host", "status", "--json", *device)
        assert json.loads(out)["access"] == "open", out
        await pull(node.link, world.folder / "yes")
        status, out, err = await ended(*download)
        assert status == 0 and (world.folder / "log").stat().st_size > 0, (status, out, err[-2000:])
