"""Contacts in the formats of other programs, read back by those."""

import csv
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
                "herald-host", "exchange", "--format", format, "--archive", archive, "--people", self.people, "--output", self.results / format)
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
