"""The database engines in which the questions of docs/archive.md are asked. Each has `rows(sql)`."""

import contextlib
import csv
import io
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "archive.md"


def blocks(kind):
    """The SQL blocks of the document whose first line is a comment `-- kind: name`, by name."""
    found = re.findall(rf"```sql\n-- {kind}: (\w+)\n(.*?)```", DOCUMENT.read_text(), re.S)
    assert found, f"docs/archive.md has no blocks of SQL that begin with -- {kind}:"
    return dict(found)


class SQLite:
    """The archive itself, read-only."""

    name = "SQLite"

    def __init__(self, path):
        self.connection = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro", uri=True)

    def rows(self, sql):
        return self.connection.execute(sql).fetchall()


class DuckDB:
    """The exported data set, opened as the document says."""

    name = "DuckDB"

    def __init__(self, folder):
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute(blocks("open")["duckdb"].replace("'ward/", f"'{folder}/"))

    def rows(self, sql):
        return self.connection.execute(sql).fetchall()


class PostgreSQL:
    """A server of Debian's PostgreSQL in a folder of its own, on a Unix socket. A query is a process of its own: the times are
    with its start."""

    name = "PostgreSQL"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        assert programs, "PostgreSQL is not installed: apt-get install postgresql"
        self.programs = programs[-1]

    @classmethod
    @contextlib.contextmanager
    def running(cls):
        """A server that is stopped and removed at the end."""
        folder = tempfile.mkdtemp(prefix="herald-postgresql-")
        server = cls(folder)
        try:
            if os.getuid() == 0:
                # A server does not run as root.
                shutil.chown(folder, "postgres")
            server.run("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--username", "postgres", "--encoding", "UTF8", "--locale", "C",
                       "--no-sync")
            server.run("pg_ctl", "--pgdata", f"{folder}/data", "--wait", "--log", f"{folder}/log", "start", "--options",
                       f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off")
            yield server
        finally:
            server.run("pg_ctl", "--pgdata", f"{folder}/data", "--wait", "--mode", "immediate", "stop", check=False)
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, program, *words, check=True):
        own = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        done = subprocess.run([*own, self.programs / program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/")
        assert done.returncode == 0 or not check, f"{program}: {done.stdout}"

    @property
    def address(self):
        """The address of the database, as libpq and `--archive` have it."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def psql(self, *words):
        done = subprocess.run([self.programs / "psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", *words, self.address],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, sql):
        text = self.psql("--csv", "--tuples-only", "-c", sql)
        return [tuple(int(field) if re.fullmatch(r"-?\d+", field) else field for field in row) for row in csv.reader(io.StringIO(text, newline=""))]
