// What must run before any Swift code may: the vector table, the copy of initialised data, and the memory functions that
// the compiler calls by name.
#if defined(__arm__)
#include "startup.h"
#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

__attribute__((noreturn)) void Reset_Handler(void) {
  const uint32_t *from = &data_load;
  for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
  for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
  main(0, NULL);
  for (;;) __asm__ volatile("wfi");
}

static void Stop_Handler(void) {
  for (;;) __asm__ volatile("bkpt 0");
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_top,   Reset_Handler, Stop_Handler, Stop_Handler, Stop_Handler, Stop_Handler, Stop_Handler, 0,
    0,            0,             0,            Stop_Handler, Stop_Handler, 0,            Stop_Handler, Stop_Handler};

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
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

void *memset(void *to, int value, size_t count) {
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

#define REGISTER(address) (*(volatile uint32_t *)(address))

int board_line_read(uint32_t line, uint8_t *to, int count) {
  int taken = 0;
  while (taken < count && (REGISTER(line + 4) & 2)) to[taken++] = (uint8_t)REGISTER(line);
  return taken;
}

int board_line_write(uint32_t line, const uint8_t *from, int count) {
  for (int i = 0; i < count; i++) REGISTER(line) = from[i];
  return count;
}

uint32_t board_milliseconds(void) { return REGISTER(0x40008000); }
uint32_t board_random(void) { return REGISTER(0x4000D508); }

int board_flash_read(uint32_t address, uint8_t *to, int count) {
  for (int i = 0; i < count; i++) to[i] = *(volatile const uint8_t *)(address + i);
  return 0;
}

int board_flash_program(uint32_t address, const uint8_t *from, int count) {
  for (int i = 0; i + 3 < count; i += 4)
    REGISTER(address + i) = from[i] | from[i + 1] << 8 | from[i + 2] << 16 | (uint32_t)from[i + 3] << 24;
  return 0;
}

int board_flash_erase(uint32_t address) {
  REGISTER(0x4001E508) = address;
  return 0;
}

int board_usb_event(uint32_t usb, uint8_t setup[8]) {
  for (int i = 0; i < 8; i++) setup[i] = (uint8_t)REGISTER(usb + 0x480 + 4 * i);
  return (int)REGISTER(usb + 0x100);
}

int board_usb_write(uint32_t usb, int endpoint, const uint8_t *from, int count) {
  if (!REGISTER(usb + 0x200 + 4 * (endpoint & 15))) return 0;
  for (int i = 0; i < count; i++) REGISTER(usb + 0x600) = from[i];
  return 1;
}

int board_usb_read(uint32_t usb, int endpoint, uint8_t *to, int count) {
  int arrived = (int)REGISTER(usb + 0x280 + 4 * (endpoint & 15));
  for (int i = 0; i < arrived && i < count; i++) to[i] = (uint8_t)REGISTER(usb + 0x700);
  return arrived;
}

void board_usb_command(uint32_t usb, int command, int argument) { REGISTER(usb + 4 * command) = (uint32_t)argument; }

/* Application Interrupt and Reset Control Register: SYSRESETREQ (ARMv6-M and ARMv7-M Architecture Reference Manuals). */
void board_restart(void) { REGISTER(0xE000ED0C) = 0x05FA0004; }
#endif
