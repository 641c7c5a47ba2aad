#!/usr/bin/env python3
"""Runs the tests of this folder, four modules at a time; with `-k WORD`, those whose names contain the word, one after the other."""

import gc
import importlib
import logging
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

from emulator import ROOT

HERE = Path(__file__).resolve().parent
# How many modules run at a time. On two cores, about half of them wait for programs beside the emulator, or for real time.
WORKERS = 4
# The modules that take longest are started first, and before them those that wait most.
LONGEST = (
    "test_update", "test_power", "test_nrf52_radio", "test_motion", "test_update_drive", "test_boards", "test_speed", "test_nrf52_bluetooth_management", "test_wearable",
    "test_air", "test_nrf52", "test_nrf52_supply", "test_nrf52_radio_usb", "test_panel", "test_controller", "test_settings", "test_faults", "test_link")


def run_module(name):
    """Runs the tests of a module in a process of its own, which has what this one has imported: there it ends the
    program. Returns its number and output."""
    output = tempfile.TemporaryFile("w+", errors="replace")
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process, output
    for descriptor in (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(output.fileno(), descriptor)
    run_tests(name)


def run_tests(*words):
    unittest.main(module=None, argv=[sys.argv[0], "-v", *words])


def run_all():
    """Runs all modules. Returns the names of those that failed."""
    names = sorted((path.stem for path in HERE.glob("test_*.py")), key=lambda name: (LONGEST.index(name) if name in LONGEST else len(LONGEST), name))
    # What most of the modules import takes a second.
    importlib.import_module("nrf52.own_radio")
    gc.freeze()
    running, failed, counts = {}, [], []
    while names or running:
        while names and len(running) < WORKERS:
            name, began = names.pop(0), time.monotonic()
            process, output = run_module(name)
            running[process] = name, began, output
        process, status, used = os.wait3(0)
        name, began, output = running.pop(process)
        output.seek(0)
        text = output.read()
        output.close()
        count = [line for line in text.splitlines() if line.startswith("Ran ")]
        counts.append(int(count[-1].split()[1]) if count else 0)
        print(f"── {name}, {time.monotonic() - began:.0f} s, of the processor {used.ru_utime + used.ru_stime:.0f} s\n{text}", flush=True)
        if status:
            failed.append(name)
    print(f"{sum(counts)} tests in {len(counts)} modules; failed: {', '.join(failed) or 'none'}")
    return failed


if __name__ == "__main__":
    # Bumble's warnings about commands unknown to its controllers are not relevant here.
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if sys.argv[1:2] == ["--module"]:
        run_tests(*sys.argv[2:])
    # Only figures of this run are kept.
    (ROOT / ".build" / "figures" / "emulated.json").unlink(missing_ok=True)
    if len(sys.argv) == 1:
        sys.exit(1 if run_all() else 0)
    unittest.main(module=None, argv=[sys.argv[0], "discover", "-v", "-s", str(HERE), *sys.argv[1:]])
