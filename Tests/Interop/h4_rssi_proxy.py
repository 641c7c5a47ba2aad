#!/usr/bin/env python3
"""A proxy between a host and a controller, with H4 over TCP on both sides, that sets the RSSI of each peer.

    h4_rssi_proxy.py --controller HOST:PORT [--listen PORT] --rssi FILE

FILE has a line per peer: its address, and either one number in dBm or a walk, `SECONDS:DBM` pairs between which the RSSI changes linearly, counted from the start of
this program. `*` represents all other peers. A change of the file takes effect at once.

    F0:D1:00:00:00:01  -60
    F0:D1:00:00:00:02  0:-95 10:-50 20:-95
    *                  -80
"""

import argparse
import asyncio
import os
import time

EVENT, LE_META, ADVERTISING_REPORT, EXTENDED_ADVERTISING_REPORT = 0x04, 0x3E, 0x02, 0x0D


class Walk:
    """The RSSI of a peer over time: points (seconds, dBm), linear between them, constant outside."""

    def __init__(self, points):
        self.points = sorted(points)

    @classmethod
    def parse(cls, text):
        """From `-60` or `0:-95 10:-50`."""
        words = text.split()
        if len(words) == 1 and ":" not in words[0]:
            return cls([(0.0, float(words[0]))])
        return cls([tuple(float(part) for part in word.split(":")) for word in words])

    def at(self, seconds):
        """The RSSI at a time, in whole dBm."""
        before = [p for p in self.points if p[0] <= seconds]
        after = [p for p in self.points if p[0] > seconds]
        if not before:
            return round(after[0][1])
        if not after:
            return round(before[-1][1])
        (t0, v0), (t1, v1) = before[-1], after[0]
        return round(v0 + (v1 - v0) * (seconds - t0) / (t1 - t0))


class RSSIValues:
    """The RSSI of every peer, now."""

    def __init__(self, walks=None, jitter=0):
        self.walks = dict(walks or {})
        self.start = time.monotonic()
        self.jitter = jitter
        self.count = 0

    def restart(self, walks):
        """Other walks, from now on."""
        self.walks = walks
        self.start = time.monotonic()

    def of(self, address):
        """dBm of the peer with this address, as HCI's byte."""
        walk = self.walks.get(address) or self.walks.get("*")
        if walk is None:
            return None
        # A fixed pattern instead of random values: consecutive readings differ, and each run is the same.
        self.count += 1
        noise = (self.count * 7 % 5 - 2) * self.jitter // 2
        return max(-127, min(20, walk.at(time.monotonic() - self.start) + noise)) & 0xFF


class FileRSSIValues(RSSIValues):
    """RSSI values from a control file that may change at any time."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.stamp = None

    def of(self, address):
        stamp = os.stat(self.path).st_mtime_ns
        if stamp != self.stamp:
            self.stamp = stamp
            lines = [line.split(maxsplit=1) for line in open(self.path) if line.strip()]
            self.walks = {line[0].upper(): Walk.parse(line[1]) for line in lines}
        return super().of(address)


def packet_length(data):
    """The length of the H4 packet at the start of `data`; None while its header is incomplete."""
    header = {0x01: (4, lambda d: d[3]), 0x02: (5, lambda d: d[3] | d[4] << 8), 0x03: (4, lambda d: d[3]),
              0x04: (3, lambda d: d[2]), 0x05: (5, lambda d: (d[3] | d[4] << 8) & 0x3FFF)}.get(data[0])
    if header is None:
        raise ValueError(f"{data[0]:#x} is no H4 packet type")
    return header[0] + header[1](data) if len(data) >= header[0] else None


def rewrite(packet, rssi_values):
    """The packet with the RSSI values of its advertising reports replaced; any other packet as it is."""
    if len(packet) < 5 or packet[0] != EVENT or packet[1] != LE_META:
        return packet
    changed = bytearray(packet)
    offset = 5
    for _ in range(packet[4]):
        if packet[3] == ADVERTISING_REPORT:
            address, rssi = offset + 2, offset + 9 + packet[offset + 8]
            offset = rssi + 1
        elif packet[3] == EXTENDED_ADVERTISING_REPORT:
            address, rssi = offset + 3, offset + 13
            offset += 24 + packet[offset + 23]
        else:
            return packet
        text = ":".join(f"{byte:02X}" for byte in reversed(packet[address : address + 6]))
        strength = rssi_values.of(text)
        if strength is not None:
            changed[rssi] = strength
    return bytes(changed)


class RSSIProxy:
    """The proxy, for one host at a time."""

    def __init__(self, controller_host, controller_port, rssi_values):
        self.controller = (controller_host, controller_port)
        self.rssi_values = rssi_values
        self.server = None

    async def start(self, port=0):
        """Listens; returns the port."""
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", port)
        return self.server.sockets[0].getsockname()[1]

    async def serve(self, host_reader, host_writer):
        try:
            reader, writer = await asyncio.open_connection(*self.controller)
        except OSError:
            host_writer.close()
            return
        tasks = [
            asyncio.create_task(self.pass_bytes(host_reader, writer)),
            asyncio.create_task(self.pass_packets(reader, host_writer)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            writer.close()
            host_writer.close()

    async def pass_bytes(self, reader, writer):
        while data := await reader.read(4096):
            writer.write(data)

    async def pass_packets(self, reader, writer):
        buffered = b""
        while data := await reader.read(4096):
            buffered += data
            while buffered and (length := packet_length(buffered)) and len(buffered) >= length:
                writer.write(rewrite(buffered[:length], self.rssi_values))
                buffered = buffered[length:]


async def main():
    parser = argparse.ArgumentParser(description="Sets the RSSI of advertising reports between a host and a controller.")
    parser.add_argument("--controller", required=True, metavar="HOST:PORT")
    parser.add_argument("--listen", type=int, default=0, metavar="PORT", help="0, the default, takes any free one")
    parser.add_argument("--rssi", required=True, metavar="FILE")
    arguments = parser.parse_args()
    host, port = arguments.controller.rsplit(":", 1)
    proxy = RSSIProxy(host, int(port), FileRSSIValues(arguments.rssi))
    print(f"listening on 127.0.0.1:{await proxy.start(arguments.listen)}", flush=True)
    await proxy.server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
