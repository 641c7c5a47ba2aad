/// Bytes and numbers as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// The value of a digit, of either case; `nil` for anything else.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The lower-case digit of a value up to 15.
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The bytes that pairs of digits stand for; `nil` unless the text is nothing but such pairs.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var digits = text.makeIterator()
    while let first = digits.next(), let second = digits.next() {
      guard let high = value(of: first), let low = value(of: second) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Two lower-case digits for each byte.
  package static func text(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for index in bytes.indices {
      text.append(digit(bytes[index] >> 4))
      text.append(digit(bytes[index] & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String {
    Hexadecimal.text(Array(self).span)
  }
}

extension FixedWidthInteger {
  /// The number in hexadecimal, at least `digits` long.
  package func hexadecimal(_ digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}
