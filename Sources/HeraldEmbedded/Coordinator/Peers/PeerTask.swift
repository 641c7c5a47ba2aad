import HeraldBluetooth
import HeraldHAL

/// The work for a peer that needs a connection to it (docs/architecture.md).
enum PeerTask: UInt8, BitwiseCopyable, Sendable {
  /// No work at present.
  case nothing = 0
  /// Write a message of the application (HP-30).
  case sendMessage = 1
  /// Discover whether it has a Herald service, and its characteristics.
  case meet = 2
  /// Read its payload.
  case readPayload = 3
  /// Read its model (HP-28).
  case readModel = 4
  /// Read its codes of additional services (HP-53, HP-55).
  case readCodes = 5
  /// Write our payload to it (HP-06).
  case writePayload = 6
  /// Write payloads of others to it (HP-42).
  case share = 7
  /// Write its RSSI to it (HP-06).
  case writeRSSI = 8
}

extension Target {
  /// Whether an RSSI or payloads of others may be written to it now: 15 s after the last time at the
  /// earliest, as phones do.
  func isSignalDue(at now: Instant) -> Bool {
    guard has(Self.signalledFlag) else { return true }
    // Whole seconds: one more, so that it is never too soon. A peer that was not connected for four minutes,
    // or for eight, may have to wait once more.
    return now.seconds8 &- signalledAt > 15
  }

  /// Notes that such a message was written.
  mutating func noteSignal(at now: Instant) {
    set(Self.signalledFlag, true)
    signalledAt = now.seconds8
  }

  /// Whether our payload may be written to it again now.
  func isPayloadDue(at now: Instant) -> Bool {
    guard has(Self.payloadWrittenFlag) else { return true }
    return now.sixteenSeconds &- writtenAt > 19
  }

  /// Notes that our payload was written.
  mutating func notePayloadWritten(at now: Instant) {
    set(Self.payloadWrittenFlag, true)
    writtenAt = now.sixteenSeconds
  }
}

extension Instant {
  /// Whole seconds since start-up, the lower 8 bits.
  var seconds8: UInt8 { UInt8(truncatingIfNeeded: (milliseconds / 1000).low32) }
  /// Whole units of 16 seconds since start-up, the lower 8 bits.
  var sixteenSeconds: UInt8 { UInt8(truncatingIfNeeded: (milliseconds / 16_000).low32) }
}
