#!/usr/bin/env bash
# Expected: the paths of teneto in an undirected network follow contacts in their order, and arrive at the time
#   of the last one, as in a directed network. A contact has no direction, so it does not matter who has the
#   smaller number.
# Seen: a contact counts at its own time for its second person, `j`, and at every time for its first person,
#   `i`. With the smaller number as `i`, persons with greater numbers are reached in the first window, through
#   contacts that come later or in the wrong order. If the persons are numbered the other way round, the same
#   contacts have other paths and another efficiency. Nothing is reported. In the directed network with each
#   contact in both directions the paths are right. The cause is `get_network_when(ij=..., t=...)`, which all
#   undirected paths are made of.
# Versions: teneto 0.5.3 with pandas 3.1.1, numpy 2.4.6, nilearn 0.10.4 (0.14.1 has no module that teneto
#   needs), scipy 1.17.1 and networkx 3.6.1, Python 3.11. The paths are the same with pandas 1.5.3 and numpy
#   1.26.4.
# Why it matters here: contacts of badges are undirected, and whom somebody can have infected, and how soon, is
#   asked of such paths. Tables of contacts have the smaller number first: the numbers decide who seems to be
#   reached.
# Needs python3, and 2 minutes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install teneto==0.5.3 pandas==3.1.1 numpy==2.4.6 \
  nilearn==0.10.4 scipy==1.17.1 networkx==3.6.1 pybids==0.22.0 templateflow==25.1.2 statsmodels==0.15.0 \
  scikit-learn==1.9.1 matplotlib==3.11.2 python-louvain==0.16
cd "$folder"
export HOME=$folder MPLCONFIGDIR=$folder
venv/bin/python -W ignore - <<'PROGRAM'
import sys
from importlib.metadata import version
import pandas
import teneto
from teneto.networkmeasures import shortest_temporal_path, temporal_efficiency

# Smaller number, greater number, window: 1 meets 2 after 2 has met 3, so that 0 cannot reach 3.
CONTACTS = [(0, 1, 0), (2, 3, 2), (1, 2, 4)]
REVERSED = [(3 - two, 3 - one, time) for one, two, time in CONTACTS]
PAIRS = [(0, 2), (0, 3), (1, 2), (2, 0), (3, 0), (2, 1)]


def network(contacts, kind):
    return teneto.TemporalNetwork(from_df=pandas.DataFrame(contacts, columns=["i", "j", "t"]), nettype=kind)


def windows(network, one, two):
    """The number of windows until `one` has reached `two`, from the first window."""
    path = shortest_temporal_path(network, i=one, j=two, it=0).iloc[0]
    return int(path["temporal-distance"]) if isinstance(path["path includes"], list) else None


print(*(f"{name} {version(name)}" for name in ("teneto", "pandas", "numpy", "nilearn", "scipy", "networkx")), sep=", ")
print("contacts (i, j, window):", CONTACTS)
both = CONTACTS + [(two, one, time) for one, two, time in CONTACTS]
undirected, renumbered, directed = network(CONTACTS, "bu"), network(REVERSED, "bu"), network(both, "bd")
print("windows until the second has been reached: undirected, undirected with numbers 3 to 0, directed")
seen = {}
for one, two in PAIRS:
    seen[one, two] = windows(undirected, one, two), windows(renumbered, 3 - one, 3 - two), windows(directed, one, two)
    print(f"  {one} to {two}:", *seen[one, two])
efficiency = [round(float(temporal_efficiency(each)), 3) for each in (undirected, renumbered, directed)]
print("temporal efficiency of the three:", *efficiency)
first = undirected.get_network_when(ij=[1], t=0).values.tolist()
print("get_network_when(ij=[1], t=0):", first)
if (list(seen.values()), efficiency, first) != (
    [(1, 5, 5), (1, None, None), (1, 5, 5), (None, 1, None), (None, 1, None), (5, 1, 5)],
    [0.656, 0.702, 0.361],
    [[0, 1, 0], [1, 2, 4]],
):
    sys.exit("the behaviour has changed")
PROGRAM
