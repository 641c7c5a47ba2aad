import Foundation
import HeraldCrypto
import HeraldEmbedded

/// How far the pages of a folder are interpreted: up to the last page that does not change any more.
struct ConversionState {
  /// The maximum number of files listed for each kind of damage.
  static let mostListed = LogConversion.mostListed

  private(set) var interpreter = LogInterpreter()
  var dates: LogDates
  /// The number of pages, in the order of the log.
  private(set) var pages = 0
  /// The files that are no pages of the log, and the pages that contradict the format.
  private(set) var refused: [PageName] = []
  private(set) var malformed: [PageName] = []

  /// Begins with the first page.
  init(dates: LogDates = LogDates()) { self.dates = dates }

  /// Interprets the next page, which does not change any more.
  mutating func settle(_ content: PageContent, _ name: PageName, _ tables: LogTables?) throws(HostLinkError) {
    try take(content, name, tables)
    if case .page(let page, _) = content { dates.settle(page) }
    pages += 1
  }

  /// Interprets a page. Lines go to `tables`.
  mutating func take(_ content: PageContent, _ name: PageName, _ tables: LogTables?) throws(HostLinkError) {
    switch content {
    case .none: if refused.count < Self.mostListed { refused.append(name) }
    case .sealed: break
    case .page(let page, _):
      if page.ending == .malformed, malformed.count < Self.mostListed { malformed.append(name) }
      for record in page.records { try interpreter.take(record, at: dates.date(of: record), tables) }
    }
  }
}

/// The content of a file among the pages of a log.
enum PageContent {
  /// The file is no page of the log.
  case none
  /// The page is sealed, and was not opened.
  case sealed
  /// A page, with the bytes of its file.
  case page(LogPage, [UInt8])

  /// Whether a key may open more of it.
  var isSealed: Bool {
    switch self {
    case .none: false
    case .sealed: true
    case .page(let page, _): page.isPartlyOpened
    }
  }
}

extension PageStore {
  /// The content of a file of a page.
  func content(of name: PageName) throws(HostLinkError) -> PageContent {
    let bytes = try read(name)
    guard let page = decoded(bytes, of: name), page.epoch == name.epoch, page.sequence == name.sequence else {
      return .none
    }
    return page.isSealed ? .sealed : .page(page, bytes)
  }
}

/// The file in the folder of a log by which a conversion goes on where the last one has ended. If it is not
/// there, or damaged, or of another version of this program, the conversion begins with the first page.
struct ConversionFile {
  static let name = "conversion.state"
  /// "HCS" and the version of the format.
  private static let magic: [UInt8] = [0x48, 0x43, 0x53, 1]
  private static let mostBytes = 1 << 30

  /// What the last conversion has left.
  struct Result {
    /// Identifies the folder; empty if a conversion would have another result with a key.
    let folder: [UInt8]
    let summary: LogConversion
    let marks: [String: TableMark]
    /// Identifies the files of the interpreted pages.
    let pages: [UInt8]
    /// The number of these pages.
    let pageCount: Int
  }

  let result: Result
  private let stored: [UInt8]

  /// Reads the file; `nil` if there is none that can be used. The state is not decoded yet.
  init?(of folder: PageStore) throws(HostLinkError) {
    guard let all = try LocalFile.bytes("\(folder.path)/\(Self.name)", atMost: Self.mostBytes),
      all.starts(with: Self.magic), all.count >= 8
    else { return nil }
    let length = (4..<8).reduce(0) { $0 << 8 | Int(all[$1]) }
    guard length <= all.count - 8,
      var bytes = try? StateReader(Array(all[8..<8 + length])), let result = try? Result(from: &bytes)
    else { return nil }
    self.result = result
    stored = Array(all[(8 + length)...])
  }

  /// The interpretation of the pages; `nil` if it is damaged.
  func state() -> ConversionState? {
    guard var bytes = try? StateReader(stored), let state = try? ConversionState(from: &bytes),
      bytes.isAtEnd, state.pages == result.pageCount
    else { return nil }
    return state
  }

  /// Whether the interpreted pages are the first ones of a folder, unchanged.
  func holds(_ names: [PageName], of folder: PageStore) -> Bool {
    result.pageCount <= names.count
      && result.pages == Self.digest(names.prefix(result.pageCount), of: folder)
  }

  /// Writes the file. `state` are the bytes of a state.
  static func write(_ result: Result, _ state: consuming StateWriter, in folder: PageStore)
    throws(HostLinkError)
  {
    var bytes = StateWriter()
    result.store(in: &bytes)
    let first = bytes.sealed()
    let length = (0..<4).map { UInt8(truncatingIfNeeded: first.count >> (24 - 8 * $0)) }
    try folder.write(magic + length + first + state.sealed(), named: name)
  }

  /// Identifies the unchanged files of pages, in this order.
  static func digest(_ names: some Sequence<PageName>, of folder: PageStore) -> [UInt8] {
    var bytes: [UInt8] = []
    for name in names {
      let stamp = folder.stamp(of: name)
      for number in [Int64(name.epoch), Int64(name.sequence), stamp?.bytes ?? -1, stamp?.changed ?? 0] {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      }
    }
    let digest = SHA256.digest(of: bytes.span)
    return digest.indices.map { digest[$0] }
  }
}

extension ConversionFile.Result: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(folder)
    summary.store(in: &bytes)
    bytes.add(marks.count)
    for (name, mark) in marks {
      bytes.add(Array(name.utf8))
      mark.store(in: &bytes)
    }
    bytes.add(pages)
    bytes.add(pageCount)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    folder = try bytes.data()
    summary = try LogConversion(from: &bytes)
    var marks: [String: TableMark] = [:]
    for _ in 0..<(try bytes.integer()) {
      let name = String(decoding: try bytes.data(), as: UTF8.self)
      marks[name] = try TableMark(from: &bytes)
    }
    self.marks = marks
    pages = try bytes.data()
    pageCount = try bytes.integer()
  }
}

extension ConversionState: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(pages)
    bytes.add(refused)
    bytes.add(malformed)
    dates.store(in: &bytes)
    interpreter.store(in: &bytes)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    pages = try bytes.integer()
    refused = try bytes.list()
    malformed = try bytes.list()
    dates = try LogDates(from: &bytes)
    interpreter = try LogInterpreter(from: &bytes)
  }
}

extension PageName: Stored {
  func store(in bytes: inout StateWriter) { bytes.add(Array(fileName.utf8)) }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    guard let name = PageName(fileName: String(decoding: try bytes.data(), as: UTF8.self)) else {
      throw StateReader.Damage()
    }
    self = name
  }
}
