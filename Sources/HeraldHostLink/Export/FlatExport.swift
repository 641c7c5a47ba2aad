import Foundation
import HeraldCrypto
import HeraldEmbedded

/// Exports a log as flat files for analysis; docs/archive.md lists the columns.
public struct FlatExport {
  /// A file that was written.
  public struct File: Equatable, Sendable, Encodable {
    /// The file's name within the folder.
    public let name: String
    /// The number of its rows, without the heading.
    public let rows: Int
  }

  /// The files.
  public private(set) var files: [File] = []
  /// The names of files that are not pages of this log; see `LogConversion.mostListed`.
  public let refused: [String]
  /// The number of sealed pages that were not opened: without the owner's key, or with another one.
  public private(set) var sealedPages = 0

  /// Writes one file for each table into a folder, which is created if it does not exist. A file appears
  /// under its name only after it is complete and on the disk; its mode is 0600.
  /// - Throws: `.storage` if a file cannot be read or written, `.usage` if it would take the place of another
  ///   one.
  public init(
    _ folder: PageStore, as format: FlatFormat, to output: String,
    replacing replacement: Replacement = Replacement()
  ) throws(HostLinkError) {
    let names = try folder.pagesInOrder()
    try self.init(of: folder.device, as: format, to: output, replacing: replacement) {
      (take: (PageContent, PageName) throws(HostLinkError) -> Void) throws(HostLinkError) in
      for name in names { try take(try folder.content(of: name), name) }
    }
  }

  /// Exports pages, which `forEach` hands over in the order of the log; it is called twice.
  init(
    of device: DeviceRecord, as format: FlatFormat, to output: String, replacing replacement: Replacement,
    _ forEach: (_ take: (PageContent, PageName) throws(HostLinkError) -> Void) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    try TableFolder.prepare(
      output,
      for: ExportedTable.allCases.map { TableFolder.Table($0.rawValue, columns: $0.columns, as: format) },
      replacement)
    var dates = LogDates()
    dates.begin(device.clocks)
    try forEach { content, _ throws(HostLinkError) in
      if case .page(let page, _) = content { dates.add(page, isSettled: true) }
    }
    var state = ConversionState(dates: dates)
    let rows = try ExportedRows(of: device.serial, as: format, in: output)
    try rows.append(device)
    var sealed = 0
    try forEach { content, name throws(HostLinkError) in
      if content.isSealed { sealed += 1 }
      if case .page(let page, let bytes) = content {
        try rows.append(page, name, bytes)
        for record in page.records { try rows.append(record, at: dates.date(of: record)) }
      }
      try state.take(content, name, nil)
    }
    sealedPages = sealed
    refused = state.refused.map(\.fileName)
    for (contact, payload) in state.interpreter.state.contacts {
      try rows.append(contact, of: state.interpreter.state.peers[contact.peer].identity, payload, state)
    }
    files = try rows.finish()
  }
}

/// The exported tables and their columns.
enum ExportedTable: String, CaseIterable {
  case devices, pages, readings, events, batteries, visits, contacts

  /// The device, boot and time of a record.
  private static let position = ["device", "epoch", "boot", "uptime_ms", "time"]
  private static let peer = ["peer_kind", "peer"]

  var columns: [String] {
    switch self {
    case .devices: ["device", "name", "system", "version"]
    case .pages: ["device", "epoch", "sequence", "is_open", "records", "ending", "sha256"]
    case .readings: Self.position + Self.peer + ["rssi"]
    case .events: Self.position + ["event"] + Self.peer + ["payload", "system", "value", "data"]
    case .batteries: Self.position + ["level", "is_external"]
    case .visits: Self.position + Self.peer + ["first_seconds_before", "last_seconds_before"]
    case .contacts:
      ["device"] + Self.peer + [
        "payload", "payload_short", "payload_family", "begin", "end", "seconds", "readings",
      ]
    }
  }
}

/// The rows of the exported tables.
private struct ExportedRows {
  private let serial: String
  private var files: [ExportedTable: FlatFile] = [:]

  init(of serial: String, as format: FlatFormat, in folder: String) throws(HostLinkError) {
    self.serial = serial
    for table in ExportedTable.allCases {
      files[table] = try FlatFile(table.rawValue, columns: table.columns, as: format, in: folder)
    }
  }

  func append(_ device: DeviceRecord) throws(HostLinkError) {
    try files[.devices]?.append([
      .text(serial), .text(device.name), .text(device.system), .text(device.version),
    ])
  }

  /// Appends a page with the bytes of its file. One that was opened in part has no digest.
  func append(_ page: LogPage, _ name: PageName, _ bytes: [UInt8]) throws(HostLinkError) {
    let digest = SHA256.digest(of: bytes.span)
    let ending =
      switch page.ending {
      case .reading, .complete: name.isOpen ? "open" : "complete"
      case .torn: "torn"
      case .malformed: "malformed"
      }
    try files[.pages]?.append([
      .text(serial), .number(Int64(page.epoch)), .number(Int64(page.sequence)), .truth(name.isOpen),
      .number(Int64(page.records.count)), .word(ending),
      .bytes(digest.indices.map { page.isPartlyOpened ? 0 : digest[$0] }),
    ])
  }

  func append(_ record: BootRecord, at date: UInt64?) throws(HostLinkError) {
    let position: [FlatFile.Value] = [
      .text(serial), .number(Int64(record.epoch)), .number(Int64(record.boot)),
      .number(Int64(clamping: record.uptimeMilliseconds)), date.map { .word(UTCTimestamp.json($0)) } ?? .null,
    ]
    let peer = Self.peer(record.event.peer)
    func event(
      _ kind: String, payload: [UInt8]? = nil, _ system: ServiceNumber? = nil, value: Int64? = nil,
      data: [UInt8]? = nil
    ) throws(HostLinkError) {
      let ends: [FlatFile.Value] = [
        payload.map { .bytes($0) } ?? .null, system.map { .word($0.tableName) } ?? .null,
        value.map { .number($0) } ?? .null, data.map { .bytes($0) } ?? .null,
      ]
      try files[.events]?.append(position + [.word(kind)] + peer + ends)
    }
    let bytes = record.payload
    switch record.event {
    case .measured(_, let rssi):
      if rssi.isAvailable { try files[.readings]?.append(position + peer + [.number(Int64(rssi.rawValue))]) }
    case .battery(let level, let isExternal):
      try files[.batteries]?.append(position + [.number(Int64(level)), .truth(isExternal)])
    case .visited(_, let first, let last):
      try files[.visits]?.append(position + peer + [.number(Int64(first)), .number(Int64(last))])
    case .detected: try event("detected")
    case .heraldDetected: try event("herald_detected")
    case .lost: try event("lost")
    case .txPower(_, let dBm): try event("tx_power", value: Int64(dBm))
    case .read: try event("read", payload: bytes)
    case .shared: try event("shared", data: bytes)
    case .received: try event("message", data: bytes)
    case .model: try event("model", data: bytes)
    case .observed(_, let system): try event("observed", system, data: bytes)
    case .ownCode(let system): try event("own_code", system, data: bytes)
    case .ownPayload: try event("own_payload", payload: bytes)
    case .started(let reason): try event("started", value: Int64(reason))
    case .restarted: try event("restarted", data: bytes)
    case .dropped(let count): try event("dropped", value: Int64(count))
    case .clockSet(let date, _): try event("clock_set", value: Int64(clamping: date))
    case .motion(let state): try event("motion", value: Int64(state.rawValue))
    }
  }

  func append(
    _ contact: Contact, of identity: TargetIdentity, _ payload: InterpretationState.Payload?,
    _ state: ConversionState
  ) throws(HostLinkError) {
    let words: [FlatFile.Value] =
      payload.map {
        [
          .bytes($0.bytes), .text(state.interpreter.state.shorts[$0.short].text),
          .word(PayloadDescription($0.bytes)?.family ?? ""),
        ]
      } ?? [.null, .null, .null]
    try files[.contacts]?.append(
      [.text(serial)] + Self.peer(identity) + words + [
        .word(UTCTimestamp.json(contact.begin)), .word(UTCTimestamp.json(contact.end)),
        .number(Int64(contact.seconds)),
        .number(Int64(contact.readings)),
      ])
  }

  func finish() throws(HostLinkError) -> [FlatExport.File] {
    var written: [FlatExport.File] = []
    for table in ExportedTable.allCases {
      guard let file = files[table] else { continue }
      try file.finish()
      written.append(FlatExport.File(name: file.name, rows: file.rows))
    }
    return written
  }

  private static func peer(_ identity: TargetIdentity?) -> [FlatFile.Value] {
    guard let identity else { return [.null, .null] }
    let kind =
      switch identity.kind {
      case .publicAddress: "public"
      case .randomAddress: "random"
      case .pseudoAddress: "pseudo"
      case .shared: "shared"
      }
    return [.word(kind), .word(identity.addressText)]
  }
}
