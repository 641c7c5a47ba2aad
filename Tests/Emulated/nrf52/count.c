// Counts the instructions that Unicorn's processor runs, and stops it at a limit. Unicorn tells of each block of instructions before it runs; that
// many calls are too many for Python.
#include <stdint.h>

struct count {
  uint64_t instructions, limit;
  const uint16_t *code;  // what is at address 0
  uint32_t bytes, was_stopped;
  int (*stop)(void *engine);
};

void count_block(void *engine, uint64_t address, uint32_t size, struct count *count) {
  if (count->instructions >= count->limit) {
    count->was_stopped = 1;
    count->stop(engine);
    return;
  }
  uint64_t end = address + size;
  if (end > count->bytes) {
    count->instructions += size / 2;
    return;
  }
  // An instruction has two halves if its first one begins with 11101, 11110 or 11111 (Armv7-M Architecture Reference Manual, A5.1).
  for (; address < end; count->instructions++) address += count->code[address / 2] >> 11 >= 0x1D ? 4 : 2;
}
