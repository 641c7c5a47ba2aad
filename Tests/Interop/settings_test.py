#!/usr/bin/env python3
"""smpclient, which does not depend on Herald, changes settings of a device, pushes its payload, locks it and opens a session with it.

    .build/venv-smp/bin/python Tests/Interop/settings_test.py PORT set|kept

PORT is a terminal on which the device speaks SMP in its serial framing; `kept` is for the same device after a restart. Exits with 0 if all results are correct, and
prints the others."""

import asyncio
import struct
import sys
import time
import zlib
from enum import IntEnum

import cbor2

from smp.error import ErrorV2, MGMT_ERR
from smp.file_management import FS_MGMT_ERR
from smpclient.exceptions import SMPUploadError
from smpclient.generics import error_v1, error_v2, success
from smpclient.requests.os_management import DateTimeWrite, EchoWrite, OSApplicationInfoRead, ResetWrite
from smpclient.requests.settings_management import (
    CommitSettings, DeleteSetting, LoadSettings, ReadSetting, SaveSettings, WriteSetting,
)
from smpclient.requests.statistics_management import ListOfGroups

import smp_program
from herald_session import Session
from smp_program import connected, expect

KEY = bytes(range(32))
# The defaults, and the values set here.
SETTINGS = {
    "log/keep-days": ("<H", 14, 365), "log/commit-seconds": ("<H", 30, 7), "scan/interval-ms": ("<H", 1125, 800),
    "scan/window-ms": ("<H", 120, 80), "advertising/interval-ms": ("<H", 250, 300), "radio/setting": ("<B", 1, 0),
    "radio/cell-mah": ("<H", 220, 500), "radio/lifetime-days": ("<H", 0, 90),
}
FIXED = bytes.fromhex("083A030000D202964900000000")


class Code(IntEnum):
    """Herald's own codes, group 72."""
    WRONG_PROOF = 6
    TOO_EARLY = 7
    LOCKED = 8


class HeraldError(ErrorV2[Code]):
    _GROUP_ID = 72


AccessRead = smp_program.read(72, 5, HeraldError, set=bool, open=bool, nonce=bytes, wait=int)
AccessWrite = smp_program.write(72, 5, HeraldError, {"nonce": bytes, "proof": bytes}, proof=bytes)
PayloadRead = smp_program.read(
    72, 7, HeraldError, family=str, until=(int | None, None), keys=(int | None, None), days=(int | None, None), why=(int | None, None),
    data=(bytes | None, None))


def blob(family, body, country=0, state=0, epoch=0, first=0, days=0):
    """A payload blob, as docs/wire-formats.md has it."""
    head = b"HPay" + struct.pack("<BBHHHQHHI", 1, family, len(body), country, state, epoch, first, days, zlib.crc32(body))
    return head + struct.pack("<I", zlib.crc32(head)) + body


async def upload(client, data, path="/payload"):
    async for _ in client.upload_file(data, path):
        pass


async def refused_with(client, code, request, **fields):
    """Whether a request is rejected with a code of group 72, which requests of other groups do not define."""

    class Refusal(ErrorV2[Code]):
        _GROUP_ID = request._GROUP_ID

    former = request._ErrorV2
    request._ErrorV2 = Refusal
    try:
        answer = await client.request(request(**fields))
    finally:
        request._ErrorV2 = former
    return error_v2(answer) and (answer.err.group, answer.err.rc) == (72, code)


def is_invalid(answer):
    return error_v1(answer) and answer.rc == MGMT_ERR.EINVAL


def is_not_found(answer):
    return error_v2(answer) and answer.err.rc == FS_MGMT_ERR.FILE_NOT_FOUND


async def latency(client):
    """A latency that is set, and gives way to a number of days; both while the device scans in rounds."""
    for name, written, read in (
            ("radio/latency", 60, {"radio/latency": 60, "radio/lifetime-days": 0}),
            ("radio/lifetime-days", 120, {"radio/lifetime-days": 120}),
            ("radio/latency", 20, {"radio/latency": 20, "radio/lifetime-days": 0})):
        answer = await client.request(WriteSetting(name=name, val=struct.pack("<H", written)))
        expect(f"setting {name}", success(answer), answer)
        for other, value in read.items():
            answer = await client.request(ReadSetting(name=other))
            expect(f"{other} after {name}", success(answer) and answer.val == struct.pack("<H", value), answer)
    await client.request(DeleteSetting(name="radio/latency"))
    answer = await client.request(ReadSetting(name="radio/latency"))
    expect("the latency of the image again", success(answer) and answer.val == struct.pack("<H", 30), answer)


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
    for what, name, value in (
            ("a number out of range", "radio/setting", b"\x05"), ("a value of another size", "radio/setting", b"\x01\x00"),
            ("a key of another size", "access/key", b"\x00")):
        answer = await client.request(WriteSetting(name=name, val=value))
        expect(f"{what} is an error in an input value", error_v1(answer) and answer.rc == MGMT_ERR.EINVAL, answer)
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
    for what, data, path, is_right in (
            ("a damaged payload is an error in an input value", bytes(damaged), "/payload", is_invalid),
            ("no payload at all is an error in an input value", b"x" * 100, "/payload", is_invalid),
            ("another file is not found", blob(1, FIXED), "/log/all", is_not_found)):
        try:
            await upload(client, data, path)
            expect(what, False)
        except SMPUploadError as error:
            expect(what, is_right(error.args[0]), error.args[0])
    await upload(client, blob(1, FIXED))
    await asyncio.sleep(0.1)
    answer = await client.request(PayloadRead())
    expect("the payload that was pushed", success(answer) and (answer.family, answer.data) == ("fixed", FIXED), answer)


async def begun(client, key):
    """A session with this key before the exchange of proofs, and the request for the exchange."""
    serial = (await client.request(OSApplicationInfoRead(format="n"))).output.encode()
    session = Session(key, (await client.request(AccessRead())).nonce, serial)
    return session, AccessWrite(nonce=session.host_nonce, proof=session.host_proof)


async def sealed(client, session, request):
    """The response to a request of smpclient in a session, decoded from CBOR."""
    answer = await client._transport.send_and_receive(session.seal(request.BYTES))
    return cbor2.loads(session.open(answer))


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
            (DateTimeWrite, {"datetime": "2026-11-20T12:34:56.789"})):
        answer = await client.request(request(**fields))
        expect(f"{request.__name__} is refused", error_v1(answer) and answer.rc == MGMT_ERR.EACCESSDENIED, answer)
    expect("PayloadRead is refused", await refused_with(client, Code.LOCKED, PayloadRead))
    # For some seconds after a start no proof is accepted.
    answer = await client.request(AccessRead())
    expect("not long to wait", success(answer) and 0 <= answer.wait <= 4000, answer)
    await asyncio.sleep(answer.wait / 1000 + 0.05)
    # After a wrong one none is accepted for a second, then two, four, eight: eventually longer than three requests take on a busy machine.
    failures, is_in_time = 0, False
    while not is_in_time and failures < 6:
        proofs = [(await begun(client, key))[1] for key in (bytes(32), KEY)]
        start = time.monotonic()
        wrong, early = [await client.request(one) for one in proofs]
        answer = await client.request(AccessRead())
        is_in_time = time.monotonic() - start < 1 << failures
        expect("another key", error_v2(wrong) and wrong.err.rc == Code.WRONG_PROOF, wrong)
        failures += 1
        expect("time to wait", success(answer) and (is_in_time and 0 < answer.wait <= 500 << failures or not is_in_time), answer)
        # A late one was processed, and rejected because its nonce was used up.
        failures += not is_in_time and error_v2(early) and early.err.rc == Code.WRONG_PROOF
        await asyncio.sleep(answer.wait / 1000 + 0.05)
    expect("too early", error_v2(early) and early.err.rc == Code.TOO_EARLY, early)
    session, good = await begun(client, KEY)
    answer = await client.request(good)
    expect("a session with Python's HKDF", success(answer) and answer.proof == session.device_proof, answer)
    answer = await client.request(good)
    expect("the proof is used up", error_v2(answer) and answer.err.rc == Code.TOO_EARLY, answer)
    answer = await client.request(AccessRead())
    expect("not open to others", success(answer) and not answer.open, answer)
    answer = await client.request(ReadSetting(name="log/keep-days"))
    expect("a setting is refused outside the session", error_v1(answer) and answer.rc == MGMT_ERR.EACCESSDENIED, answer)
    return session


async def kept(client):
    session = await locked(client)
    for name, (form, _, value) in SETTINGS.items():
        answer = await sealed(client, session, ReadSetting(name=name))
        expect(f"{name} was kept", answer.get("val") == struct.pack(form, value), answer)
    answer = await sealed(client, session, PayloadRead())
    expect("the payload was kept", answer.get("data") == FIXED, answer)
    answer = await sealed(client, session, DeleteSetting(name="access/key"))
    expect("taking the key away", answer == {}, answer)
    answer = await client.request(AccessRead())
    expect("open for everybody", success(answer) and not answer.set and answer.open, answer)
    # Three days of the simple family, from today, with an epoch in the previous month.
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


async def run(port, what):
    async with connected(port) as client:
        if what == "set":
            await latency(client)
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
