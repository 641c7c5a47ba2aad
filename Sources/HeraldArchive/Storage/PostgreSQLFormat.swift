import CPostgreSQL

/// Rows in the binary format of COPY (PostgreSQL 15, "COPY", "Binary Format").
struct PostgreSQLCopy {
  /// The number of bytes that are sent at a time.
  static let mostBytes = 1 << 18

  /// The bytes that are not sent yet.
  private(set) var bytes: [UInt8] = [
    0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
  ]

  /// Adds a row.
  mutating func add(_ values: ArraySlice<SQLValue>) {
    append(Int16(clamping: values.count))
    for value in values {
      guard let field = Self.field(value) else {
        append(Int32(-1))
        continue
      }
      append(Int32(clamping: field.count))
      bytes += field
    }
  }

  /// Adds the trailer.
  mutating func finish() { append(Int16(-1)) }

  /// Hands over the bytes.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// The binary form of a value: int8, text or bytea; `nil` for no value.
  static func field(_ value: SQLValue) -> [UInt8]? {
    switch value {
    case .null: nil
    case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case .text(let text): Array(text.withoutZeros.utf8)
    case .blob(let bytes): bytes
    }
  }
}

/// Values of answers in binary form.
enum PostgreSQLRow {
  // From the server's catalogue `pg_type`.
  private static let bytea: Oid = 17
  private static let int8: Oid = 20
  private static let int2: Oid = 21
  private static let int4: Oid = 23
  private static let text: Oid = 25
  private static let numeric: Oid = 1700

  /// The type of an argument; 0 lets the server find it.
  static func type(of value: SQLValue) -> Oid {
    switch value {
    case .null: 0
    case .integer: int8
    case .text: text
    case .blob: bytea
    }
  }

  /// A row of an answer.
  static func row(_ result: OpaquePointer, _ index: Int32) -> SQLRow {
    SQLRow(values: (0..<PQnfields(result)).map { value(result, index, $0) })
  }

  private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> SQLValue {
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
      return .null
    }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    switch PQftype(result, column) {
    case int8, int4, int2: return .integer(number(bytes))
    case numeric: return .integer(wholeNumber([UInt8](bytes)))
    case bytea: return .blob([UInt8](bytes))
    default: return .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// A big-endian number with a sign.
  private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    var number: Int64?
    for byte in bytes {
      number = number.map { $0 << 8 | Int64(byte) } ?? Int64(Int8(bitPattern: byte))
    }
    return number ?? 0
  }

  /// The whole part of a `numeric`, of which sums of `bigint` are: number of digits to the base 10,000,
  /// weight of the first, sign, scale, digits, each of 16 bits.
  static func wholeNumber(_ bytes: [UInt8]) -> Int64 {
    func word(_ index: Int) -> Int64 {
      let offset = index * 2
      return offset + 2 <= bytes.count ? number(bytes[offset..<offset + 2]) : 0
    }
    let (digits, weight) = (word(0), word(1))
    guard (0...4).contains(weight) else { return 0 }
    var value: Int64 = 0
    for index in 0...weight {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10_000)
      let (sum, isSumTooLarge) = product.addingReportingOverflow(index < digits ? word(4 + Int(index)) : 0)
      guard !isTooLarge, !isSumTooLarge else { return word(2) == 0 ? .max : .min }
      value = sum
    }
    return word(2) == 0 ? value : -value
  }
}
