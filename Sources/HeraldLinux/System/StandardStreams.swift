import Glibc

/// Standard input, output and error.
public enum StandardStreams {
  /// Opens standard streams that were closed when the process started on /dev/null. Otherwise the next opened
  /// file would get the number of one of them, and standard output would be written into that file.
  public static func fill() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      // `open` returns the lowest free number, which is `number`.
      _ = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
    }
  }
}
