#!/usr/bin/env bash
# Expected: of a UF2 file with a gap, uf2info says that there is one; `fill_gaps` and `uf2extract --fill_gaps` fill it,
#   so that each byte is where its address says, and leave a file without a gap as it is.
# Seen: uf2info says "Contains NO gaps" of every file, though the package's description shows another output. The
#   filling has the length of the block before the gap: if that is a short last block (356 = 256 + 100 bytes), blocks of
#   100 bytes follow, the last of which covers the first 60 bytes of the next area, and this area is 60 bytes too far in
#   the extracted file. Of a file of one block, both write a file of 0 bytes. Nothing is reported.
# Versions: uf2utils 0.9.8, Python 3.11.
# Why it matters here: an image of several areas has gaps, and data for one page of a boot loader's settings fits into one
#   block. A binary that was extracted in this way is no reference for what a board's flash has to contain.
# Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install uf2utils==0.9.8
cd "$folder"
venv/bin/python - <<'PROGRAM'
import os, struct, subprocess, sys
from importlib.metadata import version
from uf2utils import UF2File

FAMILY = 0xADA52840  # nRF52840


def run(*words):
    result = subprocess.run(["venv/bin/" + words[0], *words[1:]], capture_output=True, text=True, check=True)
    return result.stdout


def write(name, areas, **options):
    """The file of uf2utils with these areas: its size, and the address and length of each block that is in it."""
    file = UF2File(board_family=FAMILY, **options)
    for address, data in areas:
        file.append_payload(data, address)
    file.to_file(name)
    with open(name, "rb") as written:
        data = written.read()
    heads = [struct.unpack_from("<8I", data, start) for start in range(0, len(data), 512)]
    return len(data), [(head[3], head[4]) for head in heads]


def extracted(name, *options):
    run("uf2extract", *options, "--out", "extracted.bin", name)
    with open("extracted.bin", "rb") as file:
        return file.read()


print("uf2utils", version("uf2utils"))
firmware, settings = (0x26000, b"F" * 356), (0x27000, b"S" * 256)

write("gap.uf2", [firmware, settings])
information = [line.strip() for line in run("uf2info", "gap.uf2").splitlines() if "gaps" in line.lower()]
print("uf2info of 0x26000 to 0x26164 and 0x27000 to 0x27100:", information)
size, blocks = write("filled.uf2", [firmware, settings], fill_gaps=True)
(address, length), (following, _) = blocks[-2:]
print(f"fill_gaps: {len(blocks)} blocks; the last filling is {address:#x} to {address + length:#x}, before {following:#x}")
place = extracted("gap.uf2", "--fill_gaps").index(b"S")
print(f"uf2extract --fill_gaps: the settings are at {place:#x}, by their address at {0x27000 - 0x26000:#x}")

write("one.uf2", [settings])
one = len(extracted("one.uf2")), len(extracted("one.uf2", "--fill_gaps")), write("filled.uf2", [settings], fill_gaps=True)[0]
print(f"one block: uf2extract {one[0]} bytes, with --fill_gaps {one[1]} bytes; a file written with fill_gaps: {one[2]} bytes")

seen = information, (address, address + length, following), place, one
if seen != (["Contains NO gaps."], (0x26FD8, 0x2703C, 0x27000), 0x103C, (256, 0, 0)):
    sys.exit("the behaviour has changed")
PROGRAM
