import Foundation
import HeraldHostLink

/// The signals that terminate this program: SIGINT, SIGTERM and SIGHUP.
enum EndSignals {
  /// The end of the pipe that the signal handler writes to. A signal handler can access only global
  /// variables.
  nonisolated(unsafe) private static var writingEnd: Int32 = -1

  /// What the first signal causes in place of the end of the program.
  nonisolated(unsafe) private static var first: (@Sendable (_ name: String) -> Void)?

  /// Has the first signal run `action`, in a thread of its own; the second one ends the program at once. To
  /// be called before `closeSessions`.
  static func onFirst(_ action: @escaping @Sendable (_ name: String) -> Void) {
    first = action
    closeSessions()
  }

  private static func name(of number: UInt8) -> String {
    switch Int32(number) {
    case SIGINT: "SIGINT"
    case SIGTERM: "SIGTERM"
    default: "SIGHUP"
    }
  }

  /// Installs handlers that close the sessions with devices before the signal terminates the program. Ignored
  /// signals remain ignored.
  static func closeSessions() { _ = isWatching }

  private static let isWatching: Bool = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading = ends[0]
    writingEnd = ends[1]
    Thread {
      var number: UInt8 = 0
      while read(reading, &number, 1) != 1 {}
      if let first {
        first(name(of: number))
        while read(reading, &number, 1) != 1 {}
      } else {
        OpenSessions.endAll()
      }
      // The parent process must see that the signal ended this one.
      signal(Int32(number), SIG_DFL)
      kill(getpid(), Int32(number))
    }.start()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let former = signal(number) { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(EndSignals.writingEnd, &byte, 1)
        errno = saved
      }
      let wasIgnored = unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
      if wasIgnored { signal(number, SIG_IGN) }
    }
    return true
  }()
}
