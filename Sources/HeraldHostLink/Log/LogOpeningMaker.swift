import HeraldEmbedded
import HeraldText

/// Makes an opening (`LogOpening`) from folders of pulled logs, with the owner's key.
public struct LogOpeningMaker {
  private let key: OwnerKey
  private let interval: Range<UInt64>
  private var devices: [String: LogOpening.Device] = [:]
  /// Segments of these devices that the key opens, and whose records have no date.
  public private(set) var undated = 0
  /// Pages that the key does not open.
  public private(set) var foreign = 0

  /// For records of the dates in `interval`, in milliseconds since 1970-01-01T00:00:00Z.
  public init(_ key: OwnerKey, _ interval: Range<UInt64>) {
    (self.key, self.interval) = (key, interval)
  }

  /// Adds the segments in a folder that have a record with a date in the interval. A segment is the unit: the
  /// records of other dates in the same segment are opened with it.
  public mutating func add(_ store: PageStore) throws(HostLinkError) {
    let serial = store.device.serial
    guard LogOpening.isSerial(serial) else {
      throw HostLinkError(
        .usage, "the device of \(store.path) has no serial number with which an opening could name it",
        advice: "pull its log again")
    }
    // The dates of all starts, from every page: a clock that is set later dates what was before.
    var calendar = LogCalendar()
    for fix in store.device.clocks { calendar.add(fix) }
    var segments: [(id: LogOpening.SegmentID, key: WipedBytes, page: LogPage)] = []
    for name in try store.pages() {
      let bytes = try store.read(name)
      guard OwnerKey.isSealed(bytes) else {
        for fix in LogPage(bytes)?.fixes ?? [] { calendar.add(fix) }
        continue
      }
      let found = self.segments(of: bytes, serial: serial)
      if found.isEmpty { foreign += 1 }
      for segment in found { for fix in segment.page.fixes { calendar.add(fix) } }
      segments += found
    }
    var wanted: [(id: LogOpening.SegmentID, key: WipedBytes)] = []
    for segment in segments {
      let dates = segment.page.records.compactMap { calendar.unixMilliseconds(of: $0) }
      if dates.contains(where: interval.contains) {
        wanted.append((segment.id, segment.key))
      } else if dates.isEmpty, !segment.page.records.isEmpty {
        undated += 1
      }
    }
    guard !wanted.isEmpty else { return }
    guard devices[serial] == nil else {
      throw HostLinkError(
        .usage, "two folders have the log of \(PrintableText.of(serial))", advice: "name one of them")
    }
    let device = LogOpening.Device(capacity: wanted.count)
    for (id, key) in wanted { _ = device.add(id) { key.bytes[$0] } }
    devices[serial] = device
  }

  /// The segments of a page that the key opens, each alone.
  private func segments(of page: [UInt8], serial: String) -> [(
    id: LogOpening.SegmentID, key: WipedBytes, page: LogPage
  )] {
    let name = Array(serial.utf8)
    key.opener.setDevice(name.span)
    var list = Recorder(key)
    _ = SealedPageKeys.open(page, with: &list)
    return list.found.compactMap { id, key in
      var one = Single(position: Int(id.offset), key: key)
      guard case .page(let opened, _) = SealedPageKeys.open(page, with: &one), let decoded = LogPage(opened)
      else { return nil }
      return (id, key, decoded)
    }
  }

  /// What was found.
  public func opening() -> LogOpening { LogOpening(devices) }

  /// Notes the key of each segment that the owner's key opens.
  private struct Recorder: SealedSegmentKeys {
    let key: OwnerKey
    var found: [(LogOpening.SegmentID, WipedBytes)] = []

    init(_ key: OwnerKey) { self.key = key }

    mutating func find(_ keys: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool {
      guard key.opener.find(&keys, of: page, at: offset),
        let header = LogPageHeader(page.extracting(offset..<page.count)), let start = UInt16(exactly: offset)
      else { return false }
      found.append(
        (
          LogOpening.SegmentID(epoch: header.epoch, sequence: header.sequence, offset: start),
          WipedBytes(keys.span, count: LogOpening.keySize)
        ))
      return true
    }
  }

  /// The key of one segment.
  private struct Single: SealedSegmentKeys {
    let position: Int
    let key: WipedBytes

    func find(_ keys: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool {
      guard offset == position else { return false }
      for index in 0..<LogOpening.keySize { keys[index] = key.bytes[index] }
      return true
    }
  }
}
