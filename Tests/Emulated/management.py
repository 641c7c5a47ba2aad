"""A minimal SMP client: sends one request and reads the numbers of the response. herald-host is tested separately."""

import asyncio
import base64
import binascii
import contextlib
import itertools
import struct
import time

# Herald's group of commands, and two of them (docs/wire-formats.md, group 72).
HERALD, LOG_STATUS, RESTART = 72, 0, 2
# Simple values of CBOR (RFC 8949, section 3.3).
TRUTH = {(7, 20): False, (7, 21): True}
# Operations: read, write; a response's is one more.
READ, WRITE = 0, 2
# Numbers of requests. A response to an earlier request, on this or the previous connection, is recognised by its sequence number; herald-host counts from 0.
questions = itertools.cycle(range(128, 256))


def crc16(data):
    return binascii.crc_hqx(data, 0)


def framed(packet):
    """The line that carries a short packet."""
    frame = struct.pack(">H", len(packet) + 2) + packet + struct.pack(">H", crc16(packet))
    return b"\x06\x09" + base64.b64encode(frame) + b"\n"


def numbers(body):
    """Keys and values of a CBOR map with short texts as keys, and unsigned numbers, byte strings or truth values as values."""
    at = 1

    def head():
        nonlocal at
        kind, value = body[at] >> 5, body[at] & 31
        at += 1
        if value >= 24:
            size = 1 << (value - 24)
            value = int.from_bytes(body[at:at + size], "big")
            at += size
        return kind, value

    found = {}
    for _ in range(body[0] & 31):
        _, length = head()
        key = body[at:at + length].decode()
        at += length
        kind, value = head()
        assert kind in (0, 2) or (kind, value) in TRUTH, body
        if kind == 7:
            value = TRUTH[kind, value]
        elif kind == 2:
            value = body[at:at + value]
            at += len(value)
        found[key] = value
    return found


class Management:
    """A connection to an image's management line."""

    def __init__(self, port):
        self.port = port
        self.writer = None

    async def __aenter__(self):
        # The socket exists before QEMU starts.
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, kind, error, trace):
        self.writer.close()

    async def ask(self, command, seconds=120, operation=READ):
        """The numbers in the response of Herald's group to a command without arguments. Repeats the request while the image does not respond yet."""
        question = next(questions)
        line = framed(struct.pack(">BBHHBB", 8 | operation, 0, 1, HERALD, question, command) + b"\xa0")
        try:
            async with asyncio.timeout(seconds):
                while True:
                    self.writer.write(line)
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(1):
                            return numbers(await self.answer(question, command, operation))
        except TimeoutError:
            raise AssertionError(f"no answer to command {command} within {seconds} s") from None

    async def ask_until(self, command, condition, what, seconds=240):
        """The same, once the condition is true."""
        deadline = time.monotonic() + seconds
        while not condition(found := await self.ask(command)):
            assert time.monotonic() < deadline, f"no {what} within {seconds} s; the last answer: {found}"
            await asyncio.sleep(0.05)
        return found

    async def answer(self, question, command, asked):
        """The body of the response to this request; others are skipped."""
        while True:
            packet = await self.packet()
            operation, _, _, group, number, answered = struct.unpack_from(">BBHHBB", packet)
            if (operation & 7, group, number, answered) == (asked + 1, HERALD, question, command):
                return packet[8:]

    async def packet(self):
        """The next packet."""
        text, wanted = b"", None
        while wanted is None or len(text) < wanted:
            line = await self.reader.readuntil(b"\n")
            if line[:2] == b"\x06\x09":
                text = base64.b64decode(line[2:])
                wanted = struct.unpack(">H", text[:2])[0] + 2
            elif line[:2] == b"\x04\x14" and wanted is not None:
                text += base64.b64decode(line[2:])
        assert crc16(text[2:-2]) == struct.unpack(">H", text[-2:])[0]
        return text[2:-2]
