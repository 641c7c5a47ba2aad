"""The messages of USB/IP 1.1.1 (Linux, Documentation/usb/usbip_protocol.rst), for the servers, clients and proxies of the tests."""

import struct

PORT = 3240
SUBMIT, UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
OP_VERSION = 0x0111
OP_REQ_DEVLIST, OP_REP_DEVLIST, OP_REQ_IMPORT, OP_REP_IMPORT = 0x8005, 0x0005, 0x8003, 0x0003
BUS_ID = b"1-1"
FULL_SPEED, HIGH_SPEED = 2, 3
# Linux error numbers, as statuses of transfers.
EPIPE, ECONNRESET = -32, -104

# Version, code and status; the content depends on the code.
OPERATION = struct.Struct(">HHI")
BUS_ID_SIZE = 32
DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
# Command, sequence, device, direction, endpoint; the rest depends on the command.
HEADER = struct.Struct(">5I28s")


def operation(code, status=0):
    return OPERATION.pack(OP_VERSION, code, status)


def import_request(bus_id=BUS_ID):
    return operation(OP_REQ_IMPORT) + struct.pack(f"{BUS_ID_SIZE}s", bus_id)


def device_list(*devices):
    """The response to OP_REQ_DEVLIST; a device is its record with the records of its interfaces."""
    return operation(OP_REP_DEVLIST) + struct.pack(">I", len(devices)) + b"".join(devices)


def device_record(speed, device, configuration):
    """A device by its descriptors, as in the responses of the first phase."""
    vendor, product, version = struct.unpack_from("<HHH", device, 8)
    return DEVICE.pack(b"/sys/devices/virtual/usb1/1-1", BUS_ID, 1, 2, speed, vendor, product, version, *device[4:7], 1, 1, configuration[4])


def interface_record(kind):
    """Class, subclass and protocol."""
    return bytes([*kind, 0])


def submitted(sequence, status, count, data=b""):
    """The response to a transfer."""
    return HEADER.pack(RET_SUBMIT, sequence, 0, 0, 0, struct.pack(">iiIIi8x", status, count, 0, 0, 0)) + data


def unlinked(sequence, was_waiting):
    """The response to an unlink."""
    return HEADER.pack(RET_UNLINK, sequence, 0, 0, 0, struct.pack(">i24x", ECONNRESET if was_waiting else 0))


def victim(rest):
    """The transfer that an UNLINK cancels."""
    return struct.unpack_from(">I", rest)[0]


def length(rest):
    """The number of bytes that a SUBMIT requests or contains, or that a RET_SUBMIT reports as transferred."""
    return struct.unpack_from(">I", rest, 4)[0]


def setup(rest):
    """The setup bytes of a SUBMIT."""
    return rest[20:28]
