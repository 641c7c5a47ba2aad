#include "usbip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_transfers = 256, submit = 1, unlink_it = 2, submitted = 3, unlinked = 4 };

typedef struct {
  uint32_t sequence;  // 0: free
  void *urb;
  bool is_in;
  uint32_t unlinked_by;
} transfer;

struct usbip {
  int socket;
  bool is_gone;
  uint32_t last_sequence;
  usbip_done done;
  pthread_mutex_t lock;
  transfer transfers[most_transfers];
};

/// A synchronous control request, in place of a URB.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_over;
  int result;
  uint8_t *bytes;
  size_t room;
} waiter;

static const uint8_t waiter_mark;
typedef struct {
  const void *mark;
  waiter *waiter;
} waiting;

static void put(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = value >> (24 - 8 * i);
}
static uint32_t get(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool receive_all(int socket, void *bytes, size_t count) {
  for (uint8_t *at = bytes; count > 0;) {
    ssize_t n = recv(socket, at, count, 0);
    if (n <= 0) return false;
    at += n;
    count -= n;
  }
  return true;
}

static bool send_all(int socket, const void *bytes, size_t count) {
  for (const uint8_t *at = bytes; count > 0;) {
    ssize_t n = send(socket, at, count, MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += n;
    count -= n;
  }
  return true;
}

static void end(usbip *device, void *urb, int status, uint32_t count, const uint8_t *bytes) {
  waiting *wait = urb;
  if (wait->mark != &waiter_mark) {
    device->done(urb, status, count, bytes);
    return;
  }
  waiter *waiter = wait->waiter;
  pthread_mutex_lock(&waiter->lock);
  waiter->result = status < 0 ? status : (int)count;
  if (bytes && count <= waiter->room) memcpy(waiter->bytes, bytes, count);
  waiter->is_over = true;
  pthread_cond_signal(&waiter->changed);
  pthread_mutex_unlock(&waiter->lock);
}

/// Takes a transfer off the list; one whose URB is NULL if there is none with this number.
static transfer take(usbip *device, uint32_t sequence, bool by_unlink) {
  transfer found = {0};
  pthread_mutex_lock(&device->lock);
  for (int i = 0; i < most_transfers; i++) {
    transfer *at = &device->transfers[i];
    if (at->sequence != 0 && (by_unlink ? at->unlinked_by : at->sequence) == sequence) {
      found = *at;
      at->sequence = 0;
      break;
    }
  }
  pthread_mutex_unlock(&device->lock);
  return found;
}

static void *listen_to(void *argument) {
  usbip *device = argument;
  uint8_t header[48];
  while (receive_all(device->socket, header, sizeof header)) {
    uint32_t command = get(header), sequence = get(header + 4);
    int status = (int)get(header + 20);
    if (command == unlinked) {
      // Status 0: the transfer had ended, and its answer came before this one.
      transfer it = take(device, sequence, true);
      if (it.urb && status != 0) end(device, it.urb, -ENOENT, 0, NULL);
      continue;
    }
    if (command != submitted) break;
    transfer it = take(device, sequence, false);
    uint32_t count = get(header + 24);
    uint8_t *bytes = NULL;
    if (it.is_in && count > 0) {
      bytes = malloc(count);
      if (!receive_all(device->socket, bytes, count)) {
        free(bytes);
        end(device, it.urb, -ESHUTDOWN, 0, NULL);
        break;
      }
    }
    if (it.urb) end(device, it.urb, status, count, bytes);
    free(bytes);
  }
  pthread_mutex_lock(&device->lock);
  device->is_gone = true;
  pthread_mutex_unlock(&device->lock);
  for (int i = 0; i < most_transfers; i++) {
    transfer it = take(device, device->transfers[i].sequence, false);
    if (it.urb) end(device, it.urb, -ESHUTDOWN, 0, NULL);
  }
  return NULL;
}

usbip *usbip_import(uint16_t port, usbip_done done) {
  int number = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  // OP_REQ_IMPORT; the reply repeats the device, 312 bytes.
  uint8_t request[40] = {0x01, 0x11, 0x80, 0x03, 0, 0, 0, 0, '1', '-', '1'}, reply[8], record[312];
  if (connect(number, (struct sockaddr *)&address, sizeof address) != 0 || !send_all(number, request, sizeof request) ||
      !receive_all(number, reply, sizeof reply) || get(reply + 4) != 0 || !receive_all(number, record, sizeof record)) {
    fprintf(stderr, "no USB/IP device 1-1 at port %u\n", port);
    close(number);
    return NULL;
  }
  usbip *device = calloc(1, sizeof *device);
  device->socket = number;
  device->done = done;
  pthread_mutex_init(&device->lock, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, listen_to, device);
  pthread_detach(thread);
  return device;
}

bool usbip_submit(usbip *device, void *urb, uint8_t endpoint, bool is_in, const uint8_t *setup, uint32_t flags, uint32_t length,
                  const uint8_t *data) {
  size_t count = is_in ? 0 : length;
  uint8_t *message = calloc(1, 48 + count);
  pthread_mutex_lock(&device->lock);
  transfer *free_one = NULL;
  for (int i = 0; i < most_transfers && !free_one; i++)
    if (device->transfers[i].sequence == 0) free_one = &device->transfers[i];
  bool is_sent = false;
  if (free_one && !device->is_gone) {
    *free_one = (transfer){.sequence = ++device->last_sequence, .urb = urb, .is_in = is_in};
    put(message, submit);
    put(message + 4, free_one->sequence);
    put(message + 8, 1 << 16 | 2);
    put(message + 12, is_in);
    put(message + 16, endpoint & 15);
    put(message + 20, flags);
    put(message + 24, length);
    put(message + 32, 0xFFFFFFFF);
    if (setup) memcpy(message + 40, setup, 8);
    if (count > 0) memcpy(message + 48, data, count);
    is_sent = send_all(device->socket, message, 48 + count);
    if (!is_sent) free_one->sequence = 0;
  }
  pthread_mutex_unlock(&device->lock);
  free(message);
  return is_sent;
}

bool usbip_unlink(usbip *device, void *urb) {
  uint8_t message[48] = {0};
  bool is_found = false;
  pthread_mutex_lock(&device->lock);
  for (int i = 0; i < most_transfers; i++) {
    transfer *at = &device->transfers[i];
    if (at->sequence == 0 || at->urb != urb) continue;
    is_found = true;
    at->unlinked_by = ++device->last_sequence;
    put(message, unlink_it);
    put(message + 4, at->unlinked_by);
    put(message + 8, 1 << 16 | 2);
    put(message + 20, at->sequence);
    send_all(device->socket, message, sizeof message);
    break;
  }
  pthread_mutex_unlock(&device->lock);
  return is_found;
}

int usbip_control(usbip *device, const uint8_t setup[8], uint8_t *bytes, size_t room) {
  waiter waiter = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .bytes = bytes, .room = room};
  waiting wait = {&waiter_mark, &waiter};
  uint32_t length = setup[6] | setup[7] << 8;
  if (!usbip_submit(device, &wait, 0, setup[0] & 0x80, setup, 0, length, bytes)) return -ENODEV;
  pthread_mutex_lock(&waiter.lock);
  while (!waiter.is_over) pthread_cond_wait(&waiter.changed, &waiter.lock);
  pthread_mutex_unlock(&waiter.lock);
  return waiter.result;
}

void usbip_unplug(usbip *device) { shutdown(device->socket, SHUT_RDWR); }
