// The C library's declarations belong to its own module. Without this line both modules would own <sys/socket.h>, and which
// of them a Swift file has to import to see SOCK_STREAM would depend on the order of compilation.
#pragma clang module import SwiftGlibc
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
