import Glibc

/// Standard input, output and error.
public enum StandardStreams {
  /// Opens the standard streams that were closed when the process started, on /dev/null. Else the next file
  /// to be opened would take their number, and what is said on standard output would be written into it.
  public static func fill() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is the one that is missing.
      _ = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
    }
  }
}
