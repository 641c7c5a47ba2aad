import HeraldBluetooth

/// The bytes that a literal spells in hexadecimal; blanks are skipped.
public func hexBytes(_ text: StaticString) -> [UInt8] { hexBytes(text.description) }

/// The bytes that `text` spells in hexadecimal; blanks are skipped.
public func hexBytes(_ text: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var high: UInt8?
  for character in text where !character.isWhitespace {
    guard let digit = character.hexDigitValue.map(UInt8.init) else { return [] }
    if let first = high {
      bytes.append(first << 4 | digit)
      high = nil
    } else {
      high = digit
    }
  }
  return bytes
}

extension UUID128 {
  /// The UUID in the sixteen bytes that a literal spells in on-air order.
  public static func onAir(_ hex: String) -> UUID128? { UUID128(onAir: hexBytes(hex).span) }
}

extension [32 of UInt8] {
  /// The bytes as an array, to compare with.
  public var array: [UInt8] { indices.map { self[$0] } }
}

extension [16 of UInt8] {
  /// The bytes as an array, to compare with.
  public var array: [UInt8] { indices.map { self[$0] } }
}

/// Sixteen bytes in place.
public func inline16(_ bytes: [UInt8]) -> [16 of UInt8] {
  var result: [16 of UInt8] = .init(repeating: 0)
  for index in 0..<min(16, bytes.count) { result[index] = bytes[index] }
  return result
}

/// 32 bytes in place.
public func inline32(_ bytes: [UInt8]) -> [32 of UInt8] {
  var result: [32 of UInt8] = .init(repeating: 0)
  for index in 0..<min(32, bytes.count) { result[index] = bytes[index] }
  return result
}
