#!/usr/bin/env python3
"""smpclient, which knows nothing of Herald, sets a device, pushes its payload, locks it and is let in by Python's own HMAC.

    .build/venv-smp/bin/python Tests/Interop/settings_test.py PORT set|kept

PORT is a terminal on which the device speaks SMP in its serial framing; `kept` is for the same device after a restart. Exits with 0 if all is as it
should be, and says what is not.
"""

import asyncio
import hmac
import struct
import sys
import time
import zlib
from enum import IntEnum

from smp.error import ErrorV2
from smpclient.exceptions import SMPUploadError, SMPValidationException
from smpclient.generics import error_v2, success
from smpclient.requests.os_management import DateTimeWrite, EchoWrite, OSApplicationInfoRead, ResetWrite
from smpclient.requests.settings_management import (
    CommitSettings, DeleteSetting, LoadSettings, ReadSetting, SaveSettings, WriteSetting,
)
from smpclient.requests.statistics_management import ListOfGroups

import smp_program
from smp_program import connected, expect

KEY = bytes(range(32))
# The defaults, and what is set here.
SETTINGS = {
    "log/keep-days": ("<H", 14, 365), "log/commit-seconds": ("<H", 30, 7), "scan/interval-ms": ("<H", 1125, 800),
    "scan/window-ms": ("<H", 120, 80), "advertising/interval-ms": ("<H", 250, 300), "radio/setting": ("<B", 1, 0),
}
FIXED = bytes.fromhex("083A030000D202964900000000")


class Code(IntEnum):
    """Herald's own codes, group 72."""
    WRONG_PROOF = 6
    TOO_EARLY = 7
    LOCKED = 8
    OUT_OF_RANGE = 10
    WRONG_SIZE = 11


class HeraldError(ErrorV2[Code]):
    _GROUP_ID = 72


AccessRead = smp_program.read(72, 5, HeraldError, set=bool, open=bool, nonce=bytes, wait=int)
AccessWrite = smp_program.write(72, 5, HeraldError, {"proof": bytes})
PayloadRead = smp_program.read(
    72, 7, HeraldError, family=str, until=(int | None, None), days=(int | None, None), data=(bytes | None, None))


def blob(family, body, country=0, state=0, epoch=0, first=0, days=0):
    """A payload blob, as docs/wire-formats.md has it."""
    head = b"HPay" + struct.pack("<BBHHHQHHI", 1, family, len(body), country, state, epoch, first, days, zlib.crc32(body))
    return head + struct.pack("<I", zlib.crc32(head)) + body


async def upload(client, data, path="/payload"):
    async for _ in client.upload_file(data, path):
        pass


async def refused_with(client, code, request, **fields):
    """Whether a request is refused with a code of group 72, of which the requests of other groups do not know."""

    class Refusal(ErrorV2[Code]):
        _GROUP_ID = request._GROUP_ID

    former = request._ErrorV2
    request._ErrorV2 = Refusal
    try:
        answer = await client.request(request(**fields))
    finally:
        request._ErrorV2 = former
    return error_v2(answer) and (answer.err.group, answer.err.rc) == (72, code)


async def setting(client):
    for name, (form, standard, value) in SETTINGS.items():
        answer = await client.request(ReadSetting(name=name))
        expect(f"default of {name}", success(answer) and answer.val == struct.pack(form, standard), answer)
        answer = await client.request(WriteSetting(name=name, val=struct.pack(form, value)))
        expect(f"setting {name}", success(answer), answer)
        answer = await client.request(ReadSetting(name=name))
        expect(f"{name} is in effect", success(answer) and answer.val == struct.pack(form, value), answer)
    answer = await client.request(ReadSetting(name="no/such"))
    expect("no such setting", error_v2(answer) and answer.err.rc == 3, answer)
    answer = await client.request(ReadSetting(name="access/key"))
    expect("the key is not read", error_v2(answer) and answer.err.rc == 4, answer)
    expect("out of range", await refused_with(client, Code.OUT_OF_RANGE, WriteSetting, name="radio/setting", val=b"\x03"))
    expect("another size", await refused_with(client, Code.WRONG_SIZE, WriteSetting, name="radio/setting", val=b"\x01\x00"))
    answer = await client.request(DeleteSetting(name="log/commit-seconds"))
    expect("deleting a setting", success(answer), answer)
    answer = await client.request(ReadSetting(name="log/commit-seconds"))
    expect("its default again", success(answer) and answer.val == b"\x1e\x00", answer)
    await client.request(WriteSetting(name="log/commit-seconds", val=b"\x07\x00"))
    for request in (CommitSettings(), LoadSettings(), SaveSettings()):
        answer = await client.request(request)
        expect(type(request).__name__, success(answer), answer)


async def pushing(client):
    answer = await client.request(PayloadRead())
    expect("no payload", success(answer) and answer.family == "none" and answer.data is None, answer)
    damaged = bytearray(blob(1, FIXED))
    damaged[-1] ^= 1
    for what, data, path in (
            ("a damaged payload", bytes(damaged), "/payload"), ("another file", blob(1, FIXED), "/log/all"),
            ("no payload at all", b"x" * 100, "/payload")):
        try:
            await upload(client, data, path)
            expect(f"{what} is refused", False)
        except (SMPUploadError, SMPValidationException):
            expect(f"{what} is refused", True)
    await upload(client, blob(1, FIXED))
    await asyncio.sleep(0.1)
    answer = await client.request(PayloadRead())
    expect("the payload that was pushed", success(answer) and (answer.family, answer.data) == ("fixed", FIXED), answer)


async def proof(client, key, serial=None, nonce=None):
    """The proof of a key, by Python's own HMAC."""
    serial = serial or (await client.request(OSApplicationInfoRead(format="n"))).output.encode()
    nonce = nonce or (await client.request(AccessRead())).nonce
    return hmac.new(key, b"herald access 1" + serial + nonce, "sha256").digest()


async def locking(client):
    answer = await client.request(WriteSetting(name="access/key", val=KEY))
    expect("setting the key", success(answer), answer)
    await locked(client)


async def locked(client):
    answer = await client.request(AccessRead())
    expect("locked", success(answer) and answer.set and not answer.open and len(answer.nonce) == 16, answer)
    answer = await client.request(EchoWrite(d="still there"))
    expect("an echo is served", success(answer) and answer.r == "still there", answer)
    answer = await client.request(ListOfGroups())
    expect("counters are told", success(answer), answer)
    for request, fields in (
            (ReadSetting, {"name": "log/keep-days"}), (WriteSetting, {"name": "log/keep-days", "val": b"\x01\x00"}), (ResetWrite, {}),
            (DateTimeWrite, {"datetime": "2026-11-20T12:34:56.789"}), (PayloadRead, {})):
        expect(f"{request.__name__} is refused", await refused_with(client, Code.LOCKED, request, **fields))
    # For some seconds after a start no proof is looked at.
    answer = await client.request(AccessRead())
    expect("not long to wait", success(answer) and 0 <= answer.wait <= 4000, answer)
    await asyncio.sleep(answer.wait / 1000 + 0.05)
    # Behind a wrong one none is looked at for a second, then two, four, eight: once that is longer than three questions take, however busy this machine is.
    failures, is_in_time = 0, False
    while not is_in_time and failures < 6:
        proofs = [await proof(client, key) for key in (bytes(32), KEY)]
        start = time.monotonic()
        wrong, early = [await client.request(AccessWrite(proof=one)) for one in proofs]
        answer = await client.request(AccessRead())
        is_in_time = time.monotonic() - start < 1 << failures
        expect("another key", error_v2(wrong) and wrong.err.rc == Code.WRONG_PROOF, wrong)
        failures += 1
        expect("time to wait", success(answer) and (is_in_time and 0 < answer.wait <= 500 << failures or not is_in_time), answer)
        # One that came too late was looked at, and was for what had been used up.
        failures += not is_in_time and error_v2(early) and early.err.rc == Code.WRONG_PROOF
        await asyncio.sleep(answer.wait / 1000 + 0.05)
    expect("too early", error_v2(early) and early.err.rc == Code.TOO_EARLY, early)
    good = await proof(client, KEY)
    answer = await client.request(AccessWrite(proof=good))
    expect("let in by Python's hmac", success(answer), answer)
    answer = await client.request(AccessWrite(proof=good))
    expect("the proof is used up", error_v2(answer) and answer.err.rc == Code.WRONG_PROOF, answer)
    answer = await client.request(AccessRead())
    expect("open", success(answer) and answer.open, answer)


async def kept(client):
    await locked(client)
    for name, (form, _, value) in SETTINGS.items():
        answer = await client.request(ReadSetting(name=name))
        expect(f"{name} was kept", success(answer) and answer.val == struct.pack(form, value), answer)
    answer = await client.request(PayloadRead())
    expect("the payload was kept", success(answer) and answer.data == FIXED, answer)
    # Three days of the simple family, from today of an epoch that is last month.
    epoch = int(time.time()) // 86400 * 86400 - 30 * 86400
    body = b""
    for day in range(30, 33):
        entry = bytes([day]) * 32 + struct.pack("<I", day)
        body += entry + struct.pack("<I", zlib.crc32(entry))
    await upload(client, blob(2, body, 826, 0, epoch, 30, 3))
    await asyncio.sleep(0.2)
    answer = await client.request(PayloadRead())
    expect("the window of keys", success(answer) and answer.family == "simple" and answer.data is None
           and answer.until == epoch + 33 * 86400 and answer.days in (2, 3), answer)
    answer = await client.request(DeleteSetting(name="access/key"))
    expect("opening the device", success(answer), answer)
    answer = await client.request(AccessRead())
    expect("open for everybody", success(answer) and not answer.set and answer.open, answer)


async def run(port, what):
    async with connected(port) as client:
        if what == "set":
            await setting(client)
            await pushing(client)
            await locking(client)
        else:
            await kept(client)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("set", "kept"):
        sys.exit(__doc__)
    asyncio.run(run(*sys.argv[1:]))
    smp_program.finish()
