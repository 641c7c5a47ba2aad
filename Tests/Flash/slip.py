"""SLIP as Nordic's boot loaders use it: a frame ends with END, and nothing marks its beginning."""

END, ESCAPE, ESCAPED_END, ESCAPED_ESCAPE = 0xC0, 0xDB, 0xDC, 0xDD


def encoded(frame):
    return frame.replace(b"\xDB", b"\xDB\xDD").replace(b"\xC0", b"\xDB\xDC") + b"\xC0"


class Decoder:
    """Parses frames from a stream of bytes. A frame with an invalid escape sequence is dropped up to the next END and counted in `broken`."""

    def __init__(self):
        self.frame, self.is_escaped, self.is_broken = bytearray(), False, False
        self.broken = 0

    def frames(self, data):
        for byte in data:
            if byte == END:
                if self.is_broken or self.is_escaped:
                    self.broken += 1
                elif self.frame:
                    yield bytes(self.frame)
                self.frame, self.is_escaped, self.is_broken = bytearray(), False, False
            elif self.is_escaped:
                self.is_escaped = False
                if byte in (ESCAPED_END, ESCAPED_ESCAPE):
                    self.frame.append(END if byte == ESCAPED_END else ESCAPE)
                else:
                    self.is_broken = True
            elif byte == ESCAPE:
                self.is_escaped = True
            else:
                self.frame.append(byte)


class FramedDecoder:
    """The same where a frame begins with END, too, as SDK 11 has it. Bytes before it are skipped; the END after a frame does not begin the next. A byte after ESC
    that is not an escape code is taken literally, and frames longer than `longest` are dropped and counted in `broken`."""

    def __init__(self, longest):
        self.longest = longest
        self.broken = 0
        self.begin()

    def begin(self):
        self.frame, self.is_escaped, self.has_begun = bytearray(), False, False

    def frames(self, data):
        for byte in data:
            if byte == END:
                if not self.has_begun or not self.frame:
                    self.begin()
                    self.has_begun = True
                    continue
                frame = bytes(self.frame)
                self.begin()
                yield frame
            elif not self.has_begun:
                continue
            elif self.is_escaped:
                self.is_escaped = False
                self.frame.append({ESCAPED_END: END, ESCAPED_ESCAPE: ESCAPE}.get(byte, byte))
            elif byte == ESCAPE:
                self.is_escaped = True
            else:
                self.frame.append(byte)
            if len(self.frame) > self.longest:
                self.broken += 1
                self.begin()
