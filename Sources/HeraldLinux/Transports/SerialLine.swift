import Glibc

/// Serial lines in raw mode: no echo, no line editing, no signals, no modem control.
enum SerialLine {
  private static let speeds: [(rate: UInt32, code: Int32)] = [
    (9600, B9600), (19_200, B19200), (38_400, B38400), (57_600, B57600), (115_200, B115200),
    (230_400, B230400),
    (460_800, B460800), (500_000, B500000), (576_000, B576000), (921_600, B921600), (1_000_000, B1000000),
    (1_152_000, B1152000), (1_500_000, B1500000), (2_000_000, B2000000), (2_500_000, B2500000),
    (3_000_000, B3000000), (3_500_000, B3500000), (4_000_000, B4000000),
  ]

  /// The system's constant for a baud rate; `nil` if the rate is not supported.
  static func speed(_ rate: UInt32) -> speed_t? {
    speeds.first { $0.rate == rate }.map { speed_t(bitPattern: $0.code) }
  }

  /// Opens `path` in raw, non-blocking mode with eight data bits and one stop bit, for exclusive use.
  static func open(_ path: String, baud: UInt32, flowControl: Bool) throws(SystemFailure) -> FileDescriptor {
    let number = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      let advice =
        errno == EACCES
        ? "add yourself to the group that owns it (dialout on Debian) and log in again"
        : errno == ENOENT
          ? "is the controller plugged in?" : errno == EBUSY ? "another program has it open" : ""
      throw SystemFailure("open", path, code: errno, advice: advice)
    }
    let file = FileDescriptor(number)
    var settings = termios()
    guard tcgetattr(number, &settings) == 0 else {
      throw SystemFailure("use", path, code: errno, advice: "is it a serial line?")
    }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    settings.c_cflag &= ~tcflag_t(CSTOPB)
    if flowControl {
      settings.c_cflag |= tcflag_t(CRTSCTS)
    } else {
      settings.c_cflag &= ~tcflag_t(CRTSCTS)
    }
    // With VMIN 1, a read without data fails with EAGAIN; with VMIN 0 it returns 0, as on a line that has
    // hung up.
    settings.c_cc.6 = 1  // VMIN
    settings.c_cc.5 = 0  // VTIME
    guard let code = speed(baud), cfsetspeed(&settings, code) == 0, tcsetattr(number, TCSANOW, &settings) == 0
    else { throw SystemFailure("set", "\(path) to \(baud) baud", code: errno) }
    _ = ioctl(number, UInt(TIOCEXCL))
    tcflush(number, TCIOFLUSH)
    return file
  }
}
