"""What a case of the suite uses: it runs devices, judges their packets and collects the figures."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pcap
import records
from judge import Judge
from play import Program, play

ROOT = Path(__file__).resolve().parent.parent.parent
# script/air builds it with optimisation.
DEVICE = os.environ.get("AIR_DEVICE", str(ROOT / ".build/release/air-device"))


class Failure(Exception):
    """An expectation of a case that was not met."""


def device(words):
    """A process with a link layer; the words are those of Device/DeviceSettings.swift."""
    return Program(lambda simulation, number: [DEVICE, f"{simulation}:{number}", *words.split()])


class Case:
    def __init__(self, name):
        self.name = name
        self.answers = self.max_error = self.packets = 0
        self.breaches, self.notes = [], []
        self.judged = None

    def expect(self, is_met, text):
        if not is_met:
            raise Failure(text)

    def note(self, text):
        self.notes.append(text)

    def play(self, *devices, seconds, is_lossless=False, judged=None, **options):
        """Runs devices and judges their packets, or those of the devices `judged`. Returns the results; that of a device process
        is its counts. `self.judged` is the judge."""
        results, transmitted = play(*devices, seconds=seconds, **options)
        for number, one in enumerate(devices):
            if isinstance(one, Program):
                status, output = results[number]
                self.expect(status == 0, f"device {number} ended with status {status}; the end of what it printed:\n{output[-8000:]}")
                if output.startswith("{"):
                    results[number] = json.loads(output)
                    self.check_order(results[number])
        self.judged = self.judge(transmitted, is_lossless, judged)
        self.check_with_tshark(transmitted, judged)
        return results

    def check_order(self, counts):
        self.expect(counts["misordered"] == 0, f"device {counts['device']} received payloads out of order: {counts}")

    def judge(self, transmitted, is_lossless=False, judged=None):
        """Judges packets in the order of time, and returns the judge."""
        judge = Judge(is_lossless, judged)
        for record in transmitted:
            judge.take(record)
            self.packets += 1
        self.answers += judge.answers
        self.max_error = max(self.max_error, judge.max_error)
        self.breaches += judge.breaches
        return judge

    def check_with_tshark(self, transmitted, judged):
        """tshark finds no wrong CRC and no malformed packet of the judged devices."""
        if not shutil.which("tshark"):
            return
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/air.pcap"
            annotated = list(pcap.annotated(transmitted))
            pcap.write(path, transmitted)
            query = "btle.crc.incorrect or _ws.malformed"
            output = subprocess.run(["tshark", "-r", path, "-Y", query, "-T", "fields", "-e", "frame.number"],
                                    capture_output=True, text=True, check=True).stdout
        faulty = [annotated[int(number) - 1][0] for number in output.split()]
        for record in faulty:
            if judged is None or record.device in judged:
                self.breaches.append((record.start, f"device {record.device}: tshark: {record.packet.hex()}"))

    def run_in_process(self, words):
        """Runs devices on a medium in one process, and judges their packets while they are written. Returns the counts of the
        devices, and the judge."""
        with tempfile.TemporaryFile("w+") as errors:
            with subprocess.Popen([DEVICE, "medium", *words.split()], stdout=subprocess.PIPE, stderr=errors, text=True) as program:
                judge = self.judge(records.parse(program.stdout))
            errors.seek(0)
            text = errors.read()
        self.expect(program.returncode == 0, f"exit status {program.returncode}: {text}")
        counts = [json.loads(line) for line in text.splitlines()]
        for one in counts:
            self.check_order(one)
        return counts, judge
