"""Contacts in the formats of other programs, read back by those."""

import csv
import json
import os
import re
import shutil
from pathlib import Path

from cases_efficacy import Fleet
from node import ROOT, ended, run

PYTHON = ROOT / ".build" / "venv-tables" / "bin" / "python"
# A formula, markup, quotation marks, and names that are written with joiners, from right to left, and beyond 16 bits.
PEOPLE = [
    ("F1EE700000", 'Zoë <b>&amp; "Ann" O\'Neil ]]>', "NUR", "Ward 3"), ("F1EE700001", "=cmd|' /C calc'!A0", "PAT", "Ward 3"),
    ("F1EE700002", "فاطمه\u200cزهرا", "Medical doctor", "مستشفى"), ("F1EE700003", "王小明 👩🏽\u200d⚕️", "NUR", ""), ("F1EE700004", "NA", "NA", "NA"),
]


class Written(Fleet):
    """The same fleet in an archive, with people, and the files of a format."""

    def __init__(self, *formats):
        super().__init__()
        self.formats = formats
        self.results = Path(f"{self.folder}-results")
        self.people = self.results / "people.csv"

    async def __aenter__(self):
        await super().__aenter__()
        self.results.mkdir()
        with open(self.people, "w", newline="") as file:
            csv.writer(file).writerows([("serial", "name", "role", "place", "from", "to"), *((*person, "", "") for person in PEOPLE)])
        archive = self.results / "archive.sqlite"
        status, _, err = await run("herald-host", "archive", "add", self.folder, "--archive", archive, "--people", self.people)
        assert status == 0, err
        for format in self.formats:
            status, out, err = await run(
                "herald-host", "export", "--format", format, "--archive", archive, "--people", self.people, "--output", self.results / format)
            assert status == 0, err
            assert [path.name for path in (self.results / format).iterdir() if path.name.startswith(".")] == []
        return self

    async def __aexit__(self, kind, error, trace):
        shutil.rmtree(self.results, ignore_errors=True)
        await super().__aexit__(kind, error, trace)

    async def read(self):
        for format in self.formats:
            status, out, err = await ended(
                PYTHON, Path(__file__).with_name("exchange_test.py"), format, self.folder, self.people, self.results / format)
            assert status == 0, f"{format}: {err[-1500:]}"


async def case_formats_are_read_by_pandas_and_networkx():
    async with Written("tij", "graphml", "epicontacts") as written:
        await written.read()


async def case_formats_are_read_by_r():
    script = Path(__file__).with_name("igraph.R")
    if shutil.which("Rscript") is None or (await ended("Rscript", "--vanilla", "-e", "library(igraph)"))[0] != 0:
        print("    left out: there is no R with igraph; `apt-get install --no-install-recommends r-cran-igraph` brings it")
        return
    os.environ["LC_ALL"] = "C.UTF-8"
    async with Written("graphml", "epicontacts") as written:
        status, out, err = await ended("Rscript", "--vanilla", script, written.results / "epicontacts", written.results / "graphml")
        assert status == 0, err
        tables, graph = (re.search(rf"^{word} (\d+) (\d+) ([\d.]+)", out, re.M).groups() for word in ("tables", "graphml"))
        # One day: a row of the tables is an edge of the graph.
        assert tables == graph and int(tables[0]) == 6 and int(tables[1]) > 6, out
        names = set(re.findall(r"^name (.*) $", out, re.M))
        assert names == {person[1] for person in PEOPLE} | {"F1EE700005"}, names


async def case_formats_have_the_contacts_that_the_same_options_of_contacts_print():
    names = {serial: person for serial, person, *_ in PEOPLE}
    async with Written() as written:
        words = ("--archive", written.results / "archive.sqlite", "--people", written.people)
        status, out, err = await run("herald-host", "contacts", *words, "--json")
        assert status == 0, err
        everything = json.loads(out)["contacts"]
        day = everything[0]["day"]
        selections = [
            ("--person", names["F1EE700003"]), ("--role", "PAT"), ("--place", "Ward 3"), ("--min-minutes", "20"), ("--day", day), ("--from", day, "--to", day),
            ("--to", "2020-01-01"), ("--person", names["F1EE700001"], "--min-minutes", "5", "--day", day)]
        sizes = set()
        for number, selection in enumerate(selections):
            status, out, err = await run("herald-host", "contacts", *words, *selection, "--json")
            # Of a time outside the archive nobody can say that there was nobody.
            assert status == (12 if selection == ("--to", "2020-01-01") else 0), err
            pairs = {frozenset((row["who"]["label"], row["other"]["label"])): row["joined"]["seconds"] for row in json.loads(out)["contacts"]}
            sizes.add(len(pairs))
            for format, table, people in ("epicontacts", "contacts.csv", "linelist.csv"), ("tij", "tij.tsv", "names.csv"):
                output = written.results / f"{format}-{number}"
                status, _, err = await run("herald-host", "export", "--format", format, *words, *selection, "--output", output)
                if selection == ("--to", "2020-01-01"):
                    assert status == 12 and "outside the archive" in err and not output.exists(), (status, err)
                    continue
                assert status == 0, err
                with open(output / people, newline="") as file:
                    label = {row["id"]: row["name"].removeprefix("'") for row in csv.DictReader(file)}
                with open(output / table, newline="") as file:
                    rows = list(csv.reader(file, delimiter="\t" if format == "tij" else ","))
                if format == "tij":
                    assert {frozenset((label[row[1]], label[row[2]])) for row in rows} == pairs.keys(), selection
                else:
                    assert {frozenset((label[row[0]], label[row[1]])): float(row[3]) * 60 for row in rows[1:]} == pairs, selection
                assert set(label.values()) == {name for pair in pairs for name in pair}, selection
        # The selections differ: none, some and all.
        assert 0 in sizes and len(everything) in sizes and len(sizes) > 3, sizes
        for words, said in (
                (("--format", "parquet", "--person", "x"), "tij, epicontacts and graphml"), (("--addresses",), "tij, epicontacts and graphml"),
                (("--format", "tij", "--window", "30"), "20 s"), (("--format", "tij", "--day", day, "--from", day), "--day"), (("--format", "gml"), "graphml")):
            status, _, err = await run("herald-host", "export", *words, "--archive", written.results / "archive.sqlite", "--output", written.results / "none")
            assert status == 64 and said in err and not (written.results / "none").exists(), (words, err)
