// Volatile accesses of Swift's on a Cortex-M0, for which the compiler calls these (the library interface of the compiler's atomics). A load or store of
// one byte or word is one access, and a processor with one core sees its own in order.
#if defined(__ARM_ARCH_6M__)
#include <stdint.h>

// Under names of our own, as C has built-in functions of those.
uint8_t atomic_load_byte(const volatile uint8_t *from, int order) __asm__("__atomic_load_1");
uint32_t atomic_load_word(const volatile uint32_t *from, int order) __asm__("__atomic_load_4");
void atomic_store_byte(volatile uint8_t *to, uint8_t byte, int order) __asm__("__atomic_store_1");
void atomic_store_word(volatile uint32_t *to, uint32_t word, int order) __asm__("__atomic_store_4");

uint8_t atomic_load_byte(const volatile uint8_t *from, int order) { return *from; }
uint32_t atomic_load_word(const volatile uint32_t *from, int order) { return *from; }
void atomic_store_byte(volatile uint8_t *to, uint8_t byte, int order) { *to = byte; }
void atomic_store_word(volatile uint32_t *to, uint32_t word, int order) { *to = word; }
#endif
