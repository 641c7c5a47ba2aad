#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H
#include <stdint.h>
/// How often this process has asked for heap memory since it started, by any of the C library's functions.
uint64_t allocation_count(void);
#endif
