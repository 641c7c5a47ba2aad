"""Runs devices on a medium: functions of a `Phy` in threads of this process, and programs. A program may be several devices."""

import itertools
import random
import socket
import subprocess
import threading
import uuid

import records
from medium import Medium
from phy import Ended, Phy


class Recorded:
    """The records of a medium in place of a file."""

    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)

    def records(self):
        return list(records.parse("".join(self.lines).splitlines()))


class Program:
    """A device that is a program. `command` returns its words for a simulation and a number."""

    def __init__(self, command):
        self.command = command


class Output(threading.Thread):
    """What a running program prints. It is read all the time: a full pipe would stop the program, and the simulation with it."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process = process
        self.text = ""
        self.start()

    def run(self):
        self.text = self.process.stdout.read()

    def result(self, timeout):
        """The program's exit status and what it has printed, once it has ended."""
        status = self.process.wait(timeout)
        self.join()
        return status, self.text


# Below the ports that Linux gives to connections: one of these could be in use by a connection before the program listens.
PORTS = range(20000, 32768)


def is_free(port):
    with socket.socket() as any_socket:
        try:
            any_socket.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count):
    """TCP ports of this machine that are not in use."""
    return list(itertools.islice(filter(is_free, random.sample(PORTS, len(PORTS))), count))


def play(*devices, seconds=3, **options):
    """Runs a simulation of `seconds`; the keyword options are those of `Medium`. A device is a function of a `Phy`, a
    `Program`, or None if the program of another device joins as this one, too. Returns the results of the functions and (exit status, output) of the programs, in the order of the devices, and
    the records. An exception of a function is raised here."""
    simulation, recorded = uuid.uuid4().hex[:8], Recorded()
    results, failures, threads, programs = {}, [], [], {}

    def execute(number, device):
        try:
            phy = Phy(simulation, number)
            try:
                results[number] = device(phy)
            except Exception as failure:
                if not isinstance(failure, Ended):
                    failures.append(failure)
            phy.leave()
        except Ended:
            pass
    try:
        for number, device in enumerate(devices):
            if isinstance(device, Program):
                words = device.command(simulation, number)
                programs[number] = Output(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
            elif device:
                threads.append(threading.Thread(target=execute, args=(number, device), daemon=True))
                threads[-1].start()
        Medium(simulation, len(devices), out=recorded, **options).run(round(seconds * 1000000))
        for thread in threads:
            thread.join(10)
        for number, program in programs.items():
            results[number] = program.result(timeout=20)
    finally:
        for program in programs.values():
            program.process.kill()
    if failures:
        raise failures[0]
    return [results.get(number) for number in range(len(devices))], recorded.records()
