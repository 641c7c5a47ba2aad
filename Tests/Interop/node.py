"""Runs the programs under test: herald-node as a child process, and herald-host."""

import asyncio
import csv
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Timeout in seconds for expected events, sufficient on a busy machine. No test measures durations.
PATIENCE = 180


def program(name):
    """The path of a built program; HERALD_BIN names the folder, `.build/debug` by default."""
    path = Path(os.environ.get("HERALD_BIN", ROOT / ".build" / "debug")) / name
    if not path.exists():
        raise SystemExit(f"{path} is not there: build it first, or name the folder in HERALD_BIN")
    return str(path)


class Node:
    """A herald-node; of its first options those that are None are left out. Without an access key it serves its log unless `stay_open` is false. Its announcements
    on standard output are in `facts`: a list of values for each key."""

    def __init__(self, radio, storage, *options, payload="fixed:826,4,1234567890", log_level="info", stay_open=True):
        named = {"--radio": radio, "--storage": storage, "--payload": payload, "--log-level": log_level}
        self.arguments = [str(word) for pair in named.items() if pair[1] is not None for word in pair]
        if stay_open:
            self.arguments.append("--stay-open")
        self.arguments.extend(options)
        self.process = None
        self.facts = {}
        self.messages = []
        self.changed = asyncio.Event()
        self.readers = []

    async def start(self, seconds=PATIENCE):
        """Starts it and waits until it has announced all but the state of its radio."""
        self.process = await asyncio.create_subprocess_exec(
            program("herald-node"), *self.arguments, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        self.readers = [asyncio.create_task(self.read_facts()), asyncio.create_task(self.read_messages())]
        await self.until(lambda: "started" in self.facts, seconds)
        return self

    async def read_facts(self):
        while line := await self.process.stdout.readline():
            key, _, value = line.decode().strip().partition(" ")
            self.facts.setdefault(key, []).append(value)
            self.changed.set()
        # Its output has ended; waiting tasks must also detect the end of the process, which is reported slightly later.
        await self.process.wait()
        self.changed.set()

    async def read_messages(self):
        while line := await self.process.stderr.readline():
            self.messages.append(line.decode().rstrip())
            self.changed.set()

    async def ask(self, *lines):
        """Writes lines to its standard input."""
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        await self.process.stdin.drain()

    async def until(self, condition, seconds=PATIENCE):
        """Waits for a condition of the node's output."""
        async with asyncio.timeout(seconds):
            while not condition():
                if self.process.returncode is not None:
                    raise AssertionError(f"herald-node ended with {self.process.returncode}: {self.messages[-3:]}")
                self.changed.clear()
                await self.changed.wait()

    async def ready(self, times=1, seconds=PATIENCE):
        """Waits until the radio has become ready for the n-th time."""
        await self.until(lambda: len(self.facts.get("radio-ready", [])) >= times, seconds)

    async def has_read(self, *phones, seconds=PATIENCE):
        """Waits until it has reported a payload from each of these phones."""
        def told(phone):
            return any(f"{phone.identity} has a" in message and "payload" in message for message in self.messages)

        try:
            await self.until(lambda: all(told(phone) for phone in phones), seconds)
        except TimeoutError:
            missing = [phone.name for phone in phones if not told(phone)]
            raise AssertionError(f"not read within {seconds} s: {', '.join(missing)}") from None

    async def says(self, words, seconds=PATIENCE):
        """Waits for output that contains this text."""
        try:
            await self.until(lambda: any(words in message for message in self.messages), seconds)
        except TimeoutError:
            raise AssertionError(f"herald-node did not say '{words}' within {seconds} s") from None

    async def stop(self):
        """Ends it with a signal, like an operator; returns its exit status."""
        if self.process is None:
            return None
        if self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), PATIENCE)
            except asyncio.TimeoutError:
                self.process.kill()
                await self.process.wait()
        for reader in self.readers:
            await reader
        return self.process.returncode

    @property
    def link(self):
        """herald-host's name of its serial link."""
        place = self.facts["link"][0]
        return f"serial:{place}" if place.startswith("/") else f"serial:tcp:{place}"

    @property
    def usbip(self):
        """herald-host's name of its USB device."""
        return "usbip://" + self.facts["usbip"][0]


async def run(name, *arguments, seconds=2 * PATIENCE):
    """Runs a program to its end; returns (status, standard output, standard error)."""
    return await ended(program(name), *arguments, seconds=seconds)


async def ended(*words, seconds=2 * PATIENCE):
    """The same for any program. One that does not end is killed, and its output is reported."""
    process = await asyncio.create_subprocess_exec(
        *map(str, words), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    talk = asyncio.create_task(process.communicate())
    try:
        await asyncio.wait([talk], timeout=seconds)
        has_ended = talk.done()
    finally:
        if process.returncode is None and not talk.done():
            process.kill()
    out, err = await talk
    assert has_ended, f"{' '.join(map(str, words))} did not end within {seconds} s; it said {out[-1000:]} and {err[-1000:]}"
    return process.returncode, out.decode(), err.decode()


async def pull(device, output, *options, seconds=2 * PATIENCE):
    """Pulls the log of a device into a folder, which must succeed."""
    status, out, err = await run("herald-host", "log", "pull", "--device", device, "--output", output, *options, seconds=seconds)
    assert status == 0, f"herald-host ended with {status}: {err.strip() or out.strip()}"


def contacts(output):
    """The rows of the contacts.csv in a folder, as dictionaries."""
    with open(Path(output) / "contacts.csv", newline="") as file:
        return list(csv.DictReader(file))
