import CSystem

/// Whether NTP, or another source of time, keeps this machine's clock, as the kernel says.
package enum ClockSynchronisation: Sendable {
  /// The clock follows a time server.
  case synchronised
  /// The clock follows no time server: the date is that of the clock on the board, or of whoever typed it.
  case unsynchronised
  /// The kernel does not say so to this process.
  case unknown

  /// The present state, by `adjtimex`.
  package static var ofThisMachine: ClockSynchronisation {
    switch herald_clock_is_synchronised() {
    case 0: .unsynchronised
    case 1: .synchronised
    default: .unknown
    }
  }
}
