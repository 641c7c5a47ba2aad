"""Runs firmware images in qemu-system-arm.

An image's line to its controller is a TCP connection of QEMU to a Bumble controller or to a test; its management line is a TCP port to which herald-host connects.
QEMU's time is not real time: tests wait for conditions and never measure times."""

import asyncio
import contextlib
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "Interop"))

QEMU = "qemu-system-arm"
# The memory of mps2-an386 that contains the log, and the size of the log.
PSRAM_BYTES = 16 << 20
LOG_BYTES = 400 << 10
# The pattern that start-up writes into unused stack.
PAINT = 0xA5C3A5C3
# Timeout in seconds for operations that QEMU completes at once on an idle machine.
PATIENCE = 120


def image(board, role):
    """The ELF file of a board, which script/emulated has built."""
    path = ROOT / ".build" / "boards" / board / f"{role}.elf"
    if not path.exists():
        raise SystemExit(f"{path} is not there: build it with script/build {board} --role {role}")
    return path


def need_qemu():
    """Reports how to install QEMU if it is missing."""
    if shutil.which(QEMU) is None:
        raise SystemExit(f"{QEMU} is not there: apt-get install qemu-system-arm")


@functools.cache
def symbols(elf):
    """Addresses of an image's symbols by name."""
    tools = Path(os.path.realpath(shutil.which("swift"))).parent
    text = subprocess.check_output([tools / "llvm-nm", elf], text=True)
    return {words[2]: int(words[0], 16) for words in map(str.split, text.splitlines()) if len(words) == 3}


def blank_flash(path):
    """A file of PSRAM whose log is erased flash."""
    with open(path, "wb") as file:
        file.write(b"\xff" * LOG_BYTES)
        file.truncate(PSRAM_BYTES)


class Emulator:
    """One QEMU. An asynchronous context manager; `options` are more of QEMU's.

    - `controller`: (host, port) of the Bluetooth controller, or None for an unconnected line.
    - `flash`: the file with the contents of the log's memory (mps2-an386 only).
    """

    def __init__(self, board, folder, controller=None, *, role=None, flash=None, options=()):
        need_qemu()
        self.board = board
        # QEMU has no radio: the Bluetooth controller is on a serial line.
        self.elf = image(board, role or ("wearable" if board == "mps2-an386" else "wearable-hci"))
        self.names = symbols(self.elf)
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.controller = controller
        self.flash = flash
        self.options = options
        self.process = None
        self.line = None

    @property
    def monitor_path(self):
        return self.folder / "monitor"

    @property
    def debug_path(self):
        return self.folder / "debug"

    @property
    def link(self):
        """herald-host's name of the management line."""
        return f"serial:tcp:127.0.0.1:{self.link_port}"

    def arguments(self):
        machine = self.board
        words = ["-display", "none", "-nodefaults", "-nic", "none", "-kernel", str(self.elf),
                 "-chardev", f"socket,id=mon,path={self.monitor_path},server=on,wait=off", "-mon", "mon,mode=control",
                 "-chardev", f"socket,id=dbg,path={self.debug_path},server=on,wait=off", "-gdb", "chardev:dbg"]
        if self.controller:
            words += ["-serial", "tcp:{}:{}".format(*self.controller)]
        else:
            words += ["-serial", "null"]
        if self.board == "mps2-an386":
            # The socket listens before QEMU starts and is then passed to QEMU: another process could otherwise take the port in between.
            self.line = socket.create_server(("127.0.0.1", 0))
            self.link_port = self.line.getsockname()[1]
            words += ["-chardev", f"socket,id=link,fd={self.line.fileno()},server=on,wait=off", "-serial", "chardev:link"]
            if self.flash:
                machine += ",memory-backend=ram0"
                words += ["-object", f"memory-backend-file,id=ram0,size=16M,mem-path={self.flash},share=on"]
        return [QEMU, "-M", machine, *words, *self.options]

    async def start(self):
        for path in (self.monitor_path, self.debug_path):
            path.unlink(missing_ok=True)
        arguments = self.arguments()
        with open(self.folder / "qemu.txt", "ab") as errors, self.line or contextlib.nullcontext():
            self.process = await asyncio.create_subprocess_exec(
                *arguments, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, pass_fds=[self.line.fileno()] if self.line else [])
        return self

    async def __aenter__(self):
        try:
            return await self.start()
        except BaseException:
            # It would not end otherwise.
            await self.__aexit__(*sys.exc_info())
            raise

    async def __aexit__(self, kind, error, trace):
        if error is not None:
            print(await self.state(), file=sys.stderr)
        await self.kill()

    def said(self):
        """The output of QEMU."""
        return (self.folder / "qemu.txt").read_text(errors="replace")[-2000:].strip()

    async def state(self):
        """External state for the report of a failed test: the program counter, and QEMU's output."""
        found = [f"{self.elf.parent.name}/{self.elf.stem}: " + (self.said() or "QEMU has said nothing")]
        if self.process is None or self.process.returncode is not None:
            found.append("QEMU does not run")
        else:
            try:
                async with asyncio.timeout(10):
                    said = await self.command("info registers")
                    found += [line for line in said.splitlines() if line.startswith(("R", "XPSR"))]
            except (AssertionError, OSError, TimeoutError) as error:
                found.append(f"QEMU does not say where the processor is: {error!r}")
        return "\n".join(found)

    async def kill(self):
        """Ends it with SIGKILL, which simulates a loss of power."""
        if self.process is None:
            return
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()
        self.process = None

    async def listening(self):
        """Waits until QEMU has opened its sockets, of which the monitor's is the last."""
        _, writer = await self.connected(self.monitor_path)
        writer.close()

    async def command(self, line):
        """Executes a command in QEMU's monitor; returns its output."""
        reader, writer = await self.connected(self.monitor_path)

        async def ask(execute, **arguments):
            writer.write(json.dumps({"execute": execute, "arguments": arguments}).encode())
            while line := await reader.readline():
                answer = json.loads(line)
                if "return" in answer:
                    return answer["return"]
                if "error" in answer:
                    raise AssertionError(f"QEMU refused {arguments}: {answer['error']}")
            raise AssertionError(f"QEMU has ended: {self.said()}")

        try:
            await reader.readline()
            await ask("qmp_capabilities")
            return await ask("human-monitor-command", **{"command-line": line})
        finally:
            writer.close()

    async def connected(self, path):
        """A connection to one of QEMU's own sockets, which are created shortly after its start."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process and self.process.returncode is None:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                return await asyncio.open_unix_connection(str(path))
            await asyncio.sleep(0.02)
        raise AssertionError(f"QEMU did not open {path}: {self.said()}")

    async def memory(self, address, count):
        """Bytes of memory, in the processor's address space: the micro:bit's chip has a separate one."""
        path = self.folder / "memory.bin"
        path.unlink(missing_ok=True)
        said = await self.command(f'memsave {address:#x} {count:#x} "{path}"')
        assert not said, said
        return path.read_bytes()

    async def stack(self):
        """The maximum stack use of the image, measured by the pattern that start-up writes into the stack, and the size of the stack."""
        bottom, top = self.names["stack_bottom"], self.names["stack_top"]
        words = await self.words(bottom, (top - bottom) // 4)
        return top - bottom - 4 * next((index for index, word in enumerate(words) if word != PAINT), len(words)), top - bottom

    async def words(self, address, count):
        """32-bit words of memory."""
        data = await self.memory(address, 4 * count)
        return [int.from_bytes(data[4 * i:4 * i + 4], "little") for i in range(count)]

