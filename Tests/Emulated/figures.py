"""Figures that tests measure, and their budgets."""

import fcntl
import json

from emulator import ROOT

FOUND = ROOT / ".build" / "figures" / "emulated.json"
BUDGETS = json.loads((ROOT / "Tests" / "Emulated" / "budgets.json").read_text())
# The permitted excess over a budget.
SLACK = 1.02
# Bytes of stack that must remain. The measured use includes interrupts.
STACK_MARGIN = 128


def change(name, value_from):
    """Writes a figure to .build/figures/emulated.json, with those of other tests, which may run at the same time. `value_from` computes it from the one that is there, or
    None. Returns its text."""
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    with open(FOUND.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
        value = found[name] = value_from(found.get(name))
        FOUND.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
    return f"{name} {value}" + (f", budget {BUDGETS[name]} and 2 %" if name in BUDGETS else "")


def add(name, value):
    """Writes a figure; returns its text."""
    return change(name, lambda _: value)


def add_highest(name, value):
    """The same of a figure that several tests measure, of which the highest counts."""
    return change(name, lambda old: max(value, old or 0))


def add_to(name, value):
    """The same of a figure that is the sum over several tests."""
    return change(name, lambda old: value + (old or 0))


def stack(image, used, size):
    """Records the maximum stack use of an image, measured by the pattern that start-up writes into the stack; returns whether enough remains. `image` is the board, with
    the role if that is not its wearable."""
    name = f"{image}.stack_high_water"
    print(f"\n  {add_highest(name, used)} of {size}, {used} here")
    return used <= size - STACK_MARGIN


def is_within_budget(name, value):
    return value <= BUDGETS[name] * SLACK
