"""The virtual boards of Tests/Flash behave as third-party programs expect."""

import asyncio
import sys
import tempfile
from pathlib import Path

from node import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Flash"))
from dongle import Dongle
from image import image
from legacy_dongle import SOFT_DEVICES, LegacyDongle
from recovery import Recovery
from virtual_probe import VirtualProbe

PROGRAMS = ROOT / ".build" / "venv-smp" / "bin"
ADAFRUIT = ROOT / ".build" / "venv-dfu" / "bin" / "adafruit-nrfutil"

# What nrfdfu (github.com/infsoft-locaware/nrfdfu, 5371b34) sent to flash image(4100, base=0x1000), and the correct responses of the dongle: CRCs are zlib's.
NRFDFU = [
    ("0901", "60090101"),
    ("07", "6007010308"),
    ("020000", "600201"),
    ("0601", "600601000200000000000000000000"),
    ("01013e000000", "600101"),
    ("080a3c08011238080110341a01002000280030003884204224080312207a5417bb0aa8f7fe092028066f2316f44f56c00534a5483cbc3eb5ecef0cb4f94800", None),
    ("03", "6003013e0000000de7a63c"),
    ("04", "600401"),
    ("0602", "600601001000000000000000000000"),
    ("010200100000", "600101"),
    (range(0, 1024), None),
    (range(1024, 2048), None),
    (range(2048, 3072), None),
    (range(3072, 4096), None),
    ("03", "60030100100000ebf0f989"),
    ("04", "600401"),
    ("010204000000", "600101"),
    (range(4096, 4100), None),
    ("03", "600301041000002d33b718"),
    ("04", "600401"),
]

# Packets by hand from CMSIS-DAP's description and ADIv5: connect, line reset and switch to SWD; DPIDR; power; AHB-AP's IDR, CTRL-AP's; CPUID; FICR's page size and count.
DAP = [
    ("00f0", "000111"), ("00ff", "00020002"), ("0201", "0201"), ("040064000000", "0400"), ("1140420f00", "1100"),
    ("1233ffffffffffffff", "1200"), ("12109ee7", "1200"), ("1233ffffffffffffff", "1200"), ("120800", "1200"),
    ("05000102", "0501017714a02b"),
    ("050003001e000000040000005006", "050301000000f0"),
    ("05000208f00000000f", "05020111007724"),
    ("05000208f00000010f", "05020100008802"),
    ("050004080000000001120000230500ed00e00f", "05040141c20f41"),
    ("050002051000001003", "05020152000023"),
    ("060002000f", "060200010010000080000000"),
    # A word to flash that is not enabled for writing: it has no effect and is recorded.
    ("05000205000000000d78563412", "050201"),
    # An unmapped address: this access and the following ones fail until ABORT.
    ("05000205000000600f", "050204"), ("0500010f", "050004"), ("05000106", "050101200000f0"), ("050001001e000000", "050101"), ("05000106", "050101000000f0"),
]


async def case_boards_dongle_answers_what_nrfdfu_asks():
    data = image(4100, base=0x1000)
    with Dongle() as dongle:
        for request, expected in NRFDFU:
            frame = bytes.fromhex(request) if isinstance(request, str) else b"\x08" + data[request.start:request.stop]
            answer = dongle.loader.answer(frame)
            assert answer == (expected and bytes.fromhex(expected)), (request, answer and answer.hex())
        assert dongle.loader.is_running and dongle.application(len(data)) == data


async def case_boards_legacy_dongle_takes_a_package_of_adafruit_nrfutil():
    for soft_device, start in [(None, 0x1000), *((name, start) for name, (_, start) in SOFT_DEVICES.items())]:
        data = image(20000, base=start)
        with tempfile.TemporaryDirectory() as folder, LegacyDongle(soft_device=soft_device) as dongle:
            text = await sent(await packed(Path(folder) / "package.zip", data), dongle)
            assert "Device programmed." in text, text
            assert dongle.loader.is_running and dongle.application(len(data)) == data and dongle.loader.restarts == 0, (soft_device, text)


async def case_boards_legacy_dongle_restarts_at_what_it_does_not_like():
    data = image(8192, base=0x26000)
    with tempfile.TemporaryDirectory() as folder:
        for options in (["--sd-req", "0x0123"], ["--dev-type", "0x0053"]):
            with LegacyDongle() as dongle:
                text = await sent(await packed(Path(folder) / "package.zip", data, *options), dongle)
                assert "Failed to upgrade target" in text and dongle.loader.restarts == 1 and not dongle.loader.is_valid, text


async def case_boards_recovery_takes_an_image_of_imgtool_from_smpmgr():
    with tempfile.TemporaryDirectory() as folder, Recovery() as recovery:
        folder = Path(folder)
        (folder / "plain.bin").write_bytes(image(20000))
        await said(PROGRAMS / "imgtool", "keygen", "-k", folder / "key.pem", "-t", "ed25519")
        await said(PROGRAMS / "imgtool", "sign", "-k", folder / "key.pem", "--header-size", "0x200", "--pad-header", "--slot-size", "0x60000", "--align", "4",
                   "--version", "1.2.3+4", folder / "plain.bin", folder / "signed.bin")
        manager = [PROGRAMS / "smpmgr", "--port", recovery.path, "--timeout", "30.0", "--line-length", "128", "--line-buffers", "8"]
        await said(*manager, "image", "upload", folder / "signed.bin")
        signed = (folder / "signed.bin").read_bytes()
        assert recovery.slot.data[:len(signed)] == signed
        text = await said(*manager, "image", "state-read")
        assert "1.2.3.4" in text and recovery.slot.hash().hex().upper() in text, text
        await said(*manager, "os", "reset")
        assert recovery.is_running
        while recovery.path.exists():
            await asyncio.sleep(0.05)


async def case_boards_probe_answers_packets_written_by_hand():
    with VirtualProbe("nrf52833") as probe:
        for request, expected in DAP:
            answers = probe.dap.answer(bytes.fromhex(request), 512)
            assert answers == [bytes.fromhex(expected)], (request, [answer.hex() for answer in answers])
        assert [violation.what for violation in probe.chip.violations] == ["a write without write enable"], probe.chip.violations
        assert probe.chip.flash(0, 4) == b"\xFF" * 4


async def packed(path, data, *options):
    """A package of adafruit-nrfutil."""
    plain = path.with_name("application.bin")
    plain.write_bytes(data)
    await said(ADAFRUIT, "dfu", "genpkg", "--dev-type", "0x0052", *options, "--application", plain, path)
    return path


async def sent(package, dongle):
    """The output of adafruit-nrfutil for a sent package; the touch at 1200 baud avoids the modem lines, which pseudo terminals do not have."""
    return await said(ADAFRUIT, "dfu", "serial", "--package", package, "--port", dongle.path, "--baudrate", "115200", "--singlebank", "--touch", "1200")


async def said(*command):
    """The output of a program, which must succeed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, (process.returncode, output.decode()[-1500:])
    return output.decode()
