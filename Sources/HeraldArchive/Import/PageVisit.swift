import HeraldEmbedded
import HeraldHostLink

/// A record of a page with the start-up of the device to which it belongs; valid while the page is visited.
struct VisitedRecord {
  let epoch: UInt32
  let boot: UInt32
  let uptime: UInt64
  let event: LogEvent
  /// The number of bytes of the visit's buffer that belong to the event.
  let byteCount: Int
}

/// Decodes pages one after the other, without memory for their records.
struct PageVisit {
  /// The bytes of the present record, if its event has any.
  private(set) var buffer = [UInt8](repeating: 0, count: LogEvent.maximumBytes)

  /// The bytes of a record.
  func bytes(_ record: VisitedRecord) -> [UInt8] { Array(buffer[..<min(record.byteCount, buffer.count)]) }

  /// Decodes a page, which may be malicious, torn or truncated. `clock` receives the dates of its headers and
  /// records, `record` its records in order.
  /// - Returns: whether the page has a valid header.
  @discardableResult
  mutating func visit(
    _ page: [UInt8], clock: (DeviceRecord.ClockFix) -> Void,
    record: (VisitedRecord, borrowing PageVisit) -> Void
  ) -> Bool {
    guard var decoder = LogPageDecoder(page.span) else { return false }
    var segment = decoder.header
    func note(_ header: LogPageHeader) {
      guard header.unixMilliseconds != 0 else { return }
      clock(
        DeviceRecord.ClockFix(
          epoch: header.epoch, boot: header.boot, uptimeMilliseconds: header.uptime.milliseconds,
          unixMilliseconds: header.unixMilliseconds, source: .device))
    }
    note(segment)
    while true {
      var room = buffer.mutableSpan
      guard let next = decoder.next(payload: &room) else { break }
      if decoder.header != segment {
        segment = decoder.header
        note(segment)
      }
      if case .clockSet(let unixMilliseconds, _) = next.event {
        clock(
          DeviceRecord.ClockFix(
            epoch: segment.epoch, boot: segment.boot, uptimeMilliseconds: next.at.milliseconds,
            unixMilliseconds: unixMilliseconds, source: .device))
      }
      record(
        VisitedRecord(
          epoch: segment.epoch, boot: segment.boot, uptime: next.at.milliseconds, event: next.event,
          byteCount: next.byteCount), self)
    }
    return true
  }
}
