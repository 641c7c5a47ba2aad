// The memory functions that the compiler calls by name, under C's names and under those of the run-time ABI for the Arm Architecture (4.3.4).
// Two are not inlined: they would be there once for each of their names.
#if defined(__arm__)
#include <stddef.h>
#include <stdint.h>

__attribute__((noinline)) void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  uint8_t *d = to;
  const uint8_t *s = from;
  if ((((uintptr_t)d | (uintptr_t)s) & 3) == 0)
    for (; count >= 4; count -= 4, d += 4, s += 4) *(uint32_t *)d = *(const uint32_t *)s;
  while (count--) *d++ = *s++;
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  uint8_t *d = to;
  const uint8_t *s = from;
  if (d <= s) return memcpy(to, from, count);
  while (count--) d[count] = s[count];
  return to;
}

__attribute__((noinline)) void *memset(void *to, int value, size_t count) {
  uint8_t *d = to;
  if (((uintptr_t)d & 3) == 0)
    for (uint32_t word = (uint8_t)value * 0x01010101u; count >= 4; count -= 4, d += 4) *(uint32_t *)d = word;
  while (count--) *d++ = (uint8_t)value;
  return to;
}

int memcmp(const void *left, const void *right, size_t count) {
  const uint8_t *l = left, *r = right;
  for (; count; count--, l++, r++)
    if (*l != *r) return *l - *r;
  return 0;
}

void __aeabi_memcpy(void *to, const void *from, size_t count) { memcpy(to, from, count); }
void __aeabi_memcpy4(void *to, const void *from, size_t count) { memcpy(to, from, count); }
void __aeabi_memcpy8(void *to, const void *from, size_t count) { memcpy(to, from, count); }
void __aeabi_memmove(void *to, const void *from, size_t count) { memmove(to, from, count); }
void __aeabi_memmove4(void *to, const void *from, size_t count) { memmove(to, from, count); }
void __aeabi_memmove8(void *to, const void *from, size_t count) { memmove(to, from, count); }
void __aeabi_memset(void *to, size_t count, int value) { memset(to, value, count); }
void __aeabi_memset4(void *to, size_t count, int value) { memset(to, value, count); }
void __aeabi_memset8(void *to, size_t count, int value) { memset(to, value, count); }
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr4(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr8(void *to, size_t count) { memset(to, 0, count); }
#endif
