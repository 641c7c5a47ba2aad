"""A Cortex-M0 or M4 behind its debug registers (ARMv6-M and ARMv7-M architecture reference manuals, C1): Unicorn runs the instructions, in slices between packets."""

import unicorn
from unicorn import arm_const as arm

AIRCR, DFSR, DHCSR, DCRSR, DCRDR, DEMCR = 0xE000ED0C, 0xE000ED30, 0xE000EDF0, 0xE000EDF4, 0xE000EDF8, 0xE000EDFC
DEBUG_KEY, RESET_KEY = 0xA05F, 0x05FA
C_DEBUGEN, C_HALT, C_STEP, C_MASKINTS = 1, 2, 4, 8
S_REGRDY, S_HALT, S_LOCKUP, S_RETIRE, S_RESET = 1 << 16, 1 << 17, 1 << 19, 1 << 24, 1 << 25
HALTED, BREAKPOINT, CATCH = 1, 2, 8
VC_CORERESET, VC_HARDERR = 1, 1 << 10
FP_CTRL, FP_COMPARATORS = 0xE0002000, 0xE0002008
# Unicorn's number for a BKPT instruction.
BKPT = 7
# How many instructions run between two packets.
SLICE = 20_000
NOWHERE = 0xFFFFFFFE
REGISTERS = [arm.UC_ARM_REG_R0 + number for number in range(13)] + [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_PC, arm.UC_ARM_REG_XPSR,
                                                                   arm.UC_ARM_REG_MSP, arm.UC_ARM_REG_PSP]
SPECIAL = [arm.UC_ARM_REG_PRIMASK, arm.UC_ARM_REG_BASEPRI, arm.UC_ARM_REG_FAULTMASK, arm.UC_ARM_REG_CONTROL]
XPSR, LAST, SPECIALS, FPSCR, S0 = 16, 18, 20, 33, 64
THUMB = 1 << 24


class Core:
    """`engine` is a Unicorn engine with the memory mapped. `is_big` is a Cortex-M4, else it is a Cortex-M0. `reset_system()` is called when the debugger or the program
    asks for a reset."""

    def __init__(self, engine, is_big, reset_system):
        self.engine, self.is_big, self.reset_system = engine, is_big, reset_system
        self.control, self.catches, self.reasons = 0, 0, 0
        self.transfer = 0
        self.is_halted = self.is_held = self.is_locked_up = False
        self.has_retired = self.was_reset = False
        self.instructions = 0
        self.is_stale = False
        self.exception = None
        self.breakpoints_enabled = False
        self.comparators = [0] * (6 if is_big else 4)
        self.hooks = []
        self.others = {}
        engine.hook_add(unicorn.UC_HOOK_INTR, self.interrupted)

    # Running.

    def interrupted(self, engine, number, _):
        self.exception = number
        engine.emu_stop()

    def reset(self):
        """A reset of the core but not of its debugging."""
        for register in REGISTERS[:13]:
            self.engine.reg_write(register, 0)
        for register in SPECIAL:
            self.engine.reg_write(register, 0)
        stack, entry = (int.from_bytes(self.engine.mem_read(address, 4), "little") for address in (0, 4))
        self.engine.reg_write(arm.UC_ARM_REG_XPSR, THUMB)
        self.engine.reg_write(arm.UC_ARM_REG_LR, 0xFFFFFFFF)
        self.engine.reg_write(arm.UC_ARM_REG_SP, stack & ~3)
        self.engine.reg_write(arm.UC_ARM_REG_PC, entry)
        self.was_reset = True
        self.is_halted = self.is_locked_up = False
        if self.control & C_DEBUGEN and self.catches & VC_CORERESET:
            self.halt(CATCH)

    def halt(self, reason):
        self.is_halted, self.is_locked_up = True, False
        self.reasons |= reason

    def slice(self, count=SLICE):
        """Runs this number of instructions, unless the core is halted before."""
        if self.is_halted or self.is_held or self.is_locked_up:
            return
        if self.is_stale:
            # Code written by the debugger may have been translated before.
            self.engine.ctl_flush_tb()
            self.is_stale = False
        self.exception = None
        before = self.engine.reg_read(arm.UC_ARM_REG_PC)
        try:
            self.engine.emu_start(before | 1, NOWHERE, count=count)
        except unicorn.UcError:
            # Not mapped, or not executable.
            self.exception = -1
        self.instructions += count
        self.has_retired = True
        pc = self.engine.reg_read(arm.UC_ARM_REG_PC)
        if self.exception == BKPT and self.control & C_DEBUGEN:
            self.halt(BREAKPOINT)
        elif self.exception is not None:
            # A fault or a supervisor call: exceptions are not modelled.
            self.is_locked_up = True
            if self.control & C_DEBUGEN and self.catches & VC_HARDERR:
                self.halt(CATCH)
        elif self.breakpoints_enabled and any(self.breaks_at(comparator, pc) for comparator in self.comparators):
            self.halt(BREAKPOINT)

    def breaks_at(self, comparator, address):
        place = comparator & 0x1FFFFFFC
        return bool(comparator & 1) and (comparator >> 30 & 1 and address == place or comparator >> 31 and address == place + 2)

    def arm_breakpoints(self):
        for hook in self.hooks:
            self.engine.hook_del(hook)
        self.hooks = []
        if self.breakpoints_enabled:
            for comparator in self.comparators:
                for address in (comparator & 0x1FFFFFFC, (comparator & 0x1FFFFFFC) + 2):
                    if self.breaks_at(comparator, address):
                        self.hooks.append(self.engine.hook_add(unicorn.UC_HOOK_CODE, lambda engine, *_: engine.emu_stop(), None, address, address))
        self.is_stale = True

    # The private peripheral bus.

    def read(self, address):
        if address == DHCSR:
            value = self.control | S_REGRDY | S_HALT * self.is_halted | S_LOCKUP * self.is_locked_up | S_RETIRE * self.has_retired | S_RESET * self.was_reset
            self.has_retired = self.was_reset = False
            return value
        if FP_COMPARATORS <= address < FP_COMPARATORS + 4 * len(self.comparators):
            return self.comparators[(address - FP_COMPARATORS) // 4]
        known = {AIRCR: 0xFA050000, DFSR: self.reasons, DCRDR: self.transfer, DEMCR: self.catches, FP_CTRL: len(self.comparators) << 4 | self.breakpoints_enabled}
        return known[address] if address in known else self.others.get(address, 0)

    def write(self, address, value):
        if address == DHCSR:
            if value >> 16 == DEBUG_KEY:
                self.command(value & (C_DEBUGEN | C_HALT | C_STEP | C_MASKINTS))
        elif address == DCRSR:
            if value >> 16 & 1:
                self.set_register(value & 0x7F, self.transfer)
            else:
                self.transfer = self.get_register(value & 0x7F)
        elif address == DCRDR:
            self.transfer = value
        elif address == DEMCR:
            self.catches = value & 0x010007F1
        elif address == DFSR:
            self.reasons &= ~value
        elif address == AIRCR:
            if value >> 16 == RESET_KEY and value & (5 if self.is_big else 4):
                self.reset_system()
        elif address == FP_CTRL:
            if value & 2:
                self.breakpoints_enabled = bool(value & 1)
                self.arm_breakpoints()
        elif FP_COMPARATORS <= address < FP_COMPARATORS + 4 * len(self.comparators):
            self.comparators[(address - FP_COMPARATORS) // 4] = value
            self.arm_breakpoints()
        else:
            self.others[address] = value

    def command(self, wanted):
        if not wanted & C_DEBUGEN:
            self.control, self.is_halted = 0, False
            return
        self.control = wanted
        if wanted & C_HALT:
            if not self.is_halted:
                self.halt(HALTED)
        elif self.is_halted:
            self.is_halted = False
            if wanted & C_STEP:
                self.slice(1)
                self.halt(HALTED)

    def get_register(self, number):
        if number <= LAST:
            value = self.engine.reg_read(REGISTERS[number])
            return value | THUMB if number == XPSR else value
        if number == SPECIALS:
            return sum((self.engine.reg_read(register) & 255) << 8 * place for place, register in enumerate(SPECIAL))
        if self.is_big and number == FPSCR:
            return self.engine.reg_read(arm.UC_ARM_REG_FPSCR)
        if self.is_big and S0 <= number < S0 + 32:
            return self.engine.reg_read(arm.UC_ARM_REG_S0 + number - S0)
        return 0

    def set_register(self, number, value):
        if number == REGISTERS.index(arm.UC_ARM_REG_PC):
            value &= ~1
        if number <= LAST:
            self.engine.reg_write(REGISTERS[number], value)
        elif number == SPECIALS:
            for place, register in enumerate(SPECIAL):
                self.engine.reg_write(register, value >> 8 * place & 255)
        elif self.is_big and number == FPSCR:
            self.engine.reg_write(arm.UC_ARM_REG_FPSCR, value)
        elif self.is_big and S0 <= number < S0 + 32:
            self.engine.reg_write(arm.UC_ARM_REG_S0 + number - S0, value)
