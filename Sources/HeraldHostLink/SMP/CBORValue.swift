import HeraldDeviceLink

/// A data item of CBOR as a tree, for responses whose shape is not known in advance.
public indirect enum CBORValue: Equatable, Sendable {
  /// An unsigned integer.
  case unsigned(UInt64)
  /// A negative integer.
  case negative(Int64)
  /// A byte string.
  case bytes([UInt8])
  /// A text string; invalid UTF-8 is replaced, not refused.
  case text(String)
  /// An array.
  case array([CBORValue])
  /// A map with text keys, in its original order. Entries with other keys are omitted, as SMP has none.
  case map([Entry])
  /// False or true.
  case boolean(Bool)
  /// Null, undefined, a floating-point number or a tag, which this project does not use.
  case other

  /// One entry of a map.
  public struct Entry: Equatable, Sendable {
    /// The key of the entry.
    public let key: String
    /// The value of the entry.
    public let value: CBORValue
  }

  /// The maximum nesting depth of maps and lists.
  static let maximumDepth = 8

  /// Decodes one data item; `nil` if `bytes` are malformed, contain further bytes, or nest deeper than eight
  /// levels.
  public static func decode(_ bytes: Span<UInt8>) -> CBORValue? {
    var reader = CBORReader(bytes)
    guard let value = read(&reader, depth: 0), reader.isAtEnd else { return nil }
    return value
  }

  private static func read(_ reader: inout CBORReader, depth: Int) -> CBORValue? {
    guard depth < maximumDepth, let head = reader.head else { return nil }
    switch head.kind {
    case .unsigned: return reader.unsigned().map(CBORValue.unsigned)
    case .negative: return reader.integer().map(CBORValue.negative)
    case .bytes:
      guard let bytes = reader.byteString() else { return nil }
      return .bytes(array(of: bytes))
    case .text:
      guard let bytes = reader.text() else { return nil }
      return .text(String(decoding: array(of: bytes), as: UTF8.self))
    case .array:
      guard var list = reader.array() else { return nil }
      var items: [CBORValue] = []
      while reader.next(in: &list) {
        guard let item = read(&reader, depth: depth + 1) else { return nil }
        items.append(item)
      }
      return .array(items)
    case .map:
      guard var list = reader.map() else { return nil }
      var entries: [Entry] = []
      while reader.next(in: &list) {
        guard let key = read(&reader, depth: depth + 1), let value = read(&reader, depth: depth + 1) else {
          return nil
        }
        if case .text(let name) = key { entries.append(Entry(key: name, value: value)) }
      }
      return .map(entries)
    case .simple:
      if let value = reader.boolean() { return .boolean(value) }
      return reader.skip() ? .other : nil
    case .tag, .float: return reader.skip() ? .other : nil
    case .end: return nil
    }
  }

  private static func array(of bytes: Span<UInt8>) -> [UInt8] { bytes.withUnsafeBufferPointer { Array($0) } }

  /// The first value under `key` of a map; `nil` if this is not a map or has no such key.
  public subscript(key: StaticString) -> CBORValue? { value(under: key.description) }
  /// The first value under a key of this project; `nil` if this is not a map or has no such key.
  public subscript(key: SMPKey) -> CBORValue? { value(under: key.word.description) }

  private func value(under name: String) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == name }?.value
  }

  /// The number; `nil` if this is not a number, or is negative.
  public var number: UInt64? { if case .unsigned(let value) = self { value } else { nil } }
  /// The number; `nil` if this is not a number, is negative, or does not fit.
  public var number32: UInt32? { number.flatMap { UInt32(exactly: $0) } }
  /// The signed number; `nil` if this is not a number or does not fit.
  public var integer: Int64? {
    switch self {
    case .unsigned(let value): Int64(exactly: value)
    case .negative(let value): value
    default: nil
    }
  }
  /// The text; `nil` if this is not a text string.
  public var string: String? { if case .text(let value) = self { value } else { nil } }
  /// The bytes; `nil` if this is not a byte string.
  public var byteString: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}
