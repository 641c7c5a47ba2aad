"""Shared parts of the programs that use smpclient: reports of what was expected and found, and commands that smpclient lacks."""

import sys

import smp.message
from pydantic import create_model
from smp.error import ErrorV1, ErrorV2
from smpclient import SMPClient
from smpclient.transport.serial import SMPSerialTransport

failures = []


def expect(what, condition, seen=None):
    print(("ok " if condition else "FAILED ") + what + ("" if condition else f": {seen!r}"), flush=True)
    if not condition:
        failures.append(what)


def finish():
    """Ends the program, with status 0 if all results were as expected."""
    sys.exit(1 if failures else 0)


def connected(port):
    """A client at a serial port, to be used with `async with`."""
    return SMPClient(SMPSerialTransport(), port, timeout_s=5)


def read(group, number, error=ErrorV2, **answer):
    """A command that reads, as any user of smpclient would add it: a class of requests. `answer` has the type of each field of the response; one that may be
    missing has (type, None)."""
    return command("Read", group, number, error, {}, answer)


def write(group, number, error=ErrorV2, fields=None, **answer):
    """The same of a command that writes, with the types of the request's fields."""
    return command("Write", group, number, error, fields or {}, answer)


def command(kind, group, number, error, fields, answer):
    def model(base, types):
        made = create_model(base.__name__, __base__=base, **{
            name: kind if isinstance(kind, tuple) else (kind, ...) for name, kind in types.items()})
        made._GROUP_ID, made._COMMAND_ID = group, number
        return made

    class General(ErrorV1):
        _GROUP_ID = group

    request = model(getattr(smp.message, f"{kind}Request"), fields)
    request._Response = model(getattr(smp.message, f"{kind}Response"), answer)
    request._ErrorV1, request._ErrorV2 = General, error
    return request
