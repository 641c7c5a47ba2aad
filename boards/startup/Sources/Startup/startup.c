// From reset to main: what must run before any Swift code may.
#if defined(__arm__)
#include "startup.h"
#include <stddef.h>

extern uint32_t stack_bottom, stack_top, data_start, data_end, data_load, bss_start, bss_end, log_start, log_size;
extern uint32_t settings_start, settings_size;

__attribute__((section(".retained"), used)) uint32_t startup_retained[STARTUP_RETAINED_WORDS];
uint32_t *startup_retained_words(void) { return startup_retained; }

// What unused stack is painted with: no instruction of ours, no address, no small number.
#define PAINT 0xA5C3A5C3u

// On a chip whose memory map is no fence below the stack, writes there would vanish instead of faulting; the Cortex-M4 has a memory
// protection unit that makes one of the 32 bytes below it. (Armv7-M Architecture Reference Manual, B3.5.)
static void fence(void) {
#if defined(__ARM_ARCH_7EM__)
  volatile uint32_t *mpu = (volatile uint32_t *)0xE000ED90;
  if (((mpu[0] >> 8) & 0xFF) == 0) return;
  mpu[2] = 0;                                              // region 0
  mpu[3] = (uint32_t)&stack_bottom - (1u << 16);           // its base
  mpu[4] = 1u << 28 | 0u << 24 | 15u << 1 | 1u;            // never executed, no access, 64 KB, on
  mpu[1] = 1u << 2 | 1u;                                   // on, with the usual map elsewhere, and off in fault handlers
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
}

// Naked: its own frame must not lie where it paints.
// A boot loader may jump here, with its own vector table and stack. The table is set before RAM is written: a master boot record keeps the
// address to which it forwards exceptions at the bottom of RAM, where the stack is. VTOR is at 0xE000ED08 (Armv7-M Architecture Reference Manual, B3.2.5).
__attribute__((naked, noreturn)) void Reset_Handler(void) {
  __asm__ volatile(
#if defined(__ARM_ARCH_7EM__)
      "cpsid i\n"
      "ldr r0, =startup_vectors\n"
      "ldr r1, =0xE000ED08\n"
      "str r0, [r1]\n"
      "ldr r1, =stack_top\n"
      "mov sp, r1\n"
#else
      "mov r1, sp\n"
#endif
      "ldr r0, =stack_bottom\n"
      "ldr r2, =%c0\n"
      "1: cmp r0, r1\n"
      "bhs 2f\n"
      "str r2, [r0]\n"
      "adds r0, #4\n"
      "b 1b\n"
      "2: bl startup_run\n"
      :
      : "i"(PAINT));
}

__attribute__((noreturn, used)) void startup_run(void) {
  fence();
  const uint32_t *from = &data_load;
  for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
  for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
  main(0, NULL);
  for (;;) __asm__ volatile("wfi");
}

#if defined(__ARM_ARCH_7EM__)
#define REGISTER(address) (*(volatile uint32_t *)(address))

// Armv7-M Architecture Reference Manual, B3.4 (NVIC), B3.3.2 (SYST_CSR), B3.2.4 (ICSR: PENDSVCLR, PENDSTCLR).
void startup_forget_interrupts(void) {
  REGISTER(0xE000E010) = 0;
  // The chip has 48 interrupts.
  const uint32_t lines[2] = {0xFFFFFFFF, 0xFFFF};
  for (int index = 0; index < 2; index++) {
    REGISTER(0xE000E180 + 4 * index) = lines[index];
    REGISTER(0xE000E280 + 4 * index) = lines[index];
  }
  REGISTER(0xE000ED04) = 1u << 27 | 1u << 25;
}
#endif

extern const uint32_t startup_table_mark;
int startup_table_is_whole(void) { return *(const volatile uint32_t *)&startup_table_mark == STARTUP_TABLE_MARK; }

uint32_t startup_stack_size(void) { return (uint32_t)&stack_top - (uint32_t)&stack_bottom; }

uint32_t startup_stack_used(void) {
  const uint32_t *word = &stack_bottom;
  while (word < &stack_top && *word == PAINT) word++;
  return (uint32_t)&stack_top - (uint32_t)word;
}

uint32_t startup_log_start(void) { return (uint32_t)&log_start; }
uint32_t startup_log_size(void) { return (uint32_t)&log_size; }
uint32_t startup_settings_start(void) { return (uint32_t)&settings_start; }
uint32_t startup_settings_size(void) { return (uint32_t)&settings_size; }

void startup_wait_for_interrupt(void) { __asm__ volatile("dsb\n wfi" ::: "memory"); }
#endif
