import HeraldHostLink

/// Packets to a boot loader of nRF5 SDK 11 or before over a serial line, one at a time, and their
/// acknowledgements.
///
/// A packet is acknowledged on reception, and processed afterwards: its result is only visible at the next
/// one.
final class LegacyLink {
  private let line: any SerialLine
  private let name: String
  private let timeout: Duration
  private var decoder = SLIPDecoder()
  private var unread: ArraySlice<UInt8> = []
  /// The number of the next packet.
  private var sequence: UInt8 = 1

  /// How often a packet is sent that is not acknowledged.
  private static let attempts = 5
  /// How many acknowledgements of the packet before are skipped.
  private static let mostLate = 16

  /// Over an open line; `timeout`: how long an acknowledgement may take.
  init(_ line: any SerialLine, name: String, timeout: Duration) {
    self.line = line
    self.name = name
    self.timeout = timeout
  }

  /// Determines the expected sequence number with packets that have no effect: the boot loader reports it
  /// also for a packet with another number. The second packet covers a stale response to an earlier program.
  func begin() throws(HostLinkError) {
    for _ in 0..<Self.attempts {
      try write(LegacyPacket.line(1, .nothing, []), isAgain: true)
      guard let number = try acknowledgement(by: .after(timeout)) else { continue }
      sequence = number
      do throws(HostLinkError) {
        if try isThere(within: timeout) { return }
      } catch {
        guard error.cause == .protocolViolation else { throw error }
      }
    }
    throw silence
  }

  /// Sends a packet until it is acknowledged. `extra`: how much longer than usual that may take.
  func send(_ kind: LegacyPacket.Kind, _ content: some Collection<UInt8>, extra: Duration = .zero)
    throws(HostLinkError)
  {
    for attempt in 0..<Self.attempts {
      if try isTaken(kind, content, isAgain: attempt > 0, within: timeout + extra) { return }
    }
    throw silence
  }

  /// Whether a packet that has no effect, sent once, is acknowledged.
  func isThere(within time: Duration) throws(HostLinkError) -> Bool {
    try isTaken(.nothing, [], isAgain: true, within: time)
  }

  /// Closes the line.
  func close() { line.close() }

  private func isTaken(
    _ kind: LegacyPacket.Kind, _ content: some Collection<UInt8>, isAgain: Bool, within time: Duration
  ) throws(HostLinkError) -> Bool {
    try write(LegacyPacket.line(sequence, kind, content), isAgain: isAgain)
    let deadline = Deadline.after(time)
    for _ in 0..<Self.mostLate {
      guard let number = try acknowledgement(by: deadline) else { return false }
      if number == LegacyPacket.next(sequence) {
        sequence = number
        return true
      }
      // The present number is expected: a repeated acknowledgement of the previous packet. Any other number
      // is from a boot loader that has restarted.
      guard number == sequence else {
        throw HostLinkError(
          .protocolViolation, "\(name) expects packet \(number) and not \(sequence): it began anew",
          advice: "run the command again")
      }
    }
    return false
  }

  /// A repeated frame begins with an additional end mark: the first one ends a truncated frame, whose rest is
  /// skipped.
  private func write(_ packet: [UInt8], isAgain: Bool) throws(HostLinkError) {
    try line.write(isAgain ? [SLIP.end] + packet : packet, by: .after(timeout))
  }

  /// The number in the next acknowledgement; `nil` if none arrives in time.
  private func acknowledgement(by deadline: Deadline) throws(HostLinkError) -> UInt8? {
    var hasRead = false
    while true {
      while let byte = unread.popFirst() {
        if let frame = decoder.take(byte), let number = LegacyPacket.acknowledged(frame) { return number }
      }
      if hasRead && deadline.hasPassed { return nil }
      unread = try line.read(upTo: 4096, by: deadline)[...]
      hasRead = true
      if unread.isEmpty { return nil }
    }
  }

  private var silence: HostLinkError {
    HostLinkError(
      .noAnswer, "\(name) acknowledges nothing",
      advice: "press the board's reset button twice, so that its boot loader runs, then run the command again"
    )
  }
}
