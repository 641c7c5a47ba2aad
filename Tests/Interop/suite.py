#!/usr/bin/env python3
"""The interop suite. `suite.py` runs every case, `suite.py WORD…` those whose names contain one of the words.

A case is a coroutine in one of the modules below whose name begins with `case_`; it takes nothing and fails by raising.
"""

import asyncio
import importlib
import logging
import multiprocessing
import sys
import time
import traceback

import matrix
from node import program

# Those with the longest cases first.
MODULES = [
    "cases_states", "cases_exchange", "cases_phones", "cases_proxy", "cases_radio", "cases_reading", "cases_serving",
    "cases_payload", "cases_log", "cases_archive", "cases_report", "cases_fleet", "cases_capture", "cases_live", "cases_provision", "cases_hostile",
    "cases_smp", "cases_flash", "cases_flash_probe", "cases_flash_dongle", "cases_flash_legacy", "cases_flash_recovery", "cases_flash_drive", "cases_flash_ways", "cases_images", "cases_settings", "cases_usb",
    "cases_cable", "cases_boards", "cases_node", "cases_neighbours", "cases_completion",
]
CASE_SECONDS = 180
# How many cases run at a time, each in a process: they have nothing in common, and mostly wait.
LANES = 3


def cases(words):
    """(name, coroutine function) of every case whose name contains a word; of all if there are no words."""
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if name.startswith("case_"):
                readable = name[len("case_"):]
                if not words or any(word in readable for word in words):
                    yield readable, value


async def run_case(name, case):
    """Runs one; the line about it, and whether it passed."""
    start = time.monotonic()
    try:
        async with asyncio.timeout(CASE_SECONDS):
            await case()
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        # A failed case must not end the others, nor the lane, for which the suite would wait for ever. Bumble cancels who waits for a connection
        # that is lost.
        place = traceback.extract_tb(error.__traceback__)
        where = next((f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in reversed(place) if "cases_" in f.filename), "")
        why = str(error) or type(error).__name__
        return f"FAILED {name}: {why} ({where})", False
    return f"ok {name} ({time.monotonic() - start:.1f} s)", True


def matrices():
    """The tables of all modules."""
    return [table for name in MODULES for table in getattr(sys.modules.get(name), "MATRICES", [])]


def run_by_name(name):
    """Runs a case in this process: the line about it, whether it passed, and the cells it filled, table by table."""
    [case] = [case for found, case in cases([]) if found == name]
    for table in matrices():
        table.cells.clear()
    line, passed = asyncio.run(run_case(name, case))
    return line, passed, [table.cells for table in matrices()]


def quietly():
    """What Bumble does not like about peers that leave is not what is tested here."""
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def main():
    for name in ("herald-node", "herald-host", "herald-flash"):
        program(name)
    names = [name for name, _ in cases(sys.argv[1:])]
    outcomes = []
    with multiprocessing.get_context("spawn").Pool(LANES, quietly) as lanes:
        for line, passed, cells in lanes.imap_unordered(run_by_name, names):
            print(line, flush=True)
            outcomes.append(passed)
            for table, filled in zip(matrices(), cells):
                table.cells.update(filled)
    matrix.report(matrices())
    passed = sum(outcomes)
    print(f"{passed} passed, {len(outcomes) - passed} failed")
    sys.exit(0 if outcomes and passed == len(outcomes) else 1)


if __name__ == "__main__":
    main()
