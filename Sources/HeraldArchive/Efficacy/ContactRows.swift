import HeraldHostLink
import HeraldText

/// The rows of a `contacts.csv`, those of Herald 1, which has two columns less, included.
struct ContactRows {
  /// A row.
  enum Kind {
    /// A payload was read from the address; its short form.
    case read(String)
    /// The RSSI of the address was measured.
    case measurement
    /// The address shared a payload; its short form.
    case share(String)
    /// A detection, a visit, or a deletion.
    case other
  }

  /// What a file holds beside usable rows.
  struct Remarks: Equatable, Sendable {
    /// The number of rows, without the header.
    var rows = 0
    /// The number of rows with too few fields (a torn last row, mostly), or that are too long.
    var damaged = 0
    /// The number of rows whose date cannot be read.
    var undated = 0
    /// The first date that cannot be read.
    var unread: String?
    /// The number of rows that are of no kind: the fields of kinds are empty, or that of a read, a
    /// measurement or a share is not its digit.
    var unknown = 0
    /// The first such field, with the name of its column.
    var unknownField: String?
    /// The number of rows whose local time there is twice, as the clock was put back: the first is taken.
    var ambiguous = 0
  }

  private static let columns = ["time", "id", "read", "measure", "share", "data"]
  /// The digits of the third to fifth of `columns`.
  private static let digits: [UInt8] = [0x32, 0x33, 0x34]

  let folder: RecordingFolder
  let days: LocalDays
  /// Seconds to add to all dates.
  let shift: Int64

  /// Calls `body` with the date (in seconds since 1970), the address and the kind of each row.
  /// - Throws: `.storage` if the file cannot be read, is empty, or its first line has not the columns of a
  ///   `contacts.csv`.
  func read(_ body: (Int64, String, Kind) throws(HostLinkError) -> Void) throws(HostLinkError) -> Remarks {
    var time = RecordedTime(days: days)
    var fields = LineFields(mostFields: 64)
    var indices: [Int] = []
    var kinds: [Int] = []
    var width = 0
    var remarks = Remarks()
    var failure: HostLinkError?
    var isSeparatorNamed = false
    let reading = try TextLines.read(folder.contacts) { line in
      if indices.isEmpty {
        if !isSeparatorNamed, let separator = LineFields.namedSeparator(line) {
          (fields.separator, isSeparatorNamed) = (separator, true)
          return true
        }
        if isSeparatorNamed {
          fields.split(line)
        } else {
          fields.split(line) { Self.indices($0, line) != nil }
        }
        width = fields.count
        guard let found = Self.indices(fields, line) else {
          let names = (0..<fields.count).map { fields.text($0, of: line) }
          let missing = Self.columns.filter { !names.contains($0) }.joined(separator: ", ")
          failure = HostLinkError(
            .storage, "\(folder.contacts) has no column \(missing)",
            advice: "its first line has to be that of a Herald device's contacts.csv")
          return false
        }
        indices = found
        kinds = Self.kinds(fields, line)
        return true
      }
      if line.isEmpty { return true }
      fields.split(line)
      // A program that was started again, or another version of it, wrote its header.
      if let again = Self.indices(fields, line) {
        (indices, kinds, width) = (again, Self.kinds(fields, line), fields.count)
        return true
      }
      remarks.rows += 1
      guard fields.count == width else {
        remarks.damaged += 1
        return true
      }
      guard let kind = Self.kind(fields, line, indices, kinds) else {
        remarks.unknown += 1
        if remarks.unknownField == nil {
          remarks.unknownField = Self.unknownField(fields, line, indices)
        }
        return true
      }
      guard let seconds = time.seconds(line.extracting(fields.range(indices[0]))) else {
        remarks.undated += 1
        if remarks.unread == nil {
          remarks.unread = PrintableText.of(fields.text(indices[0], of: line), limit: 40)
        }
        return true
      }
      if time.isAmbiguous { remarks.ambiguous += 1 }
      do throws(HostLinkError) {
        try body(seconds + shift, fields.text(indices[1], of: line), kind)
      } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
    guard !indices.isEmpty else {
      throw HostLinkError(
        .storage, "\(PrintableText.of(folder.contacts, limit: 400)) is empty, without even a header",
        advice: "copy it from the device again, or leave the folder out")
    }
    remarks.rows += reading.tooLong
    remarks.damaged += reading.tooLong
    return remarks
  }

  /// The kind of a row; `nil` if it has none.
  private static func kind(
    _ fields: LineFields, _ line: Span<UInt8>, _ indices: [Int], _ kinds: [Int]
  ) -> Kind? {
    for (index, digit) in zip(indices[2...4], digits) {
      guard fields.range(index).isEmpty || fields.isDigit(index, digit, of: line) else { return nil }
    }
    if fields.isDigit(indices[3], digits[1], of: line) { return .measurement }
    if fields.isDigit(indices[2], digits[0], of: line) { return .read(fields.text(indices[5], of: line)) }
    if fields.isDigit(indices[4], digits[2], of: line) { return .share(fields.text(indices[5], of: line)) }
    return kinds.allSatisfy { fields.range($0).isEmpty } ? nil : .other
  }

  /// What a row of no kind has in place of a kind: `measure 3.0`.
  private static func unknownField(_ fields: LineFields, _ line: Span<UInt8>, _ indices: [Int]) -> String {
    for (column, (index, digit)) in zip(columns[2...4], zip(indices[2...4], digits))
    where !fields.range(index).isEmpty && !fields.isDigit(index, digit, of: line) {
      return "\(column) \(PrintableText.of(fields.text(index, of: line), limit: 40))"
    }
    return "no kind"
  }

  /// The indices of the columns that say of which kind a row is.
  private static func kinds(_ fields: LineFields, _ line: Span<UInt8>) -> [Int] {
    (0..<fields.count).filter { !["time", "sensor", "id", "data"].contains(fields.text($0, of: line)) }
  }

  /// The indices of the columns in a header; `nil` if the line is none.
  private static func indices(_ fields: LineFields, _ line: Span<UInt8>) -> [Int]? {
    guard fields.count >= columns.count else { return nil }
    let names = (0..<fields.count).map { fields.text($0, of: line) }
    let indices = columns.compactMap { names.firstIndex(of: $0) }
    return indices.count == columns.count ? indices : nil
  }
}
