#!/usr/bin/env python3
"""Opens sealed pages of the flash log with the owner's private key, written from docs/log-format.md, section 9, alone.

As a program: log_opener.py KEYFILE SERIAL PAGEFILE… prints a line of JSON per record.
"""

import json
import pathlib
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

import log_decoder

START = 80


class OtherKey(Exception):
    """The segment is sealed for another key or device."""


def expand(key, info):
    return HKDFExpand(hashes.SHA256(), 32, info).derive(key)


def segment_key(secret, serial, page, offset):
    """The key of the segment at `offset`; None if it has no blocks."""
    private = X25519PrivateKey.from_private_bytes(secret)
    part = page[offset:offset + START]
    if len(part) < START:
        return None
    header, pair, number, check = part[:40], part[40:72], part[72], part[73:80]
    extract = hmac.HMAC(pair, hashes.SHA256())
    extract.update(private.exchange(X25519PublicKey.from_public_bytes(pair)))
    owner = private.public_key().public_bytes_raw()
    key = expand(extract.finalize(), b"herald log 1" + owner + serial[:32])
    for _ in range(number):
        key = expand(key, b"herald log 1 next")
    out = expand(key, b"herald log 1 segment" + header + pair + bytes([number]) + offset.to_bytes(2, "little"))
    if out[16:23] != check:
        if page[offset + START:offset + START + 1] in (b"", b"\xff"):
            return None
        raise OtherKey
    return out[:16]


class SealedBlocks:
    """The valid blocks of one sealed segment, as log_decoder.Blocks has those of others."""

    def __init__(self, page, offset, head, key):
        self.page, self.position, self.word = page, offset + START, head["word"]
        self.sequence = head["sequence"]
        self.cipher = key and AESCCM(key, tag_length=4)

    def next(self):
        page, at = self.page, self.position
        if self.cipher is None or at + 2 > len(page) or page[at] == 0xFF:
            return None
        mark, length = page[at], page[at + 1]
        if mark == 0 and 1 <= length <= 124:
            kind, clear = "payload", 2
        elif 1 <= mark <= 187:
            kind, clear, length = "final", 1, mark
        elif mark == 0xFC:
            kind, clear, length = "open", 1, 187
        elif mark == 0xFD and 1 <= length <= 186:
            kind, clear = "open", 2
        else:
            return None
        end = at + clear + length + 4
        nonce = bytes(5) + self.sequence.to_bytes(4, "big") + at.to_bytes(4, "big")
        try:
            content = self.cipher.decrypt(nonce, page[at + clear:end], page[at:at + clear])
        except (InvalidTag, ValueError):
            return None
        self.position = at + -(-(end - at) // self.word) * self.word
        return kind, content


def is_sealed(page):
    return page[:4] == b"HLog" and page[4] == 3 and page[7] & 0x80 != 0


def decode(page, secret, serial):
    """(header, records) of a sealed page."""
    def blocks(page, offset, head):
        try:
            return SealedBlocks(page, offset, head, segment_key(secret, serial, page, offset))
        except OtherKey:
            # A later segment of a page may be another owner's, or be changed.
            if offset == 0:
                raise
            return SealedBlocks(page, offset, head, None)

    return log_decoder.decode(page, blocks)


def main():
    secret, serial = pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2].encode()
    for path in sys.argv[3:]:
        page = pathlib.Path(path).read_bytes()
        found = decode(page, secret, serial) if is_sealed(page) else log_decoder.decode(page)
        if found is None:
            sys.exit(f"{path}: no log page")
        for record in found[1]:
            print(json.dumps(record))


if __name__ == "__main__":
    main()
