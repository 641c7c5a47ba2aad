#include <sys/prctl.h>

// Makes this process one whose memory no core dump has. prctl is variadic, which Swift cannot call.
static inline int herald_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
