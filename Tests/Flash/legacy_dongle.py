#!/usr/bin/env python3
"""A virtual nRF52840 dongle, or a Feather, in Adafruit's boot loader: the serial DFU of nRF5 SDK 11, which is older than Secure DFU, at a pseudo terminal. Tests use
it as an object; it is also a program. Its rules are those of adafruit/Adafruit_nRF52_Bootloader at 48a149f.

A packet is acknowledged on arrival and executed afterwards: its result shows at the next packet, and a refusal is a restart."""

import binascii
import struct
import threading

from power import Flash
from serial_board import SerialBoard, serve, words_for_any
from slip import FramedDecoder, encoded

# The lower four bits of a header's second byte; bits of its first.
VENDOR_SPECIFIC, INTEGRITY, RELIABLE = 14, 0x40, 0x80
HEADER, CRC_SIZE, LONGEST = 4, 2, 600
INIT, START, DATA, STOP = 1, 3, 4, 5
APPLICATION = 4
IDLE, READY, RECEIVING_INIT, RECEIVING_DATA, VALIDATING = range(5)

PAGE = 4096
MASTER_BOOT_RECORD_END, APPLICATION_END = 0x1000, 0xEA000
# The SoftDevice's information structure after the master boot record: its end and its number.
INFORMATION, MAGIC = 0x3000, 0x51B1E5DB
# By version: its number, and the start address of an application after it.
SOFT_DEVICES = {"6.1.1": (0xB6, 0x26000), "7.3.0": (0x123, 0x27000)}
ANY_SOFT_DEVICE = 0xFFFE
DEVICE_TYPE = 0x52
INIT_MOST, INIT_LEAST = 128, 12
# Seconds until a board that restarted is back on the bus.
RESTART = 0.3


def crc16(data):
    """CRC-16 of CCITT, initially FFFF."""
    return binascii.crc_hqx(data, 0xFFFF)


class Restart(Exception):
    """The boot loader's reaction to an unexpected error."""


class BootLoader:
    """Responds to frames. `flash` is the chip's, as bytes by address; that and `is_valid`, whether there is an application to start, survive a reset."""

    def __init__(self, soft_device="6.1.1"):
        self.flash, self.start = bytearray(b"\xFF" * 0x100000), MASTER_BOOT_RECORD_END
        self.soft_device = soft_device
        if soft_device:
            self.start = SOFT_DEVICES[soft_device][1]
            self.put_soft_device()
        self.memory = Flash(self.flash, PAGE)
        self.is_valid = False
        self.size = 0
        self.requests = self.erased = self.restarts = 0
        self.reset()

    def reset(self):
        self.is_running = self.has_restarted = False
        self.expected = 1
        self.state, self.received, self.init, self.crc = IDLE, 0, b"", None
        self.page, self.cache = None, None

    def put_soft_device(self):
        number, _ = SOFT_DEVICES[self.soft_device]
        self.flash[MASTER_BOOT_RECORD_END:self.start] = bytes(self.start - MASTER_BOOT_RECORD_END)
        self.flash[INFORMATION:INFORMATION + 14] = struct.pack("<IIIH", 0x2C, MAGIC, self.start, number)

    def power_on(self):
        self.reset()

    def invalidate(self):
        self.is_valid = False

    def validate(self):
        self.is_valid = True

    @property
    def has_application(self):
        """What `bank_0` of the settings says, with the CRC."""
        return self.is_valid

    @property
    def done(self):
        return self.size if self.is_valid else 0

    def answer(self, frame):
        """The acknowledgement of a packet; nothing if the frame is not a packet."""
        self.requests += 1
        if not self.is_packet(frame):
            return None
        if frame[0] & 7 != self.expected:
            return self.acknowledgement()
        self.expected = (self.expected + 1) % 8
        acknowledgement = self.acknowledgement()
        try:
            self.carry_out(frame[HEADER:-CRC_SIZE])
        except Restart:
            self.restarts += 1
            self.has_restarted = True
        return acknowledgement

    def is_packet(self, frame):
        if len(frame) < HEADER + CRC_SIZE or sum(frame[:HEADER]) & 0xFF or frame[0] & (INTEGRITY | RELIABLE) != INTEGRITY | RELIABLE:
            return False
        kind, size = frame[1] & 15, frame[1] >> 4 | frame[2] << 4
        return kind == VENDOR_SPECIFIC and size == len(frame) - HEADER - CRC_SIZE and struct.unpack("<H", frame[-CRC_SIZE:])[0] == crc16(frame[:-CRC_SIZE])

    def acknowledgement(self):
        first = self.expected << 3
        return bytes([first, 0, 0, -first & 0xFF])

    def carry_out(self, packet):
        """Packets are whole words, of which the first is the kind."""
        body = packet[4:len(packet) // 4 * 4]
        if packet[:1] == bytes([START]):
            self.begin(body)
        elif packet[:1] == bytes([INIT]):
            self.take_init(body)
        elif packet[:1] == bytes([DATA]):
            self.take_data(body)
        elif packet[:1] == bytes([STOP]):
            self.end()

    def begin(self, body):
        mode, soft_device, boot_loader, application = struct.unpack_from("<IIII", body.ljust(16, b"\0"))
        # The real boot loader also accepts SoftDevices and boot loaders.
        if mode != APPLICATION or soft_device or boot_loader or application % 4 or application > APPLICATION_END - self.start or self.state != IDLE:
            raise Restart
        self.size = application
        if self.is_valid:
            self.memory.settings(self.invalidate)
        for page in range(self.start, self.start + application, PAGE):
            self.memory.erase(page)
            self.erased += 1
        self.state = READY

    def take_init(self, body):
        if self.state not in (READY, RECEIVING_INIT) or len(self.init) + len(body) > INIT_MOST:
            raise Restart
        self.state = RECEIVING_INIT
        self.init += body
        if len(self.init) < INIT_LEAST:
            raise Restart
        device, revision, version, count = struct.unpack_from("<HHIH", self.init)
        extension = self.init[10 + 2 * count:]
        if len(extension) < 2 or device != DEVICE_TYPE:
            raise Restart
        here, = struct.unpack_from("<H", self.flash, INFORMATION + 12)
        if not {here, ANY_SOFT_DEVICE} & set(struct.unpack_from(f"<{count}H", self.init, 10)):
            raise Restart
        self.crc, = struct.unpack_from("<H", extension)
        self.state = RECEIVING_DATA

    def take_data(self, body):
        if self.state != RECEIVING_DATA:
            return
        if self.received + len(body) > self.size:
            # No further data is accepted, and the image cannot become complete.
            self.received = 1 << 32
            return
        for place, byte in enumerate(body, self.start + self.received):
            if self.page != place // PAGE:
                self.flush()
                self.page = place // PAGE
                self.cache = bytearray(self.flash[self.page * PAGE:(self.page + 1) * PAGE])
            self.cache[place % PAGE] = byte
        self.received += len(body)
        if self.received == self.size:
            self.flush()

    def flush(self):
        """Writes the collected page without an erasure: bits only become 0."""
        if self.page is not None:
            self.memory.program(self.page * PAGE, self.cache)
        self.page = None

    def end(self):
        if self.state != RECEIVING_DATA or self.received != self.size:
            return
        self.state = VALIDATING
        if crc16(self.flash[self.start:self.start + self.size]) == self.crc:
            self.memory.settings(self.validate)
            self.is_running = True


class LegacyDongle(SerialBoard):
    """A boot loader at a serial port. Of the received frames, by number: those in `lost_at` are lost, those in `flipped_at` have a wrong bit; the acknowledgements
    of those in `unheard_at` are lost, and of those in `spoiled_at` damaged. If `is_unheard`, the frame after which the port disconnects is executed and not
    acknowledged. A board that restarts reconnects by itself if `comes_back`."""

    def __init__(self, vanish_after=None, is_unheard=False, comes_back=False, lost_at=(), flipped_at=(), unheard_at=(), spoiled_at=(), **options):
        self.is_unheard, self.comes_back, self.coming_back = is_unheard, comes_back, None
        self.lost_at, self.flipped_at, self.unheard_at, self.spoiled_at = set(lost_at), set(flipped_at), set(unheard_at), set(spoiled_at)
        self.frames = 0
        super().__init__(BootLoader(**options), vanish_after)

    def decoder_for(self):
        return FramedDecoder(LONGEST)

    def encoded(self, answer):
        return b"\xC0" + encoded(answer)

    def take(self, frame):
        self.frames += 1
        if self.vanish_after == 0 and self.is_unheard:
            self.loader.answer(frame)
            return False
        if self.frames in self.lost_at and self.vanish_after is None:
            return True
        if self.frames in self.flipped_at:
            frame = frame[:-1] + bytes([frame[-1] ^ 1])
        return super().take(frame)

    def spoiled(self, response):
        if self.frames in self.unheard_at:
            return None
        if self.frames in self.spoiled_at:
            return response[:-1] + bytes([response[-1] ^ 1])
        return response

    def stays(self):
        if self.loader.has_restarted and self.comes_back:
            self.coming_back = threading.Timer(RESTART, self.plug_in)
            self.coming_back.start()
        return super().stays() and not self.loader.has_restarted

    def close(self):
        if self.coming_back:
            self.coming_back.cancel()
            self.coming_back.join()
        super().close()


def main():
    parser = words_for_any("A virtual nRF52840 dongle in Adafruit's boot loader.")
    parser.add_argument("--soft-device", choices=[*SOFT_DEVICES, "none"], default="6.1.1", help="what lies in front of the application")
    parser.add_argument("--unheard", action="store_true", help="the frame after which it is gone is carried out")
    for name, what in (("lost", "never arrives"), ("flipped", "arrives with a wrong bit"), ("unheard", "is not acknowledged, as far as anybody hears"),
                       ("spoiled", "is acknowledged with damage")):
        parser.add_argument(f"--{name}-at", type=int, action="append", default=[], metavar="N", help=f"the Nth frame {what}")
    words = parser.parse_args()
    with LegacyDongle(words.vanish_after, words.unheard, True, words.lost_at, words.flipped_at, words.unheard_at, words.spoiled_at,
                      soft_device=None if words.soft_device == "none" else words.soft_device) as dongle:
        serve(dongle, restarts=lambda: dongle.loader.restarts)


if __name__ == "__main__":
    main()
