// The C library's declarations belong to its own module. Without this line both modules would own <sys/socket.h>, and which
// of them a Swift file has to import to see SOCK_STREAM would depend on the order of compilation.
#pragma clang module import SwiftGlibc
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/prctl.h>

// Makes this process one whose memory no core dump has. prctl is variadic, which Swift cannot call.
static inline int herald_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
