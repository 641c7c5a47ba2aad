#ifndef STARTUP_H
#define STARTUP_H
#include <stdint.h>

/* The image's main function, written in Swift. */
int main(int argc, char **argv);

/* Memory that no start-up touches: what a restart leaves for the run after it. Its first eight words are the fault handler's
 * (docs/firmware.md), the others the program's. */
enum { STARTUP_RETAINED_WORDS = 16 };
uint32_t *startup_retained_words(void);

/* What the fault handler writes to its first two words. */
#define STARTUP_FAULT_MARK 0x746C6148u /* "Halt" */
enum { STARTUP_FAULT_HARDWARE = 1, STARTUP_FAULT_PANIC = 2, STARTUP_FAULT_STACK = 3, STARTUP_FAULT_WATCHDOG = 4 };

/* Bytes of stack that have been used since start-up, at the most, and bytes there are. */
uint32_t startup_stack_used(void);
uint32_t startup_stack_size(void);

/* The log's region, and that of what is kept beside it, by the linker script. */
uint32_t startup_log_start(void);
uint32_t startup_log_size(void);
uint32_t startup_settings_start(void);
uint32_t startup_settings_size(void);

/* Interrupts are kept waiting, or not. A handler that waits runs when they are let through again. */
#if defined(__arm__)
static inline void startup_hold_interrupts(void) { __asm__ volatile("cpsid i" ::: "memory"); }
static inline void startup_let_interrupts(void) { __asm__ volatile("cpsie i\n isb" ::: "memory"); }
/* Accesses to memory are not moved across this call by the compiler. */
static inline void startup_order_memory(void) { __asm__ volatile("" ::: "memory"); }
/* An interrupt that was enabled before this call, and is pending, is taken before the call returns. */
static inline void startup_take_interrupts(void) { __asm__ volatile("dsb\n isb" ::: "memory"); }
#endif
/* Stops the processor until an interrupt waits, also one that is kept waiting. */
void startup_wait_for_interrupt(void);
#endif
