import HeraldBluetooth
import HeraldHAL

/// What a peer is owed: the work that is worth a connection to it (docs/coordinator.md).
@usableFromInline
enum PeerTask: UInt8, BitwiseCopyable, Sendable {
  /// Nothing at present.
  case nothing = 0
  /// A message of the application's (HP-30).
  case sendMessage = 1
  /// To be asked whether it speaks Herald, and through which characteristics.
  case meet = 2
  /// To have its payload read.
  case readPayload = 3
  /// To have its model read (HP-28).
  case readModel = 4
  /// To have its codes of other systems read (HP-53, HP-55).
  case readCodes = 5
  /// To have our payload written to it (HP-06).
  case writePayload = 6
  /// To have payloads of others written to it (HP-42).
  case share = 7
  /// To have written to it how strong we hear it (HP-06).
  case writeRSSI = 8
}

extension Target {
  /// Whether a strength or payloads of others may be written to it now: 15 s after the last time at the
  /// earliest, as phones do.
  @inlinable
  func isSignalDue(at now: Instant) -> Bool {
    guard has(Self.signalledFlag) else { return true }
    // Whole seconds: one more, so that it is never too soon. A peer that was left alone for four minutes, or
    // for eight, may have to wait once more.
    return now.seconds8 &- signalledAt > 15
  }

  /// Notes that such a message was written.
  @inlinable
  mutating func noteSignal(at now: Instant) {
    set(Self.signalledFlag, true)
    signalledAt = now.seconds8
  }

  /// Whether our payload may be written to it again now.
  @inlinable
  func isPayloadDue(at now: Instant) -> Bool {
    guard has(Self.payloadWrittenFlag) else { return true }
    return now.sixteenSeconds &- writtenAt > 19
  }

  /// Notes that our payload was written.
  @inlinable
  mutating func notePayloadWritten(at now: Instant) {
    set(Self.payloadWrittenFlag, true)
    writtenAt = now.sixteenSeconds
  }
}

extension Instant {
  /// Whole seconds since start-up, the lower 8 bits.
  @usableFromInline
  var seconds8: UInt8 { UInt8(truncatingIfNeeded: (milliseconds / 1000).low32) }
  /// Whole units of 16 seconds since start-up, the lower 8 bits.
  @usableFromInline
  var sixteenSeconds: UInt8 { UInt8(truncatingIfNeeded: (milliseconds / 16_000).low32) }
}
