"""Cycles of a program that is run in parts, each up to a sleep, by the tables of Arm's manuals; flash without wait states."""

import ctypes
import functools

import unicorn

from .core import Blocks, hook_blocks
from .memory import RAM
from .processor import Processor

RAM_BYTES = 128 << 10
FOREVER = 1 << 40


class Timed:
    """A Cortex-M0 or M4 with an image at address 0, without peripherals."""

    def __init__(self, code, cells, is_small):
        self.processor = Processor(cells, is_small)
        engine = self.processor.engine
        engine.mem_map_ptr(0, len(cells), unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC, cells)
        engine.mem_map(RAM, RAM_BYTES)
        # The system control space, whose registers start-up writes.
        engine.mem_map(0xE000E000, 4096)
        # Unicorn has no reference of its own.
        self.cells = cells
        self.code, self.cost = code, cycles_of_m0 if is_small else cycles_of_m4
        self.times, self.jumps, self.sizes = ((ctypes.c_uint32 * (len(code) // 2))() for _ in range(3))
        self.blocks = Blocks(*map(ctypes.addressof, (self.times, self.jumps, self.sizes)), len(self.times))
        # From the start: what has been translated without it would not be noted.
        hook_blocks(engine, "note_block", self.blocks)
        self.processor.reset()

    def until_sleep(self):
        """Runs to the next sleep; returns instructions and cycles."""
        for counts in (self.times, self.jumps, self.sizes):
            ctypes.memset(counts, 0, ctypes.sizeof(counts))
        self.blocks.last = 0
        before = self.processor.instructions
        self.processor.is_asleep = False
        self.processor.run(FOREVER)
        assert self.processor.is_asleep, (hex(self.processor.pc), self.processor.invalid, self.processor.exception)
        assert not self.blocks.is_ambiguous
        cycles = 0
        for place, count in enumerate(self.times):
            if count:
                cost, is_conditional = self.cost_of(2 * place, self.sizes[place])
                # Of a conditional branch, what it takes more when it is taken: to refill the pipeline.
                cycles += count * cost + (2 * self.jumps[place] if is_conditional else 0)
        return self.processor.instructions - before, cycles

    @functools.cache
    def cost_of(self, address, size):
        """The cycles of a block of instructions, and whether it ends with a conditional branch."""
        at, cost, first, second = address, 0, 0, None
        while at < address + size:
            first, following = (int.from_bytes(self.code[place:place + 2], "little") for place in (at, at + 2))
            second = following if first >> 11 >= 0x1D else None
            cost += self.cost(first, second)
            at += 2 if second is None else 4
        return cost, conditional(first, second)

    def words(self, address, count):
        data = self.processor.engine.mem_read(address, 4 * count)
        return bytes(data)


def ones(bits):
    return bin(bits).count("1")


def conditional(first, second):
    """Whether an instruction is a conditional branch: B<c> of 16 bits or 32, CBZ, CBNZ."""
    if second is None:
        return (first >> 12 == 0xD and first >> 8 & 15 < 14) or first & 0xF500 == 0xB100
    return first >> 11 == 0b11110 and second >> 14 == 0b10 and not second & 0x1000 and first >> 6 & 15 < 14


def cycles_of_transfer(first):
    """The cycles of a load, a store, LDM or STM of 16 bits, which are the same on both processors; 0 for others."""
    top = first >> 12
    if top in (5, 6, 7, 8, 9) or first >> 11 == 0b01001:
        return 2
    return 1 + ones(first & 0xFF) if top == 12 else 0


def cycles_of_m0(first, second):
    """Cortex-M0 Technical Reference Manual (DDI 0432C), 3.3, with the multiplier of one cycle; a conditional branch as if it was not taken."""
    if second is not None:
        # BL; DSB, DMB, ISB, MRS and MSR.
        return 4
    if cycles := cycles_of_transfer(first):
        return cycles
    if first & 0xF600 == 0xB400:
        many = ones(first & 0xFF) + (first >> 8 & 1)
        return many + (4 if first & 0x900 == 0x900 else 1)
    if first & 0xFF00 == 0x4700 or first >> 11 == 0b11100:
        return 3
    # ADD and MOV to PC.
    if first & 0xFD87 in (0x4487, 0x4687):
        return 3
    return 2 if first == 0xBF30 else 1


def cycles_of_m4(first, second):
    """Cortex-M4 Technical Reference Manual (DDI 0439D), 3.3: a load or store of one word as two cycles, which may be one behind another; a refill of the pipeline as
    two."""
    if second is None:
        if cycles := cycles_of_transfer(first):
            return cycles
        if first & 0xF600 == 0xB400:
            many = ones(first & 0xFF) + (first >> 8 & 1)
            return 1 + many + (2 if first & 0x900 == 0x900 else 0)
        if first & 0xFF00 == 0x4700 or first >> 11 == 0b11100:
            return 3
        return 3 if first & 0xFD87 in (0x4487, 0x4687) else 1
    group = first >> 4 & 0x7F
    if first >> 11 == 0b11110 and second >> 15:
        # Branches; BL; barriers and the like.
        return 1 if conditional(first, second) else 3
    if first >> 9 == 0b1110100:
        # LDM, STM and their like; LDRD, STRD; table branches.
        if not group & 4:
            return 1 + ones(second) + (2 if second >> 15 and first >> 4 & 1 else 0)
        return 4 if first & 0xFFF0 == 0xE8D0 and second & 0xFFE0 == 0xF000 else 3
    if first >> 9 == 0b1111100:
        return 2
    if first >> 7 == 0b111110111:
        # 32 × 32 bits with 64; SDIV and UDIV with up to 12.
        return 12 if first & 0xFFD0 == 0xFB90 else 1
    return 2 if first >> 7 == 0b111110110 and second >> 12 != 15 and first >> 4 & 7 == 0 else 1
