"""The steps of script/test: what each runs, what it waits for, and how its results are counted."""
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The unit tests of the allocation-free modules, which need no library of the system.
CORE = ("ComplianceTests", "HeraldHALTests", "HeraldCryptoTests", "HeraldBluetoothTests", "HeraldEmbeddedTests", "HeraldNeighboursTests", "HeraldHCITests", "HeraldLinkLayerTests", "HeraldChipsTests",
        "HeraldFirmwareTests", "HeraldSimulationTests", "HeraldEnergyTests")


@dataclass
class Step:
    """`load` is 2 for a large step, 1 for a small one, 0 for one that waits for downloads. Of those with the same `folder` one runs at a time, as the package manager
    locks a folder of objects. `again` is the command that runs this step alone."""
    name: str
    command: str
    needs: tuple = ()
    load: int = 1
    folder: str = ""
    again: str = ""


# With HERALD_BIN: the programs as packages have them, whose folder this file names.
PROGRAMS = "export HERALD_BIN=$(tail -n 1 .build/test/Programs.txt); "
# The longest chain comes first: a step begins when what it needs is done and a processor is free.
STEPS = [
    Step("Libraries", "script/bootstrap libraries", load=0, again="script/bootstrap libraries"),
    Step("Bootstrap", "script/bootstrap", ("Libraries",), load=0, again="script/bootstrap"),
    Step("Embedded Swift", "script/embedded", load=2, again="script/embedded"),
    Step("Format", "script/format --check", again="script/format"),
    Step("Sizes", "python3 -B -m doctest script/budgets.py; script/sizes", again="script/sizes"),
    Step("Conformity", "script/conformity", again="script/conformity"),
    Step("Mutants apply", "script/mutants --check", again="script/mutants --check"),
    Step("Log pages", "python3 Tests/Interop/log_format_test.py"),
    Step("Tools for packages", "script/package-test --prepare", ("Bootstrap",), load=0),
    Step("Programs", "script/package --programs", ("Libraries",), load=2, again="script/package --programs"),
    Step("Footprint", "script/footprint", ("Embedded Swift",), load=2, again="script/footprint"),
    Step("Images", "script/emulated --images", ("Footprint", "Bootstrap"), load=2, again="script/emulated --images"),
    Step("Unit tests, built", "script/unit --build", ("Libraries",), load=2, folder=".build", again="script/unit --build"),
    Step("Emulated", PROGRAMS + "script/emulated --built", ("Images", "Programs"), load=2, again="script/emulated"),
    Step("Interop", PROGRAMS + "script/interop", ("Programs",), load=2, again="script/interop"),
    Step("Unit tests", "script/unit --built", ("Unit tests, built",), load=2, again="script/unit"),
    Step("System", PROGRAMS + "script/system", ("Programs",), load=2, again="script/system"),
    Step("Fuzzing", "script/fuzz", ("Libraries",), load=2, again="script/fuzz"),
    Step("Air", PROGRAMS + "script/air", ("Programs",), load=2, again="script/air"),
    Step("Reproducible", "script/reproducible nrf52833dk microbit", ("Images",), load=2, again="script/reproducible nrf52833dk microbit"),
    Step("Packages", "script/package-test --images .build/boards", ("Tools for packages", "Images", "Programs"), load=1, again="script/package-test"),
    Step("Documentation", "script/docs", ("Unit tests, built",), load=1, folder=".build", again="script/docs"),
    Step("Manual pages", PROGRAMS + "script/man --check", ("Unit tests, built", "Programs"), load=1, folder=".build", again="script/man"),
    Step("Allocations", PROGRAMS + '"$HERALD_BIN/allocation-test" .build/figures/allocations.json', ("Programs",)),
    Step("Fleet", PROGRAMS + "script/fleet 60 3", ("Programs",), load=1, again="script/fleet 60 3"),
]
QUICK = [
    *(step for step in STEPS if step.name in ("Embedded Swift", "Format", "Sizes", "Conformity", "Mutants apply", "Log pages")),
    Step("Unit tests", f"script/unit {' '.join(CORE)}", load=2, again="script/unit MODULE"),
]


def unit_module(word):
    """The test target that a word names: HeraldEmbedded and HeraldEmbeddedTests name the same one."""
    for name in (word, f"{word}Tests"):
        if name.endswith("Tests") and (ROOT / "Tests" / name).is_dir():
            return name
    return None


def chosen(word):
    """The step for a word: a test target, a module of tests in Tests, or the name of a step; `None` if there is none."""
    if name := unit_module(word):
        return Step(name, f"script/unit {name}", load=2, again=f"script/test {word}")
    for tier in ("Interop", "Emulated", "Air", "System"):
        if (ROOT / "Tests" / tier / f"{word}.py").exists() and word.startswith(("cases_", "test_")):
            return Step(f"{tier}: {word}", f"script/{tier.lower()} {word}", load=2, again=f"script/test {word}")
    for step in STEPS:
        if step.name.lower() == word.lower() and step.again:
            return Step(step.name, step.again, load=2, again=step.again)
    return None


# The number of tests that ran, in the output of a step.
TOTALS = [re.compile(text, re.MULTILINE) for text in (r"^(?:\S+ )?Test run with (\d+) tests? ", r"^Ran (\d+) tests? in ", r"^fuzz [\w-]+: (?:Done|FAILED)")]
# Of tests that count themselves: passed, failed, skipped.
SUMS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", re.MULTILINE)
# A case and its seconds.
TIMES = [re.compile(text, re.MULTILINE) for text in (
    r'^\S+ Test (?:"(?P<name>.*)"|(?P<function>\w+\(.*\))) (?:with .* )?(?:passed|failed) after (?P<seconds>[\d.]+) seconds',
    r"^ok (?P<name>[\w ]+) \((?P<seconds>[\d.]+) s\)",
    r"^ok (?P<name>\w+): .*, (?P<seconds>[\d.]+) s$",
    r"^── (?P<name>test_\w+), (?P<seconds>\d+) s",
)]
SKIPPED = re.compile(r"skipped=(\d+)|^\S+ Test .* skipped", re.MULTILINE)
FAILURES = re.compile(r"^(?:FAILED |FAIL: |ERROR: |✘ Test (?!run)|.*: error: |fuzz [\w-]+: FAILED).*", re.MULTILINE)
# The lines of one failure that are printed.
FAILURE_LINES = 24
# Of the compiler and of the package manager, not those of other programs.
WARNING = re.compile(r"^(?:\S+:\d+(?::\d+)?: )?warning: .*", re.MULTILINE)


def counts(text):
    """(passed, failed, skipped) of the tests whose results are in the output of a step."""
    total = sum(int(number) if number.isdigit() else 1 for pattern in TOTALS for number in pattern.findall(text))
    failed = len(re.findall(r"^(?:FAIL|ERROR): |^✘ Test (?!run )\S.* failed after|^fuzz [\w-]+: FAILED", text, re.MULTILINE))
    skipped = sum(int(number or 1) for number in SKIPPED.findall(text))
    passed = max(total - failed - skipped, 0)
    for sums in SUMS.findall(text):
        passed, failed, skipped = passed + int(sums[0]), failed + int(sums[1]), skipped + int(sums[2] or 0)
    return passed, failed, skipped


def failures(text):
    """The lines of each failure in the output of a step: the one that says so, and what follows it, such as a traceback. Of a long one its ends."""
    lines = text.splitlines()
    found = []
    for place in (place for place, line in enumerate(lines) if FAILURES.match(line) and not line.startswith("FAILED (")):
        end = next((end for end in range(place + 1, len(lines)) if FAILURES.match(lines[end]) or lines[end].startswith(("=====", "ok ", "◇ ", "✔ "))), len(lines))
        one = lines[place:end]
        found.append(one if len(one) <= FAILURE_LINES else [*one[:FAILURE_LINES // 2], "…", *one[-FAILURE_LINES // 2:]])
    return found


def slowest(text):
    """(seconds, name) of each case in the output of a step."""
    for pattern in TIMES:
        for found in pattern.finditer(text):
            groups = found.groupdict()
            yield float(groups["seconds"]), groups.get("name") or groups["function"]


def warnings(text):
    """The warnings in the output of a step. Those of sources that were downloaded are not among them: the package manager suppresses them."""
    return sorted(set(found.strip() for found in WARNING.findall(text)))
