#ifndef PLACEHOLDERS_H
#define PLACEHOLDERS_H
#include <stdint.h>

/* The least a board has, as a UART, a counter and a memory at fixed addresses: enough for the linker to keep everything above. */
int board_line_read(uint32_t line, uint8_t *to, int count);
int board_line_write(uint32_t line, const uint8_t *from, int count);
uint32_t board_milliseconds(void);
uint32_t board_random(void);
int board_flash_read(uint32_t address, uint8_t *to, int count);
int board_flash_program(uint32_t address, const uint8_t *from, int count);
int board_flash_erase(uint32_t address);
/* The number of the event, 0 for none; that of a control request comes with its eight bytes. */
int board_usb_event(uint32_t usb, uint8_t setup[8]);
int board_usb_write(uint32_t usb, int endpoint, const uint8_t *from, int count);
/* Bytes of the packet, -1 for none. */
int board_usb_read(uint32_t usb, int endpoint, uint8_t *to, int count);
void board_usb_command(uint32_t usb, int command, int argument);
void board_restart(void);
#endif
