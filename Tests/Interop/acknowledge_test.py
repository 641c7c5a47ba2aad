#!/usr/bin/env python3
"""smpclient acknowledges pages of a device's log with hashes by Python, and with any other hash nothing is erased.

    .build/venv-smp/bin/python Tests/Interop/acknowledge_test.py PORT

PORT is a terminal on which a device that has no access key speaks SMP in its serial framing and serves its log as files. Exits with 0 if all results are correct,
and prints the others. Pages of the log are erased."""

import asyncio
import hashlib
import sys
from enum import IntEnum

from smp.error import ErrorV2, MGMT_ERR
from smpclient.generics import error_v1, error_v2, success
from smpclient.requests.os_management import DateTimeWrite

import smp_program
from smp_program import connected, expect


class Code(IntEnum):
    """Herald's own codes, group 72."""
    BEYOND_PAGE = 3
    OTHER_EPOCH = 4
    OTHER_DIGEST = 13


class HeraldError(ErrorV2[Code]):
    _GROUP_ID = 72


STATUS = dict(epoch=int, first=int, last=int, open=int, page=int, boot=int, keep=int, now=int, id=bytes, unix=(int | None, None))
LogStatusRead = smp_program.read(72, 0, HeraldError, **STATUS)
LogCommitWrite = smp_program.write(72, 0, HeraldError, **STATUS)
ACKNOWLEDGED = dict(first=int, to=int)
AcknowledgeWrite = smp_program.write(72, 4, HeraldError, {"epoch": int, "seq": int, "digest": bytes}, **ACKNOWLEDGED)
FormerAcknowledgeWrite = smp_program.write(72, 4, HeraldError, {"epoch": int, "seq": int}, **ACKNOWLEDGED)


def refused(answer, code):
    return error_v2(answer) and (answer.err.group, answer.err.rc) == (72, code)


async def run(port):
    async with connected(port) as client:
        # Each set date is a record: three pages of records, two of which are full.
        second = 0
        while (status := await client.request(LogStatusRead())).last < 3 and second < 2000:
            for _ in range(20):
                second += 1
                await client.request(DateTimeWrite(datetime=f"2026-11-20T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000"))
        expect("three pages", status.first == 1 and status.last >= 3, status)

        # Records become readable after a request to commit, not after a request for the status.
        asked = [await client.request(LogStatusRead()) for _ in range(20)]
        expect("asking for the status commits nothing", len({(one.last, one.open) for one in asked}) == 1, asked)
        committed = await client.request(LogCommitWrite())
        expect("a request to commit does", success(committed) and (committed.last, committed.open) > (asked[-1].last, asked[-1].open),
               (asked[-1], committed))

        pages = [await client.download_file(f"/log/{status.epoch:08x}-{number:010}.page") for number in (1, 2)]
        expect("whole pages", [len(page) for page in pages] == [status.page] * 2)
        digests = [hashlib.sha256(page).digest() for page in pages]

        answer = await client.request(FormerAcknowledgeWrite(epoch=status.epoch, seq=1))
        expect("without a digest it is malformed", error_v1(answer) and answer.rc == MGMT_ERR.EINVAL, answer)
        forged = hashlib.sha256(bytes([pages[0][0]]) + bytes(len(pages[0]) - 1)).digest()
        for what, epoch, number, digest, code in (
                ("a forged page", status.epoch, 1, forged, Code.OTHER_DIGEST),
                ("another page's digest", status.epoch, 1, digests[1], Code.OTHER_DIGEST),
                ("a page before the one ahead of it", status.epoch, 2, digests[1], Code.BEYOND_PAGE),
                ("the page that is being written", status.epoch, committed.last, digests[1], Code.BEYOND_PAGE),
                ("another log", status.epoch ^ 1, 1, digests[0], Code.OTHER_EPOCH)):
            answer = await client.request(AcknowledgeWrite(epoch=epoch, seq=number, digest=digest))
            expect(f"{what} is refused with {code.name}", refused(answer, code), answer)
        await asyncio.sleep(0.5)
        answer = await client.request(LogStatusRead())
        expect("nothing was erased", answer.first == 1, answer)

        answer = await client.request(AcknowledgeWrite(epoch=status.epoch, seq=1, digest=digests[0]))
        expect("the page by hashlib's digest is taken", success(answer) and answer.to == 1, answer)
        answer = await client.request(AcknowledgeWrite(epoch=status.epoch, seq=2, digest=forged))
        expect("a forged one behind it is refused", refused(answer, Code.OTHER_DIGEST), answer)
        for _ in range(100):
            answer = await client.request(LogStatusRead())
            if answer.first > 1:
                break
            await asyncio.sleep(0.1)
        expect("that page and no other is erased", answer.first == 2, answer)
        answer = await client.request(AcknowledgeWrite(epoch=status.epoch, seq=1, digest=forged))
        expect("to say it of a page that is gone does no harm", success(answer), answer)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(run(sys.argv[1]))
    smp_program.finish()
