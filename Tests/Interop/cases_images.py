"""herald-flash's images, held against those of programs that know nothing of it."""

import asyncio
import os
import shutil
import struct
from pathlib import Path

from node import ROOT, program, run

PYTHON = ROOT / ".build" / "venv-smp" / "bin" / "python"


async def part(name, *images):
    """Runs one part of images_test.py, which must find nothing."""
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
    """Those that script/build has left; without any, one that is made up stands for them."""
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
