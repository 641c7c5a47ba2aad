#!/usr/bin/env python3
"""smpclient and smpmgr with their own transports for Bluetooth, on a controller at a TCP port.

    .build/venv-smp/bin/python Tests/Interop/ble_smp_test.py PORT SERIAL

SERIAL is the serial number of the only device that offers the service. Exits with 0 if all results are correct, and prints the others.
"""

import asyncio
import contextlib
import io
import sys
from enum import IntEnum

from smp.error import ErrorV2
from smpclient import SMPClient
from smpclient.generics import error_v2, success
from smpclient.requests.os_management import EchoWrite, MCUMgrParametersRead, OSApplicationInfoRead
from smpclient.requests.statistics_management import GroupData, ListOfGroups
from smpclient.transport.ble import SMPBLETransport
from smpmgr.main import app

import bleak_on_bumble
import smp_program
from smp_program import expect


class HeraldReturnCode(IntEnum):
    LOCKED = 8


class HeraldErrorV2(ErrorV2[HeraldReturnCode]):
    _GROUP_ID = 72


LogRead = smp_program.read(72, 1, HeraldErrorV2, data=bytes)


async def with_smpclient(serial):
    """Returns the address of the device."""
    found = await SMPBLETransport.scan(timeout=2)
    expect("one device with the service", len(found) == 1, found)
    address = found[0].address.partition("/")[0]
    async with SMPClient(SMPBLETransport(), address, timeout_s=20) as client:
        for text in ["hi", "", "ä€😀", "x" * 23, "x" * 236, "x" * 237, "x" * 900]:
            answer = await client.request(EchoWrite(d=text), timeout_s=20)
            expect(f"echo of {len(text)} characters", success(answer) and answer.r == text, answer)
        answer = await client.request(MCUMgrParametersRead())
        expect("parameters", success(answer) and answer.buf_size >= 256, answer)
        answer = await client.request(OSApplicationInfoRead(format="sn"))
        expect("name and serial number", success(answer) and answer.output == f"Herald {serial}", answer)
        groups = await client.request(ListOfGroups())
        expect("groups of counters", success(groups) and "ble_smp" in groups.stat_list, groups)
        for group in groups.stat_list:
            answer = await client.request(GroupData(name=group), timeout_s=20)
            expect(f"counters of {group}", success(answer) and answer.fields, answer)
        answer = await client.request(LogRead())
        expect("no log without a session", error_v2(answer) and answer.err.rc == HeraldReturnCode.LOCKED, answer)
    return address


def with_smpmgr(address, *words):
    """What smpmgr says, and its status."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            app(["--ble", address, "--timeout", "20", *words])
            status = 0
        except SystemExit as end:
            status = end.code
    return status, said.getvalue()


def main():
    port, serial = sys.argv[1:]
    bleak_on_bumble.use(port)
    address = asyncio.run(with_smpclient(serial))
    status, said = with_smpmgr(address, "os", "echo", "herald")
    expect("smpmgr: echo", status == 0 and "herald" in said, (status, said))
    status, said = with_smpmgr(address, "statistics", "list")
    expect("smpmgr: statistics", status == 0 and "ble_smp" in said, (status, said))
    smp_program.finish()


if __name__ == "__main__":
    main()
