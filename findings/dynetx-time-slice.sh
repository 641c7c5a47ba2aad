#!/usr/bin/env bash
# Expected: `time_slice(a, b)` of DyNetx has the contacts from a to b, both included, as its documentation says: a slice
#   from before the first contact to after the last one is equal to the whole.
# Seen: the end is given to a function that takes it as the first moment without the contact. Each piece loses its last
#   snapshot, and a contact of a single snapshot becomes an interval that ends before it begins: its pair is listed, but
#   at no time; no snapshot has it, and `write_snapshots` writes an empty file. Nothing is reported.
# Versions: dynetx 0.3.2 with networkx 3.6.1 and numpy 2.4.6, Python 3.11.
# Why it matters here: contacts in SocioPatterns' form have the end of a window of 20 s as their time, in seconds, so that
#   every contact is a single snapshot: the slice of a day is empty. With numbers of windows as times, each meeting is
#   one window shorter and those of one window vanish.
# Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install dynetx==0.3.2 networkx==3.6.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PROGRAM'
import sys
from importlib.metadata import version
import dynetx

# t i j: 1 and 2 in three windows one after the other, 2 and 3 in one.
CONTACTS = [(1789374800, 1, 2), (1789374820, 1, 2), (1789374820, 2, 3), (1789374840, 1, 2)]


def described(graph):
    """The pairs, the times that it has, and what it writes as snapshots (i j t)."""
    dynetx.write_snapshots(graph, "snapshots")
    with open("snapshots") as file:
        lines = file.read().splitlines()
    return sorted(pair[:2] for pair in graph.interactions()), graph.temporal_snapshots_ids(), sorted(lines)


print(*(f"{name} {version(name)}" for name in ("dynetx", "networkx", "numpy")), sep=", ")
seen = {}
for unit, origin, seconds in (("seconds", 0, 1), ("windows", 1789374800, 20)):
    graph = dynetx.DynGraph()
    for time, one, two in CONTACTS:
        graph.add_interaction(one, two, t=(time - origin) // seconds)
    first, last = graph.temporal_snapshots_ids()[0], graph.temporal_snapshots_ids()[-1]
    for name, part in (("all", graph), ("slice of all", graph.time_slice(first, last))):
        seen[unit, name] = described(part)
        print(f"{unit}, {name}: pairs {seen[unit, name][0]}, times {seen[unit, name][1]}, written {seen[unit, name][2]}")
pairs, times = [(1, 2), (2, 3)], [1789374800, 1789374820, 1789374840]
if seen != {
    ("seconds", "all"): (pairs, times, ["1 2 1789374800", "1 2 1789374820", "1 2 1789374840", "2 3 1789374820"]),
    ("seconds", "slice of all"): (pairs, [], []),
    ("windows", "all"): (pairs, [0, 1, 2], ["1 2 0", "1 2 1", "1 2 2", "2 3 1"]),
    ("windows", "slice of all"): (pairs, [0, 1], ["1 2 0", "1 2 1"]),
}:
    sys.exit("the behaviour has changed")
PROGRAM
