"""Exports the chip's USB device to other programs on this machine: a USB/IP server with the host of usb_host.py."""

import asyncio
import contextlib

import usbip_messages as usbip

from .usb_host import Gone, Host, Stalled


class USBServer:
    """An asynchronous context manager; `port` is its TCP port, `host` the host. A device that leaves the bus ends the connection of its client."""

    def __init__(self, chip):
        self.chip = chip

    async def __aenter__(self):
        self.host = Host(self.chip)
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.connections = set()
        return self

    async def __aexit__(self, kind, error, trace):
        self.server.close()
        for task in list(self.connections):
            task.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)
        self.chip.usb.on_change = lambda: None

    @property
    def link(self):
        """herald-host's name of the device."""
        return f"usbip://127.0.0.1:{self.port}/{usbip.BUS_ID.decode()}"

    async def connected(self, reader, writer):
        task = asyncio.current_task()
        self.connections.add(task)
        try:
            if await self.greet(reader, writer):
                await Session(self.host, reader, writer).serve()
        except* (ConnectionError, asyncio.IncompleteReadError, Gone):
            pass
        finally:
            self.connections.discard(task)
            writer.close()

    async def greet(self, reader, writer):
        """Processes requests until the device is imported; whether it is."""
        while True:
            _, code, _ = usbip.OPERATION.unpack(await reader.readexactly(usbip.OPERATION.size))
            if code == usbip.OP_REQ_IMPORT:
                await reader.readexactly(usbip.BUS_ID_SIZE)
            elif code != usbip.OP_REQ_DEVLIST:
                return False
            device, configuration = await self.host.attach()
            record = usbip.device_record(usbip.FULL_SPEED, device, configuration)
            if code == usbip.OP_REQ_IMPORT:
                writer.write(usbip.operation(usbip.OP_REP_IMPORT) + record)
                return True
            writer.write(usbip.device_list(record + interfaces(configuration)))


def interfaces(configuration):
    """Class, subclass and protocol of each interface."""
    found, at = b"", 0
    while at < len(configuration):
        length, kind = configuration[at], configuration[at + 1]
        if kind == 4 and configuration[at + 3] == 0:
            found += usbip.interface_record(configuration[at + 5:at + 8])
        at += length
    return found


class Session:
    """Transfers of one program: in order on each endpoint, concurrent on several."""

    def __init__(self, host, reader, writer):
        self.host, self.reader, self.writer = host, reader, writer
        self.queues, self.running, self.waiting = {}, {}, set()

    async def serve(self):
        async with asyncio.TaskGroup() as self.workers:
            await self.take_requests()

    async def take_requests(self):
        while True:
            command, sequence, _, direction, endpoint, rest = usbip.HEADER.unpack(await self.reader.readexactly(usbip.HEADER.size))
            if command == usbip.UNLINK:
                self.unlink(sequence, usbip.victim(rest))
                continue
            length = usbip.length(rest)
            data = await self.reader.readexactly(length) if direction == 0 else b""
            key = (endpoint, direction if endpoint else 0)
            if key not in self.queues:
                self.queues[key] = asyncio.Queue()
                self.workers.create_task(self.work(self.queues[key]))
            self.waiting.add(sequence)
            self.queues[key].put_nowait((sequence, direction, endpoint, usbip.setup(rest), length, data))

    async def work(self, queue):
        while True:
            sequence, direction, endpoint, setup, length, data = await queue.get()
            if sequence not in self.waiting:
                continue
            self.running[sequence] = asyncio.create_task(self.transfer(direction, endpoint, setup, length, data))
            status, found = 0, b""
            try:
                found = await self.running[sequence]
            except Stalled:
                status = usbip.EPIPE
            except asyncio.CancelledError:
                # Cancelled by the host, or the end of the server.
                if sequence in self.waiting:
                    raise
            finally:
                self.running.pop(sequence).cancel()
            if sequence in self.waiting:
                self.waiting.discard(sequence)
                self.answer(sequence, status, len(found) if direction else len(data), found)

    async def transfer(self, direction, endpoint, setup, length, data):
        if endpoint == 0:
            return await self.host.control(setup, data)
        if direction:
            return await self.host.read(endpoint, length)
        await self.host.write(endpoint, data)
        return b""

    def answer(self, sequence, status, count, data=b""):
        self.writer.write(usbip.submitted(sequence, status, count, data))

    def unlink(self, sequence, victim):
        was_waiting = victim in self.waiting
        self.waiting.discard(victim)
        if victim in self.running:
            self.running[victim].cancel()
        self.writer.write(usbip.unlinked(sequence, was_waiting))
