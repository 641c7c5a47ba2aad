"""Signatures of firmware images: herald-flash against OpenSSL's keys and Python's `cryptography`, which know the description of the format alone (docs/herald-flash.md)."""

import hashlib
import json
import struct
import subprocess
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cases_flash_drive import BASE, FEATHER, programmed
from cases_flash_probe import image
from cases_smp import PROGRAMS
from cases_smp import run as run_tool
from drive import UF2Drive
from node import run
from world import World


def message(board, version, data, base):
    """What is signed, for an image in one piece."""
    digest = hashlib.sha256(struct.pack("<II", base, len(data)) + data).hexdigest()
    return f"herald-image-signature 1\nboard {board}\nversion {version}\nsha256 {digest}\n".encode()


def key_pair(folder, name="key"):
    """The files of a key of OpenSSL: the private one, and the public one."""
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    subprocess.check_call(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private])
    subprocess.check_call(["openssl", "pkey", "-in", private, "-pubout", "-out", public])
    return private, public


async def flash(*words):
    status, out, err = await run("herald-flash", *words, "--json")
    return status, json.loads(out) if out else None, err


class Board:
    """The image of a Feather in a file, and how it is written to a drive."""

    def __init__(self, folder):
        self.folder, self.data = Path(folder), image(10001, base=BASE)
        self.path = self.folder / "image.bin"
        self.path.write_bytes(self.data)
        self.signature = self.folder / "image.bin.sig"
        self.private, self.public = key_pair(self.folder)

    async def write(self, drive, *options, board=FEATHER):
        return await flash("write", self.path, "--base", hex(BASE), "--board", board, "--to", f"drive:{drive.path}", "--yes", *options)

    def sign(self, board=FEATHER, version="1.2.3", data=None):
        """Signs as another program does."""
        key = serialization.load_pem_private_key(self.private.read_bytes(), None)
        text = message(board, version, data or self.data, BASE)
        self.signature.write_bytes(text + b"signature " + key.sign(text).hex().encode() + b"\n")


async def case_signing_is_checked_by_another_program():
    """What `herald-flash sign` writes is the described message, and OpenSSL's signature check accepts it."""
    with tempfile.TemporaryDirectory() as folder:
        board = Board(folder)
        status, found, err = await flash("sign", board.path, "--base", hex(BASE), "--board", FEATHER, "--version", "1.2.3", "--key", board.private)
        assert status == 0 and found["output"] == str(board.signature), (found, err)
        text = message(FEATHER, "1.2.3", board.data, BASE)
        lines = board.signature.read_bytes()
        assert lines[:len(text)] == text and lines[-1:] == b"\n", lines
        (board.folder / "text").write_bytes(text)
        (board.folder / "signature").write_bytes(bytes.fromhex(lines[len(text):].decode().removeprefix("signature ")))
        subprocess.check_call(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", board.public, "-rawin", "-in", board.folder / "text", "-sigfile", board.folder / "signature"], stdout=subprocess.DEVNULL)
        # The key's name is the start of the SHA-256 of its SubjectPublicKeyInfo.
        der = subprocess.check_output(["openssl", "pkey", "-pubin", "-in", board.public, "-outform", "DER"])
        assert found["key"] == hashlib.sha256(der).hexdigest()[:16], found


async def case_signing_by_another_program_is_accepted_and_nothing_else_is_written():
    with tempfile.TemporaryDirectory() as folder, UF2Drive() as drive:
        board = Board(folder)
        other = Ed25519PrivateKey.generate().public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        (board.folder / "other.pub").write_bytes(other)

        async def refused(expected, said, *options):
            status, found, err = await board.write(drive, *options)
            assert (status, found["board_state"]) == (expected, "untouched") and said in found["what"], (options, found, err)
            assert not drive.flash and drive.times_gone == 0

        # Without a signature; without a key; with another key; for another board; another image.
        await refused(19, "is not signed", "--key", board.public)
        board.sign()
        await refused(19, "no key on this computer")
        await refused(19, "is not signed with the key", "--key", board.folder / "other.pub")
        board.sign(board="xiao-nrf52840")
        await refused(12, "signed for xiao-nrf52840", "--key", board.public)
        board.sign(data=board.data[:-1] + b"\0")
        await refused(19, "contents differ", "--key", board.public)
        board.signature.write_bytes(b"herald-image-signature 1\n")
        await refused(19, "damaged signature", "--key", board.public)
        await refused(11, "cannot be read", "--key", board.public, "--signature", board.folder / "nothing")
        await refused(11, "no key in PEM", "--key", board.path)
        status, _, err = await board.write(drive, "--key", board.public, "--unsigned")
        assert status == 64 and "--unsigned" in err, err

        board.sign()
        status, found, err = await board.write(drive, "--key", board.public)
        assert status == 0 and found["signed_version"] == "1.2.3", (found, err)
        assert programmed(drive, BASE, board.data)


async def case_signing_is_said_to_be_missing_where_an_image_is_written_without():
    """A developer's build: it is written with --unsigned, which is said on standard error even with --quiet."""
    with tempfile.TemporaryDirectory() as folder, UF2Drive() as drive:
        board = Board(folder)
        status, out, err = await run(
            "herald-flash", "write", board.path, "--base", hex(BASE), "--board", FEATHER, "--to", f"drive:{drive.path}", "--yes", "--unsigned", "--quiet")
        assert status == 0 and "is not checked (--unsigned)" in err and out == "", (out, err)
        assert programmed(drive, BASE, board.data)


async def case_signing_in_the_form_of_MCUboot_and_older_versions_over_SMP():
    """An image that imgtool signed is written with its key; one that is older than the running firmware only when that is asked for."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        private, public = key_pair(world.folder)
        (world.folder / "content.bin").write_bytes(bytes(1000))

        async def written(version, *options):
            path = world.folder / f"{version}.img"
            status, said = await run_tool(
                PROGRAMS / "imgtool", "sign", "--key", private, "--version", version, "--header-size", "0x200", "--pad-header", "--slot-size", "0x20000",
                "--align", "4", world.folder / "content.bin", path)
            assert status == 0, said
            return await flash("write", path, "--to", f"smp:{node.link}", "--yes", "--no-reset", *options)

        slot = world.folder / "storage" / "image.slot"
        _, other = key_pair(world.folder, "other")
        for version, options, expected, said in (("1.0.0", [], 19, "no key on this computer"), ("1.0.0", ["--key", other], 19, "is not signed with the key"),
                                                 ("0.0.9", ["--key", public], 20, "version 0.1.0 runs")):
            status, found, err = await written(version, *options)
            assert status == expected and said in found["what"] and found["board_state"] == "untouched", (version, found, err)
            assert not slot.exists() or not slot.read_bytes(), version
        status, found, err = await written("0.0.9", "--key", public, "--allow-older")
        assert status == 0 and found["signed_version"] == "0.0.9", (found, err)
        assert slot.read_bytes() == (world.folder / "0.0.9.img").read_bytes()


async def case_signing_is_checked_by_a_device_with_a_key():
    """A device takes an image over SMP only with the signature of its key, whichever client sends it: imgtool signs, smpmgr uploads."""
    async with World() as world:
        private, public = key_pair(world.folder)
        other, _ = key_pair(world.folder, "other")
        node = await world.node("--link", "pty", "--image-key", public)
        port = node.link.removeprefix("serial:")
        (world.folder / "content.bin").write_bytes(bytes(1000))
        slot = world.folder / "storage" / "image.slot"
        for key, is_taken in ((other, False), (None, False), (private, True)):
            path = world.folder / f"{key.stem if key else 'none'}.img"
            status, said = await run_tool(
                PROGRAMS / "imgtool", "sign", *(["--key", key] if key else []), "--version", "1.0.0", "--header-size", "0x200", "--pad-header",
                "--slot-size", "0x20000", "--align", "4", world.folder / "content.bin", path)
            assert status == 0, said
            status, said = await run_tool(PROGRAMS / "smpmgr", "--port", port, "image", "upload", path)
            assert (slot.read_bytes() == path.read_bytes()) == is_taken, (key, status, said)
            if not is_taken:
                assert slot.read_bytes() == b"" and status != 0, (key, status, said)
                status, found, err = await flash("write", path, "--to", f"smp:{node.link}", "--yes", "--no-reset", "--unsigned")
                assert status == 9 and "not signed with its key" in found["what"] and slot.read_bytes() == b"", (found, err)
        # What the signature does not cover is not accepted, either: the hash of another key, and bytes behind the list.
        genuine = (world.folder / "key.img").read_bytes()
        place = genuine.index(bytes([1, 0, 32, 0]), 0x200 + 1000) + 4
        for name, changed in (("keyhash", genuine[:place] + bytes([genuine[place] ^ 1]) + genuine[place + 1:]), ("longer", genuine + bytes(4))):
            path = world.folder / f"{name}.img"
            path.write_bytes(changed)
            status, said = await run_tool(PROGRAMS / "smpmgr", "--port", port, "image", "upload", path)
            assert status != 0 and slot.read_bytes() == b"", (name, status, said)
        status, found, err = await flash("write", world.folder / "key.img", "--to", f"smp:{node.link}", "--yes", "--no-reset", "--key", public)
        assert status == 0, (found, err)
        # Not a public Ed25519 key: the node does not start without its protection.
        status, out, err = await run("herald-node", "--radio", "tcp:127.0.0.1:1", "--storage", world.folder / "second", "--image-key", private)
        assert status != 0 and "Ed25519 public key" in err, (status, err)
