#!/usr/bin/env python3
"""The interop suite. `suite.py` runs every case, `suite.py WORD…` those whose names contain one of the words.

A case is a coroutine in one of the modules below whose name begins with `case_`; it takes nothing and fails by raising.
"""

import asyncio
import importlib
import logging
import sys
import time
import traceback

import matrix

# Those with the longest cases first.
MODULES = [
    "cases_states", "cases_exchange", "cases_phones", "cases_proxy", "cases_radio", "cases_reading", "cases_serving",
    "cases_payload", "cases_log", "cases_smp", "cases_node",
]
CASE_SECONDS = 180
# How many cases run at a time: they have nothing in common, and mostly wait.
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
    """Runs one; prints its line; whether it passed."""
    start = time.monotonic()
    try:
        async with asyncio.timeout(CASE_SECONDS):
            await case()
    except Exception as error:  # a failed case must not end the others
        place = traceback.extract_tb(error.__traceback__)
        where = next((f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in reversed(place) if "cases_" in f.filename), "")
        why = str(error) or type(error).__name__
        print(f"FAILED {name}: {why} ({where})", flush=True)
        return False
    print(f"ok {name} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


async def run_cases(chosen):
    """Runs cases, some at a time; whether each passed."""
    free = asyncio.Semaphore(LANES)

    async def run_when_free(name, case):
        async with free:
            return await run_case(name, case)

    return await asyncio.gather(*(run_when_free(name, case) for name, case in chosen))


def main():
    # What Bumble does not like about peers that leave is not what is tested here.
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    outcomes = asyncio.run(run_cases(list(cases(sys.argv[1:]))))
    matrix.report([table for name in MODULES for table in getattr(sys.modules.get(name), "MATRICES", [])])
    passed = sum(outcomes)
    print(f"{passed} passed, {len(outcomes) - passed} failed")
    sys.exit(0 if outcomes and passed == len(outcomes) else 1)


if __name__ == "__main__":
    main()
