"""Figures that tests measure, and their budgets."""

import json

from emulator import ROOT

FOUND = ROOT / ".build" / "figures" / "emulated.json"
BUDGETS = json.loads((ROOT / "Tests" / "Emulated" / "budgets.json").read_text())
# A figure may be so much above its budget.
SLACK = 1.02
# So much stack has to be left. What interrupts take is in what was used.
STACK_MARGIN = 128


def add(name, value):
    """Notes a figure in .build/figures/emulated.json, beside those of other tests; what is to be said of it."""
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    found[name] = value
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    FOUND.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
    return f"{name} {value}" + (f", budget {BUDGETS[name]} and 2 %" if name in BUDGETS else "")


def add_highest(name, value):
    """The same of a figure that several tests measure, of which the highest counts."""
    found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    return add(name, max(value, found.get(name, 0)))


def stack(board, used, size):
    """Notes how much of its stack an image has used at the most, by the paint that start-up leaves in it; whether enough is left."""
    name = f"{board}.stack_high_water"
    print(f"\n  {add_highest(name, used)} of {size}, {used} here")
    return used <= size - STACK_MARGIN


def is_within_budget(name, value):
    return value <= BUDGETS[name] * SLACK
