#!/usr/bin/env python3
"""Runs the tests of this folder in a Debian kernel, each file of tests in a separate virtual machine, two of them at a time. With words, only the tests whose
names contain one of them."""

import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kernel import GUEST, ROOT, Kernel, Unavailable

HERE = Path(__file__).resolve().parent
# Seconds.
LIMIT = 3000
# Within how many seconds the tests of a guest have to begin, and how long it may write nothing after that; how often it is started if it does not hold this. Kernels have
# hung at their start, without a word or with reports of a stalled processor, for as long as they were left. Usually the tests begin after less than 30 s, and none takes
# longer than 300 s.
BOOT, SILENCE, STARTS = 300, 600, 3
# What a guest writes when its tests begin.
BEGIN = "the tests begin"
# The number of virtual machines at a time.
MACHINES = 2


def share(tag, path, *options):
    words = ",".join(["local", f"path={path}", f"mount_tag={tag}", f"id={tag}", "security_model=none", "multidevs=remap", *options])
    return ["-virtfs", words]


def keep_figures(folder):
    """Merges the figures that the guest wrote, one file for each subject, with existing ones."""
    for path in folder.glob("*.json"):
        kept = ROOT / ".build" / "figures" / path.name
        kept.parent.mkdir(parents=True, exist_ok=True)
        figures = json.loads(kept.read_text()) if kept.exists() else {}
        kept.write_text(json.dumps(figures | json.loads(path.read_text()), indent=2, sort_keys=True) + "\n")


def output_of(arguments, name):
    """The output of a guest. One whose tests do not begin, or that hangs, is started again."""
    for _ in range(STARTS):
        guest = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        said, deadline = b"", time.monotonic() + BOOT
        while select.select([guest.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            part = os.read(guest.stdout.fileno(), 1 << 16)
            if not part:
                guest.wait()
                return said.decode(errors="replace")
            said += part
            if BEGIN.encode() in said:
                deadline = time.monotonic() + SILENCE
        print(f"{name}: the guest hangs; it has written:\n{said.decode(errors='replace')[-2000:]}", file=sys.stderr)
        # `timeout` passes it on.
        guest.terminate()
        guest.communicate()
    return ""


def run(kernel, name, words):
    """Runs the tests in the file `name`; whether all of them passed. Their output is printed at their end, because another virtual machine runs concurrently."""
    job = Path(tempfile.mkdtemp(prefix="herald-system-"))
    try:
        shutil.copy(GUEST / "start", job / "start")
        command = [str(ROOT / ".build" / "venv-system" / "bin" / "python"), "-B", str(HERE / f"{name}.py"), "-v"]
        for word in words:
            command += ["-k", word]
        settings = {"HERALD_BIN": os.environ.get("HERALD_BIN", str(ROOT / ".build" / "debug")), "PYTHONUNBUFFERED": "1"}
        lines = [f"export {key}={shlex.quote(value)}" for key, value in settings.items()]
        (job / "run").write_text("\n".join([*lines, f"echo {BEGIN}", f"cd {shlex.quote(str(HERE))}", shlex.join(command) + " 2>&1"]) + "\n")
        arguments = [
            # The timeout of a guest.
            "timeout", str(LIMIT), "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-M", "q35,usb=off,vmport=off", "-m", "1024", "-smp", "2",
            "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio", "-monitor", "none", "-device", "virtio-rng-pci",
            "-kernel", str(kernel.image), "-initrd", str(kernel.initramfs),
            # Some of the kernel's self-tests of ciphers fail on this processor; no test requires these ciphers. On a busy machine a guest's timer is too late for
            # the kernel's check of it.
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off cryptomgr.notests=1 random.trust_bootloader=on no_timer_check",
            *share("root", "/", "readonly=on"), *share("kernel", kernel.folder, "readonly=on"), *share("job", job)]
        started = time.monotonic()
        said = output_of(arguments, name)
        lines = "\n".join(line.rstrip() for line in said.splitlines())
        print(f"── {name}: {time.monotonic() - started:.0f} s\n{lines}", flush=True)
        status = job / "status"
        if not status.exists() or not (text := status.read_text().strip()):
            print(f"{name}: the guest ended without saying how the tests went", file=sys.stderr)
            return False
        keep_figures(job / "figures")
        return text == "0"
    finally:
        shutil.rmtree(job)


def main():
    words = sys.argv[1:]
    try:
        kernel = Kernel()
    except Unavailable as error:
        print(f"system tests are left out: {error}")
        return 0
    # The longest file begins first; the others run concurrently.
    names = [path.stem for path in sorted(HERE.glob("test_*.py"), key=lambda path: -path.stat().st_size)]
    with ThreadPoolExecutor(MACHINES) as pool:
        passed = list(pool.map(lambda name: run(kernel, name, words), names))
    failed = [name for name, has_passed in zip(names, passed) if not has_passed]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
