#ifndef STARTUP_H
#define STARTUP_H
#include <stdint.h>
/* The image's main function, written in Swift. */
int main(int argc, char **argv);

/* The least a board has, as a UART, a counter and a memory at fixed addresses: enough for the linker to keep everything above. */
int board_line_read(uint32_t line, uint8_t *to, int count);
int board_line_write(uint32_t line, const uint8_t *from, int count);
uint32_t board_milliseconds(void);
uint32_t board_random(void);
int board_flash_read(uint32_t address, uint8_t *to, int count);
int board_flash_program(uint32_t address, const uint8_t *from, int count);
int board_flash_erase(uint32_t address);
#endif
