"""Queries on the rows of contacts.csv."""

import asyncio
import json
from datetime import datetime

from node import PATIENCE, contacts, pull, run


def rows_of(rows, phone, column):
    """The rows about a phone that have something in a column."""
    return [row for row in rows if row["id"] == phone.identity and row[column]]


def rssi_values_of(rows, phone):
    """The RSSI values of a phone in their order, in dBm."""
    return [float(row["data"].removeprefix("RSSI:").split("[")[0]) for row in rows_of(rows, phone, "measure")]


def time_of(row):
    """The time in seconds since 1970."""
    return datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.%f%z").timestamp()


async def pull_until(node, output, enough, what, seconds=PATIENCE):
    """Pulls the log repeatedly until its rows are sufficient; returns them, or fails with what is missing. `what` may be a
    function of the rows."""
    rows = []
    try:
        async with asyncio.timeout(seconds):
            while True:
                await pull(node.link, output)
                rows = contacts(output)
                if enough(rows):
                    return rows
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"no {what(rows) if callable(what) else what} within {seconds} s") from None


async def summary(output):
    """herald-host's result for a pulled log: payload in hexadecimal to contact."""
    status, out, err = await run("herald-host", "log", "convert", output, "--json")
    assert status == 0, err
    return {contact["payload_hex"]: contact for contact in json.loads(out)["contacts"]}
