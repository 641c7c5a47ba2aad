import HeraldEmbedded
import HeraldHAL

// Group 72: live events.

extension HeraldManagement {
  /// `{}` → `{"lost", "events": [[age, kind, identity, level, count], …]}`, the oldest first, as many as fit;
  /// the others wait for the next request.
  static func live<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let waiting = device.watch(at: request.now)
    request.answer.map(2)
    request.answer.field(.lost, device.takeLost())
    request.answer.key(.events)
    // An event takes 22 bytes at the most, the head of the list 2 at the most.
    let count = min(max(waiting, 0), max(request.answer.remaining &- 2, 0) / 22)
    request.answer.array(count)
    var index = 0
    while index < count, var event = device.nextLive() {
      put(&event, request.now, &request.answer)
      index &+= 1
    }
    return .answered
  }

  // Not passed as a value, which would be split up and reassembled.
  @inline(never)
  private static func put(_ event: inout LiveEvent, _ now: Instant, _ writer: inout CBORWriter) {
    let target = event.target
    writer.array(5)
    writer.unsigned(now.milliseconds.low32 &- event.at)
    writer.unsigned(UInt32(event.kind?.rawValue ?? 0))
    let bytes: [7 of UInt8] = [
      target.kind.rawValue, UInt8(truncatingIfNeeded: target.high &>> 8),
      UInt8(truncatingIfNeeded: target.high), UInt8(truncatingIfNeeded: target.low &>> 24),
      UInt8(truncatingIfNeeded: target.low &>> 16), UInt8(truncatingIfNeeded: target.low &>> 8),
      UInt8(truncatingIfNeeded: target.low),
    ]
    writer.byteString(bytes.span)
    if event.level < 0 {
      writer.negative(UInt32(UInt8(bitPattern: ~event.level)))
    } else {
      writer.unsigned(UInt32(UInt8(bitPattern: event.level)))
    }
    writer.unsigned(UInt32(event.count))
  }
}
