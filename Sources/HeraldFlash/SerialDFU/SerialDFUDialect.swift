import HeraldHostLink

/// The protocol of a boot loader on a serial port.
enum SerialDFUDialect: Equatable {
  /// Nordic's Secure DFU, of nRF5 SDK 12 and later.
  case secure
  /// The serial DFU before that, as Adafruit's boot loader has it.
  case legacy

  /// Number of attempts.
  private static let attempts = 3

  /// Sends a request without effect in both protocols: Secure DFU's ping, and an empty packet. Each protocol
  /// refuses or drops a frame of the other.
  /// - Throws: `.noAnswer` if it is neither.
  static func spoken(on line: any SerialLine, name: String, timeout: Duration) throws(HostLinkError)
    -> SerialDFUDialect
  {
    // The first end mark ends a frame sent before.
    let probe = [SLIP.end] + SLIP.encode([0x09, 0x01]) + LegacyPacket.line(1, .nothing, [])
    for _ in 0..<attempts {
      try line.write(probe, by: .after(timeout))
      if let dialect = try answer(on: line, by: .after(timeout)) { return dialect }
    }
    throw HostLinkError(
      .noAnswer, "\(name) does not answer as a boot loader",
      advice:
        "press the board's reset button, twice where there is a drive, so that the boot loader runs; then run the command again"
    )
  }

  private static func answer(on line: any SerialLine, by deadline: Deadline) throws(HostLinkError)
    -> SerialDFUDialect?
  {
    var decoder = SLIPDecoder()
    repeat {
      let bytes = try line.read(upTo: 4096, by: deadline)
      guard !bytes.isEmpty else { return nil }
      for byte in bytes {
        guard let frame = decoder.take(byte) else { continue }
        if frame.starts(with: [0x60, 0x09, 0x01]) { return .secure }
        if LegacyPacket.acknowledged(frame) != nil { return .legacy }
      }
    } while !deadline.hasPassed
    return nil
  }
}
