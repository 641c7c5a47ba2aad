#!/usr/bin/env bash
# Expected: `PRAGMA data_version` of one connection changes if another connection has committed in between, and
#   stays as long as none has; its own transactions, undone ones included, do not change it.
# Seen: after the first transaction on an empty file has failed because there was no room, the value is another
#   one each time that it is read, although no other connection exists and the file has no byte. With the next
#   successful write it stands still again. A transaction undone without that error changes nothing, and neither
#   does the error in a file that has a table.
# Versions: SQLite 3.54.1 in apsw 3.54.1.0, Python 3.11; 3.40.1 is the same.
# Why it matters here: a program that has made a database, and cannot fill it, asks by this value whether somebody
#   else has used the file meanwhile, before it removes the file. On a full disk the answer is always yes, and an
#   empty file stays under the name of an archive.
# Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install apsw==3.54.1.0
cd "$folder"
venv/bin/python - <<'PROGRAM'
import os
import sys
import apsw


def history(name, has_table, is_full):
    """The values before a transaction, after it was undone, and after a write that succeeds."""
    database = apsw.Connection(name)
    values = lambda: [database.execute("PRAGMA data_version").fetchone()[0] for _ in range(4)]
    database.execute("PRAGMA max_page_count = 3")
    if has_table:
        database.execute("CREATE TABLE first (a)")
    before = values()
    error = None
    try:
        database.execute("BEGIN IMMEDIATE")
        for number in range(20 if is_full else 1):
            database.execute(f"CREATE TABLE t{number} (a)")
    except apsw.FullError as full:
        error = str(full)
    database.execute("ROLLBACK")
    undone, size = values(), os.path.getsize(name)
    database.execute("CREATE TABLE last (a)")
    return before, error, undone, size, values()


print("SQLite", apsw.sqlite_lib_version())
full = history("full", has_table=False, is_full=True)
undone = history("undone", has_table=False, is_full=False)
table = history("table", has_table=True, is_full=True)
for name, seen in ("empty file, no room", full), ("empty file, undone", undone), ("file with a table, no room", table):
    print(f"{name}: before {seen[0]}, error {seen[1]}, after {seen[2]} with {seen[3]} bytes, after a write {seen[4]}")
if full[1] is None or table[1] is None or undone[1] is not None:
    sys.exit("there is room, or none, where it was not expected")
if full[0] != [1] * 4 or full[2] != [2, 3, 4, 5] or full[3] != 0 or len(set(full[4])) != 1:
    sys.exit("the behaviour on an empty file without room has changed")
if any(set(values) != {1} for seen in (undone, table) for values in (seen[0], seen[2], seen[4])):
    sys.exit("the behaviour without the error, or with a table, has changed")
PROGRAM
