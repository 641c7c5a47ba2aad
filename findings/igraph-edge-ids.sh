#!/usr/bin/env bash
# Expected: igraph reads the `id` of a node of GraphML as attribute "id" of the vertex, and the `id` of an edge
#   as attribute "id" of the edge.
# Seen: the ids of edges are lost. The first edge has the id of the first node, the second edge that of the
#   second node, and so on, whichever nodes they join; edges after the number of nodes have "". An edge without
#   an id in the file has that of a node, too, if another edge has one. Ends and other attributes of edges are
#   right, and networkx reads the same file without a change. Nothing is reported.
# Versions: igraph 1.0.0, networkx 3.6.1, numpy 2.4.6, Python 3.11.
# Why it matters here: networkx writes several meetings of a pair as edges with their keys as ids. Where the key
#   is the number of the meeting, each meeting has the number of a person in igraph, often of one who was not
#   there; a join with the list of meetings gives other meetings' rows, as both are numbered from 1.
# Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install igraph==1.0.0 networkx==3.6.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PROGRAM'
import sys
from importlib.metadata import version
import igraph
import networkx

# Person, person, number of the meeting, minutes.
MEETINGS = [("1", "2", 3, 10), ("1", "2", 5, 15), ("2", "3", 4, 5), ("3", "4", 2, 20), ("3", "4", 1, 35)]
graph = networkx.MultiGraph()
for one, two, number, minutes in MEETINGS:
    graph.add_edge(one, two, key=number, minutes=minutes)
networkx.write_graphml(graph, "meetings.graphml")
with open("meetings.graphml") as file:
    text = file.read()
with open("one-id.graphml", "w") as file:
    for number in "2345":
        text = text.replace(f' id="{number}">', ">")
    file.write(text)


def with_igraph(name):
    read = igraph.Graph.Read_GraphML(name)
    persons = read.vs["id"]
    return [(persons[edge.source], persons[edge.target], edge["id"], edge["minutes"]) for edge in read.es]


print(*(f"{name} {version(name)}" for name in ("igraph", "networkx", "numpy")), sep=", ")
with_networkx = list(networkx.read_graphml("meetings.graphml").edges(keys=True, data="minutes"))
read, read_one_id = with_igraph("meetings.graphml"), with_igraph("one-id.graphml")
print("written, and read by networkx:", *with_networkx, sep="\n  ")
print("the same file read by igraph:", *read, sep="\n  ")
print("ids in igraph if only meeting 1 has one in the file:", [line[2] for line in read_one_id])
wrong = ["1", "2", "3", "4", ""]
if with_networkx != MEETINGS:
    sys.exit("networkx reads something else")
if read != [(one, two, id, minutes) for (one, two, _, minutes), id in zip(MEETINGS, wrong)]:
    sys.exit("the behaviour has changed")
if [line[2] for line in read_one_id] != wrong:
    sys.exit("the behaviour with one id has changed")
PROGRAM
