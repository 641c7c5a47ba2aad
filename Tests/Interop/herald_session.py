"""The host's end of a session with a device, made from docs/wire-formats.md alone: proofs, keys, sealed packets.

The cipher is that of the package `cryptography`, the rest Python's own.
"""

import hmac
import os
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

SEALED = 1
TAG = 8


class NotProved(Exception):
    """The device has not proved that it has the access key."""


class Session:
    """The values that both sides derive from the access key, their nonces and the device's serial number."""

    def __init__(self, key, device_nonce, serial, host_nonce=None):
        self.host_nonce = os.urandom(16) if host_nonce is None else host_nonce
        secret = hmac.new(device_nonce + self.host_nonce, key, "sha256").digest()

        def made(label):
            return hmac.new(secret, label + serial + b"\x01", "sha256").digest()

        self.host_proof = made(b"herald session 1 host")
        self.device_proof = made(b"herald session 1 device")
        keys = made(b"herald session 1 keys")
        self.requests, self.responses = AESCCM(keys[:16], tag_length=TAG), AESCCM(keys[16:], tag_length=TAG)
        self.number = 0

    def check(self, proof):
        """Verifies the device's proof, before anything else is sent."""
        if not hmac.compare_digest(proof, self.device_proof):
            raise NotProved

    def seal(self, packet, number=None):
        """A packet with a request, sealed under the next number, or under another one."""
        if number is None:
            self.number += 1
            number = self.number
        header, body = packet[:8], packet[8:]
        clear = header[:1] + bytes([SEALED]) + struct.pack(">H", len(body) + 4 + TAG) + header[4:] + struct.pack(">I", number)
        return clear + self.requests.encrypt(nonce(number), body, clear)

    def open(self, packet, number=None):
        """The body of the response to the last request, or to another one; `None` if it is not the device's response to it."""
        if len(packet) < 8 + TAG or packet[1] != SEALED or struct.unpack(">H", packet[2:4])[0] != len(packet) - 8:
            return None
        try:
            return self.responses.decrypt(nonce(self.number if number is None else number), packet[8:], packet[:8])
        except InvalidTag:
            return None


def nonce(number):
    """The nonce of AES-CCM for a request and its response."""
    return bytes(9) + struct.pack(">I", number)
