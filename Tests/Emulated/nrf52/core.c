// What happens too often for Python: blocks of instructions, of which Unicorn tells before it runs them, and accesses to registers without an effect.
#include <stdint.h>

enum { ACCESS = 4 };     // cycles of an access to a register
#define PERIPHERALS 0x40000000u
#define SYSTEM 0xE000E000u

// The events of a peripheral that are read and cleared without another effect, and those that have occurred.
struct events {
  uint64_t known, happened;
};

struct core {
  // Of the instructions since the beginning, the processor stops at the limit. Time is `cycles` for each, and what was skipped; at `due` something happens.
  uint64_t instructions, limit, skipped, due;
  // The interrupts (NVIC).
  uint64_t enabled, pending;
  const uint16_t *code;  // what is at address 0
  uint32_t bytes, cycles;
  // Whether the limit was reached; whether nothing has an effect any more; whether the processor is to stop when PRIMASK is cleared, and
  // Unicorn's number of that register.
  uint32_t was_stopped, is_abandoned, is_masked, primask;
  int (*stop)(void *engine);
  int (*read_register)(void *engine, int number, void *value);
  // Python: the limit was reached, and may be set anew; an access, before which something may be due.
  void (*reached)(void);
  uint32_t (*access)(uint32_t address, uint32_t size, uint32_t is_write, uint32_t value, uint32_t is_due);
  struct events *events[128];  // by pages from PERIPHERALS on
};

struct region {
  struct core *core;
  uint64_t base;
};

// An access takes its time; whether something is then due.
static int take(struct core *core) {
  core->skipped += ACCESS;
  return core->instructions * core->cycles + core->skipped >= core->due;
}

void core_block(void *engine, uint64_t address, uint32_t size, struct core *core) {
  if (core->is_masked) {
    uint32_t is_set = 0;
    core->read_register(engine, core->primask, &is_set);
    if (!is_set) core->limit = 0;
  }
  if (core->instructions >= core->limit && core->limit && core->reached) core->reached();
  if (core->instructions >= core->limit) {
    core->was_stopped = 1;
    core->stop(engine);
    return;
  }
  uint64_t end = address + size;
  if (end > core->bytes) {
    core->instructions += size / 2;
    return;
  }
  // An instruction has two halves if its first one begins with 11101, 11110 or 11111 (Armv7-M Architecture Reference Manual, A5.1).
  for (; address < end; core->instructions++) address += core->code[address / 2] >> 11 >= 0x1D ? 4 : 2;
}

// The bit of an event at an address; 0 for other registers.
static uint64_t event_at(const struct core *core, uint32_t address, struct events **events) {
  uint32_t offset = address & 0xFFF;
  if (address - PERIPHERALS >= 128 << 12 || offset < 0x100 || offset >= 0x200) return 0;
  *events = core->events[(address - PERIPHERALS) >> 12];
  return *events ? (*events)->known & 1ull << (offset - 0x100) / 4 : 0;
}

uint64_t core_read(void *engine, uint64_t offset, unsigned size, struct region *region) {
  struct core *core = region->core;
  struct events *events;
  uint32_t address = region->base + offset;
  if (core->is_abandoned) return 0;
  int is_due = take(core);
  if (size == 4 && address % 4 == 0 && !is_due) {
    uint64_t event = event_at(core, address, &events);
    if (event) return (events->happened & event) != 0;
    switch (address) {
      case SYSTEM + 0x100: case SYSTEM + 0x180: return (uint32_t)core->enabled;
      case SYSTEM + 0x104: case SYSTEM + 0x184: return core->enabled >> 32;
      case SYSTEM + 0x200: case SYSTEM + 0x280: return (uint32_t)core->pending;
      case SYSTEM + 0x204: case SYSTEM + 0x284: return core->pending >> 32;
    }
  }
  return core->access(address, size, 0, 0, is_due);
}

void core_write(void *engine, uint64_t offset, unsigned size, uint64_t value, struct region *region) {
  struct core *core = region->core;
  struct events *events;
  uint32_t address = region->base + offset;
  if (core->is_abandoned) return;
  int is_due = take(core);
  if (size == 4 && address % 4 == 0 && !is_due) {
    uint64_t event = value ? 0 : event_at(core, address, &events);
    if (event) {
      events->happened &= ~event;
      return;
    }
    // Interrupts are enabled or disabled, of which there are 48. The processor stops if one is then to be handled.
    int is_high = address == SYSTEM + 0x104 || address == SYSTEM + 0x184;
    if ((is_high && value < 1 << 16) || address == SYSTEM + 0x100 || address == SYSTEM + 0x180) {
      uint64_t mask = is_high ? value << 32 : value;
      core->enabled = address & 0x80 ? core->enabled & ~mask : core->enabled | mask;
      if (core->enabled & core->pending && !core->is_masked) core->limit = 0;
      return;
    }
  }
  core->access(address, size, 1, value, is_due);
}

// How often each block was executed, by its address / 2, how often it was followed by another than the next one, and its size.
struct blocks {
  uint32_t *times, *jumps, *sizes;
  uint32_t count, last, is_ambiguous;  // `last` is 0 at first: no block is there
};

void note_block(void *engine, uint64_t address, uint32_t size, struct blocks *blocks) {
  if (blocks->last) blocks->jumps[blocks->last] += address != 2 * blocks->last + blocks->sizes[blocks->last];
  uint32_t place = address / 2;
  // Elsewhere, and a block of several sizes: the caller does not know these.
  if (place >= blocks->count || (blocks->sizes[place] && blocks->sizes[place] != size)) {
    blocks->is_ambiguous = 1;
    return;
  }
  blocks->sizes[place] = size;
  blocks->times[place]++;
  blocks->last = place;
}
