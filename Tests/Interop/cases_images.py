"""herald-flash's images, compared with those of independent programs."""

import asyncio
import json
import os
import shutil
import struct
import tempfile
import zipfile
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
        huge, link = folder / "huge.hex", folder / "link"
        huge.touch()
        os.truncate(huge, 5 << 30)
        link.symlink_to(huge)
        not_a_key = folder / "key.pem"
        not_a_key.write_text("nothing")
        for words, expected, said in [
            (["info", folder / "missing"], 11, "cannot be read"),
            (["info", folder], 11, ""),
            (["info", empty], 1, "needs the address"),
            (["info", large], 11, "larger than 64 MiB"),
            (["info", huge], 11, "larger than 64 MiB"),
            (["info", link], 11, "larger than 64 MiB"),
            (["info", "/dev/zero"], 11, "no regular file"),
            (["info", good, "--key", huge], 11, "larger than 65536 bytes"),
            (["info", "/bin/sh"], 1, "not for 32-bit little-endian Arm"),
            (["info", good, "--key", not_a_key], 11, "no key in PEM"),
            (["convert", good, folder / "no" / "such.bin"], 11, "cannot be made"),
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
        assert sorted(path.name for path in folder.iterdir()) == ["empty", "good.hex", "huge.hex", "key.pem", "large", "link"]
        status, out, err = await run("herald-flash", "info", empty, "--json")
        told = json.loads(out)
        assert status == 1 and told["cause"] == "image" and told["result"] == "failed" and told["board_state"] == "untouched", told
        # Names are shown without effect on the terminal.
        status, out, err = await run("herald-flash", "info", folder / "\x1b[2J")
        assert status == 11 and "\x1b" not in err, err


IMGTOOL = ROOT / ".build" / "venv-smp" / "bin" / "imgtool"
PROGRAM = struct.pack("<II", 0x20010000, 0x201) + bytes(range(64)) * 512


async def made(folder, *words):
    """Runs a tool in a folder, which must succeed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, words), cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said, _ = await process.communicate()
    assert process.returncode == 0, (words, said.decode())


async def told(*words):
    """What herald-flash answers in JSON, with its exit status and what it says to people."""
    status, out, err = await run("herald-flash", *words, "--json")
    return status, json.loads(out), err


async def case_images_that_imgtool_encrypted_compressed_or_padded_are_told_as_such():
    """None of them is damaged; what cannot be checked is said, and what is not the program is never taken for it."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "p.bin").write_bytes(PROGRAM)
        for kind in ("ed25519", "x25519"):
            await made(folder, IMGTOOL, "keygen", "-k", f"{kind}.pem", "-t", kind)
        await made(folder, IMGTOOL, "getpub", "-k", "x25519.pem", "-e", "pem", "-o", "x.pub.pem")

        async def signed(name, *options):
            await made(folder, IMGTOOL, "sign", "--version", "1.2.3", "--header-size", "0x200", "--pad-header", "--slot-size", "0x40000", "--align", "4",
                       "-k", "ed25519.pem", *options, "p.bin", name)
            return folder / name

        unwrapped = folder / "program.bin"
        for name, options, hash_state, signature, hidden in [
            ("plain.bin", [], "right", "valid", None),
            ("encrypted.bin", ["-E", "x.pub.pem"], "unknown", "valid-for-hash", "encrypted"),
            ("encrypted256.bin", ["-E", "x.pub.pem", "--encrypt-keylen", "256"], "unknown", "valid-for-hash", "encrypted"),
            ("clear.bin", ["-E", "x.pub.pem", "--clear"], "right", "valid", None),
            ("compressed.bin", ["--compression", "lzma2"], "right", "valid", "compressed"),
            ("thumb.bin", ["--compression", "lzma2armthumb"], "right", "valid", "compressed"),
            ("both.bin", ["--compression", "lzma2", "-E", "x.pub.pem"], "unknown", "valid-for-hash", "compressed"),
            ("plain.hex", ["--hex-addr", "0xc000"], "right", "valid", None),
            ("encrypted.hex", ["-E", "x.pub.pem", "--hex-addr", "0xc000", "--confirm"], "unknown", "valid-for-hash", "encrypted"),
        ]:
            path = await signed(name, *options)
            status, found, err = await told("info", path, "--key", folder / "ed25519.pem")
            assert status == 0 and "damaged" not in err, (name, err)
            image = found["mcuboot"]
            assert (image["hash_state"], image["signature_state"]) == (hash_state, signature), (name, image)
            assert image["encrypted"] == ("-E" in options) and ("compression" in image) == ("--compression" in options), (name, image)
            status, _, err = await run("herald-flash", "convert", path, unwrapped, "--unwrap", "--force")
            if hidden:
                assert status == 1 and hidden in err and not unwrapped.exists(), (name, status, err)
            else:
                # For encryption imgtool fills the program up to 16 bytes with zeros, and signs it so.
                expected = PROGRAM + bytes(-(0x200 + len(PROGRAM)) % 16 if "-E" in options else 0)
                assert status == 0 and unwrapped.read_bytes() == expected, (name, status, err)
                unwrapped.unlink()
        # Trailers, in HEX as in binary.
        for words, is_confirmed in ((["--confirm"], True), (["--pad"], False), (["--test"], False), (["--confirm", "--max-align", "32", "--align", "32"], True)):
            for name, more in (("trailer.bin", []), ("trailer.hex", ["--hex-addr", "0xc000"])):
                path = await signed(name, *words, *more)
                status, found, err = await told("info", path, "--base", "0xc000", "--key", folder / "ed25519.pem")
                assert status == 0 and found["mcuboot"]["signature_state"] == "valid", (name, words, err)
                trailer = found["mcuboot"]["trailer"]
                assert trailer["address"] == 0xC000 + 0x40000 - 16 and trailer["confirmed"] == is_confirmed, (name, words, trailer)
                assert found["mcuboot"]["bytes_behind"] == 0
        # Other hashes, and signatures without one, are checked, and refused by one sentence before a device is looked for.
        for name, options in (("sha512.bin", ["--sha", "512"]), ("pure.bin", ["--pure"])):
            path = await signed(name, *options)
            status, found, err = await told("info", path, "--key", folder / "ed25519.pem")
            assert status == 0 and found["mcuboot"]["signature_state"] == "valid", (name, err)
            sentence = found["mcuboot"]["unsupported"]
            status, found, err = await told("write", path, "--board", "mcuboot", "--key", folder / "ed25519.pem", "--to", "smp:serial:/dev/nothing")
            assert status == 12 and found["what"] == f"the image {sentence}", (name, found, err)


async def case_images_are_signed_with_keys_as_openssl_writes_them():
    """Each form of a key signs an image that imgtool verifies; keys of other kinds are named."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "p.bin").write_bytes(PROGRAM)
        for words in (["ecparam", "-name", "prime256v1", "-genkey", "-out", "parameters.pem"], ["ec", "-in", "parameters.pem", "-out", "sec1.pem"],
                      ["ec", "-in", "sec1.pem", "-conv_form", "compressed", "-out", "compressed.pem"], ["ec", "-in", "sec1.pem", "-no_public", "-out", "bare.pem"],
                      ["pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-out", "pkcs8.pem"], ["genpkey", "-algorithm", "ed25519", "-out", "ed25519.pem"],
                      ["ec", "-in", "sec1.pem", "-pubout", "-conv_form", "compressed", "-out", "public.pem"],
                      ["ec", "-in", "sec1.pem", "-aes128", "-passout", "pass:word", "-out", "password.pem"],
                      ["pkcs8", "-topk8", "-in", "sec1.pem", "-passout", "pass:word", "-out", "password8.pem"],
                      ["ec", "-in", "sec1.pem", "-param_enc", "explicit", "-out", "explicit.pem"],
                      ["ecparam", "-name", "secp384r1", "-genkey", "-out", "p384.pem"], ["genpkey", "-algorithm", "RSA", "-out", "rsa.pem"],
                      ["genpkey", "-algorithm", "x25519", "-out", "x25519.pem"]):
            await made(folder, "openssl", *words)
        for key in ("parameters.pem", "sec1.pem", "compressed.pem", "bare.pem", "pkcs8.pem", "ed25519.pem"):
            image = folder / f"{key}.bin"
            status, _, err = await run("herald-flash", "convert", folder / "p.bin", image, "--base", "0", "--version", "1", "--key", folder / key)
            assert status == 0, (key, err)
            await made(folder, IMGTOOL, "verify", "-k", "ed25519.pem" if key.startswith("ed") else "pkcs8.pem", image)
        status, _, err = await run("herald-flash", "info", folder / "sec1.pem.bin", "--key", folder / "public.pem")
        assert status == 0, err
        for key, said in (("password.pem", "password"), ("password8.pem", "password"), ("explicit.pem", "name its curve"), ("p384.pem", "P-384"),
                          ("rsa.pem", "an RSA key"), ("x25519.pem", "X25519"), ("public.pem", "public key")):
            status, _, err = await run("herald-flash", "convert", folder / "p.bin", folder / "none.bin", "--base", "0", "--version", "1", "--key", folder / key)
            assert status in (1, 11) and said in err and not (folder / "none.bin").exists(), (key, status, err)


async def case_images_in_packages_of_others_are_refused_by_what_they_hold():
    """Zip archives of Python's zipfile in the forms of nrfutil, nRF Connect SDK and others; each answer names what is in them, and none is cut down."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        part = lambda name: {"bin_file": f"{name}.bin", "dat_file": f"{name}.dat"}
        cases = [
            ({"manifest": {"application": part("app"), "softdevice_bootloader": part("sd_bl")}}, ["app.bin", "app.dat", "sd_bl.bin", "sd_bl.dat"],
             "a SoftDevice with a boot loader and an application"),
            ({"manifest": {"bootloader": part("bl")}}, ["bl.bin", "bl.dat"], "holds a boot loader"),
            ({"format-version": 1, "files": [{"file": "app_update.bin", "image_index": "0"}, {"file": "net_core_app_update.bin", "image_index": "1"}], "name": "x"},
             ["app_update.bin", "net_core_app_update.bin"], "nRF Connect SDK with 2 images (app_update.bin, net_core_app_update.bin)"),
            (None, ["zephyr.signed.bin", "readme.txt"], "it holds zephyr.signed.bin, readme.txt"),
            ({"manifest": {"application": part("app")}}, ["app.bin", "app.dat", "other.bin"], "holds other.bin, which its manifest does not name"),
        ]
        for index, (manifest, names, said) in enumerate(cases):
            path = folder / f"{index}.zip"
            with zipfile.ZipFile(path, "w") as archive:
                if manifest:
                    archive.writestr("manifest.json", json.dumps(manifest))
                for name in names:
                    archive.writestr(name, b"content")
            for words in (["info", path], ["convert", path, folder / "out.hex", "--board", "nrf52840-dongle"],
                          ["write", path, "--board", "nrf52840-dongle", "--unsigned", "--to", "serial-dfu:/dev/nothing"]):
                status, _, err = await run("herald-flash", *words)
                assert status == 1 and said in err, (words, status, err)
        # 256 MiB of zeros in 256 KiB: it is not unpacked.
        with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("manifest.json", "w") as file:
                for _ in range(256):
                    file.write(bytes(1 << 20))
        status, _, err = await run("herald-flash", "info", folder / "bomb.zip")
        assert status == 1 and "manifest.json in the zip archive is compressed" in err, (status, err)
