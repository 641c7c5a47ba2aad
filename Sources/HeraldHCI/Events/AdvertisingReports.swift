import HeraldBluetooth

/// The position of one report in an advertising report event.
struct LocatedReport: BitwiseCopyable {
  /// The header of the report.
  let report: AdvertisingReport
  /// The report's data is the `count` bytes from `start` of the event's parameters, all of them in bounds.
  let start: Int
  let count: Int
  var range: Range<Int> { Range(uncheckedBounds: (start, start &+ count)) }

  init(report: AdvertisingReport, start: Int, count: Int) {
    self.report = report
    self.start = start
    self.count = count
  }
}

/// Iterates over the reports of HCI_LE_Advertising_Report (7.7.65.2).
///
/// The event's parameters are specified as arrays, `Event_Type[i], Address_Type[i], …`. By the
/// specification's general rule (Vol 4, Part E, 5.2) the elements are interleaved, report after report; some
/// controllers send column after column instead. With one report both are the same. With several, the layout
/// is the one whose lengths add up to the event's length, interleaved if both do.
struct LegacyAdvertisingReports: BitwiseCopyable {
  let count: Int
  let isColumns: Bool
  var index: Int
  /// Interleaved: where the next report begins. Columns: where its data begins.
  var offset: Int

  /// Creates an iterator at the first report. `bytes` are the event's parameters, subevent code first.
  init(_ bytes: Span<UInt8>) {
    let count = bytes.count >= 2 ? Int(bytes[unchecked: 1]) : 0
    let isColumns = count > 1 && Self.areColumns(bytes, count)
    self.count = count
    self.isColumns = isColumns
    index = 0
    offset = isColumns ? 2 &+ 9 &* count : 2
  }

  /// Whether all reports have been read; `false` after the last `next` means that the event was truncated.
  var isComplete: Bool { index == count && count > 0 }

  /// The next report; `nil` after the last, or if the remaining bytes are shorter than its length.
  mutating func next(_ bytes: Span<UInt8>) -> LocatedReport? {
    guard index < count else { return nil }
    if isColumns {
      let found = Self.inColumns(bytes, count: count, index: index, offset: offset)
      index &+= 1
      offset &+= found.count
      return found
    }
    let head = offset
    guard bytes.count &- head >= 10 else { return nil }
    let length = Int(bytes[unchecked: head &+ 8])
    guard bytes.count &- head >= 10 &+ length else { return nil }
    index &+= 1
    offset = head &+ 10 &+ length
    return LocatedReport(
      report: Self.report(
        bytes, type: head, addressType: head &+ 1, address: head &+ 2, rssi: head &+ 9 &+ length),
      start: head &+ 9, count: length)
  }

  /// Report `index` of `count` in columns, whose data begins at `offset`.
  ///
  /// Not inlined, like the next function: hardly any controller sends columns, and the common case must not
  /// carry the cost.
  @inline(never)
  static func inColumns(_ bytes: Span<UInt8>, count: Int, index: Int, offset: Int) -> LocatedReport {
    let length = Int(bytes[2 &+ 8 &* count &+ index])
    return LocatedReport(
      report: Self.report(
        bytes, type: 2 &+ index, addressType: 2 &+ count &+ index, address: 2 &+ 2 &* count &+ 6 &* index,
        rssi: bytes.count &- count &+ index),
      start: offset, count: length)
  }

  /// Whether the lengths add up column by column and not report by report. All offsets that `inColumns` uses
  /// are in bounds then.
  @inline(never)
  static func areColumns(_ bytes: Span<UInt8>, _ count: Int) -> Bool {
    var rows = 2
    var index = 0
    while index < count, rows &+ 8 < bytes.count {
      rows &+= 10 &+ Int(bytes[rows &+ 8])
      index &+= 1
    }
    if index == count, rows == bytes.count { return false }
    guard bytes.count >= 2 &+ 10 &* count else { return false }
    var columns = 2 &+ 10 &* count
    index = 0
    while index < count {
      columns &+= Int(bytes[2 &+ 8 &* count &+ index])
      index &+= 1
    }
    return columns == bytes.count
  }

  @inline(__always)
  static func report(
    _ bytes: Span<UInt8>, type: Int, addressType: Int, address: Int, rssi: Int
  ) -> AdvertisingReport {
    AdvertisingReport(
      address: .unchecked(bytes, address, type: bytes[unchecked: addressType]),
      rssi: RSSI(Int8(bitPattern: bytes[unchecked: rssi])), kind: kind(bytes[unchecked: type]))
  }

  /// The kind of packet behind a legacy Event_Type; only "legacy" for an unknown value.
  @inline(__always)
  static func kind(_ type: UInt8) -> AdvertisingReport.Kind {
    switch type {
    case 0x00: AdvertisingReport.Kind(rawValue: 0x13)  // ADV_IND: connectable, scannable
    case 0x01: AdvertisingReport.Kind(rawValue: 0x15)  // ADV_DIRECT_IND: connectable, directed
    case 0x02: AdvertisingReport.Kind(rawValue: 0x12)  // ADV_SCAN_IND: scannable
    case 0x04: AdvertisingReport.Kind(rawValue: 0x1A)  // SCAN_RSP, to a scannable packet
    default: AdvertisingReport.Kind(rawValue: 0x10)  // ADV_NONCONN_IND
    }
  }
}

/// Iterates over the reports of HCI_LE_Extended_Advertising_Report (7.7.65.13).
///
/// A report whose data was truncated, or is to be continued, keeps its data status in bits 5 and 6 of its
/// kind. A continuation is skipped: its data begins in the middle of a structure and its packet has been
/// reported already.
struct ExtendedAdvertisingReports: BitwiseCopyable {
  let count: Int
  var index: Int
  var offset: Int

  /// Creates an iterator at the first report. `bytes` are the event's parameters, subevent code first.
  init(_ bytes: Span<UInt8>) {
    count = bytes.count >= 2 ? Int(bytes[unchecked: 1]) : 0
    index = 0
    offset = 2
  }

  /// Whether all reports have been read; `false` after the last `next` means that the event was truncated.
  var isComplete: Bool { index == count && count > 0 }

  /// The next report; `nil` after the last, or if the remaining bytes are shorter than its length.
  mutating func next(_ bytes: Span<UInt8>) -> LocatedReport? {
    let head = offset
    guard index < count, bytes.count &- head >= 24 else { return nil }
    let length = Int(bytes[unchecked: head &+ 23])
    guard bytes.count &- head >= 24 &+ length else { return nil }
    index &+= 1
    offset = head &+ 24 &+ length
    let addressType = bytes[unchecked: head &+ 2]
    return LocatedReport(
      report: AdvertisingReport(
        address: addressType == 0xFF ? .zero : .unchecked(bytes, head &+ 3, type: addressType),
        rssi: RSSI(Int8(bitPattern: bytes[unchecked: head &+ 13])),
        kind: AdvertisingReport.Kind(rawValue: bytes[unchecked: head] & 0x7F)),
      start: head &+ 24, count: length)
  }
}

/// Stores an advertisement whose data the controller reports in parts, to distinguish the later parts from
/// new packets.
struct ReportContinuation: BitwiseCopyable {
  var address: DeviceAddress
  var isOpen: Bool

  init() {
    address = .zero
    isOpen = false
  }

  /// Whether `report` continues the one before it. To be called for every extended report, in order.
  mutating func continues(_ report: AdvertisingReport) -> Bool {
    let more = report.kind.rawValue & 0x60 == 0x20
    if !isOpen, !more { return false }
    let isContinuation = isOpen && report.address == address
    if isContinuation || more {
      address = report.address
      isOpen = more
    }
    return isContinuation
  }
}

extension DeviceAddress {
  /// The six bytes from `start`, which the caller has checked to exist. Bit 0 of `type` distinguishes public
  /// from random, also of identity addresses (2 and 3).
  @inline(__always)
  static func unchecked(_ bytes: Span<UInt8>, _ start: Int, type: UInt8) -> DeviceAddress {
    let low = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self)
    let high = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 4, as: UInt16.self)
    return DeviceAddress(
      high: UInt16(littleEndian: high), low: UInt32(littleEndian: low),
      kind: type & 1 == 0 ? .public : .random)
  }
}
