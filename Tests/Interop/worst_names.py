#!/usr/bin/env python3
"""Reads exports whose serial numbers, names, roles and places are all that readers take for something else, with the defaults of each reader and with
the recipes of docs/archive.md: `.build/venv-tables/bin/python worst_names.py FOLDER WORD…`. Each column has to be the words, as text."""

import pathlib
import sys

import duckdb
import networkx
import pandas
import polars
import pyarrow.csv
import pyarrow.dataset

FOLDER, WORDS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# As text tables have them: a name of letters is as it is.
MARKED = [word if word == "Ольга" else "'" + word for word in WORDS]
TEXTS = {"devices": ["serial"], "persons": ["name", "role", "place"], "assignments": ["serial", "person"],
         "near": ["who", "who_role", "who_place", "other"], "contacts": ["observer", "observer_role", "subject_place", "device"], "directions": ["device", "subject"]}


def same(what, found, expected):
    found = list(found)
    assert all(isinstance(value, str) for value in found), f"{what}: {[value for value in found if not isinstance(value, str)][:5]}"
    assert set(found) == set(expected), f"{what}: {sorted(set(found) ^ set(expected))}"


def columns_of(relation):
    """The columns of a relation of DuckDB, by name."""
    return {name: [row[place] for row in relation.fetchall()] for place, name in enumerate(relation.columns)}


def parquet():
    readings = FOLDER / "parquet" / "readings"
    same("pandas", pandas.read_parquet(readings)["device"], WORDS)
    same("pyarrow", pyarrow.dataset.dataset(readings, partitioning="hive").to_table()["device"].to_pylist(), WORDS)
    same("polars", polars.read_parquet(readings)["device"], WORDS)
    duckdb.execute(f"CREATE VIEW readings AS FROM '{readings}/*/*/*.parquet'")
    same("duckdb", (row[0] for row in duckdb.execute("SELECT device FROM readings").fetchall()), WORDS)
    same("duckdb, by log", (row[0] for row in duckdb.execute("SELECT DISTINCT device FROM readings WHERE log = 'sn-00012'").fetchall()), ["00012"])
    same("duckdb, folders", (row[0] for row in duckdb.execute("SELECT DISTINCT split_part(log, '-', 1) FROM readings").fetchall()), ["sn"])
    for table, columns in TEXTS.items():
        frame = pandas.read_parquet(FOLDER / "parquet" / table)
        for column in columns:
            same(f"parquet {table}.{column}", frame[column], WORDS)


def flat():
    for table, columns in TEXTS.items():
        path = str(FOLDER / "csv" / f"{table}.csv")
        lines = str(FOLDER / "jsonl" / f"{table}.jsonl")
        readers = {
            "pandas": pandas.read_csv(path), "pandas with pyarrow": pandas.read_csv(path, engine="pyarrow"), "polars": polars.read_csv(path),
            "polars with dates": polars.read_csv(path, try_parse_dates=True), "pyarrow": pyarrow.csv.read_csv(path).to_pydict(),
            "duckdb": columns_of(duckdb.sql(f"FROM '{path}'"))}
        typed = {
            "pandas": pandas.read_json(lines, lines=True, dtype=False), "polars": polars.read_ndjson(lines),
            "duckdb": columns_of(duckdb.sql(f"FROM '{lines}'"))}
        for column in columns:
            for name, frame in readers.items():
                same(f"{name}: {table}.csv {column}", frame[column], MARKED)
            for name, frame in typed.items():
                same(f"{name}: {table}.jsonl {column}", frame[column], WORDS)
    persons = duckdb.sql(f"FROM read_json('{FOLDER}/jsonl/persons.jsonl', columns = {{name: 'VARCHAR', role: 'VARCHAR', place: 'VARCHAR'}})")
    same("duckdb with columns", columns_of(persons)["place"], WORDS)
    for path in (FOLDER / "log-csv").glob("*.csv"):
        for name, frame in {"pandas": pandas.read_csv(path), "polars": polars.read_csv(path)}.items():
            if len(frame):
                same(f"{name}: log export {path.name}", frame["device"], ["'00012"])
            for column in {"payload", "data", "sha256"} & set(frame.columns):
                assert all(value.startswith("x") for value in frame[column] if isinstance(value, str)), (name, path.name, column)


def exchange():
    same("linelist", pandas.read_csv(FOLDER / "epicontacts" / "linelist.csv")["role"], MARKED)
    table = pandas.read_csv(FOLDER / "tij" / "tij.tsv", sep="\t", header=None, names=["t", "i", "j", "Si", "Sj"])
    same("tij", [*table.Si, *table.Sj], ["_" + word[1:] if word[0] == "'" else word for word in MARKED])
    graph = networkx.read_graphml(FOLDER / "graphml" / "contacts.graphml")
    for key in ("name", "label", "role", "place"):
        same(f"graphml {key}", (values[key] for _, values in graph.nodes(data=True)), WORDS)
    assert all(values["weight"] == values["minutes"] > 0 for _, _, values in graph.edges(data=True))


parquet()
flat()
exchange()
