#!/usr/bin/env python3
"""The interop suite. `suite.py` runs every case, `suite.py WORD…` those whose names contain one of the words, or whose module is one of them.

A case is a coroutine in one of the modules below whose name begins with `case_`; it takes nothing and fails by raising.
"""

import asyncio
import contextlib
import faulthandler
import importlib
import io
import logging
import multiprocessing
import signal
import sys
import time

import failure
import matrix
from node import program

# Those with the longest cases first.
MODULES = [
    "cases_states", "cases_exchange", "cases_phones", "cases_proxy", "cases_radio", "cases_reading", "cases_serving",
    "cases_payload", "cases_log", "cases_conversion", "cases_contacts", "cases_report", "cases_tables", "cases_fleet", "cases_capture", "cases_live", "cases_provision", "cases_hostile", "cases_battery", "cases_dock", "cases_efficacy", "cases_formats", "cases_archive", "cases_coverage",
    "cases_smp", "cases_flash", "cases_flash_probe", "cases_flash_lock", "cases_flash_dongle", "cases_flash_legacy", "cases_flash_recovery", "cases_flash_drive", "cases_flash_ways", "cases_images", "cases_signing", "cases_settings", "cases_sealed", "cases_owner_key", "cases_session", "cases_bluetooth_management", "cases_usb",
    "cases_disconnection", "cases_forged", "cases_boards", "cases_node", "cases_ward", "cases_neighbours", "cases_completion", "cases_conditions", "cases_words", "cases_output",
]
# The timeout of a case. Waits in a case have shorter timeouts with their own reports; this one applies to other hangs.
CASE_SECONDS = 900
# How many cases run at a time, each in its own process: they are independent, and mostly wait.
LANES = 3


def cases(words):
    """(name, coroutine function) of every case whose name contains a word, or whose module is one; of all if there are no words."""
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if name.startswith("case_"):
                readable = name[len("case_"):]
                if not words or any(word in readable or word == module for word in words):
                    yield readable, value


async def run_case(name, case):
    """Runs a case; returns its report, and whether it passed."""
    start = time.monotonic()
    said = io.StringIO()
    try:
        # The output of a case is printed with its result, separate from others; a process may be ended before it has written buffered output.
        with contextlib.redirect_stdout(said):
            async with asyncio.timeout(CASE_SECONDS):
                await case()
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        # A failed case must not end the others, nor the lane, for which the suite would wait indefinitely. Bumble cancels tasks that wait for a lost connection.
        why, more = failure.told(error)
        lines = [f"FAILED {name}: {why} after {time.monotonic() - start:.1f} s", *(f"    {line}" for line in more)]
        return "\n".join(lines) + "\n" + said.getvalue(), False
    return said.getvalue() + f"ok {name} ({time.monotonic() - start:.1f} s)\n", True


def matrices():
    """The tables of all modules."""
    return [table for name in MODULES for table in getattr(sys.modules.get(name), "MATRICES", [])]


def run_by_name(name):
    """Runs a case in this process: returns its report, whether it passed, and the cells it filled, table by table."""
    [case] = [case for found, case in cases([]) if found == name]
    for table in matrices():
        table.cells.clear()
    # A case that does not react to its timeout at least reports its position.
    faulthandler.dump_traceback_later(CASE_SECONDS + 60)
    try:
        said, passed = asyncio.run(run_case(name, case))
    finally:
        faulthandler.cancel_dump_traceback_later()
    return said, passed, [table.cells for table in matrices()]


def quietly():
    """Bumble's warnings about peers that disconnect are not relevant here."""
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def main():
    for name in ("herald-node", "herald-host", "herald-flash"):
        program(name)
    names = [name for name, _ in cases(sys.argv[1:])]
    outcomes = []
    with multiprocessing.get_context("spawn").Pool(LANES, quietly) as lanes:
        for said, passed, cells in lanes.imap_unordered(run_by_name, names):
            print(said, end="", flush=True)
            outcomes.append(passed)
            for table, filled in zip(matrices(), cells):
                table.cells.update(filled)
    matrix.report(matrices())
    passed = sum(outcomes)
    print(f"{passed} passed, {len(outcomes) - passed} failed")
    sys.exit(0 if outcomes and passed == len(outcomes) else 1)


if __name__ == "__main__":
    # Cases end programs by these. A shell in the background or nohup has them ignored, which programs inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    main()
