"""Runs devices on a medium: functions of a `Phy` in threads of this process, and programs. A program may be several devices."""

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


def free_port():
    """A TCP port of this machine that is not in use."""
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


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
                programs[number] = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
            elif device:
                threads.append(threading.Thread(target=execute, args=(number, device), daemon=True))
                threads[-1].start()
        Medium(simulation, len(devices), out=recorded, **options).run(round(seconds * 1000000))
        for thread in threads:
            thread.join(10)
        for number, program in programs.items():
            output = program.communicate(timeout=20)[0]
            results[number] = (program.returncode, output)
    finally:
        for program in programs.values():
            program.kill()
    if failures:
        raise failures[0]
    return [results.get(number) for number in range(len(devices))], recorded.records()
