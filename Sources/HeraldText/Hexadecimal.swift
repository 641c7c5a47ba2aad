extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension FixedWidthInteger {
  /// The number in hexadecimal, at least `digits` long.
  public func hexadecimal(_ digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}
