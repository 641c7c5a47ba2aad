#!/usr/bin/env python3
"""A virtual CMSIS-DAP probe with a chip of Nordic's behind it, served as USB/IP. Tests use it as an object; it is also a program."""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path

import usbip
import usbip_messages
from chips import FACTS, Chip
from cmsis_dap import CMSISDAP
from probe_device import ProbeDevice
from swd import Wire

SERIAL = "HERALD0001"


class VirtualProbe:
    """`chip` is the chip, `dap` counts the packets, and `port` is the TCP port of the USB/IP server.

    vanish_after: after this number of packets the probe disconnects, without a response to the last; `plug_in` reconnects it.
    wait_every, wait_times, fault_at: see `Wire`. is_atomic, cut_at: see `CMSISDAP`. bulk, hid, packet_size: see `ProbeDevice`. The rest: see `Chip`."""

    def __init__(self, chip="nrf52833", port=0, serial=SERIAL, vanish_after=None, wait_every=0, wait_times=1, fault_at=(), is_atomic=True, cut_at=(),
                 bulk=True, hid=True, packet_size=512, **others):
        self.chip = Chip(chip, **others)
        self.wire = Wire(self.chip, wait_every, wait_times, fault_at)
        self.dap = CMSISDAP(self.wire, serial, is_atomic, cut_at)
        self.vanish_after = vanish_after
        self.device = ProbeDevice(self.answer, serial, bulk, hid, packet_size)
        self.server = usbip.Server(self.device, port)
        self.port = self.server.port

    def answer(self, packet, room):
        if self.vanish_after is not None:
            if self.vanish_after == 0:
                raise usbip.Vanished
            self.vanish_after -= 1
        return self.dap.answer(packet, room)

    def plug_in(self, vanish_after=None):
        """Reconnects the probe, which has lost power in between; the chip has not."""
        self.vanish_after = vanish_after
        self.wire.power_down()
        self.wire.is_identified = False
        self.server.is_present = True

    def facts(self):
        """The state as JSON."""
        dap, memory = self.dap, self.chip.nonvolatile
        return {"packets": dap.packets, "bytes_out": dap.bytes_out, "bytes_in": dap.bytes_in, "transfers": self.wire.transfers, "malformed": len(dap.malformed),
                "commands": {f"{code:#04x}": count for code, count in sorted(dap.commands.items())}, "words_written": memory.writes,
                "pages_erased": {f"{address:#x}": count for address, count in sorted(memory.erased.items())},
                "violations": [f"{violation.what} at {violation.address:#x}" for violation in memory.violations]}

    def close(self):
        self.server.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def main():
    parser = argparse.ArgumentParser(description="A virtual CMSIS-DAP probe served as USB/IP on 127.0.0.1, bus id 1-1. Tells its port on standard output, and at SIGUSR1 "
                                     "and at the end what happened, as JSON on standard error.")
    parser.add_argument("--chip", choices=FACTS, default="nrf52833")
    parser.add_argument("--port", type=int, default=usbip_messages.PORT, help="TCP port; 0 is any")
    parser.add_argument("--serial", default=SERIAL)
    parser.add_argument("--interfaces", choices=["both", "bulk", "hid"], default="both")
    parser.add_argument("--packet-size", type=int, choices=[64, 512], default=512, help="of the bulk interface")
    parser.add_argument("--locked", action="store_true", help="the chip is read-back protected")
    parser.add_argument("--hardened", action="store_true", help="the chip is of a revision that locks itself at each reset")
    parser.add_argument("--wait-every", type=int, default=0, metavar="N", help="each Nth access to an access port is answered WAIT")
    parser.add_argument("--wait-times", type=int, default=1, metavar="N", help="as often as this")
    parser.add_argument("--fault-at", type=int, action="append", default=[], metavar="N", help="the Nth access to an access port fails; may be repeated")
    parser.add_argument("--no-atomic", action="store_true", help="neither ExecuteCommands nor QueueCommands")
    parser.add_argument("--cut-at", type=int, action="append", default=[], metavar="N", help="the response to the Nth packet lacks its last byte; may be repeated")
    parser.add_argument("--debug-port", type=lambda text: int(text, 0), metavar="N", help="another DPIDR than the chip's")
    parser.add_argument("--part", type=lambda text: int(text, 0), metavar="N", help="another part in FICR than the chip's")
    parser.add_argument("--vanish-after", type=int, metavar="N", help="the probe is gone after N command packets; at SIGHUP it is back")
    parser.add_argument("--image", type=Path, help="what is in flash, as bytes from address 0; read if it is there, and written at the end")
    words = parser.parse_args()
    others = {name: value for name, value in {"debug_port": words.debug_port, "part": words.part}.items() if value is not None}
    probe = VirtualProbe(
        words.chip, words.port, words.serial, words.vanish_after, words.wait_every, words.wait_times, words.fault_at, not words.no_atomic, words.cut_at,
        words.interfaces != "hid", words.interfaces != "bulk", words.packet_size, is_hardened=words.hardened, is_locked=words.locked, **others)
    if words.image and words.image.exists():
        probe.chip.store(0, words.image.read_bytes())
        probe.chip.reset()
    is_over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    signal.signal(signal.SIGHUP, lambda *_: probe.plug_in())
    signal.signal(signal.SIGUSR1, lambda *_: print(json.dumps(probe.facts()), file=sys.stderr, flush=True))
    print(f"usbip 127.0.0.1:{probe.port}/1-1", flush=True)
    is_over.wait()
    probe.close()
    if words.image:
        words.image.write_bytes(probe.chip.flash())
    print(json.dumps(probe.facts()), file=sys.stderr)


if __name__ == "__main__":
    main()
