// A USB/IP client: one device that a server exports, and its transfers.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What became of a transfer: 0 or a negative errno, how much was moved, and, of one to the host, the bytes.
typedef void (*usbip_done)(void *urb, int status, uint32_t count, const uint8_t *bytes);

typedef struct usbip usbip;

/// Connects to the server at 127.0.0.1 and imports its device 1-1; NULL, with a word on standard error, if that cannot be. `done` is called
/// on a thread of its own, once for each transfer that ends.
usbip *usbip_import(uint16_t port, usbip_done done);

/// Asks for a transfer: `setup` of eight bytes for endpoint 0, else NULL. False if the device is gone.
bool usbip_submit(usbip *device, void *urb, uint8_t endpoint, bool is_in, const uint8_t *setup, uint32_t flags, uint32_t length,
                  const uint8_t *data);

/// Gives a transfer up: it ends with -ENOENT unless it has ended already. False if there is none.
bool usbip_unlink(usbip *device, void *urb);

/// A control request, waited for: the bytes that came, or a negative errno.
int usbip_control(usbip *device, const uint8_t setup[8], uint8_t *bytes, size_t room);

/// Disconnects the device: every transfer ends with -ESHUTDOWN, and no further one starts.
void usbip_unplug(usbip *device);
