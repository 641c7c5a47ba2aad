"""The subset of CBOR (RFC 8949) that MCUmgr's packets use: numbers, texts, bytes, arrays, maps, true, false and null; of definite and indefinite length when read."""

import struct

BREAK = object()
SIMPLE = {0xF4: False, 0xF5: True, 0xF6: None, 0xFF: BREAK}


class Malformed(Exception):
    """Not CBOR, or not of this subset."""


def encoded(value):
    if value is None or isinstance(value, bool):
        return {None: b"\xF6", False: b"\xF4", True: b"\xF5"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(encoded(key) + encoded(one) for key, one in value.items())
    return head(4, len(value)) + b"".join(map(encoded, value))


def head(kind, value):
    if value < 24:
        return bytes([kind << 5 | value])
    for size, form in enumerate((">B", ">H", ">I", ">Q")):
        if value < 256 ** (1 << size):
            return bytes([kind << 5 | 24 + size]) + struct.pack(form, value)
    raise ValueError(value)


def decoded(data):
    try:
        value, place = item(data, 0)
    except (IndexError, struct.error, UnicodeDecodeError, TypeError) as error:
        raise Malformed from error
    if place != len(data) or value is BREAK:
        raise Malformed
    return value


def item(data, place):
    first = data[place]
    place += 1
    if first in SIMPLE:
        return SIMPLE[first], place
    kind, size = first >> 5, first & 31
    if size == 31 and kind in (4, 5):
        return several(kind, data, place, None)
    if size > 27 or kind > 5:
        raise Malformed
    if size > 23:
        form = (">B", ">H", ">I", ">Q")[size - 24]
        size, = struct.unpack_from(form, data, place)
        place += struct.calcsize(form)
    if kind in (2, 3):
        if place + size > len(data):
            raise Malformed
        piece = data[place:place + size]
        return piece if kind == 2 else piece.decode(), place + size
    if kind > 3:
        return several(kind, data, place, size)
    return size if kind == 0 else -1 - size, place


def several(kind, data, place, count):
    """The items of an array or map: the given number, or up to the break."""
    items = []
    while count is None or len(items) < count * (kind - 3):
        value, place = item(data, place)
        if value is BREAK:
            if count is not None:
                raise Malformed
            break
        items.append(value)
    return items if kind == 4 else dict(zip(items[::2], items[1::2])), place
