"""herald-flash's images, compared with those of independent programs."""

import asyncio
import json
import os
import shutil
import struct
import tempfile
from pathlib import Path

from node import ROOT, program, run

PYTHON = ROOT / ".build" / "venv-smp" / "bin" / "python"


async def part(name, *images):
    """Runs one part of images_test.py, which must succeed."""
    tools = Path(shutil.which("swift")).resolve().parent
    process = await asyncio.create_subprocess_exec(
        PYTHON, Path(__file__).with_name("images_test.py"), name, *map(str, images), stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT, env={**os.environ, "HERALD_FLASH": program("herald-flash"), "LLVM_OBJCOPY": str(tools / "llvm-objcopy")})
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()[-1500:]


async def case_images_are_those_of_intelhex_and_objcopy():
    await part("addresses")


async def case_images_in_odd_text_are_read_or_refused_as_intelhex_does():
    await part("text")


async def case_images_in_blocks_are_those_of_uf2utils():
    await part("blocks")


async def case_images_are_signed_and_verified_as_by_imgtool():
    await part("signatures")


async def case_images_of_boards_have_every_form():
    """The images made by script/build; if there are none, a generated one."""
    images = sorted((ROOT / ".build" / "boards").glob("*/*.elf"))
    images = [image for image in images if image.with_suffix(".hex").exists() and image.with_suffix(".bin").exists()]
    if images:
        await part("boards", *images)
        return
    folder = ROOT / ".build" / "made-up" / "microbit"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wearable.bin").write_bytes(
        struct.pack("<II", 0x20000C00, 0x101) + bytes(range(256)) + b"\0board=microbit\0" + bytes(300))
    for form in ("hex", "elf"):
        status, _, err = await run("herald-flash", "convert", folder / "wearable.bin", folder / f"wearable.{form}", "--base", "0")
        assert status == 0, err
    await part("boards", folder / "wearable.elf")


async def case_images_that_cannot_be_read_or_made_are_told_with_their_status():
    """The errors for files that are missing, too large, empty or of another kind, for invalid boards and keys, and for paths that cannot be written."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        good, empty, large = folder / "good.hex", folder / "empty", folder / "large"
        good.write_text(":0400100001020304E2\n:00000001FF\n")
        empty.write_bytes(b"")
        large.touch()
        os.truncate(large, (64 << 20) + 1)
        not_a_key = folder / "key.pem"
        not_a_key.write_text("nothing")
        for words, expected, said in [
            (["info", folder / "missing"], 11, "cannot be read"),
            (["info", folder], 11, ""),
            (["info", empty], 1, "needs the address"),
            (["info", large], 11, "larger than 64 MiB"),
            (["info", "/bin/sh"], 1, "not for 32-bit little-endian Arm"),
            (["info", good, "--key", not_a_key], 11, "no key in PEM"),
            (["convert", good, folder / "no" / "such.bin"], 11, "cannot be written"),
            (["convert", good, folder / "x.uf2"], 1, "--family"),
            (["convert", good, folder / "x.bin", "--board", "nonsense"], 64, "no board nonsense"),
            (["convert", good, folder / "x.bin", "--board", "microbit"], 12, "no vector table"),
            (["convert", good, folder / "x.bin", "--version", "1.2.x"], 64, "is no version"),
            (["convert", good, folder / "x.bin", "--key", not_a_key], 64, "--version"),
            (["convert", good, folder / "x.bin", "--fill", "256"], 64, "--fill"),
            (["convert", good, folder / "x.bin", "--unwrap"], 1, "not in MCUboot's form"),
            (["write", "--board", "mps2-an386"], 15, "cannot be flashed"),
            (["write", "--board", "feather-nrf52840-s140v7"], 11, "no firmware of ours"),
            (["write"], 64, "no image was named"),
            (["write", good, "--unsigned", "--to", "nowhere"], 64, "no place to write to"),
            (["write", good, "--unsigned", "--to", "drive:/nowhere", "--via", "smp"], 64, "select different methods"),
        ]:
            status, out, err = await run("herald-flash", *words)
            assert status == expected and said in err, (words, status, err)
        assert sorted(path.name for path in folder.iterdir()) == ["empty", "good.hex", "key.pem", "large"]
        status, out, err = await run("herald-flash", "info", empty, "--json")
        told = json.loads(out)
        assert status == 1 and told["cause"] == "image" and told["result"] == "failed" and told["board_state"] == "untouched", told
        # Names are shown without effect on the terminal.
        status, out, err = await run("herald-flash", "info", folder / "\x1b[2J")
        assert status == 11 and "\x1b" not in err, err
