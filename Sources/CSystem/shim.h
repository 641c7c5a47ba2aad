#include <sys/prctl.h>
#include <sys/timex.h>

// Makes this process one whose memory no core dump has. prctl is variadic, which Swift cannot call.
static inline int herald_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

// Whether NTP or another source keeps the kernel's clock: 1 if it does, 0 if it does not, -1 if the kernel does not say so. Nothing is set.
static inline int herald_clock_is_synchronised(void) {
  struct timex state = {0};
  int result = adjtimex(&state);
  if (result < 0) return -1;
  return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
