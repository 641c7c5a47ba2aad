"""A minimal Debian root with the packages installed, without compilers and without Swift."""
import os, shutil, subprocess
from pathlib import Path


class CleanRoot:
    """A root made by debootstrap; programs run in it by chroot, with the folders of the host that are bound into it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bound = []

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        site = subprocess.check_output(["apt-get", "indextargets", "--format", "$(SITE)"], text=True).splitlines()[0]
        release = next(line.split("=")[1].strip() for line in Path("/etc/os-release").read_text().splitlines() if line.startswith("VERSION_CODENAME"))
        subprocess.run(["debootstrap", "--variant=minbase", release, self.folder, site], check=True, stdout=subprocess.DEVNULL)
        # The host's settings of apt, such as a mirror's address, apply in the root, too.
        for path in [*Path("/etc/apt/apt.conf.d").glob("*"), Path("/etc/resolv.conf"), Path("/etc/hosts")]:
            if path.is_file():
                shutil.copy(path, self.folder / path.relative_to("/"))
        for place in ("/dev", "/proc"):
            self.bind(place)
        return self

    def __exit__(self, *_):
        for place in reversed(self.bound):
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def bind(self, place):
        """Makes a folder of the host visible at the same path in the root."""
        target = self.folder / Path(place).relative_to("/")
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--rbind", place, target], check=True)
        subprocess.run(["mount", "--make-rslave", target], check=True)
        self.bound.append(target)

    def run(self, *words, **options):
        """Runs a program in the root; returns what it did."""
        return subprocess.run(["chroot", self.folder, *map(str, words)], capture_output=True, text=True, env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}, **options)

    def install(self, packages):
        """Installs package files with their dependencies."""
        (self.folder / "packages").mkdir(exist_ok=True)
        for package in packages:
            shutil.copy(package, self.folder / "packages")
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *[f"/packages/{package.name}" for package in packages]]):
            done = self.run("apt-get", *words)
            if done.returncode:
                raise RuntimeError(f"apt-get {words[0]} failed in the clean root:\n{done.stdout}{done.stderr}")

    def wrappers(self, folder, programs):
        """Scripts in a folder of the host that run programs of the root; the folder takes the place of a build folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for program in programs:
            path = Path(folder) / program
            path.write_text(f'#!/bin/sh\nexec chroot {self.folder} /usr/bin/{program} "$@"\n')
            path.chmod(0o755)
        return folder
