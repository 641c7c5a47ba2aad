"""Runs conformance tests of EDTT (Embedded Device Test Tool) with two herald-controllers on the medium, and judges every packet that they transmit. With words, only the tests whose names
contain one of them:

    edtt_suite.py FOLDER [WORD…]

FOLDER is a copy of EDTT. Each test prints `ok NAME` or `FAILED NAME` with what EDTT printed. The exit status is 1 if a test failed or if there was a breach."""

import concurrent.futures
import json
import signal
import sys
import tempfile
from pathlib import Path

from case import ROOT
from cases_controller import CONTROLLER, HERE
from judge import Judge
from play import Program, play

# The tests of `ll_verification` that a controller with the features of Bluetooth 4.0 passes.
TESTS = {
    "CON/ADV": "01 04", "CON/CEN": "03 04 05 08 09 13 20 21 23", "CON/INI": "01 02 06 07",
    "CON/PER": "04 05 06 11 12 14 19 20 22 33", "DDI/ADV": "01 02 03 04 05 06 07 08 09 15 16 17 18 19",
    "DDI/SCN": "01 02 03 04 05 10 11 12",
}
NAMES = [f"LL/{group}/BV-{number}-C" for group, numbers in TESTS.items() for number in numbers.split()]
FIGURES = ROOT / ".build/figures/edtt.json"


def tester(folder, name, records):
    """EDTT as device 2. It reads records of BabbleSim's phy, which none of these tests evaluates: they are empty."""
    def command(simulation, number):
        path = Path(records) / "results" / simulation
        path.mkdir(parents=True)
        for device in (0, 1):
            for kind in ("Tx", "Rx"):
                (path / f"d_2G4_0{device}.{kind}.csv").touch()
        words = ["-t", "bsim", "-T", "ll_verification", "-C", name, "-s", simulation, "-d", str(number), "-D", "2", "-devs", "0", "1"]
        return ["env", f"BSIM_OUT_PATH={records}", sys.executable, str(HERE / "edtt_tool.py"), str(folder), *words]
    return Program(command)


def run(folder, name):
    """Runs one test. Returns whether it passed, EDTT's output, the number of packets and the breaches."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    controllers = [Program(lambda simulation, number: [CONTROLLER, "--air", f"{simulation}:{number}", "--edtt"]) for _ in range(2)]
    with tempfile.TemporaryDirectory() as records:
        results, transmitted = play(*controllers, tester(folder, name, records), seconds=600)
    judge = Judge()
    for record in transmitted:
        judge.take(record)
    status, output = results[2]
    return status == 0, output, len(transmitted), judge.breaches


def main(folder, *words):
    folder = Path(folder).resolve()
    if not (folder / "src/edttool.py").exists():
        sys.exit(f"script/edtt: {folder} has no src/edttool.py: it is not a copy of EDTT")
    names = [name for name in NAMES if not words or any(word in name for word in words)]
    passed = packets = breaches = 0
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for name, future in [(name, pool.submit(run, folder, name)) for name in names]:
            is_passed, output, count, found = future.result()
            print(f"ok {name}" if is_passed else f"FAILED {name}\n{output}", flush=True)
            for start, what in found[:10]:
                print(f"  {start / 1e6:.6f} {what}")
            passed, packets, breaches = passed + is_passed, packets + count, breaches + len(found)
    print(f"{passed} of {len(names)} passed; {packets} packets, {breaches} breaches")
    if not words:
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps({"edtt_run": len(names), "edtt_passed": passed, "edtt_breaches": breaches}) + "\n")
    return 0 if passed == len(names) and not breaches else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
