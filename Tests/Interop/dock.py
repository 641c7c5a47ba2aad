"""Badges with a prepared log, which are plugged in and pulled out, and herald-host dock."""

import asyncio
import contextlib
import ctypes
import hashlib
import json
import os
import signal
import sqlite3
from pathlib import Path

import log_pages
from node import PATIENCE, Node, program


def pages_of(flash):
    """The pages in a log's file by (epoch, number), without the newest, which a node goes on writing."""
    found = {}
    for start in range(0, len(flash), log_pages.PAGE):
        page = flash[start:start + log_pages.PAGE]
        if page[:4] == log_pages.MAGIC:
            found[int.from_bytes(page[8:12], "little"), int.from_bytes(page[12:16], "little")] = page
    del found[max(found)]
    return found


class SilentRadio:
    """A controller that takes everything and answers nothing: a node on it logs nothing further."""

    async def __aenter__(self):
        async def accept(reader, writer):
            with contextlib.suppress(ConnectionError):
                while await reader.read(4096):
                    pass
            writer.close()

        self.server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self.address = f"tcp:127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *error):
        self.server.close()


class Badge:
    """A node with this log, and the cable to its USB/IP server, which can be pulled out and plugged in again."""

    def __init__(self, folder, number, flash, *options, serial=None, stay_open=True):
        self.storage = Path(folder) / f"badge-{number}"
        self.serial = serial or f"{number:016x}"
        self.options = options
        self.stay_open = stay_open
        self.pages = pages_of(flash)
        self.storage.mkdir(mode=0o700)
        (self.storage / "log.flash").write_bytes(flash)
        (self.storage / "serial-number").write_text(self.serial + "\n")
        self.writers = []
        self.tasks = set()
        # The badge is pulled out when it has sent so many bytes.
        self.limit = None
        # After so many bytes nothing further arrives.
        self.stalled_after = None
        self.is_plugged = False

    async def start(self, radio):
        self.node = Node(radio.address, self.storage, "--usbip", "0", *self.options, stay_open=self.stay_open)
        await self.node.start()
        self.far = int(self.node.facts["usbip"][0].split(":")[1].split("/")[0])
        # The port stays taken while the badge is pulled out: connections end at once then.
        self.listener = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.server = f"127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"
        return self

    async def plug(self):
        self.is_plugged = True
        return self

    def unplug(self):
        self.is_plugged = False
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def stop(self):
        self.unplug()
        self.listener.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.node.stop()

    async def connected(self, reader, writer):
        if not self.is_plugged:
            return writer.transport.abort()
        self.tasks.add(asyncio.current_task())
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.far)
        except OSError:
            return writer.transport.abort()
        mine = [writer, far_writer]
        self.writers += mine
        imported = []

        def asked(data):
            # OP_REQ_IMPORT, in USB/IP's version 1.1.1.
            if data[:4] == b"\x01\x11\x80\x03":
                imported.append(True)
            return data

        ways = [asyncio.create_task(self.carry(reader, far_writer, asked)),
                asyncio.create_task(self.carry(far_reader, writer, lambda data: self.sent(data, bool(imported))))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for end in mine:
                end.transport.abort()
            self.writers = [other for other in self.writers if other not in mine]
            self.tasks.discard(asyncio.current_task())

    def sent(self, data, is_imported):
        """What of the badge's bytes arrives before it is pulled out. Lists of devices are answered also while the badge is stalled."""
        if is_imported and self.stalled_after is not None:
            data = data[:self.stalled_after]
            self.stalled_after -= len(data)
        if self.limit is None:
            return data
        arrived = data[:self.limit]
        self.limit -= len(arrived)
        if len(arrived) < len(data):
            self.limit = None
            self.unplug()
        return arrived

    async def carry(self, reader, writer, pass_on=lambda data: data):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(pass_on(data))
                await writer.drain()

    @property
    def lights(self):
        """What the badge's light was told to show."""
        return self.node.facts.get("light", [])


class Dock:
    """A herald-host dock --json; its events are in `events`."""

    def __init__(self, archive, badges, *options, prefix=(), patience=PATIENCE):
        self.patience = patience
        # A program that runs herald-host.
        self.prefix = prefix
        servers = [word for badge in badges for word in ("--usbip", badge if isinstance(badge, str) else badge.server)]
        self.arguments = ["dock", "--archive", str(archive), "--json", *servers, *map(str, options)]
        self.events = []
        self.messages = []
        self.changed = asyncio.Event()

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.prefix, program("herald-host"), *self.arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True)
        self.readers = [asyncio.create_task(self.read_events()), asyncio.create_task(self.read_messages())]
        return self

    async def read_events(self):
        while line := await self.process.stdout.readline():
            self.events.append(json.loads(line))
            self.changed.set()
        await self.process.wait()
        self.changed.set()

    async def read_messages(self):
        while line := await self.process.stderr.readline():
            self.messages.append(line.decode().rstrip())
            self.changed.set()

    def told(self, event, serial=None, **fields):
        """The events of this name, of a device, with these fields."""
        return [row for row in self.events if row["event"] == event and serial in (None, row.get("serial"))
                and all(row.get(key) == value for key, value in fields.items())]

    async def until(self, condition, what):
        try:
            async with asyncio.timeout(self.patience):
                while not condition():
                    if self.process.returncode is not None:
                        raise AssertionError(f"the dock ended with {self.process.returncode}: {self.messages[-5:]}")
                    # What the condition asks for may change without an event of the dock.
                    self.changed.clear()
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self.changed.wait(), 0.1)
        except TimeoutError:
            raise AssertionError(f"no {what} within {self.patience} s: {self.events[-5:]} {self.messages[-5:]}") from None

    async def sees(self, event, serial=None, times=1, **fields):
        """Waits for an event; returns the newest."""
        await self.until(lambda: len(self.told(event, serial, **fields)) >= times, f"{event} of {serial} {fields}")
        return self.told(event, serial, **fields)[-1]

    async def kill(self):
        await self.stop(signal.SIGKILL)

    async def stop(self, number=signal.SIGTERM):
        """Sends a signal; returns the exit status."""
        # All of its session, with the program that runs it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        await asyncio.wait_for(self.process.wait(), self.patience)
        for reader in self.readers:
            await reader
        return self.process.returncode


def decompressed(frame, size):
    """The bytes in a Zstandard frame, by the library itself."""
    data = ctypes.create_string_buffer(size)
    decompress = ctypes.CDLL("libzstd.so.1").ZSTD_decompress
    decompress.restype, decompress.argtypes = ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    assert decompress(data, size, frame, len(frame)) == size
    return data.raw


def archived(archive):
    """The pages of an archive: by serial number, a list of (epoch, number, open, bytes)."""
    # The journal of a dock that was killed within a transaction is rolled back by the next to read, who has to be allowed to write.
    connection = sqlite3.connect(f"file:{archive}?mode=rw", uri=True)
    try:
        rows = connection.execute("SELECT d.serial, p.epoch, p.sequence, p.is_open, p.bytes, p.size, p.sha256 FROM page p JOIN device d ON d.id = p.device_id").fetchall()
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()
    found = {}
    for serial, epoch, sequence, is_open, frame, size, digest in rows:
        data = decompressed(frame, size)
        assert hashlib.sha256(data).digest() == digest, (serial, sequence)
        found.setdefault(serial, []).append((epoch, sequence, is_open, data))
    return found


def check(archive, badge):
    """Every page of a badge is in the archive exactly once, with its bytes."""
    rows = archived(archive).get(badge.serial, [])
    numbers = [(epoch, sequence) for epoch, sequence, _, _ in rows]
    assert len(numbers) == len(set(numbers)), f"{badge.serial}: a page twice"
    closed = {(epoch, sequence): data for epoch, sequence, is_open, data in rows if not is_open}
    missing = [name for name in badge.pages if name not in closed]
    assert not missing, f"{badge.serial}: {len(missing)} of {len(badge.pages)} pages are not in the archive: {missing[:5]}"
    assert all(closed[name] == data for name, data in badge.pages.items()), f"{badge.serial}: other bytes"


def left_on(badge):
    """The closed pages that are on a stopped badge."""
    flash = (badge.storage / "log.flash").read_bytes()
    try:
        return pages_of(flash)
    except ValueError:
        return {}
