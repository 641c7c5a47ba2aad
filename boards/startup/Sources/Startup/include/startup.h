#ifndef STARTUP_H
#define STARTUP_H
#include <stdint.h>

/* The image's main function, written in Swift. */
int main(int argc, char **argv);

/* Memory that start-up does not initialise: it is retained over a restart. The first eight words belong to the fault handler
 * (docs/firmware.md), the others to the program. */
enum { STARTUP_RETAINED_WORDS = 16 };
uint32_t *startup_retained_words(void);

/* What the fault handler writes to the first two words. */
#define STARTUP_FAULT_MARK 0x746C6148u /* "Halt" */
enum { STARTUP_FAULT_HARDWARE = 1, STARTUP_FAULT_PANIC = 2, STARTUP_FAULT_STACK = 3, STARTUP_FAULT_WATCHDOG = 4 };

/* The word behind the vector table, and whether it is there. If not, the table was not written completely, and
 * interrupts must not be enabled. */
#define STARTUP_TABLE_MARK 0x454C4254u /* "TBLE" */
int startup_table_is_whole(void);

/* The maximum stack usage since start-up, and the size of the stack, in bytes. */
uint32_t startup_stack_used(void);
uint32_t startup_stack_size(void);

/* The regions of the log and of the settings, from the linker script. */
uint32_t startup_log_start(void);
uint32_t startup_log_size(void);
uint32_t startup_settings_start(void);
uint32_t startup_settings_size(void);

/* Masks and unmasks interrupts. The handler of a pending one runs when they are unmasked. */
#if defined(__arm__)
static inline void startup_hold_interrupts(void) { __asm__ volatile("cpsid i" ::: "memory"); }
static inline void startup_let_interrupts(void) { __asm__ volatile("cpsie i\n isb" ::: "memory"); }
/* The compiler does not move accesses to memory across this call. */
static inline void startup_order_memory(void) { __asm__ volatile("" ::: "memory"); }
/* An interrupt that was enabled before this call, and is pending, is taken before the call returns. */
static inline void startup_take_interrupts(void) { __asm__ volatile("dsb\n isb" ::: "memory"); }
#endif
/* Disables and clears all interrupts of the chip, SysTick and PendSV, which a boot loader may have left enabled or pending. On a Cortex-M4 with up to 48
 * interrupts. */
void startup_forget_interrupts(void);
/* Stops the processor until an interrupt is pending, masked or not. */
void startup_wait_for_interrupt(void);
#endif
