// Placeholders of peripherals for the linker, so that the code above them stays in the image.
#if defined(__arm__)
#include "placeholders.h"

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
