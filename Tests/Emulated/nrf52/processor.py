"""The processor of the chip, a Cortex-M0 or Cortex-M4: Unicorn runs its instructions, and what Unicorn leaves out is here: sleep, exceptions, and counting."""

import ctypes
import struct

import unicorn
from unicorn import arm_const as arm
from unicorn.unicorn_py3.unicorn import uclib

from .core import Batch, hook_blocks, new_core
from .peripheral import Misuse

NOWHERE = 0xFFFFFFFE
# Bytes for translated instructions; Unicorn would take a gigabyte.
TRANSLATIONS = 16 << 20
WFI, WFE = b"\x30\xbf", b"\x20\xbf"
HARD_FAULT = 3
# Unicorn's numbers of exceptions: those of QEMU's processor.
UNDEFINED, SUPERVISOR_CALL, NO_FETCH, BREAKPOINT, EXCEPTION_EXIT = 1, 2, 3, 7, 8
# Bits of CFSR (Armv7-M Architecture Reference Manual, B3.2.15).
IACCVIOL, DACCVIOL, MSTKERR, MMARVALID = 1 << 0, 1 << 1, 1 << 4, 1 << 7
IBUSERR, PRECISERR, STKERR, BFARVALID = 1 << 8, 1 << 9, 1 << 12, 1 << 15
UNDEFINSTR = 1 << 16
FRAME = [arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1, arm.UC_ARM_REG_R2, arm.UC_ARM_REG_R3, arm.UC_ARM_REG_R12, arm.UC_ARM_REG_LR]
STORED = struct.Struct("<8I")
THUMB, ALIGNED = 1 << 24, 1 << 9
# What LR is in a handler: the return to a handler, and to the program.
TO_HANDLER, TO_PROGRAM = 0xFFFFFFF1, 0xFFFFFFF9


class Processor:
    """`code` is the flash at address 0. `system` is the system control block, with faults and pending interrupts."""

    def __init__(self, code, is_small=False, cycles=1):
        self.engine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
        self.engine.ctl_set_tcg_buffer_size(TRANSLATIONS)
        self.engine.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M0 if is_small else arm.UC_CPU_ARM_CORTEX_M4)
        self.system = None
        self.code = code
        # Where Unicorn writes a register that is read. Unicorn's own function for Python takes several times as long.
        self.word = ctypes.c_uint32()
        self.word_address = ctypes.addressof(self.word)
        self.is_asleep = self.is_locked_up = False
        self.invalid = self.exception = None
        self.engine.hook_add(unicorn.UC_HOOK_INTR, self.note_exception)
        self.engine.hook_add(unicorn.UC_HOOK_MEM_INVALID, self.note_invalid)
        self.core = new_core(code, cycles)
        hook_blocks(self.engine, "core_block", self.core)
        # What an exception stores on the stack, and changes.
        self.stored = Batch(self.engine, [*FRAME, arm.UC_ARM_REG_PC, arm.UC_ARM_REG_XPSR, arm.UC_ARM_REG_SP])
        self.restored = Batch(self.engine, [*FRAME, arm.UC_ARM_REG_XPSR, arm.UC_ARM_REG_SP, arm.UC_ARM_REG_PC])
        self.entered = Batch(self.engine, [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_XPSR])
        self.frame = (ctypes.c_char * STORED.size)()

    @property
    def instructions(self):
        """The number of instructions executed."""
        return self.core.instructions

    def register(self, number):
        uclib.uc_reg_read(self.engine._uch, number, self.word_address)
        return self.word.value

    @property
    def pc(self):
        return self.register(arm.UC_ARM_REG_PC)

    def reset(self, table=0):
        """A reset, or the jump of a boot loader to an image with its vector table there: the stack pointer is then the boot loader's."""
        for register in range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R12 + 1):
            self.engine.reg_write(register, 0)
        for register in (arm.UC_ARM_REG_PRIMASK, arm.UC_ARM_REG_BASEPRI, arm.UC_ARM_REG_FAULTMASK, arm.UC_ARM_REG_CONTROL):
            self.engine.reg_write(register, 0)
        stack, entry = (int.from_bytes(self.engine.mem_read(address, 4), "little") for address in (table, table + 4))
        if table:
            stack = 0x20040000
        self.engine.reg_write(arm.UC_ARM_REG_XPSR, THUMB)
        self.engine.reg_write(arm.UC_ARM_REG_LR, 0xFFFFFFFF)
        self.engine.reg_write(arm.UC_ARM_REG_SP, stack & ~3)
        assert entry & 1, f"the reset vector {entry:#x} is not one of Thumb code"
        self.engine.reg_write(arm.UC_ARM_REG_PC, entry)
        self.is_asleep = self.is_locked_up = False

    def stop(self):
        """Ends `run` at the end of the block of instructions. If Unicorn is stopped during an access, it repeats the access."""
        self.core.limit = 0

    def abandon(self):
        """Ends `run` at once; it cannot continue."""
        self.core.is_abandoned = 1
        self.engine.emu_stop()

    def note_exception(self, engine, number, _):
        self.exception = number
        engine.emu_stop()

    def note_invalid(self, engine, access, address, size, value, _):
        self.invalid = (access, address)
        return False

    def run(self, instructions):
        """Executes about this number of instructions: to the end of a block, a sleep, a fault, or `stop`."""
        self.exception = self.invalid = None
        core = self.core
        core.limit, core.was_stopped = core.instructions + instructions, 0
        try:
            self.engine.emu_start(self.pc | 1, NOWHERE)
        except unicorn.UcError as error:
            return self.fault(error)
        if self.exception is not None:
            return self.fault(None)
        if core.was_stopped:
            return
        pc = self.pc
        before = bytes(self.code[max(pc - 2, 0):pc])
        if before in (WFI, WFE):
            assert before == WFI, "the model knows no WFE"
            self.is_asleep = True

    # Exceptions (Armv7-M Architecture Reference Manual, B1.5).

    def fault(self, error):
        system = self.system
        if self.exception == EXCEPTION_EXIT and self.invalid is None:
            return self.leave()
        if self.invalid is not None:
            access, address = self.invalid
            is_guarded = system.guards(address)
            if access in (unicorn.UC_MEM_FETCH_UNMAPPED, unicorn.UC_MEM_FETCH_PROT):
                status = IACCVIOL if is_guarded else IBUSERR
            elif is_guarded:
                status, system.memory_address = DACCVIOL | MMARVALID, address
            else:
                status, system.bus_address = PRECISERR | BFARVALID, address
        elif self.exception == NO_FETCH:
            # Execution from a non-executable address: the upper half of the memory map (B3.1).
            status = IACCVIOL if self.pc >= 0xE0000000 else IBUSERR
        elif error is not None and error.errno == unicorn.UC_ERR_INSN_INVALID or self.exception in (UNDEFINED, BREAKPOINT):
            # A breakpoint without a debugger is a hard fault; Swift's trap is an undefined instruction.
            status = UNDEFINSTR if self.exception != BREAKPOINT else 0
        else:
            raise AssertionError(f"Unicorn stopped at {self.pc:#x}: {error}, exception {self.exception}")
        system.fault_status |= status
        self.enter(HARD_FAULT)

    def enter(self, number):
        """Enters the handler of an exception. The handlers of single faults are off, so that all are hard faults."""
        if self.register(arm.UC_ARM_REG_XPSR) & 0x1FF in (2, HARD_FAULT):
            self.is_locked_up = True
            return
        self.is_asleep = False
        *words, program, status, stack = self.stored.read()
        frame = (stack - STORED.size) & ~7
        status |= THUMB | (ALIGNED if frame != stack - STORED.size else 0)
        self.frame.raw = STORED.pack(*words, program, status)
        if uclib.uc_mem_write(self.engine._uch, ctypes.c_uint64(frame), self.frame, ctypes.c_size_t(STORED.size)) != unicorn.UC_ERR_OK:
            # The frame is lost, and the stack pointer has the value that it would have had.
            self.system.fault_status |= MSTKERR if self.system.guards(frame) else STKERR
            number = HARD_FAULT
        self.entered.write([frame & 0xFFFFFFFF, TO_HANDLER if status & 0x1FF else TO_PROGRAM, THUMB | number])
        if self.system.chip.boot_loader and not self.system.table:
            raise Misuse(f"exception {number} goes to the master boot record")
        self.engine.reg_write(arm.UC_ARM_REG_PC, self.vector(self.system.table + 4 * number))

    def vector(self, address):
        """A word of the vector table."""
        return int.from_bytes(self.engine.mem_read(address, 4), "little")

    def leave(self):
        """Returns from a handler."""
        stack = self.register(arm.UC_ARM_REG_SP)
        status = uclib.uc_mem_read(self.engine._uch, ctypes.c_uint64(stack), self.frame, ctypes.c_size_t(STORED.size))
        assert status == unicorn.UC_ERR_OK, status
        *words, program, status = STORED.unpack(self.frame)
        self.restored.write([*words, status & ~ALIGNED, stack + STORED.size + (4 if status & ALIGNED else 0), program | 1])
        self.system.left()
