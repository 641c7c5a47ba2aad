"""Debian's kernel for the guest: fetched as a package, not installed; and the initial file system that mounts this machine's files."""

import gzip
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build" / "system"
GUEST = Path(__file__).resolve().parent / "guest"
# The modules that the guest needs before it mounts its root file system: this machine's over 9P, below an overlay in memory.
FIRST = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]
XZ = b"\xfd7zXZ\0"


class Unavailable(Exception):
    """A package is not available."""


def package():
    """The name of the package of Debian's present kernel, which a package without content depends on."""
    said = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True).stdout
    if not (found := re.search(r"Depends: (linux-image-\S+)", said)):
        raise Unavailable("Debian's package linux-image-amd64 is not in the package lists")
    return found[1]


class Kernel:
    """A kernel, unpacked: `image` is what QEMU starts, `folder` has `lib/modules`, `initramfs` is the first file system."""

    def __init__(self):
        name = package()
        self.version = name.removeprefix("linux-image-")
        self.folder = FOLDER / name
        self.image = self.folder / "vmlinux"
        self.initramfs = FOLDER / "initramfs.gz"
        if not self.image.exists():
            self.unpack(name)
        self.pack()

    def unpack(self, name):
        # Under another name first, so that the final name implies a complete file.
        new = FOLDER / "new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        fetched = subprocess.run(
            ["apt-get", "-o", "APT::Sandbox::User=root", "download", name], cwd=new, capture_output=True, text=True)
        if fetched.returncode:
            raise Unavailable(f"Debian's package {name} cannot be fetched: {fetched.stderr.strip()}")
        [archive] = new.glob("*.deb")
        subprocess.check_call(["dpkg-deb", "-x", archive, new])
        archive.unlink()
        (new / "vmlinux").write_bytes(self.uncompressed((new / "boot" / f"vmlinuz-{self.version}").read_bytes()))
        # The package's script, which makes this file, is not run.
        subprocess.check_call(["depmod", "-b", new, self.version])
        new.rename(self.folder)

    @staticmethod
    def uncompressed(image):
        """The kernel as an ELF file, which QEMU starts directly, without BIOS and without decompression in the guest."""
        start = image.find(XZ)
        while start >= 0:
            try:
                found = lzma.LZMADecompressor().decompress(image[start:])
                if found.startswith(b"\x7fELF"):
                    return found
            except lzma.LZMAError:
                pass
            start = image.find(XZ, start + 1)
        raise Unavailable("the kernel's image is not what it was: there is no xz stream with an ELF file in it")

    def modules(self):
        """The files of the first modules and of what they need, in the order in which they are loaded."""
        files = []
        for name in FIRST:
            said = subprocess.check_output(
                ["modprobe", "-d", self.folder, "-S", self.version, "--show-depends", name], text=True)
            files += [Path(line.split()[1]) for line in said.splitlines() if line.startswith("insmod")]
        return list(dict.fromkeys(files))

    def pack(self):
        content = FOLDER / "initramfs"
        shutil.rmtree(content, ignore_errors=True)
        folders = ["bin", "modules", *(f"mount/{name}" for name in (
            "proc", "sysfs", "devtmpfs", "root", "memory", "new", "kernel"))]
        for name in folders:
            (content / name).mkdir(parents=True)
        shutil.copy(shutil.which("busybox"), content / "bin" / "busybox")
        shutil.copy(GUEST / "init", content / "init")
        (content / "init").chmod(0o755)
        files = self.modules()
        for file in files:
            shutil.copy(file, content / "modules")
        (content / "modules" / "order").write_text("".join(f"{file.name}\n" for file in files))
        names = "".join(f"{os.path.relpath(path, content)}\n" for path in sorted(content.rglob("*")))
        packed = subprocess.run(
            ["cpio", "-o", "-H", "newc", "--quiet"], cwd=content, input=names.encode(), stdout=subprocess.PIPE, check=True)
        self.initramfs.write_bytes(gzip.compress(packed.stdout, 1))
