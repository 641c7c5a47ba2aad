import HeraldHostLink

/// Carries whole CMSIS-DAP packets to a debug probe and back. Used from one thread.
///
/// A probe responds to each packet with one packet, in the same order; it reports the maximum number of
/// outstanding packets.
protocol ProbePipe: AnyObject {
  /// The location of the probe, in the form of `--to`.
  var location: String { get }
  /// The probe's texts.
  var identity: USBIdentity { get }

  /// Hands one packet over, to a probe that takes packets of up to `packetSize` bytes; throws `.link` if the
  /// probe is disconnected or does not accept it.
  func send(_ packet: [UInt8], packetSize: Int) throws(HostLinkError)
  /// The next response; throws `.noAnswer` if there is none before `deadline`.
  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]
  /// Releases the probe. Safe to call twice.
  func close()
}

/// Why something on a chip could not be read or written through a probe.
enum ProbeError: Error, Equatable {
  /// The link to the probe, or the probe itself, failed.
  case link(HostLinkError)
  /// The chip responded with WAIT to all retries of the probe.
  case wait
  /// The chip responded with FAULT: a bus error, or an earlier sticky error.
  case fault
  /// The chip did not respond, or its response was damaged.
  case silent
  /// A register did not reach the expected value.
  case mismatch

  /// The same for a person, at `location`.
  func reported(at location: String) -> HostLinkError {
    switch self {
    case .link(let error): error
    case .wait:
      HostLinkError(
        .noAnswer, "the chip behind \(location) answers WAIT and nothing else",
        advice: "power the board off and on, then run the command again")
    case .fault:
      HostLinkError(
        .refused, "the chip behind \(location) answers FAULT: it refuses access to its memory",
        advice: "power the board off and on, then run the command again")
    case .silent:
      HostLinkError(
        .noAnswer, "there is no answer from a chip behind \(location)",
        advice: "check that the board has power and that SWDIO, SWCLK and ground are connected")
    case .mismatch:
      HostLinkError(
        .noAnswer, "the chip behind \(location) does not finish what it was told",
        advice: "power the board off and on, then run the command again")
    }
  }
}
