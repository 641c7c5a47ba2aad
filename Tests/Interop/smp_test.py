#!/usr/bin/env python3
"""smpclient and smpmgr, which do not implement Herald's group, with a device's management link on a serial port.

    .build/venv-smp/bin/python Tests/Interop/smp_test.py PORT [PULLED IMAGE]

PORT is a terminal on which the device speaks SMP in its serial framing. PULLED is a folder with pages of its log as
herald-host pulled them, and IMAGE an image by imgtool, which remains in the device's slot. Exits with 0 if all results are correct, and prints the others.
"""

import asyncio
import hashlib
import re
import subprocess
import sys
import tempfile
import zlib
from enum import IntEnum
from pathlib import Path

import cbor2
from smp import header as smphdr
from smp.error import ErrorV2, MGMT_ERR
from smpclient.generics import error_v1, error_v2, success
from smpclient.mcuboot import IMAGE_TLV, ImageInfo
from smpclient.requests.file_management import (
    FileClose, FileDownload, FileHashChecksum, FileStatus, SupportedFileHashChecksumTypes,
)
from smpclient.requests.image_management import ImageErase, ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import (
    BootloaderInformationRead, DateTimeRead, DateTimeWrite, EchoWrite, MCUMgrParametersRead, OSApplicationInfoRead,
    TaskStatisticsRead,
)
from smpclient.requests.settings_management import ReadSetting
from smpclient.requests.statistics_management import GroupData, ListOfGroups
from smpclient.transport.serial import SMPSerialTransport

import smp_program
from smp_program import connected, expect

# Herald's own group.
LogStatusRead = smp_program.read(
    72, 0, epoch=int, first=int, last=int, open=int, page=int, boot=int, keep=int, now=int, unix=(int | None, None), id=bytes)


class HeraldReturnCode(IntEnum):
    OTHER_EPOCH = 4


class HeraldErrorV2(ErrorV2[HeraldReturnCode]):
    _GROUP_ID = 72


ResetProgressRead = smp_program.read(72, 3, HeraldErrorV2, done=int, of=int, bad=int)
ResetWrite = smp_program.write(72, 3, HeraldErrorV2, {"epoch": int}, done=int, of=int, bad=int)


async def with_smpclient(port):
    async with connected(port) as client:
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

        answer = await client.request(TaskStatisticsRead())
        expect("TaskStatisticsRead is not supported", error_v1(answer) and answer.rc == MGMT_ERR.ENOTSUP, answer)
        answer = await client.request(BootloaderInformationRead())
        expect("boot loader", success(answer) and answer.bootloader == "none", answer)
        answer = await client.request(BootloaderInformationRead(query="mode"))
        expect("a question to the boot loader has no answer", error_v2(answer) and answer.err.rc == 3, answer)
        answer = await client.request(ReadSetting(name="log/keep-days"))
        expect("a setting", success(answer) and answer.val == b"\x0e\x00", answer)

        answer = await client.request(ImageStatesRead())
        expect("what runs is in slot 0", success(answer) and answer.images[0].slot == 0 and answer.images[0].active
               and answer.images[0].confirmed, answer)
        answer = await client.request(ImageErase(slot=0))
        expect("what runs cannot be erased", error_v2(answer) and answer.err.rc == 14, answer)
        answer = await client.request(ImageStatesWrite(hash=bytes(32)))
        expect("what is not there cannot be tried", error_v2(answer) and answer.err.rc == 3, answer)

        answer = await client.request(SupportedFileHashChecksumTypes())
        expect("hashes and checksums", success(answer) and {name: kind.size for name, kind in answer.types.items()}
               == {"crc32": 4, "sha256": 32}, answer)
        answer = await client.request(FileStatus(name="/etc/passwd"))
        expect("a file that is none", error_v2(answer) and answer.err.rc == 3, answer)
        answer = await client.request(FileDownload(name="/log", off=0))
        expect("a folder is no file", error_v2(answer) and answer.err.rc == 3, answer)
        answer = await client.request(FileClose())
        expect("closing", success(answer), answer)

        answer = await client.request(LogStatusRead())
        expect("status of the log", success(answer) and answer.page > 0 and answer.unix is not None, answer)
        expect("records are kept for two weeks", answer.keep == 14, answer)
        other = answer.epoch ^ 1
        answer = await client.request(ResetProgressRead())
        expect("no factory reset", success(answer) and (answer.done, answer.of, answer.bad) == (0, 0, 0), answer)
        answer = await client.request(ResetWrite(epoch=other))
        expect("a factory reset of another log is refused",
               error_v2(answer) and answer.err.group == 72 and answer.err.rc == HeraldReturnCode.OTHER_EPOCH, answer)

        # Versions of the protocol: the response has the version of its request.
        for version in (smphdr.Version.V1, smphdr.Version.V2):
            answer = await client.request(EchoWrite(d="v", version=version))
            expect(f"echo in {version.name}", success(answer) and answer.header.version == version, answer)


async def slot_info(port):
    """MCUmgr's command 6 of group 1, for which smpclient has no request and which cannot be added to its groups: only its transport and framing are used."""
    transport = SMPSerialTransport()
    await transport.connect(port, 5)
    answer = await transport.send_and_receive(bytes.fromhex("08 00 0001 0001 2A 06 A0"))
    await transport.disconnect()
    [image] = cbor2.loads(answer[8:])["images"]
    size = image.get("max_image_size", 0)
    expect("slot info", answer[:2] == b"\x09\x00" and answer[4:8] == bytes.fromhex("0001 2A 06"), answer)
    expect("slot 1 says how much it holds",
           size >= 100 and image == {"image": 0, "slots": [{"slot": 1, "size": size}], "max_image_size": size}, image)


def pages(folder):
    """Names and bytes of the pulled pages, in their order; the last one may have grown on the device."""
    return [(path.name.replace(".open", ""), path.read_bytes()) for path in sorted(Path(folder, "pages").glob("*.page"))]


async def files_with_smpclient(port, folder):
    pulled = pages(folder)
    log = b"".join(content for _, content in pulled)
    async with connected(port) as client:
        found = await client.download_file("/log/all")
        expect(f"the log as a file has the {len(log)} bytes of {len(pulled)} pulled pages",
               len(log) > 0 and found.startswith(log), len(found))
        for name, content in pulled[:2] + pulled[-1:]:
            found = await client.download_file(f"/log/{name}")
            expect(f"page {name}", found.startswith(content), len(found))
        for kind, output in ("sha256", hashlib.sha256(log).digest()), ("crc32", zlib.crc32(log)):
            answer = await client.request(FileHashChecksum(name="/log/all", type=kind, len=len(log)))
            expect(f"{kind} of the log", success(answer) and answer.output == output, answer)
        answer = await client.request(FileStatus(name="/log/all"))
        expect("length of the log", success(answer) and answer.len >= len(log), answer)


async def image_with_smpclient(port, path):
    image = Path(path).read_bytes()
    tag = ImageInfo.load_file(str(path)).get_tlv(IMAGE_TLV.SHA256).value
    async with connected(port) as client:
        async for offset in client.upload(image):
            pass
        expect("all of the image is there", offset == len(image), offset)
        answer = await client.request(ImageStatesRead())
        expect("the image is in slot 1, with imgtool's version and hash",
               success(answer) and [slot.slot for slot in answer.images] == [0, 1]
               and answer.images[1].version == "1.2.3.4" and answer.images[1].hash == tag
               and answer.images[1].bootable and not answer.images[1].pending, answer)
        answer = await client.request(ImageErase(slot=1))
        expect("the slot is erased", success(answer), answer)
        answer = await client.request(ImageStatesRead())
        expect("and empty", success(answer) and len(answer.images) == 1, answer)
    return tag


def smpmgr(port, *arguments):
    program = Path(sys.executable).parent / "smpmgr"
    done = subprocess.run([program, "--port", port, "--timeout", "5", *map(str, arguments)],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def with_smpmgr(port):
    status, said = smpmgr(port, "os", "echo", "hello, wearable")
    expect("smpmgr os echo", status == 0 and "hello, wearable" in said, said)


def files_with_smpmgr(port, folder):
    log = b"".join(content for _, content in pages(folder))
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary, "log")
        status, said = smpmgr(port, "file", "download", "/log/all", copy)
        expect("smpmgr file download", status == 0 and copy.read_bytes().startswith(log), said)
    status, said = smpmgr(port, "file", "read-size", "/log/all")
    expect("smpmgr file read-size", status == 0 and int(said.split()[-1]) >= len(log), said)
    status, said = smpmgr(port, "file", "get-supported-hash-types")
    expect("smpmgr file get-supported-hash-types", status == 0 and "sha256" in said, said)


def image_with_smpmgr(port, path, tag):
    status, said = smpmgr(port, "image", "upload", path)
    expect("smpmgr image upload", status == 0, said)
    status, said = smpmgr(port, "image", "state-read")
    expect("smpmgr image state-read", status == 0 and "1.2.3.4" in said, said)
    status, said = smpmgr(port, "image", "state-write", tag.hex())
    expect("smpmgr image state-write", status == 0, said)
    status, said = smpmgr(port, "image", "state-read")
    expect("the image is to be tried", status == 0 and "pending=True" in said, said)


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    port = sys.argv[1]
    asyncio.run(with_smpclient(port))
    asyncio.run(slot_info(port))
    with_smpmgr(port)
    if len(sys.argv) == 4:
        asyncio.run(files_with_smpclient(port, sys.argv[2]))
        files_with_smpmgr(port, sys.argv[2])
        tag = asyncio.run(image_with_smpclient(port, sys.argv[3]))
        image_with_smpmgr(port, sys.argv[3], tag)
    smp_program.finish()


if __name__ == "__main__":
    main()
