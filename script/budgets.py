"""The budgets of the steps of script/test: the processor time in seconds that each may take, in script/budgets.json, and which steps exceed theirs.

The budgets are those of the machine of CI. A slower one, or a busy one, has budgets that are larger by the median quotient, over all steps, of the time a step took and its budget: a step exceeds
its budget there if it became slower beside the others."""
import json, statistics
from pathlib import Path

PATH = Path(__file__).resolve().parent / "budgets.json"
# A step fails above this multiple of its budget, if it also took this many seconds more.
GROWTH, LEAST = 1.2, 20
# Fewer steps than these say nothing about the speed of a machine.
FEWEST = 10


def exceeded(times, budgets):
    """(scale of the budgets, {step: why it fails}) of the processor times of steps by name; (None, {}) if there are too few.

    >>> budgets = {letter: 100 for letter in "abcdefghijk"}
    >>> exceeded(budgets | {"c": 119}, budgets)
    (1, {})
    >>> exceeded(budgets | {"c": 121}, budgets)[1]["c"].splitlines()[0]
    '121 s of processor time, 21% more than its budget: 100 s, here 100 s'
    >>> slower = {letter: 200 for letter in budgets}
    >>> [sorted(exceeded(slower | {"c": seconds}, budgets)[1]) for seconds in (239, 241)]
    [[], ['c']]
    >>> exceeded({letter: 50 for letter in budgets} | {"c": 121}, budgets)[0]
    1
    >>> exceeded(budgets | {"new": 1}, budgets)[1]["new"].splitlines()[0]
    '1 s of processor time, and no budget'
    >>> exceeded({"a": 1000}, budgets)
    (None, {})
    """
    quotients = [times[name] / budgets[name] for name in times if budgets.get(name, 0) >= LEAST]
    if len(quotients) < FEWEST:
        return None, {}
    scale = max(1, statistics.median(quotients))
    failures = {}
    for name, seconds in times.items():
        if name not in budgets:
            failures[name] = f"{seconds:.0f} s of processor time, and no budget\n  → add one to script/budgets.json"
            continue
        due = budgets[name] * scale
        if seconds > GROWTH * due and seconds > due + LEAST:
            failures[name] = f"{seconds:.0f} s of processor time, {seconds / due - 1:.0%} more than its budget: {budgets[name]} s, here {due:.0f} s\n  → make it faster, or raise the budget in script/budgets.json and say why"
    return scale, failures


def committed():
    return json.loads(PATH.read_text())
