"""The part of the model that is in C (core.c), compiled when it is first used, and its structures."""

import ctypes
import functools
import os
import subprocess
from pathlib import Path

import unicorn
from unicorn import arm_const as arm
from unicorn.unicorn_py3.unicorn import uclib

ROOT = Path(__file__).resolve().parents[3]
# When nothing is due.
NEVER = (1 << 64) - 1
# Where the peripherals are.
PERIPHERALS, PAGES = 0x40000000, 128
Reached = ctypes.CFUNCTYPE(None)
Access = ctypes.CFUNCTYPE(*[ctypes.c_uint32] * 6)


class Events(ctypes.Structure):
    """The events of a peripheral, as bits by their index."""
    _fields_ = [("known", ctypes.c_uint64), ("happened", ctypes.c_uint64)]


class Core(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("instructions", "limit", "skipped", "due", "enabled", "pending")] + [
        ("code", ctypes.c_void_p), *[(name, ctypes.c_uint32) for name in ("bytes", "cycles", "was_stopped", "is_abandoned", "is_masked", "primask")],
        ("stop", ctypes.c_void_p), ("read_register", ctypes.c_void_p), ("reached", Reached), ("access", Access), ("events", ctypes.c_void_p * PAGES)]


class Region(ctypes.Structure):
    """A range of addresses with registers."""
    _fields_ = [("core", ctypes.c_void_p), ("base", ctypes.c_uint64)]


class Blocks(ctypes.Structure):
    """Counts of blocks of instructions."""
    _fields_ = [(name, ctypes.c_void_p) for name in ("times", "jumps", "sizes")] + [(name, ctypes.c_uint32) for name in ("count", "last", "is_ambiguous")]


@functools.cache
def library():
    """core.c, compiled. Several modules may do so at the same time: each compiles a file of its own and renames it, as one half written cannot be
    loaded."""
    source = Path(__file__).with_name("core.c")
    made = ROOT / ".build" / "nrf52" / "core.so"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        made.parent.mkdir(parents=True, exist_ok=True)
        own = made.with_name(f"core-{os.getpid()}.so")
        subprocess.run(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", own, source], check=True)
        own.replace(made)
    return ctypes.CDLL(str(made))


def function(where, name):
    """The address of a function."""
    return ctypes.cast(getattr(where, name), ctypes.c_void_p)


class Batch:
    """Registers of a processor that are read or written together."""

    def __init__(self, engine, registers):
        self.count = len(registers)
        self.words = (ctypes.c_uint32 * self.count)()
        first = ctypes.addressof(self.words)
        numbers = (ctypes.c_int * self.count)(*registers)
        places = (ctypes.c_void_p * self.count)(*[first + 4 * place for place in range(self.count)])
        self.arguments = engine._uch, numbers, places, self.count

    def read(self):
        uclib.uc_reg_read_batch(*self.arguments)
        return self.words[:]

    def write(self, words):
        self.words[:] = words
        uclib.uc_reg_write_batch(*self.arguments)


def hook_blocks(engine, name, data):
    """Has a function of core.c called before each block of instructions, with a structure."""
    handle = ctypes.c_size_t()
    status = uclib.uc_hook_add(
        engine._uch, ctypes.byref(handle), unicorn.UC_HOOK_BLOCK, function(library(), name), ctypes.byref(data), ctypes.c_uint64(1), ctypes.c_uint64(0))
    assert status == unicorn.UC_ERR_OK, status


def new_core(code, cycles=1):
    """That of a processor with `code` at address 0, whose instructions take so many cycles."""
    return Core(
        due=NEVER, code=ctypes.addressof(code), bytes=len(code), cycles=cycles, stop=function(uclib, "uc_emu_stop").value,
        read_register=function(uclib, "uc_reg_read").value, primask=arm.UC_ARM_REG_PRIMASK)
