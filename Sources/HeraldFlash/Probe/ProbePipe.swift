import HeraldHostLink

/// Carries whole CMSIS-DAP packets to a debug probe and back. Used from one thread.
///
/// A probe answers each packet with one packet, in the same order; how many may be on their way at once is
/// the probe's own word.
protocol ProbePipe: AnyObject {
  /// Where it leads, in the words of `--to`.
  var location: String { get }
  /// The probe's texts.
  var identity: USBIdentity { get }

  /// Hands one packet over, to a probe that takes packets of up to `packetSize` bytes; throws `.link` if the
  /// probe is gone or takes nothing.
  func send(_ packet: [UInt8], packetSize: Int) throws(HostLinkError)
  /// The next response; throws `.noAnswer` if there is none before `deadline`.
  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]
  /// Gives the probe back. Safe to call twice.
  func close()
}

/// Why something on a chip could not be read or written through a probe.
enum ProbeError: Error, Equatable {
  /// The way to the probe, or the probe itself.
  case link(HostLinkError)
  /// The chip answered WAIT for as long as the probe tries again.
  case wait
  /// The chip answered FAULT: the bus refused the address, or an error before it stands.
  case fault
  /// The chip did not answer, or its answer arrived damaged.
  case silent
  /// A register did not become what was waited for.
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
