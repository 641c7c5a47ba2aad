#!/usr/bin/env bash
# Expected: after firmware_update of mcumgr-toolkit has returned without an error, the uploaded image is marked to be
#   started: the tool knows its hash, and MCUmgr's documentation marks the hash of an image state as optional.
# Seen: if the running image (slot 0) has no hash, the image is uploaded and never activated: no state is written, nothing
#   is reported, and the call returns as after a success. With a hash of slot 0, whatever its value, the state is written.
# Versions: mcumgr-toolkit 0.20.0 with cbor2 5.7.1, Python 3.11.
# Why it matters here: a device whose firmware is no MCUboot image (a simulator, a board without a boot loader of this
#   kind) has no hash to report. Its updates seem to succeed, and it goes on running what it ran.
# The device is a server of 40 lines on a pseudo terminal, which answers as MCUmgr's documentation says. Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install mcumgr-toolkit==0.20.0 cbor2==5.7.1
"$folder/venv/bin/python" - <<'PROGRAM'
import base64, binascii, hashlib, os, signal, struct, sys, tty
from importlib.metadata import version
import cbor2
from mcumgr_toolkit import MCUmgrClient


def image():
    """An image of version 1.2.3 with the list that MCUboot requires: its SHA-256."""
    body = struct.pack("<IIHHIIBBHII", 0x96F3B83D, 0, 32, 0, 1000, 0, 1, 2, 3, 0, 0) + bytes(1000)
    digest = hashlib.sha256(body).digest()
    return body + struct.pack("<HHHH", 0x6907, 40, 0x10, 32) + digest, digest


class Device:
    """Slot 0 runs version 1.0.0, with `hash` or without; slot 1 takes an image. In a process of its own, as the client
    keeps the interpreter's lock while it waits."""

    def __init__(self, file, hash):
        self.file, self.hash, self.slot, self.is_planned = file, hash, b"", False

    def answer(self, write, group, command, request):
        if (group, command) == (0, 6):
            return {"buf_size": 512, "buf_count": 1}
        if (group, command) == (1, 1):
            self.slot = self.slot[:request["off"]] + request["data"]
            return {"off": len(self.slot)}
        if (group, command) != (1, 0):
            return {"rc": 8}
        if write:
            self.is_planned = True
        images = [{"slot": 0, "version": "1.0.0", "bootable": True, "confirmed": True, "active": True}]
        if self.hash:
            images[0]["hash"] = self.hash
        if self.slot:
            images.append({"slot": 1, "version": "1.2.3", "hash": image()[1], "bootable": True, "pending": self.is_planned})
        return {"images": images, "splitStatus": 0}

    def run(self):
        text = b""
        while line := os.read(self.file, 4096):
            text += line
            while b"\n" in text:
                frame, text = text.split(b"\n", 1)
                packet = (b"" if frame[:2] == b"\x06\x09" else packet) + base64.b64decode(frame[2:])
                if len(packet) < 2 + struct.unpack(">H", packet[:2])[0]:
                    continue
                head = packet[2:10]
                request = cbor2.loads(packet[10:-2]) if len(packet) > 12 else {}
                group, command = struct.unpack(">H", head[4:6])[0], head[7]
                body = cbor2.dumps(self.answer(head[0] & 2, group, command, request))
                reply = struct.pack(">BBHHBB", head[0] & 0xF8 | head[0] & 7 | 1, 0, len(body), group, head[6], command) + body
                reply += struct.pack(">H", binascii.crc_hqx(reply, 0))
                reply = struct.pack(">H", len(reply)) + reply
                for start in range(0, len(reply), 90):
                    os.write(self.file, (b"\x04\x14" if start else b"\x06\x09") + base64.b64encode(reply[start:start + 90]) + b"\n")


print("mcumgr-toolkit", version("mcumgr-toolkit"))
activated = {}
for name, hash in (("without a hash of slot 0", None), ("with a hash of slot 0", bytes(32))):
    near, far = os.openpty()
    tty.setraw(far)
    child = os.fork()
    if child == 0:
        Device(near, hash).run()
        os._exit(0)
    client = MCUmgrClient.serial(os.ttyname(far), 115200, 3000)
    returned = client.firmware_update(image()[0], bootloader_type="MCUboot", skip_reboot=True)
    uploaded = client.image_get_state()[1]
    activated[name] = uploaded.pending
    print(f"{name}: returned {returned}; slot 1: version {uploaded.version}, pending {uploaded.pending}", flush=True)
    os.kill(child, signal.SIGKILL)
if activated != {"without a hash of slot 0": False, "with a hash of slot 0": True}:
    sys.exit("the behaviour has changed")
PROGRAM
