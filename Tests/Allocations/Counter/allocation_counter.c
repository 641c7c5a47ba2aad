// Stands in front of glibc's allocation functions, so that everything the process allocates is counted: Swift's runtime and
// its containers go through these as well.
#include "allocation_counter.h"
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
static uint64_t count;

static void counted(void) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); }
uint64_t allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

void *malloc(size_t size) { counted(); return __libc_malloc(size); }
void *calloc(size_t items, size_t size) { counted(); return __libc_calloc(items, size); }
void *realloc(void *old, size_t size) { counted(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  counted();
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}
