"""Runs the micro:bit's image in step with its own clock, so that the same bytes come at the same instruction in every run.

QEMU counts instructions (`-icount`): each takes 64 ns, a cycle of 15.6 MHz, and a processor that sleeps skips to its next timer at once. The debugger stops the
machine before it sleeps; only then bytes are put on its line, each at its time. The load of the host's processor has no effect.

A byte that comes while the processor is busy is put on the line when it next sleeps. On a chip it would cause an interrupt at once; here it costs an additional
sleep and wake-up. In this respect the counts of instructions are upper bounds."""

import re
import subprocess
from pathlib import Path

from emulator import PATIENCE, QEMU, image, need_qemu, symbols
from registers import (
    CAPTURE, CLOCK, COMPARE, ENABLE, MODE, PRESCALER, START, SYSTICK, TIMER0, TIMER1, UART, VALUE, Registers, listener, options, read, write)

# dsb, wfi: where the processor is put to sleep.
SLEEP = bytes.fromhex("bff34f8f30bf")
# An instruction takes 2^SHIFT ns.
SHIFT = 6
# Duration of a byte with start and stop bits at 1 Mbaud, in microseconds.
TICK = 10
# The UART's FIFO, and whether it has something.
FIFO = 6
READY = read(UART + 0x108)


class Lockstep:
    """A context manager. `peer` is the other end of the line: `peer.heard(bytes)` returns its response."""

    def __init__(self, folder, peer):
        need_qemu()
        self.folder = Path(folder)
        self.peer = peer
        self.elf = image("microbit", "wearable-hci")
        self.names = symbols(self.elf)
        # Bytes to be received, each with its time in microseconds.
        self.line = []
        self.line_free = 0
        self.now = 0
        # The number of barriers passed.
        self.barriers = 0

    def __enter__(self):
        listeners = {name: listener(self.folder / name) for name in ("serial", "gdb", "qtest")}
        words = [QEMU, "-M", "microbit", "-accel", "tcg", "-icount", f"shift={SHIFT},sleep=off", "-seed", "1", "-S",
                 "-display", "none", "-nodefaults", "-kernel", str(self.elf), "-monitor", "none", "-D", str(self.folder / "trace"),
                 *options(self.folder / "qtest")]
        for name in ("serial", "gdb"):
            words += ["-chardev", f"socket,id={name},path={self.folder / name}", f"-{name}", f"chardev:{name}"]
        self.errors = open(self.folder / "qemu.txt", "wb")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)
        accepted = {}
        try:
            for name, waiting in listeners.items():
                accepted[name], _ = waiting.accept()
                waiting.close()
        except TimeoutError:
            self.process.kill()
            raise AssertionError(f"QEMU does not connect: {(self.folder / 'qemu.txt').read_text(errors='replace')}") from None
        self.serial, self.gdb, self.registers = accepted["serial"], accepted["gdb"], Registers(accepted["qtest"])
        self.serial.setblocking(False)
        self.gdb.settimeout(PATIENCE)
        self.gdb_rest = b""
        self.ask("qXfer:features:read:target.xml:0,ffb")
        self.ask("?")
        code = Path(str(self.elf).replace(".elf", ".bin")).read_bytes()
        [self.sleep] = [found.start() for found in re.finditer(re.escape(SLEEP), code, re.DOTALL)]
        assert self.ask(f"Z0,{self.sleep:x},2") == "OK"
        self.registers.do(write(TIMER1 + MODE, 3), write(TIMER1 + PRESCALER, 4), write(TIMER1 + START, 1))
        self.tick_on()
        self.go()
        return self

    def __exit__(self, kind, error, trace):
        self.process.kill()
        self.process.wait()
        for one in (self.serial, self.gdb, self.registers):
            one.close()
        self.errors.close()

    # The debugger's connection.

    def send(self, text):
        data = text.encode()
        self.gdb.sendall(b"+$" + data + b"#%02x" % (sum(data) & 255))

    def packet(self):
        while True:
            start = self.gdb_rest.find(b"$")
            end = self.gdb_rest.find(b"#", start)
            if start >= 0 and end >= 0 and len(self.gdb_rest) >= end + 3:
                answer = self.gdb_rest[start + 1:end]
                self.gdb_rest = self.gdb_rest[end + 3:]
                return answer.decode()
            more = self.gdb.recv(65536)
            assert more, "QEMU is gone"
            self.gdb_rest += more

    def ask(self, text):
        self.send(text)
        return self.packet()

    def monitor(self, line):
        """Executes a command without output in QEMU's monitor."""
        assert self.ask("qRcmd," + line.encode().hex()) == "OK"

    def go(self):
        """Continues to the next breakpoint."""
        answer = self.ask("c")
        assert answer.startswith("T05"), answer

    def pass_barrier(self):
        """Steps over the barrier at the breakpoint, which would stop the machine again at once."""
        assert self.ask(f"Pf={(self.sleep + 4).to_bytes(4, 'little').hex()}") == "OK"
        self.barriers += 1

    # Stopped by a breakpoint, QEMU 7.2 skips to its next timer as if the processor slept. So there always is one that soon ends, of timers that the
    # image does not use, without their interrupts: SysTick while the processor is busy, and one just after its waking while it sleeps.

    def tick_on(self):
        self.registers.do(write(SYSTICK + 4, 16 * TICK - 1), write(SYSTICK + 8, 0), write(SYSTICK, 5))

    def sleep_until(self, at):
        """Lets the processor sleep until that microsecond or another wake-up, and stops it there."""
        woken = self.sleep + len(SLEEP)
        own, other, alarm = VALUE + 4, VALUE, VALUE + 8
        # An unused compare register of its timer wakes it, unless the one in use does so earlier.
        own_at, enabled, spare_now = self.registers.do(
            read(TIMER0 + own), read(TIMER0 + ENABLE), write(TIMER1 + CAPTURE + 12, 1), read(TIMER1 + VALUE + 12))
        first = min(at, own_at) if enabled & 1 << 17 else at
        self.registers.do(
            write(TIMER0 + alarm, at), write(TIMER0 + COMPARE + 8, 0), write(TIMER0 + ENABLE, 1 << 18),
            write(TIMER1 + other, spare_now + max(first - self.now, 0) + TICK), write(TIMER1 + COMPARE, 0), write(SYSTICK, 0))
        assert self.ask(f"Z0,{woken:x},2") == "OK"
        self.pass_barrier()
        self.go()
        assert self.ask(f"z0,{woken:x},2") == "OK"
        self.tick_on()
        self.registers.do(write(TIMER0 + ENABLE + 4, 1 << 18), write(TIMER0 + COMPARE + 8, 0))

    # The line.

    def say(self, data, at=0):
        """Queues bytes from the peer, from that microsecond on or when the line is free."""
        at = max(at, self.now, self.line_free)
        for byte in data:
            at += TICK
            self.line.append((at, byte))
        self.line_free = at

    def hear(self):
        """Passes the bytes that the image has sent to the peer, and queues its response."""
        try:
            data = self.serial.recv(65536)
        except BlockingIOError:
            return
        if answer := self.peer.heard(data):
            self.say(answer)

    def feed(self):
        """Puts due bytes on the line if the UART has room; returns whether there were any."""
        self.now, is_full = self.registers.do(CLOCK, READY)
        due = 0
        while due < len(self.line) and due < FIFO and self.line[due][0] <= self.now:
            due += 1
        if due == 0 or is_full:
            return False
        self.serial.sendall(bytes(byte for _, byte in self.line[:due]))
        del self.line[:due]
        while self.registers.do(READY) == [0]:
            pass
        return True

    def run(self, until):
        """Runs until that microsecond has passed and the processor sleeps."""
        while True:
            self.hear()
            if self.feed():
                self.pass_barrier()
            elif self.now >= until:
                return
            else:
                self.sleep_until(min(until, self.line[0][0]) if self.line else until)
                self.feed()
            self.go()

    # Counting.

    def traced(self, action):
        """The program counters of all instructions that are executed while `action` runs."""
        self.monitor("singlestep on")
        self.monitor("log exec,nochain")
        before = self.barriers
        action()
        self.monitor("log none")
        self.monitor("singlestep off")
        counters = [self.sleep] * (self.barriers - before)
        with open(self.folder / "trace") as file:
            for line in file:
                if line.startswith("Trace "):
                    counters.append(int(line.split("/", 2)[1], 16))
                elif line.startswith(("cpu_io_recompile", "Stopped ")):
                    # The previous instruction was not executed, or is about to be executed again.
                    counters.pop()
        return counters
