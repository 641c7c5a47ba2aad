#!/usr/bin/env python3
"""smpclient and smpmgr, which know nothing of Herald, against a device's management link on a serial port.

    .build/venv-smp/bin/python Tests/Interop/smp_test.py PORT

PORT is a terminal on which the device speaks SMP in its serial framing. Exits with 0 if all is as it should be, and says
what is not.
"""

import asyncio
import re
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

import smp.message
from smp import header as smphdr
from smp.error import ErrorV1, ErrorV2, MGMT_ERR
from smpclient import SMPClient
from smpclient.generics import error_v1, error_v2, success
from smpclient.requests.image_management import ImageStatesRead
from smpclient.requests.os_management import (
    DateTimeRead, DateTimeWrite, EchoWrite, MCUMgrParametersRead, OSApplicationInfoRead, TaskStatisticsRead,
)
from smpclient.requests.statistics_management import GroupData, ListOfGroups
from smpclient.transport.serial import SMPSerialTransport

failures = []


def expect(what, condition, seen=None):
    print(("ok " if condition else "FAILED ") + what + ("" if condition else f": {seen!r}"), flush=True)
    if not condition:
        failures.append(what)


class LogStatusRead(smp.message.ReadRequest):
    """Herald's own group, as any user of smpclient would add it."""

    _GROUP_ID = 72
    _COMMAND_ID = 0


class LogStatusResponse(smp.message.ReadResponse):
    _GROUP_ID = 72
    _COMMAND_ID = 0

    epoch: int
    first: int
    last: int
    open: int
    page: int
    boot: int
    keep: int
    now: int
    unix: int | None = None


LogStatusRead._Response = LogStatusResponse
LogStatusRead._ErrorV1 = ErrorV1
LogStatusRead._ErrorV2 = ErrorV2


class HeraldReturnCode(IntEnum):
    OTHER_EPOCH = 4


class HeraldErrorV2(ErrorV2[HeraldReturnCode]):
    _GROUP_ID = 72


class ResetProgressRead(smp.message.ReadRequest):
    _GROUP_ID = 72
    _COMMAND_ID = 3


class ResetWrite(smp.message.WriteRequest):
    _GROUP_ID = 72
    _COMMAND_ID = 3

    epoch: int


class ResetProgressResponse(smp.message.ReadResponse):
    _GROUP_ID = 72
    _COMMAND_ID = 3

    done: int
    of: int
    bad: int


class ResetBegunResponse(smp.message.WriteResponse):
    _GROUP_ID = 72
    _COMMAND_ID = 3

    done: int
    of: int
    bad: int


ResetProgressRead._Response = ResetProgressResponse
ResetWrite._Response = ResetBegunResponse
for request in (ResetProgressRead, ResetWrite):
    request._ErrorV1 = ErrorV1
    request._ErrorV2 = HeraldErrorV2


async def with_smpclient(port):
    async with SMPClient(SMPSerialTransport(), port, timeout_s=5) as client:
        for text in ["hi", "", "ä€😀", "x" * 23, "x" * 24, "x" * 255, "x" * 256, "x" * 1000]:
            answer = await client.request(EchoWrite(d=text))
            expect(f"echo of {len(text)} characters", success(answer) and answer.r == text, answer)

        answer = await client.request(MCUMgrParametersRead())
        expect("parameters", success(answer) and answer.buf_size >= 256 and answer.buf_count >= 1, answer)

        answer = await client.request(OSApplicationInfoRead())
        expect("kernel name", success(answer) and answer.output == "Herald", answer)
        answer = await client.request(OSApplicationInfoRead(format="a"))
        expect("all information", success(answer) and answer.output.startswith("Herald "), answer)
        answer = await client.request(OSApplicationInfoRead(format="?"))
        expect("an unknown format is an error of the OS group", error_v2(answer) and answer.err.rc == 2, answer)

        answer = await client.request(DateTimeWrite(datetime="2026-11-20T12:34:56.789"))
        expect("setting the clock", success(answer), answer)
        answer = await client.request(DateTimeRead())
        expect("reading the clock",
               success(answer) and re.fullmatch(r"2026-11-20T12:3[45]:\d\d\.\d{3}", answer.datetime), answer)
        answer = await client.request(DateTimeWrite(datetime="today"))
        expect("a date that is none is refused", error_v1(answer) and answer.rc == MGMT_ERR.EINVAL, answer)

        groups = await client.request(ListOfGroups())
        expect("list of statistics", success(groups) and len(groups.stat_list) > 0, groups)
        for name in groups.stat_list:
            answer = await client.request(GroupData(name=name))
            expect(f"statistics of {name}", success(answer) and answer.name == name and len(answer.fields) > 0, answer)
        answer = await client.request(GroupData(name="no such"))
        expect("statistics of no such group", error_v2(answer) and answer.err.rc == 2, answer)

        for request in (TaskStatisticsRead(), ImageStatesRead()):
            answer = await client.request(request)
            expect(f"{type(request).__name__} is not supported",
                   error_v1(answer) and answer.rc == MGMT_ERR.ENOTSUP, answer)

        answer = await client.request(LogStatusRead())
        expect("status of the log", success(answer) and answer.page > 0 and answer.unix is not None, answer)
        expect("records are kept for two weeks", answer.keep == 14, answer)
        other = answer.epoch ^ 1
        answer = await client.request(ResetProgressRead())
        expect("no factory reset", success(answer) and (answer.done, answer.of, answer.bad) == (0, 0, 0), answer)
        answer = await client.request(ResetWrite(epoch=other))
        expect("a factory reset of another log is refused",
               error_v2(answer) and answer.err.group == 72 and answer.err.rc == HeraldReturnCode.OTHER_EPOCH, answer)

        # Versions of the protocol: the same request, answered in the version it was asked in.
        for version in (smphdr.Version.V1, smphdr.Version.V2):
            answer = await client.request(EchoWrite(d="v", version=version))
            expect(f"echo in {version.name}", success(answer) and answer.header.version == version, answer)


def with_smpmgr(port):
    program = Path(sys.executable).parent / "smpmgr"
    done = subprocess.run([program, "--port", port, "--timeout", "5", "os", "echo", "hello, wearable"],
                          capture_output=True, text=True, timeout=60)
    expect("smpmgr os echo", done.returncode == 0 and "hello, wearable" in done.stdout, (done.stdout, done.stderr))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(with_smpclient(sys.argv[1]))
    with_smpmgr(sys.argv[1])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
