#!/usr/bin/env python3
"""Compares herald-flash's images with those of intelhex, llvm-objcopy, imgtool and uf2utils, for generated images and others.

    .build/venv-smp/bin/python Tests/Interop/images_test.py PART [ELF …]

PART is addresses, text, blocks, signatures or boards. HERALD_FLASH names the program, LLVM_OBJCOPY that of LLVM. Exits with 0 if all results are correct, and prints
the others."""

import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import intelhex
from uf2utils.constants import Flags
from uf2utils.file import UF2File

from image_corpus import END, FAMILY, corpus, record, uf2, written

FLASH, OBJCOPY = os.environ["HERALD_FLASH"], os.environ["LLVM_OBJCOPY"]
IMGTOOL = Path(sys.executable).with_name("imgtool")
failures = []


def expect(what, condition, seen=None):
    if not condition:
        print(f"FAILED {what}: {seen!r}"[:600], flush=True)
        failures.append(what)


def flash(*words, status=0):
    """Runs herald-flash; returns its output. A status other than the expected one is a failure. Files of earlier conversions are replaced."""
    words += ("--force",) if words[0] == "convert" else ()
    done = subprocess.run([FLASH, *map(str, words)], capture_output=True, text=True, timeout=60)
    expect(f"herald-flash {' '.join(map(str, words))} ends with {status}", done.returncode == status, (done.returncode, done.stderr))
    return done.stdout + done.stderr


def tool(*words):
    """Runs another program; returns its status and output."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def info(path, *words, status=0):
    done = subprocess.run([FLASH, "info", str(path), "--json", *map(str, words)], capture_output=True, text=True, timeout=60)
    expect(f"info {path.name} ends with {status}", done.returncode == status, (done.returncode, done.stderr))
    return json.loads(done.stdout.split("\n}\n")[0] + "\n}") if done.stdout.startswith("{") else {}


def content(path):
    """The contents of an Intel HEX file, by intelhex: bytes by address."""
    found = intelhex.IntelHex(str(path))
    return {address: found[address] for address in found.addresses()}


def addresses(folder):
    """The corpus in each form: byte for byte what intelhex and llvm-objcopy make of it."""
    for number, (name, pieces, start) in enumerate(corpus()):
        reference = folder / f"{number}.hex"
        # A file by intelhex is read, and written unchanged.
        text = written(pieces, start)
        reference.write_text(text)
        flash("convert", reference, folder / "again.hex", "--quiet")
        expect(f"{name}: Intel HEX", (folder / "again.hex").read_text() == text, (folder / "again.hex").read_text()[:300])
        wanted = content(reference)
        # Through ELF, which llvm-objcopy reads, to both of its formats.
        elf = folder / "image.elf"
        flash("convert", reference, elf, "--quiet")
        status, said = tool(OBJCOPY, "-O", "ihex", elf, folder / "llvm.hex")
        expect(f"{name}: llvm-objcopy reads the ELF", status == 0, said)
        expect(f"{name}: as llvm-objcopy sees it", content(folder / "llvm.hex") == wanted)
        # A file by llvm-objcopy is read: records of both kinds of addresses, another order, other line endings.
        flash("convert", folder / "llvm.hex", folder / "again.hex", "--quiet")
        expect(f"{name}: llvm-objcopy's Intel HEX", content(folder / "again.hex") == wanted)
        span = max(wanted) - min(wanted) + 1
        fill = (0xFF, 0x00, 0xA5)[number % 3]
        flash("convert", elf, folder / "image.bin", "--fill", hex(fill), "--quiet")
        found = (folder / "image.bin").read_bytes()
        image = intelhex.IntelHex(str(reference))
        image.padding = fill
        expect(f"{name}: a binary filled with {fill:02x}, by intelhex", found == image.tobinstr(), (len(found), span))
        tool(OBJCOPY, "-O", "binary", f"--gap-fill={fill}", elf, folder / "llvm.bin")
        expect(f"{name}: a binary filled with {fill:02x}, by llvm-objcopy", found == (folder / "llvm.bin").read_bytes())
        # A raw binary gets the address of the option.
        flash("convert", folder / "image.bin", folder / "again.hex", "--base", hex(min(wanted)), "--quiet")
        moved = content(folder / "again.hex")
        expect(f"{name}: a raw binary with --base", len(moved) == span and all(moved[place] == byte for place, byte in wanted.items()))
        told = info(reference)
        expect(f"{name}: info", sum(part["bytes"] for part in told["segments"]) == len(wanted)
               and told["segments"][0]["address"] == min(wanted) and told.get("entry") == start, told)


def text(folder):
    """Intel HEX of other programs, valid and invalid."""
    data = [record(0, 0x20, b"second"), record(0, 0x00, b"first"), record(0, 0x10, b"between")]
    good = {
        "records out of order": [*data, END],
        "segments of the 8086": [record(2, 0, b"\x12\x00"), record(0, 0xFFF0, bytes(16)), record(2, 0, b"\x22\x00"), record(0, 0, b"abc"), END],
        "a start segment": [record(3, 0, b"\x10\x00\x04\x41"), *data, END],
        "a start address in the middle": [data[0], record(5, 0, b"\x00\x01\x04\x41"), data[1], END],
        "lower case": [line.lower() for line in data] + [END.lower()],
        "long lines": [record(0, 0, bytes(range(255))), END],
        "an empty record": [record(0, 0, b""), data[0], END],
        "the same upper half again": [record(4, 0, b"\x00\x01"), data[0], record(4, 0, b"\x00\x01"), data[1], END],
        "an upper half for nothing": [record(4, 0, b"\x00\x07"), record(4, 0, b"\x00\x00"), data[0], END],
    }
    for name, lines in good.items():
        for end in ("\n", "\r\n", "\n\n") if name == "records out of order" else ("\r\n",):
            path = folder / "odd.hex"
            path.write_text(end.join(lines) + (end if end != "\n" else ""), newline="")
            wanted = content(path)
            flash("convert", path, folder / "again.hex", "--quiet")
            expect(f"{name}, lines ended with {end!r}", content(folder / "again.hex") == wanted)
            # Except for the start address of an 8086, which is converted to a linear address, the text is that of intelhex.
            image = intelhex.IntelHex(str(path))
            if "CS" in (image.start_addr or {}):
                image.start_addr = {"EIP": image.start_addr["CS"] * 16 + image.start_addr["IP"]}
            buffer = io.StringIO()
            image.write_hex_file(buffer)
            expect(f"{name}: the text", (folder / "again.hex").read_text() == buffer.getvalue())
    bad = {
        "an overlap": [record(0, 0, b"abcd"), record(0, 3, b"x"), END],
        "the same byte twice": [record(0, 0, b"a"), record(0, 0, b"a"), END],
        "a wrong sum": [data[0][:-2] + "00", END],
        "a line cut off": [data[0][:-2], END],
        "a strange type": [record(6, 0, b""), END],
        "a letter that is no digit": [data[0].replace("6", "G", 1), END],
        "no record": ["nonsense", END],
        "an upper half of one byte": [record(4, 0, b"\x01"), END],
    }
    for name, lines in bad.items():
        path = folder / "bad.hex"
        path.write_text("\n".join(lines) + "\n")
        refused = False
        try:
            intelhex.IntelHex(str(path))
        except (intelhex.IntelHexError, ValueError):
            refused = True
        expect(f"{name}: intelhex refuses it", refused)
        flash("info", path, status=1)
        flash("convert", path, folder / "never.bin", status=1)
    # Files that intelhex accepts: truncated ones, and ones for several boards.
    for name, lines in {"no end record": data, "lines behind the end": [data[0], END, data[1]],
                        "a Universal Hex": [record(10, 0, b"\x99\x00\xC0\xDE"), END]}.items():
        (folder / "bad.hex").write_text("\n".join(lines) + "\n")
        flash("info", folder / "bad.hex", status=1)
    expect("nothing was written", not (folder / "never.bin").exists())


def check_blocks(name, path, wanted, fill, family=FAMILY):
    """Reads a UF2 file with uf2utils, and compares it with the specification of the format."""
    raw = path.read_bytes()
    blocks = list(UF2File(str(path)))
    expect(f"{name}: whole blocks", len(raw) == 512 * len(blocks) and len(blocks) > 0, len(raw))
    found = {}
    for number, block in enumerate(blocks):
        head = block.header
        whole = struct.unpack_from("<8I", raw, 512 * number)
        expect(f"{name}: block {number}", whole[:2] == (0x0A324655, 0x9E5D5157) and raw[512 * number + 508:][:4] == b"\x30\x6f\xb1\x0a"
               and (head.flags, head.block_number, head.total_blocks, head.board_family) == (0x2000, number, len(blocks), family)
               and head.payload_size == 256 and head.address % 256 == 0, whole)
        for index, byte in enumerate(block.payload):
            expect(f"{name}: 0x{head.address + index:x} once", head.address + index not in found)
            found[head.address + index] = byte
    pages = {address // 256 for address in wanted}
    expect(f"{name}: no block too many", {address // 256 for address in found} == pages)
    expect(f"{name}: the bytes", all(found[address] == wanted.get(address, fill) for address in found))


def blocks(folder):
    """UF2 written and read."""
    for number, (name, pieces, start) in enumerate(corpus()):
        reference = folder / f"{number}.hex"
        reference.write_text(written(pieces, start))
        wanted = content(reference)
        fill = 0xFF if number % 2 else 0x00
        path = folder / "image.uf2"
        flash("convert", reference, path, "--family", "nrf52840", "--fill", fill, "--quiet")
        check_blocks(name, path, wanted, fill)
        flash("convert", path, folder / "again.hex", "--quiet")
        again = content(folder / "again.hex")
        expect(f"{name}: read again", all(again[address] == wanted.get(address, fill) for address in again) and wanted.keys() <= again.keys())
        # The same bytes, in whole blocks, as uf2utils writes them.
        other = UF2File(board_family=FAMILY)
        for page in sorted({address // 256 for address in wanted}):
            other.append_payload(bytes(wanted.get(256 * page + index, fill) for index in range(256)), 256 * page)
        other.to_file(str(folder / "other.uf2"))
        expect(f"{name}: uf2utils' bytes", path.read_bytes() == (folder / "other.uf2").read_bytes())
    path, out = folder / "odd.uf2", folder / "odd.hex"
    a, b, c = b"a" * 256, b"b" * 256, b"c" * 100
    for name, raw, wanted in [
        ("blocks out of order", uf2(2, 3, 0x26200, c) + uf2(0, 3, 0x26000, a) + uf2(1, 3, 0x26100, b), a + b + c),
        ("476 bytes in a block", uf2(0, 2, 0x26000, b"x" * 476) + uf2(1, 2, 0x26000 + 476, c), b"x" * 476 + c),
        ("a block that is not for flash", uf2(0, 2, 0, b"comment", Flags.FamilyIDPresent | Flags.NotMainFlash) + uf2(1, 2, 0x26000, a), a),
        ("tags", uf2(0, 1, 0x26000, a, Flags.FamilyIDPresent | Flags.ExtensionTagsPresent,
                     behind=bytes.fromhex("09bcc79f302e312e32000000") + b"\xff" * 4), a),
        ("a checksum", uf2(0, 1, 0x26000, a, Flags.FamilyIDPresent | Flags.MD5ChecksumPresent), a),
    ]:
        path.write_bytes(raw)
        flash("convert", path, out, "--quiet")
        found = content(out)
        expect(name, bytes(found[address] for address in sorted(found)) == wanted and min(found) == 0x26000)
        expect(f"{name}: family", info(path)["uf2_family"] == FAMILY)
    for name, raw in {
        "two families": uf2(0, 2, 0x26000, a) + uf2(1, 2, 0x26100, b, family=0x621E937A),
        "a block twice": uf2(0, 2, 0x26000, a) + uf2(0, 2, 0x26000, a),
        "a block missing": uf2(0, 3, 0x26000, a) + uf2(2, 3, 0x26200, b),
        "an overlap": uf2(0, 2, 0x26000, a) + uf2(1, 2, 0x26080, b),
        "477 bytes in a block": uf2(0, 1, 0x26000, b"x" * 476)[:16] + struct.pack("<I", 477) + uf2(0, 1, 0x26000, b"x" * 476)[20:],
        "half a block": uf2(0, 1, 0x26000, a)[:300],
        "a file in a container": uf2(0, 1, 0, a, Flags.FamilyIDPresent | Flags.FileContainer),
        "no last word": uf2(0, 1, 0x26000, a)[:508] + bytes(4),
    }.items():
        path.write_bytes(raw)
        flash("info", path, status=1)
    # A family that is not the board's is refused, whatever the addresses.
    program = struct.pack("<II", 0x20001000, 0x26041) + bytes(248)
    path.write_bytes(uf2(0, 1, 0x26000, program, family=0x621E937A))
    said = flash("convert", path, out, "--board", "feather-nrf52840", status=12)
    expect("the family is named", "NRF52833" in said, said)
    path.write_bytes(uf2(0, 1, 0x26000, program))
    flash("convert", path, out, "--board", "feather-nrf52840", "--quiet")
    expect("it fits the boards that have its SoftDevice only", info(path)["fits"] == ["feather-nrf52840", "nrf52840dongle-adafruit"], info(path)["fits"])
    flash("convert", folder / "0.hex", folder / "no.uf2", status=1)
    flash("convert", folder / "0.hex", folder / "no.uf2", "--family", "nrf51822", status=64)


def signatures(folder):
    """MCUboot's form: made, signed, verified and taken apart, against imgtool."""
    keys = {}
    for kind in ("ed25519", "ecdsa-p256"):
        for owner in ("ours", "theirs"):
            keys[kind, owner] = folder / f"{kind}-{owner}.pem"
            tool(IMGTOOL, "keygen", "-k", keys[kind, owner], "-t", kind)
        status, said = tool(IMGTOOL, "getpub", "-k", keys[kind, "ours"], "-e", "pem", "-o", folder / f"{kind}.pub.pem")
        expect(f"{kind}: imgtool getpub", status == 0, said)
    numbers = random.Random(3)
    cases = [(1, "1", "0x20", None, [None]), (1023, "1.2.3+4", "0x200", 7, [None, "ed25519", "ecdsa-p256"]),
             (4096, "255.255.65535+4294967295", "0x20", 0, ["ed25519"]), (70_001, "2.10", "0x400", 4294967295, ["ecdsa-p256"])]
    for size, version, header, counter, kinds in cases:
        program = folder / "program.bin"
        program.write_bytes(numbers.randbytes(size))
        for kind in kinds:
            name = f"{size} bytes, {kind}"
            theirs, ours = folder / "theirs.bin", folder / "ours.bin"
            key = ["--key", keys[kind, "ours"]] if kind else []
            count = ["--security-counter", counter] if counter is not None else []
            status, said = tool(IMGTOOL, "sign", "--version", version, "--header-size", header, "--pad-header", "--align", "4",
                                "--slot-size", "0x40000", *count, *key, program, theirs)
            expect(f"{name}: imgtool signs", status == 0, said)
            flash("convert", program, ours, "--base", "0", "--version", version, "--header-size", header, "--slot-size", "0x40000",
                  *count, *key, "--quiet")
            made, wanted = ours.read_bytes(), theirs.read_bytes()
            if kind == "ecdsa-p256":
                # The signature is another each time, and has 68 to 72 bytes.
                place = int(header, 16) + size + (12 if counter is not None else 0)
                expect(f"{name}: imgtool's bytes in front of the signature", made[:place + 2] + made[place + 4:place + 4 + 36 + 36 + 2]
                       == wanted[:place + 2] + wanted[place + 4:place + 4 + 36 + 36 + 2])
            else:
                expect(f"{name}: imgtool's bytes", made == wanted, (len(made), len(wanted)))
            for path in (ours, theirs):
                status, said = tool(IMGTOOL, "verify", *key, path)
                expect(f"{name}: imgtool verifies {path.name}", status == 0, said)
                told = info(path, *key)["mcuboot"]
                expect(f"{name}: info of {path.name}", told["hash_state"] == "right" and told["signature_state"] == ("valid" if kind else "none")
                       and told["program_size"] == size and told["header_size"] == int(header, 16), told)
                expect(f"{name}: the version", told["version"].split("+")[0].split(".")[:len(version.split("+")[0].split("."))]
                       == version.split("+")[0].split("."), told["version"])
            if kind:
                info(ours, "--key", folder / f"{kind}.pub.pem")
                # Another key, another kind of key, a changed bit of program, hash or signature: both programs reject it.
                expect(f"{name}: another key", info(ours, "--key", keys[kind, "theirs"], status=1)["mcuboot"]["signature_state"] == "present")
                for place in (int(header, 16), len(made) - 1, len(made) - 60):
                    wrong = bytearray(made)
                    wrong[place] ^= 1
                    (folder / "wrong.bin").write_bytes(wrong)
                    status, said = tool(IMGTOOL, "verify", *key, folder / "wrong.bin")
                    expect(f"{name}: imgtool refuses a wrong byte {place}", status != 0, said)
                    info(folder / "wrong.bin", *key, status=1)
            flash("convert", ours, folder / "program.hex", "--unwrap", "--quiet")
            expect(f"{name}: the program again", intelhex.IntelHex(str(folder / "program.hex")).tobinstr() == program.read_bytes())
            # Padding of the slot is not part of the image.
            status, said = tool(IMGTOOL, "sign", "--version", version, "--header-size", header, "--pad-header", "--align", "4", "--slot-size",
                                "0x40000", "--pad", "--confirm", *count, *key, program, folder / "padded.bin")
            expect(f"{name}: padded", info(folder / "padded.bin", *key)["mcuboot"]["hash_state"] == "right", said)
    hexadecimal(folder, keys)
    slots(folder)


def hexadecimal(folder, keys):
    """An image linked with space for a header, signed as Intel HEX, has the address that imgtool assigns."""
    path = folder / "linked.hex"
    path.write_text(written([(0xC200, bytes(range(256)) * 3), (0xC900, b"more")]))
    sign = ["--version", "1.0.0", "--header-size", "0x200", "--key", keys["ed25519", "ours"]]
    status, said = tool(IMGTOOL, "sign", *sign, "--pad-header", "--align", "4", "--slot-size", "0x10000", path, folder / "theirs.hex")
    expect("imgtool signs Intel HEX", status == 0, said)
    flash("convert", path, folder / "ours.hex", *sign, "--quiet")
    expect("Intel HEX as imgtool writes it", (folder / "ours.hex").read_text() == (folder / "theirs.hex").read_text())
    flash("convert", folder / "theirs.hex", folder / "ours.bin", "--quiet")
    status, said = tool(IMGTOOL, "verify", "--key", keys["ed25519", "ours"], folder / "ours.bin")
    expect("and as bytes", status == 0, said)


def slots(folder):
    """The largest program for a slot is the same as with imgtool, for every alignment."""
    program = folder / "program.bin"
    for align in (1, 4, 32):
        trailer = 128 * 3 * align + 4 * max(8, align) + max(16, align)
        most = 0x4000 - 0x20 - 40 - trailer
        for size, fits in ((most, True), (most + 1, False)):
            program.write_bytes(bytes(size))
            status, said = tool(IMGTOOL, "sign", "--version", "1", "--header-size", "0x20", "--pad-header", "--align", align, "--slot-size",
                                "0x4000", program, folder / "theirs.bin")
            expect(f"imgtool, {size} bytes at {align}", (status == 0) == fits, said)
            flash("convert", program, folder / "ours.bin", "--base", "0", "--version", "1", "--header-size", "0x20", "--slot-size", "0x4000",
                  "--align", align, "--quiet", status=0 if fits else 1)


def boards(folder, images):
    """Images of boards in every form."""
    for path in map(Path, images):
        name = "/".join(path.parts[-2:])
        wanted = content(path.with_suffix(".hex"))
        flash("convert", path, folder / "image.hex", "--quiet")
        expect(f"{name}: Intel HEX", content(folder / "image.hex") == wanted)
        flash("convert", path, folder / "image.bin", "--fill", "0", "--quiet")
        expect(f"{name}: binary", (folder / "image.bin").read_bytes() == path.with_suffix(".bin").read_bytes())
        flash("convert", path, folder / "image.uf2", "--family", "nrf52840", "--quiet")
        check_blocks(name, folder / "image.uf2", wanted, 0xFF)
        told = info(path)
        expect(f"{name}: whose it is", told["vector_table_plausible"] and told["built_for"] == path.parent.name
               and told["fits"] == ([path.parent.name] if path.parent.name != "mps2-an386" else []), told)
        for form in ("image.hex", "image.bin"):
            again = info(folder / form, *(["--base", hex(min(wanted))] if form == "image.bin" else []))
            expect(f"{name}: the same from {form}", again["built_for"] == told["built_for"] and again["fits"] == told["fits"], again)
        flash("convert", path, folder / "signed.bin", "--version", "1.0.0", "--quiet")
        status, said = tool(IMGTOOL, "verify", folder / "signed.bin")
        expect(f"{name}: in MCUboot's form", status == 0, said)


def main():
    part, images = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        if part == "boards":
            boards(Path(folder), images)
        else:
            {"addresses": addresses, "text": text, "blocks": blocks, "signatures": signatures}[part](Path(folder))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
