// The vector table, and what happens when nothing else can: the fault is noted in memory that outlives a reset, and the chip is reset. Swift's traps
// end here as well, as they are undefined instructions.
#if defined(__arm__)
#include "startup.h"

extern uint32_t stack_bottom, stack_top, startup_retained[];
void Reset_Handler(void);

#define REGISTER(address) (*(volatile uint32_t *)(address))
// Armv6-M and Armv7-M Architecture Reference Manuals, "System control space".
#define RESET_CONTROL REGISTER(0xE000ED0C)
#define FAULT_STATUS REGISTER(0xE000ED28)
#define MEMORY_FAULT_ADDRESS REGISTER(0xE000ED34)
#define BUS_FAULT_ADDRESS REGISTER(0xE000ED38)

// The fault may be one of the stack: nothing is pushed before the stack pointer is reset. The content of the stack is lost,
// because the code does not return.
__attribute__((naked)) void Fault_Handler(void) {
  __asm__ volatile(
      "cpsid i\n"
      "mrs r0, msp\n"
      "mrs r1, ipsr\n"
      "ldr r2, =stack_top\n"
      "mov sp, r2\n"
      "bl startup_fault\n");
}

// `frame` is what the processor pushed on entry: r0 to r3, r12, lr, pc, psr.
__attribute__((noreturn, used)) void startup_fault(const uint32_t *frame, uint32_t exception) {
  uint32_t bottom = (uint32_t)&stack_bottom, top = (uint32_t)&stack_top, at = (uint32_t)frame;
  uint32_t cause = STARTUP_FAULT_HARDWARE, pc = 0, lr = 0, psr = exception, status = 0, address = 0;
  // No more than the room for a frame was left, if that: the next call would have gone below.
  int is_full = at < bottom + 64;
  // Read before the first variable of this function can have overwritten it; it is not if it lies this far below the top.
  int is_there = at >= bottom && at <= top - 32 && (at & 3) == 0;
#if defined(__ARM_ARCH_7EM__)
  status = FAULT_STATUS;
  if (status & 0x0080) address = MEMORY_FAULT_ADDRESS;
  if (status & 0x8000) address = BUS_FAULT_ADDRESS;
  if (status & 0x1010) is_full = 1, is_there = 0;
  if (address != 0 && address < bottom && address >= bottom - 0x10000) is_full = 1;
#endif
  if (is_there) {
    lr = frame[5];
    pc = frame[6];
    psr = frame[7];
  }
  if (is_full) {
    cause = STARTUP_FAULT_STACK;
  } else if (exception == 2) {
    cause = STARTUP_FAULT_WATCHDOG;
  } else if (is_there && exception == 3 && pc < (uint32_t)&stack_bottom && (pc & 1) == 0) {
    // What Swift and clang trap with: an instruction that is undefined for good (udf), or a breakpoint (bkpt).
    uint16_t instruction = *(const volatile uint16_t *)pc;
    if ((instruction & 0xFF00) == 0xDE00 || (instruction & 0xFF00) == 0xBE00) cause = STARTUP_FAULT_PANIC;
  }
  uint32_t words[7] = {STARTUP_FAULT_MARK, cause, pc, lr, psr, status, address}, check = 0;
  for (int index = 0; index < 7; index++) {
    startup_retained[index] = words[index];
    check = (check << 1 | check >> 31) ^ words[index];
  }
  startup_retained[7] = ~check;
  RESET_CONTROL = 0x05FA0004;
  for (;;) __asm__ volatile("dsb");
}

// A board's handler for peripheral interrupt n is a function named IRQn_Handler, in Swift or C; those that a board does not
// have end as faults, as an unexpected interrupt is one.
#define WEAK(n) __attribute__((weak, alias("Fault_Handler"))) void IRQ##n##_Handler(void);
#define WEAK8(a, b, c, d, e, f, g, h) WEAK(a) WEAK(b) WEAK(c) WEAK(d) WEAK(e) WEAK(f) WEAK(g) WEAK(h)
#define ROW(a, b, c, d, e, f, g, h)                                                                             \
  IRQ##a##_Handler, IRQ##b##_Handler, IRQ##c##_Handler, IRQ##d##_Handler, IRQ##e##_Handler, IRQ##f##_Handler,   \
      IRQ##g##_Handler, IRQ##h##_Handler,
WEAK8(0, 1, 2, 3, 4, 5, 6, 7)
WEAK8(8, 9, 10, 11, 12, 13, 14, 15)
WEAK8(16, 17, 18, 19, 20, 21, 22, 23)
WEAK8(24, 25, 26, 27, 28, 29, 30, 31)
#if !defined(__ARM_ARCH_6M__)
WEAK8(32, 33, 34, 35, 36, 37, 38, 39)
WEAK8(40, 41, 42, 43, 44, 45, 46, 47)
#endif

__attribute__((section(".vectors"), used)) const void *const startup_vectors[] = {
    &stack_top,    Reset_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, 0,
    0,             0,             0,             Fault_Handler, Fault_Handler, 0,             Fault_Handler, Fault_Handler,
    ROW(0, 1, 2, 3, 4, 5, 6, 7)
    ROW(8, 9, 10, 11, 12, 13, 14, 15)
    ROW(16, 17, 18, 19, 20, 21, 22, 23)
    ROW(24, 25, 26, 27, 28, 29, 30, 31)
#if !defined(__ARM_ARCH_6M__)
    ROW(32, 33, 34, 35, 36, 37, 38, 39)
    ROW(40, 41, 42, 43, 44, 45, 46, 47)
#endif
};

// The word behind the table. A boot loader that programs the page with the table last, and is interrupted in it, starts
// the image with part of the table and without this word.
__attribute__((section(".vectors_end"), used)) const uint32_t startup_table_mark = STARTUP_TABLE_MARK;
#endif
