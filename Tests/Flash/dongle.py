#!/usr/bin/env python3
"""A virtual nRF52840 dongle in its boot loader, Nordic's open one: Secure DFU over a serial port, which here is a pseudo terminal (nRF5 SDK 17, "DFU protocol" and
"Serial transport"). Tests use it as an object; it is also a program."""

import hashlib
import struct
import zlib

from init_packet import APPLICATION, NRF52, SHA256, InitPacket, Malformed
from power import Flash
from serial_board import SerialBoard, serve, words_for_any
from slip import Decoder, encoded

VERSION, CREATE, SET_NOTIFICATION, CRC, EXECUTE, SELECT, MTU, WRITE, PING, HARDWARE, FIRMWARE, ABORT, RESPONSE = (
    0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x60)
SUCCESS, NOT_SUPPORTED, INVALID_PARAMETER, NO_RESOURCES, INVALID_OBJECT, UNSUPPORTED_TYPE, NOT_PERMITTED, FAILED, EXTENDED = 1, 2, 3, 4, 5, 7, 8, 0x0A, 0x0B
FORMAT, COMMAND_INVALID, FIRMWARE_TOO_LOW, WRONG_HARDWARE, WRONG_SOFT_DEVICE, WRONG_HASH_KIND, WRONG_HASH, NO_SPACE = 2, 4, 5, 6, 7, 9, 0x0C, 0x0D
COMMAND, DATA = 1, 2
COMMAND_SIZE, PAGE = 512, 4096
# Between the master boot record and the boot loader.
# The boot loader keeps the three pages in front of it for data of applications (DFU_APP_DATA_RESERVED).
APPLICATION_START, APPLICATION_END = 0x1000, 0xDD000
TRANSFER_UNIT = 2051


class Refused(Exception):
    """(result, extended result or nothing)."""


class BootLoader:
    """Responds to requests. `flash` is the chip's, as bytes by address; only executed objects survive a reset. With `for_debugging` it ignores versions in init
    packets for debugging; without `tells` it does not report the contents of the chip."""

    def __init__(self, soft_device=0, firmware_version=0, for_debugging=True, tells=True):
        self.soft_device, self.firmware_version, self.for_debugging, self.tells = soft_device, firmware_version, for_debugging, tells
        self.flash, self.start = bytearray(b"\xFF" * 0x100000), APPLICATION_START
        self.memory = Flash(self.flash, PAGE)
        # Whether the settings page says that the application is complete.
        self.has_application = False
        self.command, self.command_size, self.init, self.is_valid = b"", 0, None, False
        self.done, self.object, self.object_size = 0, b"", 0
        self.notification = 0
        self.requests = 0
        self.reset()

    def reset(self):
        """Data in RAM is lost."""
        self.is_running = False
        self.object, self.object_size = b"", 0
        self.since_notification = self.notification = 0
        if not self.is_valid:
            self.command, self.command_size, self.done = b"", 0, 0

    def power_on(self):
        """Progress is not stored (NRF_DFU_SAVE_PROGRESS_IN_FLASH is 0)."""
        self.command, self.command_size, self.init, self.is_valid, self.done = b"", 0, None, False, 0
        self.reset()

    def invalidate(self):
        self.has_application = False

    def complete(self):
        self.has_application = True

    def received(self):
        return bytes(self.flash[APPLICATION_START:APPLICATION_START + self.done]) + self.object

    def progress(self, kind):
        data = self.command if kind == COMMAND else self.received()
        return struct.pack("<II", len(data), zlib.crc32(data))

    def answer(self, frame):
        """The response to a request; nothing to most writes."""
        self.requests += 1
        code = frame[0]
        try:
            body = self.request(code, frame[1:])
        except Refused as refused:
            result, *more = refused.args
            return bytes([RESPONSE, code, result, *more])
        except (struct.error, IndexError):
            return bytes([RESPONSE, code, INVALID_PARAMETER])
        return None if body is None else bytes([RESPONSE, CRC if code == WRITE else code, SUCCESS]) + body

    def request(self, code, data):
        if code == VERSION:
            return b"\x01"
        if code == PING:
            return data[:1]
        if code == HARDWARE:
            return struct.pack("<IIIII", 0x52840, 0x41414430, 0x100000, 0x40000, PAGE)
        if code == FIRMWARE and self.tells:
            # The boot loader first, then other firmware: kind, version, address, size.
            there = [(2, 1, 0xE0000, 0x1E000)]
            there += [(0, 7002000, 0, 0x26000)] if self.soft_device else []
            there += [(1, self.firmware_version, APPLICATION_START, 0)] if self.firmware_version else []
            return struct.pack("<BIII", *(there[data[0]] if data[0] < len(there) else (0xFF, 0, 0, 0)))
        if code == MTU:
            return struct.pack("<H", TRANSFER_UNIT)
        if code == SET_NOTIFICATION:
            self.notification, self.since_notification = struct.unpack("<H", data)[0], 0
            return b""
        if code == SELECT:
            self.selected = self.kind(data[0])
            return struct.pack("<I", COMMAND_SIZE if self.selected == COMMAND else PAGE) + self.progress(self.selected)
        if code == CREATE:
            kind, size = struct.unpack("<BI", data)
            self.create(self.kind(kind), size)
            return b""
        if code == WRITE:
            return self.write(data)
        if code == CRC:
            return self.progress(self.selected)
        if code == EXECUTE:
            self.execute_command() if self.selected == COMMAND else self.execute_data()
            return b""
        if code == ABORT:
            self.is_running = True
            return None
        raise Refused(NOT_SUPPORTED)

    def kind(self, kind):
        if kind not in (COMMAND, DATA):
            raise Refused(UNSUPPORTED_TYPE)
        return kind

    def create(self, kind, size):
        self.since_notification = 0
        if kind == COMMAND:
            if size == 0:
                raise Refused(INVALID_PARAMETER)
            if size > COMMAND_SIZE:
                raise Refused(NO_RESOURCES)
            self.selected = COMMAND
            self.command, self.command_size, self.init, self.is_valid, self.done, self.object = b"", size, None, False, 0, b""
            return
        if not self.is_valid:
            raise Refused(NOT_PERMITTED)
        if size > PAGE:
            raise Refused(NO_RESOURCES)
        if size != min(PAGE, self.init.size - self.done) or size == 0:
            raise Refused(INVALID_PARAMETER)
        self.selected = DATA
        self.object, self.object_size = b"", size
        if self.has_application:
            self.memory.settings(self.invalidate)
        self.memory.erase(APPLICATION_START + self.done)

    def write(self, data):
        if self.selected == COMMAND:
            if len(self.command) + len(data) > self.command_size or self.is_valid:
                raise Refused(NO_RESOURCES)
            self.command += data
        else:
            if len(self.object) + len(data) > self.object_size:
                raise Refused(NO_RESOURCES)
            self.object += data
        if not self.notification:
            return None
        self.since_notification += 1
        if self.since_notification < self.notification:
            return None
        self.since_notification = 0
        return self.progress(self.selected)

    def execute_command(self):
        if len(self.command) != self.command_size or not self.command_size:
            raise Refused(NOT_PERMITTED)
        try:
            init = InitPacket(self.command)
        except Malformed:
            raise Refused(EXTENDED, FORMAT) from None
        if init.hardware_version != NRF52:
            raise Refused(EXTENDED, WRONG_HARDWARE)
        if self.soft_device not in init.soft_devices:
            raise Refused(EXTENDED, WRONG_SOFT_DEVICE)
        if init.kind != APPLICATION or not init.size:
            raise Refused(EXTENDED, COMMAND_INVALID)
        if init.hash_kind != SHA256 or len(init.hash) != 32:
            raise Refused(EXTENDED, WRONG_HASH_KIND)
        if not (self.for_debugging and init.is_debug) and init.firmware_version is not None and init.firmware_version < self.firmware_version:
            raise Refused(EXTENDED, FIRMWARE_TOO_LOW)
        if init.size > APPLICATION_END - APPLICATION_START:
            raise Refused(EXTENDED, NO_SPACE)
        self.init, self.is_valid = init, True

    def execute_data(self):
        if not self.is_valid or len(self.object) != self.object_size or not self.object_size:
            raise Refused(NOT_PERMITTED)
        self.memory.program(APPLICATION_START + self.done, self.object)
        self.done += len(self.object)
        self.object, self.object_size = b"", 0
        if self.done < self.init.size:
            return
        # The init packet has the hash in reverse byte order.
        is_right = hashlib.sha256(self.received()).digest()[::-1] == self.init.hash
        self.command, self.command_size, self.is_valid = b"", 0, False
        if not is_right:
            self.done = 0
            raise Refused(EXTENDED, WRONG_HASH)
        self.memory.settings(self.complete)
        self.is_running = True


class Dongle(SerialBoard):
    """A boot loader at a serial port. Frames whose numbers are in `spoil_at` are answered with a wrong CRC."""

    def __init__(self, vanish_after=None, spoil_at=(), **options):
        self.spoil_at = set(spoil_at)
        super().__init__(BootLoader(**options), vanish_after)

    def decoder_for(self):
        return Decoder()

    def encoded(self, answer):
        return encoded(answer)

    def spoiled(self, response):
        if self.loader.requests in self.spoil_at and response[1] == CRC:
            return response[:-1] + bytes([response[-1] ^ 1])
        return response


def main():
    parser = words_for_any("A virtual nRF52840 dongle in its boot loader.")
    parser.add_argument("--spoil-at", type=int, action="append", default=[], metavar="N", help="the answer to the Nth frame, if it has a CRC, has a wrong one")
    parser.add_argument("--soft-device", type=lambda text: int(text, 0), default=0)
    parser.add_argument("--firmware-version", type=int, default=0, help="of what is there already")
    words = parser.parse_args()
    with Dongle(words.vanish_after, words.spoil_at, soft_device=words.soft_device, firmware_version=words.firmware_version) as dongle:
        serve(dongle)


if __name__ == "__main__":
    main()
