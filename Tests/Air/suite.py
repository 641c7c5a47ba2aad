"""Runs the cases on the medium and writes the figures; with words, only the cases whose names contain one of them, or whose module is one.

Each case prints `ok NAME` with its figures, or `FAILED NAME: why`. Two cases run at a time. The exit status is 1 if a case failed or
if there was a breach.
"""

import concurrent.futures
import json
import multiprocessing
import signal
import sys
import time

import cases_central
import cases_controller
import cases_devices
import cases_load
import cases_wearable
from case import ROOT, Case

# The longest come first.
MODULES = [cases_wearable, cases_load, cases_central, cases_devices, cases_controller]
CASES = {case.__name__: case for module in MODULES for case in module.CASES}
TIME_LIMIT = 600
FIGURES = ROOT / ".build/figures/air.json"


def run(name):
    """Runs a case in a process of its own. Returns the case and why it failed, or None."""
    def expired(_, __):
        raise TimeoutError(f"not finished after {TIME_LIMIT} s")
    signal.signal(signal.SIGALRM, expired)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.alarm(TIME_LIMIT)
    case, began, failure = Case(name), time.monotonic(), None
    try:
        CASES[name](case)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    signal.alarm(0)
    # Large, and of no use to the other process.
    case.judged = None
    if case.breaches:
        failure = f"{len(case.breaches)} breaches" + (f"; {failure}" if failure else "")
    return case, failure, time.monotonic() - began


def main(words):
    names = [name for name, case in CASES.items() if not words or any(word in name or word == case.__module__ for word in words)]
    answers = max_error = breaches = failed = 0
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run, name) for name in names]):
            case, failure, seconds = future.result()
            figures = f"{case.packets} packets, {case.answers} answers, T_IFS ±{case.max_error} µs, {seconds:.1f} s"
            print(f"FAILED {case.name}: {failure}; {figures}" if failure else f"ok {case.name}: {figures}", flush=True)
            for start, what in case.breaches[:10]:
                print(f"  {start / 1e6:.6f} {what}")
            for note in case.notes:
                print(f"  {note}")
            answers, breaches = answers + case.answers, breaches + len(case.breaches)
            max_error, failed = max(max_error, case.max_error), failed + bool(failure)
    print(f"{answers} answers, T_IFS error at most {max_error} µs, {breaches} breaches")
    if not words:
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps({"air.breaches": breaches, "air.t_ifs_max_error_us": max_error, "air.answers": answers}) + "\n")
        if answers < 1_000_000:
            print("FAILED: fewer than 1,000,000 answers")
            failed += 1
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
