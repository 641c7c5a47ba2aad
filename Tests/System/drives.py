"""Drives of boot loaders in the guest: a FAT image behind the kernel's own mass storage gadget, plugged into the kernel's own USB, and mounted."""

import contextlib
import subprocess
import threading
import time
from pathlib import Path

GADGETS = Path("/sys/kernel/config/usb_gadget")
CONTROLLER = "dummy_udc.0"
# Sectors of 512 bytes: the minimum of FAT16.
SECTORS = 16384
LOOK = 0.1
# Seconds to wait for the kernel.
PATIENCE = 300


def start():
    subprocess.check_call(["modprobe", "-a", "loop", "sd_mod", "dummy_hcd", "libcomposite", "usb_storage", "vfat", "nls_ascii", "nls_cp437"])
    if not GADGETS.exists():
        subprocess.check_call(["mount", "-t", "configfs", "none", "/sys/kernel/config"])


class Drive:
    """A board's drive, mounted at `path`: a context manager. `files` are its initial files, texts by name. When `is_enough(image)` is true of the medium, the board
    restarts and the drive disconnects; if `returns` is given, it reconnects with these files."""

    def __init__(self, folder, label, files, is_enough, returns=None):
        self.image, self.path = folder / f"{label}.img", folder / label
        self.label, self.files, self.is_enough, self.returns = label, files, is_enough, returns
        self.times_gone = 0
        self.programmed = b""
        self.is_over = threading.Event()

    def __enter__(self):
        self.path.mkdir()
        self.make(self.files)
        self.gadget = GADGETS / "drive"
        function = self.gadget / "functions" / "mass_storage.0"
        function.mkdir(parents=True)
        (self.gadget / "configs" / "c.1").mkdir(parents=True)
        (self.gadget / "idVendor").write_text("0x239a")
        (self.gadget / "idProduct").write_text("0x0029")
        self.medium = function / "lun.0" / "file"
        (function / "lun.0" / "removable").write_text("1")
        (self.gadget / "configs" / "c.1" / "mass_storage.0").symlink_to(function)
        self.plug_in()
        self.watch = threading.Thread(target=self.run, daemon=True)
        self.watch.start()
        return self

    def __exit__(self, *error):
        self.is_over.set()
        self.watch.join()
        self.unplug()
        (self.gadget / "configs" / "c.1" / "mass_storage.0").unlink()
        for part in ("configs/c.1", "functions/mass_storage.0", ""):
            (self.gadget / part).rmdir()

    def make(self, files):
        with open(self.image, "wb") as image:
            image.truncate(SECTORS * 512)
        subprocess.check_call(["mkfs.vfat", "-F16", "-s1", "-n", self.label, self.image], stdout=subprocess.DEVNULL)
        # Not at `path`, where a program that waits for the drive would find some of the files.
        folder = self.image.with_suffix(".files")
        folder.mkdir(exist_ok=True)
        subprocess.check_call(["mount", "-o", "loop", self.image, folder])
        for name, text in files.items():
            (folder / name).write_text(text)
        subprocess.check_call(["umount", folder])

    def plug_in(self):
        # The former disk is removed shortly after its disconnection, and the new one may get its name.
        deadline = time.monotonic() + PATIENCE
        while self.disks():
            assert time.monotonic() < deadline, "the kernel keeps the drive"
            time.sleep(LOOK)
        self.medium.write_text(str(self.image))
        (self.gadget / "UDC").write_text(CONTROLLER)
        while not (found := self.disks()):
            assert time.monotonic() < deadline, "the kernel sees no drive"
            time.sleep(LOOK)
        # Like a desktop environment.
        while subprocess.run(["mount", f"/dev/{found[0]}", self.path], stderr=subprocess.DEVNULL).returncode:
            assert time.monotonic() < deadline, "the drive cannot be mounted"
            time.sleep(LOOK)

    @staticmethod
    def disks():
        """The names of the disks of this size, of which there is at most one."""
        found = []
        for path in Path("/sys/block").glob("sd*"):
            # A disk may be removed meanwhile.
            with contextlib.suppress(OSError):
                if int((path / "size").read_text()) == SECTORS:
                    found.append(path.name)
        return found

    def unplug(self):
        if (self.gadget / "UDC").read_text().strip():
            (self.gadget / "UDC").write_text("\n")
        subprocess.run(["umount", "-l", self.path], stderr=subprocess.DEVNULL)
        self.medium.write_text("\n")

    def run(self):
        while not self.is_over.wait(LOOK):
            content = self.image.read_bytes()
            if not self.is_enough(content):
                continue
            self.programmed = content
            (self.gadget / "UDC").write_text("\n")
            self.times_gone += 1
            if not self.returns:
                return
            subprocess.run(["umount", "-l", self.path], check=True)
            self.medium.write_text("\n")
            self.make(self.files | self.returns(content))
            self.plug_in()
