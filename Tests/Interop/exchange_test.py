#!/usr/bin/env python3
"""The files of `herald-host export`, read by pandas and networkx and compared with what follows from the contacts.csv of the same devices:
`.build/venv-tables/bin/python exchange_test.py PART FLEET PEOPLE OUTPUT`."""

import csv
import datetime
import itertools
import pathlib
import sys

import networkx
import pandas

PART, FLEET, PEOPLE, OUTPUT = sys.argv[1], *map(pathlib.Path, sys.argv[2:])


def windows(length):
    """{(name, name): the windows of so many seconds, since 1970, in which either had a sign of the other}."""
    with open(PEOPLE, newline="") as file:
        names = {row["serial"]: row["name"] for row in csv.DictReader(file)}
    owners = {}
    for folder in FLEET.iterdir():
        with open(folder / "detection.csv", newline="") as file:
            owners[next(csv.reader(file))[3]] = names.get(folder.name, folder.name)
    result = {}
    for folder in FLEET.iterdir():
        own = names.get(folder.name, folder.name)
        with open(folder / "contacts.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        payloads = {row["id"]: row["data"] for row in rows if row["read"] == "2"}
        for row in rows:
            if row["detect"] == "1" or row["read"] == "2" or row["measure"] == "3":
                at = datetime.datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.%f%z").timestamp()
                result.setdefault(frozenset((own, owners[payloads[row["id"]]])), set()).add(int(at) // length)
    return result


def people():
    """Name, role and place of everybody in people.csv."""
    with open(PEOPLE, newline="") as file:
        return {row["name"]: (row["role"], row["place"]) for row in csv.DictReader(file)}


def texts(name):
    """A table of names, read with pandas' defaults; what a reader would take for something else has an apostrophe in front."""
    table = pandas.read_csv(OUTPUT / name)
    for column in ("name", "kind", "role", "place"):
        table[column] = table[column].fillna("").str.removeprefix("'")
    return table


def tij():
    table = pandas.read_csv(OUTPUT / "tij.tsv", sep="\t", header=None, names=["t", "i", "j", "Si", "Sj"])
    assert [str(kind) for kind in table.dtypes[:3]] == ["int64"] * 3
    assert (table.i < table.j).all() and (table.t % 20 == 0).all() and not table.duplicated().any()
    assert table[["t", "i", "j"]].equals(table[["t", "i", "j"]].sort_values(["t", "i", "j"], ignore_index=True))
    names = texts("names.csv").set_index("id")
    assert set(names.index) == set(table.i) | set(table.j)
    label = dict(names.name.items())
    found = {}
    for row in table.itertuples():
        found.setdefault(frozenset((label[row.i], label[row.j])), set()).add(row.t // 20 - 1)
    assert found == windows(20)
    status = {number: "_NA" if row.role == "NA" else (row.role or row.kind).replace(" ", "_") for number, row in names.iterrows()}
    assert (table.Si == table.i.map(status)).all() and (table.Sj == table.j.map(status)).all()
    for number, row in names.iterrows():
        assert (row["role"], row["place"]) == people().get(label[number], ("", "")), row


def graphml():
    graph = networkx.read_graphml(OUTPUT / "contacts.graphml")
    assert not graph.is_directed() and not graph.is_multigraph()
    expected = windows(30)
    names = {node: values["name"] for node, values in graph.nodes(data=True)}
    assert set(names.values()) == set(itertools.chain(*expected))
    for values in dict(graph.nodes(data=True)).values():
        assert (values["role"], values["place"]) == people().get(values["name"], ("", "")), values
        assert values["kind"] == ("person" if values["name"] in people() else "device")
    found = {frozenset((names[one], names[other])): values for one, other, values in graph.edges(data=True)}
    assert {pair: values["minutes"] for pair, values in found.items()} == {pair: len(seen) / 2 for pair, seen in expected.items()}
    assert all(values["label"] == values["name"] for _, values in graph.nodes(data=True))
    for values in found.values():
        assert values["weight"] == values["minutes"]
        assert values["days"] == 1 and sum(values[f"minutes_band_{band}"] for band in range(1, 5)) <= values["minutes"]


def epicontacts():
    linelist = texts("linelist.csv")
    contacts = pandas.read_csv(OUTPUT / "contacts.csv", parse_dates=["date"])
    assert linelist.columns[0] == "id" and list(contacts.columns[:3]) == ["from", "to", "date"] and linelist.id.is_unique
    names = dict(zip(linelist.id, linelist.name))
    found = {frozenset((names[row[0]], names[row[1]])): row[3] for row in contacts.itertuples(index=False)}
    assert found == {pair: len(seen) / 2 for pair, seen in windows(30).items()}
    assert set(contacts.date.dt.strftime("%Y-%m-%d")) == {"2026-09-14"}


{"tij": tij, "graphml": graphml, "epicontacts": epicontacts}[PART]()
