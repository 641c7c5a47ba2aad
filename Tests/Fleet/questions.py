#!/usr/bin/env python3
"""Asks the four questions of docs/archive.md in several engines, and compares the results.

`questions.py FOLDER READINGS`: in SQLite, PostgreSQL and DuckDB; the folder is that of script/fleet, and has so many readings. The program herald-host is in
HERALD_HOST. `questions.py --spark FOLDER`: in SQLite and Spark.
"""

import os
import subprocess
import sys
import time

import engines

# Each query is run this often; the shortest time is printed.
RUNS = 5


def asked(day):
    """The questions, about a person with a name that has to be quoted, and the one with whom she met most."""
    return {name: sql.replace("'Ada'", "'Zoë \"Z\" O''Brien'").replace("20260915", str(day)) for name, sql in engines.blocks("question").items()}


def compare(first, others):
    """The results of all engines have to be equal, and not empty."""
    rows = []
    questions = asked(20260915)
    [(best,)] = first.rows("SELECT other FROM near WHERE who = 'Zoë \"Z\" O''Brien' GROUP BY other ORDER BY SUM(seconds) DESC, other LIMIT 1")
    for name, sql in questions.items():
        sql = sql.replace("'Ben'", "'" + best.replace("'", "''") + "'")
        expected = None
        times = []
        for engine in [first, *others]:
            took = []
            for _ in range(RUNS):
                begin = time.perf_counter()
                result = [tuple(row) for row in engine.rows(sql)]
                took.append(time.perf_counter() - begin)
            times.append(min(took))
            assert result, f"{name}: {engine.name} finds nothing"
            if expected is None:
                expected = result
            assert result == expected, f"{name}: {engine.name} and {first.name} differ: {difference(result, expected)}"
        rows.append((name, len(expected), times))
    print(f"{'question':16}{'rows':>8}" + "".join(f"{engine.name + ', ms':>18}" for engine in [first, *others]))
    for name, count, times in rows:
        print(f"{name:16}{count:>8}" + "".join(f"{1000 * seconds:>18.1f}" for seconds in times))


def difference(result, expected):
    """The first row that only one of two results has."""
    if len(result) != len(expected):
        return f"{len(result)} and {len(expected)} rows"
    return next(f"{row} and {other}" for row, other in zip(result, expected) if row != other)


def check_tables(archive, others, readings):
    """All engines have the same rows of every derived table, and DuckDB has every reading in the right direction."""
    for table in ("contacts", "meetings", "near", "directions"):
        totals = f"SELECT COUNT(*), CAST(SUM(seconds) AS BIGINT), CAST(SUM(readings) AS BIGINT), CAST(SUM(seconds_2) AS BIGINT), COUNT(DISTINCT device) FROM {table}"
        totals = totals if table not in ("meetings", "near") else totals.replace("device", "day")
        results = [[tuple(row) for row in engine.rows(totals)] for engine in [archive, *others]]
        assert all(result == results[0] for result in results), (table, results)
        print(f"{table:16}{results[0][0][0]:>10} rows, the same sums in all engines")
    duck = next(engine for engine in others if engine.name == "DuckDB")
    [(count,)] = duck.rows("SELECT COUNT(*) FROM readings")
    assert count == readings, f"{count} readings in the data set, {readings} in the logs"
    # The directions are counted by the archive, the readings were decoded for the export: they have to agree for every direction and day.
    begin = time.perf_counter()
    [(wrong, directions)] = duck.rows("""
        WITH counted AS (SELECT day, device, observer, subject, COUNT(*) AS readings FROM readings WHERE observer <> subject GROUP BY ALL),
             stored AS (SELECT day, device, observer, subject, SUM(readings) AS readings FROM directions GROUP BY ALL)
        SELECT COUNT(*) FILTER (WHERE counted.readings IS DISTINCT FROM stored.readings), COUNT(*)
        FROM counted FULL JOIN stored USING (day, device, observer, subject)""")
    assert wrong == 0, f"{wrong} of {directions} directions have another number of readings than the data set"
    print(f"{'readings':16}{count:>10} rows, as many for each of {directions} directions ({time.perf_counter() - begin:.1f} s)")


def main(words):
    folder = words[-1] if words[0] == "--spark" else words[0]
    archive = engines.SQLite(f"{folder}/archive.sqlite")
    if words[0] == "--spark":
        import spark
        with spark.Spark.running(f"{folder}/parquet") as engine:
            begin = time.perf_counter()
            [(count, partitions)] = engine.rows("SELECT COUNT(*), COUNT(DISTINCT day, device) FROM readings WHERE rssi < 0 AND unix_ms > '2000-01-01'")
            assert [(count,)] == archive.rows("SELECT SUM(readings) - SUM(undated) FROM device"), count
            print(f"{count} readings in {partitions} partitions ({time.perf_counter() - begin:.1f} s)")
            compare(archive, [engine])
        return
    with engines.PostgreSQL.running() as postgresql:
        begin = time.perf_counter()
        subprocess.run([os.environ["HERALD_HOST"], "archive", "add", f"{folder}/logs", "--archive", postgresql.address, "--people", f"{folder}/people.csv", "--quiet"],
                       check=True)
        postgresql.psql("-c", "ANALYZE")
        print(f"archive add to PostgreSQL: {time.perf_counter() - begin:.0f} s")
        others = [postgresql, engines.DuckDB(f"{folder}/parquet")]
        check_tables(archive, others, int(words[1]))
        compare(archive, others)


main(sys.argv[1:])
