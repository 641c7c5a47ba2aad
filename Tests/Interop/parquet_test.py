#!/usr/bin/env python3
"""Tables that HeraldParquet wrote, read by pyarrow and DuckDB: `.build/venv-tables/bin/python parquet_test.py PART`, with the program parquet-tables in
PARQUET_TABLES."""

import datetime
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import duckdb
import pyarrow
import pyarrow.parquet

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="herald-parquet-"))
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
TYPES = {"boolean": pyarrow.bool_(), "int32": pyarrow.int32(), "int64": pyarrow.int64(), "timestamp": pyarrow.timestamp("ms", "UTC"),
         "string": pyarrow.string(), "bytes": pyarrow.binary()}
TEXTS = ["", " ", "a", "naïve", "Мария", "患者", "مريض", "नमस्ते", "👩🏽‍⚕️", "\u0000", "\r\n\t\"',;", "x" * 65, "y" * 5000]


def write(columns, rows, name="table.parquet"):
    """Writes a table by the program: columns are (name, kind, whether optional)."""
    def word(value, kind):
        if value is None:
            return "-"
        if kind in ("string", "bytes"):
            return "x" + (value.encode() if kind == "string" else value).hex()
        return str(int(value))

    lines = [" ".join(f"{name}:{kind}{'?' if optional else ''}" for name, kind, optional in columns)]
    lines += [" ".join(word(value, kind) for value, (_, kind, _) in zip(row, columns)) for row in rows]
    path = FOLDER / name
    subprocess.run([os.environ["PARQUET_TABLES"], path], input="\n".join(lines) + "\n", text=True, check=True)
    return path


def check(columns, rows, path):
    """Both readers have to find the schema and the rows; pyarrow's statistics have to be those of the rows."""
    table = pyarrow.parquet.read_table(path)
    expected = pyarrow.schema([pyarrow.field(name, TYPES[kind], optional) for name, kind, optional in columns])
    assert table.schema.equals(expected), (table.schema, expected)
    for index, (name, kind, _) in enumerate(columns):
        column = table.column(name)
        found = column.cast(pyarrow.int64()).to_pylist() if kind == "timestamp" else column.to_pylist()
        wanted = [row[index] for row in rows]
        assert found == wanted, (name, next((place, one, other) for place, (one, other) in enumerate(zip(found, wanted)) if one != other))
        kinds = {"timestamp": f"epoch_ms({name})"}
        duck = [row[0] for row in duckdb.execute(f"SELECT {kinds.get(kind, name)} FROM read_parquet('{path}')").fetchall()]
        assert duck == wanted, (name, next((place, one, other) for place, (one, other) in enumerate(zip(duck, wanted)) if one != other))
    metadata = pyarrow.parquet.read_metadata(path)
    assert metadata.num_rows == len(rows)
    place = 0
    for group in range(metadata.num_row_groups):
        part = rows[place:place + metadata.row_group(group).num_rows]
        place += len(part)
        for index, (name, kind, optional) in enumerate(columns):
            statistics = metadata.row_group(group).column(index).statistics
            values = [row[index] for row in part if row[index] is not None]
            assert statistics.null_count == len(part) - len(values)
            if kind == "string":
                values = [value.encode() for value in values]
            limits = (min(values), max(values)) if values else None
            if limits and kind in ("string", "bytes") and max(map(len, limits)) > 64:
                continue
            assert statistics.has_min_max == (limits is not None), name
            if limits:
                found = [statistics.min, statistics.max]
                if kind == "string":
                    found = [value.encode() for value in found]
                if kind == "timestamp":
                    found = [(value - EPOCH) // datetime.timedelta(milliseconds=1) for value in found]
                assert tuple(found) == limits, (name, found, limits)
    return metadata


def part_types():
    """Every type, with and without nulls, at the ends of its range."""
    numbers32 = [0, 1, -1, 2**31 - 1, -2**31]
    numbers64 = [*numbers32, 2**63 - 1, -2**63]
    # Dates that Python has; epoch_ms is the number again.
    dates = [0, 1, -1, 253_402_300_799_999, 1_789_369_200_123]
    for optional in (False, True):
        columns = [(kind, kind, optional) for kind in TYPES]
        rows = []
        for number in range(64):
            row = [number % 2 == 0, numbers32[number % 5], numbers64[number % 7], dates[number % 5], TEXTS[number % len(TEXTS)],
                   bytes([number, 255, 0])]
            rows.append([None if optional and (number + place) % 3 == 0 else value for place, value in enumerate(row)])
        check(columns, rows, write(columns, rows))
    columns = [(kind, kind, True) for kind in TYPES]
    nothing = [[None] * len(columns)] * 1000
    check(columns, nothing, write(columns, nothing))


def part_empty():
    """Tables without rows."""
    for optional in (False, True):
        columns = [(kind, kind, optional) for kind in TYPES]
        assert check(columns, [], write(columns, [])).num_row_groups == 0


def part_groups():
    """Many row groups, which end after 131,072 rows, or after 8 MiB of different texts."""
    columns = [("number", "int64", False), ("text", "string", True)]
    rows = [[number * 7, None if number % 11 == 0 else f"text {number % 1000}"] for number in range(270_000)]
    metadata = check(columns, rows, write(columns, rows))
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [131_072, 131_072, 7_856]
    texts = [[f"{number:06}" + "z" * 50_000] for number in range(200)]
    columns = [("text", "string", False)]
    metadata = check(columns, texts, write(columns, texts))
    # A text of 50,006 bytes has 50,010 with its length: 168 of them have more than 8 MiB.
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [168, 32]


def part_encodings():
    """Each encoding is used where it is smaller, and each chunk is compressed where that makes it smaller."""
    chance = random.Random(20)
    columns = [("time", "timestamp", False), ("level", "int32", False), ("name", "string", False), ("key", "string", False), ("one", "string", False)]
    rows = []
    time = 1_789_369_200_000
    for number in range(5000):
        time += chance.choice([10, 20, 30_000, 29_990])
        rows.append([time, -48 - chance.randrange(30) ** 2, f"person {chance.randrange(20)}", f"{chance.getrandbits(128):032x}", "x"])
    metadata = check(columns, rows, write(columns, rows))
    chunks = [metadata.row_group(0).column(index) for index in range(len(columns))]
    encodings = [set(chunk.encodings) for chunk in chunks]
    assert encodings[0] == {"DELTA_BINARY_PACKED"} and encodings[1] == encodings[2] == encodings[4] == {"PLAIN", "RLE_DICTIONARY"}, encodings
    assert encodings[3] == {"PLAIN"} and not chunks[3].has_dictionary_page and chunks[1].has_dictionary_page
    assert [chunk.compression for chunk in chunks[:4]] == ["ZSTD"] * 4
    assert chunks[0].total_compressed_size < 5000 * 2 and chunks[4].total_compressed_size < 100


def part_random():
    """Tables of any columns and rows, with runs and jumps."""
    for seed in range(60):
        chance = random.Random(seed)
        columns = [(f"c{number}", chance.choice(list(TYPES)), chance.random() < 0.5) for number in range(chance.randrange(1, 8))]
        count = chance.choice([1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 130, 1000, 3000])
        rows = []
        # A span of numbers for each column, and how often a value repeats the one before.
        spans = [(chance.randrange(0, 40), chance.random()) for _ in columns]
        dull = [None] * len(columns)
        for _ in range(count):
            row = []
            for place, (_, kind, optional) in enumerate(columns):
                span, repeats = spans[place]
                if dull[place] is not None and chance.random() < repeats:
                    row.append(dull[place])
                    continue
                if optional and chance.random() < 0.2:
                    row.append(None)
                    continue
                value = chance.randrange(-2**min(span, 31), 2**min(span, 31))
                if kind == "int64":
                    value = chance.randrange(-2**(span * 63 // 40), 2**(span * 63 // 40))
                elif kind == "timestamp":
                    value = chance.randrange(-2**span, 2**span)
                elif kind == "boolean":
                    value = value % 2 == 0
                elif kind == "string":
                    value = chance.choice(TEXTS) + str(value % 2**(span // 4))
                elif kind == "bytes":
                    value = chance.randbytes(span)
                dull[place] = value
                row.append(value)
            rows.append(row)
        check(columns, rows, write(columns, rows))


if __name__ == "__main__":
    try:
        globals()[f"part_{sys.argv[1]}"]()
    finally:
        subprocess.run(["rm", "-rf", FOLDER], check=True)
