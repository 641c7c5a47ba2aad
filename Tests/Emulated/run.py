#!/usr/bin/env python3
"""Runs the tests of this folder, three modules at a time; with `-k WORD`, those whose names contain the word, one after the other."""

import logging
import queue
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from emulator import ROOT

HERE = Path(__file__).resolve().parent
# How many modules run at a time. On two cores, two wait for a fifth of the time for programs beside the emulator.
WORKERS = 3
# The modules that take longest are started first.
LONGEST = (
    "test_nrf52_radio", "test_boards", "test_update", "test_motion", "test_nrf52_bluetooth_management", "test_wearable", "test_power", "test_nrf52_supply",
    "test_nrf52_radio_usb", "test_air", "test_update_drive", "test_nrf52", "test_speed", "test_panel", "test_controller")


def run_module(name):
    """The output of a module's tests, whether they passed, and how many there were."""
    began = time.monotonic()
    process = subprocess.run([sys.executable, __file__, "--module", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    count = [line for line in process.stdout.splitlines() if line.startswith("Ran ")]
    return f"── {name}, {time.monotonic() - began:.0f} s\n{process.stdout}", process.returncode == 0, int(count[-1].split()[1]) if count else 0


def run_all():
    """Runs all modules. Returns the names of those that failed."""
    names = sorted((path.stem for path in HERE.glob("test_*.py")), key=lambda name: (LONGEST.index(name) if name in LONGEST else len(LONGEST), name))
    waiting, failed, counts, output = queue.SimpleQueue(), [], [], threading.Lock()
    for name in names:
        waiting.put(name)

    def work():
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                return
            text, has_passed, count = run_module(name)
            with output:
                print(text, flush=True)
                counts.append(count)
                if not has_passed:
                    failed.append(name)
    workers = [threading.Thread(target=work) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{sum(counts)} tests in {len(counts)} modules; failed: {', '.join(failed) or 'none'}")
    return failed


if __name__ == "__main__":
    # Bumble's warnings about commands unknown to its controllers are not relevant here.
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if sys.argv[1:2] == ["--module"]:
        unittest.main(module=None, argv=[sys.argv[0], "-v", *sys.argv[2:]])
    # Only figures of this run are kept.
    (ROOT / ".build" / "figures" / "emulated.json").unlink(missing_ok=True)
    if len(sys.argv) == 1:
        sys.exit(1 if run_all() else 0)
    unittest.main(module=None, argv=[sys.argv[0], "discover", "-v", "-s", str(HERE), *sys.argv[1:]])
