"""Figures that tests measure, and their budgets."""

import json

from emulator import ROOT

FOUND = ROOT / ".build" / "figures" / "emulated.json"
BUDGETS = json.loads((ROOT / "Tests" / "Emulated" / "budgets.json").read_text())
# The permitted excess over a budget.
SLACK = 1.02
# Bytes of stack that must remain. The measured use includes interrupts.
STACK_MARGIN = 128


def add(name, value):
    """Writes a figure to .build/figures/emulated.json, with those of other tests; returns its text."""
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    found[name] = value
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    FOUND.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
    return f"{name} {value}" + (f", budget {BUDGETS[name]} and 2 %" if name in BUDGETS else "")


def add_highest(name, value):
    """The same of a figure that several tests measure, of which the highest counts."""
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    return add(name, max(value, found.get(name, 0)))


def add_to(name, value):
    """The same of a figure that is the sum over several tests."""
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    return add(name, value + found.get(name, 0))


def stack(image, used, size):
    """Records the maximum stack use of an image, measured by the pattern that start-up writes into the stack; returns whether enough remains. `image` is the board, with
    the role if that is not its wearable."""
    name = f"{image}.stack_high_water"
    print(f"\n  {add_highest(name, used)} of {size}, {used} here")
    return used <= size - STACK_MARGIN


def is_within_budget(name, value):
    return value <= BUDGETS[name] * SLACK
