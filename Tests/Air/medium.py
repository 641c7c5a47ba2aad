"""A 2.4 GHz medium for device processes: it serves the packet interface, version 1, in simulated time.

    medium.py SIMULATION DEVICES SECONDS [--loss PERCENT] [--seed N] [--collide] [--centre N] [--record FILE]

Every device receives every other with a path loss of 60 dB; with `--centre`, all devices are in range of that one only. A receiver receives the first packet on its frequency and with its
access address whose first bit arrives while it receives. `--loss` is the share of packets that a receiver does not detect or
receives damaged, in equal parts; if the header is damaged, the reception ends there. With `--collide`, packets that overlap on a
frequency are damaged.
"""

import argparse
import math
import random
import signal

import records
from port import Finished, Port

PATH_LOSS = 60


class Medium:
    """Opens the FIFOs of `devices` devices in the order of their numbers. Records are written to `out`."""

    def __init__(self, simulation, devices, loss=0, seed=1, collides=False, centre=None, out=None):
        self.simulation = simulation
        self.now, self.loss, self.collides, self.centre, self.out = 0, loss, collides, centre, out
        self.chance = random.Random(seed)
        self.opened = [Port(self, number) for number in range(devices)]
        self.ports = list(self.opened)

    def happens(self, percent):
        return percent > 0 and self.chance.random() * 100 < percent

    def reaches(self, sender, receiver):
        """Whether the device `receiver` is in range of the device `sender`."""
        return self.centre is None or self.centre in (sender, receiver)

    def begin(self, transmission):
        for port in self.ports:
            other = port.transmission
            if (self.collides and other and other is not transmission and other.is_on_air and
                    other.frequency == transmission.frequency):
                other.is_damaged = transmission.is_damaged = True
            if port.is_searching and port.detects(transmission):
                port.found(transmission)

    def rssi(self, receiver, frequency, quiet):
        """The power of all transmissions on a frequency at the device `receiver`, in dBm * 65536."""
        powers = [port.transmission.power / 256 - PATH_LOSS for port in self.opened
                  if port.transmission and port.transmission.is_on_air and port.transmission.frequency == frequency
                  and self.reaches(port.number, receiver)]
        total = sum(10 ** (power / 10) for power in powers)
        return round((10 * math.log10(total) if total else quiet) * 65536)

    def record(self, record):
        if self.out:
            print(records.line(record), file=self.out)

    def remove(self, port):
        self.ports.remove(port)

    def run(self, until):
        """Runs until the time `until` in µs, until a device ends the simulation, or until all have left."""
        try:
            for port in list(self.ports):
                port.next_request()
            while self.ports:
                time, _, _, action = min((port.plan for port in self.ports), key=lambda plan: plan[:3])
                if time >= until:
                    break
                self.now = time
                action()
        except Finished:
            pass
        for port in self.opened:
            port.close()


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    parser = argparse.ArgumentParser(description="A 2.4 GHz medium for device processes, in simulated time.")
    parser.add_argument("simulation")
    parser.add_argument("devices", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--loss", type=float, default=0, help="percent of packets that a receiver loses")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--collide", action="store_true", help="damage packets that overlap")
    parser.add_argument("--centre", type=int, metavar="N", help="all devices are in range of device N only")
    parser.add_argument("--record", type=argparse.FileType("w"), help="file for the transmitted packets")
    options = parser.parse_args()
    medium = Medium(options.simulation, options.devices, options.loss, options.seed, options.collide, options.centre, options.record)
    medium.run(round(options.seconds * 1000000))
    # Medium and ports refer to each other: the interpreter may end without having written the rest of the file.
    if options.record:
        options.record.close()


if __name__ == "__main__":
    main()
