// usb_device [--deny] [--vanish BYTES] [--control FIFO] PORT… -- PROGRAM [ARGUMENT…]
//
// Runs PROGRAM, unmodified, on a computer whose USB has the devices that the USB/IP servers at these TCP ports of 127.0.0.1 export: a private
// /sys and /dev of libumockdev's, whose preloaded library hands the ioctls of usbfs to this process, which carries the transfers to the
// device. No USB in the kernel and no privileges are needed. Ends with PROGRAM's status.
//
//   --deny           nobody but root may open the devices' files, and PROGRAM does not run as root
//   --control FIFO   (as the first option) later, devices are connected and disconnected by lines in FIFO: `plug PORT`, and `unplug N`, by the number of the device, from
//                    1; the program learns of it by the events of udev
//   --vanish BYTES   the cable is pulled when a device has sent so many bytes on bulk endpoints
#include <sys/ioctl.h>
#include <linux/usbdevice_fs.h>

#include <errno.h>
#include <grp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <umockdev.h>
#include <unistd.h>

#include "usbip.h"

/// A transfer between libusb and the device.
typedef struct device_file device_file;
typedef struct {
  const void *mark;  // Never `usbip.c`'s.
  device_file *file;
  UMockdevIoctlData *urb, *buffer;
  gulong address;
} request;

struct device_file {
  UMockdevIoctlBase parent;
  usbip *device;
  GMutex lock;
  GCond changed;
  GQueue under_way, over;
};
typedef struct {
  UMockdevIoctlBaseClass parent;
} device_fileClass;
G_DEFINE_TYPE(device_file, device_file, umockdev_ioctl_base_get_type())

static atomic_long bytes_until_gone = -1;

static void transfer_is_over(void *argument, int status, uint32_t count, const uint8_t *bytes) {
  request *it = argument;
  struct usbdevfs_urb *urb = (void *)it->urb->data;
  bool is_control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
  if (bytes) {
    guint8 *start = it->buffer->data + (is_control ? 8 : 0);
    guint32 room = urb->buffer_length - (is_control ? 8 : 0);
    memcpy(start, bytes, MIN(count, room));
    if (!is_control && bytes_until_gone >= 0 && (bytes_until_gone -= count) < 0) usbip_unplug(it->file->device);
  }
  g_mutex_lock(&it->file->lock);
  urb->status = status;
  urb->actual_length = count;
  g_queue_remove(&it->file->under_way, it);
  g_queue_push_tail(&it->file->over, it);
  g_cond_broadcast(&it->file->changed);
  g_mutex_unlock(&it->file->lock);
}

static void answer(UMockdevIoctlClient *client, int error) {
  umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
}

/// A request that the kernel makes in place of the program.
static void control(device_file *file, UMockdevIoctlClient *client, guint8 type, guint8 number, guint16 value, guint16 index) {
  const guint8 setup[8] = {type, number, value & 255, value >> 8, index & 255, index >> 8};
  int result = usbip_control(file->device, setup, NULL, 0);
  answer(client, result < 0 ? -result : 0);
}

static void begin(device_file *file, UMockdevIoctlClient *client, UMockdevIoctlData *argument) {
  request *it = g_new0(request, 1);
  it->file = file;
  it->address = *(gulong *)argument->data;
  it->urb = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_urb), NULL);
  struct usbdevfs_urb *urb = (void *)it->urb->data;
  if (urb->buffer_length > 0)
    it->buffer = umockdev_ioctl_data_resolve(it->urb, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer), urb->buffer_length, NULL);
  bool is_control = urb->type == USBDEVFS_URB_TYPE_CONTROL;
  const guint8 *bytes = it->buffer ? it->buffer->data : NULL;
  bool is_in = is_control ? bytes[0] & 0x80 : urb->endpoint & 0x80;
  g_mutex_lock(&file->lock);
  g_queue_push_tail(&file->under_way, it);
  g_mutex_unlock(&file->lock);
  bool is_begun = is_control ? usbip_submit(file->device, it, 0, is_in, bytes, 0, urb->buffer_length - 8, bytes + 8)
                             : usbip_submit(file->device, it, urb->endpoint, is_in, NULL, urb->flags & USBDEVFS_URB_ZERO_PACKET,
                                            urb->buffer_length, bytes);
  if (!is_begun) {
    g_mutex_lock(&file->lock);
    g_queue_remove(&file->under_way, it);
    g_mutex_unlock(&file->lock);
  }
  answer(client, is_begun ? 0 : ENODEV);
}

static void discard(device_file *file, UMockdevIoctlClient *client, UMockdevIoctlData *argument) {
  gulong address = *(gulong *)argument->data;
  request *found = NULL;
  g_mutex_lock(&file->lock);
  for (GList *at = file->under_way.head; at && !found; at = at->next)
    if (((request *)at->data)->address == address) found = at->data;
  g_mutex_unlock(&file->lock);
  answer(client, found && usbip_unlink(file->device, found) ? 0 : EINVAL);
}

static void reap(device_file *file, UMockdevIoctlClient *client, UMockdevIoctlData *argument) {
  // poll(2) finds a plain file always ready: without a moment's wait here libusb would ask again and again.
  gint64 until = g_get_monotonic_time() + 5 * G_TIME_SPAN_MILLISECOND;
  g_mutex_lock(&file->lock);
  while (g_queue_is_empty(&file->over) && g_cond_wait_until(&file->changed, &file->lock, until)) continue;
  request *it = g_queue_pop_head(&file->over);
  g_mutex_unlock(&file->lock);
  if (!it) return answer(client, EAGAIN);
  UMockdevIoctlData *place = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
  umockdev_ioctl_data_set_ptr(place, 0, it->urb);
  answer(client, 0);
}

static gboolean handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client) {
  device_file *file = (device_file *)base;
  UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client), *data;
  switch (umockdev_ioctl_client_get_request(client)) {
  case USBDEVFS_GET_CAPABILITIES:
    data = umockdev_ioctl_data_resolve(argument, 0, sizeof(guint32), NULL);
    *(guint32 *)data->data = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_NO_PACKET_SIZE_LIM;
    answer(client, 0);
    break;
  case USBDEVFS_DISCONNECT_CLAIM:
  case USBDEVFS_CLAIMINTERFACE:
  case USBDEVFS_RELEASEINTERFACE: answer(client, 0); break;
  case USBDEVFS_GETDRIVER: answer(client, ENODATA); break;
  case USBDEVFS_SETCONFIGURATION:
    data = umockdev_ioctl_data_resolve(argument, 0, sizeof(unsigned), NULL);
    control(file, client, 0x00, 9, *(unsigned *)data->data, 0);
    break;
  case USBDEVFS_SETINTERFACE:
    data = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_setinterface), NULL);
    control(file, client, 0x01, 11, ((struct usbdevfs_setinterface *)data->data)->altsetting,
            ((struct usbdevfs_setinterface *)data->data)->interface);
    break;
  case USBDEVFS_CLEAR_HALT:
    data = umockdev_ioctl_data_resolve(argument, 0, sizeof(unsigned), NULL);
    control(file, client, 0x02, 1, 0, *(unsigned *)data->data);
    break;
  case USBDEVFS_SUBMITURB: begin(file, client, argument); break;
  case USBDEVFS_DISCARDURB: discard(file, client, argument); break;
  case USBDEVFS_REAPURB:
  case USBDEVFS_REAPURBNDELAY: reap(file, client, argument); break;
  default: answer(client, ENOTTY);
  }
  return TRUE;
}

static void device_file_class_init(device_fileClass *class) { UMOCKDEV_IOCTL_BASE_CLASS(class)->handle_ioctl = handle; }
static void device_file_init(device_file *file) {
  g_mutex_init(&file->lock);
  g_cond_init(&file->changed);
  g_queue_init(&file->under_way);
  g_queue_init(&file->over);
}

/// Gets a descriptor as the kernel does when a device is plugged in; its length.
static int descriptor(usbip *device, guint8 type, guint8 number, guint16 language, guint8 *bytes, guint16 room) {
  const guint8 setup[8] = {0x80, 6, number, type, language & 255, language >> 8, room & 255, room >> 8};
  int count = usbip_control(device, setup, bytes, room);
  if (count < 0) fprintf(stderr, "descriptor %u/%u: %s\n", type, number, strerror(-count));
  return MAX(count, 0);
}

/// A string descriptor as the kernel shows it below /sys; the devices' texts are ASCII.
static char *text(usbip *device, guint8 number) {
  guint8 bytes[255];
  GString *text = g_string_new(NULL);
  int count = descriptor(device, 3, number, 0x0409, bytes, sizeof bytes);
  for (int i = 2; i + 1 < count; i += 2) g_string_append_c(text, bytes[i]);
  return g_string_free(text, FALSE);
}

/// Enumerates a device and puts it below /sys and /dev; the path of its file.
static char *plug_in(UMockdevTestbed *testbed, guint16 port, int number) {
  usbip *device = usbip_import(port, transfer_is_over);
  if (!device) exit(2);
  guint8 bytes[18 + 1024];
  int count = descriptor(device, 1, 0, 0, bytes, 18);
  count += descriptor(device, 2, 0, 0, bytes + count, 1024);
  const guint8 configure[8] = {0x00, 9, 1};
  if (count < 27 || usbip_control(device, configure, NULL, 0) < 0) exit(2);
  GString *hexadecimal = g_string_new(NULL);
  for (int i = 0; i < count; i++) g_string_append_printf(hexadecimal, "%02X", bytes[i]);
  char *file = g_strdup_printf("/dev/bus/usb/001/%03d", number + 1);
  char *description = g_strdup_printf(
      "P: /devices/mock/usb1/1-%d\nN: %s=%s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\nE: DEVNUM=%03d\nE: DEVNAME=%s\n"
      "A: busnum=1\\n\nA: devnum=%d\\n\nA: speed=12\\n\nA: bConfigurationValue=1\\n\nA: idVendor=%02x%02x\\n\nA: idProduct=%02x%02x\\n\n"
      "A: manufacturer=%s\\n\nA: product=%s\\n\nA: serial=%s\\n\nH: descriptors=%s\n",
      number, file + 5, hexadecimal->str, number + 1, file, number + 1, bytes[9], bytes[8], bytes[11], bytes[10], text(device, bytes[14]),
      text(device, bytes[15]), text(device, bytes[16]), hexadecimal->str);
  device_file *handler = g_object_new(device_file_get_type(), NULL);
  handler->device = device;
  GError *error = NULL;
  // The socket comes first: who looks at the devices in the meantime may open the file as soon as it is there.
  if (!umockdev_testbed_attach_ioctl(testbed, file, UMOCKDEV_IOCTL_BASE(handler), &error) ||
      !umockdev_testbed_add_from_string(testbed, description, &error)) {
    fprintf(stderr, "%s\n", error->message);
    exit(2);
  }
  return file;
}

/// Takes everybody's right to open a device's file away; the sockets that stand for the kernel stay everybody's.
static void deny(UMockdevTestbed *testbed, const char *file) {
  char *root = umockdev_testbed_get_root_dir(testbed);
  chmod(g_strconcat(root, file, NULL), geteuid() == 0 ? 0600 : 0);
  chmod(g_strconcat(root, "/ioctl", file, NULL), 0777);
  chmod(g_strconcat(root, "/ioctl/_default", NULL), 0777);
  chmod(root, 0777);
}

/// Where the lines come from, and where the devices go to.
typedef struct {
  UMockdevTestbed *testbed;
  const char *path;
  int devices;
} controller;

static gpointer obey(gpointer argument) {
  controller *it = argument;
  FILE *lines = fopen(it->path, "r");
  char word[16];
  int number;
  while (lines && fscanf(lines, "%15s %d", word, &number) == 2) {
    bool is_new = strcmp(word, "plug") == 0;
    if (is_new) {
      plug_in(it->testbed, number, ++it->devices);
      number = it->devices;
    }
    char *path = g_strdup_printf("/sys/devices/mock/usb1/1-%d", number);
    umockdev_testbed_uevent(it->testbed, path, is_new ? "add" : "remove");
    if (!is_new) umockdev_testbed_remove_device(it->testbed, path);
    g_free(path);
  }
  return NULL;
}

int main(int count, char **words) {
  // To send an event of udev, this program looks the device up, in the same /sys as PROGRAM.
  if (count > 1 && strcmp(words[1], "--control") == 0 && !getenv("LD_PRELOAD")) {
    setenv("LD_PRELOAD", "libumockdev-preload.so.0", 1);
    execv("/proc/self/exe", words);
  }
  UMockdevTestbed *testbed = umockdev_testbed_new();
  bool is_denied = false;
  controller control = {testbed, NULL, 0};
  int at = 1, devices = 0;
  for (; at < count && strcmp(words[at], "--") != 0; at++) {
    if (strcmp(words[at], "--deny") == 0) {
      is_denied = true;
    } else if (strcmp(words[at], "--control") == 0 && at + 1 < count) {
      control.path = words[++at];
    } else if (strcmp(words[at], "--vanish") == 0 && at + 1 < count) {
      bytes_until_gone = atol(words[++at]);
    } else {
      char *file = plug_in(testbed, atoi(words[at]), ++devices);
      if (is_denied) deny(testbed, file);
    }
  }
  if (at + 1 >= count || (devices == 0 && !control.path)) {
    fprintf(stderr, "usage: usb_device [--deny] [--vanish BYTES] [--control FIFO] PORT... -- PROGRAM [ARGUMENT...]\n");
    return 64;
  }
  setenv("LD_PRELOAD", "libumockdev-preload.so.0", 1);
  pid_t child = fork();
  if (child == 0) {
    if (is_denied && geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) _exit(126);
    execvp(words[at + 1], words + at + 1);
    perror(words[at + 1]);
    _exit(127);
  }
  control.devices = devices;
  if (control.path) g_thread_new("control", obey, &control);
  int status = 0;
  waitpid(child, &status, 0);
  g_object_unref(testbed);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
