"""Runs EDTT (Embedded Device Test Tool) with two corrections of its decoder of LE Connection Complete, an event of Bluetooth 4.0 that its own controllers do not send:

    edtt_tool.py FOLDER OPTION…

It cannot print the address in that event, and checks the parameters of one with an error status, which have no meaning."""

import sys
from pathlib import Path

folder, *options = sys.argv[1:]
sys.path[0] = str(Path(folder) / "src")
sys.dont_write_bytecode = True
import edttool  # noqa: E402
from components.address import Address  # noqa: E402
from components.events import Event, Events, MetaEvents  # noqa: E402

decode = Event.decode


def decode_failed_connection(event):
    try:
        return decode(event)
    except Exception:
        kinds = (Events.BT_HCI_EVT_LE_META_EVENT, MetaEvents.BT_HCI_EVT_LE_CONN_COMPLETE)
        status = event.values[0] if event.values else 0
        if (event.event, event.subEvent) != kinds or status == 0:
            raise
        event.errors.clear()
        return event.values


Event.decode = decode_failed_connection
Address.__format__ = lambda address, _: str(address)
sys.argv = ["edttool.py", *options]
edttool.main()
