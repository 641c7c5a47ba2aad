import HeraldEmbedded

/// A record with the epoch and the start-up of the device to which it belongs.
public struct BootRecord: Equatable, Sendable {
  /// The epoch of the log.
  public let epoch: UInt32
  /// The number of the start of the device.
  public let boot: UInt32
  /// Milliseconds since that start-up.
  public let uptimeMilliseconds: UInt64
  /// The uptime in milliseconds.
  public let event: LogEvent
  /// The payload bytes of events that have some.
  public let payload: [UInt8]

  /// Initialises each member.
  public init(
    epoch: UInt32, boot: UInt32, uptimeMilliseconds: UInt64, event: LogEvent, payload: [UInt8] = []
  ) {
    self.epoch = epoch
    self.boot = boot
    self.uptimeMilliseconds = uptimeMilliseconds
    self.event = event
    self.payload = payload
  }

  /// The time and date in the record, if it contains a date.
  var clockFix: DeviceRecord.ClockFix? {
    guard case .clockSet(let unixMilliseconds, _) = event else { return nil }
    return DeviceRecord.ClockFix(
      epoch: epoch, boot: boot, uptimeMilliseconds: uptimeMilliseconds, unixMilliseconds: unixMilliseconds,
      source: .device)
  }

  /// The battery level in the record, in percent, and whether the device had external power; `nil` for other
  /// records.
  var battery: (level: UInt8, isExternal: Bool)? {
    guard case .battery(let level, let isExternal) = event else { return nil }
    return (level, isExternal)
  }
}

/// One page, decoded.
public struct LogPage: Sendable {
  /// The page number in its header.
  public let sequence: UInt32
  /// The epoch in its header.
  public let epoch: UInt32
  /// The records of the page, in the order they were written.
  public internal(set) var records: [BootRecord] = []
  /// The times and dates in the page's headers.
  public internal(set) var clocks: [DeviceRecord.ClockFix] = []
  /// The reason why decoding ended.
  public internal(set) var ending = LogPageDecoder.Ending.reading
  /// Whether it is sealed, and its records are not readable: it is opened with an `OwnerKey` first.
  public let isSealed: Bool
  /// Whether segments are missing, for which there was no key.
  var isPartlyOpened = false

  /// The times and dates in the page: those of its headers, then those of its records.
  var fixes: [DeviceRecord.ClockFix] { clocks + records.lazy.compactMap(\.clockFix) }

  /// Initialises each member.
  init(sequence: UInt32, epoch: UInt32, records: [BootRecord], clocks: [DeviceRecord.ClockFix]) {
    self.sequence = sequence
    self.epoch = epoch
    self.records = records
    self.clocks = clocks
    ending = .complete
    isSealed = false
  }

  /// Decodes a page, which may be malicious, torn or truncated; `nil` if it does not start with a valid
  /// header. Of a sealed page only the first header is read.
  public init?(_ bytes: [UInt8]) {
    if let header = LogPageHeader(bytes.span), header.isSealed {
      isSealed = true
      sequence = header.sequence
      epoch = header.epoch
      ending = .complete
      note(header)
      return
    }
    isSealed = false
    guard var decoder = LogPageDecoder(bytes.span) else { return nil }
    var segment = decoder.header
    sequence = segment.sequence
    epoch = segment.epoch
    note(segment)
    var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
    while true {
      var buffer = payload.mutableSpan
      guard let record = decoder.next(payload: &buffer) else { break }
      if decoder.header != segment {
        segment = decoder.header
        note(segment)
      }
      records.append(
        BootRecord(
          epoch: epoch, boot: segment.boot, uptimeMilliseconds: record.at.milliseconds, event: record.event,
          payload: Array(payload[..<min(record.byteCount, payload.count)])))
    }
    ending = decoder.ending
  }

  private mutating func note(_ header: LogPageHeader) {
    guard header.unixMilliseconds != 0 else { return }
    clocks.append(
      DeviceRecord.ClockFix(
        epoch: epoch, boot: header.boot, uptimeMilliseconds: header.uptime.milliseconds,
        unixMilliseconds: header.unixMilliseconds, source: .device))
  }
}
