"""herald-flash over SMP with a device, interrupted at every point."""

import asyncio
import contextlib
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

from cases_smp import PROGRAMS
from cases_smp import run as run_tool
from node import PATIENCE, ROOT, program, run
from world import World

sys.path.insert(0, str(ROOT / "Tests" / "Flash"))
from recovery import Recovery


async def signed_image(folder, size=5000, version="2.0.0"):
    """An image by imgtool with arbitrary contents."""
    content, image = folder / "content.bin", folder / f"image-{version}.bin"
    content.write_bytes(random.Random(size).randbytes(size))
    status, said = await run_tool(
        PROGRAMS / "imgtool", "sign", "--version", version, "--header-size", "0x20", "--pad-header", "--align", "4",
        "--slot-size", "0x40000", content, image)
    assert status == 0, said
    return image


def unsigned(arguments):
    """The option for a `write` of an image without a signature."""
    return ["--unsigned"] if arguments[0] == "write" else []


async def flash(*arguments):
    """Runs herald-flash with --json; returns its status and output. Images are builds of a developer; cases_signing.py has those with signatures."""
    status, out, err = await run("herald-flash", *arguments, *unsigned(arguments), "--json")
    return status, json.loads(out) if out else None, err


class InterruptingLine:
    """A TCP proxy of a device that forwards a number of packets to it and then disconnects, with or without the last response. If it `stalls`, it forwards nothing
    more and stays connected."""

    def __init__(self, place):
        self.host, port = place.rsplit(":", 1)
        self.target = int(port)
        self.packets = None
        self.carries_last = True
        self.stalls = False
        self.stalled = asyncio.Event()
        self.carried = 0

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        port = self.server.sockets[0].getsockname()[1]
        return f"smp:serial:tcp:127.0.0.1:{port}"

    async def serve(self, reader, writer):
        device_reader, device_writer = await asyncio.open_connection(self.host, self.target)
        self.carried = 0

        async def back():
            with contextlib.suppress(ConnectionError):
                while data := await device_reader.read(4096):
                    writer.write(data)
            writer.close()

        answers = asyncio.create_task(back())
        try:
            while line := await reader.readline():
                # 06 09 begins a packet, 04 14 continues with it.
                if line.startswith(b"\x06\x09"):
                    if self.packets is not None and self.carried == self.packets:
                        if self.stalls:
                            self.stalled.set()
                            continue
                        break
                    self.carried += 1
                if self.carried == self.packets and not self.carries_last:
                    break
                device_writer.write(line)
                await device_writer.drain()
        except ConnectionError:
            pass
        if self.packets is not None and self.carries_last:
            await asyncio.sleep(0.02)
        answers.cancel()
        device_writer.close()
        writer.close()


async def case_flash_writes_an_image_over_smp():
    """An image signed by imgtool is uploaded, verified with imgtool again, and marked to be started; invalid requests fail with their status."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        place = f"smp:{node.link}"
        image = await signed_image(world.folder)
        slot = world.folder / "storage" / "image.slot"

        status, found, err = await flash("write", image, "--to", place, "--yes", "--no-reset")
        assert status == 0, err
        assert found["verified"] and not found["started"] and found["board"] == "mcuboot", found
        assert found["sha256"] == hashlib.sha256(image.read_bytes()).hexdigest()
        assert slot.read_bytes() == image.read_bytes()
        status, said = await run_tool(PROGRAMS / "imgtool", "verify", slot)
        assert status == 0 and "2.0.0" in said, said

        # The image is present already: nothing is sent, with the same result.
        before = slot.stat().st_mtime_ns
        status, found, err = await flash("write", image, "--to", place, "--yes", "--no-reset")
        assert status == 0 and found["verified"] and slot.stat().st_mtime_ns == before, err
        status, found, err = await flash("verify", image, "--to", place)
        assert status == 0 and found["result"] == "same", err

        # Another image is rejected while the first is marked to be started, and the device reports the reason.
        other = await signed_image(world.folder, 600, "3.0.0")
        status, found, err = await flash("write", other, "--to", place, "--yes")
        assert status == 9 and "is to be started next" in found["what"] and found["board_state"] == "beside", (status, found)
        status, found, err = await flash("verify", other, "--to", place)
        assert status == 14 and found["cause"] == "different", (status, found)

        # A file that is not an MCUboot image, is damaged, or does not fit, is rejected before anything is sent.
        status, found, err = await flash("write", world.folder / "content.bin", "--base", "0", "--to", place, "--yes")
        assert status == 12 and found["board_state"] == "untouched", (status, found)
        damaged = world.folder / "damaged.bin"
        content = bytearray(image.read_bytes())
        content[100] ^= 1
        damaged.write_bytes(content)
        status, found, err = await flash("write", damaged, "--to", place, "--yes")
        assert status == 12 and "SHA-256" in found["what"], (status, found)
        status, found, err = await flash("write", image, "--to", place, "--yes", "--board", "nrf52840dk")
        assert status == 12, (status, found)
        status, found, err = await flash("write", image, "--to", place)
        assert status == 16 and "not confirmed" in found["what"], (status, found)
        status, found, err = await flash("erase", "--to", place, "--yes", "--all")
        assert status == 15, (status, found)
        status, found, err = await flash("write", image, "--to", "smp:serial:tcp:127.0.0.1:1", "--yes")
        assert status == 6 and found["board_state"] == "untouched", (status, found)

        # Confirmed and restarted: herald-node starts no image, so that the running image is unchanged.
        status, found, err = await flash("confirm", "--to", place)
        assert status == 0, err
        status, found, err = await flash("confirm", image, "--to", place)
        assert status == 14 and "another image" in found["what"], (status, found)
        status, found, err = await flash("reset", "--to", place)
        assert status == 0, err


async def case_flash_lists_devices_that_take_images():
    """A device of a USB/IP server is found with its slots; two of them need a choice, and both are named."""
    async with World() as world:
        first = await world.node("--usbip", "0")
        second = await world.another_node(2, "--usbip", "0")
        servers = [node.usbip.removeprefix("usbip://").split("/")[0] for node in (first, second)]
        status, found, err = await flash("list", "--usbip", servers[0])
        assert status == 0 and [board["location"] for board in found["devices"]] == [f"smp:{first.usbip}"], (found, err)
        [board] = found["devices"]
        assert board["boards"] == ["mcuboot"] and board["usable"] and "slot 0" in board["details"], board
        image = await signed_image(world.folder)
        both = ["--usbip", servers[0], "--usbip", servers[1]]
        status, found, err = await flash("write", image, "--yes", *both)
        assert status == 3 and first.usbip in found["what"] and second.usbip in found["what"], (status, found)
        assert not (world.folder / "storage" / "image.slot").read_bytes()
        status, found, err = await flash("write", image, "--yes", "--no-reset", "--usbip", servers[1])
        assert status == 0 and found["location"] == f"smp:{second.usbip}", (status, found, err)
        assert (world.folder / "storage-2" / "image.slot").read_bytes() == image.read_bytes()
        status, found, err = await flash("write", image, "--yes", *both, "--via", "probe")
        assert status == 2, (status, found)


async def case_flash_goes_on_after_every_cut():
    """Cut off at each packet, with and without its response, an upload continues where it was, and the image is whole."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        line = InterruptingLine(node.link.removeprefix("serial:tcp:"))
        place = await line.start()
        direct = f"smp:{node.link}"
        slot = world.folder / "storage" / "image.slot"
        image = await signed_image(world.folder, 3000)
        whole = image.read_bytes()
        status, found, err = await flash("write", image, "--to", place, "--yes", "--no-reset")
        assert status == 0, (found, err)
        packets = line.carried
        assert packets > 12, packets
        for carries_last in (True, False):
            for cut in range(1, packets + 1):
                # Like a device that has started the image.
                os.truncate(slot, 0)
                slot.with_name("image.slot.plan").unlink(missing_ok=True)
                line.packets, line.carries_last = cut, carries_last
                status, found, err = await flash("write", image, "--to", place, "--yes", "--no-reset", "--timeout", "0.5")
                held = slot.read_bytes()
                assert whole.startswith(held), (cut, "the slot holds something else")
                if status != 0:
                    assert status in (6, 7), (cut, status, found)
                    assert found["board_state"] in ("untouched", "beside", "unverified"), (cut, found)
                    assert found["board_state"] != "untouched" or not held, (cut, found)
                    assert "herald-flash write" in found["advice"] or found["advice"], found
                line.packets = None
                status, found, err = await flash("write", image, "--to", direct, "--yes", "--no-reset")
                assert status == 0 and found["verified"], (cut, status, found, err)
                assert slot.read_bytes() == whole, cut
        line.server.close()


async def case_flash_interrupted_says_what_the_board_holds():
    """^C in the middle of an upload: the state of the board, and the command that continues."""
    async with World() as world:
        node = await world.node("--link", "tcp:0")
        line = InterruptingLine(node.link.removeprefix("serial:tcp:"))
        place = await line.start()
        image = await signed_image(world.folder)
        words = ["write", str(image), "--to", place, "--yes", "--unsigned", "--timeout", "60"]
        line.packets, line.stalls = 14, True
        process = await asyncio.create_subprocess_exec(
            program("herald-flash"), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        async with asyncio.timeout(2 * PATIENCE):
            await line.stalled.wait()
            process.send_signal(signal.SIGINT)
            _, err = await process.communicate()
        assert process.returncode == 130, (process.returncode, err)
        assert b"interrupted" in err and b"runs on" in err and f"herald-flash {' '.join(words)}".encode() in err, err
        held = (world.folder / "storage" / "image.slot").read_bytes()
        assert held and image.read_bytes().startswith(held) and held != image.read_bytes(), len(held)
        line.server.close()


async def case_flash_writes_through_mcuboots_recovery():
    """Recovery gets an image that herald-flash signed, with or without reporting hashes, and starts it; interrupted data is sent again."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        plain, key, image = folder / "plain.bin", folder / "key.pem", folder / "image.bin"
        plain.write_bytes(random.Random(5).randbytes(3000))
        status, said = await run_tool(PROGRAMS / "imgtool", "keygen", "-k", key, "-t", "ed25519")
        assert status == 0, said
        status, _, err = await flash("convert", plain, image, "--base", "0", "--version", "1.2.3+4", "--key", key)
        assert status == 0, err
        whole = image.read_bytes()
        for tells_hash in (True, False):
            with Recovery(tells_hash=tells_hash) as recovery:
                status, found, err = await flash("write", image, "--to", f"smp:serial:{recovery.path}", "--yes")
                assert status == 0 and found["verified"] == tells_hash and found["started"], (found, err)
                assert recovery.slot.data[:len(whole)] == whole and recovery.is_running
                packets = recovery.packets
        assert packets > 10, packets
        for cut in range(packets):
            with Recovery(vanish_after=cut) as recovery:
                status, found, err = await flash("write", image, "--to", f"smp:serial:{recovery.path}", "--yes", "--timeout", "0.5")
                assert status in (6, 7) and found["advice"], (cut, found, err)
                begun = recovery.slot.data[:1] != b"\xFF"
                assert found["board_state"] != "untouched" or not begun, (cut, found)
                recovery.plug_in()
                status, found, err = await flash("write", image, "--to", f"smp:serial:{recovery.path}", "--yes")
                assert status == 0 and recovery.slot.data[:len(whole)] == whole and recovery.is_running, (cut, found, err)
